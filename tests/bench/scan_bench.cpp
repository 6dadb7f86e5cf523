// The whole scan, as another program would call it.
#include <agent_audit/pipeline/audit.hpp>

#include <benchmark/benchmark.h>

namespace agent_audit::bench {
namespace {

void scan(benchmark::State& state) {
    AuditPlan plan;
    plan.inputs = {AGENT_AUDIT_BENCH_CORPUS};
    plan.jobs = unsigned(state.range(0));
    std::uint64_t bytes = 0;
    for (auto _ : state) {
        const auto report = audit(plan);
        bytes += report->ingest.bytes;
    }
    state.SetBytesProcessed(std::int64_t(bytes));
}
BENCHMARK(scan)->Arg(1)->Arg(2)->ArgName("jobs")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace agent_audit::bench
