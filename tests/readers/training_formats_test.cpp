#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

// tau-bench and ShareGPT: many conversations in one file.

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read(const ReaderSpec& spec, std::string_view name) {
    return read_text(spec, slurp(test::source_dir() / "testdata/readers" / spec.id / name));
}

}  // namespace

TEST_SUITE("tau-bench") {
    TEST_CASE("a run becomes a session named after its task and trial") {
        CHECK(read(readers::tau_bench(), "minimal.json").lines() ==
              Lines{
                  "SessionStart label=task 3 trial 0",
                  "Message system/injected 'You sell tickets.'",
                  "TurnStart",
                  "Message user/human 'One ticket to Oslo, please.'",
                  "ToolCall c1 find_trips 'Oslo'",
                  "ToolResult c1 ok '[]'",
                  "Message assistant/agent 'There is none.'",
              });
    }
    TEST_CASE("of tau2 the error flag decides, the simulated human has calls of its own, and cost is read") {
        const auto seen = read(readers::tau_bench(), "full.json");
        CHECK(seen.those("SessionStart").size() == 3);
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult a1 error 'no such customer'", "ToolResult u1 ok 'rebooted'"});
        CHECK(seen.those("ToolCall u1") == Lines{"ToolCall u1 reboot by-user"});
        CHECK(seen.those("Usage").front() == "Usage in=900 write=0 read=0 out=20 cost=2100");
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd completed", "TurnEnd failed", "TurnEnd failed"});
    }
    TEST_CASE("what the provider answered names the model and what was cached, and is told of the agent alone") {
        const auto seen = read_text(readers::tau_bench(), R"({"id":"s","task_id":"1","reward_info":null,"messages":[
            {"role":"user","content":"hi","usage":{"prompt_tokens":7,"completion_tokens":1},"raw_data":{"model":"person-1"}},
            {"role":"assistant","content":"a","usage":{"prompt_tokens":100,"completion_tokens":5},"raw_data":{"model":"small-1",
             "usage":{"prompt_tokens":100,"prompt_tokens_details":{"cached_tokens":60,"cache_creation_tokens":30},
                      "cache_read_input_tokens":60,"cache_creation_input_tokens":30}}},
            {"role":"assistant","content":"b","usage":{"prompt_tokens":10,"completion_tokens":5},"raw_data":{
             "usage":{"prompt_tokens_details":{"cached_tokens":8,"cache_creation_tokens":3}}}}]})");
        CHECK(seen.those("Usage") ==
              Lines{"Usage in=10 write=30 read=60 out=5 model=small-1", "Usage in=10 write=0 read=0 out=5"});
    }
    TEST_CASE("an action in words is a call, and what the program says then its result") {
        const std::string text =
            R"([{"task_id":1,"reward":0,"traj":[{"role":"user","content":"Where is it?"},)"
            R"({"role":"assistant","content":"Thought:\nI look.\nAction:\n{\"name\": \"find\", \"arguments\": {\"id\": \"7\"}}"},)"
            R"({"role":"user","content":"API output: Error: no such order"},)"
            R"({"role":"assistant","content":"Action:\n{\"name\": \"respond\", \"arguments\": {\"content\": \"Not \\\"here\\\".\"}}"},)"
            R"({"role":"user","content":"API output: what is that?"},)"
            R"({"role":"assistant","content":"Action: none, I wait"}]}])";
        const auto seen = read_text(readers::tau_bench(), text);
        CHECK(Lines(seen.lines().begin() + 1, seen.lines().end()) ==
              Lines{"TurnStart", "Message user/human 'Where is it?'", "Thinking 'I look.'", "ToolCall  find '7'",
                    "ToolResult  error 'Error: no such order'", R"(Message assistant/agent 'Not \"here\".')",
                    "TurnStart", "Message user/human 'API output: what is that?'",
                    "Message assistant/agent 'Action: none, I wait'"});
    }

    TEST_CASE("what was said by voice comes in pieces, and is told by stretches") {
        const auto tick = [](std::string_view agent, std::string_view user, std::string_view more = {}) {
            return fmt::format(
                R"({{"tick_id":0,"timestamp":"2026-03-02T10:00:00","agent_chunk":{{"role":"assistant","content":"{}"}},)"
                R"("user_chunk":{},"agent_tool_calls":[]{}}})",
                agent, user.empty() ? "null" : fmt::format(R"({{"role":"user","content":"{}"}})", user), more);
        };
        const std::string text =
            R"({"simulations":[{"id":"s","task_id":"1","trial":0,"messages":null,"ticks":[)" + tick("Hel", "") + "," +
            tick("lo.", "") + "," + tick("", "Where ") + "," + tick("", "is it?") + "," +
            R"({"tick_id":4,"timestamp":"2026-03-02T10:00:01","agent_chunk":null,"user_chunk":null,"agent_tool_calls":[{"id":"c1","name":"find","arguments":{"id":"7"}}],)"
            R"("agent_tool_results":[{"id":"c1","role":"tool","content":"no such order","error":true}]},)" +
            tick("Not he", "") + "," + tick("re.", "") + R"(],"termination_reason":"user_stop"}]})";
        const auto seen = read_text(readers::tau_bench(), text);
        CHECK(Lines(seen.lines().begin() + 1, seen.lines().end()) ==
              Lines{"Message assistant/agent 'Hello.'", "TurnStart", "Message user/human 'Where is it?'",
                    "ToolCall c1 find '7'", "ToolResult c1 error 'no such order'",
                    "Message assistant/agent 'Not here.'", "TurnEnd completed"});
    }

    TEST_CASE("a text that begins with Error is a failure, and no other one is") {
        const auto seen = read_text(readers::tau_bench(), R"([{"task_id":1,"traj":[
            {"role":"tool","tool_call_id":"a","content":"Error: flight not found"},
            {"role":"tool","tool_call_id":"b","content":"no error at all"}]}])");
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult a error 'Error: flight not found'", "ToolResult b ok 'no error at all'"});
    }
    TEST_CASE("an array behind a line of something else is found and read") {
        const std::string text =
            R"({"note":"x"})"
            "\n"
            R"([{"task_id":1,"traj":[{"role":"user","content":"a"}]},{"task_id":2,"traj":[{"role":"user","content":"b"}]}])";
        CHECK(score_text(readers::tau_bench(), text) == kCertain);
        CHECK(read_text(readers::tau_bench(), text).fates == std::vector{LineFate::unknown_kind, LineFate::understood});
        CHECK(read_text(readers::tau_bench(), text).count("SessionStart") == 2);
    }
    TEST_CASE("messages are counted through all runs of a file, but within a line of a log that line is the place") {
        const std::string run =
            R"({"task_id":1,"reward":0,"traj":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})";
        const auto lines_of = [](const std::string& text) {
            std::vector<std::uint64_t> lines;
            const auto seen = test::read_text(readers::tau_bench(), text);
            for (std::size_t i = 0; i < seen.lines().size(); ++i) {
                if (seen.lines()[i].starts_with("Message")) lines.push_back(seen.events.heads[i].where.line);
            }
            return lines;
        };
        const std::vector<std::uint64_t> counted{1, 2, 3, 4};
        CHECK(lines_of("[" + run + "," + run + "]") == counted);
        CHECK(lines_of("[\n" + run + ",\n" + run + "\n]") == counted);
        CHECK(lines_of(R"({"simulations":[)" + run + "," + run + "]}") == counted);
        CHECK(lines_of(run + "\n" + run + "\n") == std::vector<std::uint64_t>{1, 1, 2, 2});
    }

    TEST_CASE("runs without messages are counted, those with odd ones say so") {
        const auto seen = read(readers::tau_bench(), "bad-fields.json");
        CHECK(seen.fates == std::vector{LineFate::missing_field, LineFate::understood, LineFate::unknown_kind,
                                        LineFate::missing_field, LineFate::cut_at_end});
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.those("Notice").size() == 1);
    }
}

