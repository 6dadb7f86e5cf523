#include "simulator/js_text.hpp"
#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace

double tokens_of(const Compaction&, const Msg& message) {
    return static_cast<double>(quarters_up(message_json_units(message)));
}

bool due(const Compaction& settings, const ContextSize& size, double window_tokens) {
    if (settings.fixed_buffer && size.view) {
        // It looks when a turn is over: in the midst of one nothing would be left of what is asked.
        const std::size_t end = before_new_words(*size.view), all = end + unseen_system(*size.view);
        if (end < size.view->size() && static_cast<double>(all) > settings.buffer_max) return true;
    }
    return size.refused || size.billed > window_tokens;
}

Planned plan(const Compaction& settings, const View& view, const ContextSize&, double) {
    if (settings.fixed_buffer) return plan_buffer(settings, view);
    const std::size_t from = after_system(view), hidden = unseen_system(view);
    const double start = round_even(settings.evict_share * static_cast<double>(view.size() + hidden));
    std::size_t to = whole(start) - std::min(whole(start), hidden);
    while (to < view.size() && !(view[to] && view[to]->role == Role::assistant)) ++to;
    if (to <= from || to == view.size()) return std::nullopt;
    return gives_up(from, to, settings.max_summary);
}

}  // namespace agent_audit::simulator::letta
