#include "report/html/html_inspected.hpp"

#include "model/unmeasured.hpp"
#include "report/html/html_table.hpp"
#include "report/words/finding_place.hpp"
#include "report/words/human.hpp"
#include "report/words/peer_words.hpp"
#include "report/words/provider_error_words.hpp"
#include "report/words/skipped_rule.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace agent_audit::report {
namespace {

constexpr std::size_t kToolRows = 40, kFileRows = 200, kBadRows = 100, kNotes = 200, kSilencedRows = 200;

std::string line_of(const std::optional<PeerReaction>& reaction) {
    return reaction ? thousands(reaction->line) : "never";
}

std::string event_words(const SessionCounts& c) {
    std::vector<std::string> words{thousands(c.events) + " events"};
    const auto add = [&](std::uint64_t n, std::string_view one, std::string_view many = {}) {
        if (n) words.push_back(count_of(n, one, many));
    };
    add(c.human_messages, "human message");
    add(c.responses, "model response");
    add(c.calls, "tool call");
    add(c.unanswered, "call without a result", "calls without a result");
    add(c.errors, failed_word(c));
    add(c.denied, "denied call");
    add(c.orphans, "result without a call", "results without a call");
    add(c.compactions, "compaction");
    add(c.rewinds, "rewind");
    add(c.aborted_turns, "aborted turn");
    add(c.provider_errors, "provider error");
    return join(words, ", ");
}

std::string record_words(const IngestStats& stats) {
    std::vector<std::string> words{count_of(stats.records(), "record")};
    for (std::size_t i = 0; i < kLineFateCount; ++i) {
        if (stats.fates[i]) words.push_back(fmt::format("{} {}", thousands(stats.fates[i]), kLineFates[i].name));
    }
    return join(words, ", ");
}

std::string file_words(const Report& report) {
    const std::size_t files = report.inputs.size() - std::min<std::size_t>(report.skipped_inputs, report.inputs.size());
    std::vector<std::string> words{count_of(files, "file"), byte_size(report.ingest.bytes)};
    if (report.skipped_inputs) words.push_back(count_of(report.skipped_inputs, "other file") + " without a session");
    if (report.filtered_inputs) words.push_back(count_of(report.filtered_inputs, "file") + " filtered out");
    return join(words, ", ");
}

// Rules that were skipped for one reason in as many sessions share a line.
std::vector<std::string> skipped_words(const Report& report) {
    std::map<std::tuple<SkipReason, std::uint16_t, std::uint64_t>, std::vector<std::string>> groups;
    for (const SkippedTotal& total : skipped_totals(report)) {
        groups[{total.rule.reason, total.rule.missing.bits, total.sessions}].emplace_back(total.rule.rule);
    }
    std::vector<std::string> lines;
    for (const auto& [group, rules] : groups) {
        const auto& [reason, missing, sessions] = group;
        lines.push_back(fmt::format("{} in {}: {}", join(rules, ", "), count_of(sessions, "session"),
                                    missing_words(Signals{missing}, reason)));
    }
    return lines;
}

// What is lived with is named, or a clean page would not be honest.
std::string baseline_words(const Report& report, FindingWords& words) {
    std::vector<std::string> parts;
    if (report.baseline) {
        parts.push_back(fmt::format("{} knows {}", words.line(report.baseline->source),
                                    count_of(report.baseline->entries, "pattern")));
        if (!report.baseline->absent.empty())
            parts.push_back(fmt::format("{} of them did not occur", thousands(report.baseline->absent.size())));
    }
    if (report.baselined > 0) parts.push_back(count_of(report.baselined, "finding") + " in the baseline, not counted");
    if (report.suppressed > 0) parts.push_back(count_of(report.suppressed, "finding") + " suppressed, not counted");
    return join(parts, "; ");
}

void silenced_table(Html& html, const Report& report, FindingWords& words) {
    HtmlTable table("Known findings, which count for nothing",
                    {{"severity", false}, {"rule", false}, {"where", false}, {"why it is silent", false}});
    for (std::size_t i = 0; i < std::min(report.silenced.size(), kSilencedRows); ++i) {
        const Finding& f = report.silenced[i];
        table.row({std::string(name(f.severity)), words.line(f.rule), words.place(f),
                   f.suppressed ? "suppressed: " + words.line(f.suppressed->reason) : "in the baseline"});
    }
    if (table.empty()) return;
    html.raw("<details><summary>").text(count_of(report.silenced.size(), "known finding")).raw("</summary>");
    table.draw(html);
    if (report.silenced.size() > kSilencedRows)
        html.element("p", fmt::format("and {} more", thousands(report.silenced.size() - kSilencedRows)), "dim");
    html.raw("</details>\n");
}

void files_table(Html& html, const Report& report, FindingWords& words) {
    HtmlTable table("Files",
                    {{"file", false}, {"format", false}, {"bytes"}, {"records"}, {"bad records"}, {"state", false}});
    std::size_t shown = 0, all = 0;
    for (std::size_t i = 0; i < report.inputs.size(); ++i) {
        const InputReport& in = report.inputs[i];
        if (in.format.empty() && !in.error) continue;  // a file of a folder that is no session: counted above
        if (++all > kFileRows) continue;
        ++shown;
        table.row({words.path(i), words.line(in.format), byte_size(in.stats.bytes), thousands(in.stats.records()),
                   thousands(in.stats.bad()),
                   in.error           ? words.line(*in.error)
                   : in.still_growing ? "still growing"
                                      : "read"});
    }
    if (table.empty()) return;
    html.raw("<details><summary>").text(count_of(all, "file")).raw("</summary>");
    table.draw(html);
    if (shown < all) html.element("p", fmt::format("and {} more", thousands(all - shown)), "dim");
    html.raw("</details>\n");
}

void bad_table(Html& html, const Report& report, FindingWords& words) {
    HtmlTable table("Records that could not be read", {{"where", false}, {"fate", false}, {"why", false}});
    std::size_t shown = 0;
    for (std::size_t i = 0; i < report.inputs.size(); ++i) {
        for (const BadRecord& record : report.inputs[i].bad) {
            if (shown == kBadRows) break;
            ++shown;
            table.row({line_place(words.path(i), record.line, report.inputs[i]), std::string(info(record.fate).name),
                       words.line(record.reason)});
        }
    }
    if (table.empty()) return;
    html.raw("<details open><summary>").text(count_of(report.ingest.bad(), "bad record")).raw("</summary>");
    table.draw(html);
    html.raw("</details>\n");
}

void notes(Html& html, const Report& report, FindingWords& words) {
    std::vector<std::string> lines;
    for (const std::string& problem : report.problems) lines.push_back("unread: " + words.line(problem));
    for (std::size_t i = 0; i < report.inputs.size(); ++i) {
        if (const auto& error = report.inputs[i].error)
            lines.push_back(fmt::format("unread: {}: {}", words.path(i), words.line(*error)));
    }
    for (const Note& note : report.notes)
        lines.push_back(fmt::format("{}: {}", name(note.severity), words.line(note.text)));
    if (lines.empty()) return;
    html.raw("<ul>");
    for (std::size_t i = 0; i < std::min(lines.size(), kNotes); ++i) html.element("li", lines[i]);
    if (lines.size() > kNotes) html.element("li", fmt::format("and {} more", lines.size() - kNotes));
    html.raw("</ul>\n");
}

// `code` in a line of a page.
void draw_line(Html& html, std::string_view line) {
    while (!line.empty()) {
        const std::size_t open = line.find('`');
        const std::size_t close = open == line.npos ? line.npos : line.find('`', open + 1);
        html.text(line.substr(0, close == line.npos ? line.npos : open));
        if (close == line.npos) return;
        html.element("code", line.substr(open + 1, close - open - 1));
        line.remove_prefix(close + 1);
    }
}

// What the provider answered instead of a response.
void provider_errors(Html& html, const Report& report, const std::vector<std::size_t>& refused, FindingWords& words) {
    HtmlTable table("Requests that the provider refused or broke off", {{"session", false}, {"what happened", false}});
    for (std::size_t i = 0; i < std::min(refused.size(), kToolRows); ++i) {
        table.row({words.session_name(refused[i]), words.line(provider_error_words(report.sessions[refused[i]]))});
    }
    if (table.empty()) return;
    table.draw(html);
    if (refused.size() > kToolRows)
        html.element("p", "and " + count_of(refused.size() - kToolRows, "more session"), "dim");
}

}  // namespace

