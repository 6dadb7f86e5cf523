#include "detectors/all.hpp"

#include <algorithm>
#include <array>

namespace agent_audit {

// The one list, sorted by id. Built on first use, so there is no static-initialisation order to fear.
std::span<const DetectorSpec> all_detectors() {
    static const std::array table{
        detectors::budget_limits(),
        detectors::constraint_command(),
        detectors::constraint_limit(),
        detectors::constraint_path(),
        detectors::constraint_tool(),
        detectors::context_bloat(),
        detectors::context_cache_miss(),
        detectors::context_compaction_thrash(),
        detectors::context_oversized_result(),
        detectors::context_reread(),
        detectors::drift_abandoned_plan(),
        detectors::drift_goal_forgotten(),
        detectors::drift_goal_keywords(),
        detectors::drift_goal_replaced(),
        detectors::drift_instruction_violated(),
        detectors::drift_local_optimum(),
        detectors::drift_scope_expansion(),
        detectors::drift_topic_switch(),
        detectors::drift_unverified_done(),
        detectors::drift_user_correction(),
        detectors::loop_chanting(),
        detectors::loop_cycle(),
        detectors::loop_edit_oscillation(),
        detectors::loop_edit_region_churn(),
        detectors::loop_error_streak(),
        detectors::loop_exact_repeat(),
        detectors::loop_failed_retry(),
        detectors::loop_file_sweep(),
        detectors::loop_interleaved_repeat(),
        detectors::loop_known_answers(),
        detectors::loop_monologue(),
        detectors::loop_monologue_near(),
        detectors::loop_near_repeat(),
        detectors::loop_node_visits(),
        detectors::loop_poll_no_progress(),
        detectors::loop_post_compaction_loop(),
        detectors::loop_repeated_reply(),
        detectors::loop_repeated_state(),
        detectors::loop_replanning(),
        detectors::loop_revisit_ratio(),
        detectors::loop_reworded_search(),
        detectors::loop_same_error(),
        detectors::loop_self_appending(),
        detectors::loop_stagnation(),
        detectors::loop_stalled_fix(),
    };
    return table;
}

const DetectorSpec* find_detector(std::string_view id) {
    const auto table = all_detectors();
    const auto found = std::ranges::lower_bound(table, id, {}, &DetectorSpec::id);
    return found != table.end() && found->id == id ? &*found : nullptr;
}

}  // namespace agent_audit
