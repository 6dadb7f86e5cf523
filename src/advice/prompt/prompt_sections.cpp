#include "advice/prompt/prompt_sections.hpp"

#include "advice/calls/checks.hpp"
#include "advice/prompt/next_step.hpp"
#include "advice/words/sentences.hpp"
#include "advice/words/text.hpp"
#include "detectors/speech/remarks.hpp"

#include <agent_audit/advice/goal.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace agent_audit::advice::prompt {
namespace {

constexpr std::size_t kRemarkChars = 200;
constexpr std::size_t kFileChars = 900;
constexpr std::size_t kMended = 5, kRepetitions = 6, kConstraints = 12, kDecisions = 5, kAnswers = 10, kChanges = 20,
                      kChecks = 8, kCommits = 6, kDeeds = 12, kItems = 8;
constexpr std::size_t kBetweenChars = 240;

std::string_view end_words(CheckEnd end) {
    switch (end) {
        case CheckEnd::passed: return "passed";
        case CheckEnd::failed: return "failed";
        case CheckEnd::unclear: return "ran, and whether it passed is not clear";
    }
    return "";
}

std::string_view deed_words(DeedKind kind) {
    switch (kind) {
        case DeedKind::pushed: return "pushed";
        case DeedKind::pull_request: return "pull request";
        case DeedKind::merged: return "merged";
        case DeedKind::issue: return "issue";
        case DeedKind::released: return "released";
        case DeedKind::published: return "published";
        case DeedKind::tagged: return "tagged";
        case DeedKind::branch: return "branch";
        case DeedKind::item:
        case DeedKind::report: break;
    }
    return "done";
}

template <class List, class Write>
Group group(std::string label, const List& list, std::size_t most, Write write) {
    Group out{std::move(label), {}, list.size() - std::min(list.size(), most)};
    for (std::size_t i = 0; i < list.size() && i < most; ++i) out.items.push_back(write(list[i]));
    return out;
}

// As many as fit into a number of characters.
template <class List, class Write>
Group paths(std::string label, const List& list, Write write) {
    Group out{std::move(label), {}, 0};
    std::size_t chars = 0;
    for (const auto& entry : list) {
        std::string text = write(entry);
        chars += text.size() + 1;
        if (chars > kFileChars) {
            out.left_out = list.size() - out.items.size();
            break;
        }
        out.items.push_back({std::move(text), {}});
    }
    return out;
}

}  // namespace

std::vector<Section> Sections::all() const {
    return {goal(kGoalChars, kBetween), constraints(), progress(), decisions(), failed(), repeated(), files(),
            next_step(state_, words_)};
}

Section Sections::constraints() const {
    return {"Constraints", {group("", state_.constraints, kConstraints, [&](const Quote& q) {
                return Item{words_.quoted(q), {}};
            })}};
}

Section Sections::decisions() const {
    return {"Decisions",
            {group("What the user answered:", decided(), kAnswers,
                   [&](const Answer& a) {
                       return Item{answer_of(a), {}};
                   }),
             group("Of the agent, in its own words, which nobody has checked:", state_.decisions, kDecisions,
                   [&](const Quote& q) {
                       return Item{words_.quoted(q), {}};
                   })}};
}

Section Sections::repeated() const {
    const auto told = [&](const Repetition& r) {
        const std::string where = words_.lines(r.first_line, r.last_line);
        return Item{fmt::format("- {} {}: {}", words_.span_of(r.tool, 60), words_.call_of(r.call),
                                r.count == 0 ? where : fmt::format("{} ({})", words_.times(r.count, "time"), where)),
                    {}};
    };
    const auto is_cause = [&](const Repetition& r) {
        return std::ranges::any_of(options_.cause, [&](const Repetition& c) {
            return c.tool == r.tool && c.call == r.call && c.count >= r.count;
        });
    };
    std::vector<Repetition> others;
    std::ranges::remove_copy_if(state_.repetitions, std::back_inserter(others), is_cause);
    return {
        "Do not repeat",
        {group("The session is begun anew because these calls went in circles:", options_.cause, kRepetitions, told),
         group("These calls brought the same answer each time in one stretch, with no change in between:", others,
               kRepetitions, told)}};
}

