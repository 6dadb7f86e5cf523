#include <agent_audit/simulator/openclaw.hpp>

#include <algorithm>
#include <cmath>

namespace agent_audit::simulator::openclaw {
namespace {

bool by_user(const MsgPtr& message) { return has_user_role(message.get()); }

/// Where the last `turns` user turns after `first` begin; 0 when there are no more than that.
std::size_t start_of_last(const View& view, std::size_t first, double turns) {
    double seen = 0;
    std::size_t start = view.size();
    for (std::size_t i = view.size(); i-- > first;) {
        if (!by_user(view[i])) continue;
        if (++seen > turns) return start;
        start = i;
    }
    return 0;
}

}  // namespace

HistoryCut limit_history_2026_3(const View& view, double limit) {
    if (!(limit > 0)) return {};
    return {0, start_of_last(view, 0, limit)};
}

HistoryCut limit_history(const View& view, double limit) {
    if (!(limit > 0)) return {};
    const auto begins = [](const MsgPtr& message) {
        return by_user(message) || (message && message->role == Role::assistant);
    };
    const auto prelude = static_cast<std::size_t>(std::find_if(view.begin(), view.end(), begins) - view.begin());
    const auto users = static_cast<double>(std::count_if(view.begin(), view.end(), by_user));
    const double target = std::floor(limit);
    const double most = std::ceil(target * 1.5);
    if (users <= most) return {};
    const double batch = most - target + 1;
    const double keep = target + std::fmod(users - target, batch);
    return {prelude, start_of_last(view, prelude, keep)};
}

}  // namespace agent_audit::simulator::openclaw
