#pragma once

#include "readers/codex/codex_payload.hpp"

#include <agent_audit/model/source.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace agent_audit::readers {

/// Requests whose own record was met (`token_usage_record`), and no running total (`token_count`) so far. Mostly one
/// follows; none does when the service compacted the history, when a compaction came to nothing, or when the program
/// was killed.
class CodexUntold {
public:
    struct Request {
        rollout::Counters counters;
        SourceSpan where;
        std::int64_t time_ms = kNoTime;
        std::uint64_t key = 0;  ///< as Usage::message_key
    };

    void met(const Request& request) {
        if (requests_.size() < kMost) requests_.push_back(request);
    }
    /// A running total has this request at its end. Gives those before it, which no total will tell any more.
    std::vector<Request> told(const rollout::Counters& last) {
        const auto at = std::ranges::find(requests_, last, &Request::counters);
        if (at == requests_.end()) return {};
        std::vector<Request> before(requests_.begin(), at);
        requests_.erase(requests_.begin(), at + 1);
        return before;
    }
    /// A turn begins or the recording ends: no total will tell any of them.
    std::vector<Request> rest() { return std::exchange(requests_, {}); }
    bool any() const { return !requests_.empty(); }

private:
    static constexpr std::size_t kMost = 64;
    std::vector<Request> requests_;
};

}  // namespace agent_audit::readers
