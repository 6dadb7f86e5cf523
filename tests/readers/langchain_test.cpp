#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string langchain_file(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/langchain" / name);
}

}  // namespace

TEST_SUITE("langchain") {
    TEST_CASE("messages one a line are a session, each with what it says of usage once") {
        CHECK(read_text(readers::langchain(), langchain_file("minimal.jsonl")).lines() ==
              Lines{
                  "SessionStart",
                  "TurnStart",
                  "Message user/human 'light in the hall?'",
                  "Thinking 'which lamp?'",
                  "ToolCall c1 lamp 'hall'",
                  "Usage in=12 write=0 read=8 out=6 model=small-1",
                  "ToolResult c1 unknown 'on'",
                  "Message assistant/agent 'It is on.'",
                  "Usage in=30 write=0 read=0 out=4 model=small-1",
              });
    }

    TEST_CASE("serialised objects and dictionaries hold the same messages") {
        const auto seen = read_text(readers::langchain(), langchain_file("full.json"));
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult c1 error 'Error: no such room'", "ToolResult c2 error 'those are no arguments'"});
        CHECK(seen.those("ToolCall").size() == 2);
        CHECK(seen.those("Message user") == Lines{"Message user/human 'light in the cellar?'",
                                                  "Message user/agent 'I looked: it burns'",
                                                  "Message user/human 'thanks'"});
        CHECK(seen.those("Usage") == Lines{"Usage in=9 write=0 read=0 out=3 model=small-1"});
    }

    TEST_CASE("a state tells what is new in it, a node what it added; one that begins anew is another session") {
        const auto seen = read_text(readers::langchain(), langchain_file("states.jsonl"));
        CHECK(seen.those("Message") == Lines{"Message user/human 'a?'", "Message assistant/agent 'b'",
                                             "Message assistant/agent 'c'", "Message user/human 'another?'"});
        CHECK(seen.count("SessionStart") == 2);
    }

    TEST_CASE("records without what they need are counted, and other messages are none of LangChain's") {
        const auto seen = read_text(readers::langchain(), langchain_file("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::missing_field, LineFate::understood,
                                        LineFate::unknown_kind, LineFate::unknown_kind, LineFate::understood,
                                        LineFate::understood, LineFate::malformed_json});
        CHECK(seen.count("SessionStart") == 1);
        for (const std::string_view name : {"minimal.jsonl", "full.json", "states.jsonl"})
            CHECK(score_text(readers::langchain(), langchain_file(name)) == 92);
        CHECK(score_text(readers::langchain(), R"({"role":"tool","type":"tool","content":"x","tool_calls":[]})") == 0);
        CHECK(score_text(readers::langchain(), R"({"type":"system","content":"x","uuid":"y"})") == 0);
    }

    TEST_CASE("states and updates of one stream, with the name of their mode before them, are one session") {
        const std::string asked = R"({"type":"human","content":"a?","id":"m1","additional_kwargs":{}})",
                          said = R"({"type":"ai","content":"b","id":"m2","additional_kwargs":{}})";
        const std::string stream = R"(["values",{"messages":[)" + asked + "]}]\n" +
                                   R"([["agent:1"],"updates",{"agent":{"messages":[)" + said + "]}}]\n" +
                                   R"(["values",{"messages":[)" + asked + "," + said + "]}]\n";
        CHECK(score_text(readers::langchain(), stream) == 92);
        const auto seen = read_text(readers::langchain(), stream);
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.those("Message") == Lines{"Message user/human 'a?'", "Message assistant/agent 'b'"});
        CHECK(std::ranges::count(seen.fates, LineFate::understood) == 3);
    }

    TEST_CASE("pieces of an answer are one answer, whatever stands around them and between them") {
        const std::string text = langchain_file("messages.jsonl");
        CHECK(score_text(readers::langchain(), text) == 92);
        const auto seen = read_text(readers::langchain(), text);
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=t-1 model=small-1",
                                  "Message assistant/agent 'Warm it up.'",
                                  "ToolCall k1 oven",
                                  "ToolCall k2 oven",
                                  "Usage in=32 write=0 read=8 out=9 model=small-1",
                                  "ToolResult k1 error 'Error: the door is open'",
                                  "LaneOpen",
                                  "Thinking 'which door?'",
                                  "Message assistant/agent 'The left one.'",
                                  "Usage in=15 write=0 read=0 out=6 model=small-1",
                                  "ToolResult k2 unknown '200'",
                                  "Message assistant/agent 'Done.'",
                                  "Usage in=60 write=0 read=0 out=2 model=small-1",
                                  "SessionStart id=t-2 model=small-1",
                                  "Message assistant/agent 'Hello'",
                                  "Usage in=5 write=0 read=0 out=1 model=small-1",
                              });
        CHECK(seen.events.heads.at(1).where.line == 1);
        CHECK(seen.events.heads.at(6).lane == 1);
        CHECK(std::ranges::count(seen.fates, LineFate::understood) == 14);
        const std::string other = "[\"custom\",{\"percent\":5}]\n{\"type\":\"debug\",\"ns\":[],\"data\":{}}\n";
        CHECK(read_text(readers::langchain(), other).fates ==
              std::vector{LineFate::ignored_kind, LineFate::ignored_kind});
    }

    TEST_CASE("a list of streamed messages in one document is the same stream") {
        std::string list = "[";
        const std::string text = langchain_file("messages.jsonl");
        for (std::size_t at = 0, end; at < 6 * 100 && (end = text.find('\n', at)) != text.npos; at = end + 1)
            list += (list.size() > 1 ? "," : "") + text.substr(at, end - at);
        const auto seen = read_text(readers::langchain(), list + "]\n");
        CHECK(seen.those("Message").front().starts_with("Message assistant/agent 'Warm it up."));
        CHECK(seen.count("SessionStart") == 1);
    }

    TEST_CASE("answers without end are told when there are too many of them, and lose nothing") {
        std::string text;
        for (int i = 0; i < 1000; ++i)
            text += fmt::format(R"([{{"type":"AIMessageChunk","content":"a{}","id":"run-1{}"}},{{"langgraph_step":1}}])"
                                "\n",
                                i, i);
        const auto seen = read_text(readers::langchain(), text);
        CHECK(seen.count("Message") == 1000);
        CHECK(seen.count("SessionStart") == 1);
    }

    TEST_CASE("streamed messages without what they need are counted") {
        const auto seen = read_text(readers::langchain(), langchain_file("bad-messages.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::missing_field, LineFate::ignored_kind,
                                        LineFate::understood, LineFate::understood, LineFate::ignored_kind,
                                        LineFate::unknown_kind, LineFate::unknown_kind, LineFate::ignored_kind,
                                        LineFate::unknown_kind, LineFate::unknown_kind, LineFate::malformed_json});
        CHECK(seen.those("Message") == Lines{"Message assistant/agent 'Warm'"});
    }

    TEST_CASE("a graph inside a tool has a lane, whatever its state begins with, and a wrapped one is the agent") {
        const auto message = [](const std::string& type, const std::string& id, const std::string& more) {
            return R"({"type":")" + type + R"(","id":")" + id + R"(","additional_kwargs":{},)" + more + "}";
        };
        const std::string asked = message("human", "h1", R"("content":"bake")"),
                          said = message("ai", "a1",
                                         R"("content":"","tool_calls":[{"id":"k1","name":"helper","args":{}}])"),
                          told = message("human", "h2", R"("content":"knead")"),
                          done = message("ai", "a2", R"("content":"kneaded")"),
                          result = message("tool", "m1", R"("content":"kneaded","tool_call_id":"k1")");
        const auto state = [](const std::string& graphs, const std::string& messages) {
            return "[" + graphs + R"(,{"messages":[)" + messages + "]}]\n";
        };
        const auto seen =
            read_text(readers::langchain(),
                      state("[]", asked) + state("[]", asked + "," + said) + state(R"(["tools:1","2"])", told) +
                          R"([["tools:1","2"],{"model":{"messages":[)" + done + "]}}]\n" +
                          R"({"type":"updates","ns":[],"data":{"tools":{"messages":[)" + result + "]}}}\n");
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'bake'", "ToolCall k1 helper",
                                    "LaneOpen", "Message user/agent 'knead'", "Message assistant/agent 'kneaded'",
                                    "ToolResult k1 unknown 'kneaded'"});
        CHECK(seen.events.heads.at(6).lane == 1);
        const auto served = read_text(
            readers::langchain(), R"({"event":"updates","data":{"model":{"messages":[)" + said + "]}}}\n" +
                                      R"({"event":"updates|tools:1","data":{"model":{"messages":[)" + done + "]}}}\n");
        CHECK(served.lines().back() == "Message assistant/agent 'kneaded'");
        CHECK(served.events.heads.back().lane == 1);
        const std::string inner = R"([["agent:1"],{"model":{"messages":[)" + done + "]}}]\n";
        CHECK(score_text(readers::langchain(), inner) == 92);
        const auto wrapped = read_text(readers::langchain(), state("[]", asked) + inner);
        CHECK(wrapped.count("LaneOpen") == 0);
        CHECK(wrapped.count("Message") == 2);
    }

    TEST_CASE("an answer that the server repeats with each of its pieces is one answer, as it was at last") {
        const auto part = [](const std::string& event, const std::string& message) {
            return R"({"event":"messages/)" + event + R"(","data":[{"additional_kwargs":{},)" + message + "}]}\n";
        };
        const std::string answer = R"("type":"ai","id":"run-15","content":)",
                          call = R"(,"tool_calls":[{"id":"k1","name":"oven","args":{"say":"\"hot\""}}])";
        const std::string stream =
            part("complete", R"("type":"human","id":"h1","content":"bake")") + part("partial", answer + R"("Wa")") +
            part("partial", answer + R"("Warm it.")") +
            part("partial", answer + R"("Warm it.","usage_metadata":{"input_tokens":9,"output_tokens":2})" + call) +
            part("complete", R"("type":"tool","id":"m1","tool_call_id":"k1","content":"on")") +
            R"({"event":"values","data":{"messages":[{"type":"human","id":"h1","content":"bake"}]}})" + "\n";
        CHECK(score_text(readers::langchain(), stream) == 92);
        const auto seen = read_text(readers::langchain(), stream);
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'bake'",
                                    "Message assistant/agent 'Warm it.'", R"(ToolCall k1 oven '\"hot\"')",
                                    "Usage in=9 write=0 read=0 out=2", "ToolResult k1 unknown 'on'"});
        CHECK(seen.events.heads.at(3).where.line == 2);
    }
}
