#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read_ai_sdk(std::string_view text) { return read_text(readers::ai_sdk(), text); }
std::string ai_sdk_data(std::string_view name) { return slurp(test::source_dir() / "testdata/readers/ai-sdk" / name); }

const std::string kSay = R"({"role":"assistant","content":[{"type":"text","text":"Let me see."},)",
                  kAct = R"({"role":"assistant","content":[)", kThen = "]},";

std::string call(std::string_view id) {
    return fmt::format(R"({{"type":"tool-call","toolCallId":"{}","toolName":"timetable","input":{{"query":"pier"}}}})",
                       id);
}
std::string answer(std::string_view id) {
    return fmt::format(
        R"({{"role":"tool","content":[{{"type":"tool-result","toolCallId":"{}","toolName":"timetable","output":{{"type":"text","value":"line 4"}}}}]}})",
        id);
}
/// A step as version 7 keeps it: its messages are its own.
std::string step(std::string_view run, int number, int input, int cached, int output, const std::string& messages) {
    return fmt::format(
        R"({{"callId":"{}","stepNumber":{},"content":[],"finishReason":"stop","usage":{{"inputTokens":{},"outputTokens":{},"cachedInputTokens":{}}},"response":{{"id":"r","modelId":"m","messages":[{}]}}}})",
        run, number, input, output, cached, messages);
}

}  // namespace

