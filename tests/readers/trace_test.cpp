#include "readers/all.hpp"
#include "readers/event_lines.hpp"
#include "readers/traces/trace_reader.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <ctime>
#include <random>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

std::string fixture(std::string_view format, std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers" / format / name);
}

std::string attribute(std::string_view key, std::string_view value) {
    return fmt::format(R"({{"key":"{}","value":{{"stringValue":"{}"}}}})", key, value);
}

/// One line with one span.
std::string span_line(std::string_view trace, std::string_view id, int second, std::string_view attributes) {
    return fmt::format(
        R"({{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"traceId":"{}","spanId":"{}","name":"s",)"
        R"("startTimeUnixNano":"{}000000000","endTimeUnixNano":"{}500000000","attributes":[{}]}}]}}]}}]}})"
        "\n",
        trace, id, 1767322800 + second, 1767322800 + second, attributes);
}

std::string chat(std::string_view trace, std::string_view id, int second, std::string_view question,
                 std::string_view answer) {
    return span_line(
        trace, id, second,
        attribute("gen_ai.operation.name", "chat") + "," +
            attribute("gen_ai.input.messages",
                      fmt::format(R"([{{\"role\":\"user\",\"parts\":[{{\"type\":\"text\",\"content\":\"{}\"}}]}}])",
                                  question)) +
            "," +
            attribute(
                "gen_ai.output.messages",
                fmt::format(R"([{{\"role\":\"assistant\",\"parts\":[{{\"type\":\"text\",\"content\":\"{}\"}}]}}])",
                            answer)));
}

std::vector<std::string> split_lines(const std::string& text) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        out.push_back(text.substr(at, end - at + 1));
        at = end + 1;
    }
    return out;
}

/// The same lines, shuffled, must tell the same story.
void check_any_order(const ReaderSpec& spec, const std::string& text) {
    const Lines expected = read_text(spec, text).lines();
    std::vector<std::string> lines = split_lines(text);
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        std::shuffle(lines.begin(), lines.end(), random);
        std::string shuffled;
        for (const auto& line : lines) shuffled += line;
        CHECK(read_text(spec, shuffled).lines() == expected);
    }
}

}  // namespace

