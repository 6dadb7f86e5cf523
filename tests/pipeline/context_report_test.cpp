#include "pipeline/files.hpp"
#include "pipeline/watches/request_watch.hpp"
#include "support/places.hpp"

#include <agent_audit/pipeline/audit.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

using namespace agent_audit;
namespace fs = std::filesystem;

namespace {

Report audited(const std::string& file, Settings settings = {}) {
    AuditPlan plan;
    plan.inputs = {(fs::path(test::project_folder()) / "testdata/detectors" / file).string()};
    plan.settings = std::move(settings);
    auto report = audit(plan);
    REQUIRE(report.has_value());
    REQUIRE(report->sessions.size() == 1);
    return std::move(*report);
}

}  // namespace

TEST_SUITE("context of a session") {
    TEST_CASE("the window is that of the model, and prompts are those recorded") {
        const ContextReport context = audited("context-bloat/fires.jsonl").sessions[0].context;
        REQUIRE(context.lanes.size() == 1);
        const LaneContext& lane = context.lanes[0];
        CHECK(lane.window == 200'000);
        CHECK(lane.peak == 146'000);
        CHECK(lane.requests == 62);
        CHECK(std::accumulate(lane.parts.begin(), lane.parts.end(), std::uint64_t{0}) == lane.peak);
    }

    TEST_CASE("a window that only the last line of a stream tells is the one of all its requests") {
        const auto said = [](std::string_view id, std::string_view parent, std::string_view model) {
            return fmt::format(
                R"({{"type":"assistant","session_id":"st","parent_tool_use_id":{},"message":{{"id":"{}",)"
                R"("model":"{}","role":"assistant","content":[{{"type":"text","text":"x"}}],)"
                R"("usage":{{"input_tokens":9000,"output_tokens":1}}}}}})"
                "\n",
                parent, id, model);
        };
        const auto window_of = [](const std::string& lines, std::uint32_t number) {
            const test::Folder folder;
            AuditPlan plan;
            plan.inputs = {folder.write("stream.jsonl", lines)};
            const auto report = audit(plan);
            REQUIRE(report.has_value());
            REQUIRE(report->sessions.size() == 1);
            const std::vector<LaneContext>& lanes = report->sessions[0].context.lanes;
            const auto lane = std::ranges::find(lanes, number, &LaneContext::lane);
            return lane == lanes.end() ? 0 : lane->window;
        };
        const std::string begins =
            R"({"type":"system","subtype":"init","session_id":"st","cwd":"/w","model":"claude-sonnet-4-5"})"
            "\n";
        const std::string told = begins + said("msg_01A", "null", "claude-sonnet-4-5") +
                                 said("msg_01B", R"("toolu_01A")", "claude-sonnet-4-5");
        const std::string ends =
            R"({"type":"result","subtype":"success","session_id":"st","num_turns":1,"modelUsage":)"
            R"({"claude-sonnet-4-5":{"inputTokens":18000,"outputTokens":2,"contextWindow":150000}}})"
            "\n";
        REQUIRE(window_of(told, 0) == 1'000'000);
        CHECK(window_of(told + ends, 0) == 150'000);
        CHECK(window_of(told + ends, 1) == 150'000);
        // What goes on behind the result is known to have it from the start; a helper of another model keeps its own.
        const std::string helped = told + ends + said("msg_01C", "null", "claude-sonnet-4-5") +
                                   said("msg_01D", R"("toolu_01B")", "claude-haiku-4-5");
        CHECK(window_of(helped, 0) == 150'000);
        CHECK(window_of(helped, 2) == 200'000);
    }

    TEST_CASE("the dearest requests are told with their place, dearest first") {
        const Report report = audited("context-cache-miss/fires.jsonl");
        const auto& dearest = report.sessions[0].context.dearest;
        REQUIRE(dearest.size() == 3);
        for (std::size_t i = 1; i < dearest.size(); ++i) CHECK(dearest[i - 1].cost.parts() >= dearest[i].cost.parts());
        CHECK(dearest[0].tokens.cache_write == 150'000);
        CHECK(dearest[0].line > 0);
    }

    TEST_CASE("requests cost together what the session costs") {
        Settings settings;
        settings.set("budget/limits.max-cost", {"0.000001", "test"});
        const Report report = audited("context-cache-miss/fires.jsonl", std::move(settings));
        const auto limit = std::ranges::find(report.findings, "budget/limits", &Finding::rule);
        REQUIRE(limit != report.findings.end());
        REQUIRE(report.tokens.cost.micro_dollars());
        // The last request's output may have grown after it was seen.
        CHECK(limit->repeats <= *report.tokens.cost.micro_dollars());
        CHECK(limit->repeats * 100 >= *report.tokens.cost.micro_dollars() * 99);
    }

    TEST_CASE("sessions without recorded usage have no context") {
        const Report report = audited("loop-near-repeat/fires.jsonl");
        for (const SessionReport& session : report.sessions) {
            CHECK((session.tokens.source == TokensSource::reported) == !session.context.lanes.empty());
        }
    }
}

TEST_SUITE("request watch") {
    Event billed(std::uint64_t key, std::uint64_t prompt, std::uint64_t output, std::uint16_t flags = 0,
                 std::string_view model = "claude-haiku-4-5") {
        Event event;
        event.head.where.line = key;
        event.head.flags = flags;
        Usage usage;
        usage.mode = UsageMode::replace;
        usage.message_key = key;
        usage.tokens.input = prompt;
        usage.tokens.output = output;
        usage.model = {model, TextForm::plain};
        event.body = usage;
        return event;
    }

    struct Watched {
        ModelTable models = ModelTable::shipped();
        TokenLedger ledger;
        RequestWatch watch{&models};

        const RequestFigures* hear(const Event& event) {
            ledger.on_event(event);
            return watch.on_usage(event, std::get<Usage>(event.body), ledger);
        }
    };

    TEST_CASE("a prompt that is longer than its model's window makes the window unknown") {
        Watched w;
        const RequestFigures* usual = w.hear(billed(1, 150'000, 1));
        REQUIRE(usual);
        CHECK(usual->window == 200'000);
        const RequestFigures* longer = w.hear(billed(2, 250'000, 1));
        REQUIRE(longer);
        CHECK(longer->window == 0);
    }

    TEST_CASE("a history that is compacted by itself tells which of two windows was in use") {
        const auto window_behind = [](CompactionTrigger trigger, std::uint64_t tokens_before, std::string_view model) {
            Watched w;
            REQUIRE(w.hear(billed(1, 150'000, 1, 0, model)));
            Event compacted;
            Compaction body;
            body.trigger = trigger;
            body.tokens_before = tokens_before;
            compacted.body = body;
            w.watch.hear(compacted);
            const RequestFigures* next = w.hear(billed(2, 30'000, 1, 0, model));
            REQUIRE(next);
            const std::uint64_t window = next->window;
            const RequestFigures* longer = w.hear(billed(3, 300'000, 1, 0, model));
            REQUIRE(longer);
            CHECK(longer->window != 200'000);
            return window;
        };
        CHECK(window_behind(CompactionTrigger::automatic, 168'000, "claude-opus-4-6") == 200'000);
        CHECK(window_behind(CompactionTrigger::manual, 168'000, "claude-opus-4-6") == 1'000'000);
        CHECK(window_behind(CompactionTrigger::automatic, 830'000, "claude-opus-4-6") == 1'000'000);
        CHECK(window_behind(CompactionTrigger::automatic, 168'000, "gemini-2.5-pro") == 1'048'576);
    }

    TEST_CASE("a response that is recorded again while it grows is one request, and its last cost counts") {
        Watched w;
        REQUIRE(w.hear(billed(1, 1000, 1)));
        CHECK_FALSE(w.hear(billed(1, 1000, 1)));
        CHECK_FALSE(w.hear(billed(1, 1000, 2000)));
        const RequestFigures* next = w.hear(billed(2, 1000, 0));
        REQUIRE(next);
        CHECK(next->session_cost->micro_dollars() == 1000 + 2000 * 5 + 1000);
        const auto dearest = w.watch.finish(w.ledger);
        REQUIRE(dearest.size() == 2);
        CHECK(dearest[0].tokens.output == 2000);
    }

    TEST_CASE("what a session tells beyond its responses costs, and is neither a prompt nor a request to be named") {
        const auto of_session = [](Event event, UsageMode mode) {
            auto& usage = std::get<Usage>(event.body);
            usage.scope = UsageScope::session;
            usage.mode = mode;
            return event;
        };
        Watched w;
        REQUIRE(w.hear(billed(1, 1000, 1)));
        REQUIRE(w.hear(billed(2, 1000, 1)));
        CHECK_FALSE(w.hear(of_session(billed(2, 90'000, 1), UsageMode::replace)));
        CHECK_FALSE(w.hear(of_session(billed(3, 50'000, 0), UsageMode::add)));
        CHECK(w.watch.session_cost(w.ledger)->micro_dollars() == 1000 + 5 + 90'000 + 5 + 50'000);
        CHECK(w.watch.finish(w.ledger).size() == 1);
    }

    TEST_CASE("copied history begins no request") {
        Watched w;
        CHECK_FALSE(w.hear(billed(1, 1000, 1, kCopied)));
        CHECK(w.hear(billed(2, 1000, 1)));
    }

    TEST_CASE("models without a price have no cost, which is not none") {
        Watched w;
        Event event = billed(1, 1000, 1);
        std::get<Usage>(event.body).model = {"a-model-nobody-knows", TextForm::plain};
        const RequestFigures* figures = w.hear(event);
        REQUIRE(figures);
        CHECK_FALSE(figures->session_cost.has_value());
        CHECK(w.watch.finish(w.ledger).empty());
    }

    TEST_CASE("one session's requests and models are not the next one's") {
        Watched w;
        REQUIRE(w.hear(billed(1, 1000, 1)));
        w.watch.finish(w.ledger);
        w.ledger.finish();
        const RequestFigures* first = w.hear(billed(2, 2000, 0));
        REQUIRE(first);
        CHECK(first->session_cost->micro_dollars() == 2000);
    }
}
