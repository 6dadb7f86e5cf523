#pragma once

#include "report/html/html_chart.hpp"
#include "report/html/html_table.hpp"

#include <agent_audit/report/renderer.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::report {

/// A picture with a name.
struct NamedChart {
    std::string name;
    Chart chart;
};

/// What is shown when it is unfolded.
struct FoldedTables {
    std::string summary;
    std::vector<HtmlTable> tables;
};

/// One thing that is compared: what it is, figures, tables, pictures side by side. All words are redacted already;
/// they are escaped as they are written.
struct ComparisonSection {
    std::string heading;
    std::string facts;  ///< in one line; may be empty
    std::vector<std::pair<std::string, std::string>> details;
    std::vector<HtmlTable> tables;
    std::vector<NamedChart> charts;
    std::vector<FoldedTables> folded;
    std::vector<std::string> notes;
};

/// A page about a replay: it judges no session, it shows alternatives beside one another.
struct ComparisonPage {
    enum class Tone : std::uint8_t { fine, warning, error };

    std::string title;
    Tone tone = Tone::fine;
    std::string sentence;                                    ///< what came out, in one
    std::vector<std::pair<std::string, std::string>> tiles;  ///< figure and what it counts
    std::vector<ComparisonSection> sections;
    std::string closing;  ///< what the figures are not
};

/// One self-contained page in the dress of the report: same security policy, no address, readable without scripts.
void draw_comparison(const ComparisonPage& page, std::string_view tool_version, const ByteSink& out);

}  // namespace agent_audit::report
