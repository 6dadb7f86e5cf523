#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

// What single tracers and frameworks write into their spans, and in which order.

namespace {

constexpr long long kStart = 1767322800000;  // milliseconds

struct SpanText {
    std::string_view id, parent;
    long long begin_us = 0, end_us = 0;  // since kStart
    std::string attributes;
    std::string_view scope = "";
};

std::string attribute(std::string_view key, std::string_view value) {
    return fmt::format(R"({{"key":"{}","value":{{"stringValue":"{}"}}}})", key, value);
}

std::string span(const SpanText& s) {
    return fmt::format(
        R"({{"resourceSpans":[{{"scopeSpans":[{{"scope":{{"name":"{}"}},"spans":[{{"traceId":"t","spanId":"{}",)"
        R"("parentSpanId":"{}","name":"s","startTimeUnixNano":"{}","endTimeUnixNano":"{}","attributes":[{}]}}]}}]}}]}})"
        "\n",
        s.scope, s.id, s.parent, kStart * 1'000'000 + s.begin_us * 1000, kStart * 1'000'000 + s.end_us * 1000,
        s.attributes);
}

std::string say(std::string_view role, std::string_view parts) {
    return fmt::format(R"({{\"role\":\"{}\",\"parts\":[{}]}})", role, parts);
}
std::string text(std::string_view words) { return fmt::format(R"({{\"type\":\"text\",\"content\":\"{}\"}})", words); }
std::string call(std::string_view id, std::string_view name) {
    return fmt::format(R"({{\"type\":\"tool_call\",\"id\":\"{}\",\"name\":\"{}\",\"arguments\":{{}}}})", id, name);
}

/// The attributes of a request that heard `input`, said `output`, and took ten tokens for one.
std::string chat(std::string_view input, std::string_view output) {
    return attribute("gen_ai.operation.name", "chat") + "," + attribute("gen_ai.usage.input_tokens", "10") + "," +
           attribute("gen_ai.usage.output_tokens", "1") + "," +
           attribute("gen_ai.input.messages", fmt::format("[{}]", input)) + "," +
           attribute("gen_ai.output.messages", fmt::format("[{}]", output));
}

std::string tool(std::string_view name, std::string_view id, std::string_view result) {
    return attribute("gen_ai.operation.name", "execute_tool") + "," + attribute("gen_ai.tool.name", name) + "," +
           attribute("gen_ai.tool.call.id", id) + "," + attribute("gen_ai.tool.call.result", result);
}

test::Reading read_otel(const std::string& lines) { return read_text(readers::otel(), lines); }

std::string langfuse(std::string_view type, std::string_view input, std::string_view output) {
    return attribute("langfuse.observation.type", type) + "," + attribute("langfuse.observation.input", input) + "," +
           attribute("langfuse.observation.output", output);
}

}  // namespace

