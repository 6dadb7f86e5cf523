// What is done with every message and every piece of reasoning: the glance that tells whether it may chant.
#include "corpus.hpp"

#include "detectors/words/chant.hpp"
#include "support/repeat_probe.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace agent_audit::bench {
namespace {

/// Texts of `size` bytes, cut from the corpus.
std::vector<std::string> texts(std::size_t size) {
    std::string all;
    for (const std::string& text : outcomes()) {
        all += text;
        if (all.size() > (4u << 20)) break;
    }
    std::vector<std::string> out;
    for (std::size_t at = 0; at + size <= all.size(); at += size) out.push_back(all.substr(at, size));
    return out;
}

void glance(benchmark::State& state) {
    const auto list = texts(static_cast<std::size_t>(state.range(0)));
    std::int64_t bytes = 0, yes = 0;
    for (auto _ : state) {
        for (const std::string& text : list) {
            yes += may_repeat(text);
            bytes += std::int64_t(text.size());
        }
    }
    benchmark::DoNotOptimize(yes);
    state.SetBytesProcessed(bytes);
}
BENCHMARK(glance)->Arg(300)->Arg(1000)->Arg(4000)->Arg(20'000)->Arg(200'000)->ArgName("size");

void chant_in_words(benchmark::State& state) {
    const auto list = texts(static_cast<std::size_t>(state.range(0)));
    std::int64_t bytes = 0;
    for (auto _ : state) {
        for (const std::string& text : list) {
            benchmark::DoNotOptimize(detectors::find_chant_in_words({text, TextForm::json_string}));
            bytes += std::int64_t(text.size());
        }
    }
    state.SetBytesProcessed(bytes);
}
BENCHMARK(chant_in_words)->Arg(4000)->Arg(200'000)->ArgName("size");

}  // namespace
}  // namespace agent_audit::bench