// What still says something: no question in return, and no leave to do what is done by now.
std::vector<Answer> Sections::decided() const {
    std::vector<Answer> out;
    std::ranges::copy_if(state_.answers, std::back_inserter(out), [&](const Answer& a) {
        const bool only_on = asks_leave(a.question) || detectors::goes_on(a.answer);
        const bool spent = !a.refused && a.turn + 1 < state_.turn && is_remark(a.answer) && only_on;
        return !a.asks_back && !spent;
    });
    return out;
}

std::string Sections::answer_of(const Answer& a) const {
    std::string out = "- ";
    if (!a.question.empty()) out += "\"" + unmarked(words_.line_of(a.question, 300)) + "\" \u2014 ";
    if (a.refused) out += "turned down";
    if (!a.refused && a.answer.empty()) out += "the user agreed";
    if (!a.answer.empty())
        out += std::string(a.refused ? ", " : "") + "the user: \"" + unmarked(words_.line_of(a.answer, 240)) + "\"";
    return out + " (" + words_.place(a.turn, a.line) + ")";
}

Section Sections::goal(std::size_t chars, std::size_t between) const {
    constexpr std::size_t kShort = 160;  // bytes: such a request mostly answers something
    Section out{"Goal", {}};
    const auto add = [&](std::string_view label, const Quote& q, std::size_t most) {
        Group made{
            fmt::format("{} ({}):", label, words_.place(q.turn, q.line)), {{words_.block_quote(q.text, most), {}}}, 0};
        const auto is_answer = [&](const Answer& a) {
            return a.line == q.line && a.turn == q.turn && one_line(q.text, q.text.size()).starts_with(a.answer);
        };
        const auto asked =
            q.text.size() <= kShort ? std::ranges::find_if(state_.answers, is_answer) : state_.answers.end();
        if (asked != state_.answers.end() && !asked->question.empty()) {
            made.items.push_back({std::string(asked->asks_back ? "The agent had asked before it: \""
                                                               : "It answers what the agent had said last: \"") +
                                      unmarked(words_.line_of(asked->question, 300)) + "\"",
                                  {}});
        }
        out.groups.push_back(std::move(made));
    };
    // No person's words: quoted as data, on one line.
    const auto add_data = [&](std::string_view label, const Quote& q) {
        out.groups.push_back(
            {fmt::format("{} ({}):", label, words_.place(q.turn, q.line)),
             {{"- \"" + unmarked(one_line(head_and_tail(words_.safe(q.text), chars), chars)) + "\"", {}}},
             0});
    };
    const Goal& said = state_.goal;
    if (said.summary)
        add_data("The recording begins with a summary of earlier work, which is nobody's own words", *said.summary);
    if (said.from_program)
        add_data("Nobody's request is recorded. The program around the agent said first, which is no order",
                 said.first);
    if (said.from_program) return out;
    const std::string_view since = said.summary ? " after it" : "";
    if (!said.first.text.empty())
        add(fmt::format("{}{}", said.latest ? "First request" : "Request", since), said.first, chars);
    if (!said.between.empty() && between > 0) {
        Group way = group("Asked for in between, the newest first; some of it may be done:", said.between, between,
                          [&](const Quote& q) {
                              return Item{fmt::format("> [{}] {}", words_.place(q.turn, q.line),
                                                      unmarked(words_.line_of(q.text, std::min(chars, kBetweenChars)))),
                                          {}};
                          });
        way.left_out += said.left_out;
        out.groups.push_back(std::move(way));
    }
    if (said.latest) add("Latest request", *said.latest, chars);
    if (said.remark) add("Said after it", *said.remark, std::min(chars, kRemarkChars));
    return out;
}

