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

}  // namespace agent_audit::advice
