#include <agent_audit/simulator/recorded_cache.hpp>
#include <agent_audit/tokens/estimate.hpp>

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::simulator;

namespace {

constexpr std::string_view kModel = "claude-sonnet-4-5";

// A recording of one lane, event by event.
struct Recording {
    ModelTable models = ModelTable::shipped();
    std::vector<RecordedCacheUse> uses;
    RecordedCache cache{models, [this](const RecordedCacheUse& use) { uses.push_back(use); }};
    std::int64_t time_ms = 1'000'000;
    std::uint64_t seq = 0;
    IdHash response = 0;
    std::vector<std::string> names;

    void send(EventBody body, std::string_view record = {}, std::uint32_t lane = 0) {
        Event event;
        event.head.seq = ++seq;
        event.head.time_ms = time_ms;
        event.head.response = response;
        event.head.record_id = record;
        event.head.lane = lane;
        event.body = std::move(body);
        cache.on_event(event);
    }
    void user(std::string_view text = "Please do this.", std::string_view record = {}) {
        response = 0;
        send(Message{Role::user, Origin::human, {text, TextForm::plain}}, record);
    }
    void result(std::string_view id, std::string_view text = "fine") {
        response = 0;
        ToolResult r;
        r.call_id = {id, TextForm::plain};
        r.text = {text, TextForm::plain};
        send(r);
    }
    void answer(TokenCounts billed, std::string_view model = kModel, std::string_view record = {}) {
        response = 1000 + seq;
        send(Message{Role::assistant, Origin::agent, {"I do.", TextForm::plain}}, record);
        Usage usage;
        usage.mode = UsageMode::replace;
        usage.tokens = billed;
        usage.model = {model, TextForm::plain};
        send(usage);
    }
    void pause(double seconds) { time_ms += static_cast<std::int64_t>(1000 * seconds); }
};

}  // namespace

