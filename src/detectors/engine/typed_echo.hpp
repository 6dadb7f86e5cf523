#pragma once

#include <agent_audit/model/text.hpp>

namespace agent_audit::detectors {

/// What a command line printed that was typed into a terminal: of the screen what stands behind its echo, without the
/// prompt that waits for the next one. All of the screen where the echo is not seen at a prompt. `typed`: the keys,
/// perhaps cut.
RawText behind_echo(RawText screen, RawText typed);

}  // namespace agent_audit::detectors
