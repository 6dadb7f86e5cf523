// The loop engine per step: repetition runs, memory of what was seen.
#include "detectors/engine/lane_track.hpp"

#include <agent_audit/support/hash.hpp>

#include <benchmark/benchmark.h>

namespace agent_audit::bench {
namespace {

/// A healthy lane: few steps come back. With `period`, every step does.
Step make_step(std::uint64_t number, std::uint64_t period) {
    const std::uint64_t symbol = period ? number % period : number % 97 == 0 ? 0 : number;
    Step step;
    step.tool = mix_hash(symbol % 7, 1);
    step.call = mix_hash(symbol, 2);
    step.out = mix_hash(symbol, 4);
    step.call_at.line = step.result_at.line = number + 1;
    return step;
}

void steps(benchmark::State& state) {
    LaneTrack lane(0);
    std::uint64_t number = 0;
    for (auto _ : state) {
        Step step = make_step(number++, std::uint64_t(state.range(0)));
        benchmark::DoNotOptimize(lane.push(step));
        benchmark::DoNotOptimize(lane.runs().period());
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(steps)->Arg(0)->Arg(1)->Arg(5)->ArgName("period");

}  // namespace
}  // namespace agent_audit::bench
