#pragma once

#include "report/html/html_writer.hpp"
#include "report/words/finding_words.hpp"

#include <agent_audit/model/report.hpp>

#include <string_view>

namespace agent_audit::report {

/// What other agents' loop detectors would have done, by profile; nothing when no profile was asked for.
void draw_peer_totals(Html& html, const Report& report);
void draw_peers(Html& html, const SessionReport& session);

/// Tools whose calls failed, the most failing first.
void draw_failures(Html& html, const Report& report, FindingWords& words);

/// What was read and what was not: files, records and their fates, rules that ran and rules that had nothing to look
/// at.
void draw_inspected(Html& html, const Report& report, FindingWords& words);

/// The page of a rule: the Markdown that our pages are written in (headings, lists, fences, `code`) and nothing else.
void draw_rule_page(Html& html, std::string_view markdown);

}  // namespace agent_audit::report
