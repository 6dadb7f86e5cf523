#include "pipeline/audit/audit_run.hpp"

#include <agent_audit/support/jobs.hpp>

#include <algorithm>
#include <thread>

namespace agent_audit {

void in_threads(AuditRun& run, void (*work)(AuditRun&)) {
    run.order.emplace(run.paths);
    const std::size_t jobs = std::min<std::size_t>(thread_count(run.plan.jobs), run.order->shares());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < jobs; ++i) threads.emplace_back([&run, work] { work(run); });
    work(run);
}

}  // namespace agent_audit