void draw_peer_totals(Html& html, const Report& report) {
    if (report.peers.empty() || report.sessions.size() < 2) return;
    html.raw("<section><h2>Other agents</h2>\n");
    html.element("p", "What their loop detectors would have done, judged by our findings.", "dim");
    HtmlTable table("Reactions of other agents' loop detectors, in sessions", {{"profile", false},
                                                                               {"sessions"},
                                                                               {"warned"},
                                                                               {"stopped"},
                                                                               {"right"},
                                                                               {"false alarms"},
                                                                               {"missed"},
                                                                               {"silent, right"}});
    for (const PeerTotals& t : report.peers) {
        table.row({t.profile, thousands(t.sessions), thousands(t.warned), thousands(t.stopped), thousands(t.right),
                   thousands(t.false_alarms), thousands(t.missed), thousands(t.silent_right)});
    }
    table.draw(html);
    html.raw("</section>\n");
}

void draw_peers(Html& html, const SessionReport& session) {
    if (session.peers.empty()) return;
    HtmlTable table("Other agents' loop detectors in this session", {{"profile", false},
                                                                     {"verdict", false},
                                                                     {"rule", false},
                                                                     {"warns at line"},
                                                                     {"stops at line"},
                                                                     {"after calls"}});
    for (const PeerOutcome& peer : session.peers) {
        const PeerReaction* reaction = peer.reaction();
        table.row({peer.profile, std::string(verdict_words(peer.verdict)), reaction ? reaction->rule : "",
                   line_of(peer.warned), line_of(peer.stopped), reaction ? thousands(reaction->step) : ""});
    }
    html.raw("<details><summary>What other agents would have done</summary>");
    table.draw(html);
    html.raw("</details>\n");
}

