#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string autogen_file(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/autogen" / name);
}

}  // namespace

TEST_SUITE("autogen") {
    TEST_CASE("a log says what a tool returned twice, and at its end everything: each is told once") {
        CHECK(read_text(readers::autogen(), autogen_file("minimal.jsonl")).lines() ==
              Lines{
                  "SessionStart",
                  "TurnStart",
                  "Message user/human 'light in the hall?'",
                  "ToolCall c1 lamp 'hall'",
                  "Usage in=20 write=0 read=0 out=6",
                  "ToolResult c1 unknown 'on'",
                  "Message assistant/agent 'It is on.'",
                  "Usage in=30 write=0 read=0 out=4",
                  "TurnEnd completed",
              });
    }

    TEST_CASE("whoever speaks first, or was asked for input, is a human") {
        const auto seen = read_text(readers::autogen(), autogen_file("full.json"));
        CHECK(seen.those("Message user").size() == 2);
        CHECK(seen.those("Message user").at(1) == "Message user/human 'go on'");
        CHECK(seen.count("TurnStart") == 2);
    }

    TEST_CASE("a flag says whether a tool failed, or its first word; code has an exit code") {
        const auto results = read_text(readers::autogen(), autogen_file("full.json")).those("ToolResult");
        REQUIRE(results.size() == 3);
        CHECK(results[0] == "ToolResult c1 error 'Error: out of range'");
        CHECK(results[1] == "ToolResult c2 error 'a tail'");
        CHECK(results[2].find("error") != std::string::npos);
        CHECK(results[2].find("exit=1") != std::string::npos);
    }

    TEST_CASE("a team that was stopped at a limit did not end by itself") {
        const auto seen = read_text(readers::autogen(), autogen_file("full.json"));
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd failed"});
        CHECK(seen.count("Notice") == 1);
    }

    TEST_CASE("each agent of a saved team has a session of its own, and what others said to it is no human's") {
        const auto seen = read_text(readers::autogen(), autogen_file("state.json"));
        CHECK(seen.those("SessionStart") == Lines{"SessionStart label=keeper", "SessionStart label=guard"});
        CHECK(seen.those("Message user") == Lines{"Message user/human 'light in the hall?'",
                                                  "Message user/agent 'it burns'",
                                                  "Message user/human 'light in the hall?'"});
        CHECK(seen.those("Thinking") == Lines{"Thinking 'Which lamp?'"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult c1 unknown 'on'"});
    }

    TEST_CASE("records without what they need are counted, and other messages are none of AutoGen's") {
        CHECK(read_text(readers::autogen(), autogen_file("bad-fields.jsonl")).fates ==
              std::vector{LineFate::understood, LineFate::unknown_kind, LineFate::missing_field, LineFate::understood,
                          LineFate::understood, LineFate::understood, LineFate::missing_field, LineFate::understood,
                          LineFate::malformed_json});
        CHECK(score_text(readers::autogen(), autogen_file("full.json")) == 97);
        CHECK(score_text(readers::autogen(), autogen_file("state.json")) == 97);
        CHECK(score_text(readers::autogen(), R"({"type":"message","source":"x","content":"y"})") == 0);
        CHECK(score_text(readers::autogen(), R"({"messages":[{"role":"user","content":"y"}]})") == 0);
    }
}
