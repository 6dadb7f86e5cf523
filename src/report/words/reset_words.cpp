#include "report/words/reset_words.hpp"

#include "report/escape/sanitize.hpp"
#include "report/words/human.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

namespace agent_audit::report {
namespace {

std::string_view words_of(ResetTrigger trigger) {
    switch (trigger) {
        case ResetTrigger::loop: return "going in circles";
        case ResetTrigger::post_compaction: return "doing again what was forgotten";
        case ResetTrigger::thrash: return "one compaction after the other";
        case ResetTrigger::stale_window: return "a nearly full window, little of it in use";
        case ResetTrigger::drift: return "no longer at the task";
    }
    return "";
}

}  // namespace

std::string reset_place(const ResetSuggestion& reset, const LineWords& lines) {
    if (reset.line == 0) return "from the start: no record is worth keeping";
    return fmt::format("after {}{}", lines.one(reset.line),
                       reset.verified ? ", where a check had passed on all changes" : "");
}

bool cause_is_a_sentence(const ResetSuggestion& reset) { return reset.rule == "drift/user-correction"; }

std::string reset_cause(const ResetSuggestion& reset, const LineWords& lines) {
    std::string words(cause_is_a_sentence(reset) ? "a human said that the work went wrong" : words_of(reset.trigger));
    if (!reset.rule.empty()) words += ": " + visible(reset.rule);
    return words + ", " + lines.span(reset.first_line, reset.known_line);
}

std::string reset_reason(const ResetSuggestion& reset, const LineWords& lines) {
    return fmt::format("{} ({} sure)", reset_cause(reset, lines), percent(reset.confidence));
}

std::string reset_gain(const ResetSuggestion& reset) {
    const bool estimated = reset.source == TokensSource::estimated;
    std::string words = fmt::format("{}{} to about {} tokens, {} less in each request", estimated ? "about " : "",
                                    thousands(reset.tokens_before), thousands(reset.tokens_after),
                                    short_count(reset.saving_per_turn()));
    if (reset.saved_money && reset.saved_money->micro_dollars() > 0) {
        words += fmt::format(" ({})", money(reset.saved_money->micro_dollars()));
    }
    if (reset.break_even_turns == 1) return words + "; pays at once";
    return words + fmt::format("; pays after {} requests", reset.break_even_turns);
}

std::vector<SessionReset> surest_resets(const Report& report) {
    std::vector<SessionReset> resets;
    for (std::size_t i = 0; i < report.sessions.size(); ++i) {
        for (const ResetSuggestion& reset : report.sessions[i].resets) resets.push_back({i, reset});
    }
    std::ranges::stable_sort(resets, std::greater<>{},
                             [](const SessionReset& entry) { return entry.reset.confidence; });
    return resets;
}

}  // namespace agent_audit::report
