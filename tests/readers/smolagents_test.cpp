#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string memory_of(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/smolagents" / name);
}

test::Reading remembered(const std::string& text) { return read_text(readers::smolagents(), text); }

}  // namespace

TEST_SUITE("smolagents") {
    TEST_CASE("a step is what the model says before its program, the program and what came of it") {
        const Lines expected{
            "SessionStart",
            "TurnStart",
            "Message user/human 'How deep is the well?'",
            "Message assistant/agent 'Thought: I measure it.'",
            R"(ToolCall call_1 python_interpreter 'print(depth('well'))')",
            "Usage in=200 write=0 read=0 out=20",
            R"(ToolResult call_1 ok 'Execution logs:\n12\nLast output from code snippet:\nNone')",
            "Message assistant/agent 'Thought: I know it.'",
            R"(ToolCall call_2 python_interpreter 'final_answer('12 m')')",
            "Usage in=240 write=0 read=0 out=12",
            R"(ToolResult call_2 ok 'Execution logs:\nLast output from code snippet:\n12 m')",
            "TurnEnd completed",
        };
        const std::string lines = memory_of("minimal.jsonl");
        CHECK(remembered(lines).lines() == expected);
        std::string array = "[" + lines + "]";
        for (std::size_t at = 0; (at = array.find("}\n{", at)) != std::string::npos;) array.replace(at, 3, "},{");
        CHECK(remembered(array).lines() == expected);
        CHECK(remembered(R"({"output":"12 m","steps":)" + array + "}").lines() == expected);
    }

    TEST_CASE("the observations of a step are told once, at its first call") {
        const auto results = remembered(memory_of("full.json")).those("ToolResult");
        REQUIRE(results.size() == 3);
        CHECK(results[0] == R"(ToolResult b1 ok 'bucket: shed\nrope: shed')");
        CHECK(results[1] == "ToolResult b2 ok opaque");
        CHECK(results[2] == R"(ToolResult b3 error 'Execution logs:\nturning\nCode execution failed: no key')");
    }

    TEST_CASE("an error without a call is said to the model, unless there was no answer") {
        const auto seen = remembered(memory_of("full.json"));
        CHECK(seen.those("Message user").back() == "Message user/injected 'Your code snippet is invalid'");
        CHECK(seen.those("Notice") ==
              Lines{"Notice provider/error AgentGenerationError 'Error in generating model output: overloaded'",
                    "Notice harness/warning AgentMaxStepsError 'Reached max steps.'"});
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd failed"});
    }

    TEST_CASE("prompts, plans and pictures") {
        const auto seen = remembered(memory_of("full.json"));
        CHECK(seen.lines()[1] == "Message system/injected 'You fetch water.'");
        CHECK(seen.lines()[3] == "Message user/human 'Fetch water.' media=1");
        CHECK(seen.lines()[4] == "Message assistant/agent 'First the bucket.'");
        CHECK(seen.those("Usage") == Lines{"Usage in=90 write=0 read=0 out=9"});
    }

    TEST_CASE("fields of the wrong type are missing ones") {
        CHECK(remembered(memory_of("bad-fields.jsonl")).fates ==
              std::vector{LineFate::understood, LineFate::unknown_kind, LineFate::unknown_kind,
                          LineFate::malformed_json});
    }

    TEST_CASE("memories are told by their steps, in any order of their keys") {
        for (const char* name : {"minimal.jsonl", "full.json", "bad-fields.jsonl"})
            CHECK(score_text(readers::smolagents(), memory_of(name)) >= 90);
        CHECK(score_text(readers::smolagents(), R"({"steps":[{"task_images":null,"task":"a"}]})") >= 90);
        CHECK(score_text(readers::smolagents(), R"({"steps":[{"step_id":1,"message":"a"}],"agent":{}})") == 0);
        CHECK(score_text(readers::smolagents(), R"({"task":"a","llm_interactions":[],"agent_steps":[]})") == 0);
    }

    TEST_CASE("a record cut at any byte is survived") {
        const std::string whole = memory_of("full.json");
        for (std::size_t n = 0; n < whole.size(); n += 3) CHECK(remembered(whole.substr(0, n)).count("ToolCall") <= 3);
    }
}
