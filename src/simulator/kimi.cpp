#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <cmath>

namespace agent_audit::simulator::kimi {

// Only words are counted, in code points.
double tokens_of(const Compaction&, const Msg& message) {
    return std::floor(static_cast<double>(text_code_points(message)) / 4);
}

bool due(const Compaction& settings, const ContextSize& size, double window_tokens) {
    return size.refused || size.billed >= window_tokens * settings.window_share ||
           size.billed + settings.reserved >= window_tokens;
}

Planned plan(const Compaction& settings, const View& view, const ContextSize&, double) {
    const std::size_t from = after_system(view);
    if (settings.keep_messages <= 0) return std::nullopt;
    double kept = 0;
    std::size_t to = view.size();
    while (to > from && kept < settings.keep_messages) {
        --to;
        if (view[to] && (view[to]->role == Role::user || view[to]->role == Role::assistant)) ++kept;
    }
    if (kept < settings.keep_messages || to == from) return std::nullopt;
    return gives_up(from, to, settings.max_summary);
}

}  // namespace agent_audit::simulator::kimi
