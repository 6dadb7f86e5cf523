#pragma once

#include "advice/calls/command_effects.hpp"

#include <agent_audit/advice/checkpoint.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::advice {

/// The commits of a session that are still there, and the branch that each was made on. Bounded: the oldest makes room.
class CommitBook {
public:
    struct Place {
        std::uint64_t line = 0;
        std::uint32_t turn = 0;
    };

    /// The agent went to a branch, by its name on one line.
    void went_to(std::string branch) { branch_ = std::move(branch); }
    /// A repository was made in a temporary directory: what is committed there is not the project's.
    void made_scratch(const std::string& directory);
    /// A command that commits has ended. Git tells each commit in `output`; where that is not recorded, or git was told
    /// to be quiet, the command's own words stand for it if it `worked`, and they go before what was printed. False:
    /// nothing was committed that is the project's.
    bool committed(const CommandEffects& effects, const std::string& output, bool worked, const Place& at);
    /// The last `count` are taken back, but none up to the line `sent`: others may have those.
    void take_back(std::size_t count, std::uint64_t sent);
    /// The commits of a deleted branch are gone with it, but for those up to the line `sent`.
    void drop_branch(std::string_view name, std::uint64_t sent);

    bool empty() const { return known_.empty(); }
    /// 0 = there is none.
    std::uint64_t last_line() const { return line_of_last(0); }
    /// Of the one before the last; 0 = there is none.
    std::uint64_t line_before_last() const { return line_of_last(1); }
    /// Into commits, the last one first.
    void tell(Checkpoint& out) const;

private:
    struct Known {
        Quote said;
        std::string branch;  // as git told it
    };
    std::uint64_t line_of_last(std::size_t ago) const;

    std::vector<Known> known_;
    std::vector<std::string> scratch_;  // temporary directories in which a repository was made
    std::string branch_;                // that the agent went to last; empty = where it began
};

}  // namespace agent_audit::advice
