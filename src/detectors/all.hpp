#pragma once

#include <agent_audit/detectors/detector.hpp>

namespace agent_audit::detectors {

// One line a rule; registry.cpp puts them into the table.
DetectorSpec budget_limits();
DetectorSpec constraint_command();
DetectorSpec constraint_limit();
DetectorSpec constraint_path();
DetectorSpec constraint_tool();
DetectorSpec context_bloat();
DetectorSpec context_cache_miss();
DetectorSpec context_compaction_thrash();
DetectorSpec context_oversized_result();
DetectorSpec context_reread();
DetectorSpec drift_abandoned_plan();
DetectorSpec drift_goal_forgotten();
DetectorSpec drift_goal_keywords();
DetectorSpec drift_goal_replaced();
DetectorSpec drift_instruction_violated();
DetectorSpec drift_local_optimum();
DetectorSpec drift_scope_expansion();
DetectorSpec drift_topic_switch();
DetectorSpec drift_unverified_done();
DetectorSpec drift_user_correction();
DetectorSpec loop_chanting();
DetectorSpec loop_cycle();
DetectorSpec loop_edit_oscillation();
DetectorSpec loop_edit_region_churn();
DetectorSpec loop_error_streak();
DetectorSpec loop_exact_repeat();
DetectorSpec loop_failed_retry();
DetectorSpec loop_file_sweep();
DetectorSpec loop_interleaved_repeat();
DetectorSpec loop_known_answers();
DetectorSpec loop_monologue();
DetectorSpec loop_monologue_near();
DetectorSpec loop_near_repeat();
DetectorSpec loop_node_visits();
DetectorSpec loop_poll_no_progress();
DetectorSpec loop_post_compaction_loop();
DetectorSpec loop_repeated_reply();
DetectorSpec loop_repeated_state();
DetectorSpec loop_replanning();
DetectorSpec loop_revisit_ratio();
DetectorSpec loop_reworded_search();
DetectorSpec loop_same_error();
DetectorSpec loop_self_appending();
DetectorSpec loop_stagnation();
DetectorSpec loop_stalled_fix();

}  // namespace agent_audit::detectors
