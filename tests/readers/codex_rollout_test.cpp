

#include "readers/all.hpp"
#include "readers/codex_recorder.hpp"
#include "support/places.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

using namespace agent_audit;
using agent_audit::test::Recorder;

namespace {

// Records are spelled out with the time as seconds after ten o'clock.
std::string at(int second, std::string_view type, std::string_view payload) {
    char time[40];
    std::snprintf(time, sizeof time, "2026-03-02T10:%02d:%02d.000Z", second / 60, second % 60);
    return std::string(R"({"timestamp":")") + time + R"(","type":")" + std::string(type) + R"(","payload":)" +
           std::string(payload) + "}";
}
std::string item(int second, std::string_view payload) { return at(second, "response_item", payload); }
std::string event(int second, std::string_view payload) { return at(second, "event_msg", payload); }

std::string meta(int second, std::string_view more = "", std::string_view id = "0194f3a0-0000-7000-8000-0000000000a1") {
    return at(second, "session_meta",
              R"({"id":")" + std::string(id) + R"(","cwd":"/b","cli_version":"0.150.0")" + std::string(more) + "}");
}
std::string says(int second, std::string_view text, std::string_view role = "user") {
    return item(second, R"({"type":"message","role":")" + std::string(role) +
                            R"(","content":[{"type":"input_text","text":")" + std::string(text) + R"("}]})");
}
std::string call(int second, std::string_view id, std::string_view name, std::string_view args) {
    return item(second, R"({"type":"function_call","name":")" + std::string(name) + R"(","arguments":")" +
                            std::string(args) + R"(","call_id":")" + std::string(id) + R"("})");
}
std::string output(int second, std::string_view id, std::string_view text) {
    return item(second, R"({"type":"function_call_output","call_id":")" + std::string(id) + R"(","output":")" +
                            std::string(text) + R"("})");
}
std::string tokens(int second, int input, int cached, int out, std::string_view last) {
    return event(second, R"({"type":"token_count","info":{"total_token_usage":{"input_tokens":)" +
                             std::to_string(input) + R"(,"cached_input_tokens":)" + std::to_string(cached) +
                             R"(,"output_tokens":)" + std::to_string(out) +
                             R"(,"reasoning_output_tokens":1,"total_tokens":1},"last_token_usage":)" +
                             std::string(last) + R"(,"model_context_window":200000}})");
}

struct Outcome {
    ResultStatus status;
    std::optional<int> exit_code;
    std::string text;
    TextForm form;
};
Outcome result_of(std::string_view text) {
    Recorder r(readers::codex());
    r.read(output(1, "c", text));
    REQUIRE(r.fate() == LineFate::understood);
    const ToolResult result = r.all<ToolResult>().at(0);
    return {result.status, result.exit_code, std::string(result.text.bytes), result.text.form};
}

std::filesystem::path corpus() { return std::filesystem::path(test::project_folder()) / "../shared/corpus/codex"; }

}  // namespace

