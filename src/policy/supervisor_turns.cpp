#include "policy/supervisor.hpp"

#include "detectors/engine/episodes.hpp"
#include "policy/supervisor_words.hpp"

#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>

// What the supervisor looks at when a response is over, patterns apart: the limits of the run, how full the context is,
// whether the calls go round in circles or away from the goal, and when it is time to reflect.

namespace agent_audit::policy {
namespace {

constexpr std::size_t kGoalBytes = 800;
constexpr std::size_t kRecentResponses = 3;

// "100 calls"
std::string limit_words(std::size_t limit, double most) {
    if (limit == kCost) return fmt::format("${}", most);
    return fmt::format("{} {}", most, limit == kPerPrompt ? "responses" : kLimitNames[limit]);
}

}  // namespace

void Supervisor::on_response(std::uint64_t response, Place end, std::span<const Finding> open, const LaneTrack& track) {
    LaneState& l = lane(track.lane());
    l.response = response;
    if (end.line > l.last_line) {
        l.last_line = end.line;
        l.last_seq = end.seq;
    }
    ++l.iterations;
    ++responses_;
    if (l.last_line == 0) l.last_line = line_;
    if (!out_of_lane(l)) {
        checkpoint(l);
        const bool acted = judge_limits(l) || judge_pattern(l, open, track) || judge_context(l) ||
                           judge_stagnation(l) || judge_similarity(l, track) || judge_turns(l, track);
        (void)acted;
    }
    l.good = track.good_steps();
    l.steps_in_response = l.failed_in_response = l.refused_in_response = 0;
    l.asked.clear();
    l.checked = false;
    l.epoch = l.last.epoch;
}

bool Supervisor::judge_limits(LaneState& l) {
    const Limits& limits = policy_.limits;
    const double values[] = {static_cast<double>(calls_),
                             static_cast<double>(responses_),
                             static_cast<double>(characters_),
                             static_cast<double>(clock_.recorded() ? clock_.elapsed() : 0) / 60'000,
                             static_cast<double>(spent_.total()),
                             cost_ ? static_cast<double>(cost_->micro_dollars()) / 1e6 : 0,
                             l.lane == 0 ? static_cast<double>(l.iterations) : 0};
    const double most[] = {static_cast<double>(limits.calls),
                           static_cast<double>(limits.responses),
                           static_cast<double>(limits.characters),
                           static_cast<double>(limits.minutes),
                           static_cast<double>(limits.tokens),
                           limits.cost_usd,
                           static_cast<double>(limits.responses_per_prompt)};
    for (std::size_t i = 0; i < kLimitNames.size(); ++i) {
        if (most[i] <= 0) continue;
        const bool over = values[i] >= most[i];
        const bool near = limits.warn_at > 0 && values[i] / most[i] >= limits.warn_at;  // 0.55 * 100 is more than 55
        if ((!over || reached_[i]) && (!near || warned_[i] || over)) continue;
        (over ? reached_ : warned_)[i] = true;
        Decision d = draft(l, over ? limits.action : Action::notify, Trigger::limit);
        d.severity = over ? Severity::error : Severity::warning;
        d.rule = kLimitNames[i];
        const std::string_view whose = i == kPerPrompt ? "prompt" : "run";
        d.reason = over ? fmt::format("the {} reached its limit of {}", whose, limit_words(i, most[i]))
                        : fmt::format("the {} used {:.0f} % of its {}", whose, 100 * values[i] / most[i],
                                      limit_words(i, most[i]));
        d.message = tag("limit") + d.reason + (over ? "." : ". Finish what is most important.");
        l.ladder.acts(l.response);
        decide(l, std::move(d));
        return true;
    }
    return false;
}

bool Supervisor::judge_context(LaneState& l) {
    const bool share = l.over_share && !l.full;
    const bool long_text = l.lane == 0 && policy_.context.characters > 0 && since_reset_ > policy_.context.characters;
    if (!share && !long_text) return false;
    Decision d = draft(l, Action::reset_context, Trigger::context);
    d.severity = Severity::warning;
    d.rule = share ? "share" : "characters";
    d.reason = share ? fmt::format("the prompt fills more than {:.0f} % of the window", 100 * policy_.context.share)
                     : fmt::format("{} characters since the context was new", since_reset_);
    d.back_to_line = l.last_line;
    d.message = tag("context") + "A fresh conversation begins with what is known.";
    l.full = share;
    decide(l, std::move(d));
    return true;
}

bool Supervisor::judge_stagnation(LaneState& l) {
    if (policy_.stagnation.distinct <= 0 || l.steps_in_response == 0) return false;
    if (l.recent.size() < static_cast<std::size_t>(policy_.stagnation.window)) return false;
    std::vector<std::uint64_t> sorted = l.recent;
    std::ranges::sort(sorted);
    const auto distinct = std::unique(sorted.begin(), sorted.end()) - sorted.begin();
    if (distinct >= policy_.stagnation.distinct) {
        l.stagnant = false;
        return false;
    }
    if (l.stagnant) return false;  // told once
    Decision d = draft(l, Action::reset_context, Trigger::stagnation);
    d.severity = Severity::warning;
    d.reason = fmt::format("the last {} calls were {} different one{}", policy_.stagnation.window, distinct,
                           distinct == 1 ? "" : "s");
    d.message = tag("stagnation") + d.reason + ". A fresh conversation begins with what is known.";
    if (l.verified_line > 0) d.back_to_line = l.verified_line;
    l.stagnant = true;
    decide(l, std::move(d));
    return true;
}

// Far from the goal by its words: no proof of anything, and so only a reason to think.
bool Supervisor::judge_similarity(LaneState& l, const LaneTrack& track) {
    const Similarity& rule = policy_.similarity;
    if (rule.below <= 0 || l.said.size() < static_cast<std::size_t>(rule.window)) return false;
    std::uint64_t actions = 0, hits = 0;
    for (const auto& [done, of_goal] : l.said) {
        actions += done;
        hits += of_goal;
    }
    const bool away = static_cast<double>(hits) < rule.below * static_cast<double>(actions);
    if (!away || l.away) {
        l.away = away;
        return false;
    }
    l.away = true;
    Decision d = draft(l, Action::reflect, Trigger::similarity);
    d.severity = Severity::info;
    d.reason = fmt::format("{} word{} of the goal in the {} actions of the last {} responses, fewer than {} for each",
                           hits, hits == 1 ? "" : "s", actions, rule.window, rule.below);
    d.reflection = policy_.reflection.on_similarity;
    d.message = reflection_prompt(l, track, d.reflection, d.reason);
    decide(l, std::move(d));
    return true;
}

// Reflection that is not about a pattern: after failures, after many responses, and when it is time.
bool Supervisor::judge_turns(LaneState& l, const LaneTrack& track) {
    const Reflection& r = policy_.reflection;
    const auto each = [](int n, std::uint64_t count) {
        return n > 0 && count > 0 && count % static_cast<std::uint64_t>(n) == 0;
    };
    Decision d;
    ReflectionLevel level = ReflectionLevel::none;
    std::string why;
    if (l.failed_in_response > 0 && r.on_failure != ReflectionLevel::none) {
        d = draft(l, Action::reflect, Trigger::failure);
        level = r.on_failure;
        why = fmt::format("{} failed: {}", tool_of(l.last),
                          l.last.failed ? detectors::outcome_words(l.last) : "one of its calls");
    } else if (each(r.iterations, l.iterations)) {
        d = draft(l, Action::reflect, Trigger::iterations);
        level = r.on_iterations;
        why = fmt::format("{} responses since a human spoke", l.iterations);
    } else if (each(r.every_turns, l.response)) {
        d = draft(l, Action::reflect, Trigger::interval);
        level = r.on_interval;
        why = fmt::format("it is response {}", l.response);
    } else {
        return false;
    }
    d.reason = why;
    d.reflection = level;
    d.message = reflection_prompt(l, track, level, why);
    decide(l, std::move(d));
    return true;
}

std::string Supervisor::reflection_prompt(const LaneState& l, const LaneTrack& track, ReflectionLevel level,
                                          std::string_view why) const {
    std::string out = tag("reflection") + "Stop and think before the next call.\n";
    if (!goal_.empty()) out += fmt::format("Goal: {}\n", cut_utf8(goal_, kGoalBytes));
    const std::size_t room = memory_bytes(level);
    std::string recent;
    const std::uint64_t oldest = l.response >= kRecentResponses ? l.response - kRecentResponses + 1 : 1;
    for (std::uint64_t ordinal = l.step; ordinal > 0; --ordinal) {
        const Step* s = track.step(ordinal);
        if (!s || s->response < oldest) break;
        std::string words = fmt::format("- line {}: {} -> {}\n", s->call_at.line, detectors::step_words(*s),
                                        detectors::outcome_words(*s));
        if (recent.size() + words.size() > room) break;
        recent.insert(0, words);
    }
    if (!recent.empty()) out.append(kRecentCalls).append(recent);
    out.append(kWhyNow).append(why).append("\n");
    out +=
        "Say what you know now that you did not know three calls ago. Name two ways you have not tried, and choose "
        "one; if there is none, say what you need from a person.";
    return out;
}

}  // namespace agent_audit::policy
