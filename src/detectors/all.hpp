#pragma once

#include <agent_audit/detectors/detector.hpp>

namespace agent_audit::detectors {

// One line a rule; registry.cpp puts them into the table.
DetectorSpec budget_limits();
DetectorSpec loop_chanting();
DetectorSpec loop_cycle();
DetectorSpec loop_error_streak();
DetectorSpec loop_exact_repeat();
DetectorSpec loop_monologue();
DetectorSpec loop_monologue_near();
DetectorSpec loop_poll_no_progress();
DetectorSpec loop_same_error();
DetectorSpec loop_self_appending();

}  // namespace agent_audit::detectors
