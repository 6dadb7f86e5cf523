#pragma once

#include <agent_audit/simulator/message.hpp>

#include <cstdint>

namespace agent_audit::simulator::pi {

/// pi 0.87 adds all system messages up to one: their texts one after the other, of sections and tools the latest.
std::uint64_t system_tokens(const View& view);

}  // namespace agent_audit::simulator::pi
