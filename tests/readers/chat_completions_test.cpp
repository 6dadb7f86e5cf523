#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

#include <array>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read(std::string_view text) { return read_text(readers::chat_completions(), text); }
std::string testdata(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/chat-completions" / name);
}
Score score(std::string_view text) { return score_text(readers::chat_completions(), text); }

}  // namespace

TEST_SUITE("chat-completions") {
    TEST_CASE("of a document that ends too early the whole messages are read, and one record is not whole") {
        const std::string text =
            R"({"messages":[{"role":"user","content":"go"},{"role":"assistant","content":"gone"},{"role":"us)";
        const auto seen = read_text(readers::chat_completions(), text);
        CHECK(seen.count("Message") == 2);
        CHECK(seen.fates == std::vector{LineFate::partial});
        const auto torn =
            read_text(readers::chat_completions(), text + "\n" + R"({"role":"user","content":"on"})" + "\n");
        CHECK(torn.count(LineFate::malformed_json) == 1);
    }

    TEST_CASE("a hit of the prompt cache is part of the prompt, under each of its names") {
        for (
            const char* hit :
            {R"("prompt_tokens_details":{"cached_tokens":60})", R"("prompt_cache_hit_tokens":60)",
             R"("prompt_cache_hit_tokens":60,"prompt_cache_miss_tokens":40,"prompt_tokens_details":{"cached_tokens":60})"}) {
            CAPTURE(hit);
            const auto seen = read(fmt::format(
                R"({{"messages":[{{"role":"user","content":"go"}},{{"role":"assistant","content":"on","usage":{{"prompt_tokens":100,{},"completion_tokens":7}}}}]}})",
                hit));
            CHECK(seen.those("Usage") == Lines{"Usage in=40 write=0 read=60 out=7"});
        }
    }

    TEST_CASE("the trajectories of an episode are sessions, whose steps repeat what was said before") {
        const std::string episode = test::slurp(test::source_dir() / "testdata/readers/chat-completions/episode.json");
        const auto seen = read_text(readers::chat_completions(), episode);
        CHECK(seen.lines() == std::vector<std::string>{
                                  "SessionStart label=1", "Message system/injected 'You watch the tide.'", "TurnStart",
                                  "Message user/human 'How high is it?'", "Message assistant/agent 'I look.'",
                                  "ToolCall call_1 read_gauge 'pier'", "ToolResult call_1 unknown 'two metres'",
                                  "Message assistant/agent 'Two metres.'", "SessionStart label=2",
                                  "Message system/injected 'You watch the tide.'", "TurnStart",
                                  "Message user/human 'How high is it?'", "Message assistant/agent 'Low.'"});
        CHECK(seen.events.heads[4].where.line == 3);
        CHECK(seen.events.heads[6].where.line == 3 + 4);  // the second step has the first three messages again
        CHECK(seen.events.heads.back().where.line == 3 + 5 + 3);
        CHECK(test::score_text(readers::chat_completions(), episode) == 80);
    }

    TEST_CASE("of training data with a chosen and a rejected answer each is a conversation, with what was asked once") {
        const std::string call =
            R"({"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]})";
        const std::string ask = R"({"role":"user","content":"Fix it."})";
        const std::string no = R"({"role":"assistant","content":"No."})";
        const std::vector<std::string> wanted{
            "TurnStart", "Message user/human 'Fix it.'", "ToolCall c1 ls",
            "TurnStart", "Message user/human 'Fix it.'", "Message assistant/agent 'No.'"};
        for (const std::string& row :
             {R"({"prompt":[)" + ask + R"(],"chosen":[)" + call + R"(],"rejected":[)" + no + "]}",
              R"({"prompt":"Fix it.","chosen":[)" + ask + "," + call + R"(],"rejected":[)" + ask + "," + no + "]}",
              R"({"prompt":[)" + ask + R"(],"chosen":[)" + ask + "," + call + R"(],"rejected":[)" + ask + "," + no +
                  "]}"}) {
            CAPTURE(row);
            const auto seen = read_text(readers::chat_completions(), row + "\n" + row);
            CHECK(seen.count("SessionStart") == 4);
            std::vector<std::string> first;
            for (const std::string& line : seen.lines()) {
                if (!line.starts_with("SessionStart") && first.size() < wanted.size()) first.push_back(line);
            }
            CHECK(first == wanted);
            CHECK(test::score_text(readers::chat_completions(), row) == 80);
        }
    }

    TEST_CASE("a prompt and its completion are one conversation") {
        const std::string asked = R"([ {"role":"system","content":"You help."},{"role":"user","content":"list"} ])";
        const std::string call =
            R"({"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]})";
        const std::string text =
            R"({"prompt":)" + asked + R"(,"completion":[)" + call +
            R"(,{"role":"tool","tool_call_id":"c1","content":"a.txt"},{"role":"assistant","content":"One."}],"reward":1})" +
            "\n" + R"({"completion":"None.","prompt":)" + asked + "}\n";
        const auto seen = read(text);
        CHECK(seen.count("SessionStart") == 2);
        CHECK(seen.those("Message user/human").size() == 2);
        CHECK(seen.count("ToolCall") == 1);
        CHECK(seen.count("ToolResult") == 1);
        CHECK(seen.lines().back() == "Message assistant/agent 'None.'");
        CHECK(seen.events.heads.back().where.line == 2);
        CHECK(score(text) == 80);
        CHECK(score(R"({"prompt":"tell me","completion":"no"})") == 0);
        CHECK(score(R"({"prompt":[{"a":1}],"completion":"no"})") == 0);
    }

    TEST_CASE("one message a line is one session") {
        const auto seen = read(testdata("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'Which gate does flight 12 leave from?'",
                                  "ToolCall call_1 flight_status",
                                  "ToolResult call_1 unknown 'gate B4'",
                                  "Message assistant/agent 'Gate B4.'",
                              });
        CHECK(seen.events.heads[3].where.line == 2);
        CHECK(seen.events.heads[3].response != 0);
        CHECK(seen.events.heads[3].response != seen.events.heads[5].response);
        CHECK(seen.events.heads[5].turn == 1);
    }

    TEST_CASE("every kind of message has its events") {
        const auto seen = read(testdata("full.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "Message system/injected 'You book flights.'",
                                  "Message system/injected 'Be brief.'",
                                  "TurnStart",
                                  R"(Message user/human 'Book this\nfor Ada' media=1)",
                                  "ContextChange model=gpt-4o",
                                  "Thinking 'Two calls.'",
                                  "Message assistant/agent 'Looking.'",
                                  "ToolCall call_1 search 'x'",
                                  "ToolCall call_2 route 'OSL'",
                                  "Usage in=40 write=0 read=60 out=20 model=gpt-4o cost=1200",
                                  "ToolResult call_1 error 'nothing found'",
                                  R"(ToolResult  unknown 'two\nlines')",
                                  "ToolCall  pay",
                                  "ToolResult  unknown 'paid'",
                                  "Message assistant/agent 'I cannot help with that.'",
                              });
        CHECK(seen.events.usages.at(0).tokens.reasoning == 5);
        CHECK(seen.events.usages.at(0).message_key != 0);
        CHECK(seen.count(LineFate::understood) == 9);
    }

    TEST_CASE("the digest of a call does not depend on key order, spelling of numbers, or text against object") {
        const auto seen = read(
            R"({"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"a\": 1, \"b\": \"x\"}"}}]})"
            "\n"
            R"({"role":"assistant","tool_calls":[{"function":{"arguments":"{\"b\":\"x\",\"a\":1.0}","name":"f"},"id":"2"}]})"
            "\n"
            R"({"role":"assistant","tool_calls":[{"function":{"arguments":{"b":"x","a":1},"name":"f"},"id":"3"}]})"
            "\n"
            R"({"role":"assistant","tool_calls":[{"id":"4","name":"f","args":{"a":1,"b":"x"}}]})"
            "\n"
            R"({"role":"assistant","tool_calls":[{"id":"5","function":{"name":"f","arguments":"{\"a\":2,\"b\":\"x\"}"}}]})"
            "\n");
        REQUIRE(seen.events.digests.size() == 5);
        for (int i = 1; i < 4; ++i)
            CHECK(seen.events.digests[0].canonical == seen.events.digests[static_cast<std::size_t>(i)].canonical);
        CHECK(seen.events.digests[0].canonical != seen.events.digests[4].canonical);
    }

    TEST_CASE("a line with messages is a session of its own, placed on its line") {
        const auto seen = read(testdata("sessions.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart label=1",
                                  "ContextChange system=50",
                                  "Message system/injected 'Be kind.'",
                                  "TurnStart",
                                  "Message user/human 'first'",
                                  "Message assistant/agent 'one'",
                                  "SessionStart label=2",
                                  "Message system/injected 'Be kind.'",
                                  "TurnStart",
                                  "Message user/human 'second'",
                                  "Message assistant/agent 'two'",
                              });
        CHECK(seen.events.heads[5].where.line == 1);
        CHECK(seen.events.heads[6].where.line == 2);
        CHECK(seen.events.heads[10].where.line == 2);
        CHECK(seen.events.heads[10].turn == 1);
        CHECK(seen.events.heads[5].response != seen.events.heads[10].response);
    }

    TEST_CASE("in a single document the place is the message's position") {
        const auto seen = read(testdata("document.json"));
        CHECK(seen.lines() == Lines{"SessionStart model=gpt-4o label=1", "TurnStart", "Message user/human 'hello'",
                                    "Message assistant/agent 'hi'", "TurnStart", "Message user/human 'bye'"});
        CHECK(seen.events.heads[2].where.line == 1);
        CHECK(seen.events.heads[3].where.line == 2);
        CHECK(seen.events.heads[5].where.line == 3);
        const std::string text = testdata("document.json");
        CHECK(text.substr(seen.events.heads[5].where.offset, 8) == R"({"role":)");
    }

    TEST_CASE("an array of messages is one session, an array of conversations one each") {
        const auto messages = read(R"([ {"role":"user","content":"a"}, {"role":"assistant","content":"b"} ])");
        CHECK(messages.count("SessionStart") == 1);
        CHECK(messages.events.heads.back().where.line == 2);
        const auto conversations =
            read(R"([{"messages":[{"role":"user","content":"a"}]}, {"messages":[{"role":"user","content":"b"}]}])");
        CHECK(conversations.those("SessionStart") == Lines{"SessionStart label=1", "SessionStart label=2"});
        CHECK(conversations.events.heads.back().where.line == 2);
    }

    TEST_CASE("lines that are arrays of messages are sessions") {
        const auto seen = read(R"([{"role":"user","content":"a"}])"
                               "\n"
                               R"([{"role":"user","content":"b"}])"
                               "\n");
        CHECK(seen.count("SessionStart") == 2);
        CHECK(read(R"(["method", {"type":"event"}])"
                   "\n"
                   R"(["method", {"type":"event"}])"
                   "\n")
                  .count(LineFate::unknown_kind) == 2);
    }

    TEST_CASE("a task id names the session, whatever else the record holds") {
        const auto seen = read(R"([{"task_id": 7, "reward": 1.0, "messages": [{"role":"user","content":"a"}]}])");
        CHECK(seen.lines() == Lines{"SessionStart label=7", "TurnStart", "Message user/human 'a'"});
    }

    TEST_CASE("of a response's choices only the first was used") {
        const auto seen = read(testdata("responses.jsonl"));
        CHECK(seen.lines() == Lines{"SessionStart model=gpt-4o", "Message assistant/agent 'Four.'",
                                    "Usage in=9 write=0 read=0 out=2 model=gpt-4o"});
        CHECK(seen.events.heads[1].time_ms == 1772445600000);
    }

    TEST_CASE("a conversation logged with its response ends with it") {
        const auto seen = read(
            R"({"messages":[{"role":"user","content":"2+2"}],"choices":[{"message":{"role":"assistant","content":"4"}}],"usage":{"prompt_tokens":5,"completion_tokens":1}})"
            "\n");
        CHECK(seen.lines() == Lines{"SessionStart label=1", "TurnStart", "Message user/human '2+2'",
                                    "Message assistant/agent '4'", "Usage in=5 write=0 read=0 out=1"});
        CHECK(seen.events.heads[3].response == seen.events.heads[4].response);
    }

    TEST_CASE("in a group chat named speakers and unknown roles are agents, and the first speaker gives the task") {
        const auto seen = read(testdata("../agent-history/group-chat.jsonl"));
        CHECK(seen.lines() ==
              Lines{"SessionStart", "TurnStart", "Message user/human 'Work out the area of the field together.'",
                    R"(Message assistant/agent 'exitcode: 1 (execution failed)\nCode output: no such file')",
                    "Message assistant/agent 'Let me try again.'", "Message assistant/agent 'Orchestrator speaks'",
                    "TurnStart", "Message user/human 'task done?'", "Message system/injected 'Initialized tools'"});
        CHECK((seen.events.heads.back().flags & kSynthetic) != 0);
        CHECK(seen.events.heads[3].response != seen.events.heads[4].response);
    }

    TEST_CASE("a user with a name is a human where assistants have none") {
        const auto seen = read(R"({"role":"user","name":"ada","content":"a"})"
                               "\n"
                               R"({"role":"assistant","content":"b"})"
                               "\n"
                               R"({"role":"user","name":"bob","content":"c"})"
                               "\n");
        CHECK(seen.those("Message user/human").size() == 2);
    }

    TEST_CASE("an agent that acts first is not taken for a human") {
        const auto seen = read(
            R"({"role":"assistant","content":"I begin","tool_calls":[{"id":"1","function":{"name":"ls","arguments":"{}"}}]})"
            "\n");
        CHECK(seen.those("Message") == Lines{"Message assistant/agent 'I begin'"});
        CHECK(seen.count("TurnStart") == 0);
    }

    TEST_CASE("observations that a harness writes as user are not human") {
        const auto seen = read(R"({"role":"user","content":"do it"})"
                               "\n"
                               R"({"role":"user","content":"<returncode>1</returncode>"})"
                               "\n");
        CHECK(seen.those("Message") ==
              Lines{"Message user/human 'do it'", "Message user/injected '<returncode>1</returncode>'"});
    }

    TEST_CASE("wrong types lose their own field and nothing else") {
        const auto seen = read(testdata("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector<LineFate>{LineFate::missing_field, LineFate::missing_field,
                                                  LineFate::understood, LineFate::understood, LineFate::understood,
                                                  LineFate::missing_field, LineFate::missing_field,
                                                  LineFate::understood, LineFate::unknown_kind,
                                                  LineFate::malformed_json});
        CHECK(seen.lines() == Lines{"SessionStart", R"(ToolResult  unknown '{"found":3}')",
                                    "Message assistant/agent '7'", "Message assistant/agent 'loose'", "ToolCall  ",
                                    "ToolCall c f '{broken'", "SessionStart label=2", "TurnStart",
                                    "Message user/human 'fine'", "Notice reader/warning message-without-role"});
    }

    TEST_CASE("a conversation that is cut off gives nothing") {
        const auto seen = read(R"({"messages":[{"role":"user","content":"a"}])"
                               "\n"
                               R"({"role":"user","content":"b"})"
                               "\n");
        CHECK(seen.fates == std::vector<LineFate>{LineFate::malformed_json, LineFate::understood});
        CHECK(seen.those("Message") == Lines{"Message user/human 'b'"});
    }

    TEST_CASE("an answer on the line behind its request is not told again by the next request") {
        const std::string ask = R"({"model":"m","messages":[{"role":"user","content":"a"})";
        const std::string call =
            R"("tool_calls":[{"id":"c","type":"function","function":{"name":"ls","arguments":"{}"}}])";
        const auto seen = read(
            ask + "]}\n" + R"({"id":"r1","choices":[{"message":{"role":"assistant","content":null,)" + call + "}}]}\n" +
            ask + R"(,{"role":"assistant",)" + call + R"(},{"role":"tool","tool_call_id":"c","content":"x"}]})" + "\n" +
            R"({"id":"r2","choices":[{"message":{"role":"assistant","content":"done"}}]})" + "\n");
        CHECK(seen.lines() == Lines{"SessionStart model=m label=1", "TurnStart", "Message user/human 'a'",
                                    "ToolCall c ls", "ToolResult c unknown 'x'", "Message assistant/agent 'done'"});
    }

    TEST_CASE("a request that is cut off before it says anything new begins no session") {
        const std::string known = R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"})";
        const auto seen = read(known + R"(,{"role":"user","content":"c"}]})" + "\n" + known + R"(,{"role":"us)");
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.count("TurnStart") == 2);
    }

    TEST_CASE("a document that is cut off right behind a message gives its messages") {
        const auto seen = read(
            "{\n\"messages\": [\n{\"role\":\"user\",\"content\":\"a\"},\n{\"role\":\"assistant\",\"content\":\"b\"}\n");
        CHECK(seen.those("Message") == Lines{"Message user/human 'a'", "Message assistant/agent 'b'"});
    }

    TEST_CASE("a request that has cleared an old result goes on with its conversation") {
        const auto log = [](std::string_view id) {
            const auto call = R"({"role":"assistant","tool_calls":[{"id":")" + std::string(id) +
                              R"(","type":"function","function":{"name":"ls","arguments":"{}"}}]})";
            const auto request = [&](std::string_view result, std::string_view more) {
                return R"({"messages":[{"role":"user","content":"a"},)" + call + R"(,{"role":"tool","tool_call_id":")" +
                       std::string(id) + R"(","content":")" + std::string(result) + "\"}" + std::string(more) + "]}\n";
            };
            return read(request("x y z", "") + request("[cleared]", R"(,{"role":"user","content":"b"})"));
        };
        const auto seen = log("call_0123456789abcdef");
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.those("ToolResult") == Lines{"ToolResult call_0123456789abcdef unknown 'x y z'"});
        CHECK(seen.count("TurnStart") == 2);
        CHECK(log("call_1").count("SessionStart") == 2);  // a counter: this may be another run of the same task
    }

    TEST_CASE("a request in which old outputs are cut short goes on with the conversation that has its answers") {
        const auto message = [](std::string_view role, const std::string& text) {
            return R"({"role":")" + std::string(role) + R"(","content":")" + text + R"("})";
        };
        const auto request = [&](const std::vector<std::string>& outputs, const std::string& task = "solve it") {
            std::string text = R"({"model":"m","messages":[)" + message("system", "s") + "," + message("user", task);
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                text += "," + message("assistant", "I look at file " + std::to_string(i)) + "," +
                        message("user", outputs[i]);
            }
            return text + "]}\n";
        };
        const auto seen = read(request({}) + request({"one"}) + request({"one", "two"}) +
                               request({"(cut)", "two", "three"}) + request({"(cut)", "(cut)", "three", "four"}));
        CHECK(seen.those("SessionStart").size() == 1);
        CHECK(seen.those("Message assistant").size() == 4);
        CHECK(seen.those("Message user").size() == 5);
        // What was asked for, and what was answered, is another conversation; so is an edit before there is enough to
        // know one by.
        CHECK(read(request({"one", "two"}) + request({"(cut)", "two", "three"}, "solve that"))
                  .those("SessionStart")
                  .size() == 2);
        CHECK(read(request({"one"}) + request({"(cut)", "two"})).those("SessionStart").size() == 2);
        // Of two that gave the same answers, it goes on with the one that it is nearer to.
        const auto both = read(request({"a", "b"}) + request({"x", "y"}) + request({"(cut)", "y", "z"}) +
                               request({"(cut)", "b", "c"}));
        CHECK(both.those("Message assistant").size() == 6);
    }

    TEST_CASE("recognised are messages, conversations and responses, whatever the order of keys") {
        CHECK(score(testdata("minimal.jsonl")) == 75);
        CHECK(score(testdata("sessions.jsonl")) == 80);
        CHECK(score(testdata("document.json")) == 80);
        CHECK(score(testdata("responses.jsonl")) == 80);
        CHECK(score(testdata("../agent-history/group-chat.jsonl")) == 50);
        CHECK(score(R"({"content":"a","role":"user"})"
                    "\n") == score(R"({"role":"user","content":"a"})"
                                   "\n"));
        CHECK(score(R"([{"task_id":1,"traj":[{"role":"user","content":"a"}]}])") == 0);
    }

    TEST_CASE("messages of its own make a record a conversation, whatever stands beside them") {
        const std::string chat = R"("messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})";
        const std::string blocks =
            R"("messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}]})";
        for (const std::string_view beside : {"instance_id", "uuid", "conversation_id", "sessionId", "schema_version",
                                              "history", "message", "payload", "info"}) {
            CAPTURE(beside);
            const std::string key = fmt::format(R"({{"{}":"x",)", beside);
            CHECK(score(key + chat + "\n") == 80);
            CHECK(score_text(readers::anthropic_messages(), key + blocks + "\n") == 85);
        }
        CHECK(score(R"({"uuid":"x","request":{)" + chat + "}\n") == 80);
        // Lists in which others keep what was said and done.
        CHECK(score(R"({"instance_id":"x","history":[{"action":"run"}],)" + chat + "\n") == 0);
        CHECK(score(R"({"projectHash":"x","sessionId":"s",)" + chat + "\n") == 0);
        CHECK(score(R"({"uuid":"x","messages":[{"type":"user","content":"\"role\""}]})"
                    "\n") == 0);
    }

    TEST_CASE("messages may be called a trajectory, steps of another kind are none") {
        const std::string record =
            R"({"instance_id":"x","trajectory":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}],"exit_status":"submitted"})"
            "\n";
        CHECK(score(record) == 80);
        CHECK(read_text(readers::chat_completions(), record).those("Message") ==
              Lines{"Message user/human 'a'", "Message assistant/agent 'b'"});
        CHECK(score(R"({"instance_id":"x","trajectory":[{"action":"ls","observation":"a"}],"history":[]})"
                    "\n") == 0);
        const std::string both =
            R"({"messages":[{"role":"user","content":"a"}],"trajectory":[{"role":"user","content":"b"}]})";
        CHECK(read_text(readers::chat_completions(), both + "\n").those("Message") == Lines{"Message user/human 'a'"});
    }

    TEST_CASE("other formats with roles are not recognised") {
        for (const std::string_view text :
             {R"({"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"a"}})",
              R"({"role":"user","message":{"content":[{"type":"text","text":"a"}]}})",
              R"({"conversations":[{"from":"human","value":"a"}]})",
              R"({"timestamp":"t","type":"response_item","payload":{"role":"user","content":"a"}})",
              R"({"role":"_system_prompt","content":"a"})", R"({"role":"user","parts":[{"text":"a"}]})",
              R"({"info":{"id":"ses_1"},"messages":[{"info":{"role":"user"},"parts":[]}]})",
              R"({"trajectory_format":"mini-swe-agent-1","messages":[{"role":"user","content":"a"}]})",
              R"({"history":[{"role":"human","content":"a"}],"mistake_step":"1"})",
              R"({"type":"message","id":"x","timestamp":"t","message":{"role":"user","content":"a"}})",
              R"({"anything":"else"})", R"("role")", "not json"}) {
            CAPTURE(text);
            CHECK(score(std::string(text) + "\n") == 0);
            CHECK(score_text(readers::anthropic_messages(), std::string(text) + "\n") == 0);
        }
    }
}

