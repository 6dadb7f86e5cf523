#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using Lines = std::vector<std::string>;

// Payloads in the shapes that the agents send, where these differ from what one would think.

namespace {

test::Reading read(std::string_view text) { return read_text(readers::hook_log(), text); }

std::string line(std::string_view client, std::string_view event, std::string_view fields) {
    return R"({"agent_audit_hook":1,"client":")" + std::string(client) +
           R"(","time_ms":1700000000000,"payload":{"session_id":"s","hook_event_name":")" + std::string(event) + "\"" +
           (fields.empty() ? "" : ",") + std::string(fields) + "}}\n";
}

std::string shell(std::string_view command, std::string_view more = {}) {
    return R"("tool_name":"run_shell_command","tool_input":{"command":")" + std::string(command) + "\"}" +
           std::string(more);
}
std::string printed(std::string_view text) { return R"(,"tool_response":{"llmContent":")" + std::string(text) + "\"}"; }

std::vector<std::string> ids_of(const Lines& lines) {
    std::vector<std::string> ids;
    for (const std::string& told : lines) {
        const std::size_t at = told.find(' ') + 1;
        ids.push_back(told.substr(at, told.find(' ', at) - at));
    }
    return ids;
}

}  // namespace

TEST_SUITE("hook-log: payloads") {
    TEST_CASE("what Gemini CLI and Qwen Code write around what a command printed is no part of it") {
        for (
            const char* around :
            {R"(<untrusted_context>\nOutput: 1 failing\nExit Code: 1\nProcess Group PGID: 77\n</untrusted_context>)",
             R"(Command: make\nDirectory: (root)\nOutput: 1 failing\nError: (none)\nExit Code: 1\nSignal: 0\nProcess Group PGID: 78)"}) {
            const auto seen = read(line("gemini", "BeforeTool", shell("make")) +
                                   line("gemini", "AfterTool", shell("make", printed(around))));
            REQUIRE(seen.those("ToolResult").size() == 1);
            CHECK(seen.those("ToolResult")[0].ends_with("error exit=1 '1 failing'"));
        }
    }

    TEST_CASE("equal calls made at once by an agent that tells no ids are answered one by one") {
        const std::string before = line("gemini", "BeforeTool", shell("make")),
                          after = line("gemini", "AfterTool", shell("make", printed("Output: made")));
        const auto seen = read(before + before + after + after + before + after);
        const auto calls = ids_of(seen.those("ToolCall")), results = ids_of(seen.those("ToolResult"));
        REQUIRE(calls.size() == 3);
        CHECK(calls[0] != calls[1]);
        CHECK(calls[1] != calls[2]);
        CHECK(calls == results);
    }

    TEST_CASE("Qwen Code asks before each request with an empty prompt: nobody spoke, and a new response begins") {
        const std::string call = R"("tool_name":"todo_write","tool_input":{},"tool_use_id":")",
                          result = R"(","tool_response":{"llmContent":"ok"})";
        std::string log = line("qwen", "UserPromptSubmit", R"("prompt":"go")");
        for (const char* id : {"a", "b"}) {
            log += line("qwen", "PreToolUse", call + id + "\"");
            log += line("qwen", "PostToolUse", call + id + result);
        }
        log += line("qwen", "UserPromptSubmit", R"("prompt":"")");
        log += line("qwen", "PreToolUse", call + "c\"") + line("qwen", "PostToolUse", call + "c" + result);
        log += line("qwen", "UserPromptSubmit", R"("prompt":"")") +
               line("qwen", "Stop", R"("last_assistant_message":"done")") +
               line("qwen", "UserPromptSubmit", R"("prompt":"go")");
        const auto seen = read(log);
        CHECK(seen.those("Message user/human") == Lines{"Message user/human 'go'", "Message user/human 'go'"});
        std::vector<IdHash> responses;
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            if (seen.lines()[i].starts_with("ToolCall ")) responses.push_back(seen.events.heads[i].response);
        }
        REQUIRE(responses.size() == 3);
        CHECK(responses[0] == responses[1]);
        CHECK(responses[1] != responses[2]);
    }

    TEST_CASE("of the calls of a response those are told that Claude Code turned down itself") {
        const std::string calls =
            R"("tool_calls":[{"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"a","tool_response":"x"},)"
            R"({"tool_name":"Edit","tool_input":{"file_path":"/w/a"},"tool_use_id":"b",)"
            R"("tool_response":"<tool_use_error>String to replace not found</tool_use_error>"},)"
            R"({"tool_name":"Task","tool_input":{},"tool_use_id":"c","tool_response":[{"type":"text","text":"y"}]}])";
        const auto seen = read(line("claude-code", "PostToolBatch", calls));
        CHECK(seen.those("ToolCall") == Lines{"ToolCall b Edit '/w/a'"});
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult b error '<tool_use_error>String to replace not found</tool_use_error>'"});
        CHECK(read(line("claude-code", "PostToolBatch", R"("tool_calls":[])")).those("Tool").empty());
        CHECK(read(line("claude-code", "PostToolBatch", R"("tool_calls":7)")).those("Tool").empty());
    }
}
