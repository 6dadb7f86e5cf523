#pragma once

#include <agent_audit/advice/checkpoint.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// Calls that bring the same answer again and again. A stretch of them ends when anything changes: a file, the answer
/// of any other call that was seen before, or what a person or the program around the agent asks for. Bounded.
class RepeatBook {
public:
    struct Call {
        std::uint64_t identity = 0;  ///< tool and arguments
        std::uint64_t outcome = 0;
        std::string_view tool, words;
        std::uint64_t first_line = 0, line = 0;
        std::uint32_t turn = 0;
        bool may_change = false;  ///< what it does to the world is not known: the first of its kind counts as a change
    };
    void told(const Call& call);
    /// Something was changed.
    void changed() { ++epoch_; }
    /// What repeats from here on was asked for.
    void asked();

    std::vector<Repetition> list() const;

private:
    struct Known {
        Repetition longest;
        std::uint64_t identity = 0, outcome = 0, epoch = 0;
        std::uint64_t run = 0, first_line = 0, last_line = 0;
    };
    std::vector<Known> known_;
    std::uint64_t epoch_ = 0;
};

}  // namespace agent_audit::advice
