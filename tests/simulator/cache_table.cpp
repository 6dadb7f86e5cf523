#include <agent_audit/pipeline/stream.hpp>
#include <agent_audit/simulator/recorded_cache.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

// cache_table [--requests] INPUT...: what the cache model says of the requests of recordings, beside what was billed.

namespace {

using namespace agent_audit;
using simulator::CacheMiss;

void print_row(const char* name, const simulator::RecordedCache::Summary& s) {
    std::printf(
        "%-52.52s %8llu %12llu %12llu %12llu %7.2f %% %7.2f %%", name, static_cast<unsigned long long>(s.all.requests),
        static_cast<unsigned long long>(s.all.prompt), static_cast<unsigned long long>(s.all.recorded_read),
        static_cast<unsigned long long>(s.all.simulated_read), 100 * s.all.deviation().value_or(0),
        s.all.prompt == 0 ? 0 : 100 * static_cast<double>(s.first.difference) / static_cast<double>(s.all.prompt));
    for (std::size_t i = 1; i < simulator::kCacheMisses; ++i) {
        if (s.misses[i] == 0) continue;
        const std::string_view miss = simulator::name(static_cast<CacheMiss>(i));
        std::printf(" %.*s:%llu", static_cast<int>(miss.size()), miss.data(),
                    static_cast<unsigned long long>(s.misses[i]));
    }
    std::printf("%s%s\n", s.long_life ? " long-life" : "", s.all.contradicts() ? " contradicts" : "");
}

class Table final : public InputSink {
public:
    explicit Table(bool requests) : requests_(requests) {}

    void begin_input(const InputHead& input) override { path_ = input.path; }
    void on_event(const Event& event) override {
        if (const auto* start = std::get_if<SessionStart>(&event.body); start && !start->resumed) end_session();
        cache_.on_event(event);
    }
    void end_input(const IngestStats&) override { end_session(); }

    simulator::RecordedCache::Summary total;

private:
    void end_session() {
        const auto summary = cache_.finish();
        if (summary.all.requests == 0) return;
        print_row(path_.size() > 52 ? path_.c_str() + path_.size() - 52 : path_.c_str(), summary);
        total.all += summary.all;
        total.first += summary.first;
        for (std::size_t i = 0; i < simulator::kCacheMisses; ++i) total.misses[i] += summary.misses[i];
    }
    void on_request(const simulator::RecordedCacheUse& r) const {
        if (!requests_) return;
        const std::string_view miss = name(r.simulated.miss), reason = name(r.reason);
        std::printf("  line %llu lane %u prompt %llu recorded %llu simulated %llu%s%.*s%s%.*s\n",
                    static_cast<unsigned long long>(r.line), r.lane, static_cast<unsigned long long>(r.billed.prompt()),
                    static_cast<unsigned long long>(r.billed.cache_read),
                    static_cast<unsigned long long>(r.simulated.read), miss.empty() ? "" : " miss ",
                    static_cast<int>(miss.size()), miss.data(), r.missed ? " recorded miss " : "",
                    static_cast<int>(reason.size()), reason.data());
    }

    bool requests_;
    std::string path_;
    ModelTable models_ = ModelTable::shipped();
    simulator::RecordedCache cache_{models_, [this](const simulator::RecordedCacheUse& r) { on_request(r); }};
};

}  // namespace

int main(int argc, char** argv) {
    StreamPlan plan;
    bool requests = false;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--requests") == 0) {
            requests = true;
        } else {
            plan.inputs.emplace_back(argv[i]);
        }
    }
    if (plan.inputs.empty()) {
        std::fputs("usage: cache_table [--requests] INPUT...\n", stderr);
        return 2;
    }
    std::printf("%-52s %8s %12s %12s %12s %9s %9s recorded misses by reason\n", "session", "requests", "prompt", "read",
                "simulated", "deviation", "of first");
    Table table(requests);
    const auto outcome = stream_events(plan, table);
    if (!outcome) {
        std::fprintf(stderr, "cache_table: %s\n", outcome.error().message.c_str());
        return 2;
    }
    print_row("all", table.total);
    std::printf(
        "deviation: sum of |simulated - recorded read| / sum of prompts, no scaling by recorded hits. The model is "
        "told\n"
        "the time and the size of each recorded prompt, not what was read; \"of first\": the part of first requests,\n"
        "whose cache was filled by sessions that are not in the recording.\n");
    const bool within = table.total.all.deviation().value_or(1) <= simulator::CacheAgreement::kContradiction;
    std::printf("%s: %.2f %% of at most %.0f %%\n", within ? "pass" : "FAIL",
                100 * table.total.all.deviation().value_or(0), 100 * simulator::CacheAgreement::kContradiction);
    return within ? 0 : 1;
}
