#include "report/text/inspected_block.hpp"

#include "model/unmeasured.hpp"
#include "report/words/finding_place.hpp"
#include "report/words/human.hpp"
#include "report/words/remote_use.hpp"
#include "report/words/skipped_rule.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

namespace agent_audit::report {
namespace {

// What is shown unless all is asked for; the rest is counted.
constexpr std::size_t kBadRecords = 5;
constexpr std::size_t kProblems = 10;

std::string named_rules(const std::vector<std::string_view>& rules, bool all) {
    constexpr std::size_t kNamed = 3;
    if (rules.size() > kNamed && !all) return fmt::format("{} rules (names with -v)", rules.size());
    return fmt::format("{}", fmt::join(rules, ", "));
}

class InspectedBlock {
public:
    InspectedBlock(Page& page, const Report& report, TextWords& words, bool all)
        : report_(report), page_(page), words_(words), all_(all) {}

    void draw() {
        page_.blank();
        page_.heading({{"Inspected", Style::bold}});
        row("files", files());
        if (!report_.sessions.empty()) row("sessions", sessions());
        row("events", events());
        if (!report_.inputs.empty()) row("records", records());
        bad_records();
        if (!report_.sessions.empty()) row("rules", rules());
        skipped_rules();
        silenced();
        problems();
        for (const RemoteUse& use : report_.remotes) row(use.purpose, remote_use_words(use, words_.redactor()));
        for (const Note& note : report_.notes) row(std::string(name(note.severity)), words_.text(note.text));
    }

private:
    void silenced() {
        if (report_.baseline) {
            const BaselineReport& known = *report_.baseline;
            std::string words =
                fmt::format("{}: {}, {} of this run", words_.input(known.source),
                            count_of(known.entries, "known pattern"), count_of(known.unchanged, "finding"));
            if (!known.absent.empty()) words += fmt::format(", {} no longer met", thousands(known.absent.size()));
            row("baseline", words);
        }
        if (!all_) return;
        for (const Finding& f : report_.silenced) {
            const std::string why = f.suppressed ? fmt::format("suppressed ({}): {}", words_.text(f.suppressed->origin),
                                                               words_.text(f.suppressed->reason))
                                                 : std::string("in the baseline");
            row("known", fmt::format("{} {} {}: {}", name(f.severity), visible(f.rule), words_.place(f), why));
        }
    }

    void row(std::string_view label, const std::string& text) {
        if (!text.empty()) page_.labelled(2, 8, label, text);
    }

    std::string files() {
        std::map<std::string_view, std::uint64_t> by_format;
        for (const InputReport& input : report_.inputs) {
            if (!input.format.empty()) ++by_format[input.format];
        }
        std::vector<std::string> words;
        for (const auto& [format, n] : by_format) {
            words.push_back(by_format.size() == 1 ? visible(format)
                                                  : fmt::format("{} {}", visible(format), thousands(n)));
        }
        const auto growing = std::ranges::count_if(report_.inputs, &InputReport::still_growing);
        if (growing) words.push_back(fmt::format("{} still growing", growing));
        const std::string kinds = words.empty() ? "" : " (" + join(words, ", ") + ")";
        std::string others;
        if (report_.skipped_inputs)
            others = "; " + count_of(report_.skipped_inputs, "other file") + " without a session";
        if (report_.filtered_inputs) others += "; " + count_of(report_.filtered_inputs, "file") + " filtered out";
        return count_of(report_.inputs.size() - std::min<std::uint64_t>(report_.skipped_inputs, report_.inputs.size()),
                        "file") +
               kinds + ", " + byte_size(report_.ingest.bytes) + others;
    }

    std::string sessions() const {
        const auto subs =
            static_cast<std::uint64_t>(std::ranges::count_if(report_.sessions, &SessionReport::sub_agent));
        const auto house =
            static_cast<std::uint64_t>(std::ranges::count_if(report_.sessions, &SessionReport::housekeeping));
        std::vector<std::string> words{thousands(report_.sessions.size())};
        if (subs) words.push_back(thousands(subs) + " of sub-agents");
        if (house) words.push_back(thousands(house) + " of the client's own housekeeping");
        return join(words, ", ");
    }

