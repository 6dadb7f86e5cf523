#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read(std::string_view text) { return read_text(readers::anthropic_messages(), text); }
std::string testdata(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/anthropic-messages" / name);
}

}  // namespace

TEST_SUITE("anthropic-messages") {
    TEST_CASE("one message a line is one session, and tool results are not a human") {
        const auto seen = read(testdata("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'Is it raining in Bergen?'",
                                  "ToolCall toolu_1 weather 'Bergen'",
                                  "ToolResult toolu_1 unknown 'rain'",
                                  "Message assistant/agent 'It is.'",
                              });
        CHECK(seen.events.heads[5].turn == 1);
        CHECK(seen.events.heads[4].where.line == 3);
    }

    TEST_CASE("where no result ever says that it is an error, nobody knows which one is") {
        const auto seen = read(
            R"({"role":"user","content":"grind"})"
            "\n"
            R"({"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"mill","input":{}}]})"
            "\n"
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Error: no rye"}]})"
            "\n"
            R"({"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"mill","input":{}}]})"
            "\n"
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"no","is_error":true}]})"
            "\n"
            R"({"role":"assistant","content":[{"type":"tool_use","id":"t3","name":"mill","input":{}}]})"
            "\n"
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t3","content":"Error: in the book"}]})"
            "\n");
        const Lines lines = seen.lines();
        CHECK(std::ranges::count(lines, "ToolResult t1 unknown 'Error: no rye'") == 1);
        CHECK(std::ranges::count(lines, "ToolResult t2 error 'no'") == 1);
        CHECK(std::ranges::count(lines, "ToolResult t3 ok 'Error: in the book'") == 1);  // who marks one marks all
    }

    TEST_CASE("cache writes that were bought for an hour are told apart") {
        const auto seen = read(
            R"({"role":"user","content":"hi"})"
            "\n"
            R"({"id":"msg_01","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"yes"}],)"
            R"("usage":{"input_tokens":5,"cache_creation_input_tokens":90,"output_tokens":3,)"
            R"("cache_creation":{"ephemeral_5m_input_tokens":20,"ephemeral_1h_input_tokens":70}}})"
            "\n");
        REQUIRE(seen.events.usages.size() == 1);
        CHECK(seen.events.usages[0].tokens.cache_write == 90);
        CHECK(seen.events.usages[0].tokens.cache_write_1h == 70);
    }

    TEST_CASE("every kind of block has its event") {
        const auto seen = read(testdata("full.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'What is on this picture?' media=1",
                                  "ContextChange model=claude-sonnet-4-5",
                                  "Thinking 'Zoom in.' opaque=4",
                                  "Thinking opaque=8",
                                  "Message assistant/agent 'Zooming.'",
                                  "ToolCall toolu_1 zoom",
                                  "ToolCall srv_1 web_search 'red boat'",
                                  "ToolResult srv_1 ok",
                                  "Usage in=11 write=7 read=500 out=42 model=claude-sonnet-4-5",
                                  "ToolResult toolu_1 error 'out of range'",
                                  "Message user/injected '<system-reminder>be brief</system-reminder>'",
                                  "ToolCall toolu_2 zoom",
                                  "ToolResult toolu_2 ok media=1 opaque",
                                  "Message assistant/agent 'A red boat.'",
                              });
        CHECK(seen.events.heads[4].response == seen.events.heads[10].response);
        CHECK(seen.events.record_ids[4] == "msg_full_000000000001");
        CHECK(seen.events.usages.at(0).message_key != 0);
    }

    TEST_CASE("the digest of a call does not depend on where the name stands") {
        const auto seen = read(
            R"({"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{"a":1}},{"type":"tool_use","input":{"a":1},"name":"f","id":"2"},{"type":"tool_use","id":"3","name":"f"}]})"
            "\n");
        REQUIRE(seen.events.digests.size() == 3);
        CHECK(seen.events.digests[0].canonical == seen.events.digests[1].canonical);
        CHECK(seen.events.digests[0].canonical != seen.events.digests[2].canonical);
        CHECK(seen.events.digests[2].canonical != 0);
    }

    TEST_CASE("a request beside the conversation, while calls are open, is a lane of its session") {
        const std::string ask = R"("messages":[{"role":"user","content":"fix it"})";
        const std::string call =
            R"({"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make"}}])";
        const std::string first = R"({"request":{"model":"big",)" + ask + R"(]},"response":)" + call +
                                  R"(,"model":"big"}})"
                                  "\n";
        const std::string next =
            R"({"request":{"model":"big",)" + ask + "," + call +
            R"(},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}]}})"
            "\n";
        const auto beside = [](const std::string& model) {
            return R"({"request":{"model":")" + model + R"(","messages":[{"role":"user","content":"title, )" + model +
                   R"(?"}]},)"
                   R"("response":{"role":"assistant","content":[{"type":"text","text":"T"}]}})"
                   "\n";
        };
        const auto seen = read(first + beside("small") + next);
        CHECK(seen.lines() == Lines{"SessionStart model=big label=1", "TurnStart", "Message user/human 'fix it'",
                                    "ToolCall t1 Bash 'make'", "LaneOpen", "Message user/agent 'title, small?'",
                                    "ContextChange model=small", "Message assistant/agent 'T'",
                                    "ToolResult t1 unknown 'ok'"});
        CHECK(seen.events.heads[5].lane == 1);
        CHECK(seen.events.heads[8].lane == 0);
        // Any number of them, and the conversation is still known.
        std::string many = first;
        for (int i = 0; i < 40; ++i) many += beside("small" + std::to_string(i));
        CHECK(read(many + next).count("TurnStart") == 1);
        CHECK(read(many + next).count("ToolCall") == 1);
        // The agent itself, begun anew; and what comes behind another session is no part of that.
        CHECK(read(first + beside("big") + next).those("SessionStart") ==
              Lines{"SessionStart model=big label=1", "SessionStart model=big label=2"});
    }

    TEST_CASE("a request log that repeats the history gives every message once, in its session") {
        const auto seen = read(testdata("request-log.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart model=claude-sonnet-4-5 label=1",
                                  "ContextChange system=32",
                                  "TurnStart",
                                  "Message user/human 'fix it'",
                                  "ToolCall toolu_1 bash 'make'",
                                  "ToolResult toolu_1 error 'error: x'",
                                  "Message assistant/agent 'Needs a header.'",
                                  "TurnStart",
                                  "Message user/human 'go on'",
                                  "SessionStart model=claude-haiku-4-5 label=2",
                                  "TurnStart",
                                  "Message user/human 'title for: fix it'",
                              });
        CHECK(seen.events.heads[4].where.line == 3);
        CHECK(seen.events.heads[8].where.line == 4);
        CHECK(seen.events.heads[8].turn == 2);
        CHECK(seen.events.heads[11].where.line == 2);
        for (std::size_t i = 0; i < seen.events.heads.size(); ++i) CHECK(seen.events.heads[i].seq == i + 1);
        CHECK(seen.count(LineFate::understood) == 4);
    }

    TEST_CASE("a response that was logged with its request is not repeated by the next request") {
        const auto seen = read(testdata("request-response-log.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart model=claude-sonnet-4-5 label=1",
                                  "TurnStart",
                                  "Message user/human 'list files'",
                                  "Thinking 'ls' opaque=4",
                                  "ToolCall toolu_1 bash 'ls'",
                                  "Usage in=5 write=0 read=0 out=9 model=claude-sonnet-4-5",
                                  "ToolResult toolu_1 unknown 'a.txt'",
                                  "Message assistant/agent 'One file.'",
                                  "Usage in=15 write=0 read=0 out=4 model=claude-sonnet-4-5",
                              });
    }

    TEST_CASE("a call that a client sends back in other blanks and another order is the same call") {
        const std::string asked = R"({"role":"user","content":"fix it"})";
        const std::string log =
            R"({"request":{"model":"m","messages":[)" + asked +
            R"(]},"response":{"role":"assistant","model":"m","content":[)"
            R"({"type":"tool_use","id":"t1","name":"Edit","input":{"path":"a.c","text":"x"}}]}})"
            "\n"
            R"({"request":{"model":"m","messages":[)" +
            asked +
            R"(,{"role":"assistant","content":[)"
            R"({"type":"tool_use","id":"t1","name":"Edit","input":{ "text": "x", "path": "a.c" }}]},)"
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]}]},)"
            R"("response":{"role":"assistant","model":"m","content":[{"type":"text","text":"Done."}]}})"
            "\n";
        const auto seen = read(log);
        CHECK(seen.those("SessionStart").size() == 1);
        CHECK(seen.those("ToolCall").size() == 1);
        CHECK(seen.those("ToolResult").size() == 1);
    }

    TEST_CASE("reminders of the client beside a prompt are none of it, and come and go without a new session") {
        const auto request = [](const std::string& reminder, const std::string& more) {
            return R"({"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"<system-reminder>)" +
                   reminder + R"(</system-reminder>"},{"type":"text","text":"fix it"}]})" + more + "]}\n";
        };
        const std::string call =
            R"(,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_0123456789abcdef","name":"Bash","input":{"command":"ls"}}]})"
            R"(,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_0123456789abcdef","content":"a"})";
        const auto seen = read(request("one", "") + request("two", call + R"(,{"type":"text","text":"three"}]})") +
                               request("four", call + R"(]},{"role":"assistant","content":"Done."})"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart model=m label=1",
                                  "TurnStart",
                                  "Message user/human 'fix it'",
                                  "Message user/injected '<system-reminder>one</system-reminder>'",
                                  "ToolCall toolu_0123456789abcdef Bash 'ls'",
                                  "ToolResult toolu_0123456789abcdef unknown 'a'",
                                  "Message user/injected 'three'",
                                  "Message assistant/agent 'Done.'",
                              });
    }

    TEST_CASE("figures that were written as text are figures") {
        const auto seen = read(R"({"role":"assistant","model":"m","content":[{"type":"text","text":"a"}],)"
                               R"("usage":{"input_tokens":"12","output_tokens":"3","service_tier":"standard"}})"
                               "\n");
        CHECK(seen.those("Usage") == Lines{"Usage in=12 write=0 read=0 out=3 model=m"});
    }

    TEST_CASE("the same request again says nothing new") {
        const std::string request =
            R"({"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}}]}]})"
            "\n";
        const auto seen = read(request + request + request);
        CHECK(seen.count(LineFate::understood) == 3);
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.count("ToolCall") == 1);
    }

    TEST_CASE("a history that differs before its end is a session of its own") {
        const auto seen = read(
            R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})"
            "\n"
            R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"c"},{"role":"user","content":"d"}]})"
            "\n");
        CHECK(seen.count("SessionStart") == 2);
        CHECK(seen.those("Message").size() == 5);
    }

    TEST_CASE("a shared system prompt is not a shared history") {
        const auto seen = read(R"({"messages":[{"role":"system","content":"s"}]})"
                               "\n"
                               R"({"messages":[{"role":"system","content":"s"},{"role":"user","content":"a"}]})"
                               "\n");
        CHECK(seen.count("SessionStart") == 2);
    }

    TEST_CASE("a growing history is followed in between many others") {
        std::string log;
        std::string history = R"({"role":"user","content":"start"})";
        for (int i = 0; i < 50; ++i) {
            log += R"({"messages":[)" + history + "]}\n";
            for (int side = 0; side < 2; ++side)
                log += fmt::format(R"({{"messages":[{{"role":"user","content":"side {} {}"}}]}})"
                                   "\n",
                                   i, side);
            history += fmt::format(
                R"(,{{"role":"assistant","content":[{{"type":"tool_use","id":"t{0}","name":"f","input":{{"n":{0}}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{0}","content":"ok"}}]}})",
                i);
        }
        const auto seen = read(log);
        CHECK(seen.count("ToolCall") == 49);
        CHECK(seen.count("ToolResult") == 49);
        // That records go on with earlier ones shows when the first one does; from then on it is one session.
        const Lines lines = seen.lines();
        CHECK(std::ranges::count(lines, "SessionStart label=1") == 2);
        CHECK(seen.those("SessionStart label=1 resumed").empty());
    }

    TEST_CASE("agents that share a log are told one after the other, each in one piece") {
        const auto answered = [](char agent, int n) {
            std::string text =
                fmt::format(R"({{"request":{{"model":"m","messages":[{{"role":"user","content":"task {}"}})", agent);
            for (int i = 0; i < n; ++i) {
                text += fmt::format(
                    R"(,{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{0}_0123456789_{1}","name":"f","input":{{}}}}]}},)"
                    R"({{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{0}_0123456789_{1}","content":"ok"}}]}})",
                    agent, i);
            }
            return text +
                   fmt::format(
                       R"(]}},"response":{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{}_0123456789_{}","name":"f","input":{{}}}}]}}}})",
                       agent, n) +
                   "\n";
        };
        std::string log;
        for (int n = 0; n < 5; ++n) {
            for (const char agent : {'a', 'b', 'c'}) log += answered(agent, n);
        }
        const auto seen = read(log);
        CHECK(seen.those("SessionStart").size() == 3);
        CHECK(seen.count("ToolCall") == 15);
        const auto calls = seen.those("ToolCall");
        for (std::size_t i = 0; i < calls.size(); ++i)
            CHECK(calls[i].find(i < 5 ? "toolu_a" : i < 10 ? "toolu_b" : "toolu_c") != std::string::npos);
        for (std::size_t i = 0; i < seen.events.heads.size(); ++i) CHECK(seen.events.heads[i].seq == i + 1);
        // One that comes to its end makes room for the next, and a later one goes on where nothing was told in between.
        const std::string end =
            R"({"request":{"model":"m","messages":[{"role":"user","content":"x"}]},"response":{"role":"assistant","content":"Done."}})"
            "\n";
        CHECK(read(end + answered('a', 0) + answered('a', 1)).those("SessionStart").size() == 2);
    }

    TEST_CASE("what a request says for the first time was said when it was sent, the answer when it came") {
        const auto seen = read(
            R"({"timestamp":"2026-05-04T09:00:09Z","request":{"timestamp":"2026-05-04T09:00:00Z","body":{"messages":[)"
            R"({"role":"user","content":"go"}]}},"response":{"timestamp":"2026-05-04T09:00:02Z","body":{"role":)"
            R"("assistant","content":"Gone."}}})");
        REQUIRE(seen.events.lines.size() == 4);
        CHECK(seen.events.heads[2].time_ms == 1777885200000);
        CHECK(seen.events.heads[3].time_ms == 1777885202000);
    }

    TEST_CASE("a conversation broken in its middle is read up to there") {
        const auto seen = read(testdata("bad-cut-conversation.jsonl"));
        CHECK(seen.fates == std::vector<LineFate>{LineFate::partial, LineFate::understood});
        CHECK(seen.lines() == Lines{"SessionStart label=1", "TurnStart", "Message user/human 'go'",
                                    "ToolCall toolu_1 bash 'ls'", "SessionStart label=2", "ToolCall  ",
                                    "ToolResult  ok"});
    }

    TEST_CASE("tool blocks make it Anthropic's, and only the JSON itself counts") {
        const ReaderSpec claude = readers::anthropic_messages();
        const ReaderSpec chat = readers::chat_completions();
        for (const char* file : {"minimal.jsonl", "full.jsonl", "request-log.jsonl", "request-response-log.jsonl"}) {
            CAPTURE(file);
            CHECK(score_text(claude, testdata(file)) == 85);
            CHECK(score_text(chat, testdata(file)) == 0);
        }
        const std::string_view talk = R"({"role":"user","content":"what does \"tool_use\" mean?"})"
                                      "\n";
        CHECK(score_text(claude, talk) == 0);
        CHECK(score_text(chat, talk) == 75);
    }
}
