#pragma once

#include "advice/prompt/prompt_sections.hpp"

namespace agent_audit::advice::prompt {

/// What is next: chosen by rule, never a sentence that happens to stand last.
Section next_step(const Checkpoint& state, const Words& words);

}  // namespace agent_audit::advice::prompt