    std::string events() const {
        const SessionCounts& c = report_.counts;
        if (c.events == 0) return {};
        std::vector<std::string> words;
        const auto add = [&](std::uint64_t n, std::string_view one, std::string_view many = {}) {
            if (n) words.push_back(count_of(n, one, many));
        };
        add(c.human_messages, "human message");
        add(c.responses, "model response");
        if (c.calls) {
            std::string calls = count_of(c.calls, "tool call");
            calls += c.unanswered ? fmt::format(" ({} without a result)", thousands(c.unanswered)) : "";
            words.push_back(std::move(calls));
        }
        add(c.errors, failed_word(c));
        add(c.denied, "denied call");
        add(c.orphans, "result without a call", "results without a call");
        add(c.compactions, "compaction");
        add(c.rewinds, "rewind");
        add(c.aborted_turns, "aborted turn");
        add(c.provider_errors, "provider error");
        return thousands(c.events) + (words.empty() ? "" : ": ") + join(words, ", ");
    }

    std::string records() const {
        const std::uint64_t all = report_.ingest.records();
        std::vector<std::string> words;
        for (std::size_t i = 0; i < kLineFateCount; ++i) {
            if (!report_.ingest.fates[i]) continue;
            words.push_back(fmt::format("{} {}", thousands(report_.ingest.fates[i]), kLineFates[i].name));
        }
        return thousands(all) + (words.empty() ? "" : ": ") + join(words, ", ");
    }

    void bad_records() {
        std::size_t shown = 0;
        std::uint64_t bad = 0;
        for (std::size_t i = 0; i < report_.inputs.size(); ++i) {
            bad += report_.inputs[i].stats.bad();
            for (const BadRecord& record : report_.inputs[i].bad) {
                if (shown == kBadRecords && !all_) break;
                ++shown;
                const std::string reason = record.reason.empty() ? "" : ": " + words_.text(record.reason);
                page_.labelled_name(2, 8, "bad", "", line_place(words_.path_of(i), record.line, report_.inputs[i]),
                                    fmt::format(" {}{}", info(record.fate).name, reason));
            }
        }
        if (bad > shown && shown > 0) row("", fmt::format("and {} more", thousands(bad - shown)));
    }

    // All of them by name is half a screen that says the same every time.
    std::string rules() const {
        constexpr std::size_t kNamed = 6;
        std::vector<std::string> ids;
        for (const RuleRun& rule : report_.rules) {
            ids.push_back(visible(rule.id));
        }
        if (ids.empty()) return "none";
        if (ids.size() > kNamed && !all_) {
            return fmt::format("{} run, policy {} (names with -v)", ids.size(), name(report_.policy));
        }
        return fmt::format("{} run, policy {}: {}", ids.size(), name(report_.policy), join(ids, ", "));
    }

    void skipped_rules() {
        for (const std::string& line : skipped_lines(report_, all_)) row("skipped", line);
    }

    void problems() {
        std::size_t all = 0;
        const auto add = [&](const std::string& text) {
            if (++all <= kProblems || all_) row("unread", text);
        };
        for (const std::string& problem : report_.problems) add(words_.input(problem));
        for (std::size_t i = 0; i < report_.inputs.size(); ++i) {
            if (report_.inputs[i].error) add(words_.path_of(i) + ": " + words_.text(*report_.inputs[i].error));
        }
        if (all > kProblems && !all_) row("", fmt::format("and {} more", thousands(all - kProblems)));
    }

    const Report& report_;
    Page& page_;
    TextWords& words_;
    bool all_;
};

}  // namespace

std::vector<std::string> skipped_lines(const Report& report, bool all) {
    using Group = std::tuple<SkipReason, std::uint16_t, std::uint64_t>;
    std::map<Group, std::vector<std::string_view>> groups;
    for (const SkippedTotal& total : skipped_totals(report)) {
        groups[{total.rule.reason, total.rule.missing.bits, total.sessions}].push_back(total.rule.rule);
    }
    std::vector<std::string> lines;
    for (const auto& [group, rules] : groups) {
        const auto& [reason, missing, sessions] = group;
        lines.push_back(fmt::format("{} in {}: {}", named_rules(rules, all), count_of(sessions, "session"),
                                    missing_words(Signals{missing}, reason)));
    }
    return lines;
}

void draw_inspected(Page& page, const Report& report, TextWords& words, bool all) {
    InspectedBlock(page, report, words, all).draw();
}

}  // namespace agent_audit::report
