#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>

namespace agent_audit::convert {

/// Ids for calls of formats that have none, and the call a result without an id answers.
class CallIds {
public:
    /// The id a call goes by from here on.
    std::string open(std::string recorded) {
        if (recorded.empty()) recorded = "call_" + std::to_string(++invented_);
        if (open_.size() == kOpen) open_.pop_front();
        open_.push_back(recorded);
        return recorded;
    }
    /// The call a result belongs to: the one it names, else the oldest one that waits. Empty when there is none.
    std::string answer(std::string recorded) {
        const auto at = recorded.empty() ? open_.begin() : std::ranges::find(open_, recorded);
        if (at == open_.end()) return recorded;
        std::string id = std::move(*at);
        open_.erase(at);
        return id;
    }

private:
    static constexpr std::size_t kOpen = 1024;  // no recording has a dozen

    std::deque<std::string> open_;
    std::uint64_t invented_ = 0;
};

}  // namespace agent_audit::convert
