#pragma once

#include <agent_audit/model/event.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

/// What readers of request logs have in common: logs in which every request repeats its conversation.
namespace agent_audit::readers {

/// A conversation that later requests may repeat and go on with.
struct Conversation {
    /// Messages that are compared; a longer conversation is told from others no more.
    static constexpr std::size_t kMaxHashes = 65'536;

    std::vector<std::uint64_t> hashes;  ///< of its messages; empty = it is too long for that, or has none
    std::uint64_t session = 0;          ///< number of its session; 0 = the place is free
    std::uint32_t lane = 0;             ///< of a request beside the conversation of its session
    IdHash model = 0;                   ///< of the last request
    std::uint64_t tools = 0;            ///< what tells its tools from others: a hash of them, or their size
    std::uint64_t last_use = 0;
    bool calling = false;  ///< its last message is a recorded answer whose calls have no result yet
};

/// The conversations of one log that are told apart at a time: requests for titles and of sub-agents run between those
/// of the main one. Bounded: a new one takes the place of what may best be forgotten.
template <std::derived_from<Conversation> One>
class Conversations {
public:
    static constexpr std::size_t kMost = 16;

    std::array<One, kMost>& all() { return all_; }

    /// Which makes room. Most requests beside a conversation come once, so those without open calls go before the agent
    /// that waits.
    One& to_leave() {
        return *std::ranges::min_element(all_, {}, [](const One& one) {
            return std::pair(one.session != 0 && (one.lane == 0 || one.calling), one.last_use);
        });
    }

    /// A request for a title, or of a sub-agent, while the agent of the session `current` waits for the results of its
    /// calls. One by the same model with the same tools is the agent, begun anew. 0 = no model is named.
    bool is_beside(std::uint64_t current, IdHash model, std::uint64_t tools) const {
        if (current == 0 || model == 0) return false;
        return std::ranges::any_of(all_, [&](const One& one) {
            return one.session == current && one.calling && (one.model != model || one.tools != tools);
        });
    }

    /// A conversation that goes on with none of them, in this place: one beside that of the session `current`, or a
    /// session of its own (0).
    void open(One& one, std::uint64_t current) {
        one = One{};
        one.session = current != 0 ? current : ++sessions_;
        one.lane = current != 0 ? ++lanes_ : 0;
    }

    void use(One& one) { one.last_use = ++uses_; }

private:
    std::array<One, kMost> all_;
    std::uint64_t sessions_ = 0, uses_ = 0;
    std::uint32_t lanes_ = 0;
};

}  // namespace agent_audit::readers