TEST_SUITE("sharegpt") {
    TEST_CASE("a call is read out of its text and answered by the observation") {
        CHECK(read(readers::sharegpt(), "minimal.jsonl").lines() == Lines{
                                                                        "SessionStart label=1",
                                                                        "ContextChange system=26",
                                                                        "TurnStart",
                                                                        "Message user/human 'How warm is it in Oslo?'",
                                                                        "ToolCall  weather 'Oslo'",
                                                                        R"(ToolResult  unknown '{\"celsius\": -4}')",
                                                                        "Message assistant/agent 'Four below zero.'",
                                                                    });
    }
    TEST_CASE("the id of its call is no part of an answer") {
        const std::string call =
            R"({"from":"gpt","value":"<tool_call>\n{\"name\":\"ls\",\"arguments\":{}}\n</tool_call>"},)";
        const auto answer = [](std::string_view json) {
            return fmt::format(R"({{"from":"tool","value":"<tool_response>\n{}\n</tool_response>"}},)", json);
        };
        const std::string text = R"({"conversations":[{"from":"human","value":"look"},)" + call +
                                 answer(R"({\"tool_call_id\":\"a1\",\"name\":\"ls\",\"content\":\"no folder\"})") +
                                 call + answer(R"({\"tool_call_id\":\"a2\",\"content\":{\"error\":1}})") + call +
                                 answer(R"({\"tool_call_id\":\"a3\"})") + R"({"from":"gpt","value":"done"}]})" + "\n";
        CHECK(read_text(readers::sharegpt(), text).those("ToolResult") ==
              Lines{"ToolResult  unknown 'no folder'", R"(ToolResult  unknown '{"error":1}')",
                    R"(ToolResult  unknown '{"tool_call_id":"a3"}')"});
    }

    TEST_CASE("a list of results answers its calls one by one, one text all of them") {
        const auto seen = read(readers::sharegpt(), "full.jsonl");
        CHECK(seen.those("ToolResult") == Lines{
                                              "ToolResult  unknown '3.14'",
                                              "ToolResult  unknown '12.57'",
                                              "ToolResult  unknown '3.14, 12.57'",
                                              "ToolResult  unknown opaque",
                                              R"(ToolResult  unknown '{"hits": 0}')",
                                              "ToolResult  unknown 'none'",
                                              "ToolResult  unknown 'moved a'",
                                              R"(ToolResult  unknown '{"error": "no b"}')",
                                          });
        CHECK(seen.count("ToolCall") == seen.count("ToolResult"));
    }
    TEST_CASE("equal calls are equal however their arguments are written") {
        const auto seen = read_text(readers::sharegpt(), R"({"conversations":[
            {"from":"function_call","value":"{\"name\":\"f\",\"arguments\":{\"a\":1,\"b\":2}}"},
            {"from":"function_call","value":"{\"arguments\":\"{\\\"b\\\":2,\\\"a\\\":1}\",\"name\":\"f\"}"},
            {"from":"function_call","value":"{\"name\":\"f\",\"arguments\":{\"a\":1,\"b\":3}}"}]})");
        REQUIRE(seen.events.digests.size() == 3);
        CHECK(seen.events.digests[0].canonical == seen.events.digests[1].canonical);
        CHECK(seen.events.digests[0].canonical != seen.events.digests[2].canonical);
    }
    TEST_CASE("typed values are told from the blocks of Chat Completions") {
        const auto score = [](std::string_view text) { return score_text(readers::sharegpt(), text); };
        CHECK(score(R"({"messages":[{"role":"user","content":[{"type":"text","value":"a"}]}]})") == 90);
        CHECK(score(R"({"messages":[{"role":"user","content":[{"type":"text","text":"a"}]}]})") == 0);
        CHECK(score(R"({"messages":[{"role":"user","content":"say \"value\""}]})") == 0);
        CHECK(score(R"({"conversations":[{"from":"human","value":"a"}]})") == 95);
        CHECK(score(R"({"conversations":[]})") == 0);
    }
    TEST_CASE("records without what they need are counted") {
        CHECK(read(readers::sharegpt(), "bad-fields.jsonl").fates ==
              std::vector{LineFate::unknown_kind, LineFate::missing_field, LineFate::understood, LineFate::unknown_kind,
                          LineFate::malformed_json});
    }
}
