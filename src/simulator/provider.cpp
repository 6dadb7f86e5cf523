#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>

namespace agent_audit::simulator::provider {
namespace {

double json_tokens(const Msg& message) { return static_cast<double>(quarters_up(message_json_units(message))); }

}  // namespace

double tokens_of(const Compaction&, const Msg& message) { return json_tokens(message); }
double tokens_of(const Truncation&, const Msg& message) { return json_tokens(message); }

bool due(const Compaction& settings, const ContextSize& size, double window_tokens) {
    const double line = settings.trigger_share > 0 ? window_tokens * settings.trigger_share
                                                   : std::max(settings.trigger_tokens, settings.min_trigger);
    const double context = settings.after_answer ? size.billed - size.trailing : size.billed;
    return settings.at_trigger ? context >= line : context > line;
}

bool due(const Truncation&, const ContextSize& size, double window_tokens) {
    return size.refused || size.billed > window_tokens;
}

Planned plan(const Compaction& settings, const View& view, const ContextSize&, double) {
    const std::size_t from = after_system(view), to = settings.after_answer ? before_new_words(view) : view.size();
    if (to <= from) return std::nullopt;
    return gives_up(from, to, settings.max_summary);
}

Planned plan(const Truncation&, const View& view, const ContextSize& size, double window_tokens) {
    const std::size_t from = after_system(view);
    const double seen = size.billed - size.unseen;
    // Dropped by the provider's count; the estimate of each message is scaled to it.
    const double scale = size.estimated > 0 && seen > 0 ? seen / size.estimated : 1;
    double left = size.billed - window_tokens;
    std::size_t to = from;
    // The newest message is what is asked for.
    while (to + 1 < view.size() && (left > 0 || (view[to] && view[to]->role == Role::tool_result))) {
        if (view[to]) left -= json_tokens(*view[to]) * scale;
        ++to;
    }
    if (to == from) return std::nullopt;
    CompactionPlan out = gives_up(from, to, 0);
    out.asks_model = false;
    return out;
}

}  // namespace agent_audit::simulator::provider
