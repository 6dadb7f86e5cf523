#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read_mastra(std::string_view text) { return test::read_text(readers::mastra(), text); }
std::string mastra_data(std::string_view name) { return slurp(test::source_dir() / "testdata/readers/mastra" / name); }

std::string span_of(std::string_view type, std::string_view id, std::string_view parent, std::string_view second,
                    std::string_view rest) {
    return fmt::format(
        R"({{"id":"{}","traceId":"trace","type":"{}","name":"n","parentSpanId":"{}","startTime":"2026-07-01T08:00:{}.000Z",{}}})"
        "\n",
        id, type, parent, second, rest);
}

TokenCounts tokens_of(std::string_view usage) {
    const auto seen = read_mastra(
        span_of("model_step", "s", "", "01", fmt::format(R"("attributes":{{"stepIndex":1,"usage":{}}})", usage)));
    REQUIRE(seen.events.usages.size() == 1);
    return seen.events.usages.front().tokens;
}

}  // namespace

TEST_SUITE("mastra") {
    TEST_CASE("a step with its inference is a request, the run around it none") {
        const auto seen = read_mastra(mastra_data("minimal.jsonl"));
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.those("Message") == Lines{"Message system/injected 'You look after a harbour.'",
                                             "Message user/human 'Which berth is free tonight?'",
                                             "Message assistant/agent 'Let me see.'",
                                             "Message assistant/agent 'Berth 4 is free.'"});
        CHECK(seen.those("ToolCall") == Lines{"ToolCall call_m1 list_berths 'today'"});
        CHECK(seen.those("ToolResult") == Lines{R"(ToolResult call_m1 ok '{"free":[4]}')"});
        REQUIRE(seen.events.usages.size() == 2);
        CHECK(seen.events.usages.front().tokens == TokenCounts{50, 0, 40, 12, 0});
        CHECK(seen.events.usages.back().tokens == TokenCounts{40, 0, 90, 7, 0});
    }

    TEST_CASE("what storage gives back is the same, under the id of the thread") {
        const auto lines = read_mastra(mastra_data("minimal.jsonl"));
        const auto stored = read_mastra(mastra_data("stored.json"));
        CHECK(stored.lines().front().find("id=thread-9") != std::string::npos);
        CHECK(stored.those("Message") == lines.those("Message"));
        CHECK(stored.those("Usage") == lines.those("Usage"));
        CHECK(stored.count("ToolResult") == 1);
    }

    TEST_CASE("a request is the same one in whatever was written of its run") {
        const auto keys = [](std::string_view name) {
            std::vector<std::uint64_t> all;
            for (const auto& usage : read_mastra(mastra_data(name)).events.usages) all.push_back(usage.message_key);
            return all;
        };
        CHECK(keys("minimal.jsonl") == keys("stored.json"));
        CHECK(keys("minimal.jsonl").front() == keys("events.jsonl").front());
        CHECK(keys("minimal.jsonl").front() != 0);
    }

    TEST_CASE(
        "a request has the same key whatever of it comes first, and its own one where the provider's id is short") {
        const auto read = [](std::string_view id, bool inference_first) {
            std::string text;
            for (const char* second : {"01", "05"}) {
                const std::string step = std::string("5111111111111101").replace(12, 2, second);
                const std::string outer = span_of("model_step", step, "", second, R"("attributes":{"stepIndex":1})");
                const std::string inner = span_of(
                    "model_inference", "6" + step.substr(1), step, second,
                    fmt::format(
                        R"("attributes":{{"responseId":"{}","usage":{{"inputTokens":9}}}},"output":{{"text":"a"}})",
                        std::string(id) + (id.size() > 8 ? second : "")));
                text += inference_first ? inner + outer : outer + inner;
            }
            const auto seen = read_mastra(text);
            std::vector<std::uint64_t> keys;
            for (const auto& usage : seen.events.usages) keys.push_back(usage.message_key);
            for (const auto& head : seen.events.heads)
                if (head.response != 0) keys.push_back(head.response);
            return keys;
        };
        for (const char* id : {"r-1", "resp-0123456789abcdef"}) {
            CAPTURE(id);
            const auto keys = read(id, true);
            REQUIRE(keys.size() >= 2);
            CHECK(keys[0] != 0);
            CHECK(keys[0] != keys[1]);
            CHECK(keys == read(id, false));
            CHECK(keys[2] != keys.back());
        }
    }

    TEST_CASE("the events of one span are one span, and one that was broken off is told as far as it came") {
        const auto seen = read_mastra(mastra_data("events.jsonl"));
        CHECK(seen.count("TurnStart") == 1);
        CHECK(seen.events.usages.size() == 1);
        CHECK(seen.those("ToolResult") == Lines{R"(ToolResult call_m1 ok '{"free":[4]}')"});
    }

    TEST_CASE("history, sub-agents, failures and what an agent asks aside") {
        const auto seen = read_mastra(mastra_data("full.json"));
        CHECK(seen.lines().front().find("id=thread-7") != std::string::npos);
        CHECK(seen.count("TurnStart") == 2);
        CHECK(seen.count("LaneOpen") == 2);
        CHECK(seen.those("ToolCall").size() == 3);
        CHECK(seen.those("ToolResult")[1] == "ToolResult call_f2 error 'no tug answers'");
        CHECK(seen.those("Notice").size() == 1);
        CHECK(seen.those("Notice").front().find("too many tokens in the prompt") != std::string::npos);
        CHECK(seen.events.usages.size() == 4);
        CHECK(seen.events.usages.front().tokens == TokenCounts{100, 100, 100, 30, 6});
    }

    TEST_CASE("a run without steps is the request, and its tools need no ids") {
        const auto seen = read_mastra(mastra_data("whole-run.jsonl"));
        CHECK(seen.those("ToolResult") == Lines{R"(ToolResult o3 ok '{"kg":12}')"});
        REQUIRE(seen.events.usages.size() == 1);
        CHECK(seen.events.usages.front().tokens == TokenCounts{40, 0, 30, 9, 4});
    }

    TEST_CASE("cached tokens are part of the input, unless there are more of them") {
        CHECK(tokens_of(R"({"inputTokens":90,"outputTokens":5,"inputDetails":{"cacheRead":40,"cacheWrite":20}})") ==
              TokenCounts{30, 20, 40, 5, 0});
        CHECK(tokens_of(R"({"inputTokens":90,"outputTokens":5,"cachedInputTokens":40})") ==
              TokenCounts{50, 0, 40, 5, 0});
        CHECK(tokens_of(R"({"inputTokens":9,"outputTokens":5,"cachedInputTokens":40})") == TokenCounts{9, 0, 40, 5, 0});
    }

    TEST_CASE("the marks of a step's input are nobody's words, and only the first step has a prompt") {
        const std::string input =
            R"("input":[{"role":"user","content":"go"},{"role":"assistant","content":"[tool: f]"},{"role":"tool","content":"[tool-result: f]"}])";
        const auto seen =
            read_mastra(span_of("model_step", "a", "gone", "01", R"("attributes":{"stepIndex":0},)" + input) +
                        span_of("model_step", "b", "gone", "02",
                                R"("attributes":{"stepIndex":1},"output":{"text":"so"},)" + input));
        CHECK(seen.those("Message") == Lines{"Message user/human 'go'", "Message assistant/agent 'so'"});
        CHECK(seen.count("ToolResult") == 0);
    }

    TEST_CASE("a request for a title that was broken off is no prompt of anybody") {
        const std::string asks = R"("input":{"messages":[{"role":"user","content":"go"}]})";
        const auto seen = read_mastra(span_of("agent_run", "r", "", "00", R"("input":"go")") +
                                      span_of("model_generation", "g", "r", "01", asks) +
                                      span_of("model_step", "s", "g", "02", R"("output":{"text":"so"})") +
                                      span_of("model_generation", "t", "r", "05", asks));
        CHECK(seen.count("TurnStart") == 1);
        CHECK(seen.those("Message") == Lines{"Message user/human 'go'", "Message assistant/agent 'so'"});
    }

    TEST_CASE("a tree has the spans that stand in it, and what Mastra asked for itself is billed") {
        const auto seen = read_mastra(mastra_data("tree.json"));
        CHECK(seen.those("Message") ==
              Lines{"Message user/human 'Which berth is free?'", "Message assistant/agent 'Berth 4 is free.'"});
        CHECK(seen.those("ToolCall") == Lines{"ToolCall call_m9 list_berths 'today'"});
        CHECK(seen.those("Usage") ==
              Lines{"Usage in=50 write=0 read=10 out=5 model=tide-2", "Usage in=70 write=0 read=30 out=9"});
        CHECK(seen.fates == std::vector{LineFate::understood});
        CHECK(score_text(readers::mastra(), mastra_data("tree.json")) == 98);
        const auto cut = read_mastra(mastra_data("tree.json").substr(0, 900));
        CHECK(cut.lines().empty());
    }

    TEST_CASE("fields of the wrong type are missing, and new kinds are said to be unknown") {
        const auto seen = read_mastra(mastra_data("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::missing_field, LineFate::missing_field, LineFate::unknown_kind,
                                        LineFate::understood, LineFate::missing_field, LineFate::malformed_json});
    }

    TEST_CASE("it is told from other traces") {
        for (const char* name : {"minimal.jsonl", "full.json", "stored.json", "events.jsonl", "whole-run.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::mastra(), mastra_data(name)) > 90);
            CHECK(score_text(readers::otel(), mastra_data(name)) < 90);
            CHECK(score_text(readers::langfuse(), mastra_data(name)) == 0);
        }
        for (const char* name : {"langfuse/full.json", "langfuse/minimal.jsonl", "langsmith/full.json"}) {
            CAPTURE(name);
            CHECK(score_text(readers::mastra(), slurp(test::source_dir() / "testdata/readers" / name)) == 0);
        }
    }
}
