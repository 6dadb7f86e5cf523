#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string langchain_events_file(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/langchain-events" / name);
}

}  // namespace

TEST_SUITE("langchain-events") {
    TEST_CASE("what nodes and graphs repeat of their models and tools is told once") {
        const auto seen = read_text(readers::langchain_events(), langchain_events_file("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=t-9 model=small-1 label=LangGraph t-9",
                                  "TurnStart",
                                  "Message user/human 'Is the oven hot?'",
                                  "ToolCall k1 oven 'heat'",
                                  "Usage in=20 write=0 read=10 out=4 model=small-1",
                                  "ToolResult k1 ok '180'",
                                  "Message assistant/agent 'It is.'",
                                  "Usage in=44 write=0 read=0 out=3 model=small-1",
                              });
        CHECK(seen.events.heads.at(3).where.line == 4);
    }

    TEST_CASE("an agent in a tool has a lane, a node may make messages of its own, and an error is told once") {
        const auto seen = read_text(readers::langchain_events(), langchain_events_file("full.jsonl"));
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult k1 error 'Error: the fuse is out'", "ToolResult k2 ok 'kneaded'"});
        CHECK(seen.those("ToolCall").size() == 2);
        CHECK(seen.count("LaneOpen") == 1);
        CHECK(seen.those("Message assistant") == Lines{"Message assistant/agent 'kneaded'",
                                                       "Message assistant/agent 'I would wait.'",
                                                       "Message assistant/agent 'Bread.'"});
        CHECK(seen.those("Usage") ==
              Lines{"Usage in=30 write=0 read=0 out=8 model=small-1", "Usage in=7 write=0 read=0 out=2 model=small-1",
                    "Usage in=21 write=0 read=0 out=5 model=small-1", "Usage in=6 write=0 read=0 out=2"});
        CHECK(seen.those("Notice") == Lines{"Notice provider/error request-failed '429 too many requests'"});
    }

    TEST_CASE("events without what they need are counted, and messages alone are none") {
        const auto seen = read_text(readers::langchain_events(), langchain_events_file("bad-fields.jsonl"));
        CHECK(seen.fates.at(1) == LineFate::missing_field);
        CHECK(seen.fates.at(2) == LineFate::unknown_kind);
        CHECK(seen.fates.back() == LineFate::malformed_json);
        CHECK(seen.those("Message assistant") == Lines{"Message assistant/agent 'kneaded'"});
        for (const std::string_view name : {"minimal.jsonl", "full.jsonl"}) {
            CHECK(score_text(readers::langchain_events(), langchain_events_file(name)) == 100);
            CHECK(score_text(readers::langchain(), langchain_events_file(name)) == 0);
        }
        const std::string hook = R"({"event":"on_tool_end","run_id":"r1","tool":"sh"})";
        CHECK(score_text(readers::langchain_events(), hook) == 0);
    }

    TEST_CASE("what a node passes on is none of its own, and one word in place of all ids makes no runs one") {
        const std::string old = R"({"type":"ai","content":"long ago","id":"m1"})",
                          made = R"({"type":"ai","content":"now","id":null,"usage_metadata":{"input_tokens":7}})";
        const auto node = [](const std::string& name, const std::string& given, const std::string& gave) {
            return R"({"event":"on_chain_end","run_id":"xxx","name":")" + name +
                   R"(","tags":["graph:step:1"],"metadata":{"langgraph_checkpoint_ns":")" + name +
                   R"(:xxx"},"data":{"input":{"messages":[)" + given + R"(]},"output":{"messages":[)" + gave + "]}}}\n";
        };
        const auto seen =
            read_text(readers::langchain_events(), node("__start__", "", R"({"type":"ai","content":"long ago"})") +
                                                       node("trim", old, old) + node("adviser", old, old + "," + made) +
                                                       node("adviser", old, made));
        CHECK(seen.those("Usage").size() == 2);
        CHECK(std::ranges::count(seen.those("Message"), "Message assistant/agent 'now'") == 2);
        CHECK(std::ranges::count(seen.those("Message"), "Message assistant/agent 'long ago'") == 1);
    }

    TEST_CASE("sessions of which the outermost runs were left out are told apart by their threads") {
        std::string text;
        for (const char* thread : {"t-1", "t-2", "t-1"})
            text += R"({"event":"on_chat_model_end","run_id":"r5)" + std::to_string(text.size()) +
                    R"(","name":"m","metadata":{"thread_id":")" + thread +
                    R"("},"data":{"output":{"type":"ai","content":"so"}}})" + "\n";
        const auto seen = read_text(readers::langchain_events(), text);
        CHECK(seen.those("SessionStart") == Lines{"SessionStart id=t-1", "SessionStart id=t-2"});
        CHECK(seen.count("Message") == 3);
    }
}
