#include "simulator/js_text.hpp"
#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::simulator::letta {
namespace {

/// Python's round(): a half goes to the even neighbour.
double round_even(double value) {
    const double down = std::floor(value), rest = value - down;
    if (rest != 0.5) return std::floor(value + 0.5);
    return std::fmod(down, 2) == 0 ? down : down + 1;
}

/// The system message always stands first there, recorded or not.
std::size_t unseen_system(const View& view) { return after_system(view) == 0 ? 1 : 0; }

Planned plan_buffer(const Compaction& settings, const View& view) {
    const std::size_t from = after_system(view), end = before_new_words(view), all = end + unseen_system(view);
    if (view.empty()) return std::nullopt;
    std::size_t to = std::max<std::size_t>(1, all - std::min(all, whole(settings.buffer_min))) - unseen_system(view);
    while (to < end && !(view[to] && view[to]->role == Role::user)) ++to;
    if (to <= from) return std::nullopt;
    CompactionPlan out = gives_up(from, to, 0);
    out.asks_model = false;
    return out;
}

/// Of GPT-5 the window is not used to its end.
bool fills_early(std::string_view model) {
    static constexpr std::string_view kFamily = "gpt-5";
    const std::string name = js_lower(model);
    for (std::size_t at = name.find(kFamily); at != name.npos; at = name.find(kFamily, at + 1)) {
        const std::size_t end = at + kFamily.size();
        const bool begins = at == 0 || name[at - 1] == '/';
        if (begins && (end == name.size() || name[end] == '.' || name[end] == '-')) return true;
    }
    return false;
}

/// Its own count of messages in the tokens of the provider, by which it goes where it can.
double kept_tokens(const Compaction& settings, const View& view, std::size_t from, std::size_t to,
                   const ContextSize& size) {
    double own = 0;
    for (std::size_t i = from; i < to; ++i) own += view[i] ? tokens_of(settings, *view[i]) : 0;
    const double seen = size.billed - size.unseen;
    return size.unseen + (size.estimated > 0 && seen > 0 ? own * seen / size.estimated : own);
}

/// The first message that stays: the last answer in a tenth more of the messages than the share, and in a tenth more
/// again until the rest of the window holds what stays. `end` when there is none.
std::size_t slid_to(const Compaction& settings, const View& view, std::size_t end, const ContextSize& size,
                    double window_tokens) {
    constexpr double kStep = 0.1;
    const std::size_t hidden = unseen_system(view), first = 1 - hidden;  // behind the system message
    const double goal = (1 - settings.evict_share) * window_tokens;
    double share = settings.evict_share;
    while (share < 1) {
        share += kStep;
        const std::size_t most = whole(round_even(share * static_cast<double>(end + hidden)));
        std::size_t cut = std::min(end, most + 1 - hidden);
        while (cut > first && !(view[cut - 1] && view[cut - 1]->role == Role::assistant)) --cut;
        if (cut <= first) continue;
        if (kept_tokens(settings, view, cut - 1, end, size) < goal) return share < 1 ? cut - 1 : end;
    }
    return end;
}

}  // namespace

double tokens_of(const Compaction&, const Msg& message) {
    return static_cast<double>(quarters_up(message_json_units(message)));
}

// It looks when an answer is there, by what the provider has counted.
bool due(const Compaction& settings, const ContextSize& size, double window_tokens) {
    if (settings.fixed_buffer && size.view) {
        // It looks when a turn is over: in the midst of one nothing would be left of what is asked.
        const std::size_t end = before_new_words(*size.view), all = end + unseen_system(*size.view);
        if (end < size.view->size() && static_cast<double>(all) > settings.buffer_max) return true;
    }
    if (settings.fixed_buffer) return size.refused || size.billed > window_tokens;
    constexpr double kEarly = 0.9;
    const double most = fills_early(size.model) ? std::floor(window_tokens * kEarly) : window_tokens;
    return size.refused || size.billed - size.trailing > most;
}

Planned plan(const Compaction& settings, const View& view, const ContextSize& size, double window_tokens) {
    if (settings.fixed_buffer) return plan_buffer(settings, view);
    const std::size_t from = after_system(view), end = size.refused ? view.size() : before_new_words(view);
    if (end <= from) return std::nullopt;
    std::size_t to = slid_to(settings, view, end, size, window_tokens);
    if (to + 1 >= end) to = end;  // no window to slide: everything is summarised
    if (to <= from) return std::nullopt;
    return gives_up(from, to, settings.max_summary);
}

}  // namespace agent_audit::simulator::letta