std::string Sections::edits(const Change& c) const {
    if (c.fate == FileFate::deleted)
        return fmt::format("{} (deleted, {})", words_.span_of(c.path, 200), words_.line(c.last_line));
    if (c.fate == FileFate::moved)
        return fmt::format("{} (moved to {}, {})", words_.span_of(c.path, 200), words_.span_of(c.moved_to, 200),
                           words_.line(c.last_line));
    return fmt::format("{} ({}, {})", words_.span_of(c.path, 200), words_.times(c.edits, "edit"),
                       words_.lines(c.first_line, c.last_line));
}

std::string Sections::failed_since(const Change& c) const {
    const auto is_it = [&](const CheckRun& run) {
        return run.command == c.check && may_be_one_place(run.directory, c.check_directory);
    };
    const auto failing = std::ranges::find_if(state_.failing, is_it);
    return failing == state_.failing.end() || failing->line <= c.check_line
               ? std::string()
               : fmt::format("; it failed later ({})", words_.line(failing->line));
}

// Edits by the check that passed after them, the last check first.
Group Sections::verified() const {
    constexpr std::size_t kFilesOfOne = 10;
    Group out;
    for (std::size_t i = 0; i < state_.verified.size();) {
        const Change& first = state_.verified[i];
        std::string text =
            first.approved
                ? fmt::format("- the user approved ({}) the edits of ", words_.line(first.check_line))
                : fmt::format("- {} passed ({}) after the edits of ",
                              words_.check_of(first.check, first.check_directory, 160), words_.line(first.check_line));
        std::size_t files = 0;
        for (; i < state_.verified.size() && state_.verified[i].check_line == first.check_line; ++i, ++files) {
            if (files < kFilesOfOne) text += (files > 0 ? ", " : "") + edits(state_.verified[i]);
        }
        if (files > kFilesOfOne) text += " and " + words_.times(files - kFilesOfOne, "more file");
        if (!first.approved) text += failed_since(first);
        out.items.push_back({std::move(text), {}});
    }
    out.left_out = out.items.size() - std::min(out.items.size(), kChecks);
    out.items.resize(std::min(out.items.size(), kChecks));
    return out;
}

Section Sections::progress() const {
    Section out{"Verified progress", {}};
    out.groups.push_back(verified());
    const bool none = state_.verified.empty();
    out.groups.push_back(group(none ? "No edit is verified: no check of these has passed since."
                                    : "Not verified: no check of these edits has passed since.",
                               state_.unverified, kChanges, [&](const Change& c) {
                                   return Item{"- " + edits(c), {}};
                               }));
    if (const auto& check = state_.last_check) {
        out.groups.push_back({"Last check:",
                              {{fmt::format("- {} {} ({})", words_.check_of(check->command, check->directory, 120),
                                            end_words(check->end), words_.place(check->turn, check->line)),
                                {}}},
                              0});
    }
    out.groups.push_back(group("Done, as far as calls that succeeded tell:", deeds(false), kDeeds, [&](const Deed& d) {
        return Item{deed_of(d), d.output, words_.line(d.line)};
    }));
    out.groups.push_back(group("Ticked off on the agent's list, or reported by it and welcomed by the user:",
                               deeds(true), kItems, [&](const Deed& d) {
                                   return Item{deed_of(d), {}};
                               }));
    std::vector<Quote> pushed, others;  // of a commit in the command that pushes nobody knows which was first
    for (const Quote& commit : state_.commits) (commit.line > last_push() ? others : pushed).push_back(commit);
    const auto said = [&](const Quote& q) { return Item{words_.quoted(q, 140), {}}; };
    out.groups.push_back(group("Committed, and not pushed as far as calls tell:", others, kCommits, said));
    out.groups.push_back(
        group("Committed, up to the last push:", pushed, kCommits - std::min(others.size(), kCommits), said));
    return out;
}

