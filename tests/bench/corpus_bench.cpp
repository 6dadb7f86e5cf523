// What the other benchmarks share, and the cost of reading.
#include "corpus.hpp"

#include <agent_audit/support/hash.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace agent_audit::bench {
namespace {

class Nobody final : public EventSink {
public:
    void on_event(const Event&) override { ++events; }
    std::size_t events = 0;
};

class OutcomeCollector final : public EventSink {
public:
    explicit OutcomeCollector(std::vector<std::string>& out) : out_(out) {}
    void on_event(const Event& event) override {
        if (const auto* result = std::get_if<ToolResult>(&event.body)) out_.emplace_back(result->text.bytes);
    }

private:
    std::vector<std::string>& out_;
};

std::string load_recording() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(AGENT_AUDIT_BENCH_CORPUS)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::ranges::sort(files);
    std::ifstream in(files.at(0), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void frame(benchmark::State& state) {
    InputBuffers buffers;
    const InputLimits limits;
    for (auto _ : state) {
        const auto source = memory_input(recording(), 0, limits, buffers, limits.chunk_bytes);
        Record record;
        std::size_t records = 0;
        while (source->next(record) != RecordSource::Next::end) ++records;
        benchmark::DoNotOptimize(records);
    }
    state.SetBytesProcessed(std::int64_t(state.iterations() * recording().size()));
}
BENCHMARK(frame)->Unit(benchmark::kMillisecond);

void parse(benchmark::State& state) {
    InputBuffers buffers;
    Nobody nobody;
    for (auto _ : state) benchmark::DoNotOptimize(read_all(recording(), "claude-code", nobody, buffers));
    state.SetBytesProcessed(std::int64_t(state.iterations() * recording().size()));
    state.counters["events"] = double(nobody.events) / double(state.iterations());
}
BENCHMARK(parse)->Unit(benchmark::kMillisecond);

void hash(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(stable_hash(recording()));
    state.SetBytesProcessed(std::int64_t(state.iterations() * recording().size()));
}
BENCHMARK(hash)->Unit(benchmark::kMillisecond);

}  // namespace

const std::string& recording() {
    static const std::string bytes = load_recording();
    return bytes;
}

const std::vector<std::string>& outcomes() {
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> out;
        OutcomeCollector collector(out);
        InputBuffers buffers;
        read_all(recording(), "claude-code", collector, buffers);
        return out;
    }();
    return texts;
}

std::size_t read_all(std::string_view bytes, std::string_view format, EventSink& sink, InputBuffers& buffers) {
    const InputLimits limits;
    const auto source = memory_input(bytes, 0, limits, buffers, limits.chunk_bytes);
    const auto reader = find_reader(format)->make();
    std::size_t records = 0;
    for (Record record;;) {
        const auto next = source->next(record);
        if (next == RecordSource::Next::end) break;
        ++records;
        if (next == RecordSource::Next::record) benchmark::DoNotOptimize(reader->read(record, sink));
    }
    reader->finish(sink);
    return records;
}

}  // namespace agent_audit::bench
