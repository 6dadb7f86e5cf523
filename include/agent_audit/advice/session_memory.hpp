#pragma once

#include <agent_audit/advice/checkpoint.hpp>
#include <agent_audit/model/event.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

namespace agent_audit::advice {

/// Learns from the events of a session, one at a time, what would have to be told to a fresh one. What it knows depends
/// on the events so far and on nothing else, so a session that is cut gives the same as the whole at that place.
/// Bounded memory: fixed tables, of which the least useful entries go first. A later session of the same stream begins
/// anew.
class SessionMemory {
public:
    /// Applied to texts before they are cut: a secret that is cut may not be recognised any more.
    using TextFilter = std::function<std::string(std::string_view)>;

    explicit SessionMemory(TextFilter filter = {});
    ~SessionMemory();
    SessionMemory(SessionMemory&&) noexcept;
    SessionMemory& operator=(SessionMemory&&) noexcept;

    void on_event(const Event& event);

    /// All calls of the main conversation have their results.
    bool at_boundary() const;
    /// Responses of the model in the main conversation so far.
    std::uint64_t responses() const;
    /// The event begins another one, so what is known now ends at a boundary if at_boundary().
    bool begins_response(const Event& event) const;

    /// What is known now.
    Checkpoint checkpoint() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

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
    using Sink = std::function<void(const Checkpoint&)>;
    Checkpointer(CheckpointOptions options, Sink sink, SessionMemory::TextFilter filter = {});

    void on_event(const Event& event);
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
