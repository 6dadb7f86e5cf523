#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read_langfuse(std::string_view text) { return test::read_text(readers::langfuse(), text); }
std::string langfuse_data(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/langfuse" / name);
}

// A request whose input and usage are given.
std::string generation(std::string_view id, std::string_view input, std::string_view usage) {
    return fmt::format(
        R"({{"id":"{}","traceId":"t","type":"GENERATION","name":"n","startTime":"2026-06-01T10:00:01Z","input":{},"output":"so","usageDetails":{}}})",
        id, input, usage);
}

}  // namespace

TEST_SUITE("langfuse") {
    TEST_CASE("a trace is told in the order in which its observations began, each message once") {
        const auto seen = read_langfuse(langfuse_data("full.json"));
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.lines().front().find("id=desk-2") != std::string::npos);
        CHECK(seen.those("ToolCall") == Lines{"ToolCall call_l1 find_bag", "ToolCall o-7 print_tag"});
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult call_l1 ok 'belt 3'", "ToolResult o-7 error 'out of paper'"});
        CHECK(seen.count("TurnStart") == 1);
        CHECK(seen.count("LaneOpen") == 1);
    }

    TEST_CASE("what a trace told before it breaks counts, and the rest is said to be lost") {
        std::string trace = langfuse_data("full.json");
        const auto sixth = trace.find("\"o-6\"");
        REQUIRE(sixth != trace.npos);
        trace.insert(trace.find("\"startTime\"", sixth), 21, '\0');
        const auto seen = read_langfuse(trace);
        CHECK(seen.fates == std::vector{LineFate::partial});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult call_l1 ok 'belt 3'"});
        const auto page = read_langfuse(R"({"data":[)" + generation("g", R"("hi")", R"({"input":9,"output":1})") + "," +
                                        std::string(21, '\0') + R"({"id":"h"}],"meta":{}})");
        CHECK(page.fates == std::vector{LineFate::partial});
        CHECK(page.count("Usage") == 1);
    }

    TEST_CASE("exports spell names with _ and keep JSON in strings") {
        const auto seen = read_langfuse(langfuse_data("minimal.jsonl"));
        CHECK(seen.those("Message") == Lines{"Message system/injected 'You find lost luggage.'",
                                             "Message user/human 'Where is bag 7?'",
                                             "Message assistant/agent 'On belt 3.'"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult call_l1 ok 'belt 3'"});
        CHECK(seen.events.heads.back().time_ms > 0);
    }

    TEST_CASE("the total tells whether cached tokens are part of the input") {
        const auto tokens = [](std::string_view usage) {
            const auto seen = read_langfuse(generation("g", R"("hi")", usage));
            REQUIRE(seen.events.usages.size() == 1);
            return seen.events.usages.front().tokens;
        };
        CHECK(tokens(R"({"input":90,"input_cached_tokens":40,"output":12,"total":142})").input == 90);
        CHECK(tokens(R"({"input":90,"input_cached_tokens":40,"output":12,"total":102})").input == 50);
        CHECK(tokens(R"({"input":90,"cache_read_input_tokens":400,"output":12,"total":102})").input == 90);
        CHECK(tokens(R"({"input":90,"output":12})").total() == 102);
    }

    TEST_CASE("the total tells whether what was reasoned is part of the output") {
        const auto tokens = [](std::string_view usage) {
            const auto seen = read_langfuse(generation("g", R"("hi")", usage));
            REQUIRE(seen.events.usages.size() == 1);
            return seen.events.usages.front().tokens;
        };
        const auto beside =
            tokens(R"({"input":40,"input_cached_tokens":60,"output":13,"output_reasoning_tokens":7,"total":120})");
        CHECK(beside == agent_audit::TokenCounts{40, 0, 60, 20, 7});
        const auto inside =
            tokens(R"({"input":40,"input_cached_tokens":60,"output":13,"output_reasoning_tokens":7,"total":113})");
        CHECK(inside == agent_audit::TokenCounts{40, 0, 60, 13, 7});
        const auto more = tokens(R"({"input":40,"output":5,"output_reasoning_tokens":15})");
        CHECK(more == agent_audit::TokenCounts{40, 0, 0, 20, 15});
    }

    TEST_CASE("what was said may be words, a message, messages, or an object around them") {
        for (const char* input :
             {R"("Where?")", R"({"role":"user","content":"Where?"})", R"([{"role":"user","content":"Where?"}])",
              R"({"messages":[{"role":"user","content":"Where?"}],"temperature":0})",
              R"("[{\"role\":\"user\",\"content\":\"Where?\"}]")"}) {
            CAPTURE(input);
            const auto seen = read_langfuse(generation("g", input, "{}"));
            CHECK(seen.those("Message") == Lines{"Message user/human 'Where?'", "Message assistant/agent 'so'"});
        }
    }

    TEST_CASE("pages and single observations are told as what they are, other formats are not") {
        for (const char* name : {"full.json", "minimal.jsonl", "page.json", "bad-fields.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::langfuse(), langfuse_data(name)) > 90);
        }
        CHECK(read_langfuse(langfuse_data("page.json")).count("ToolResult") == 1);
        for (const char* other : {"langsmith/full.json", "langsmith/minimal.jsonl", "otel/minimal.json"}) {
            CAPTURE(other);
            CHECK(score_text(readers::langfuse(), slurp(test::source_dir() / "testdata/readers" / other)) == 0);
        }
    }

    TEST_CASE("every record has its fate") {
        CHECK(
            read_langfuse(langfuse_data("bad-fields.jsonl")).fates ==
            std::vector{LineFate::understood, LineFate::unknown_kind, LineFate::understood, LineFate::malformed_json});
    }
}
