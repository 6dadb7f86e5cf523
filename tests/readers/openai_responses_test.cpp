#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read(std::string_view name) {
    return read_text(readers::openai_responses(),
                     slurp(test::source_dir() / "testdata/readers/openai-responses" / name));
}

int score(std::string_view text) { return score_text(readers::openai_responses(), text); }

}  // namespace

TEST_SUITE("openai-responses") {
    TEST_CASE("bare items become turn, thought, call, result and answer") {
        CHECK(read("minimal.jsonl").lines() == Lines{
                                                   "SessionStart",
                                                   "TurnStart",
                                                   "Message user/human 'What is in here?'",
                                                   "Thinking 'A list will do.' opaque=4",
                                                   "ToolCall call_1 shell 'ls'",
                                                   "ToolResult call_1 unknown 'todo.txt'",
                                                   "Message assistant/agent 'One file.'",
                                               });
    }
    TEST_CASE("what Codex says in the user's place is no prompt, in records of its requests either") {
        const auto seen = read_text(
            readers::openai_responses(),
            R"({"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"<environment_context>cwd</environment_context>"}]},)"
            R"({"role":"user","content":[{"type":"input_text","text":"<image>s like that, please"}]}]})");
        CHECK(seen.those("Message") == Lines{"Message user/injected '<environment_context>cwd</environment_context>'",
                                             "Message user/human '<image>s like that, please'"});
        CHECK(seen.count("TurnStart") == 1);
    }
    TEST_CASE("a program of Codex's is no command") {
        const auto call = [](std::string_view type, std::string_view input) {
            return read_text(readers::openai_responses(), R"({"type":"message","role":"user","content":"go"})"
                                                          "\n"
                                                          R"({"type":")" +
                                                              std::string(type) + R"(","call_id":"a","name":"exec",)" +
                                                              std::string(input) + "}\n")
                .those("ToolCall");
        };
        CHECK(call("custom_tool_call", R"js("input":"text(1)")js") == Lines{"ToolCall a exec 'text(1)' script"});
        CHECK(call("function_call", R"("arguments":"{\"command\":\"ls\"}")") == Lines{"ToolCall a exec 'ls'"});
    }
    TEST_CASE("every call has its result, those of the provider in the same item") {
        const auto seen = read("full.jsonl");
        CHECK(seen.count("ToolCall") == 9);
        CHECK(seen.count("ToolResult") == 9);
        CHECK(seen.those("ToolResult b")[0].starts_with("ToolResult b error exit=1"));
        CHECK(seen.those("ToolResult c") ==
              Lines{"ToolResult c error 'no such lines'", "ToolResult ci_1 ok '[{\"type\":\"logs\",\"logs\":\"2\"}]'"});
        CHECK(seen.those("ToolResult e") == Lines{"ToolResult e unknown media=1 opaque"});
        CHECK(seen.those("ToolResult mcp") == Lines{R"(ToolResult mcp_1 error '{"message":"gone"}')"});
        CHECK(seen.those("ToolCall d") == Lines{"ToolCall d patch '*** Begin Patch'"});
        CHECK(seen.count("Compaction") == 1);
    }
    TEST_CASE("a request that repeats the conversation adds only what is new") {
        const auto seen = read("exchanges.jsonl");
        CHECK(seen.those("ToolCall") == Lines{"ToolCall call_1 shell 'ls'"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult call_1 unknown 'todo.txt'"});
        CHECK(seen.those("Message") == Lines{"Message user/human 'what is in here?'",
                                             "Message assistant/agent 'One file.'",
                                             "Message user/human 'another matter'", "Message user/human 'and now?'",
                                             "Message assistant/agent 'Well'"});
    }
    TEST_CASE("a response on the line behind its request belongs to it") {
        const std::string ask = R"({"model":"m","input":[{"type":"message","role":"user","content":"a"})";
        const std::string call = R"({"type":"function_call","call_id":"c","name":"ls","arguments":"{}"})";
        const auto seen =
            read_text(readers::openai_responses(),
                      ask + "]}\n" + R"({"object":"response","id":"r1","model":"m","output":[)" + call + "]}\n" + ask +
                          "," + call + R"(,{"type":"function_call_output","call_id":"c","output":"x"}]})" + "\n");
        CHECK(seen.lines() == Lines{"SessionStart model=m label=1", "TurnStart", "Message user/human 'a'",
                                    "ToolCall c ls", "ToolResult c unknown 'x'"});
    }
    TEST_CASE("a request of another model while calls are open stands beside the conversation") {
        const std::string ask = R"({"model":"m","input":[{"type":"message","role":"user","content":"a"})";
        const std::string call = R"({"type":"function_call","call_id":"c","name":"ls","arguments":"{}"})";
        const auto seen = read_text(
            readers::openai_responses(),
            ask + "]}\n" + R"({"object":"response","id":"r1","model":"m","output":[)" + call + "]}\n" +
                R"({"model":"small","input":"title?"})" + "\n" +
                R"({"object":"response","id":"t","model":"small","output":[{"type":"message","role":"assistant","content":"T"}]})" +
                "\n" + ask + "," + call + R"(,{"type":"function_call_output","call_id":"c","output":"x"}]})" + "\n");
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.those("Message") ==
              Lines{"Message user/human 'a'", "Message user/agent 'title?'", "Message assistant/agent 'T'"});
        CHECK(seen.events.heads[4].lane == 1);
        CHECK(seen.events.heads.back().lane == 0);
        // The agent itself, begun anew; its answers name the model in full.
        CHECK(read_text(readers::openai_responses(),
                        ask + "]}\n" + R"({"object":"response","id":"r1","model":"m-1","output":[)" + call +
                            R"(]})"
                            "\n"
                            R"({"model":"m","input":"other"})"
                            "\n")
                  .count("SessionStart") == 2);
    }
    TEST_CASE("a request that has cleared an old output goes on with its conversation") {
        const auto request = [](std::string_view output, std::string_view more) {
            return R"({"model":"m","input":[{"type":"message","role":"user","content":"a"},{"type":"function_call","call_id":)"
                   R"("call_0123456789abcdef","name":"ls","arguments":"{}"},{"type":"function_call_output","call_id":)"
                   R"("call_0123456789abcdef","output":")" +
                   std::string(output) + "\"}" + std::string(more) + "]}\n";
        };
        const auto seen = read_text(
            readers::openai_responses(),
            request("x y z", "") + request("[cleared]", R"(,{"type":"message","role":"user","content":"b"})"));
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.count("ToolResult") == 1);
        CHECK(seen.count("TurnStart") == 2);
    }
    TEST_CASE("agents that share a log are told one after the other, each in one piece, with answers and without") {
        for (const bool answered : {true, false}) {
            CAPTURE(answered);
            const auto exchange = [&](const std::string& agent, int calls) {
                const auto call = [&](int n) {
                    return R"({"type":"function_call","call_id":"call_)" + agent + "_0123456789_" + std::to_string(n) +
                           R"(","name":"f","arguments":"{}"})";
                };
                std::string text =
                    R"({"request":{"model":"m","input":[{"role":"user","content":"task )" + agent + "\"}";
                for (int n = 0; n < calls; ++n) {
                    text += "," + call(n) + R"(,{"type":"function_call_output","call_id":"call_)" + agent +
                            "_0123456789_" + std::to_string(n) + R"(","output":"ok"})";
                }
                text += "]}";
                if (answered)
                    text += R"(,"response":{"id":"resp_)" + agent + "_0123456789_" + std::to_string(calls) +
                            R"(","object":"response","model":"m","output":[)" + call(calls) + "]}";
                return text + "}\n";
            };
            std::string log;
            for (int calls = 0; calls < 4; ++calls) log += exchange("a", calls) + exchange("b", calls);
            const auto seen = read_text(readers::openai_responses(), log);
            CHECK(seen.those("SessionStart").size() == 2);
            CHECK(seen.those("SessionStart model=m label=2").size() == 1);
            const Lines results = seen.those("ToolResult");
            REQUIRE(results.size() == 6);
            for (std::size_t i = 0; i < results.size(); ++i)
                CHECK(results[i].find(i < 3 ? "call_a" : "call_b") != std::string::npos);
            for (std::size_t i = 0; i < seen.events.heads.size(); ++i) CHECK(seen.events.heads[i].seq == i + 1);
        }
    }

    TEST_CASE("a request that names the response before it continues its conversation") {
        CHECK(read("exchanges.jsonl").those("SessionStart") == Lines{"SessionStart model=toy-model label=1",
                                                                     "SessionStart model=toy-model label=2",
                                                                     "SessionStart model=toy-model label=1"});
    }
    TEST_CASE("cached tokens are taken out of the input, and what went wrong is told") {
        const auto seen = read("exchanges.jsonl");
        CHECK(seen.those("Usage") == Lines{"Usage in=60 write=0 read=40 out=20 model=toy-model",
                                           "Usage in=60 write=0 read=100 out=5 model=toy-model",
                                           "Usage in=170 write=0 read=0 out=50"});
        CHECK(seen.events.usages[0].tokens.reasoning == 5);
        CHECK(seen.events.usages[0].message_key != 0);
        CHECK(seen.those("Notice") ==
              Lines{"Notice provider/warning incomplete 'max_output_tokens'",
                    R"(Notice provider/error failed '{"code":"server_error","message":"sorry"}')"});
        CHECK(seen.lines().back() == "TurnEnd failed");
    }
    TEST_CASE("rollouts of one task are runs of their own, with what was asked") {
        const auto seen = read("rollouts.jsonl");
        CHECK(seen.count("SessionStart") == 2);
        CHECK(seen.those("Message") ==
              Lines{"Message system/injected 'You watch the tide.'", "Message user/human 'How high is it?'",
                    "Message assistant/agent 'Two metres.'", "Message system/injected 'You watch the tide.'",
                    "Message user/human 'How high is it?'", "Message assistant/agent 'Low.'"});
        CHECK(seen.count("ToolResult") == 2);
    }
    TEST_CASE("the order of keys does not matter") {
        const auto one = read_text(readers::openai_responses(),
                                   R"({"type":"custom_tool_call","call_id":"a","name":"p","input":"x"})");
        const auto other = read_text(readers::openai_responses(),
                                     R"({"input":"x","name":"p","call_id":"a","type":"custom_tool_call"})");
        CHECK(one.lines() == other.lines());
        REQUIRE(one.events.digests.size() == 1);
        CHECK(one.events.digests[0].canonical == other.events.digests[0].canonical);
    }
    TEST_CASE("a record that no one knows, before the first, is no session of its own") {
        const std::string request = R"({"model":"m","input":[{"role":"user","content":"a"}]})";
        const auto seen = read_text(readers::openai_responses(), "{\"type\":\"brand_new\"}\n" + request + "\n");
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.fates == std::vector{LineFate::unknown_kind, LineFate::understood});
    }
    TEST_CASE("old rollouts of Codex and plain messages are left to their readers") {
        CHECK(score(slurp(test::source_dir() / "testdata/readers/codex-legacy/full.jsonl")) == 0);
        CHECK(score(slurp(test::source_dir() / "testdata/readers/codex/full.jsonl")) == 0);
        CHECK(score(R"({"type":"message","role":"assistant","content":[{"type":"text","text":"a"}]})") == 0);
        CHECK(score(R"({"role":"user","content":"a"})") == 0);
        CHECK(score(R"({"id":"p","messageID":"m","sessionID":"s","type":"reasoning","text":"hm"})") == 0);
        CHECK(score(R"({"model":"m","input":"embed this"})") == 0);
        // A span of Braintrust's.
        CHECK(score(R"({"span_attributes":{"type":"llm"},"input":[{"role":"user","content":"a"}],"output":[],)"
                    R"("metadata":{"model":"m"},"model":"m"})") == 0);
        CHECK(score(R"({"type":"function_call","call_id":"a","name":"f","arguments":"{}"})") == 88);
    }
    TEST_CASE("records without what they need are counted") {
        CHECK(read("bad-fields.jsonl").fates ==
              std::vector{LineFate::missing_field, LineFate::missing_field, LineFate::missing_field,
                          LineFate::unknown_kind, LineFate::unknown_kind, LineFate::missing_field, LineFate::understood,
                          LineFate::understood, LineFate::missing_field, LineFate::unknown_kind, LineFate::unknown_kind,
                          LineFate::malformed_json});
    }

    TEST_CASE("items of the Agents SDK for JavaScript are the same items, bare and in what it puts around them") {
        const std::string call =
            R"({"type":"function_call","callId":"call_1","name":"shell","arguments":"{\"cmd\":\"ls\"}"})";
        const std::string result =
            R"({"type":"function_call_result","callId":"call_1","name":"shell","output":{"type":"text","text":"todo.txt"}})";
        const Lines expected{"ToolCall call_1 shell 'ls'", "ToolResult call_1 unknown 'todo.txt'"};
        const std::string history =
            R"([{"type":"message","role":"user","content":"What is in here?"},)" + call + "," + result + "]";
        CHECK(score(history) > 80);
        CHECK(read_text(readers::openai_responses(), history).those("Tool") == expected);
        const std::string items = R"({"type":"tool_call_item","rawItem":)" + call +
                                  R"(,"agent":{"name":"lead"}})"
                                  "\n"
                                  R"({"type":"tool_call_output_item","rawItem":)" +
                                  result + R"(,"agent":{"name":"lead"},"output":"todo.txt"})";
        CHECK(score(items) > 80);
        CHECK(read_text(readers::openai_responses(), items).those("Tool") == expected);
    }

    TEST_CASE("the state of a run has what was asked, what was done, and the bill of each request") {
        const auto bill = [](int input, int cached, int output) {
            return fmt::format(
                R"({{"usage":{{"requests":1,"inputTokens":{},"outputTokens":{},"inputTokensDetails":[{{"cached_tokens":{}}}]}},"output":[]}})",
                input, output, cached);
        };
        const std::string state =
            R"({"$schemaVersion":"1.0","currentTurn":2,"originalInput":"What is in here?","modelResponses":[)" +
            bill(20, 0, 5) + "," + bill(30, 20, 4) +
            R"(],"generatedItems":[{"type":"tool_call_item","rawItem":{"type":"function_call","callId":"c1","name":"shell","arguments":"{}"}},)"
            R"({"type":"tool_call_output_item","rawItem":{"type":"function_call_result","callId":"c1","output":"todo.txt"}},)"
            R"({"type":"message_output_item","rawItem":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"One file."}]}}],)"
            R"("trace":{"object":"trace","id":"trace_1","workflow_name":"w","group_id":"g"}})";
        CHECK(score(state) == 100);
        CHECK(score_text(readers::openai_agents(), state) == 0);
        CHECK(read_text(readers::openai_responses(), state).lines() ==
              Lines{"SessionStart label=1", "TurnStart", "Message user/human 'What is in here?'", "ToolCall c1 shell",
                    "Usage in=20 write=0 read=0 out=5", "ToolResult c1 unknown 'todo.txt'",
                    "Message assistant/agent 'One file.'", "Usage in=10 write=0 read=20 out=4"});
    }

    TEST_CASE("states of one run, one after the other, tell what is new in each") {
        const std::string call =
            R"({"type":"tool_call_item","rawItem":{"type":"function_call","callId":"c%","name":"shell","arguments":"{}"}})";
        const std::string result =
            R"({"type":"tool_call_output_item","rawItem":{"type":"function_call_result","callId":"c%","output":"%"}})";
        const auto numbered = [](std::string text, std::string_view number) {
            for (std::size_t at; (at = text.find('%')) != text.npos;) text.replace(at, 1, number);
            return text;
        };
        const auto state = [](std::string_view input, std::string_view bills, std::string_view items) {
            return fmt::format(
                R"({{"$schemaVersion":"1.0","originalInput":{},"modelResponses":[{}],"generatedItems":[{}]}})"
                "\n",
                input, bills, items);
        };
        const std::string one = R"({"usage":{"inputTokens":20,"outputTokens":5}})";
        const std::string two = one + R"(,{"usage":{"inputTokens":30,"outputTokens":4}})";
        const std::string begun = numbered(call, "1");  // it waits to be allowed
        const std::string done = begun + "," + numbered(result, "1"),
                          next = done + "," + numbered(call, "2") + "," + numbered(result, "2");
        for (const std::string_view asked : {R"("go")", R"([{"type":"message","role":"user","content":"go"}])"}) {
            const std::string all = state(asked, one, begun) + state(asked, one, done) + state(asked, two, next);
            CHECK(read_text(readers::openai_responses(), all).lines() ==
                  Lines{"SessionStart label=1", "TurnStart", "Message user/human 'go'", "ToolCall c1 shell",
                        "Usage in=20 write=0 read=0 out=5", "ToolResult c1 unknown '1'", "ToolCall c2 shell",
                        "Usage in=30 write=0 read=0 out=4", "ToolResult c2 unknown '2'"});
            // Another run that is asked the same does it anew.
            const std::string again = state(asked, two, next) + state(asked, one, numbered(call, "7"));
            CHECK(read_text(readers::openai_responses(), again).those("Message user/human").size() == 2);
        }
    }
}
