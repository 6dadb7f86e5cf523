#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string trajectory(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/trae-agent" / name);
}

test::Reading run_of(const std::string& text) { return read_text(readers::trae_agent(), text); }

}  // namespace

TEST_SUITE("trae-agent") {
    TEST_CASE("each request is told what came since the last, and what the last calls gave stands in the steps") {
        const auto seen = run_of(trajectory("minimal.json"));
        CHECK(seen.lines() ==
              Lines{
                  "SessionStart cwd=/home/ada/fern model=small-model",
                  "Message system/injected 'You keep plants.'",
                  "TurnStart",
                  R"(Message user/injected '[Project root path]:\n/home/ada/fern\n\n[Problem statement]: ')",
                  "Message user/human 'Water the fern.'",
                  "ToolCall w1 bash 'water fern'",
                  "Usage in=40 write=0 read=60 out=8",
                  "ToolResult w1 ok '1 cup'",
                  "Message assistant/agent 'The fern is wet.'",
                  "ToolCall w2 task_done",
                  "Usage in=30 write=0 read=100 out=6",
                  "TurnEnd completed",
              });
        CHECK(run_of(trajectory("full.json")).those("ToolResult").back() == "ToolResult f3 ok");
    }

    TEST_CASE("a flag says whether a call failed, and what a command wrote to both streams is one text") {
        const auto results = run_of(trajectory("full.json")).those("ToolResult");
        REQUIRE(results.size() == 3);
        CHECK(results[0] == R"(ToolResult f1 error 'post 1\npost 2 is gone')");
        CHECK(results[1] == "ToolResult f2 error 'no gate'");
    }

    TEST_CASE("after the task nobody speaks but the program, even in the name of the model") {
        const auto seen = run_of(trajectory("full.json"));
        CHECK(seen.count("TurnStart") == 1);
        CHECK(seen.those("Message user").back() ==
              "Message user/injected 'It seems that you have not completed the task.'");
        CHECK(seen.those("Message assistant/injected").size() == 1);
    }

    TEST_CASE("what Anthropic has cached is beside the input") {
        CHECK(run_of(trajectory("full.json")).those("Usage") ==
              Lines{"Usage in=4 write=300 read=2000 out=20", "Usage in=9 write=0 read=0 out=5"});
    }

    TEST_CASE("a run that had no success, one that broke off, and one that was not seen to end") {
        const auto full = run_of(trajectory("full.json"));
        CHECK(full.those("TurnEnd") == Lines{"TurnEnd failed"});
        CHECK(full.those("Notice") ==
              Lines{"Notice harness/warning no-success 'Task execution exceeded maximum steps without completion.'"});
        const auto broken = run_of(trajectory("repeated.json"));
        CHECK(broken.those("TurnEnd").empty());
        CHECK(broken.those("Notice") == Lines{"Notice harness/error step-error 'rate limited'"});
    }

    TEST_CASE("an input that begins from the beginning again is told once") {
        const auto seen = run_of(trajectory("repeated.json"));
        CHECK(seen.count("Message") == 4);
        CHECK(seen.count("ToolCall") == 1);
        CHECK(seen.those("ToolResult") == Lines{"ToolResult r1 ok '1'"});
    }

    TEST_CASE("elements of the wrong shape are survived") {
        CHECK(run_of(trajectory("bad-fields.jsonl")).fates ==
              std::vector{LineFate::understood, LineFate::unknown_kind, LineFate::partial});
    }

    TEST_CASE("files are told by their fields, in any order") {
        for (const char* name : {"minimal.json", "full.json", "repeated.json", "bad-fields.jsonl"})
            CHECK(score_text(readers::trae_agent(), trajectory(name)) >= 90);
        CHECK(score_text(readers::trae_agent(), R"({"agent_steps":[],"task":"","llm_interactions":[]})") >= 90);
        CHECK(score_text(readers::trae_agent(), R"({"llm_interactions":[{"prompt":"a"}]})") == 0);
    }

    TEST_CASE("a record cut at any byte is survived") {
        const std::string whole = trajectory("full.json");
        for (std::size_t n = 0; n < whole.size(); n += 3) CHECK(run_of(whole.substr(0, n)).count("ToolCall") <= 3);
    }
}