TEST_SUITE("recorded cache") {
    TEST_CASE("the prompt before is read; the model never learns what was read") {
        for (const std::uint64_t read : {0, 5000}) {
            Recording r;
            r.user();
            r.answer({5000 - read, 0, read, 7, 0});
            r.user();
            r.answer({100, 900, 5000, 7, 0});
            r.cache.finish();
            REQUIRE(r.uses.size() == 2);
            CHECK(r.uses[0].first);
            CHECK(r.uses[0].simulated.read == 0);
            CHECK(r.uses[1].simulated.read == 5000);
            CHECK(r.uses[1].simulated.prompt() == 6000);
            CHECK_FALSE(r.uses[1].missed);
        }
    }
    TEST_CASE("deviation is over all requests, and the first one's part is told apart") {
        Recording r;
        r.user();
        r.answer({0, 0, 5000, 7, 0});
        r.user();
        r.answer({1000, 0, 4000, 7, 0});
        const auto summary = r.cache.finish();
        CHECK(summary.all.requests == 2);
        CHECK(summary.all.difference == 6000);
        CHECK(summary.first.difference == 5000);
        CHECK(summary.all.deviation() == doctest::Approx(0.6));
    }
    TEST_CASE("a recorded miss after a long pause is explained by the pause, one without by nothing") {
        for (const bool pause : {true, false}) {
            Recording r;
            r.user();
            r.answer({5000, 0, 0, 7, 0});
            if (pause) r.pause(301);
            r.user();
            r.answer({0, 6000, 0, 7, 0});
            const auto summary = r.cache.finish();
            CHECK(r.uses[1].missed);
            CHECK(name(r.uses[1].reason) == (pause ? "ttl" : "unknown"));
            CHECK(summary.missed_tokens[static_cast<std::size_t>(r.uses[1].reason)] == 5000);
        }
    }
    TEST_CASE("a read after a pause that the shorter life does not outlast proves the longer one from then on") {
        Recording r;
        r.user();
        r.answer({5000, 0, 0, 7, 0});
        for (int i = 0; i < 2; ++i) {
            r.pause(601);
            r.user();
            r.answer({0, 500, 5000 + 500ULL * static_cast<std::uint64_t>(i), 7, 0});
        }
        const auto summary = r.cache.finish();
        CHECK(summary.long_life);
        CHECK(r.uses[1].simulated.read == 0);
        CHECK(r.uses[2].simulated.read == 5500);
    }
    TEST_CASE("a changed model is the reason of a miss") {
        Recording r;
        r.user();
        r.answer({5000, 0, 0, 7, 0});
        r.user();
        r.answer({0, 6000, 0, 7, 0}, "claude-opus-4-1");
        r.cache.finish();
        CHECK(name(r.uses[1].reason) == "model_change");
    }
    TEST_CASE("after a compaction only what stands before the messages is read") {
        Recording r;
        r.user("hello");
        r.answer({20'000, 0, 0, 7, 0});
        Compaction compaction;
        compaction.keep = Keep::none;
        r.send(compaction);
        r.user("summary");
        r.answer({0, 22'000, 0, 7, 0});
        r.cache.finish();
        CHECK(name(r.uses[1].simulated.miss) == "edit");
        CHECK(r.uses[1].simulated.read == 20'000 - estimate_tokens({"hello", TextForm::plain}) - 4);
        CHECK(name(r.uses[1].reason) == "edit");
    }
    TEST_CASE("a prompt that shrinks for no recorded reason was edited") {
        Recording r;
        r.user(std::string(40'000, 'x'));
        r.answer({20'000, 0, 0, 7, 0});
        r.user();
        r.answer({0, 15'000, 0, 7, 0});
        r.cache.finish();
        CHECK(name(r.uses[1].simulated.miss) == "edit");
        CHECK(r.uses[1].simulated.prompt() == 15'000);
    }
    TEST_CASE("cleared results cut the prefix where the first of them stands") {
        Recording r;
        r.user("hello");
        r.answer({20'000, 0, 0, 7, 0});
        r.result("one");
        r.answer({100, 0, 20'000, 7, 0});
        r.result("two");
        r.answer({100, 0, 20'100, 7, 0});
        Compaction compaction;
        compaction.kind = CompactionKind::clear_tool_results;
        compaction.keep = Keep::ids;
        compaction.ids = {R"(["two"])", TextForm::json_value};
        r.send(compaction);
        r.user();
        r.answer({0, 0, 20'100, 7, 0});
        r.cache.finish();
        CHECK(name(r.uses[3].simulated.miss) == "edit");
        CHECK(r.uses[3].simulated.read < 20'200);
    }
    TEST_CASE("a rewind returns to a prefix that is still alive") {
        Recording r;
        r.user("hello", "first");
        r.answer({20'000, 0, 0, 7, 0}, kModel, "answer");
        r.user("more");
        r.answer({1000, 0, 20'000, 7, 0});
        r.send(Rewind{RewindTarget::to_record, "first", 0});
        r.user("other");
        r.answer({500, 0, 20'000, 7, 0});
        r.cache.finish();
        CHECK(r.uses[2].simulated.read == 20'000);
    }
    TEST_CASE("lanes are conversations of their own") {
        Recording r;
        r.user();
        r.answer({5000, 0, 0, 7, 0});
        r.response = 1;
        r.send(Message{Role::assistant, Origin::agent, {"x", TextForm::plain}}, {}, 2);
        Usage usage;
        usage.mode = UsageMode::replace;
        usage.tokens = {0, 5000, 0, 7, 0};
        usage.model = {kModel, TextForm::plain};
        r.send(usage, {}, 2);
        r.cache.finish();
        REQUIRE(r.uses.size() == 2);
        CHECK(r.uses[1].first);
    }
    TEST_CASE("a session can follow another") {
        Recording r;
        r.user();
        r.answer({5000, 0, 0, 7, 0});
        CHECK(r.cache.finish().all.requests == 1);
        CHECK(r.cache.finish().all.requests == 0);
        r.user();
        r.answer({5000, 0, 0, 7, 0});
        r.cache.finish();
        CHECK(r.uses[1].simulated.read == 0);
    }
}