TEST_SUITE("codex rollout") {
    TEST_CASE("the first session_meta opens the session with its prompt size, a later one of the same id resumes it") {
        Recorder r(readers::codex());
        r.read(meta(0, R"(,"base_instructions":{"text":"12345"},"dynamic_tools":[{}],"source":"cli")")).read(meta(60));
        const auto starts = r.all<SessionStart>();
        REQUIRE(starts.size() == 2);
        CHECK(starts[0].session_id.bytes == "0194f3a0-0000-7000-8000-0000000000a1");
        CHECK(starts[0].product_version.bytes == "0.150.0");
        CHECK_FALSE(starts[0].resumed);
        CHECK_FALSE(starts[0].sub_agent);
        CHECK(starts[1].resumed);
        REQUIRE(r.all<ContextChange>().size() == 1);
        CHECK(r.all<ContextChange>()[0].system_prompt_bytes == 5 + 4);
    }

    TEST_CASE("a sub-agent's file names its parent and its prompt is not a human's") {
        Recorder r(readers::codex());
        r.read(meta(
            0,
            R"(,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p-1","depth":1,"agent_nickname":"Newton","agent_role":"explorer"}}})"));
        r.read(event(0, R"({"type":"task_started"})")).read(says(0, "look at the deck"));
        const auto start = r.all<SessionStart>().at(0);
        CHECK(start.sub_agent);
        CHECK_FALSE(start.housekeeping);
        CHECK(start.parent_session_id.bytes == "p-1");
        CHECK(start.label.bytes == "explorer");
        CHECK(r.all<Message>().at(0).origin == Origin::agent);
        CHECK((r.heads<Message>().at(0).flags & kCopied) == 0);
    }

    TEST_CASE("a guardian is housekeeping, a reviewer is not") {
        Recorder guardian(readers::codex()), reviewer(readers::codex());
        guardian.read(meta(0, R"(,"source":{"subagent":{"other":"guardian"}})"));
        reviewer.read(meta(0, R"(,"source":{"subagent":"review"})"));
        CHECK(guardian.all<SessionStart>().at(0).housekeeping);
        CHECK(reviewer.all<SessionStart>().at(0).sub_agent);
        CHECK_FALSE(reviewer.all<SessionStart>().at(0).housekeeping);
    }

    TEST_CASE("a turn_context tells only what changed") {
        Recorder r(readers::codex());
        r.read(at(1, "turn_context", R"({"cwd":"/b","model":"m1","summary":"auto"})"));
        r.read(at(2, "turn_context", R"({"cwd":"/b","model":"m1","summary":"auto"})"));
        r.read(at(3, "turn_context", R"({"cwd":"/b","model":"m2","summary":"auto"})"));
        const auto changes = r.all<ContextChange>();
        REQUIRE(changes.size() == 2);
        CHECK(changes[0].model.bytes == "m1");
        CHECK(changes[1].model.bytes == "m2");
        CHECK(changes[1].cwd.empty());
        CHECK(r.fates == std::vector<LineFate>(3, LineFate::understood));
    }

    TEST_CASE("roles and prefixes decide who wrote a message") {
        Recorder r(readers::codex());
        r.read(says(1, "fix it")).read(says(1, "sure", "assistant")).read(says(1, "be careful", "developer"));
        for (const char* injected :
             {"<environment_context>x", "<user_instructions>x", "# AGENTS.md instructions for /b", "<turn_aborted>",
              "<skill>x", "<subagent_notification>x", "<user_shell_command>x"}) {
            r.read(says(2, injected));
        }
        const auto m = r.all<Message>();
        REQUIRE(m.size() == 10);
        CHECK(m[0].origin == Origin::human);
        CHECK(m[1].role == Role::assistant);
        CHECK(m[2].role == Role::system);
        for (std::size_t i = 3; i < m.size(); ++i) CHECK(m[i].origin == Origin::injected);
        CHECK(r.all<TurnStart>().size() == 1);
    }

    TEST_CASE("a human message behind an attached image is a human's, and counted once") {
        Recorder r(readers::codex());
        r.read(item(
            1,
            R"({"type":"message","role":"user","content":[{"type":"input_text","text":"<image name=[Image #1]>"},{"type":"input_image","image_url":"x"},{"type":"input_text","text":"</image>"},{"type":"input_text","text":"like this"}]})"));
        r.read(event(1, R"({"type":"user_message","message":"like this"})"));
        REQUIRE(r.all<Message>().size() == 1);
        CHECK(r.all<Message>()[0].text.bytes == "like this");
        CHECK(r.all<Message>()[0].media_count == 1);
        CHECK(r.fate() == LineFate::ignored_kind);
    }

    TEST_CASE("a UI message without its item is the human's message, and its item does not repeat it") {
        Recorder r(readers::codex());
        r.read(event(1, R"({"type":"user_message","message":"hello","kind":"plain"})"));
        CHECK(r.fate() == LineFate::understood);
        r.read(says(1, "hello"));
        CHECK(r.fate() == LineFate::ignored_kind);
        CHECK(r.all<Message>().size() == 1);
        r.read(event(1, R"({"type":"user_message","message":"<environment_context>x","kind":"environment_context"})"));
        CHECK(r.fate() == LineFate::ignored_kind);
    }

    TEST_CASE("a turn that failed says why at its end, or did so before") {
        constexpr auto end =
            R"({"type":"task_complete","last_agent_message":null,"error":{"message":"out of room","codex_error_info":"context_window_exceeded"}})";
        Recorder r(readers::codex());
        r.read(event(1, R"({"type":"task_started"})")).read(event(2, end));
        REQUIRE(r.all<Notice>().size() == 1);
        CHECK(r.all<Notice>()[0].layer == NoticeLayer::provider);
        CHECK(r.all<Notice>()[0].level == NoticeLevel::error);
        CHECK(r.all<Notice>()[0].text.bytes == "out of room");
        CHECK(r.all<Notice>()[0].code.bytes == "context_window_exceeded");
        CHECK(r.all<TurnEnd>().at(0).status == TurnStatus::failed);
        r.read(event(3, R"({"type":"task_started"})")).read(event(4, R"({"type":"error","message":"out of room"})"));
        r.read(event(5, end));
        CHECK(r.all<Notice>().size() == 2);
        r.read(event(6, R"({"type":"task_started"})")).read(event(7, R"({"type":"task_complete","error":null})"));
        CHECK(r.all<Notice>().size() == 2);
        CHECK(r.all<TurnEnd>().at(2).status == TurnStatus::completed);
        // An error of a turn that was broken off is none of the next one.
        r.read(event(8, R"({"type":"error","message":"no room"})")).read(event(9, R"({"type":"turn_aborted"})"));
        r.read(event(10, R"({"type":"task_started"})")).read(event(11, end));
        CHECK(r.all<Notice>().size() == 4);
    }

    TEST_CASE("turn records make the turns where there are any; elsewhere human messages do") {
        Recorder r(readers::codex());
        r.read(event(1, R"({"type":"task_started"})")).read(says(1, "one")).read(says(2, "and steer left"));
        r.read(event(5, R"({"type":"task_complete","duration_ms":4000})")).read(event(6, R"({"type":"turn_started"})"));
        r.read(event(9, R"({"type":"turn_aborted","reason":"interrupted"})"));
        CHECK(r.all<TurnStart>().size() == 2);
        const auto ends = r.all<TurnEnd>();
        REQUIRE(ends.size() == 2);
        CHECK(ends[0].status == TurnStatus::completed);
        CHECK(ends[0].duration_ms == 4000);
        CHECK(ends[1].status == TurnStatus::aborted);
        CHECK(r.heads<TurnEnd>()[1].turn == 2);

        Recorder old(readers::codex());
        old.read(says(1, "one")).read(says(2, "answer", "assistant")).read(says(3, "two"));
        CHECK(old.all<TurnStart>().size() == 2);
        CHECK(old.heads<Message>()[2].turn == 2);
        CHECK(std::holds_alternative<TurnStart>(old.events[0].body));
    }

    TEST_CASE("calls differ by arguments, tool and server, and by nothing else") {
        Recorder r(readers::codex());
        r.read(call(1, "a", "exec", R"({\"cmd\":\"ls\",\"n\":1})"))
            .read(call(2, "b", "exec", R"({\"n\":1.0, \"cmd\":\"ls\"})"));
        r.read(call(3, "c", "exec", R"({\"cmd\":\"ls -l\",\"n\":1})"));
        r.read(item(
            4,
            R"({"arguments":"{\"cmd\":\"ls\",\"n\":1}","namespace":"mcp__x","call_id":"d","name":"exec","type":"function_call"})"));
        const auto calls = r.all<ToolCall>();
        REQUIRE(calls.size() == 4);
        CHECK(calls[0].digest.canonical == calls[1].digest.canonical);
        CHECK(calls[0].digest.canonical != calls[2].digest.canonical);
        CHECK(calls[0].digest.canonical != calls[3].digest.canonical);
        CHECK(calls[0].name.bytes == "exec");
        CHECK(calls[3].name.bytes == "mcp__x__exec");
        // Some versions end the space so themselves.
        r.read(
            item(5, R"({"arguments":"{}","namespace":"mcp__x__","call_id":"e","name":"exec","type":"function_call"})"));
        CHECK(r.all<ToolCall>().back().name.bytes == "mcp__x__exec");
        CHECK(calls[0].primary.bytes == "ls");
        CHECK(r.heads<ToolCall>()[0].response == 0);
    }

    TEST_CASE("34 polls of one process keep one digest, and their results stay apart from the chunk ids") {
        Recorder r(readers::codex());
        for (int i = 0; i < 34; ++i) {
            const std::string id = "w" + std::to_string(i);
            r.read(call(i, id, "write_stdin", R"({\"session_id\":71,\"chars\":\"\"})"));
            r.read(output(i, id,
                          "Chunk ID: " + std::to_string(100000 + i) + R"(\nWall time: 5.)" + std::to_string(i) +
                              R"( seconds\nProcess running with session ID 71\nOriginal token count: 0\nOutput:\n)"));
        }
        const auto calls = r.all<ToolCall>();
        const auto results = r.all<ToolResult>();
        REQUIRE(calls.size() == 34);
        REQUIRE(results.size() == 34);
        for (std::size_t i = 0; i < 34; ++i) {
            CHECK(calls[i].digest.canonical == calls[0].digest.canonical);
            CHECK_FALSE(calls[i].digest.opaque);
            CHECK(results[i].status == ResultStatus::running);
            CHECK(results[i].text.bytes == "");
        }
    }

    TEST_CASE("a shell command given as an array is quoted as its line") {
        Recorder r(readers::codex());
        r.read(call(1, "a", "shell", R"({\"command\":[\"bash\",\"-lc\",\"rg \\\"x]\\\" src\"],\"workdir\":\"/b\"})"));
        r.read(call(1, "b", "shell", R"({\"command\":[\"ls\",\"-l\"]})"));
        r.read(call(1, "c", "shell", R"({\"command\":[[1],\"-l\"]})"));
        const auto calls = r.all<ToolCall>();
        CHECK(calls.at(0).primary.bytes == R"(rg \"x]\" src)");
        CHECK(calls.at(1).primary.bytes == R"(["ls","-l"])");
        CHECK(calls.at(2).primary.bytes.starts_with('['));
    }

    TEST_CASE("every kind of call is read") {
        Recorder r(readers::codex());
        r.read(
            item(1, R"({"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n+a","call_id":"a"})"));
        r.read(item(1, R"({"type":"local_shell_call","call_id":"b","action":{"type":"exec","command":["ls"]}})"));
        r.read(item(1, R"({"type":"tool_search_call","call_id":"c","arguments":{"query":"crane"}})"));
        r.read(
            item(1, R"({"type":"web_search_call","status":"completed","action":{"type":"search","query":"bolts"}})"));
        r.read(item(1, R"({"type":"image_generation_call","id":"ig_1","status":"failed","result":""})"));
        const auto calls = r.all<ToolCall>();
        REQUIRE(calls.size() == 5);
        CHECK(calls[0].primary.bytes == R"(*** Begin Patch\n+a)");
        CHECK(calls[1].name.bytes == "local_shell");
        CHECK(calls[2].primary.bytes == "crane");
        CHECK(calls[3].primary.bytes == "bolts");
        const auto results = r.all<ToolResult>();
        REQUIRE(results.size() == 2);  // the provider's own tools leave no output record
        CHECK(results[0].opaque);
        CHECK(results[0].call_id.bytes == calls[3].call_id.bytes);
        CHECK(results[1].status == ResultStatus::error);
    }

    TEST_CASE("arguments that are missing are opaque, arguments that are empty are not") {
        Recorder r(readers::codex());
        r.read(item(1, R"({"type":"function_call","name":"f","call_id":"a"})")).read(call(1, "b", "f", ""));
        CHECK(r.all<ToolCall>().at(0).digest.opaque);
        CHECK_FALSE(r.all<ToolCall>().at(1).digest.opaque);
    }

    TEST_CASE("the exit code in the header decides, not what the command printed") {
        auto r = result_of(R"(Chunk ID: a1\nWall time: 1 seconds\nProcess exited with code 0\nOutput:\nexit code: 3)");
        CHECK(r.status == ResultStatus::ok);
        CHECK(r.exit_code == 0);
        CHECK(r.text == "exit code: 3");
        r = result_of(R"(Exit code: 2\nWall time: 0 seconds\nOutput:\nExit code: 0)");
        CHECK(r.status == ResultStatus::error);
        CHECK(r.exit_code == 2);
        r = result_of(R"(Wall time: 0.2 seconds\nOutput:\nexited with code 1)");
        CHECK(r.status == ResultStatus::unknown);
        CHECK_FALSE(r.exit_code);
    }

    TEST_CASE("the JSON wrapper of 2025 gives its inner text and its exit code") {
        const auto r = result_of(
            R"({\"output\":\"no \\\"x\\\"\\nhere\\n\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.2}})");
        CHECK(r.exit_code == 1);
        CHECK(r.status == ResultStatus::error);
        CHECK(r.text == R"(no \"x\"\nhere\n)");
        CHECK(r.form == TextForm::json_string);
    }

    TEST_CASE("the wrapper is taken off however it is spaced and ordered, and nothing else is") {
        for (const std::string_view wrapped :
             {R"({\"output\": \"here\", \"metadata\": {\"exit_code\": 1, \"duration_seconds\": 0.2}})",
              R"({\n  \"output\": \"here\",\n  \"metadata\": {\n    \"exit_code\": 1\n  }\n})",
              R"({\"metadata\": {\"exit_code\": 1, \"duration_seconds\": 0.2}, \"output\": \"here\"})"}) {
            const auto r = result_of(wrapped);
            CHECK(r.exit_code == 1);
            CHECK(r.text == "here");
        }
        const std::string_view other = R"({\"output\": \"here\"})";
        CHECK(result_of(other).text == other);
        const std::string_view cut = R"({\"metadata\": {\"exit_code\": 1}, \"output\": \"her)";
        CHECK(result_of(cut).text == cut);
    }

    TEST_CASE("where the policy is to ask nobody, it was a rule that refused") {
        const auto refuser = [](std::string_view policy) {
            Recorder r(readers::codex());
            r.read(meta(0));
            r.read(at(0, "turn_context", R"({"cwd":"/b","approval_policy":)" + std::string(policy) + "}"));
            r.read(call(1, "c", "exec_command", R"({\"cmd\":\"make\"})"));
            r.read(output(2, "c", "exec command rejected by user"));
            return r.all<ToolResult>().at(0).refused_by;
        };
        CHECK(refuser(R"("never")") == Refuser::rule);
        CHECK(refuser(R"("on-request")") == Refuser::unknown);
        CHECK(refuser(R"({"granular":{}})") == Refuser::unknown);
    }

    TEST_CASE("refusals, failures and interruptions are told apart by their words") {
        CHECK(result_of("apply_patch verification failed: exit code: 0").status == ResultStatus::error);
        CHECK(result_of("patch rejected by user").status == ResultStatus::denied);
        CHECK(result_of("Command blocked by PreToolUse hook: no. Command: make").status == ResultStatus::denied);
        CHECK(result_of("exec_command failed: rejected by user").status == ResultStatus::denied);
        CHECK(result_of("exec_command failed: no such shell").status == ResultStatus::error);
        CHECK(result_of("failed in sandbox X with execution error: sandbox denied exec error, exit code: 2, stdout: ")
                  .exit_code == 2);
        CHECK(result_of("aborted by user after 3.1s").status == ResultStatus::cancelled);
        CHECK(result_of(R"(Wall time: 3.6 seconds\naborted by user)").status == ResultStatus::cancelled);
        CHECK(result_of(R"(Wall time: 3.6 seconds\nOutput:\naborted by user)").status == ResultStatus::unknown);
        CHECK(result_of("approval policy is Never; reject command: nobody can be asked").status ==
              ResultStatus::denied);
        CHECK(result_of(R"(exec_command failed: CreateProcess { message: \"Rejected(no such commands)\" })").status ==
              ResultStatus::denied);
        CHECK(result_of("unable to locate image at `/a.png`: No such file or directory").status == ResultStatus::error);
        CHECK(result_of("Plan updated").status == ResultStatus::unknown);
        CHECK(result_of("cat: Permission denied").status == ResultStatus::unknown);
        CHECK(result_of("").status == ResultStatus::unknown);
    }

    TEST_CASE("an exit code is found in the first and last 400 bytes and nowhere else") {
        const std::string far(500, '.');
        CHECK(result_of(far + "The command exited with exit code 4").exit_code == 4);
        CHECK(result_of("command exited with code -9 " + far).exit_code == -9);
        CHECK_FALSE(result_of(far + "exit code 4" + far).exit_code);
        CHECK_FALSE(result_of("exit code of the pipe").exit_code);
        CHECK_FALSE(result_of("code: 4, xit").exit_code);
        CHECK(result_of("exit code: 99999999999999999999").status == ResultStatus::error);
    }

    TEST_CASE("block outputs give their text, and images are opaque") {
        Recorder r(readers::codex());
        r.read(item(
            1,
            R"({"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"Exit code: 1\nOutput:\nno"}]})"));
        r.read(item(
            1, R"({"type":"function_call_output","call_id":"b","output":[{"type":"input_image","image_url":"x"}]})"));
        r.read(item(1, R"({"type":"function_call_output","call_id":"c","output":{"content":"bad","success":false}})"));
        r.read(item(1, R"({"type":"function_call_output","call_id":"d","output":null})"));
        const auto results = r.all<ToolResult>();
        REQUIRE(results.size() == 4);
        CHECK(results[0].exit_code == 1);
        CHECK(results[0].text.bytes == "no");
        CHECK(results[1].opaque);
        CHECK(results[1].media_count == 1);
        CHECK(results[2].status == ResultStatus::error);
        CHECK(results[3].opaque);
    }

    TEST_CASE("what a server's tool answered stands without the line before it, and without its pictures") {
        const auto answered = [](std::string_view blocks) {
            return item(1, R"({"type":"function_call_output","call_id":"a","output":[)" +
                               std::string(R"({"type":"input_text","text":"Wall time: 0.0042 seconds\nOutput:"},)") +
                               std::string(blocks) + "]}");
        };
        constexpr std::string_view kText = R"({"type":"input_text","text":"Error: 401"})";
        const std::string twice = std::string(kText) + "," + std::string(kText),
                          pictured = std::string(kText) +
                                     R"(,{"type":"input_image","image_url":"data:image/png;base64,QUJD"})";
        Recorder one(readers::codex()), two(readers::codex()), picture(readers::codex());
        one.read(answered(kText));
        CHECK(one.all<ToolResult>().at(0).text.bytes == "Error: 401");
        two.read(answered(twice));
        CHECK(two.all<ToolResult>().at(0).text.bytes == R"(Error: 401\nError: 401)");
        picture.read(answered(pictured));
        const ToolResult shown = picture.all<ToolResult>().at(0);
        CHECK(shown.text.bytes == "Error: 401");
        CHECK(shown.media_count == 1);
        CHECK(shown.media_hash != 0);
    }

    TEST_CASE("an end event decides the status, whether it comes before its output or after") {
        Recorder r(readers::codex());
        r.read(event(1, R"({"type":"patch_apply_end","call_id":"a","success":false,"stderr":"no"})"));
        CHECK(r.fate() == LineFate::understood);
        CHECK(r.all<ToolResult>().empty());
        r.read(output(1, "a", R"(Exit code: 0\nOutput:\nfine)"));
        r.read(output(2, "b", R"(Wall time: 1 seconds\nOutput:\nx)"));
        r.read(event(
            2,
            R"({"type":"mcp_tool_call_end","call_id":"b","duration":{"secs":2,"nanos":5000000},"result":{"Err":"gone"}})"));
        const auto results = r.all<ToolResult>();
        REQUIRE(results.size() == 3);
        CHECK(results[0].status == ResultStatus::error);
        CHECK(results[1].status == ResultStatus::unknown);
        CHECK(results[2].update);
        CHECK(results[2].status == ResultStatus::error);
        CHECK(results[2].duration_ms == 2005);
        CHECK(results[2].text.bytes == "gone");
    }

    TEST_CASE("an mcp end with isError is an error, without it a success") {
        Recorder r(readers::codex());
        r.read(event(1, R"({"type":"mcp_tool_call_end","call_id":"a","result":{"Ok":{"content":[],"isError":true}}})"))
            .read(output(1, "a", "x"));
        r.read(event(1, R"({"type":"mcp_tool_call_end","call_id":"b","result":{"Ok":{"content":[]}}})"))
            .read(output(1, "b", "x"));
        CHECK(r.all<ToolResult>().at(0).status == ResultStatus::error);
        CHECK(r.all<ToolResult>().at(1).status == ResultStatus::ok);
    }

    TEST_CASE("who wrote a message is told block by block in newer versions") {
        const auto origin = [](std::string_view kinds, std::string_view text = "Mend the bridge") {
            Recorder r(readers::codex());
            r.read(item(
                1, R"({"type":"message","role":"user","content":[{"type":"input_text","text":")" + std::string(text) +
                       R"("}],"internal_chat_message_metadata_passthrough":{"turn_id":"t","content_item_kinds":)" +
                       std::string(kinds) + "}}"));
            REQUIRE(r.all<Message>().size() == 1);
            return r.all<Message>()[0].origin;
        };
        CHECK(origin(R"(["user.text"])") == Origin::human);
        CHECK(origin(R"(["goal.internal_context"])") == Origin::injected);
        CHECK(origin(R"(["agents_md.instructions","environments.environment_context"])") == Origin::injected);
        CHECK(origin(R"(["hooks.additional_context"])") == Origin::hook);
        CHECK(origin(R"(["skills.selected_skill_instructions","user.text"])") == Origin::human);
        for (const char* unsure : {R"(["unknown"])", "[]", "null", "7", R"([3])"}) {
            CAPTURE(unsure);
            CHECK(origin(unsure) == Origin::human);
            CHECK(origin(unsure, "<hook_prompt x>no</hook_prompt>") == Origin::injected);
        }
    }

    TEST_CASE("an item of a call says how it ended, as the events of older versions do") {
        Recorder r(readers::codex());
        const auto done = [](int second, std::string_view item) {
            return event(second, R"({"type":"item_completed","item":)" + std::string(item) + "}");
        };
        r.read(call(1, "call_m", "mcp__stock__count", "{}"));
        r.read(done(
            1, R"({"type":"McpToolCall","id":"call_m","status":"completed","result":{"content":[],"isError":true}})"));
        r.read(output(1, "call_m", "no such shelf"));
        r.read(output(2, "call_d", "x"));
        r.read(done(2, R"({"type":"FileChange","id":"call_d","changes":{},"status":"declined"})"));
        // What was typed into a command that goes on has arrived. That says nothing of the command.
        r.read(done(
            3,
            R"({"type":"CommandExecution","id":"call_w","source":"unified_exec_interaction","status":"completed"})"));
        r.read(output(3, "call_w", R"(Exit code: 4\nOutput:\nx)"));
        r.read(
            done(4, R"({"type":"CommandExecution","id":"u-1","source":"user_shell","status":"failed","exit_code":1})"));
        CHECK(r.fate() == LineFate::ignored_kind);
        const auto results = r.all<ToolResult>();
        REQUIRE(results.size() == 4);
        CHECK(results[0].status == ResultStatus::error);
        CHECK(results[2].update);
        CHECK(results[2].status == ResultStatus::denied);
        CHECK(results[3].status == ResultStatus::error);
        CHECK(results[3].exit_code == 4);
        for (const char* odd : {R"({"type":"Plan","id":"p"})", R"({"type":"CommandExecution"})", "null", "[]"}) {
            CAPTURE(odd);
            r.read(done(5, odd));
            CHECK(r.fate() == LineFate::ignored_kind);
        }
        CHECK(r.all<ToolCall>().size() == 1);
    }

    TEST_CASE("a call with an id like those that scripts give is the model's own where the model made it") {
        Recorder r(readers::codex());
        const std::string done = event(
            2,
            R"({"type":"item_completed","item":{"type":"CommandExecution","id":"exec-1","command":["ls"],"status":"failed","exit_code":3}})");
        r.read(call(1, "exec-1", "exec_command", R"({\"cmd\":\"ls\"})")).read(done).read(output(2, "exec-1", "x"));
        REQUIRE(r.all<ToolCall>().size() == 1);
        REQUIRE(r.all<ToolResult>().size() == 1);
        CHECK(r.all<ToolResult>()[0].exit_code == 3);
        Recorder of_script(readers::codex());
        of_script.read(done);
        REQUIRE(of_script.all<ToolCall>().size() == 1);
        CHECK(of_script.all<ToolCall>()[0].caller == Caller::code);
        CHECK((of_script.heads<ToolResult>()[0].flags & kHidden) != 0);
    }

    TEST_CASE("what a script printed is told without its header, and its exit code where its calls are not told") {
        const auto printed = [](std::string_view status, std::string_view text) {
            Recorder r(readers::codex());
            r.read(item(
                1, R"({"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"Script )" +
                       std::string(status) + R"(\nWall time 1.5 seconds\nOutput:\n"},{"type":"input_text","text":")" +
                       std::string(text) + R"("}]})"));
            REQUIRE(r.all<ToolResult>().size() == 1);
            const ToolResult result = r.all<ToolResult>()[0];
            return Outcome{result.status, result.exit_code, std::string(result.text.bytes), result.text.form};
        };
        CHECK(printed("completed", "fine").text == "fine");
        CHECK(printed("completed", "fine").status == ResultStatus::ok);
        CHECK(printed("completed", R"({\"exit_code\":7})").exit_code == 7);
        CHECK(printed("completed", R"({\"exit_code\":7})").status == ResultStatus::error);
        CHECK(printed("failed", "Script error").status == ResultStatus::error);
        CHECK(printed("terminated", "x").status == ResultStatus::ok);
        const Outcome running = printed("running with cell ID 12", "");
        CHECK(running.status == ResultStatus::running);
    }

    TEST_CASE("where no items are kept, a script tells its calls, and what it printed their ends") {
        const auto script = [](std::string_view code) {
            return item(
                1, R"({"type":"custom_tool_call","call_id":"c","name":"exec","input":")" + std::string(code) + R"("})");
        };
        const auto said = [](std::string_view status, std::initializer_list<std::string_view> texts) {
            std::string blocks;
            for (const std::string_view text : texts)
                blocks += R"(,{"type":"input_text","text":")" + std::string(text) + R"("})";
            return item(
                5, R"({"type":"custom_tool_call_output","call_id":"c","output":[{"type":"input_text","text":"Script )" +
                       std::string(status) + R"(\nWall time 1.5 seconds\nOutput:\n"})" + blocks + "]}");
        };
        const std::string one = script("text(await tools.exec_command({cmd:'make'}))");
        const std::string failed =
            R"({\"chunk_id\":\"3ab\",\"wall_time_seconds\":1.5,\"exit_code\":2,\"output\":\"no rule\\n\"})";
        {
            Recorder r(readers::codex());
            r.read(meta(0)).read(one).read(said("completed", {failed}));
            const auto calls = r.all<ToolCall>();
            const auto results = r.all<ToolResult>();
            REQUIRE(calls.size() == 2);
            REQUIRE(results.size() == 2);
            CHECK(calls[0].script);
            CHECK(calls[1].caller == Caller::code);
            CHECK(calls[1].name.bytes == "exec_command");
            CHECK(calls[1].primary.bytes == "make");
            CHECK(r.heads<ToolCall>()[1].where.line == 2);
            CHECK((r.heads<ToolCall>()[1].flags & kHidden) != 0);
            CHECK(results[0].exit_code == 2);
            CHECK(results[0].status == ResultStatus::error);
            CHECK(results[0].text.bytes == R"(no rule\n)");
            CHECK(results[0].duration_ms == 1500);
            CHECK(results[1].status == ResultStatus::ok);
            CHECK_FALSE(results[1].exit_code);
            CHECK((r.heads<ToolResult>()[1].flags & kHidden) == 0);
        }
        const std::string two =
            script("const r = [await tools.exec_command({cmd:'a'}), await tools.shell_command({command:'b'})]");
        const auto codes = [&](const std::string& output) {
            Recorder r(readers::codex());
            r.read(meta(0)).read(two).read(output);
            REQUIRE(r.all<ToolResult>().size() == 3);
            return std::pair(r.all<ToolResult>()[0].exit_code.value_or(-1),
                             r.all<ToolResult>()[1].exit_code.value_or(-1));
        };
        CHECK(codes(said("completed", {failed, R"(Exit code: 0\nWall time: 0.5 seconds\nOutput:\nx)"})) ==
              std::pair(2, 0));
        CHECK(codes(said("completed", {"[" + failed + R"(,{\"exit_code\":0}])"})) == std::pair(2, 0));
        CHECK(codes(said("completed", {"fine"})) == std::pair(-1, -1));
        CHECK(codes(said("completed", {R"([{\"exit_code\":0}])"})) == std::pair(-1, -1));
        // A script that failed is a step itself, and one that goes on tells nothing yet.
        for (const std::string& output : {said("failed", {"Script error"}), said("running with cell ID 3", {})}) {
            Recorder r(readers::codex());
            r.read(meta(0)).read(one).read(output);
            CHECK(r.all<ToolCall>().size() == 1);
        }
        Recorder waited(readers::codex());
        waited.read(meta(0)).read(one).read(said("running with cell ID 3", {})).read(call(6, "w", "wait", "{}"));
        waited.read(said("completed", {failed}));
        REQUIRE(waited.all<ToolResult>().size() == 3);
        CHECK(waited.all<ToolResult>()[1].exit_code == 2);
        Recorder items(readers::codex());
        items.read(meta(0, R"(,"history_mode":"paginated")")).read(one).read(said("completed", {failed}));
        CHECK(items.all<ToolCall>().size() == 1);
    }

    TEST_CASE("end events of a script's patch and of its calls of servers are those calls") {
        Recorder r(readers::codex());
        r.read(event(
            1,
            R"({"type":"patch_apply_end","call_id":"exec-7","success":true,"stdout":"","changes":{"a.txt":{"type":"add","content":"x\n"}}})"));
        r.read(event(
            2,
            R"({"type":"mcp_tool_call_end","call_id":"exec-8","invocation":{"server":"stock","tool":"count","arguments":{"of":"oil"}},"result":{"Err":"gone"}})"));
        r.read(event(3, R"({"type":"exec_command_end","call_id":"exec-9","exit_code":1})"));
        CHECK(r.fate() == LineFate::ignored_kind);
        r.read(event(
            4,
            R"({"type":"item_completed","item":{"type":"FileChange","id":"exec-7","changes":{"a.txt":{"type":"add","content":"x\n"}},"status":"completed"}})"));
        CHECK(r.fate() == LineFate::ignored_kind);  // told already
        const auto calls = r.all<ToolCall>();
        const auto results = r.all<ToolResult>();
        REQUIRE(calls.size() == 2);
        REQUIRE(results.size() == 2);
        CHECK(calls[0].name.bytes == "apply_patch");
        CHECK(calls[0].args.bytes.find("*** Add File: a.txt\n+x\n") != std::string_view::npos);
        CHECK(results[0].status == ResultStatus::ok);
        CHECK(calls[1].name.bytes == "mcp__stock__count");
        CHECK(results[1].status == ResultStatus::error);
        CHECK(results[1].text.bytes == "gone");
    }

    TEST_CASE("the same command elsewhere is another call of a script") {
        const auto digest = [](std::string_view cwd) {
            Recorder r(readers::codex());
            r.read(event(
                1,
                R"({"type":"item_completed","item":{"type":"CommandExecution","id":"exec-1","command":["bash","-lc","make"],"cwd":")" +
                    std::string(cwd) + R"(","status":"completed","exit_code":0}})"));
            REQUIRE(r.all<ToolCall>().size() == 1);
            return r.all<ToolCall>()[0].digest.canonical;
        };
        CHECK(digest("file:///a") == digest("file:///a"));
        CHECK(digest("file:///a") != digest("file:///b"));
    }

    TEST_CASE("token counts are running totals with the cached part taken out of the input") {
        Recorder r(readers::codex());
        r.read(at(0, "turn_context", R"({"model":"m1"})"));
        r.read(tokens(1, 700, 300, 48, R"({"input_tokens":700,"cached_input_tokens":300,"output_tokens":48})"));
        r.read(tokens(2, 1000, 400, 50, R"({"input_tokens":300,"cached_input_tokens":100,"output_tokens":2})"));
        const auto u = r.all<Usage>().back();
        CHECK(u.scope == UsageScope::session);
        CHECK(u.mode == UsageMode::cumulative);
        CHECK(u.tokens == TokenCounts{600, 0, 400, 50});
        CHECK(u.context_tokens == 300);
        CHECK(u.window_tokens == 200000);
        CHECK(u.model.bytes == "m1");
        CHECK(u.message_key != 0);
    }

    TEST_CASE("a request that no running total tells is told by its own record, once") {
        const char* small = R"({"input_tokens":700,"cached_input_tokens":300,"output_tokens":48})";
        const char* large = R"({"input_tokens":9000,"cached_input_tokens":700,"output_tokens":5})";
        const auto made = [](int second, std::string_view usage) {
            return at(second, "token_usage_record", R"({"response_id":"r","usage":)" + std::string(usage) + "}");
        };
        const auto spent = [](const Recorder& r) {
            std::vector<TokenCounts> out;
            for (const Usage& u : r.all<Usage>()) out.push_back(u.tokens);
            return out;
        };
        const TokenCounts one{400, 0, 300, 48}, both{8'700, 0, 1'000, 53};
        // Its total follows.
        Recorder usual(readers::codex());
        usual.read(made(1, small)).read(tokens(2, 700, 300, 48, small)).finish();
        CHECK(spent(usual) == std::vector<TokenCounts>{one});
        // The program was killed, and goes on.
        Recorder killed(readers::codex());
        killed.read(made(1, small)).read(event(9, R"({"type":"task_started"})"));
        CHECK(spent(killed) == std::vector<TokenCounts>{one});
        CHECK(killed.heads<Usage>()[0].where.line == 1);
        killed.read(made(10, large)).read(tokens(11, 9000, 700, 5, large)).finish();
        CHECK(spent(killed) == std::vector<TokenCounts>{one, both});
        // It was killed, and another session follows in the file.
        Recorder joined(readers::codex());
        joined.read(made(1, small)).read(at(9, "session_meta", R"({"id":"other","cwd":"/repo"})"));
        CHECK(joined.all<Usage>().size() == 1);
        CHECK(joined.heads<Usage>()[0].seq < joined.heads<SessionStart>().back().seq);
        // It ends there.
        Recorder last(readers::codex());
        last.read(made(1, small)).finish();
        CHECK(spent(last) == std::vector<TokenCounts>{one});
        // The service compacted the history: the next total is that of the request behind it.
        Recorder compacted(readers::codex());
        compacted.read(made(1, large)).read(at(2, "compacted", R"({"message":""})")).read(made(3, small));
        compacted.read(tokens(4, 700, 300, 48, small)).finish();
        CHECK(spent(compacted) == std::vector<TokenCounts>{{8'300, 0, 700, 5}, both});
        CHECK(compacted.all<Usage>()[0].context_tokens == 9000);
        Recorder bad(readers::codex());
        CHECK(bad.read(at(1, "token_usage_record", R"({"usage":7})")).fate() == LineFate::missing_field);
        CHECK(bad.read(made(1, R"({"input_tokens":0})")).fate() == LineFate::ignored_kind);
    }

    TEST_CASE("a script that threw what its call was refused with was refused") {
        const auto status = [](std::string_view thrown) {
            Recorder r(readers::codex());
            r.read(item(1, R"({"type":"custom_tool_call_output","call_id":"a","output":[{"type":"input_text","text":)"
                           R"("Script failed\nWall time 0.2 seconds\nOutput:\n"},{"type":"input_text","text":)"
                           R"("Script error:\n)" +
                               std::string(thrown) + R"("}]})"));
            return r.all<ToolResult>().at(0).status;
        };
        CHECK(status("patch rejected: writing is blocked; rejected by user approval settings") == ResultStatus::denied);
        CHECK(status("approval policy is Never; reject command") == ResultStatus::denied);
        CHECK(status("a is not defined") == ResultStatus::error);
    }

    TEST_CASE("an output of a call that nobody made is what the program says") {
        Recorder r(readers::codex());
        r.read(
            item(1, R"({"type":"function_call_output","name":"goal_objective","namespace":"agent","output":"mill"})"));
        CHECK(r.all<ToolResult>().empty());
        REQUIRE(r.all<Message>().size() == 1);
        CHECK(r.all<Message>()[0].origin == Origin::injected);
        CHECK(r.all<Message>()[0].text.bytes == "mill");
    }

    TEST_CASE("a call that was stopped with the turn did not fail, whatever its end says") {
        Recorder r(readers::codex());
        r.read(output(1, "a", R"(Wall time: 3.6 seconds\naborted by user)"));
        r.read(event(2, R"({"type":"exec_command_end","call_id":"a","exit_code":-1,"status":"failed"})"));
        REQUIRE(r.all<ToolResult>().size() == 1);
        CHECK(r.all<ToolResult>()[0].status == ResultStatus::cancelled);
    }

    TEST_CASE("what the first total says beyond the last request was spent before the recording began") {
        Recorder r(readers::codex());
        const char* last = R"({"input_tokens":2000,"cached_input_tokens":500,"output_tokens":100})";
        r.read(tokens(1, 90'000, 50'500, 4'100, last)).read(tokens(2, 92'000, 51'000, 4'200, last));
        const auto u = r.all<Usage>();
        REQUIRE(u.size() == 2);
        CHECK(u[0].tokens == TokenCounts{1'500, 0, 500, 100});
        CHECK(u[1].tokens == TokenCounts{3'000, 0, 1'000, 200});
        for (const EventHeader& head : r.heads<Usage>()) CHECK((head.flags & kCopied) == 0);
    }

    TEST_CASE("totals that begin anew, or fall back, are neither spent again nor hide what the request took") {
        const char* last = R"({"input_tokens":2000,"cached_input_tokens":500,"output_tokens":100})";
        for (const int total : {2'000, 5'000, 50'000}) {
            Recorder r(readers::codex());
            r.read(
                tokens(1, 40'000, 500, 100, R"({"input_tokens":40000,"cached_input_tokens":500,"output_tokens":100})"));
            r.read(tokens(2, total, 500, 100, last));
            const auto u = r.all<Usage>();
            REQUIRE(u.size() == 2);
            CAPTURE(total);
            CHECK(minus(u[1].tokens, u[0].tokens) == TokenCounts{1'500, 0, 500, 100});
        }
    }

    TEST_CASE("a total that is told again was spent once, whatever stands beside it") {
        Recorder r(readers::codex());
        r.read(tokens(1, 2000, 500, 100, R"({"input_tokens":2000,"cached_input_tokens":500,"output_tokens":100})"));
        r.read(tokens(2, 2000, 500, 100, R"({"input_tokens":900,"cached_input_tokens":0,"output_tokens":9})"));
        const auto u = r.all<Usage>();
        REQUIRE(u.size() == 2);
        CHECK(u[1].tokens == u[0].tokens);
    }

    TEST_CASE("without the last request the totals tell by how much they grew, and all of them when they fall") {
        Recorder r(readers::codex());
        r.read(tokens(1, 9000, 0, 100, "null"))
            .read(tokens(2, 9500, 0, 120, "null"))
            .read(tokens(3, 700, 0, 10, "null"));
        const auto u = r.all<Usage>();
        REQUIRE(u.size() == 3);
        CHECK(u[0].tokens == TokenCounts{9000, 0, 0, 100, 1});
        CHECK(u[1].tokens == TokenCounts{9500, 0, 0, 120, 1});
        CHECK(u[2].tokens == TokenCounts{10200, 0, 0, 130, 2});
    }

    TEST_CASE("the same request in two files has one key, another time or total another") {
        Recorder r(readers::codex());
        const char* last =
            R"({"input_tokens":1000,"cached_input_tokens":400,"output_tokens":50,"reasoning_output_tokens":1})";
        r.read(tokens(1, 1000, 400, 50, last))
            .read(tokens(1, 1000, 400, 50, last))
            .read(tokens(2, 1000, 400, 50, last))
            .read(tokens(1, 1001, 400, 50, last));
        const auto u = r.all<Usage>();
        REQUIRE(u.size() == 4);
        CHECK(u[0].message_key == u[1].message_key);
        CHECK(u[0].message_key != u[2].message_key);
        CHECK(u[0].message_key != u[3].message_key);
    }

    TEST_CASE("the zero record after a compaction is a context size and no usage") {
        Recorder r(readers::codex());
        const char* zero =
            R"({"input_tokens":0,"cached_input_tokens":0,"output_tokens":0,"reasoning_output_tokens":0,"total_tokens":4100})";
        r.read(tokens(
            1, 9000, 6000, 300,
            R"({"input_tokens":9000,"cached_input_tokens":6000,"output_tokens":300,"reasoning_output_tokens":1})"));
        r.read(at(2, "compacted", R"({"message":"","replacement_history":[]})"));
        r.read(tokens(2, 9000, 6000, 300, zero));
        r.read(event(3, std::string(R"({"type":"token_count","info":{"total_token_usage":)") + zero +
                            R"(,"last_token_usage":)" + zero + "}}"));
        const auto u = r.all<Usage>();
        REQUIRE(u.size() == 3);
        CHECK(u[1].tokens == u[0].tokens);
        CHECK(u[1].context_tokens == 4100);
        CHECK(u[2].tokens == u[0].tokens);  // zero totals are no reset either
        CHECK(u[2].context_tokens == 4100);
        CHECK(r.all<Compaction>().at(0).keep == Keep::replacement);
    }

    TEST_CASE("cache writes are kept apart; a record with the last request only is counted by request") {
        Recorder r(readers::codex());
        r.read(event(
            1,
            R"({"type":"token_count","info":{"last_token_usage":{"input_tokens":100,"cached_input_tokens":30,"cache_write_input_tokens":20,"output_tokens":5}}})"));
        const auto u = r.all<Usage>().at(0);
        CHECK(u.scope == UsageScope::request);
        CHECK(u.mode == UsageMode::add);
        CHECK(u.tokens == TokenCounts{50, 20, 30, 5, 0});
    }

    TEST_CASE("figures that contradict each other never go below zero") {
        Recorder r(readers::codex());
        r.read(tokens(1, 10, 400, 5, "null")).read(tokens(2, 20, 400, 5, R"({"input_tokens":-3})"));
        CHECK(r.all<Usage>().at(0).tokens == TokenCounts{0, 0, 10, 5, 1});
        CHECK(r.all<Usage>().at(1).tokens == TokenCounts{0, 0, 10, 5, 1});
        r.read(event(1, R"({"type":"token_count","info":null,"rate_limits":{}})"));
        CHECK(r.fate() == LineFate::ignored_kind);
    }

    TEST_CASE("a compaction keeps its summary where it is readable") {
        Recorder r(readers::codex());
        r.read(at(1, "compacted", R"({"message":"so far: nothing"})"))
            .read(event(1, R"({"type":"context_compacted"})"));
        const auto c = r.all<Compaction>();
        REQUIRE(c.size() == 1);
        CHECK(c[0].summary.bytes == "so far: nothing");
        CHECK(c[0].keep == Keep::unknown);
        CHECK(r.fate() == LineFate::ignored_kind);
    }

    TEST_CASE("rollbacks, errors and other agents are told") {
        Recorder r(readers::codex());
        r.read(event(1, R"({"type":"thread_rolled_back","num_turns":2})"));
        r.read(event(1, R"({"type":"error","message":"overloaded","codex_error_info":{"http":529}})"));
        r.read(event(1, R"({"type":"stream_error","message":"again"})"));
        r.read(at(1, "inter_agent_communication", R"({"author":"/root/a","content":"done"})"));
        r.read(item(1, R"({"type":"agent_message","author":"/root/a","content":[{"type":"text","text":"done too"}]})"));
        CHECK(r.all<Rewind>().at(0).target == RewindTarget::last_turns);
        CHECK(r.all<Rewind>().at(0).count == 2);
        REQUIRE(r.all<Notice>().size() == 2);
        CHECK(r.all<Notice>()[0].level == NoticeLevel::error);
        CHECK(r.all<Notice>()[0].layer == NoticeLayer::provider);
        CHECK(r.all<Notice>()[0].code.bytes == R"({"http":529})");
        CHECK(r.all<Message>().at(0).origin == Origin::agent);
        CHECK(r.all<Message>().at(1).text.bytes == "done too");
    }

    TEST_CASE("reasoning has its text, or at least its size") {
        Recorder r(readers::codex());
        r.read(item(
            1,
            R"({"type":"reasoning","summary":[{"type":"summary_text","text":"**A**"}],"encrypted_content":"abcdef"})"));
        r.read(item(1, R"({"summary":[],"content":null,"type":"reasoning"})"));
        CHECK(r.all<Thinking>().at(0).text.bytes == "**A**");
        CHECK(r.all<Thinking>().at(0).opaque_bytes == 6);
        CHECK(r.all<Thinking>().at(1).opaque_bytes == 0);
    }
}

TEST_SUITE("codex rollout, copied history") {
    constexpr std::string_view kParent = "0194f39f-0000-7000-8000-0000000000aa";
    constexpr std::string_view kParentTurn =
        R"({"type":"task_started","turn_id":"0194f39f-4000-7000-8000-000000000001"})";
    constexpr std::string_view kOwnTurn = R"({"type":"task_started","turn_id":"0194f3a0-0100-7000-8000-000000000001"})";
    constexpr std::string_view kLast = "null";

    bool copied(const EventHeader& head) { return (head.flags & kCopied) != 0; }

    TEST_CASE("a parent's history copied within the second is flagged, its totals are still told") {
        Recorder r(readers::codex());
        r.read(meta(0, R"(,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}})"))
            .read(meta(0, "", kParent));
        r.read(event(0, kParentTurn))
            .read(says(0, "old"))
            .read(call(0, "a", "exec", "{}"))
            .read(tokens(0, 1000, 0, 10, kLast));
        r.read(call(9, "b", "exec", "{}")).read(tokens(9, 1500, 0, 20, kLast));
        CHECK(r.all<SessionStart>().size() == 1);
        CHECK(copied(r.heads<ToolCall>().at(0)));
        CHECK_FALSE(copied(r.heads<ToolCall>().at(1)));
        CHECK(copied(r.heads<Usage>().at(0)));
        CHECK_FALSE(copied(r.heads<Usage>().at(1)));
        CHECK(r.all<Usage>().at(0).tokens.input == 1000);
    }

    TEST_CASE("a history that takes more than a second to copy is copied to its end, which a pause tells") {
        Recorder r(readers::codex());
        r.read(meta(0, R"(,"forked_from_id":"p")")).read(meta(0, "", kParent));
        const auto read_at = [&](int ms, std::string line) {
            char time[40];
            std::snprintf(time, sizeof time, "2026-03-02T10:00:%02d.%03dZ", ms / 1000, ms % 1000);
            line.replace(line.find("2026"), 24, time);
            r.read(line);
        };
        for (int ms = 0; ms < 3000; ms += 100) {
            read_at(ms, says(0, "old", "assistant"));
            if (ms == 1500) read_at(ms, meta(0, "", "0194f39f-0000-7000-8000-0000000000bb"));  // of the parent's parent
        }
        read_at(3400, says(0, "new", "assistant"));
        read_at(3450, says(0, "new", "assistant"));
        CHECK(r.all<SessionStart>().size() == 1);
        const auto heads = r.heads<Message>();
        REQUIRE(heads.size() == 32);
        for (std::size_t i = 0; i < 30; ++i) CHECK(copied(heads[i]));
        CHECK_FALSE(copied(heads[30]));
        CHECK_FALSE(copied(heads[31]));
    }

    TEST_CASE("a fork's own first turn is not taken for a copy, though it starts in the same second") {
        Recorder r(readers::codex());
        r.read(meta(0, R"(,"forked_from_id":"p")"))
            .read(event(0, kParentTurn))
            .read(says(0, "old"))
            .read(event(0, kOwnTurn))
            .read(says(0, "new"));
        CHECK(r.all<SessionStart>().at(0).forked_from.bytes == "p");
        CHECK(copied(r.heads<Message>().at(0)));
        CHECK_FALSE(copied(r.heads<Message>().at(1)));
        CHECK_FALSE(copied(r.heads<TurnStart>().at(1)));
    }

    std::string numbered(int number, std::string line) {
        return line.insert(1, R"("ordinal":)" + std::to_string(number) + ",");
    }

    TEST_CASE("numbered records of a sub-agent are copies up to the number at which its own history begins") {
        Recorder r(readers::codex());
        r.read(numbered(0, meta(0, R"(,"subagent_history_start_ordinal":4,"source":{"subagent":{"thread_spawn":{}}})")))
            .read(numbered(1, meta(0, "", kParent)))
            .read(numbered(2, says(0, "old")))
            .read(numbered(3, says(40, "old", "assistant")))
            .read(numbered(4, says(40, "new")))
            .read(numbered(5, says(40, "new", "assistant")));
        CHECK(r.all<SessionStart>().size() == 1);
        const auto heads = r.heads<Message>();
        REQUIRE(heads.size() == 4);
        CHECK(copied(heads[0]));
        CHECK(copied(heads[1]));
        CHECK_FALSE(copied(heads[2]));
        CHECK_FALSE(copied(heads[3]));
    }

    TEST_CASE("a fork whose history stays in the file it was forked from has no copies") {
        Recorder r(readers::codex());
        r.read(meta(0, R"(,"forked_from_id":"p","history_base":{"thread_id":"p","end_ordinal_exclusive":9})"))
            .read(says(0, "new"));
        CHECK(r.all<SessionStart>().at(0).forked_from.bytes == "p");
        CHECK_FALSE(copied(r.heads<Message>().at(0)));
        Recorder whole(readers::codex());
        whole.read(meta(0, R"(,"forked_from_id":"p","history_base":null)")).read(says(0, "old"));
        CHECK(copied(whole.heads<Message>().at(0)));
    }

    TEST_CASE("copied records keep their own old times") {
        Recorder r(readers::codex());
        r.read(meta(600, R"(,"forked_from_id":"p")"))
            .read(says(5, "old"))
            .read(says(595, "older", "assistant"))
            .read(says(602, "new"));
        const auto heads = r.heads<Message>();
        REQUIRE(heads.size() == 3);
        CHECK(copied(heads[0]));
        CHECK(copied(heads[1]));
        CHECK_FALSE(copied(heads[2]));
    }

    TEST_CASE("a copied request without running totals is no spending") {
        Recorder r(readers::codex());
        const std::string last =
            R"({"type":"token_count","info":{"last_token_usage":{"input_tokens":100,"output_tokens":5}}})";
        r.read(meta(0, R"(,"forked_from_id":"p")")).read(event(0, last)).read(event(9, last));
        const auto u = r.all<Usage>();
        REQUIRE(u.size() == 2);
        CHECK(u[0].tokens == TokenCounts{});
        CHECK(u[1].tokens == TokenCounts{100, 0, 0, 5});
    }

    TEST_CASE("a sub-agent without any copied history has none flagged") {
        Recorder r(readers::codex());
        r.read(meta(0, R"(,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}})"));
        r.read(event(0, R"({"type":"task_started"})")).read(says(0, "go")).read(call(4, "a", "exec", "{}"));
        for (const Event& e : r.events) CHECK_FALSE(copied(e.head));
    }

    TEST_CASE("model output in a sub-agent's first second can only be a copy") {
        Recorder r(readers::codex());
        r.read(meta(0, R"(,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p"}}})"))
            .read(tokens(0, 1000, 0, 10, kLast));
        CHECK(copied(r.heads<Usage>().at(0)));
    }

    TEST_CASE("another id much later is another session, not a copy") {
        Recorder r(readers::codex());
        r.read(meta(0)).read(says(1, "one")).read(meta(100, "", kParent)).read(says(101, "two"));
        REQUIRE(r.all<SessionStart>().size() == 2);
        CHECK_FALSE(r.all<SessionStart>()[1].resumed);
        CHECK_FALSE(copied(r.heads<Message>().at(1)));
        CHECK(r.heads<Message>().at(1).turn == 1);
    }

    TEST_CASE("an older session behind a whole one in the same stream is no parent of it") {
        Recorder r(readers::codex());
        r.read(meta(50)).read(says(51, "one")).read(tokens(52, 1000, 0, 10, kLast));
        r.read(meta(0, "", kParent)).read(says(1, "two")).read(tokens(2, 500, 0, 5, kLast));
        CHECK(r.all<SessionStart>().size() == 2);
        for (const Event& e : r.events) CHECK_FALSE(copied(e.head));
        CHECK(r.all<Usage>().at(1).tokens.input == 500);
    }

    TEST_CASE("the heads of several parents in a row begin no session") {
        Recorder r(readers::codex());
        r.read(meta(0)).read(meta(0, "", kParent)).read(meta(0, "", "0194f39f-0000-7000-8000-0000000000bb"));
        r.read(says(0, "old", "assistant"));
        CHECK(r.all<SessionStart>().size() == 1);
        CHECK(copied(r.heads<Message>().at(0)));
    }

    TEST_CASE("the second session of a stream names its model, also where it is the same") {
        Recorder r(readers::codex());
        const std::string setting =
            R"({"timestamp":"2026-03-02T10:00:01.000Z","type":"turn_context","payload":{"model":"gpt-5"}})";
        r.read(meta(0)).read(setting).read(says(1, "one")).read(meta(100, "", kParent)).read(setting);
        std::size_t named = 0;
        for (const ContextChange& change : r.all<ContextChange>()) named += change.model.bytes == "gpt-5";
        CHECK(named == 2);
    }

    TEST_CASE("without times nothing is flagged for ever") {
        Recorder r(readers::codex());
        r.read(R"({"timestamp":null,"type":"session_meta","payload":{"id":"x","forked_from_id":"p"}})");
        r.read(R"({"type":"response_item","payload":{"type":"message","role":"user","content":"hi"}})");
        CHECK_FALSE(copied(r.heads<Message>().at(0)));
    }
}

TEST_SUITE("codex rollout, bad records") {
    LineFate fate(std::string_view line) { return Recorder(readers::codex()).read(line).fate(); }

    TEST_CASE("a cut record emits nothing and costs one line") {
        const std::string whole = call(1, "a", "exec", R"({\"cmd\":\"ls\"})");
        for (std::size_t size = 1; size < whole.size(); ++size) {
            Recorder r(readers::codex());
            r.read(whole.substr(0, size));
            CAPTURE(size);
            CHECK(r.fate() == LineFate::malformed_json);
            CHECK(r.events.empty());
        }
        CHECK(Recorder(readers::codex()).read(whole.substr(0, 80), true).fate() == LineFate::cut_at_end);
    }

    TEST_CASE("what is missing is named by the fate") {
        CHECK(fate(R"({"timestamp":"x","type":"response_item"})") == LineFate::missing_field);
        CHECK(fate(R"({"timestamp":"x","payload":{"type":"message"}})") == LineFate::missing_field);
        CHECK(fate(R"({"type":"response_item","payload":"text"})") == LineFate::missing_field);
        CHECK(fate(R"({"type":"response_item","payload":null})") == LineFate::missing_field);
        CHECK(fate(R"({"type":"response_item","payload":[]})") == LineFate::missing_field);
        CHECK(fate(item(1, "{}")) == LineFate::missing_field);
        CHECK(fate(item(1, R"({"type":"message","role":"user"})")) == LineFate::missing_field);
        CHECK(fate(item(1, R"({"type":"message","content":"x"})")) == LineFate::missing_field);
        CHECK(fate(item(1, R"({"type":"function_call","arguments":"{}"})")) == LineFate::missing_field);
        CHECK(fate(item(1, R"({"type":"function_call_output","call_id":"a"})")) == LineFate::missing_field);
        CHECK(fate(event(1, R"({"type":"token_count"})")) == LineFate::missing_field);
        CHECK(fate(event(1, R"({"type":"thread_rolled_back","num_turns":"two"})")) == LineFate::missing_field);
        CHECK(fate(event(1, R"({"type":"error"})")) == LineFate::missing_field);
        CHECK(fate(event(1, R"({"type":"patch_apply_end","success":true})")) == LineFate::missing_field);
        CHECK(fate(at(1, "session_meta", R"({"id":7})")) == LineFate::missing_field);
    }

    TEST_CASE("kinds are known, known and unneeded, or unknown") {
        CHECK(fate(at(1, "weather", "{}")) == LineFate::unknown_kind);
        CHECK(fate(item(1, R"({"type":"teleport_call"})")) == LineFate::unknown_kind);
        CHECK(fate(event(1, R"({"type":"bridge_opened"})")) == LineFate::unknown_kind);
        CHECK(fate(event(1, R"({"type":"agent_message","message":"x"})")) == LineFate::ignored_kind);
        CHECK(fate(item(1, R"({"type":"ghost_snapshot"})")) == LineFate::ignored_kind);
        CHECK(fate(at(1, "world_state", "{}")) == LineFate::ignored_kind);
        CHECK(fate(at(1, "dynamic_tools_updated", "{}")) == LineFate::ignored_kind);
        CHECK(fate(at(1, "event_msg", R"({"type":"auth_recovery_started"})")) == LineFate::ignored_kind);
        CHECK(fate(at(1, "token_usage_record", R"({"usage":{"input_tokens":9}})")) == LineFate::understood);
        CHECK(fate(event(1, R"({"type":"collab_agent_spawn_end"})")) == LineFate::ignored_kind);
        CHECK(fate(event(1, R"({"type":"dynamic_tool_call_response"})")) == LineFate::ignored_kind);
    }

    TEST_CASE("no field of any kind may have a type that breaks the reader") {
        const char* values[] = {"null",
                                "7",
                                "-1",
                                "1e999",
                                "true",
                                "\"s\"",
                                "[]",
                                "{}",
                                "[[[]]]",
                                "[null,1,\"x\",{}]",
                                "{\"a\":{\"b\":[]}}",
                                "\"\""};
        const char* types[] = {"message",
                               "reasoning",
                               "function_call",
                               "function_call_output",
                               "custom_tool_call",
                               "local_shell_call",
                               "tool_search_call",
                               "tool_search_output",
                               "web_search_call",
                               "token_count",
                               "task_complete",
                               "user_message",
                               "patch_apply_end",
                               "mcp_tool_call_end",
                               "exec_command_end",
                               "thread_rolled_back",
                               "error"};
        const char* fields[] = {"role",
                                "content",
                                "summary",
                                "name",
                                "arguments",
                                "input",
                                "action",
                                "output",
                                "tools",
                                "call_id",
                                "id",
                                "info",
                                "message",
                                "num_turns",
                                "duration",
                                "duration_ms",
                                "success",
                                "result",
                                "exit_code",
                                "status",
                                "encrypted_content",
                                "source",
                                "base_instructions",
                                "dynamic_tools",
                                "replacement_history",
                                "model",
                                "cwd",
                                "codex_error_info"};
        Recorder r(readers::codex());
        for (const char* type : types) {
            for (const char* field : fields) {
                for (const char* value : values) {
                    const std::string payload = std::string(R"({")") + field + R"(":)" + value + R"(,"type":")" + type +
                                                R"(","name":"n","role":"user"})";
                    for (const char* kind :
                         {"response_item", "event_msg", "session_meta", "turn_context", "compacted"}) {
                        r.read(at(1, kind, payload));
                        CHECK(r.fate() != LineFate::malformed_json);
                    }
                }
            }
        }
        for (const char* value : values) {
            for (const char* inner : {"total_token_usage", "last_token_usage", "model_context_window"}) {
                r.read(event(1, std::string(R"({"type":"token_count","info":{")") + inner + "\":" + value + "}}"));
                CHECK(r.fate() != LineFate::malformed_json);
            }
        }
    }

    TEST_CASE("several documents on one line are all read") {
        Recorder r(readers::codex());
        r.read(says(1, "one") + says(2, "two"));
        CHECK(r.fate() == LineFate::understood);
        CHECK(r.all<Message>().size() == 2);
    }

    TEST_CASE("deep nesting is survived") {
        std::string deep(5000, '[');
        deep.append(5000, ']');
        const LineFate f = fate(item(1, R"({"type":"function_call","name":"f","arguments":)" + deep + "}"));
        CHECK((f == LineFate::malformed_json || f == LineFate::understood));
    }
}

TEST_SUITE("codex detection") {
    Score score(const ReaderSpec& spec, const std::vector<std::string>& lines) {
        std::vector<std::string> padded;
        for (const std::string& line : lines) padded.push_back(line + std::string(kRecordPadding, ' '));
        std::vector<ProbeRecord> sample;
        for (std::size_t i = 0; i < lines.size(); ++i)
            sample.emplace_back(std::string_view(padded[i]).substr(0, lines[i].size()));
        return spec.score(sample, Framing::lines);
    }

    TEST_CASE("a rollout is certain from its first record, in any key order") {
        CHECK(score(readers::codex(), {meta(0)}) == kCertain);
        CHECK(score(readers::codex(), {R"({"payload":{"type":"message"},"type":"response_item","timestamp":"x"})"}) ==
              kCertain);
        CHECK(score(readers::codex(), {R"({"type":"response_item","payload":7,"timestamp":"x"})"}) == 0);
        CHECK(score(readers::codex_legacy(), {meta(0)}) == 0);
        CHECK(score(readers::codex_exec(), {meta(0)}) == 0);
    }

    TEST_CASE("the old layout and the exec stream are known by their own records") {
        const std::string first = R"({"id":"x","timestamp":"2025-08-20T09:00:00Z","instructions":null,"git":{}})";
        CHECK(score(readers::codex_legacy(), {first, R"({"record_type":"state"})"}) == kCertain);
        CHECK(score(readers::codex_legacy(), {first}) > 50);
        CHECK(score(readers::codex(), {first}) == 0);
        CHECK(score(readers::codex_exec(), {R"({"type":"thread.started","thread_id":"t"})"}) == kCertain);
        CHECK(score(readers::codex_exec(), {R"({"type":"item.completed","item":{}})"}) == 90);
    }

    TEST_CASE("other programs' records are not claimed") {
        for (const char* line :
             {R"({"type":"user","sessionId":"s","uuid":"u","message":{}})", R"({"role":"user","content":"x"})",
              R"({"type":"session","id":"x","cwd":"/","timestamp":"t"})", "[1]", "7", ""}) {
            CAPTURE(line);
            CHECK(score(readers::codex(), {line}) == 0);
            CHECK(score(readers::codex_legacy(), {line}) == 0);
            CHECK(score(readers::codex_exec(), {line}) == 0);
        }
    }

    TEST_CASE("every format says what its records become") {
        for (const ReaderSpec& spec : {readers::codex(), readers::codex_legacy(), readers::codex_exec()}) {
            CHECK_FALSE(spec.kinds.empty());
            CHECK(spec.signals.has(Signal::tool_calls));
        }
    }
}

TEST_CASE("real rollouts: no bad line, and the calls and token totals that are known") {
    if (!std::filesystem::exists(corpus())) {
        MESSAGE("skipped: no shared corpus beside the source");
        return;
    }
    // calls (searches for tools included) · compactions · aborts · input · cache read · output · reasoning
    struct Known {
        std::size_t calls, compactions, aborts;
        TokenCounts tokens;
    };
    const std::map<std::string, Known> known{
        {"agentcmd-rollout-2025-09-24T19-22-20.jsonl", {123, 0, 4, {204231, 0, 7290112, 99678, 72192}}},
        {"agentcmd-rollout-2025-09-25T15-12-14.jsonl", {34, 0, 0, {64514, 0, 472320, 6654, 4096}}},
        {"agentv-0.140-3compactions.jsonl", {531, 3, 0, {1705365, 0, 40517760, 117161, 43356}}},
        {"agentv-2aborts-2compactions.jsonl", {311, 2, 2, {1287025, 0, 17696000, 66140, 20981}}},
        {"agentv-abort-compaction.jsonl", {318, 1, 1, {854969, 0, 18707456, 57203, 13958}}},
        {"planetfall-rollback-14metas.jsonl", {142, 0, 1, {443093, 0, 7913856, 34150, 12693}}},
    };
    for (const auto& entry : known) {
        const auto& name = entry.first;
        const Known& expected = entry.second;
        CAPTURE(name);
        std::ifstream in(corpus() / name);
        REQUIRE(in);
        Recorder r(readers::codex());
        for (std::string line; std::getline(in, line);) {
            r.read(line);
            CHECK((r.fate() == LineFate::understood || r.fate() == LineFate::ignored_kind));
        }
        CHECK(r.all<ToolCall>().size() == expected.calls);
        CHECK(r.all<Compaction>().size() == expected.compactions);
        std::size_t aborts = 0;
        for (const TurnEnd& end : r.all<TurnEnd>()) aborts += end.status == TurnStatus::aborted;
        CHECK(aborts == expected.aborts);
        CHECK(r.all<Usage>().back().tokens == expected.tokens);
        CHECK(r.all<ToolResult>().size() <= r.all<ToolCall>().size());
        CHECK(r.all<ToolResult>().size() + 2 >= r.all<ToolCall>().size());
    }
}