TEST_CASE("corpus: chat recordings are recognised and every result has its call") {
    if (!std::filesystem::exists(test::shared_dir() / "corpus")) {
        MESSAGE("skipped: ../shared/corpus is not there");
        return;
    }
    const std::string lines = slurp(test::shared_dir() / "corpus/chat-completions/tau-airline-messages.jsonl");
    CHECK(score(lines) == 80);
    const auto seen = read(lines);
    CHECK(seen.count(LineFate::understood) == 20);
    CHECK(seen.count("SessionStart") == 20);
    CHECK(seen.count("ToolCall") == 107);
    CHECK(seen.count("ToolResult") == 107);
}

TEST_CASE("corpus: recordings of other formats are left to their readers") {
    const auto corpus = test::shared_dir() / "corpus";
    if (!std::filesystem::exists(corpus)) {
        MESSAGE("skipped: ../shared/corpus is not there");
        return;
    }
    for (const auto& file : std::filesystem::recursive_directory_iterator(corpus)) {
        const std::string format = std::filesystem::relative(file.path(), corpus).begin()->string();
        // Chat messages in a thin wrapping of their own.
        if (!file.is_regular_file() || format == "chat-completions" || format == "mini-swe-agent" ||
            format == "sharegpt")
            continue;
        CAPTURE(file.path().string());
        const std::string text = slurp(file.path());
        // Session documents of the Cline SDK hold messages as any application's log does, and say more.
        Score own = 1;
        if (format == "cline") own = score_text(readers::cline(), text);
        CHECK(score(text) < own);
        CHECK(score_text(readers::anthropic_messages(), text) < own);
        if (format != "pi") CHECK(score_text(readers::pi(), text) == 0);
        if (format != "openclaw") CHECK(score_text(readers::openclaw(), text) == 0);
    }
}

TEST_CASE("labelled: every trace is claimed by one of the four readers and read without a bad record") {
    const auto labelled = test::shared_dir() / "labelled";
    if (!std::filesystem::exists(labelled)) {
        MESSAGE("skipped: ../shared/labelled is not there");
        return;
    }
    const std::array specs{readers::pi(), readers::openclaw(), readers::chat_completions(),
                           readers::anthropic_messages()};
    std::size_t traces = 0;
    for (const auto& set : std::filesystem::directory_iterator(labelled)) {
        if (!set.is_directory()) continue;
        for (const auto& file : std::filesystem::directory_iterator(set.path() / "traces")) {
            CAPTURE(file.path().string());
            const std::string text = slurp(file.path());
            const ReaderSpec* claimed = nullptr;
            int claims = 0;
            for (const ReaderSpec& spec : specs) {
                if (score_text(spec, text) == 0) continue;
                claimed = &spec;
                ++claims;
            }
            REQUIRE(claims == 1);
            const auto seen = read_text(*claimed, text);
            CHECK(seen.count(LineFate::understood) == seen.fates.size());
            CHECK(seen.count("SessionStart") == 1);
            ++traces;
        }
    }
    CHECK(traces == 375);
}
