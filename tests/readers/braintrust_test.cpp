#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read_braintrust(std::string_view text) { return test::read_text(readers::braintrust(), text); }
std::string braintrust_data(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/braintrust" / name);
}

// A request with these metrics, inside of a conversation.
std::string braintrust_request(std::string_view metrics) {
    return fmt::format(
        R"({{"span_id":"s","root_span_id":"s","span_parents":null,"span_attributes":{{"name":"ask","type":"llm"}},"input":"hi","output":"so","metrics":{}}})",
        metrics);
}

}  // namespace

TEST_SUITE("braintrust") {
    TEST_CASE("a page that begins with the newest span is told in the order in which they began") {
        const auto seen = read_braintrust(braintrust_data("full.json"));
        CHECK(seen.lines().front().find("id=beds-1") != std::string::npos);
        CHECK(seen.those("Message") == Lines{"Message system/injected 'You look after the greenhouse.'",
                                             "Message user/human 'Is bed 4 dry?'",
                                             "Message assistant/agent 'Bed 4 is dry, and its valve does not answer.'"});
        CHECK(seen.those("ToolCall") == Lines{"ToolCall call_b1 read_sensor", "ToolCall call_b2 open_valve"});
    }

    TEST_CASE("a function is a tool where an answer calls it, and what it throws is its error") {
        std::string page = braintrust_data("full.json");
        const auto results = read_braintrust(page).those("ToolResult");
        REQUIRE(results.size() == 2);
        CHECK(results.back().starts_with("ToolResult call_b2 error 'valve 4 does not answer"));
        const std::string_view function = "\"name\": \"open_valve\",\n    \"type\"";
        const auto name = page.find(function);
        REQUIRE(name != page.npos);
        page.replace(name, function.size(), "\"name\": \"some_helper\", \"type\"");
        CHECK(read_braintrust(page).those("ToolResult").back() ==
              "ToolResult call_b2 unknown 'Error: valve 4 does not answer'");
    }

    TEST_CASE("what an SDK posted before a span ended is completed by what it posted then") {
        const auto whole = read_braintrust(braintrust_data("minimal.jsonl"));
        const auto posted = read_braintrust(braintrust_data("posted.json"));
        CHECK(whole.those("ToolResult") == Lines{"ToolResult toolu_1 ok 'bed 4: 11, bed 5: 60'"});
        CHECK(posted.lines() == whole.lines());
    }

    TEST_CASE("the prompt's count has what was cached, whichever way that is told") {
        const auto tokens = [](std::string_view metrics) {
            const auto seen = read_braintrust(braintrust_request(metrics));
            REQUIRE(seen.events.usages.size() == 1);
            return seen.events.usages.front().tokens;
        };
        CHECK(tokens(R"({"prompt_tokens":50,"prompt_cached_tokens":8,"completion_tokens":12})") ==
              TokenCounts{42, 0, 8, 12, 0, 0});
        CHECK(
            tokens(
                R"({"prompt_tokens":700,"prompt_cached_tokens":500,"prompt_cache_creation_tokens":100,"completion_tokens":3})") ==
            TokenCounts{100, 100, 500, 3, 0, 0});
        CHECK(
            tokens(
                R"({"prompt_tokens":700,"prompt_cache_creation_5m_tokens":60,"prompt_cache_creation_1h_tokens":40,"completion_tokens":3})") ==
            TokenCounts{600, 100, 0, 3, 0, 40});
    }

    TEST_CASE("the only argument of a wrapped function is its arguments") {
        const auto call = [](std::string_view input) {
            const auto seen = read_braintrust(fmt::format(
                R"({{"span_id":"s","root_span_id":"s","span_parents":[],"span_attributes":{{"name":"look","type":"tool"}},"input":{},"output":1}})",
                input));
            REQUIRE(seen.events.digests.size() == 1);
            return seen.events.digests.front().canonical;
        };
        CHECK(call(R"([{"bed":4}])") == call(R"({"bed":4})"));
        CHECK(call(R"([{"bed":4},2])") != call(R"({"bed":4})"));
    }

    TEST_CASE("spans are known in lines, arrays and pages, and nothing else is") {
        for (const char* name : {"full.json", "minimal.jsonl", "posted.json", "bad-fields.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::braintrust(), braintrust_data(name)) == kCertain);
        }
        CHECK(score_text(readers::braintrust(), "[" + braintrust_request("{}") + "]") == kCertain);
        for (const char* other :
             {"langsmith/full.json", "langfuse/full.json", "weave/full.jsonl", "otel/minimal.json"}) {
            CAPTURE(other);
            CHECK(score_text(readers::braintrust(), slurp(test::source_dir() / "testdata/readers" / other)) == 0);
        }
    }

    TEST_CASE("every record has its fate") {
        const auto seen = read_braintrust(braintrust_data("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::missing_field, LineFate::understood,
                                        LineFate::understood, LineFate::malformed_json});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult sp-12 error 'bed 4: 11, bed 5: 60'"});
    }
}
