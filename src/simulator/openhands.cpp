#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

namespace agent_audit::simulator::openhands {
namespace {

/// The system prompt always is the first event there, recorded or not.
double unseen_system(const View& view) { return after_system(view) == 0 ? 1 : 0; }
double kept_first(const Condenser& settings, const View& view) {
    return std::max(0.0, settings.keep_first - unseen_system(view));
}

/// No call is parted from its result before such a message.
bool is_boundary(const View& view, std::size_t i) {
    return i >= view.size() || !view[i] || view[i]->role != Role::tool_result;
}

bool any_block(const Msg& message, std::initializer_list<BlockKind> kinds) {
    return std::any_of(message.blocks.begin(), message.blocks.end(), [&](const Block& block) {
        return std::find(kinds.begin(), kinds.end(), block.kind) != kinds.end();
    });
}

/// The first boundary at or after so many events. Where thoughts go back with their calls (`bound`), a call with a
/// thought and what follows it are one: results, and calls without a thought of their own.
std::size_t boundary_after(const View& view, double wanted, bool bound) {
    double seen = 0;
    bool inside = false;
    for (std::size_t i = 0; i < view.size(); ++i) {
        const bool result = !is_boundary(view, i);
        const bool call = view[i] && view[i]->role == Role::assistant && any_block(*view[i], {BlockKind::tool_call});
        const bool opens = call && bound && any_block(*view[i], {BlockKind::thinking, BlockKind::redacted_thinking});
        if (opens || !(call || result)) inside = opens;
        if (seen >= wanted && !result && (opens || !inside)) return i;
        seen += view[i] ? static_cast<double>(events(*view[i])) : 0;
    }
    return view.size();
}

/// Newest events that may stay; the strictest reason counts. Below 0 there is no place that far back.
double tail_of(const Condenser& settings, const View& view, const ContextSize& size, double all) {
    // The forgetting kinds write no summary, and so keep one event more.
    const double made = settings.kind == Kind::summarising || settings.kind == Kind::structured ? 1 : 0;
    double tail = std::numeric_limits<double>::infinity();
    if (size.refused) tail = std::min(tail, std::floor(all / 2));
    if (all > settings.max_events) tail = std::min(tail, std::floor(settings.max_events / 2));
    tail -= settings.keep_first + made;
    if (settings.max_tokens > 0 && size.billed > settings.max_tokens) {
        double left = size.billed - std::floor(settings.max_tokens / 2), kept = all;
        for (std::size_t i = static_cast<std::size_t>(kept_first(settings, view)); i < view.size() && left > 0; ++i) {
            if (!view[i]) continue;
            left -= tokens_of(settings, *view[i]);
            kept -= static_cast<double>(events(*view[i]));
        }
        tail = std::min(tail, kept - settings.keep_first);
    }
    return tail;
}

Planned halved_window(const View& view) {
    const std::size_t n = view.size();
    const auto first = static_cast<std::size_t>(
        std::find_if(view.begin(), view.end(), [](const MsgPtr& m) { return m && m->role == Role::user; }) -
        view.begin());
    if (first == n) return std::nullopt;
    const std::size_t essential = after_system(view) + (first >= after_system(view) ? 1 : 0);
    const std::size_t recent = std::max<std::size_t>(1, (n - std::min(n, essential)) / 2);
    std::size_t to = n - std::min(n, recent);
    while (to < n && !is_boundary(view, to)) ++to;
    if (to <= first + 1) return std::nullopt;
    CompactionPlan out = gives_up(first + 1, to, 0);
    out.asks_model = false;
    return out;
}

}  // namespace

std::uint64_t events(const Msg& message) {
    if (message.role != Role::assistant) return 1;
    const auto calls = std::count_if(message.blocks.begin(), message.blocks.end(),
                                     [](const Block& block) { return block.kind == BlockKind::tool_call; });
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(calls));
}

std::uint64_t events(const View& view) {
    std::uint64_t sum = 0;
    for (const MsgPtr& message : view) sum += message ? events(*message) : 0;
    return sum;
}

double tokens_of(const Condenser&, const Msg& message) { return static_cast<double>(message_json_units(message)) / 4; }

// The view is at most a few events longer than what triggers, so counting them costs little.
bool due(const Condenser& settings, const ContextSize& size, double) {
    if (size.refused) return true;
    if (settings.kind == Kind::window) return false;
    if (settings.max_tokens > 0 && size.billed > settings.max_tokens) return true;
    return size.view && !size.view->empty() &&
           static_cast<double>(events(*size.view)) + unseen_system(*size.view) > settings.max_events;
}

Planned plan(const Condenser& settings, const View& view, const ContextSize& size, double) {
    if (settings.kind == Kind::window) return halved_window(view);
    const auto seen = static_cast<double>(events(view));
    const double all = seen + unseen_system(view);
    const double tail = tail_of(settings, view, size, all);
    // Claude wants its thoughts back, each with the calls it was thought for.
    const bool bound = settings.kind == Kind::summarising && size.model.find("claude") != size.model.npos;
    const std::size_t from = boundary_after(view, kept_first(settings, view), bound);
    const std::size_t to = tail > 0 ? boundary_after(view, seen - std::min(seen, tail), bound) : view.size();
    const bool asks = settings.kind == Kind::summarising || settings.kind == Kind::structured;
    double going = 0;
    for (std::size_t i = from; i < to; ++i) going += view[i] ? static_cast<double>(events(*view[i])) : 0;
    if (tail < 0 || from >= to || going < settings.min_progress * all) {
        // A hard reset: everything is summarised.
        if (!size.refused || settings.kind != Kind::summarising || view.empty()) return std::nullopt;
        return gives_up(after_system(view), view.size(), settings.max_summary);
    }
    CompactionPlan out = gives_up(from, to, asks ? settings.max_summary : 0);
    out.asks_model = asks;
    return out;
}

}  // namespace agent_audit::simulator::openhands
