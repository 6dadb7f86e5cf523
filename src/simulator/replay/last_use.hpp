#pragma once

#include <agent_audit/simulator/session.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace agent_audit::simulator {

/// Until which request each message was of use: the model named something that stood in it, or asked again for what it
/// answered. What people and the system said counts as used to the end. A call and its results are of use together.
class LastUse {
public:
    /// `request`: number of the request of which the message is the answer, or that sees it next.
    void add(const Recorded& message, std::size_t request);
    /// No more messages.
    void finish();
    /// Places of messages that are of no use after this request, ascending. After finish().
    std::span<const std::uint32_t> gone_after(std::size_t request) const;

private:
    static constexpr std::size_t kMaxRemembered = 4u << 20;
    void use(std::size_t place, std::size_t request);

    std::unordered_map<std::uint64_t, std::uint32_t> newest_;    // identifier -> place of the newest message with it
    std::unordered_map<std::uint64_t, std::uint32_t> answered_;  // call -> place of its newest result
    std::vector<std::uint32_t> last_use_;
    std::vector<std::uint32_t> by_use_;  // places, by the request after which they go
    std::vector<std::uint32_t> asker_;   // place of the answer that a result belongs to; itself for others
    std::uint32_t answer_ = 0;
    bool any_answer_ = false;
};

}  // namespace agent_audit::simulator
