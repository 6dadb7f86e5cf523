// What is done with every byte of every tool result: the digest without its volatile parts, the token estimate.
#include "corpus.hpp"

#include "detectors/outcomes/outcome.hpp"

#include <agent_audit/tokens/estimate.hpp>

#include <benchmark/benchmark.h>

namespace agent_audit::bench {
namespace {

template <class Work>
void over_outcomes(benchmark::State& state, const Work& work) {
    std::int64_t bytes = 0;
    for (auto _ : state) {
        for (const std::string& text : outcomes()) {
            benchmark::DoNotOptimize(work(RawText{text, TextForm::json_string}));
            bytes += std::int64_t(text.size());
        }
    }
    state.SetBytesProcessed(bytes);
}

void outcome_digest(benchmark::State& state) {
    over_outcomes(state, [](RawText text) { return detectors::digest_outcome(text, false).hash; });
}
BENCHMARK(outcome_digest)->Unit(benchmark::kMillisecond);

void outcome_error_key(benchmark::State& state) {
    over_outcomes(state, [](RawText text) { return detectors::error_key(text); });
}
BENCHMARK(outcome_error_key)->Unit(benchmark::kMillisecond);

void token_estimate(benchmark::State& state) {
    over_outcomes(state, [](RawText text) { return estimate_tokens(text); });
}
BENCHMARK(token_estimate)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace agent_audit::bench