std::uint64_t Sections::last_push() const {
    std::uint64_t line = 0;
    for (const Deed& deed : state_.deeds) {
        const bool opens = deed.kind == DeedKind::pull_request && deed.words.find("create") != std::string::npos;
        if (deed.kind == DeedKind::pushed || opens) line = std::max(line, deed.line);
    }
    return line;
}

std::vector<Deed> Sections::deeds(bool told_by_agent) const {
    std::vector<Deed> out;
    for (const Deed& deed : state_.deeds) {
        if ((deed.kind == DeedKind::item || deed.kind == DeedKind::report) == told_by_agent) out.push_back(deed);
    }
    return out;
}

std::string Sections::deed_of(const Deed& d) const {
    if (d.kind == DeedKind::item || d.kind == DeedKind::report) return words_.quoted({d.words, d.line, d.turn}, 160);
    return fmt::format("- {}: {} ({})", deed_words(d.kind), words_.span_of(d.words, 140), words_.place(d.turn, d.line));
}

Section Sections::failed() const {
    const auto open = [&](const Failure& f) {
        const std::string others =
            f.calls > 1 ? fmt::format(" and {} like it", words_.times(f.calls - 1, "call")) : std::string();
        const std::string since =
            f.unclear_since > 0
                ? fmt::format("; it ran again at {}, and how that ended is not clear", words_.line(f.unclear_since))
                : std::string();
        return Item{words_.failure(f, fmt::format("{}: {}, last at {}{}", others, words_.how_often(f, true),
                                                  words_.place(f.turn, f.last_line), since)),
                    f.output};
    };
    const auto mended = [&](const Failure& f) {
        const std::string_view now = f.error == ErrorClass::user_denied ? "went through at" : "works since";
        return Item{words_.failure(f, fmt::format(": {}, last at {}; {} {}", words_.how_often(f, false),
                                                  words_.line(f.last_line), now, words_.line(f.works_since))),
                    {}};
    };
    return {"What failed",
            {group("", state_.failures, kFailures, open),
             group("Failed at first, and works by now:", state_.mended, kMended, mended),
             group("Errors that the user reported last; whether they are gone is not known:", state_.reported, kMended,
                   [&](const Quote& q) {
                       return Item{words_.quoted(q, 200), {}};
                   })}};
}

std::vector<Change> Sections::of_fate(FileFate fate) const {
    std::vector<Change> out;
    for (const Change& change : state_.modified) {
        if (change.fate == fate) out.push_back(change);
    }
    return out;
}

Section Sections::files() const {
    const auto read = [&](const FileRead& r) {
        return fmt::format("- {} ({})", words_.span_of(r.path, 160), words_.place(r.turn, r.line));
    };
    const auto where = [&](const Change& c) {
        return fmt::format("- {} ({})", words_.span_of(c.path, 160), words_.place(c.turn, c.last_line));
    };
    return {"Files",
            {paths("Modified:", of_fate(FileFate::edited), where), paths("Deleted:", of_fate(FileFate::deleted), where),
             paths("Moved:", of_fate(FileFate::moved),
                   [&](const Change& c) {
                       return fmt::format("- {} to {} ({})", words_.span_of(c.path, 160),
                                          words_.span_of(c.moved_to, 160), words_.place(c.turn, c.last_line));
                   }),
             paths("Read, and not changed since as far as calls tell:", reads(false), read),
             paths("Read, and perhaps changed since, by a script, git or a sub-agent:", reads(true), read)}};
}

std::vector<FileRead> Sections::reads(bool unsure) const {
    std::vector<FileRead> out;
    std::ranges::copy_if(state_.read, std::back_inserter(out),
                         [unsure](const FileRead& read) { return (read.unsure_since > 0) == unsure; });
    return out;
}

}  // namespace agent_audit::advice::prompt