TEST_SUITE("otel") {
    TEST_CASE("a span whose status is not set does not say whether its tool failed") {
        const auto told = [](std::string_view status) {
            std::string line =
                span_line("a", "1", 0,
                          attribute("gen_ai.operation.name", "execute_tool") + "," +
                              attribute("gen_ai.tool.name", "mill") + "," + attribute("gen_ai.tool.call.id", "c") +
                              "," + attribute("gen_ai.tool.call.result", "Error: no rye"));
            if (!status.empty()) line.insert(line.find("\"attributes\""), fmt::format(R"("status":{},)", status));
            return read_text(readers::otel(), line).lines().back();
        };
        for (const std::string_view open : {"", "{}", R"({"code":0})", R"({"code":"STATUS_CODE_UNSET"})", R"("UNSET")"})
            CHECK(told(open) == "ToolResult c unknown 'Error: no rye'");
        for (const std::string_view well : {R"({"code":1})", R"({"code":"STATUS_CODE_OK"})", R"({"status_code":"OK"})"})
            CHECK(told(well) == "ToolResult c ok 'Error: no rye'");
        for (const std::string_view bad : {R"({"code":2})", R"({"code":"STATUS_CODE_ERROR"})", R"("ERROR")"})
            CHECK(told(bad) == "ToolResult c error 'Error: no rye'");
    }

    TEST_CASE("spans are told in the order in which they began, whatever order they come in") {
        CHECK(read_text(readers::otel(), fixture("otel", "minimal.jsonl")).lines() ==
              Lines{
                  "SessionStart id=conv-1 model=small-1 label=keeper conv-1",
                  "TurnStart",
                  "Message user/human 'what is in here?'",
                  "ToolCall c1 shell 'ls'",
                  "Usage in=20 write=0 read=0 out=6 model=small-1",
                  "ToolResult c1 unknown 'todo.txt'",
                  "Message assistant/agent 'One file.'",
                  "Usage in=30 write=0 read=0 out=4 model=small-1",
              });
        std::string text = fixture("otel", "minimal.jsonl");
        for (int i = 0; i < 9; ++i) text += chat("0b", std::to_string(i), 100 + i, "q", std::to_string(i));
        check_any_order(readers::otel(), text);
    }

    TEST_CASE("eight times as many traces take about eight times as long, also when not all can be held") {
        const auto seconds_for = [](int traces) {
            std::string text;
            for (int i = 0; i < traces; ++i) text += chat(fmt::format("{:08x}", i), "a", i, "q", "a");
            const std::clock_t before = std::clock();
            CHECK(read_text(readers::otel(), text).count("SessionStart") == static_cast<std::size_t>(traces));
            return static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
        };
        const double few = seconds_for(6'500);
        CHECK(seconds_for(52'000) < 24 * few + 0.2);
    }

    TEST_CASE("what a request repeats of the conversation is told once") {
        const auto seen = read_text(readers::otel(), fixture("otel", "minimal.jsonl"));
        CHECK(seen.count("TurnStart") == 1);
        CHECK(seen.count("ToolCall") == 1);
        CHECK(seen.count("ToolResult") == 1);
    }

    TEST_CASE("the same words said again are a turn of their own when the history goes on") {
        const auto message = [](std::string_view role, std::string_view text) {
            return fmt::format(R"({{\"role\":\"{}\",\"content\":\"{}\"}})", role, text);
        };
        const auto request = [&](std::string_view id, int second, const std::string& input) {
            return span_line("1", id, second,
                             attribute("gen_ai.operation.name", "chat") + "," +
                                 attribute("gen_ai.input.messages", "[" + input + "]"));
        };
        const std::string first = message("user", "go on");
        const std::string second = first + "," + message("assistant", "well") + "," + message("user", "go on");
        CHECK(read_text(readers::otel(), request("a", 1, first) + request("b", 2, second)).count("TurnStart") == 2);
    }

    TEST_CASE("a request inside a request is another tracer of the same, and counts once") {
        const auto seen = read_text(readers::otel(), fixture("otel", "full.json"));
        CHECK(std::ranges::count_if(seen.lines(), [](const auto& l) { return l.starts_with("Usage in=60"); }) == 1);
        CHECK(seen.count("Usage") == 3);
    }

    TEST_CASE("an agent inside an agent has a lane, and is done before its result is there") {
        const auto seen = read_text(readers::otel(), fixture("otel", "full.json"));
        const auto& lines = seen.lines();
        const auto lane = std::find(lines.begin(), lines.end(), "LaneOpen");
        const auto result = std::find(lines.begin(), lines.end(), "ToolResult k1 unknown 'it is the linker'");
        REQUIRE(lane != lines.end());
        REQUIRE(result != lines.end());
        CHECK(lane < result);
        CHECK(seen.those("Message user/agent") == Lines{"Message user/agent 'look'"});
    }

    TEST_CASE("a result that is an error output in a prompt failed") {
        const auto status_of = [](std::string_view output) {
            const std::string messages = fmt::format(
                R"([{{\"role\":\"user\",\"content\":\"go\"}},)"
                R"({{\"role\":\"assistant\",\"content\":[{{\"type\":\"tool-call\",\"toolCallId\":\"c\",\"toolName\":\"f\",\"input\":{{}}}}]}},)"
                R"({{\"role\":\"tool\",\"content\":[{{\"type\":\"tool-result\",\"toolCallId\":\"c\",\"toolName\":\"f\",\"output\":{}}}]}}])",
                output);
            const auto seen =
                read_text(readers::otel(), span_line("a", "1", 0,
                                                     attribute("ai.operationId", "ai.generateText.doGenerate") + "," +
                                                         attribute("ai.prompt.messages", messages)));
            const Lines results = seen.those("ToolResult");
            REQUIRE(results.size() == 1);
            return results[0].substr(0, results[0].find(" '"));
        };
        CHECK(status_of(R"({\"type\":\"error-text\",\"value\":\"no\"})") == "ToolResult c error");
        CHECK(status_of(R"({ \"type\" : \"error-json\", \"value\":{}})") == "ToolResult c error");
        CHECK(status_of(R"({\"type\":\"text\",\"value\":\"error-text\"})") == "ToolResult c unknown");
        CHECK(status_of(R"(\"{type: error-text}\")") == "ToolResult c unknown");
    }
    TEST_CASE("a tool that names no call answers the open call of its name") {
        const auto seen = read_text(readers::otel(), fixture("otel", "full.json"));
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult k1 unknown 'it is the linker'", "ToolResult k2 error 'exit status 2'"});
        CHECK(seen.count("ToolCall") == 2);
    }

    TEST_CASE("a call whose arguments no span has is equal to no other, and so is a result without its text") {
        const auto tool = [](std::string_view id, int second, const std::string& more) {
            return span_line("1", id, second,
                             attribute("gen_ai.operation.name", "execute_tool") + "," +
                                 attribute("gen_ai.tool.name", "ls") + "," + attribute("gen_ai.tool.call.id", id) +
                                 more);
        };
        const std::string empty =
            "," + attribute("gen_ai.tool.call.arguments", "{}") + "," + attribute("gen_ai.tool.call.result", "");
        const auto seen = read_text(readers::otel(), tool("a", 1, "") + tool("b", 2, empty));
        CHECK(seen.those("ToolCall") == Lines{"ToolCall a ls opaque", "ToolCall b ls"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult a unknown opaque", "ToolResult b unknown"});
    }

    TEST_CASE("what a tool got and returned is known under the names of the frameworks, too") {
        const auto tool = [](const std::string& args, const std::string& answer) {
            return read_text(readers::otel(),
                             span_line("1", "t", 1,
                                       attribute("gen_ai.tool.name", "ls") + "," +
                                           attribute("gen_ai.tool.call.id", "c") + "," + args + "," + answer))
                .lines();
        };
        const std::string args = R"({\"path\":\"src\"})";
        const Lines known{"SessionStart id=1", "ToolCall c ls 'src'", "ToolResult c unknown 'empty'"};
        CHECK(tool(attribute("tool_arguments", args), attribute("tool_response", "empty")) == known);
        const std::string google = "gcp.vertex.agent.";
        CHECK(tool(attribute(google + "tool_call_args", args), attribute(google + "tool_response", "empty")) == known);
        CHECK(tool(attribute(google + "tool_call_args", "{}"), attribute(google + "tool_response", "{}")) ==
              Lines{"SessionStart id=1", "ToolCall c ls opaque", "ToolResult c unknown opaque"});
    }

    TEST_CASE("what a library puts around arguments and a result is no part of them") {
        const auto seen = read_text(
            readers::otel(),
            span_line("1", "t", 1,
                      attribute("traceloop.span.kind", "tool") + "," + attribute("traceloop.entity.name", "ls") + "," +
                          attribute("traceloop.entity.input",
                                    R"({\"input_str\":\"{'path': 'src'}\",\"metadata\":{\"step\":7},)"
                                    R"(\"inputs\":{\"path\":\"src\"}})") +
                          "," +
                          attribute("traceloop.entity.output",
                                    R"({\"output\":{\"lc\":1,\"type\":\"constructor\",\"kwargs\":{\"type\":\"tool\",)"
                                    R"(\"content\":\"no such folder\",\"tool_call_id\":\"c\",\"status\":\"error\"}},)"
                                    R"(\"kwargs\":{\"tags\":[\"step:7\"]}})")));
        CHECK(seen.lines() == Lines{"SessionStart id=1", "ToolCall c ls 'src'", "ToolResult c error 'no such folder'"});
        const auto plain =
            read_text(readers::otel(), span_line("1", "t", 1,
                                                 attribute("traceloop.span.kind", "tool") + "," +
                                                     attribute("traceloop.entity.name", "ls") + "," +
                                                     attribute("traceloop.entity.output", R"({\"files\":[]})")));
        CHECK(plain.those("ToolResult") == Lines{R"(ToolResult t unknown '{\"files\":[]}')"});
    }

    TEST_CASE("messages in events are those of the request, not of the spans around it") {
        const auto event = [](std::string_view name, const std::string& attributes) {
            return fmt::format(R"({{"name":"gen_ai.{}","attributes":[{}]}})", name, attributes);
        };
        const auto span = [](std::string_view id, std::string_view parent, int second, const std::string& attributes,
                             const std::string& events) {
            return fmt::format(R"({{"traceId":"1","spanId":"{}","parentSpanId":"{}","name":"s",)"
                               R"("startTimeUnixNano":"{}000000000","attributes":[{}],"events":[{}]}})",
                               id, parent, 1767322800 + second, attributes, events);
        };
        const std::string question =
            event("user.message", attribute("content", R"([{\"text\": \"what is in here?\"}])"));
        const std::string answer =
            event("choice", attribute("message", R"([{\"text\": \"I look.\"}, {\"toolUse\": {\"toolUseId\": \"c\",)"
                                                 R"( \"name\": \"ls\", \"input\": {\"path\": \"src\"}}}])"));
        const std::string usage = R"({"key":"gen_ai.usage.input_tokens","value":{"intValue":"30"}})";
        const std::string tool = attribute("gen_ai.operation.name", "execute_tool") + "," +
                                 attribute("gen_ai.tool.name", "ls") + "," + attribute("gen_ai.tool.call.id", "c");
        const std::string failed = "," + attribute("gen_ai.tool.status", "error");
        const std::string input = event("tool.message", attribute("content", R"({\"path\": \"src\"})"));
        const std::string output = event("choice", attribute("message", R"([{\"text\": \"no such folder\"}])"));
        const auto trace = [](const std::string& spans) {
            return R"({"resourceSpans":[{"scopeSpans":[{"spans":[)" + spans + "]}]}]}\n";
        };
        const std::string chat = attribute("gen_ai.operation.name", "chat") + "," + usage;
        const auto seen =
            read_text(readers::otel(), trace(span("around", "", 1, "", question + "," + answer) + "," +
                                             span("chat", "around", 2, chat, question + "," + answer) + "," +
                                             span("tool", "around", 3, tool + failed, input + "," + output)));
        CHECK(seen.lines() == Lines{"SessionStart id=1", "TurnStart", "Message user/human 'what is in here?'",
                                    "Message assistant/agent 'I look.'", "ToolCall c ls 'src'",
                                    "Usage in=30 write=0 read=0 out=0",
                                    R"(ToolResult c error '[{\"text\": \"no such folder\"}]')"});
        const auto alone = read_text(readers::otel(), trace(span("tool", "", 3, tool, input + "," + output)));
        CHECK(alone.those("ToolCall") == Lines{"ToolCall c ls 'src'"});
    }

    TEST_CASE("a result that its tool's span has not comes out of the next request, with the end that the span knew") {
        const auto request = [](std::string_view id, int second, const std::string& input) {
            return span_line("1", id, second,
                             attribute("gen_ai.operation.name", "chat") + "," +
                                 attribute("gen_ai.input.messages", "[" + input + "]") + "," +
                                 attribute("gen_ai.output.messages",
                                           R"([{\"role\":\"assistant\",\"parts\":[{\"type\":\"tool_call\",)"
                                           R"(\"id\":\"c\",\"name\":\"ls\",\"arguments\":{}}]}])"));
        };
        const std::string question = R"({\"role\":\"user\",\"content\":\"go\"})";
        const std::string tool =
            span_line("1", "t", 2,
                      attribute("gen_ai.operation.name", "execute_tool") + "," + attribute("gen_ai.tool.name", "ls") +
                          "," + attribute("gen_ai.tool.call.id", "c"));
        const std::string heard = R"(,{\"role\":\"tool\",\"parts\":[{\"type\":\"tool_call_response\",)"
                                  R"(\"id\":\"c\",\"response\":\"no such folder\"}]})";
        const std::string more = R"(,{\"role\":\"user\",\"content\":\"and now\"})";
        const auto told =
            read_text(readers::otel(), request("a", 1, question) + tool + request("b", 3, question + heard));
        CHECK(told.those("ToolResult") == Lines{"ToolResult c unknown 'no such folder'"});
        const auto silent =
            read_text(readers::otel(), request("a", 1, question) + tool + request("b", 3, question + more));
        const Lines lines = silent.lines();
        const auto result = std::ranges::find(lines, "ToolResult c unknown opaque");
        REQUIRE(result != lines.end());
        CHECK(*std::next(result) == "TurnStart");
    }

    TEST_CASE("an id that is used again is a call of its own, with a result of its own") {
        const auto request = [](std::string_view id, int second) {
            return span_line(
                "1", id, second,
                attribute("gen_ai.operation.name", "chat") + "," +
                    attribute(
                        "gen_ai.output.messages",
                        R"([{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"name\":\"ls\",\"args\":{}}]}])"));
        };
        const auto tool = [](std::string_view id, int second) {
            return span_line("1", id, second,
                             attribute("gen_ai.operation.name", "execute_tool") + "," +
                                 attribute("gen_ai.tool.name", "ls") + "," + attribute("gen_ai.tool.call.id", "c"));
        };
        const auto seen = read_text(readers::otel(), request("a", 1) + tool("b", 2) + request("c", 3) + tool("d", 4));
        CHECK(seen.count("ToolCall") == 2);
        CHECK(seen.count("ToolResult") == 2);
    }

    TEST_CASE("indices in the names of attributes cost no more memory than a span may have") {
        std::string attributes = attribute("gen_ai.operation.name", "chat");
        for (int i = 4000; i < 4090; ++i) {
            attributes +=
                "," +
                attribute(fmt::format("llm.input_messages.{}.message.tool_calls.4000.tool_call.function.name", i), "x");
        }
        CHECK(read_text(readers::otel(), span_line("1", "1", 0, attributes)).count("ToolCall") <= 10);
    }

    TEST_CASE("exported spans and attributes alone are read as well") {
        CHECK(read_text(readers::otel(), fixture("otel", "full-exported.json")).count("SessionStart") == 2);
        CHECK(read_text(readers::otel(), fixture("otel", "full-attributes.json")).count("ToolResult") == 1);
    }

    TEST_CASE("spans about other things are ignored, and counted") {
        const auto seen = read_text(readers::otel(), span_line("1", "2", 0, attribute("http.method", "GET")));
        CHECK(seen.fates == std::vector{LineFate::ignored_kind});
        CHECK(seen.lines().empty());
    }

    TEST_CASE("traces that name one conversation are one session; what a later trace repeats of another is copied") {
        const auto talk = [](std::string_view trace, int second, std::string_view question) {
            return span_line(trace, trace, second,
                             attribute("gen_ai.operation.name", "chat") + "," +
                                 attribute("gen_ai.conversation.id", "c") + "," +
                                 attribute("gen_ai.input.messages",
                                           fmt::format(R"([{{\"role\":\"user\",\"content\":\"{}\"}}])", question)));
        };
        CHECK(read_text(readers::otel(), talk("2", 2, "b") + talk("1", 1, "a")).those("Message") ==
              Lines{"Message user/human 'a'", "Message user/human 'b'"});
        const auto seen = read_text(readers::otel(), chat("1", "1", 1, "hello", "x") + chat("2", "2", 2, "hello", "y"));
        REQUIRE(seen.count("SessionStart") == 2);
        const auto& heads = seen.events.heads;
        CHECK((heads[2].flags & kCopied) == 0);
        CHECK((heads[heads.size() - 2].flags & kCopied) != 0);
    }

    TEST_CASE("what is held is bounded: the session silent longest is told first, and said to be") {
        std::string text = chat("old", "1", 0, "first", "one");
        const std::string filler(1 << 20, 'x');
        for (int i = 0; i < 80; ++i) text += chat("new", std::to_string(i), 10 + i, "q" + std::to_string(i), filler);
        const auto seen = read_text(readers::otel(), text);
        CHECK(seen.those("Message user").at(0) == "Message user/human 'first'");
        CHECK(seen.those("Notice").size() >= 1);
        CHECK(seen.those("Notice").at(0).find("trace-window") != std::string::npos);
        CHECK(seen.those("Message assistant").size() == 81);
    }

    TEST_CASE("records of a log tell of requests, and of what coding agents did") {
        const auto seen = test::read_text(readers::otel(), fixture("otel", "logs.jsonl"));
        CHECK(seen.count("SessionStart") == 5);
        // What nobody may see of a prompt is a turn all the same, and words that are said twice are two.
        CHECK(seen.count("TurnStart") == 7);
        CHECK(seen.those("Message user/human")[0] == "Message user/human");
        CHECK(seen.those("Usage")[0] == "Usage in=10 write=90 read=700 out=50 model=opus-9 cost=20000");
        CHECK(seen.those("Usage")[1] == "Usage in=40 write=0 read=60 out=30 model=gpt-9");
        CHECK(seen.those("ToolCall")[0] == "ToolCall t1 Bash 'make test'");
        CHECK(seen.those("ToolCall")[1] == "ToolCall t2 Read opaque");
        CHECK(seen.those("ToolResult")[0] == "ToolResult t1 error 'Exit code 2'");
        CHECK(seen.those("Notice") == Lines{"Notice provider/error 529 'overloaded'"});
    }

    TEST_CASE("a log and a trace of one request are one request") {
        const auto seen = test::read_text(readers::otel(), fixture("otel", "logs.jsonl"));
        CHECK(seen.those("Message assistant").back() == "Message assistant/agent 'hello'");
        CHECK(seen.those("Usage").back() == "Usage in=8 write=0 read=0 out=2 model=m-1");
        CHECK(seen.count("Usage") == 4);
    }

    TEST_CASE("messages in records without ids of spans belong together until an answer comes") {
        const std::string text = fixture("otel", "logs.jsonl");
        std::string bare(text);
        for (const std::string_view id : {"\"spanId\":\"01\"", "\"spanId\":\"02\""}) {
            for (auto at = bare.find(id); at != bare.npos; at = bare.find(id, at))
                bare.replace(at, id.size(), "\"n\":\"x\"");
        }
        CHECK(test::read_text(readers::otel(), bare).lines() == test::read_text(readers::otel(), text).lines());
    }

    TEST_CASE("what Google's ADK sends and gets is read, and its calls get their ids behind the answer") {
        const auto request = [](std::string_view contents) {
            return attribute(
                "gcp.vertex.agent.llm_request",
                fmt::format(R"({{\"config\":{{\"system_instruction\":\"Plan.\"}},\"contents\":[{}]}})", contents));
        };
        const std::string asked = R"({\"role\":\"user\",\"parts\":[{\"text\":\"find it\"}]})";
        const std::string call = R"({\"function_call\":{\"name\":\"lookup\",\"args\":{\"q\":\"due\"}}})";
        const std::string response = R"({\"function_response\":{\"name\":\"lookup\",\"response\":{\"result\":1}}})";
        const auto answer = [](std::string_view parts) {
            return attribute("gcp.vertex.agent.llm_response",
                             fmt::format(R"({{\"content\":{{\"role\":\"model\",\"parts\":[{}]}}}})", parts));
        };
        const std::string text =
            span_line("t", "1", 1, request(asked) + "," + answer(R"({\"text\":\"hm\",\"thought\":true},)" + call)) +
            span_line("t", "2", 2,
                      attribute("gen_ai.operation.name", "execute_tool") + "," +
                          attribute("gen_ai.tool.name", "lookup") + "," + attribute("gen_ai.tool.call.id", "adk-1") +
                          "," + attribute("gcp.vertex.agent.llm_request", "{}") + "," +
                          attribute("gcp.vertex.agent.llm_response", "{}") + "," +
                          attribute("gcp.vertex.agent.tool_call_args", R"({\"q\":\"due\"})") + "," +
                          attribute("gcp.vertex.agent.tool_response", R"({\"result\":1})")) +
            span_line("t", "3", 3,
                      request(asked + R"(,{\"role\":\"model\",\"parts\":[)" + call +
                              R"(]},{\"role\":\"user\",\"parts\":[)" + response + "]}") +
                          "," + answer(R"({\"text\":\"Found.\"})"));
        CHECK(test::read_text(readers::otel(), text).lines() ==
              Lines{"SessionStart id=t", "Message system/injected 'Plan.'", "TurnStart", "Message user/human 'find it'",
                    "Thinking 'hm'", "ToolCall adk-1 lookup 'due'", R"(ToolResult adk-1 unknown '{\"result\":1}')",
                    "Message assistant/agent 'Found.'"});
    }

    TEST_CASE("attributes within attributes and columns of a table are those with dots") {
        const auto seen = test::read_text(readers::otel(), fixture("otel", "phoenix.jsonl"));
        CHECK(seen.lines() == Lines{"SessionStart id=chat-1 model=m-1 label=agent chat-1",
                                    "Message system/injected 'Help.'", "TurnStart", "Message user/human 'find it'",
                                    "ToolCall k1 lookup 'due'", "Usage in=20 write=0 read=0 out=5 model=m-1",
                                    "ToolResult k1 error 'no such row'", "SessionStart id=chat-2 model=m-2",
                                    "TurnStart", "Message user/human 'hi'", "ToolCall k2 lookup 'due'",
                                    "Usage in=9 write=0 read=0 out=3 model=m-2", "ToolResult k2 ok 'tomorrow'"});
        CHECK(test::score_text(readers::otel(), fixture("otel", "phoenix.jsonl")) > 90);
    }

    TEST_CASE("a trace cut anywhere gives no call twice") {
        const std::string whole = fixture("otel", "minimal.jsonl");
        for (std::size_t size = 0; size < whole.size(); size += 7) {
            CAPTURE(size);
            const auto seen = read_text(readers::otel(), whole.substr(0, size));
            CHECK(seen.count("ToolCall") <= 1);
            CHECK(seen.count("ToolResult") <= 1);
        }
    }
}

TEST_SUITE("langsmith") {
    TEST_CASE("runs are told in the order in which they began") {
        CHECK(read_text(readers::langsmith(), fixture("langsmith", "minimal.jsonl")).lines() ==
              Lines{
                  "SessionStart id=r1 model=small-1 label=keeper r1",
                  "TurnStart",
                  "Message user/human 'what is in here?'",
                  "ToolCall c1 shell 'ls'",
                  "Usage in=20 write=0 read=0 out=6 model=small-1",
                  "ToolResult c1 ok 'todo.txt'",
                  "Message assistant/agent 'One file.'",
                  "Usage in=30 write=0 read=0 out=4",
              });
        check_any_order(readers::langsmith(), fixture("langsmith", "minimal.jsonl"));
    }

    TEST_CASE("a tree of child_runs is one session, and its parts know their root") {
        const auto seen = read_text(readers::langsmith(), fixture("langsmith", "full.json"));
        CHECK(seen.those("SessionStart").at(0) == "SessionStart id=thread-5 model=large-2 label=graph thread-5");
        CHECK(seen.those("ToolResult").at(0) == "ToolResult k1 error 'no hits'");
        CHECK(seen.those("Notice") == Lines{"Notice provider/error request-failed 'RateLimitError('slow down')'"});
    }

    TEST_CASE("what was posted and what was patched are one run") {
        const auto seen = read_text(readers::langsmith(), fixture("langsmith", "full.json"));
        CHECK(seen.those("Message").back() == "Message assistant/agent 'hello yourself'");
        CHECK(seen.those("Usage").back() == "Usage in=5 write=0 read=3 out=2 model=small-1");
        CHECK(seen.count("SessionStart") == 2);
    }

    TEST_CASE("runs that stand on one line, and are all there is, have places of their own") {
        const std::string runs =
            R"([{"id":"a","trace_id":"a","run_type":"chain","child_runs":[)"
            R"({"id":"b","run_type":"tool","name":"f","inputs":{},"outputs":{"output":"x"}},)"
            R"({"id":"c","run_type":"tool","name":"f","inputs":{},"outputs":{"output":"y"}}]},)"
            R"({"id":"d","trace_id":"a","parent_run_id":"a","run_type":"tool","name":"f","inputs":{},"outputs":{"output":"z"}}])";
        const auto lines_of = [](const std::string& text) {
            const auto seen = test::read_text(readers::langsmith(), text);
            std::vector<std::uint64_t> lines;
            for (std::size_t i = 0; i < seen.lines().size(); ++i) {
                if (seen.lines()[i].starts_with("ToolCall")) lines.push_back(seen.events.heads[i].where.line);
            }
            return lines;
        };
        const std::vector<std::uint64_t> own{2, 3, 4};
        CHECK(lines_of(runs) == own);
        CHECK(lines_of("{\"runs\":" + runs + "}") == own);
        CHECK(lines_of("{\"post\":" + runs + "}\n") == own);
        const std::string first = R"({"id":"x","trace_id":"x","run_type":"chain"})";
        CHECK(lines_of(first + "\n{\"post\":" + runs + "}\n") == std::vector<std::uint64_t>{2, 2, 2});
    }

    TEST_CASE("an answer that the client hides is no empty answer") {
        const auto seen = read_text(readers::langsmith(),
                                    R"({"id":"a","trace_id":"a","run_type":"tool","dotted_order":"x","name":"ls",)"
                                    R"("start_time":"2026-01-02T03:04:03","inputs":{},"outputs":{}})"
                                    "\n");
        CHECK(seen.those("ToolResult") == Lines{"ToolResult a ok opaque"});
    }

    TEST_CASE("records without what they need are counted") {
        CHECK(read_text(readers::langsmith(), fixture("langsmith", "bad-fields.jsonl")).fates ==
              std::vector{LineFate::understood, LineFate::understood, LineFate::understood, LineFate::missing_field,
                          LineFate::missing_field, LineFate::malformed_json});
    }
}

TEST_SUITE("openai-agents") {
    TEST_CASE("spans are told in the order in which they began, and a tool's belongs to the call before it") {
        CHECK(read_text(readers::openai_agents(), fixture("openai-agents", "minimal.jsonl")).lines() ==
              Lines{
                  "SessionStart id=trace_1 model=small-1 label=keeper trace_1",
                  "Message system/injected 'You keep the house.'",
                  "TurnStart",
                  "Message user/human 'light in the hall?'",
                  "ToolCall c1 lamp 'hall'",
                  "Usage in=20 write=0 read=0 out=6 model=small-1",
                  "ToolResult c1 ok 'on'",
                  "Message assistant/agent 'It is on.'",
                  "Usage in=18 write=0 read=12 out=4 model=small-1",
              });
        check_any_order(readers::openai_agents(), fixture("openai-agents", "minimal.jsonl"));
    }

    TEST_CASE(
        "Agents SDK for JavaScript: the answer is a whole one of Chat Completions, or the turn says what it took") {
        const auto span = [](std::string_view id, std::string_view parent, int second, std::string_view data) {
            return fmt::format(R"({{"object":"trace.span","id":"span_{}","trace_id":"trace_1","parent_id":"span_{}",)"
                               R"("started_at":"2026-03-02T10:00:{:02}.000Z","ended_at":"2026-03-02T10:00:{:02}.000Z",)"
                               R"("span_data":{},"error":null}})"
                               "\n",
                               id, parent, second, second + 1, data);
        };
        const std::string chat =
            R"({"type":"generation","model":"toy","input":[{"role":"user","content":"Look."}],"output":[{"id":"chatcmpl-1",)"
            R"("object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,)"
            R"("tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]}}],)"
            R"("usage":{"prompt_tokens":90,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":40}}}]})";
        const auto turn = [](int input) {
            return fmt::format(R"({{"type":"custom","name":"turn","data":{{"sdk_span_type":"turn","usage":)"
                               R"({{"input_tokens":{},"output_tokens":5,"cached_input_tokens":40}}}}}})",
                               input);
        };
        const std::string first =
            span("g", "t", 1, chat) +
            span("f", "t", 2, R"({"type":"function","name":"look","input":"{}","output":"A jar."})") +
            span("t", "a", 1, turn(90));
        const std::string second =
            span("r", "u", 4, R"({"type":"response","response_id":"resp_1"})") + span("u", "a", 4, turn(120));
        const auto seen = read_text(readers::openai_agents(), first + second);
        CHECK(seen.those("Usage").size() == 2);
        CHECK(seen.those("Usage in=50 write=0 read=40 out=5").size() == 1);
        CHECK(seen.those("Usage in=80 write=0 read=40 out=5").size() == 1);
        CHECK(seen.those("ToolCall").size() == 1);
        CHECK(seen.those("ToolResult").size() == 1);
        CHECK(read_text(readers::openai_agents(), second + first).those("Usage").size() == 2);
    }

    TEST_CASE("answers that were not written down leave their usage, and their calls to the spans of tools") {
        const auto seen = read_text(readers::openai_agents(), fixture("openai-agents", "full.json"));
        CHECK(seen.those("SessionStart") == Lines{"SessionStart id=chat-9 model=large-2 label=keeper chat-9"});
        CHECK(seen.those("Usage").size() == 2);  // that of a whole turn is none of a request
        CHECK(seen.those("ToolResult").at(0) == "ToolResult span_f1 error 'An error occurred while running the tool.'");
        CHECK(seen.count("LaneOpen") == 1);
        CHECK(seen.those("Notice") == Lines{"Notice provider/error request-failed '429 slow down'"});
    }

    TEST_CASE("a span that began and ended is one, and one that only began has no result") {
        const auto seen = read_text(readers::openai_agents(), fixture("openai-agents", "events.jsonl"));
        CHECK(seen.those("Message") ==
              Lines{"Message user/human 'is it warm?'", "Message assistant/agent 'I will look.'"});
        CHECK(seen.those("ToolCall") == Lines{"ToolCall k1 gauge"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult k1 ok '21'"});
        CHECK(seen.count("Usage") == 1);
    }

    TEST_CASE("records without what they need are counted, and other objects with spans are no trace of it") {
        CHECK(read_text(readers::openai_agents(), fixture("openai-agents", "bad-fields.jsonl")).fates ==
              std::vector{LineFate::understood, LineFate::understood, LineFate::understood, LineFate::understood,
                          LineFate::missing_field, LineFate::missing_field, LineFate::missing_field,
                          LineFate::cut_at_end});
        CHECK(score_text(readers::openai_agents(), fixture("openai-agents", "full.json")) == 100);
        CHECK(score_text(readers::openai_agents(), R"({"object":"trace","id":"x"})") == 0);
        CHECK(score_text(readers::openai_agents(), R"({"object":"list","data":[{"object":"model","id":"x"}]})") == 0);
    }
}

TEST_SUITE("managed-agents") {
    TEST_CASE("what a client sends comes back in the stream and counts once, as do events that are listed again") {
        const auto seen = read_text(readers::managed_agents(), fixture("managed-agents", "full.jsonl"));
        CHECK(seen.those("Message user") == Lines{"Message user/human 'look around'", "Message user/queued 'hurry'"});
        CHECK(seen.count("SessionStart") == 1);
    }

    TEST_CASE("a call that a human refused is denied, one that failed is an error") {
        CHECK(read_text(readers::managed_agents(), fixture("managed-agents", "full.jsonl")).those("ToolResult") ==
              Lines{"ToolResult v6 denied 'rejected'", "ToolResult v7 error 'no lamp'"});
    }

    TEST_CASE("waiting for a human does not end a turn, being interrupted does") {
        CHECK(read_text(readers::managed_agents(), fixture("managed-agents", "full.jsonl")).those("TurnEnd") ==
              Lines{"TurnEnd aborted"});
    }

    TEST_CASE("a result that is cut off before it says whether it failed is none") {
        const std::string line =
            R"({"type":"agent.tool_result","id":"e","tool_use_id":"t","content":[{"type":"text","text":"a"})";
        CHECK(read_text(readers::managed_agents(), line).fates == std::vector{LineFate::cut_at_end});
        CHECK(read_text(readers::managed_agents(), line + R"(],"is_error":true})").those("ToolResult") ==
              Lines{"ToolResult t error 'a'"});
    }

    TEST_CASE("records without what they need are counted") {
        CHECK(read_text(readers::managed_agents(), fixture("managed-agents", "bad-fields.jsonl")).fates ==
              std::vector{LineFate::missing_field, LineFate::missing_field, LineFate::unknown_kind,
                          LineFate::missing_field, LineFate::ignored_kind, LineFate::unknown_kind,
                          LineFate::unknown_kind, LineFate::malformed_json});
    }
}

TEST_SUITE("kimi-code") {
    TEST_CASE("the usage of a step is known by step and figures: a fork copies it") {
        const std::string head = R"({"type":"metadata","protocol_version":"1.5","time":1767322800000})"
                                 "\n";
        const auto begin = [](std::string_view step) {
            return fmt::format(
                R"({{"type":"context.append_loop_event","event":{{"type":"step.begin","uuid":"{}"}},"time":1767322800001}})"
                "\n",
                step);
        };
        const auto end = [](std::string_view step) {
            return fmt::format(
                R"({{"type":"context.append_loop_event","event":{{"type":"step.end","uuid":"{}","usage":{{"inputOther":9,"output":2}}}},"time":1767322800002}})"
                "\n",
                step);
        };
        const auto record = [](int output, int time) {
            return fmt::format(
                R"({{"type":"usage.record","model":"k-2","usage":{{"inputOther":9,"output":{}}},"time":{}}})"
                "\n",
                output, 1767322800000 + time);
        };
        const auto keys = [&](const std::string& lines) {
            std::vector<std::uint64_t> found;
            for (const Usage& usage : read_text(readers::kimi_code(), head + lines).events.usages)
                found.push_back(usage.message_key);
            return found;
        };
        const auto one = keys(begin("s1") + end("s1") + record(2, 3));
        REQUIRE(one.size() == 1);
        CHECK(one[0] != 0);
        CHECK(keys(begin("s1") + end("s1") + record(2, 3)) == one);
        CHECK(keys(begin("s1") + end("s1")) == one);  // the copy ended here
        CHECK(keys(begin("s2") + end("s2") + record(2, 3)) != one);
        CHECK(keys(begin("s1") + end("s1") + record(4, 3)) != one);
        // What belongs to no step is known by its time.
        CHECK(keys(record(2, 3)).at(0) != 0);
        CHECK(keys(record(2, 3)) != keys(record(2, 4)));
        CHECK(keys(R"({"type":"usage.record","model":"k-2","usage":{"inputOther":9,"output":2}})"
                   "\n")
                  .at(0) == 0);
    }

    TEST_CASE("a prompt and what joins the context are one message, and what a step used counts once") {
        const auto seen = read_text(readers::kimi_code(), fixture("kimi-code", "minimal.jsonl"));
        CHECK(seen.those("Message user") == Lines{"Message user/human 'what is in here?'"});
        CHECK(seen.those("Usage") == Lines{"Usage in=10 write=0 read=0 out=3 model=k-1"});
    }

    TEST_CASE("without a record of its own the usage of a step counts when the next one begins") {
        const auto seen = read_text(readers::kimi_code(), fixture("kimi-code", "full.jsonl"));
        CHECK(seen.those("Usage") == Lines{"Usage in=7 write=1 read=5 out=2"});
    }

    TEST_CASE("another agent in the same file has a lane") {
        const auto seen = read_text(readers::kimi_code(), fixture("kimi-code", "full.jsonl"));
        const auto at = std::find(seen.lines().begin(), seen.lines().end(), "Message assistant/agent 'helping'");
        REQUIRE(at != seen.lines().end());
        CHECK(seen.events.heads[static_cast<std::size_t>(at - seen.lines().begin())].lane == 1);
    }

    TEST_CASE("undoing and clearing leave the context") {
        const auto seen = read_text(readers::kimi_code(), fixture("kimi-code", "full.jsonl"));
        CHECK(seen.count("Rewind") == 1);
        CHECK(seen.those("Compaction").back() == "Compaction reset");
    }

    TEST_CASE("usage has the name that the provider knows, not that of the user's settings") {
        const auto seen = read_text(
            readers::kimi_code(),
            R"({"type":"llm.request","kind":"loop","model":"k-2","modelAlias":"mine","time":1767322800001})"
            "\n"
            R"({"type":"usage.record","model":"mine","usage":{"inputOther":9,"output":2},"time":1767322800002})"
            "\n"
            R"({"type":"usage.record","model":"other","usage":{"inputOther":8,"output":1},"time":1767322800003})"
            "\n");
        CHECK(seen.those("Usage") ==
              Lines{"Usage in=9 write=0 read=0 out=2 model=k-2", "Usage in=8 write=0 read=0 out=1 model=other"});
        CHECK(seen.those("ContextChange") == Lines{"ContextChange model=k-2"});
    }

    TEST_CASE("a command that failed has its exit code, also above a reminder of the agent") {
        const auto code = [](std::string_view output, std::string_view more) {
            return read_text(readers::kimi_code(),
                             fmt::format(R"({{"type":"context.append_loop_event","event":{{"type":"tool.result",)"
                                         R"("toolCallId":"c","result":{{"output":"{}"{}}}}},"time":1767322800001}})"
                                         "\n",
                                         output, more))
                .those("ToolResult")
                .at(0)
                .substr(0, 28);
        };
        constexpr std::string_view kFailed = R"(,"isError":true)";
        CHECK(code(R"(no\nCommand failed with exit code: 3.)", kFailed) == "ToolResult c error exit=3 'n");
        CHECK(code(R"(no\nCommand failed with exit code: 3.\n\n<system-reminder>\nagain</system-reminder>)", kFailed) ==
              "ToolResult c error exit=3 'n");
        CHECK(code(R"(Command failed with exit code: 3.)", "") == "ToolResult c ok 'Command fai");
    }

    TEST_CASE("what Kimi Code 2 says of its runs and sub-agents beside the conversation is known") {
        std::string text;
        for (const char* type : {"agent.message.appended", "agent.turn.started", "agent.turn.ended", "subagent.spawned",
                                 "subagent.completed", "prompt.completed", "runtime.set_binding"})
            text += fmt::format(R"({{"type":"{}","time":1767322800001}})"
                                "\n",
                                type);
        CHECK(read_text(readers::kimi_code(), text).count(LineFate::ignored_kind) == 7);
    }

    TEST_CASE("the first line is Kimi CLI's as well, the second one tells them apart") {
        const std::string ours = fixture("kimi-code", "minimal.jsonl"), theirs = fixture("kimi-cli", "minimal.jsonl");
        CHECK(score_text(readers::kimi_code(), ours) > score_text(readers::kimi_cli(), ours));
        CHECK(score_text(readers::kimi_cli(), theirs) > score_text(readers::kimi_code(), theirs));
    }
}