TEST_SUITE("tracers") {
    TEST_CASE("spans that the console exporter of Node writes have an id, a time and a duration") {
        const std::string_view request =
            R"({"traceId":"t","id":"a","name":"chat","timestamp":1767322800000000,"duration":2500000,"attributes":{"gen_ai.operation.name":"chat","gen_ai.usage.input_tokens":9,"gen_ai.output.messages":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",\"id\":\"c1\",\"name\":\"weigh\",\"arguments\":{}}]}]"},"status":{"code":0}})";
        const std::string_view weighing =
            R"({"traceId":"t","id":"b","name":"weigh","timestamp":1767322803000000,"duration":1000,"attributes":{"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"weigh","gen_ai.tool.call.id":"c1","gen_ai.tool.call.result":"3 kg"},"status":{"code":0}})";
        const auto seen = read_otel(fmt::format("{}\n{}\n", weighing, request));
        CHECK(seen.those("ToolCall").size() == 1);
        CHECK(seen.those("ToolResult") == Lines{"ToolResult c1 unknown '3 kg'"});
        CHECK(seen.events.usages.size() == 1);
        CHECK(seen.events.heads.back().time_ms == kStart + 3001);
    }

    TEST_CASE("a clock of milliseconds does not put what a request heard behind the request") {
        // The tool was done 0.4 ms after the millisecond in which the request began that sends its result.
        const std::string first =
            span({"a", "", 0, 4000, chat(say("user", text("go")), say("assistant", call("c1", "weigh")))});
        const std::string done = span({"b", "", 4000, 9400, tool("weigh", "c1", "3 kg")});
        const std::string second =
            span({"c", "", 9000, 12000,
                  chat(say("user", text("go")) + "," + say("assistant", call("c1", "weigh")) + "," +
                           say("tool", R"({\"type\":\"tool_call_response\",\"id\":\"c1\",\"response\":\"cut\"})"),
                       say("assistant", text("Three.")))});
        CHECK(read_otel(done + first + second).those("ToolResult") == Lines{"ToolResult c1 unknown '3 kg'"});
    }

    TEST_CASE("two libraries that record the same request are one bill, and the one that says more counts") {
        const std::string above = chat(say("user", text("go")), say("assistant", text("Going.")));
        const std::string below =
            chat(say("user", text("go")), say("assistant", text("Going.") + "," + call("c1", "weigh"))) + "," +
            attribute("gen_ai.response.id", "response-1");
        const auto both =
            read_otel(span({"a", "p", 0, 5000, above, "framework"}) + span({"b", "p", 1000, 4000, below, "client"}));
        CHECK(both.those("Usage").size() == 1);
        CHECK(both.those("Message assistant").size() == 1);
        CHECK(both.those("ToolCall").size() == 1);
        // One library that asks twice at a time, and another request of the other, are requests of their own.
        CHECK(read_otel(span({"a", "p", 0, 5000, above, "client"}) + span({"b", "p", 1000, 4000, below, "client"}))
                  .those("Usage")
                  .size() == 2);
        CHECK(read_otel(span({"a", "p", 0, 5000, above, "framework"}) + span({"b", "p", 6000, 9000, below, "client"}))
                  .those("Usage")
                  .size() == 2);
    }

    TEST_CASE("of three libraries that record the same request one counts, whichever begins first") {
        const std::string plain = chat(say("user", text("go")), say("assistant", text("Yes.")));
        const std::string most = attribute("gen_ai.response.id", "resp_1") + "," + plain;
        for (const int best : {0, 1, 2}) {
            std::string all;
            for (const int i : {0, 1, 2}) {
                const std::string id = fmt::format("r{}", i), scope = fmt::format("library-{}", i);
                all += span({id, "", i, 900 - i, i == best ? most : plain, scope});
            }
            CHECK(read_otel(all).those("Usage").size() == 1);
        }
    }

    TEST_CASE("a trace of MLflow has JSON in strings, whatever an attribute is") {
        const std::string text = test::slurp(test::source_dir() / "testdata/readers/otel/mlflow.json");
        CHECK(score_text(readers::otel(), text) == 97);
        const auto seen = read_otel(text);
        CHECK(seen.those("Message") ==
              Lines{"Message user/human 'How high is the water?'", "Message assistant/agent 'Two metres.'"});
        CHECK(seen.those("ToolCall").size() == 2);
        CHECK(seen.those("ToolCall").front() == "ToolCall call_ml1 read_gauge 'two'");
        const Lines results = seen.those("ToolResult");
        REQUIRE(results.size() == 2);
        CHECK(std::ranges::find(results, R"(ToolResult call_ml1 ok '2 m\n\"dry\"')") != results.end());
        CHECK(std::ranges::any_of(results, [](const std::string& line) { return line.find("error") != line.npos; }));
        CHECK(seen.those("Usage") == Lines{"Usage in=40 write=0 read=0 out=6 model=gpt-4.1",
                                           "Usage in=30 write=0 read=30 out=4 model=gpt-4.1"});
        CHECK(seen.events.heads.front().time_ms == 1772355600000);
    }

    TEST_CASE("a library has its name behind its spans as well as before them") {
        const std::string plain = chat(say("user", text("go")), say("assistant", text("Yes.")));
        const auto turned = [&plain](std::string_view id, std::string_view library) {
            std::string line = span({id, "", 0, 900, plain, library});
            const std::string name = fmt::format(R"("scope":{{"name":"{}"}})", library);
            line.erase(line.find(name), name.size() + 1);
            return line.insert(line.rfind("}]}]}"), "," + name);
        };
        CHECK(read_otel(turned("a", "library-1") + turned("b", "library-2")).those("Usage").size() == 1);
        CHECK(read_otel(turned("a", "library-1") + turned("b", "library-1")).those("Usage").size() == 2);
        CHECK(read_otel(turned("a", "library-1")).those("Message").size() == 2);
    }

    TEST_CASE("tools that lie within each other are told all the same") {
        const std::string request = chat(say("user", text("go")), say("assistant", text("Yes.")));
        const auto said =
            read_otel(span({"a", "b", 0, 900, tool("x", "c1", "A")}) + span({"b", "a", 0, 900, tool("y", "c2", "B")}) +
                      span({"r1", "a", 10, 20, request}) + span({"r2", "b", 30, 40, request}) +
                      span({"r3", "a", 50, 60, request}));
        CHECK(said.those("Usage").size() == 3);
        CHECK(said.those("ToolResult").size() == 2);
    }

    TEST_CASE("a tool that asks a model is an agent with a lane, and so are the tools that it uses") {
        const std::string lines =
            span({"a", "", 0, 1000, chat(say("user", text("go")), say("assistant", call("c1", "ask_cook")))}) +
            span({"b", "", 2000, 9000, tool("ask_cook", "c1", "soup")}) +
            span({"c", "b", 3000, 4000, chat(say("user", text("what?")), say("assistant", call("c2", "look")))}) +
            span({"d", "b", 5000, 6000, tool("look", "c2", "carrots")}) +
            span({"e", "", 10000, 11000, chat(say("user", text("go")), say("assistant", text("Soup.")))});
        const auto seen = read_otel(lines);
        CHECK(seen.count("LaneOpen") == 1);
        CHECK(seen.those("Message user") == Lines{"Message user/human 'go'", "Message user/agent 'what?'"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult c2 unknown 'carrots'", "ToolResult c1 unknown 'soup'"});
        // A tool inside of a tool that asks nobody is none.
        CHECK(read_otel(span({"b", "", 2000, 9000, tool("outer", "c1", "x")}) +
                        span({"d", "b", 3000, 4000, tool("inner", "c2", "y")}))
                  .count("LaneOpen") == 0);
    }

    TEST_CASE("what a tracer was told to keep to itself is unknown, and equal to nothing") {
        const auto hidden = [](std::string_view id, int second) {
            return span({id, "", second * 1'000'000, second * 1'000'000 + 5,
                         attribute("openinference.span.kind", "TOOL") + "," + attribute("tool.name", "weigh") + "," +
                             attribute("input.value", "__REDACTED__") + "," +
                             attribute("output.value", "__REDACTED__")});
        };
        CHECK(read_otel(hidden("a", 1) + hidden("b", 2)).those("Tool") ==
              Lines{"ToolCall a weigh opaque", "ToolResult a unknown opaque", "ToolCall b weigh opaque",
                    "ToolResult b unknown opaque"});
    }

    TEST_CASE("a message of LangChain that a tool's span has is the result in it, with its call") {
        const std::string message =
            R"({\"lc\":1,\"id\":[\"langchain_core\",\"messages\",\"ToolMessage\"],\"kwargs\":{\"status\":\"error\",\"content\":\"no scale\",\"tool_call_id\":\"c1\",\"name\":\"weigh\"}})";
        const std::string asked =
            span({"a", "", 0, 1000,
                  attribute("openinference.span.kind", "LLM") + "," + attribute("llm.token_count.prompt", "9") + "," +
                      attribute("llm.output_messages.0.message.role", "assistant") + "," +
                      attribute("llm.output_messages.0.message.tool_calls.0.tool_call.function.name", "weigh") + "," +
                      attribute("llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments",
                                R"({\"what\":\"pear\"})")});
        const std::string open_inference = attribute("openinference.span.kind", "TOOL") + "," +
                                           attribute("tool.name", "weigh") + "," + attribute("input.value", "pear") +
                                           "," +
                                           attribute("output.value", fmt::format(R"({{\"output\":{}}})", message));
        CHECK(read_otel(asked + span({"b", "", 2000, 3000, open_inference})).those("Tool") ==
              Lines{"ToolCall c1 weigh 'pear'", "ToolResult c1 error 'no scale'"});
        // One tracer of JavaScript knows the class of the tool alone.
        const std::string traceloop = attribute("gen_ai.operation.name", "execute_tool") + "," +
                                      attribute("traceloop.entity.name", "DynamicStructuredTool") + "," +
                                      attribute("traceloop.entity.output", message);
        CHECK(read_otel(asked + span({"b", "", 2000, 3000, traceloop})).those("ToolResult") ==
              Lines{"ToolResult c1 error 'no scale'"});
    }

    TEST_CASE("calls of Google's ADK that run side by side have the results of their own spans") {
        const auto google = [](std::string_view key, std::string_view value) {
            return attribute(fmt::format("gcp.vertex.agent.{}", key), value);
        };
        const auto weigh = [&](std::string_view id, std::string_view what, std::string_view result) {
            return attribute("gen_ai.operation.name", "execute_tool") + "," + attribute("gen_ai.tool.name", "weigh") +
                   "," + attribute("gen_ai.tool.call.id", id) + "," +
                   google("tool_call_args", fmt::format(R"({{\"what\":\"{}\"}})", what)) + "," +
                   google("tool_response", result);
        };
        const std::string request =
            google("llm_request", R"({\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"go\"}]}]})") + "," +
            google(
                "llm_response",
                R"({\"content\":{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"weigh\",\"args\":{\"what\":\"pear\"}}},{\"functionCall\":{\"name\":\"weigh\",\"args\":{\"what\":\"plum\"}}}]},\"usageMetadata\":{\"promptTokenCount\":90,\"cachedContentTokenCount\":40}})") +
            "," + attribute("gen_ai.usage.input_tokens", "90") + "," + attribute("gen_ai.usage.output_tokens", "5");
        const std::string merged = attribute("gen_ai.operation.name", "execute_tool") + "," +
                                   attribute("gen_ai.tool.name", "(merged tools)") + "," +
                                   attribute("gen_ai.tool.call.id", "ev-1") + "," + google("tool_response", "{}");
        const auto seen = read_otel(
            span({"a", "", 0, 9000, request}) + span({"b", "a", 2000, 5000, weigh("adk-1", "pear", "3 kg")}) +
            span({"c", "a", 2000, 4000, weigh("adk-2", "plum", "1 kg")}) + span({"d", "a", 6000, 6500, merged}));
        CHECK(seen.those("Tool") == Lines{"ToolCall adk-1 weigh 'pear'", "ToolCall adk-2 weigh 'plum'",
                                          "ToolResult adk-2 unknown '1 kg'", "ToolResult adk-1 unknown '3 kg'"});
        REQUIRE(seen.events.usages.size() == 1);
        CHECK(seen.events.usages.front().tokens.input == 50);
        CHECK(seen.events.usages.front().tokens.cache_read == 40);
    }
}

TEST_SUITE("langfuse in spans") {
    TEST_CASE("observations in the attributes of spans are told as those of the API") {
        const std::string usage = R"({\"input\":50,\"input_cache_read\":40,\"output\":5,\"total\":95})";
        const std::string asked = R"({\"messages\":[{\"role\":\"user\",\"content\":\"Where is bag 7?\"}]})";
        const std::string answer =
            R"({\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"id\":\"c1\",\"function\":{\"name\":\"find_bag\",\"arguments\":\"{\\\"bag\\\":7}\"}}]})";
        const std::string given =
            R"({\"lc\":1,\"id\":[\"langchain_core\",\"messages\",\"ToolMessage\"],\"kwargs\":{\"status\":\"success\",\"content\":\"belt 3\",\"tool_call_id\":\"c1\",\"name\":\"find_bag\"}})";
        // Its handler for LangChain writes the name of the tool in place of the role.
        const std::string heard = fmt::format(
            R"([{{\"role\":\"user\",\"content\":\"Where is bag 7?\"}},{},{{\"role\":\"find_bag\",\"content\":\"belt 3\"}}])",
            answer);
        const std::string lines =
            span({"r", "", 0, 9000, langfuse("span", "x", "y") + "," + attribute("session.id", "desk-2")}) +
            span({"a", "r", 1000, 2000,
                  langfuse("generation", asked, answer) + "," +
                      attribute("langfuse.observation.model.name", "small-1") + "," +
                      attribute("langfuse.observation.usage_details", usage) + "," +
                      attribute("langfuse.observation.cost_details", R"({\"total\":0.02})")}) +
            span({"b", "r", 3000, 4000, langfuse("tool", R"({\"bag\":7})", given)}) +
            span({"c", "r", 5000, 6000, langfuse("generation", heard, "On belt 3.")}) +
            span({"d", "r", 7000, 8000,
                  langfuse("tool", R"({\"tag\":1})", "") + "," + attribute("langfuse.observation.level", "ERROR") +
                      "," + attribute("langfuse.observation.status_message", "out of paper")});
        CHECK(score_text(readers::otel(), lines) > score_text(readers::langfuse(), lines));
        const auto seen = read_otel(lines);
        CHECK(seen.those("SessionStart").front().find("id=desk-2") != std::string::npos);
        CHECK(seen.those("Message") ==
              Lines{"Message user/human 'Where is bag 7?'", "Message assistant/agent 'On belt 3.'"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult c1 unknown 'belt 3'", "ToolResult d error 'out of paper'"});
        REQUIRE(seen.events.usages.size() == 1);
        const Usage& used = seen.events.usages.front();
        CHECK(used.tokens.input == 50);
        CHECK(used.tokens.cache_read == 40);
        CHECK(used.cost_microusd == 20'000);
    }
}
