#include "readers/codex_recorder.hpp"

#include "readers/all.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using agent_audit::test::Recorder;

TEST_SUITE("codex, layout before September 2025") {
    TEST_CASE("the first line opens the session and its instructions count as prompt") {
        Recorder r(readers::codex_legacy());
        r.read(R"({"id":"s-1","timestamp":"2025-08-20T09:00:00.000Z","instructions":"12345","git":{"branch":"main"}})");
        CHECK(r.all<SessionStart>().at(0).session_id.bytes == "s-1");
        CHECK(r.heads<SessionStart>().at(0).time_ms == 1755680400000);
        CHECK(r.all<ContextChange>().at(0).system_prompt_bytes == 5);
    }

    TEST_CASE("bare items are read like wrapped ones, and human messages start the turns") {
        Recorder r(readers::codex_legacy());
        r.read(R"({"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x"}]})");
        r.read(R"({"type":"message","role":"user","content":[{"type":"input_text","text":"paint"}]})");
        r.read(R"({"record_type":"state"})");
        CHECK(r.fate() == LineFate::ignored_kind);
        r.read(
            R"({"type":"function_call","id":null,"name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls\"]}","call_id":"c1"})");
        r.read(
            R"({"type":"function_call_output","call_id":"c1","output":"{\"output\":\"none\\n\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}"})");
        r.read(R"({"type":"message","role":"user","content":[{"type":"input_text","text":"again"}]})");
        CHECK(r.all<TurnStart>().size() == 2);
        CHECK(r.all<Message>().at(0).origin == Origin::injected);
        CHECK(r.all<Message>().at(1).origin == Origin::human);
        CHECK(r.all<ToolCall>().at(0).primary.bytes == "ls");
        CHECK(r.all<ToolResult>().at(0).exit_code == 2);
        CHECK(r.all<ToolResult>().at(0).text.bytes == R"(none\n)");
        CHECK(r.heads<ToolCall>().at(0).time_ms == kNoTime);
        CHECK(r.heads<Message>().at(2).turn == 2);
    }

    TEST_CASE("lines that are nothing known say so") {
        Recorder r(readers::codex_legacy());
        CHECK(r.read(R"({"record_type":"weather"})").fate() == LineFate::unknown_kind);
        CHECK(r.read(R"({"unrelated":1})").fate() == LineFate::missing_field);
        CHECK(r.read(R"({"id":"x"})").fate() == LineFate::unknown_kind);
        CHECK(r.read(R"({"type":"message","role":7,"content":null})").fate() == LineFate::missing_field);
        CHECK(r.read(R"({"type":"message","role":"us)").fate() == LineFate::malformed_json);
        CHECK(r.events.empty());
    }
}
