#pragma once

#include "report/redaction/redact.hpp"
#include "report/words/finding_place.hpp"

#include <agent_audit/report/renderer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::report {

/// One thing said about a finding: "line 26" and "call Bash `npm test`".
struct FactWords {
    std::string label;
    std::string text;
    bool evidence = false;  ///< what is recorded at one place; the label names it
};

/// A report in the words that the formats for CI share. Everything it returns is redacted; what it says to give back
/// on one line has no control, escape sequence or direction change left (see visible()).
class FindingWords {
public:
    /// Where paths are named from: the working directory, or, where it is known, the root of the repository.
    enum class From : std::uint8_t { here, checkout };

    FindingWords(const Report& report, const RenderOptions& options, From from = From::here);

    /// Redacted, and on one line.
    std::string line(std::string_view raw);
    /// The same for a word that was taken out of `said`.
    std::string word(std::string_view raw, std::string_view said);
    /// Redacted and otherwise as it was: for a writer that escapes by itself.
    std::string raw(std::string_view text) { return redact_.text(text); }

    /// Where an input is, as CI formats want it: without a leading ./, "stdin" for standard input. Not yet on one line.
    std::string raw_path(std::size_t input);
    std::string path(std::size_t input);
    /// The same for a file that is no input.
    std::string raw_path_of_file(const std::string& path);
    /// Are paths named from the root of the repository?
    bool from_checkout() const { return from_ == From::checkout; }
    std::string path_of(const Finding& finding);
    /// In words, as place_words() says it.
    std::string place(const Finding& finding);

    /// A name no other session of the report has: its input, and what tells it from the others in there. On one line.
    std::string session_name(std::size_t session);
    /// Sub-agent and its label; empty for the main conversation. On one line.
    std::string lane_name(const Finding& finding);

    std::string message(const Finding& finding) { return line(finding.message); }
    /// The same with the calls it is about, where the message does not name them: for a place that has no more to say.
    std::string told(const Finding& finding);
    /// Everything else there is to say, in the order of reading: evidence, cost, reasons, advice. On one line each.
    std::vector<FactWords> facts(const Finding& finding);

    const Report& report() const { return report_; }
    const RenderOptions& options() const { return options_; }

private:
    const Report& report_;
    const RenderOptions& options_;
    Redactor redact_;
    From from_;
    std::vector<std::string> session_names_;
};

/// What it wasted, as "5 steps, 1,200 tokens reported, $0.02"; empty when nothing is known of that.
std::string cost_words(const Finding& finding);
/// Why it was found, and what came of it. Redacted, and on one line.
std::string reason_words(const Finding& finding, Redactor& redact, std::string_view between);

/// Does the message leave open which calls the finding is about?
inline bool names_no_call(const Finding& finding) {
    return !finding.round.empty() && finding.message.find(finding.round.front()) == std::string::npos;
}

/// Where a format wants lines whatever the file is: one that has none, or of which they are not known, has one.
inline FileLines some_lines(const Finding& finding, const Report& report) {
    return place_of(finding, report).lines.value_or(FileLines{1, 1});
}

/// Its fingerprint; where there is none, what comes closest to one.
std::string identity(const Finding& finding, const Report& report);

/// True when the finding fails a run by RenderOptions::fail_on.
inline bool fails(const Finding& finding, const RenderOptions& options) {
    return options.fail_on && finding.severity >= *options.fail_on;
}

/// The findings of each session, in the order of the report; the last entry has those of no session.
std::vector<std::vector<const Finding*>> findings_by_session(const Report& report);

/// The description of a rule; nothing when it has none.
const RuleDoc* find_rule_doc(const RenderOptions& options, std::string_view rule);

}  // namespace agent_audit::report
