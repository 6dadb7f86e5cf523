#pragma once

#include <agent_audit/profiles/profile.hpp>

namespace agent_audit::profiles {

ProfileSpec browser_use();
ProfileSpec cline();
ProfileSpec crush();
ProfileSpec error_accumulation();
ProfileSpec gemini_cli();
ProfileSpec goose();
ProfileSpec last3_equals_previous3();
ProfileSpec openclaw();
ProfileSpec opencode();
ProfileSpec openhands();
ProfileSpec openhands_v0();
ProfileSpec qwen_code();
ProfileSpec qwen_code_heuristics();
ProfileSpec roo();
ProfileSpec same_type_3();
ProfileSpec sequence_hash();
ProfileSpec window_counter();

}  // namespace agent_audit::profiles
