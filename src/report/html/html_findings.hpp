#pragma once

#include "report/html/html_writer.hpp"
#include "report/words/finding_words.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace agent_audit::report {

/// Draws findings: what was seen and where, the loop as a round of steps, evidence that unfolds, cost, reasons, advice.
class HtmlFindings {
public:
    /// `rule_anchor` gives the anchor of what is said about a rule; empty = nothing is.
    HtmlFindings(Html& html, FindingWords& words, std::function<std::string(std::string_view)> rule_anchor)
        : html_(html), words_(words), rule_anchor_(std::move(rule_anchor)) {}

    void full(const Finding& finding);
    /// One row each.
    void brief(const std::string& caption, const std::vector<const Finding*>& findings);

private:
    void head(const Finding& finding);
    void round(const Finding& finding);
    void evidence(const Finding& finding);
    void rule(const std::string& rule);

    Html& html_;
    FindingWords& words_;
    std::function<std::string(std::string_view)> rule_anchor_;
    std::size_t drawn_ = 0;
};

}  // namespace agent_audit::report
