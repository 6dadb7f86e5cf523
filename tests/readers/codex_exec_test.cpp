#include "readers/codex_recorder.hpp"

#include "readers/all.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using agent_audit::test::Recorder;

TEST_SUITE("codex exec --json") {
    TEST_CASE("a command is called once when started and answered when completed") {
        Recorder r(readers::codex_exec());
        r.read(R"({"type":"thread.started","thread_id":"t-1"})").read(R"({"type":"turn.started"})");
        r.read(
            R"({"type":"item.started","item":{"id":"item_0","type":"command_execution","command":"make","aggregated_output":"","exit_code":null,"status":"in_progress"}})");
        r.read(
            R"({"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"make","aggregated_output":"no\n","exit_code":2,"status":"failed"}})");
        CHECK(r.all<SessionStart>().at(0).session_id.bytes == "t-1");
        REQUIRE(r.all<ToolCall>().size() == 1);
        CHECK(r.all<ToolCall>()[0].primary.bytes == "make");
        const auto result = r.all<ToolResult>().at(0);
        CHECK(result.call_id.bytes == "item_0");
        CHECK(result.status == ResultStatus::error);
        CHECK(result.exit_code == 2);
        CHECK(result.text.bytes == R"(no\n)");
        CHECK(r.heads<ToolCall>()[0].turn == 1);
    }

    TEST_CASE("an item that was never announced is call and result at once; ids may be used again") {
        Recorder r(readers::codex_exec());
        const char* done =
            R"({"type":"item.completed","item":{"id":"item_0","type":"command_execution","command":"ls","aggregated_output":"a","exit_code":0,"status":"completed"}})";
        r.read(done).read(done);
        CHECK(r.all<ToolCall>().size() == 2);
        CHECK(r.all<ToolResult>().size() == 2);
        CHECK(r.all<ToolCall>()[0].digest.canonical == r.all<ToolCall>()[1].digest.canonical);
    }

    TEST_CASE("a declined command was denied, a failed MCP call says why") {
        Recorder r(readers::codex_exec());
        r.read(
            R"({"type":"item.completed","item":{"id":"a","type":"command_execution","command":"rm","aggregated_output":"","exit_code":null,"status":"declined"}})");
        r.read(
            R"({"type":"item.completed","item":{"id":"b","type":"mcp_tool_call","server":"s","tool":"look","arguments":{"q":1},"result":null,"error":{"message":"closed"},"status":"failed"}})");
        r.read(
            R"({"type":"item.completed","item":{"id":"c","type":"mcp_tool_call","server":"z","tool":"look","arguments":{"q":1.0},"result":{"content":[]},"error":null,"status":"completed"}})");
        const auto results = r.all<ToolResult>();
        REQUIRE(results.size() == 3);
        CHECK(results[0].status == ResultStatus::denied);
        CHECK(results[1].status == ResultStatus::error);
        CHECK(results[1].text.bytes == "closed");
        CHECK(results[2].status == ResultStatus::ok);
        CHECK(results[2].text.bytes == R"({"content":[]})");
        CHECK(r.all<ToolCall>()[1].digest.canonical != r.all<ToolCall>()[2].digest.canonical);  // another server
    }

    TEST_CASE("a server's tool is called by both names, and its pictures are no text") {
        Recorder r(readers::codex_exec());
        r.read(
            R"({"type":"item.completed","item":{"id":"a","type":"mcp_tool_call","server":"kit","tool":"photo","arguments":{},"result":{"content":[{"type":"text","text":"the harbour"},{"type":"image","data":"QUJD","mimeType":"image/png"}],"structured_content":null},"error":null,"status":"completed"}})");
        CHECK(r.all<ToolCall>().at(0).name.bytes == "mcp__kit__photo");
        const ToolResult shown = r.all<ToolResult>().at(0);
        CHECK(shown.text.bytes == "the harbour");
        CHECK(shown.media_count == 1);
        CHECK(shown.media_hash != 0);
        CHECK_FALSE(shown.opaque);
    }

    TEST_CASE("patches and searches have no printed result: equal to nothing") {
        Recorder r(readers::codex_exec());
        r.read(
            R"({"type":"item.started","item":{"id":"a","type":"file_change","changes":[{"path":"x","kind":"add"}],"status":"in_progress"}})");
        CHECK(r.fate() == LineFate::ignored_kind);
        r.read(
            R"({"type":"item.completed","item":{"id":"a","type":"file_change","changes":[{"path":"x","kind":"add"}],"status":"failed"}})");
        r.read(R"({"type":"item.completed","item":{"id":"b","type":"web_search","query":"bolts"}})");
        CHECK(r.all<ToolCall>().at(0).digest.opaque);
        CHECK(r.all<ToolResult>().at(0).status == ResultStatus::error);
        CHECK(r.all<ToolCall>().at(1).primary.bytes == "bolts");
        CHECK(r.all<ToolResult>().at(1).opaque);
    }

    TEST_CASE("the usage of a turn is the running total of the thread") {
        Recorder r(readers::codex_exec());
        r.read(
            R"({"type":"turn.completed","usage":{"input_tokens":900,"cached_input_tokens":600,"output_tokens":40,"reasoning_output_tokens":8}})");
        const auto u = r.all<Usage>().at(0);
        CHECK(u.scope == UsageScope::session);
        CHECK(u.mode == UsageMode::cumulative);
        CHECK(u.tokens == TokenCounts{300, 0, 600, 40, 8});
        CHECK(r.all<TurnEnd>().at(0).status == TurnStatus::completed);
    }

    TEST_CASE("messages, reasoning, failures and errors are told; the to-do list is not") {
        Recorder r(readers::codex_exec());
        r.read(R"({"type":"item.completed","item":{"id":"a","type":"agent_message","text":"Done."}})");
        r.read(R"({"type":"item.completed","item":{"id":"b","type":"reasoning","text":"**Hm**"}})");
        r.read(R"({"type":"item.completed","item":{"id":"c","type":"error","message":"cold cache"}})");
        r.read(R"({"type":"error","message":"cut off"})");
        r.read(R"({"type":"turn.failed","error":{"message":"limit"}})");
        r.read(R"({"type":"item.updated","item":{"id":"d","type":"todo_list","items":[]}})");
        CHECK(r.fate() == LineFate::ignored_kind);
        CHECK(r.all<Message>().at(0).text.bytes == "Done.");
        CHECK(r.all<Thinking>().at(0).text.bytes == "**Hm**");
        REQUIRE(r.all<Notice>().size() == 3);
        CHECK(r.all<Notice>()[0].level == NoticeLevel::warning);
        CHECK(r.all<Notice>()[0].layer == NoticeLayer::harness);  // the program's own
        CHECK(r.all<Notice>()[1].level == NoticeLevel::error);
        CHECK(r.all<Notice>()[1].layer == NoticeLayer::provider);
        CHECK(r.all<Notice>()[2].layer == NoticeLayer::provider);
        CHECK(r.all<Notice>()[2].text.bytes == "limit");
        CHECK(r.all<TurnEnd>().at(0).status == TurnStatus::failed);
    }

    TEST_CASE("an error that fails the turn is one, and a request that is sent again a warning") {
        Recorder r(readers::codex_exec());
        r.read(R"({"type":"error","message":"Reconnecting... 1/2"})");
        r.read(R"({"type":"error","message":"stream disconnected"})");
        r.read(R"({"type":"turn.failed","error":{"message":"stream disconnected"}})");
        REQUIRE(r.all<Notice>().size() == 2);
        CHECK(r.all<Notice>()[0].level == NoticeLevel::warning);
        CHECK(r.all<Notice>()[1].level == NoticeLevel::error);
        CHECK(r.all<TurnEnd>().at(0).status == TurnStatus::failed);
        r.read(R"({"type":"turn.failed","error":{"message":"stream disconnected"}})");  // of the next turn
        CHECK(r.all<Notice>().size() == 3);
    }

    TEST_CASE("a thread that comes again is resumed, another one starts its turns anew") {
        Recorder r(readers::codex_exec());
        r.read(R"({"type":"thread.started","thread_id":"t-1"})").read(R"({"type":"turn.started"})");
        r.read(R"({"type":"thread.started","thread_id":"t-1"})").read(R"({"type":"turn.started"})");
        r.read(R"({"type":"thread.started","thread_id":"t-2"})").read(R"({"type":"turn.started"})");
        const auto starts = r.all<SessionStart>();
        REQUIRE(starts.size() == 3);
        CHECK(starts[1].resumed);
        CHECK_FALSE(starts[2].resumed);
        const auto turns = r.heads<TurnStart>();
        CHECK(turns[1].turn == 2);
        CHECK(turns[2].turn == 1);
    }

    TEST_CASE("bad records are named and emit nothing") {
        Recorder r(readers::codex_exec());
        CHECK(r.read(R"({"type":"thread.started"})").fate() == LineFate::missing_field);
        CHECK(r.read(R"({"type":"item.completed"})").fate() == LineFate::missing_field);
        CHECK(r.read(R"({"type":"item.completed","item":"x"})").fate() == LineFate::missing_field);
        CHECK(r.read(R"({"type":"item.completed","item":{"id":"a","type":"command_execution","command":7}})").fate() ==
              LineFate::missing_field);
        CHECK(r.read(R"({"type":"item.completed","item":{"id":"a","type":"bridge_building"}})").fate() ==
              LineFate::unknown_kind);
        CHECK(r.read(R"({"type":"weather"})").fate() == LineFate::unknown_kind);
        CHECK(r.read(R"({"kind":"none"})").fate() == LineFate::missing_field);
        CHECK(r.read(R"({"type":"error"})").fate() == LineFate::missing_field);
        CHECK(r.read(R"({"type":"turn.completed","usage":{"input_)").fate() == LineFate::malformed_json);
        CHECK(r.events.empty());
    }

    TEST_CASE("no field may have a type that breaks the reader") {
        const char* values[] = {"null", "7", "-1", "true", "\"s\"", "[]", "{}", "[[{}]]", "{\"message\":[]}"};
        const char* fields[] = {"id",
                                "type",
                                "text",
                                "status",
                                "tool",
                                "server",
                                "command",
                                "query",
                                "prompt",
                                "arguments",
                                "changes",
                                "result",
                                "aggregated_output",
                                "error",
                                "exit_code",
                                "message"};
        Recorder r(readers::codex_exec());
        for (const char* type : {"command_execution", "mcp_tool_call", "file_change", "web_search", "collab_tool_call",
                                 "agent_message", "error"}) {
            for (const char* field : fields) {
                for (const char* value : values) {
                    r.read(
                        std::string(R"({"type":"item.completed","item":{"id":"i","tool":"t","command":"c","type":")") +
                        type + R"(",")" + field + R"(":)" + value + "}}");
                    CHECK(r.fate() != LineFate::malformed_json);
                }
            }
        }
    }
}
