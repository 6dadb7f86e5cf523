#include "report/text/failures_block.hpp"

#include "report/words/human.hpp"
#include "report/words/provider_error_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::report {
namespace {

// What is shown unless -v asks for everything.
constexpr std::size_t kToolRows = 10;
constexpr std::size_t kProviderRows = 3;
constexpr int kToolColumns = 24;  // of a tool's name: leaves room for the classes

class FailuresBlock {
public:
    FailuresBlock(Page& page, const Report& report, TextWords& words, bool all)
        : page_(page), report_(report), words_(words), all_(all) {}

    void draw() {
        std::vector<const ToolStats*> sorted;
        for (const ToolStats& tool : report_.tools) {
            if (tool.failed() > 0) sorted.push_back(&tool);
        }
        const std::vector<std::size_t> refused = with_provider_errors(report_);
        if (sorted.empty() && refused.empty()) return;
        page_.blank();
        page_.heading({{"Failures", Style::bold},
                       {sorted.empty() ? "of the provider" : "by tool and class; streak = failing responses in a row",
                        Style::dim}});
        if (!sorted.empty()) tool_failures(sorted);
        provider_errors(refused);
    }

private:
    // A session that stood still is explained by the requests that its provider refused.
    void provider_errors(const std::vector<std::size_t>& refused) {
        const std::size_t shown = all_ ? refused.size() : std::min(refused.size(), kProviderRows);
        for (std::size_t i = 0; i < shown && !page_.gone(); ++i) {
            const SessionReport session = report_.sessions[refused[i]];
            const std::string whose = report_.sessions.size() > 1 ? words_.session(session) + ": " : "";
            page_.labelled(2, 8, "provider", whose + words_.text(provider_error_words(session)));
        }
        if (shown < refused.size()) {
            page_.paragraph(
                2,
                fmt::format("the {} with the most errors of a provider of {} sessions that met any (all with -v)",
                            shown, refused.size()),
                Style::dim);
        }
    }

    // Only tools that failed; the most failing first.
    void tool_failures(std::vector<const ToolStats*>& sorted) {
        std::ranges::stable_sort(sorted, [](auto* a, auto* b) { return a->failed() > b->failed(); });
        const std::size_t shown = all_ ? sorted.size() : std::min(sorted.size(), kToolRows);
        const std::vector<ErrorClass> classes = classes_of(sorted);
        std::vector<Column> columns{{"tool", 0, false, true}, {"calls", 4}, {"failed", 0}};
        for (const ErrorClass error : classes) columns.push_back({class_title(error), 3});
        columns.push_back({"streak", 2});
        Table table(std::move(columns));
        for (std::size_t i = 0; i < shown; ++i) table.row(failure_row(*sorted[i], classes));
        table.draw(page_, 2);
        if (shown < sorted.size()) {
            page_.paragraph(
                2, fmt::format("the {} most failing of {} tools that failed (all with -v)", shown, sorted.size()),
                Style::dim);
        }
    }

    // Only classes that occurred: five columns do not fit, and mostly there are two.
    static std::vector<ErrorClass> classes_of(const std::vector<const ToolStats*>& tools) {
        std::vector<ErrorClass> classes;
        for (std::size_t i = 0; i < kErrorClassCount; ++i) {
            const auto occurred = [&](const ToolStats* tool) { return tool->failures[i] > 0; };
            if (std::ranges::any_of(tools, occurred)) classes.push_back(static_cast<ErrorClass>(i));
        }
        return classes;
    }

    static std::string class_title(ErrorClass error) {
        if (error == ErrorClass::infrastructure) return "machine";
        if (error == ErrorClass::user_denied) return "denied";
        return std::string(name(error));
    }

    std::vector<std::string> failure_row(const ToolStats& tool, const std::vector<ErrorClass>& classes) {
        std::vector<std::string> cells{end_of(words_.text(tool.tool), kToolColumns, page_.symbol("\u2026", "..")),
                                       thousands(tool.calls), thousands(tool.failed())};
        for (const ErrorClass error : classes)
            cells.push_back(thousands(tool.failures[static_cast<std::size_t>(error)]));
        cells.push_back(thousands(tool.longest_failure_streak));
        return cells;
    }

    Page& page_;
    const Report& report_;
    TextWords& words_;
    bool all_;
};

}  // namespace

void draw_failures(Page& page, const Report& report, TextWords& words, bool all) {
    FailuresBlock(page, report, words, all).draw();
}

}  // namespace agent_audit::report
