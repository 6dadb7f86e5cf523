#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read_weave(std::string_view text) { return test::read_text(readers::weave(), text); }
std::string weave_data(std::string_view name) { return slurp(test::source_dir() / "testdata/readers/weave" / name); }

// A call of a trace, and what stands in it beside the ids.
std::string weave_call(std::string_view id, std::string_view op, std::string_view fields) {
    return fmt::format(
        R"({{"id":"{}","trace_id":"t","op_name":"weave:///a/b/op/{}:d","started_at":"2026-11-01T10:00:01Z",{}}})", id,
        op, fields);
}

}  // namespace

TEST_SUITE("weave") {
    TEST_CASE("a thread of calls is a session, and each request counts once") {
        const auto seen = read_weave(weave_data("full.jsonl"));
        CHECK(seen.lines().front().find("id=beds-1") != std::string::npos);
        CHECK(seen.those("ToolCall") == Lines{"ToolCall call_b1 read_sensor", "ToolCall call_b2 open_valve"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult call_b1 ok '{\"moisture\": 11}'",
                                                "ToolResult call_b2 error 'valve 4 does not answer'"});
        REQUIRE(seen.events.usages.size() == 3);
        CHECK(seen.events.usages[1].tokens == TokenCounts{50, 0, 40, 14, 0, 0});
        CHECK(seen.events.usages[1].cost_microusd == 300);
    }

    TEST_CASE("a page is told in the order in which the calls began") {
        const auto seen = read_weave(weave_data("page.json"));
        CHECK(seen.those("ToolResult") == Lines{"ToolResult call_b1 ok '{\n    \"moisture\": 11\n   }'"});
        CHECK(seen.those("ToolCall") == Lines{"ToolCall call_b1 read_sensor", "ToolCall call_b2 open_valve"});
    }

    TEST_CASE("a function around a request that takes its messages is not asked a second time") {
        const auto seen = read_weave(weave_data("minimal.json"));
        CHECK(seen.those("Message") ==
              Lines{"Message user/human 'Which bed is dry?'", "Message assistant/agent 'Bed 4.'"});
        REQUIRE(seen.events.usages.size() == 1);
        CHECK(seen.events.usages.front().tokens == TokenCounts{50, 20, 400, 6, 0, 0});
    }

    TEST_CASE("what a call is, its kind says, or its inputs and its output") {
        const auto count = [](std::string_view op, std::string_view fields, const char* event) {
            return read_weave(weave_call("c", op, fields)).count(event);
        };
        CHECK(count("f", R"("inputs":{"q":1},"output":2)", "ToolCall") == 0);
        CHECK(count("f", R"("inputs":{"q":1},"output":2,"attributes":{"weave":{"kind":"tool"}})", "ToolCall") == 1);
        CHECK(count("f", R"("inputs":{"q":1},"output":"so","attributes":{"weave":{"kind":"llm"}})", "Message") == 1);
        CHECK(count("f", R"("inputs":{"model":"m","input":"hi"},"output":"so")", "Message") == 2);
        CHECK(count("f", R"("inputs":{"prompt":"hi"},"output":"so","attributes":{"weave":{"kind":"llm"}})",
                    "Message") == 2);
        CHECK(count("f", R"("inputs":{"text":"hi"},"output":"so")", "Message") == 0);
        CHECK(count("g", R"("inputs":{},"output":{"content":"so"})", "Message") == 0);
        CHECK(count("g", R"("inputs":{},"output":{"content":"so","role":"assistant"})", "Message") == 1);
    }

    TEST_CASE("calls are known in lines and arrays, and nothing else is") {
        for (const char* name : {"full.jsonl", "minimal.json", "page.json", "bad-fields.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::weave(), weave_data(name)) == kCertain);
        }
        CHECK(score_text(readers::weave(), R"({"calls":[)" + weave_call("c", "f", R"("inputs":{})") + "]}") ==
              kCertain);
        for (const char* other : {"langsmith/full.json", "braintrust/full.json", "mastra/events.jsonl"}) {
            CAPTURE(other);
            CHECK(score_text(readers::weave(), slurp(test::source_dir() / "testdata/readers" / other)) == 0);
        }
    }

    TEST_CASE("every record has its fate") {
        CHECK(read_weave(weave_data("bad-fields.jsonl")).fates ==
              std::vector{LineFate::understood, LineFate::missing_field, LineFate::understood, LineFate::understood,
                          LineFate::malformed_json});
    }
}
