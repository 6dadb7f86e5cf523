#pragma once

#include <agent_audit/detectors/detector.hpp>

namespace agent_audit::detectors {

// One line a rule; registry.cpp puts them into the table.
DetectorSpec budget_limits();
DetectorSpec loop_cycle();
DetectorSpec loop_error_streak();
DetectorSpec loop_exact_repeat();
DetectorSpec loop_failed_retry();
DetectorSpec loop_poll_no_progress();
DetectorSpec loop_reworded_search();
DetectorSpec loop_same_error();

}  // namespace agent_audit::detectors
