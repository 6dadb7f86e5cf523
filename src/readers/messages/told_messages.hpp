#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>

namespace agent_audit::readers {

/// Libraries write down lists of messages: each may repeat the conversation so far, go on with it, or be another one.
/// The first message of a list tells. Two messages of one list are two, even if they say the same.
class ToldMessages {
public:
    void begin_list() { first_of_list_ = true; }

    struct Seen {
        bool repeated = false;     ///< an earlier list had it
        bool begins_anew = false;  ///< the first of a list that repeats none
    };

    /// `key` says what the message is, `dated` that no other run can have had the same: it has a time or an id.
    Seen look(std::uint64_t key, bool dated) {
        Seen seen;
        const bool known = told_.contains(key);
        if (std::exchange(first_of_list_, false)) {
            repeats_ = dated && known;
            seen.begins_anew = !repeats_;
        }
        repeats_ = repeats_ && known;
        seen.repeated = repeats_;
        if (!known) {
            if (told_.size() >= kMost) told_.clear();
            told_.insert(key);
        }
        return seen;
    }

private:
    static constexpr std::size_t kMost = 200'000;  // beyond it all are forgotten

    std::unordered_set<std::uint64_t> told_;
    bool first_of_list_ = false, repeats_ = false;
};

}  // namespace agent_audit::readers
