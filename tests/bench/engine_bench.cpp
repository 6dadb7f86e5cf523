// The loop engine per step: repetition runs and memory of what was seen alone, and the whole of it with all rules.
#include "detectors/engine/lane_track.hpp"

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/support/hash.hpp>

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

/// The steps of ordinary work as events: reads, searches, edits, commands and a test run now and then; one in twelve
/// fails, one in forty comes back.
class Work {
public:
    explicit Work(std::size_t steps) {
        for (std::size_t i = 0; i < steps; ++i) add(i);
    }
    std::size_t steps() const { return events_.size() / 2; }
    const std::vector<Event>& events() const { return events_; }

private:
    struct Texts {
        std::string id, args, primary, result;
    };

    void add(std::size_t i) {
        const std::size_t n = i % 40 == 39 ? i - 20 : i;
        const std::string number = std::to_string(n);
        Texts& t = *texts_.emplace_back(std::make_unique<Texts>());
        t.id = "call-" + std::to_string(i);
        const char* tool = "Bash";
        switch (n % 5) {
            case 0:
                tool = "Read";
                t.primary = "/home/noor/mill/src/part" + number + ".py";
                t.args = R"({"file_path":")" + t.primary + R"(","offset":)" + number + R"(,"limit":80})";
                break;
            case 1:
                tool = "Edit";
                t.primary = "/home/noor/mill/src/part" + std::to_string(n % 50) + ".py";
                t.args = R"({"file_path":")" + t.primary + R"(","old_string":"turn = )" + number +
                         R"(\\nreturn turn","new_string":"turn = )" + number + R"( + 1\\nreturn turn"})";
                break;
            case 2: t.primary = "grep -rn stone" + number + " src"; break;
            case 3: t.primary = "git show HEAD~" + number + " --stat"; break;
            default: t.primary = "npm test -- part" + number; break;
        }
        if (t.args.empty()) t.args = R"({"command":")" + t.primary + R"("})";
        t.result = n % 12 == 7 ? "Exit code 1\\nno such part: " + number : "part " + number + std::string(600, 'x');
        push(t, tool, n % 12 == 7);
    }

    void push(const Texts& t, std::string_view tool, bool failed) {
        const auto raw = [](std::string_view text) { return RawText{text, TextForm::json_string}; };
        ToolCall call;
        call.call_id = raw(t.id);
        call.name = raw(tool);
        call.args = {t.args, TextForm::json_value};
        call.primary = raw(t.primary);
        call.digest.canonical = mix_hash(stable_hash(tool), stable_hash(t.args));
        ToolResult result;
        result.call_id = call.call_id;
        result.text = raw(t.result);
        result.status = failed ? ResultStatus::error : ResultStatus::ok;
        put(call);
        put(result);
    }

    void put(EventBody body) {
        Event& event = events_.emplace_back();
        event.head.seq = event.head.where.line = events_.size();
        event.head.response = events_.size() / 2 + 1;
        if (!std::holds_alternative<ToolCall>(body)) event.head.response = 0;
        event.body = std::move(body);
    }

    std::vector<std::unique_ptr<Texts>> texts_;
    std::vector<Event> events_;
};

/// With the stable rules whose names begin so. A scan has each record in the cache when the engine sees it, and so has
/// this: ten times the steps would be twelve megabytes of events, and their way from memory a tenth of the figure.
void engine(benchmark::State& state, std::string_view group) {
    const Work work(1'000);
    std::vector<BoundDetector> rules;
    for (const DetectorSpec& spec : all_detectors()) {
        if (spec.stage == Stage::stable && spec.id.starts_with(group)) rules.push_back({&spec, *spec.bind(Settings{})});
    }
    SessionEngine engine(rules);
    const TokenCounts none;
    for (auto _ : state) {
        for (const Event& event : work.events()) engine.on_event(event, none, none);
        benchmark::DoNotOptimize(engine.finish());
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(work.steps()));
}
BENCHMARK_CAPTURE(engine, all, "")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, loops, "loop/")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(engine, none, "-")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace agent_audit::bench