void draw_failures(Html& html, const Report& report, FindingWords& words) {
    std::vector<const ToolStats*> failing;
    std::array<bool, kErrorClassCount> occurred{};
    for (const ToolStats& tool : report.tools) {
        if (tool.failed() == 0) continue;
        failing.push_back(&tool);
        for (std::size_t i = 0; i < kErrorClassCount; ++i) occurred[i] = occurred[i] || tool.failures[i] > 0;
    }
    const std::vector<std::size_t> refused = with_provider_errors(report);
    if (failing.empty() && refused.empty()) return;
    std::ranges::stable_sort(failing, [](auto* a, auto* b) { return a->failed() > b->failed(); });
    std::vector<HtmlTable::Column> columns{{"tool", false}, {"calls"}, {"failed"}};
    for (std::size_t i = 0; i < kErrorClassCount; ++i) {
        if (occurred[i]) columns.push_back({std::string(name(static_cast<ErrorClass>(i)))});
    }
    columns.push_back({"longest streak"});
    for (HtmlTable::Column& column : columns) std::ranges::replace(column.title, '_', ' ');
    HtmlTable table("Failing calls by tool and class", std::move(columns));
    for (std::size_t row = 0; row < std::min(failing.size(), kToolRows); ++row) {
        const ToolStats& tool = *failing[row];
        const double share = tool.calls > 0 ? static_cast<double>(tool.failed()) / static_cast<double>(tool.calls) : -1;
        std::vector<HtmlTable::Cell> cells{
            {words.line(tool.tool)}, {thousands(tool.calls)}, {thousands(tool.failed()), {}, share}};
        for (std::size_t i = 0; i < kErrorClassCount; ++i) {
            if (occurred[i]) cells.push_back({thousands(tool.failures[i])});
        }
        cells.push_back({thousands(tool.longest_failure_streak)});
        table.row_of(std::move(cells));
    }
    html.raw("<section><h2>Failures</h2>\n");
    if (!table.empty()) table.draw(html);
    if (failing.size() > kToolRows)
        html.element("p", fmt::format("and {} more tools", failing.size() - kToolRows), "dim");
    provider_errors(html, report, refused, words);
    html.raw("</section>\n");
}

void draw_inspected(Html& html, const Report& report, FindingWords& words) {
    html.raw("<section><h2>What was inspected</h2>\n");
    std::vector<std::string> rules;
    for (const RuleRun& rule : report.rules) rules.push_back(rule.id);
    const std::string ran =
        rules.empty() ? "none"
                      : fmt::format("{} ran, policy {}: {}", rules.size(), name(report.policy), join(rules, ", "));
    std::vector<std::pair<std::string, std::string>> facts{{"files", file_words(report)},
                                                           {"sessions", thousands(report.sessions.size())},
                                                           {"events", event_words(report.counts)},
                                                           {"records", record_words(report.ingest)},
                                                           {"rules", ran}};
    facts.emplace_back("baseline", baseline_words(report, words));
    for (std::string& line : skipped_words(report)) facts.emplace_back("skipped", std::move(line));
    draw_facts(html, facts);
    notes(html, report, words);
    silenced_table(html, report, words);
    bad_table(html, report, words);
    files_table(html, report, words);
    html.raw("</section>\n");
}

void draw_rule_page(Html& html, std::string_view markdown) {
    enum class In { nothing, paragraph, list, fence } in = In::nothing;
    const auto change_to = [&](In next) {
        if (in == In::list) html.raw("</li></ul>\n");
        if (in == In::paragraph) html.raw("</p>\n");
        if (in == In::fence) html.raw("</code></pre>\n");
        in = next;
    };
    while (!markdown.empty()) {
        const std::size_t end = std::min(markdown.find('\n'), markdown.size());
        const std::string_view line = markdown.substr(0, end);
        markdown.remove_prefix(std::min(end + 1, markdown.size()));
        if (line.starts_with("```")) {
            const bool closing = in == In::fence;
            change_to(closing ? In::nothing : In::fence);
            if (!closing) html.raw("<pre><code>");
        } else if (in == In::fence) {
            html.text(line).raw("\n");
        } else if (line.empty()) {
            change_to(In::nothing);
        } else if (line.starts_with("#")) {
            change_to(In::nothing);
            html.element("h3", line.substr(std::min(line.find_first_not_of("# "), line.size())));
        } else if (line.starts_with("- ")) {
            if (in == In::list)
                html.raw("</li>");
            else {
                change_to(In::list);
                html.raw("<ul>");
            }
            html.raw("<li>");
            draw_line(html, line.substr(2));
        } else {
            if (in == In::nothing) {
                change_to(In::paragraph);
                html.raw("<p>");
            } else {
                html.raw(" ");
            }
            draw_line(html, line.substr(std::min(line.find_first_not_of(' '), line.size())));
        }
    }
    change_to(In::nothing);
}

}  // namespace agent_audit::report
