#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using AuggieLines = std::vector<std::string>;

namespace {

std::string auggie_fixture(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/auggie" / name);
}
test::Reading read_auggie(std::string_view text) { return read_text(readers::auggie(), text); }

}  // namespace

TEST_SUITE("auggie") {
    TEST_CASE("exchanges become start, turn, call, usage, result and answer") {
        const auto seen = read_auggie(auggie_fixture("minimal.json"));
        CHECK(seen.lines() == AuggieLines{
                                  "SessionStart id=mill-1 cwd=/home/ada/mill model=stone-2",
                                  "TurnStart",
                                  "Message user/human 'what does the mill grind?'",
                                  "ToolCall c1 view 'README.md'",
                                  "Usage in=100 write=10 read=500 out=20",
                                  R"(ToolResult c1 ok 'It grinds rye.\n')",
                                  "Message assistant/agent 'It grinds rye.'",
                                  "Usage in=30 write=0 read=600 out=8",
                              });
        CHECK(seen.events.usages[0].scope == UsageScope::request);
        CHECK(seen.events.heads[5].time_ms == 1790000000250);
        CHECK(seen.events.heads[6].time_ms == 1790000001000);
        CHECK(seen.events.heads[3].response != seen.events.heads[6].response);
    }

    TEST_CASE("results stand before what is said; failures, codes, summaries and the program's own words are known") {
        const auto seen = read_auggie(auggie_fixture("full.json"));
        CHECK(seen.those("ToolResult").at(0).starts_with("ToolResult c1 error exit=2 "));
        CHECK(seen.those("ToolResult").at(1) == "ToolResult c2 cancelled 'Cancelled by user.'");
        CHECK(seen.those("Thinking") == AuggieLines{"Thinking 'Build first.' opaque=8"});
        CHECK(seen.those("Compaction") == AuggieLines{"Compaction summary 'They wanted the stones to turn.'"});
        CHECK(seen.those("Message") ==
              AuggieLines{"Message user/human 'let the stones turn' media=1",
                          "Message assistant/agent 'I build and look.'", "Message assistant/agent 'The stones turn.'",
                          "Message user/injected '<supervisor>Are the tasks done?</supervisor>'",
                          "Message assistant/agent 'Finished.'", "Message user/human 'and now?'",
                          "Message assistant/agent 'Nothing more.'"});
        CHECK(seen.count("TurnStart") == 2);
    }

    TEST_CASE("exchanges without what they need are counted, and a cut document is read as far as it goes") {
        CHECK(read_auggie(auggie_fixture("bad-fields.json")).those("Notice") ==
              AuggieLines{"Notice reader/warning unreadable-elements"});
        CHECK(read_auggie(R"({"sessionId":"s"})").fates == std::vector{LineFate::unknown_kind});
        CHECK(read_auggie(auggie_fixture("bad-cut.json")).those("ToolCall") ==
              AuggieLines{"ToolCall c1 view 'README.md'"});
    }

    TEST_CASE("it is told by its session and its history") {
        CHECK(score_text(readers::auggie(), auggie_fixture("minimal.json")) == 100);
        CHECK(score_text(readers::auggie(), R"({"sessionId":"s","history":[]})") == 0);
    }
}
