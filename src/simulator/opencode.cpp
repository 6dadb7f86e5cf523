#include "simulator/js_text.hpp"
#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>
#include <cmath>

namespace agent_audit::simulator::opencode {
namespace {

constexpr double kBuffer = 20'000, kLongestAnswer = 32'000;

double answer(double max_output) { return max_output > 0 ? std::min(max_output, kLongestAnswer) : kLongestAnswer; }

/// A result is part of the answer that asked for it.
bool starts_message(const View& view, std::size_t i) { return !view[i] || view[i]->role != Role::tool_result; }

bool asks(const View& view, std::size_t i) { return view[i] && view[i]->role == Role::user; }

/// Where to cut: as many of the newest turns as fit, of the first that does not as much of its end as fits. What stands
/// before the first question is no turn, and no part of it stays.
std::size_t cut_of(const Compaction& settings, const View& view, std::size_t from, double budget) {
    std::size_t first = from;
    while (first < view.size() && !asks(view, first)) ++first;
    std::size_t keep = view.size(), inside = view.size(), turns = 0;
    double kept = 0, turn = 0;
    for (std::size_t i = view.size(); i-- > first && static_cast<double>(turns) < settings.tail_turns;) {
        if (view[i]) turn += tokens_of(settings, *view[i]);
        if (kept + turn > budget) return inside < keep ? inside : keep;
        if (!starts_message(view, i)) continue;
        inside = i;
        if (!asks(view, i)) continue;
        keep = i;
        kept += turn;
        turn = 0;
        ++turns;
    }
    return keep;
}

}  // namespace

double usable(const Compaction& settings, double window_tokens, double max_output) {
    if (window_tokens <= 0) return 0;
    const double reserved = settings.reserved > 0 ? settings.reserved : std::min(kBuffer, answer(max_output));
    return settings.input_limit > 0 ? std::max(0.0, settings.input_limit - reserved)
                                    : std::max(0.0, window_tokens - answer(max_output));
}

double tail_budget(const Compaction& settings, double usable_tokens) {
    return std::min(settings.max_tail, std::max(settings.min_tail, std::floor(usable_tokens * settings.tail_share)));
}

double tokens_of(const Compaction&, const Msg& message) {
    return static_cast<double>(quarters_round(message_json_units(message)));
}

// What the last answer's usage says; what came after it is not looked at.
bool due(const Compaction& settings, const ContextSize& size, double window_tokens) {
    return size.refused || size.billed - size.trailing >= usable(settings, window_tokens, size.max_output);
}

Planned plan(const Compaction& settings, const View& view, const ContextSize& size, double window_tokens) {
    const std::size_t from = after_system(view);
    if (from == view.size()) return std::nullopt;
    if (size.refused) {  // the last question is asked again after the summary of all that came before it
        std::size_t last = view.size();
        while (last > from && !asks(view, last - 1)) --last;
        bool asked_before = false;  // else there would be nothing to summarise
        for (std::size_t i = from; i + 1 < last; ++i) asked_before = asked_before || asks(view, i);
        if (asked_before) {
            CompactionPlan out = gives_up(from, view.size(), settings.max_summary);
            out.after.push_back(view[last - 1]);
            return out;
        }
        return gives_up(from, view.size(), settings.max_summary);
    }
    const double budget = tail_budget(settings, usable(settings, window_tokens, size.max_output));
    std::size_t first = from;  // behind the last summary, which is written anew
    while (first < view.size() && view[first] && view[first]->role == Role::compaction_summary) ++first;
    std::size_t cut = cut_of(settings, view, first, budget);
    if (cut <= first) cut = view.size();
    CompactionPlan out = gives_up(from, cut, settings.max_summary);
    out.split_turn = cut < view.size() && view[cut] && view[cut]->role != Role::user;
    out.min_saving = settings.stalled_below;
    return out;
}

}  // namespace agent_audit::simulator::opencode
