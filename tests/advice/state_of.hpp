#pragma once

#include <agent_audit/advice/session_memory.hpp>

#include "support/recording.hpp"

#include <cstdint>

namespace agent_audit::test {

/// What is known at the end of a session, or behind one of its lines.
inline advice::Checkpoint state_of(const Recording& recording, std::uint64_t up_to = UINT64_MAX) {
    advice::SessionMemory memory;
    recording.tell(memory, up_to);
    return memory.checkpoint();
}

}  // namespace agent_audit::test
