#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

std::string letta_fixture(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/letta-code-stream" / name);
}
test::Reading read_letta(std::string_view text) { return read_text(readers::letta_code_stream(), text); }

}  // namespace

TEST_SUITE("letta-code-stream") {
    TEST_CASE("pieces are one answer; calls behind the end of a response are its own; cached input stands apart") {
        const auto seen = read_letta(letta_fixture("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=local-conv-1 cwd=/home/ada/mill model=stone-1",
                                  R"(Message assistant/agent 'I look at the \"mill\".')",
                                  "Usage in=100 write=0 read=500 out=20",
                                  "ToolCall c1 Bash 'make grind'",
                                  R"(ToolResult c1 error exit=2 'Exit code: 2\nno rye\n')",
                                  "Message assistant/agent 'There is no rye.'",
                                  "Usage in=40 write=0 read=600 out=10",
                                  "TurnEnd completed",
                              });
        const auto& heads = seen.events.heads;
        CHECK(heads[1].response == heads[2].response);
        CHECK(heads[3].response == heads[1].response);
        CHECK(heads[5].response == heads[6].response);
        CHECK(heads[5].response != heads[1].response);
        CHECK(seen.events.usages[0].context_tokens == 620);
    }

    TEST_CASE("calls told in front of the end of their response, in pieces or twice are one call each") {
        const auto seen = read_letta(letta_fixture("full.jsonl"));
        CHECK(seen.lines()[0] == "SessionStart id=agent-local-2 cwd=/home/ada/mill model=stone-1");
        CHECK(seen.those("Thinking") == Lines{"Thinking 'Which stone?'"});
        CHECK(seen.those("ToolCall") == Lines{"ToolCall w1 web_search 'millstone'", "ToolCall c1 Bash 'make stones'",
                                              "ToolCall c2 Bash 'make rye'"});
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult w1 ok 'granite'",
                    "ToolResult c2 denied 'Error: request to call tool denied. User reason: no rye today'"});
        CHECK(seen.count("Usage") == 2);
        std::vector<IdHash> responses;
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            const std::string& line = seen.lines()[i];
            if (line.starts_with("ToolCall c") || line.starts_with("Usage"))
                responses.push_back(seen.events.heads[i].response);
        }
        REQUIRE(responses.size() == 4);
        CHECK(responses[0] == responses[1]);
        CHECK(responses[2] == responses[3]);
        CHECK(responses[1] != responses[2]);
    }

    TEST_CASE("a refused request is told once, whether it is tried again or not") {
        const auto seen = read_letta(letta_fixture("full.jsonl"));
        CHECK(seen.count("Compaction") == 2);
        CHECK(seen.count("Notice") == 5);
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd failed", "TurnEnd aborted"});
        CHECK(seen.count("TurnStart") == 1);
    }

    TEST_CASE("a call that is approved while its pieces come is told whole, and once") {
        const auto piece = [](std::string_view args) {
            return fmt::format(
                R"({{"type":"message","message_type":"approval_request_message","id":"m1","tool_call":)"
                R"({{"name":"Bash","tool_call_id":"c1","arguments":"{}"}},"session_id":"agent-local-4"}})"
                "\n",
                args);
        };
        const auto seen =
            read_letta(piece(R"({\"comm)") + piece(R"(and\":\"make )") +
                       R"({"type":"auto_approval","tool_call":{"name":"Bash","tool_call_id":"c1","arguments":)"
                       R"("{\"command\":\"make rye\"}"},"reason":"rule","session_id":"agent-local-4"})"
                       "\n" +
                       piece(R"(rye\"})"));
        CHECK(seen.those("ToolCall") == Lines{"ToolCall c1 Bash 'make rye'"});
    }

    TEST_CASE("an error of the provider that ends the run is told once, another one of the harness besides") {
        constexpr std::string_view kRefused =
            R"({"type":"error","message":"529: overloaded","stop_reason":"error","run_id":"r1","session_id":"agent-local-5",)"
            R"("uuid":"e1","api_error":{"message_type":"error_message","message":"529: overloaded"}})"
            "\n";
        constexpr std::string_view kStopped =
            R"({"type":"message","message_type":"stop_reason","stop_reason":"llm_api_error","session_id":"agent-local-5"})"
            "\n";
        constexpr std::string_view kSaid =
            R"({"type":"message","message_type":"assistant_message","id":"m1","content":"Ground.","session_id":)"
            R"("agent-local-5"})"
            "\n";
        const auto ended = [](std::string_view message) {
            return fmt::format(
                R"({{"type":"error","message":"{}","stop_reason":"error","session_id":"agent-local-5","uuid":"error-r1"}})"
                "\n",
                message);
        };
        const auto once = read_letta(fmt::format("{}{}{}", kRefused, kStopped, ended("529: overloaded")));
        CHECK(once.those("Notice") == Lines{"Notice provider/error error '529: overloaded'"});
        CHECK(once.those("TurnEnd") == Lines{"TurnEnd failed"});
        const auto twice = read_letta(fmt::format("{}{}{}", kRefused, kSaid, ended("out of disk")));
        CHECK(twice.count("Notice") == 2);
    }

    TEST_CASE("an alert in the user's place is a compaction and no turn") {
        const auto seen = read_letta(
            R"({"type":"message","message_type":"user_message","id":"m1","content":"{\"type\": \"system_alert\", )"
            R"(\"message\": \"The following is a summary: rye.\"}","session_id":"agent-local-6"})");
        CHECK(seen.count("Compaction") == 1);
        CHECK(seen.count("TurnStart") == 0);
        CHECK(seen.count("Message") == 0);
    }

    TEST_CASE("what a program writes to it is a turn, in front of the first line and once") {
        const std::string init =
            R"({"type":"system","subtype":"init","session_id":"s","agent_id":"a","conversation_id":"c","model":"m"})"
            "\n";
        const auto asks = [](std::string_view content) {
            return fmt::format(R"({{"type":"user","message":{{"role":"user","content":{}}}}})"
                               "\n",
                               content);
        };
        const std::string echo =
            R"({"type":"message","message_type":"user_message","id":"u","content":"Grind.","session_id":"s"})"
            "\n";
        const auto seen =
            test::read_text(readers::letta_code_stream(),
                            asks(R"("Grind.")") + init + echo + asks(R"([{"type":"text","text":"More."}])"));
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.those("Message") ==
              std::vector<std::string>{"Message user/human 'Grind.'", "Message user/human 'More.'"});
        CHECK(seen.count("TurnStart") == 2);
    }

    TEST_CASE("records without what they need are counted") {
        using enum LineFate;
        CHECK(read_letta(letta_fixture("bad-fields.jsonl")).fates ==
              std::vector{missing_field, missing_field, unknown_kind, understood, understood, unknown_kind,
                          unknown_kind, malformed_json});
    }

    TEST_CASE("streams that begin alike are told apart") {
        const std::string text = letta_fixture("minimal.jsonl");
        const std::string first = text.substr(0, text.find('\n') + 1);
        CHECK(score_text(readers::letta_code_stream(), text) == kCertain);
        CHECK(score_text(readers::claude_code_stream(), text) == 0);
        CHECK(score_text(readers::letta_code_stream(), first) > 0);
        CHECK(score_text(readers::claude_code_stream(), first) == 0);
        for (const char* other : {"claude-code-stream", "cursor-stream", "factory-droid-stream", "gemini-stream"}) {
            CAPTURE(other);
            CHECK(score_text(readers::letta_code_stream(),
                             slurp(test::source_dir() / "testdata/readers" / other / "minimal.jsonl")) == 0);
        }
    }

    TEST_CASE("a stream cut anywhere tells no call and no answer twice") {
        const std::string text = letta_fixture("full.jsonl");
        const auto whole = read_letta(text);
        for (std::size_t cut = 0; cut < text.size(); cut += 7) {
            const auto seen = read_letta(std::string_view(text).substr(0, cut));
            CHECK(seen.count("ToolCall") <= whole.count("ToolCall"));
            CHECK(seen.count("ToolResult") <= whole.count("ToolResult"));
        }
    }
}