TEST_SUITE("ai-sdk") {
    TEST_CASE("calls and results are parts of a content") {
        const auto seen = read_ai_sdk(ai_sdk_data("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'Which tram goes to the pier?'",
                                  "ToolCall call_1 timetable 'pier'",
                                  "ToolResult call_1 ok 'line 4'",
                                  "Message assistant/agent 'Line 4.'",
                              });
    }

    TEST_CASE("an output says by its type what became of the call") {
        const auto seen = read_ai_sdk(ai_sdk_data("full.json"));
        std::vector<std::string> starts;
        for (const std::string& line : seen.those("ToolResult")) starts.push_back(line.substr(0, line.find(" '")));
        CHECK(starts == Lines{"ToolResult call_a ok", "ToolResult call_b error", "ToolResult call_c denied",
                              "ToolResult call_d ok", "ToolResult call_e error", "ToolResult call_x ok"});
        CHECK(seen.those("ToolResult")[1] == "ToolResult call_b error 'no such stop'");
        CHECK(seen.those("ToolResult")[4] == "ToolResult call_e error 'out of paper'");
    }

    TEST_CASE("cached tokens are part of the input") {
        const auto seen = read_ai_sdk(ai_sdk_data("full.json"));
        REQUIRE(seen.events.usages.size() == 1);
        CHECK(seen.events.usages[0].tokens.input == 100);
        CHECK(seen.events.usages[0].tokens.cache_read == 20);
        CHECK(seen.events.usages[0].tokens.reasoning == 8);
    }

    TEST_CASE("steps that do not repeat each other are one session, and each has one response") {
        const Lines wanted{
            "SessionStart model=m label=1",
            "Message assistant/agent 'Let me see.'",
            "ToolCall c1 timetable 'pier'",
            "ToolResult c1 ok 'line 4'",
            "Usage in=60 write=0 read=40 out=7 model=m",
            "ToolCall c2 timetable 'pier'",
            "ToolResult c2 ok 'line 4'",
            "Usage in=10 write=0 read=100 out=5 model=m",
            "SessionStart model=m label=2",
            "Message assistant/agent 'Line 9.'",
            "Usage in=20 write=0 read=0 out=3 model=m",
        };
        const std::string first = step("run-a", 0, 100, 40, 7, kSay + call("c1") + kThen + answer("c1")),
                          second = step("run-a", 1, 110, 100, 5, kAct + call("c2") + kThen + answer("c2")),
                          other = step("run-b", 0, 20, 0, 3, R"({"role":"assistant","content":"Line 9."})");
        SUBCASE("one a line") {
            const auto seen = read_ai_sdk(first + "\n" + second + "\n" + other + "\n");
            CHECK(seen.lines() == wanted);
            CHECK(seen.events.heads[1].response == seen.events.heads[4].response);
            CHECK(seen.events.heads[5].response == seen.events.heads[7].response);
            CHECK(seen.events.heads[4].response != seen.events.heads[7].response);
        }
        SUBCASE("in what the run gave back") {
            const std::string whole = R"({"steps":[)" + first + "," + second + R"(],"_output":null})";
            const auto seen = read_ai_sdk(whole);
            CHECK(seen.lines() == Lines(wanted.begin(), wanted.begin() + 8));
            CHECK(seen.events.heads[5].where.line == 3);
            CHECK(score_text(readers::ai_sdk(), whole) > 0);
        }
    }

    TEST_CASE("a run begins with its first step, however it begins, and what repeats all before it is no step") {
        const std::string done = R"({"role":"assistant","content":"Done."})";
        const auto twice = read_ai_sdk(step("run-a", 0, 9, 0, 1, done) + "\n" + step("run-b", 0, 9, 0, 1, done) + "\n");
        CHECK(twice.count("SessionStart") == 2);
        CHECK(twice.count("Message") == 2);
        // What is about to be asked: the whole history each time.
        const std::string asked = R"({"role":"user","content":"Which tram?"})",
                          said = kAct + call("c1") + kThen + answer("c1");
        const auto before = [](int number, const std::string& messages) {
            return fmt::format(R"({{"callId":"run-c","stepNumber":{},"modelId":"m","messages":[{}]}})"
                               "\n",
                               number, messages);
        };
        const auto seen = read_ai_sdk(before(0, asked) + before(1, asked + "," + said));
        CHECK(seen.count("TurnStart") == 1);
        CHECK(seen.count("ToolCall") == 1);
    }

    TEST_CASE("how an answer finished says nothing of whose usage stands beside a request") {
        const auto asked = [](std::string_view more) {
            return R"({"model":"m","messages":[{"role":"user","content":"hi"}],"usage":{"inputTokens":5,"outputTokens":1})" +
                   std::string(more) + "}\n";
        };
        const auto usual = read_ai_sdk(asked("") + asked("")),
                   finished = read_ai_sdk(asked(R"(,"finishReason":"stop")") + asked(R"(,"finishReason":"stop")"));
        REQUIRE(usual.events.heads.size() == finished.events.heads.size());
        for (std::size_t i = 0; i < usual.events.heads.size(); ++i)
            CHECK(usual.events.heads[i].response == finished.events.heads[i].response);
    }

    TEST_CASE("steps that are no steps cost their record") {
        for (const char* text :
             {R"({"steps":[]})", R"({"steps":[1,"two",null]})", R"({"steps":[{"finishReason":"stop"}]})",
              R"({"steps":[{"response":{"messages":[]}}]})"}) {
            CAPTURE(text);
            const auto seen = read_ai_sdk(text);
            CHECK(seen.lines().empty());
            CHECK(seen.count(LineFate::understood) == 0);
        }
    }

    TEST_CASE("what a tool gave may itself be an object with a type") {
        const auto seen = read_ai_sdk(
            R"({"role":"tool","content":[{"type":"tool-result","toolCallId":"c","toolName":"t","output":{"type":"lamp","value":3}}]})");
        CHECK(seen.those("ToolResult") == Lines{R"(ToolResult c ok '{"type":"lamp","value":3}')"});
    }

    TEST_CASE("it is told from its neighbours") {
        for (const char* name : {"minimal.jsonl", "full.json", "bad-fields.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::ai_sdk(), ai_sdk_data(name)) > 0);
            CHECK(score_text(readers::chat_completions(), ai_sdk_data(name)) == 0);
        }
    }

    TEST_CASE("the body that a response was made of is no answer of its own") {
        const auto with_body = [](const std::string& messages) {
            return R"({"finishReason":"stop","usage":{"inputTokens":50,"cachedInputTokens":20,"outputTokens":5},)"
                   R"("request":{"body":{"model":"m","messages":[{"role":"user","content":"When?"}]}},)"
                   R"("response":{"id":"r","body":{"choices":[{"message":{"role":"assistant","content":"Let me see.",)"
                   R"("tool_calls":[{"id":"c1","type":"function","function":{"name":"timetable","arguments":"{}"}}]}}],)"
                   R"("usage":{"prompt_tokens":50,"completion_tokens":5}},"messages":[)" +
                   messages + "]}}";
        };
        const auto seen = read_ai_sdk(R"({"steps":[)" + with_body(kSay + call("c1") + kThen + answer("c1")) + "]}");
        CHECK(seen.those("ToolCall").size() == 1);
        CHECK(seen.those("Message") == Lines{"Message assistant/agent 'Let me see.'"});
        CHECK(seen.those("Usage").size() == 1);
        CHECK(seen.events.usages.front().tokens.input == 30);
    }

    TEST_CASE("a step whose request went to the Responses API is one of the AI SDK") {
        const std::string one =
            R"({"finishReason":"stop","request":{"body":{"model":"m","input":[{"role":"user","content":[{"type":"input_text","text":"When?"}]}]}},)"
            R"("response":{"messages":[)" +
            kAct + call("c1") + kThen + answer("c1") + "]}}";
        CHECK(score_text(readers::ai_sdk(), one) > score_text(readers::openai_responses(), one));
    }
}
