#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string history(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/browser-use" / name);
}

std::string one_step(std::string_view page, std::string_view action) {
    return R"({"model_output":{"action":[)" + std::string(action) + R"(]},"result":[{}],"state":{"url":")" +
           std::string(page) + R"("}})";
}

// Is it the same call on two pages?
bool is_same_elsewhere(std::string_view action) {
    const auto seen = read_text(readers::browser_use(), R"({"history":[)" + one_step("https://a.example", action) +
                                                            "," + one_step("https://b.example", action) + "]}");
    REQUIRE(seen.events.digests.size() == 2);
    return seen.events.digests[0].canonical == seen.events.digests[1].canonical;
}

}  // namespace

TEST_SUITE("browser-use") {
    TEST_CASE("a step is what the model says of where it stands, its actions, and a result for each") {
        CHECK(read_text(readers::browser_use(), history("minimal.json")).lines() ==
              Lines{
                  "SessionStart",
                  "TurnStart",
                  R"(Message assistant/agent 'Unknown - nothing done yet\n0 of 1 lamps\nopen the shop')",
                  "ToolCall  go_to_url 'https://lamps.example'",
                  "Usage in=900 write=0 read=0 out=0",
                  "ToolResult  ok 'Went to https://lamps.example'",
                  R"(Message assistant/agent 'Success - the shop is open\n1 of 1 lamps\nsay the price')",
                  "Message assistant/agent 'The red lamp costs 12.'",
                  "Usage in=950 write=0 read=0 out=0",
                  "TurnEnd completed",
              });
    }

    TEST_CASE("the task stands in the message of the first step, and what was added to it in that of a later one") {
        const auto seen = read_text(readers::browser_use(), history("full.json"));
        CHECK(seen.those("Message user") ==
              Lines{"Message user/human 'Book a seat.'", "Message user/human 'Then a bus.'"});
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd failed", "TurnEnd completed"});
        CHECK(read_text(readers::browser_use(), R"({"history":[)" + one_step("", R"({"wait":{}})") + R"(],"task":"t"})")
                  .those("Message user") == Lines{"Message user/human 't'"});
    }

    TEST_CASE("an error is that of its action, and an action without a result was not reached") {
        const auto seen = read_text(readers::browser_use(), history("full.json"));
        CHECK(seen.those("ToolResult") == Lines{
                                              "ToolResult  ok 'Searched for night train'",
                                              "ToolResult  error 'Element 3 is not there'",
                                              "ToolResult  cancelled",
                                              "ToolResult  ok 'Clicked'",
                                              "ToolResult  ok 'Wrote seat.md'",
                                              R"(ToolResult  ok '{\"seat\":\"none\"}')",
                                          });
        CHECK(seen.those("Notice") == Lines{"Notice provider/error step-failed 'The answer was no JSON'"});
    }

    TEST_CASE("actions that were not chosen are no calls, nor is the element that stands beside one") {
        const auto calls = read_text(readers::browser_use(), history("full.json")).those("ToolCall");
        REQUIRE(calls.size() == 6);
        CHECK(calls[3].starts_with("ToolCall  click"));
        CHECK(calls[4] == "ToolCall  write_file 'seat.md'");
    }

    TEST_CASE("what is done to an element of another page is another call") {
        CHECK_FALSE(is_same_elsewhere(R"({"click":{"index":3}})"));
        CHECK_FALSE(is_same_elsewhere(R"({"scroll":{"down":true}})"));
        CHECK_FALSE(is_same_elsewhere(R"({"extract":{"query":"prices"}})"));
        CHECK_FALSE(is_same_elsewhere(R"({"upload_file":{"index":3,"path":"/a"}})"));
        CHECK(is_same_elsewhere(R"({"navigate":{"url":"https://c.example"}})"));
        CHECK(is_same_elsewhere(R"({"search":{"query":"prices"}})"));
        CHECK(is_same_elsewhere(R"({"read_file":{"file_name":"todo.md"}})"));
    }

    TEST_CASE("the totals of a run count cached tokens inside the prompt") {
        const auto seen = read_text(readers::browser_use(), history("full.json"));
        CHECK(seen.those("Usage") == Lines{"Usage in=1000 write=0 read=4000 out=300 model=small-model cost=12000"});
        CHECK(seen.those("SessionStart") == Lines{"SessionStart model=small-model"});
    }

    TEST_CASE("steps may stand alone, and what is no step says so") {
        const auto seen = read_text(readers::browser_use(), history("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::missing_field, LineFate::understood,
                                        LineFate::unknown_kind, LineFate::malformed_json});
        CHECK(seen.count("ToolCall") == 2);
        const std::string step = one_step("https://a.example", R"({"click":{"index":3}})");
        CHECK(read_text(readers::browser_use(), "[" + step + "," + step + "]").count("ToolCall") == 2);
    }

    TEST_CASE("files are told by their steps, whatever the order of their keys") {
        for (const char* name : {"minimal.json", "full.json", "bad-fields.jsonl"})
            CHECK(score_text(readers::browser_use(), history(name)) >= 90);
        CHECK(score_text(readers::browser_use(),
                         R"({"usage":{},"history":[{"state":{},"result":[],"model_output":null}]})") >= 90);
        CHECK(score_text(readers::browser_use(), R"({"history":[{"message":{"role":"user","content":"a"}}]})") == 0);
        CHECK(score_text(readers::browser_use(), R"({"history":[{"role":"user","content":"a"}],"trajectory":[]})") ==
              0);
    }

    TEST_CASE("a record cut at any byte is survived") {
        const std::string whole = history("full.json");
        for (std::size_t n = 0; n < whole.size(); n += 3)
            CHECK(read_text(readers::browser_use(), whole.substr(0, n)).count("ToolCall") <= 6);
    }
}
