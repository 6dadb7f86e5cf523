#pragma once

#include <agent_audit/advice/checkpoint.hpp>
#include <agent_audit/advice/session_memory.hpp>
#include <agent_audit/model/event.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace agent_audit::advice {

/// When checkpoints are taken.
struct CheckpointOptions {
    std::uint64_t every = 10;  ///< responses of the model; 0 = not by number
    bool before_risks = true;  ///< before commands that destroy or publish, and before compactions
    std::size_t most = 1000;   ///< in a session; beyond that none is taken
};

/// True for a command that cannot be taken back, or that others will see: rm -rf, git reset --hard, git push, …
bool is_risky_command(std::string_view command);

/// A SessionMemory that hands out checkpoints at an interval and before risky points. Never looks ahead.
class Checkpointer {
public:
    /// Gets each checkpoint when it is taken.
    using Sink = std::function<void(const Checkpoint&)>;
    /// `filter` as in SessionMemory.
    Checkpointer(CheckpointOptions options, Sink sink, SessionMemory::TextFilter filter = {});

    /// The next event of the session; a checkpoint before it is handed out before it is remembered.
    void on_event(const Event& event);
    /// All that is known so far, whether a checkpoint was taken of it or not.
    const SessionMemory& memory() const { return memory_; }

private:
    void take(CheckpointReason reason, std::string risk);

    CheckpointOptions options_;
    Sink sink_;
    SessionMemory memory_;
    std::uint64_t last_ = 0;  // responses at the last one
    std::uint64_t last_line_ = 0;
    std::uint64_t taken_ = 0;
};

}  // namespace agent_audit::advice
