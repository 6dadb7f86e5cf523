#pragma once

#include <agent_audit/model/text.hpp>

#include <cstddef>

namespace agent_audit::detectors {

/// What a command line printed that was typed into a terminal: of the screen what stands behind its echo, without the
/// prompt that waits for the next one. All of the screen where the echo is not seen at a prompt. `typed`: the keys,
/// perhaps cut; all of them are `typed_bytes`.
RawText behind_echo(RawText screen, RawText typed, std::size_t typed_bytes);

/// The same of a tool that prints the command above what it printed, without a prompt: "ls src\na.ts".
RawText behind_command(RawText said, RawText command, std::size_t command_bytes);

}  // namespace agent_audit::detectors
