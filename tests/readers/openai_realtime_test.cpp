#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read_realtime(std::string_view text) { return test::read_text(readers::openai_realtime(), text); }
std::string realtime_data(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/openai-realtime" / name);
}

}  // namespace

TEST_SUITE("openai-realtime") {
    TEST_CASE("each item is told once, whichever of its events tell of it") {
        const auto seen = read_realtime(realtime_data("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=sess_harbour1 model=gpt-realtime",
                                  "ContextChange system=22",
                                  "TurnStart",
                                  "Message user/human 'How high is the water at pier two?'",
                                  "ToolCall call_tideA1 read_gauge 'two'",
                                  "Usage in=60 write=0 read=40 out=20",
                                  R"(ToolResult call_tideA1 unknown '{\"metres\":2}')",
                                  "Message assistant/agent 'Two metres.'",
                                  "Usage in=50 write=0 read=100 out=10",
                              });
        CHECK(seen.events.heads[4].response == seen.events.heads[5].response);
        CHECK(seen.events.heads[7].response != seen.events.heads[5].response);
    }

    TEST_CASE("of both sides what the client asked for counts once, and what was said aloud has its words") {
        const auto seen = read_realtime(realtime_data("full.jsonl"));
        CHECK(seen.those("Message") == Lines{
                                           "Message system/injected 'The tide turns at six.'",
                                           "Message user/human 'Is the gate shut?'",
                                           "Message assistant/agent 'It is.'",
                                           R"(Message user/human 'Who shut it?\n')",
                                           "Message assistant/agent 'The keeper did, at'",
                                           "Message user/human media=1",
                                           "Message assistant/agent 'Good morning.'",
                                       });
        CHECK(seen.those("ToolCall") ==
              Lines{"ToolCall call_gateA1 read_gauge 'gate'", "ToolCall mcp_1 read_log 'today'"});
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult call_gateA1 unknown 'shut'", "ToolResult mcp_1 ok 'nobody'"});
        CHECK(seen.those("Usage") == Lines{"Usage in=200 write=0 read=0 out=15", "Usage in=30 write=0 read=200 out=30",
                                           "Usage in=30 write=0 read=230 out=8", "Usage in=40 write=0 read=260 out=5",
                                           "Usage in=20 write=0 read=0 out=4"});
        CHECK(seen.count("TurnStart") == 3);
        CHECK(seen.those("TurnEnd") == Lines{"TurnEnd aborted", "TurnEnd failed"});
        CHECK(seen.count("SessionStart") == 2);
        CHECK(seen.count("Notice") == 3);
        CHECK(seen.count(LineFate::understood) + seen.count(LineFate::ignored_kind) == seen.fates.size());
    }

    TEST_CASE("the same without the client's side, and without what only hints at an item") {
        const std::string all = realtime_data("full.jsonl");
        std::string server, least;
        for (std::size_t at = 0; at < all.size();) {
            const std::size_t end = all.find('\n', at) + 1;
            const std::string line = all.substr(at, end - at);
            at = end;
            if (line.find(R"("source": "client")") != line.npos) continue;
            server += line;
            if (line.find("response.output_item") == line.npos && line.find("function_call_arguments") == line.npos)
                least += line;
        }
        CHECK(read_realtime(server).those("Message") == read_realtime(all).those("Message"));
        CHECK(read_realtime(least).those("ToolCall") == Lines{"ToolCall call_gateA1 read_gauge 'gate'"});
        CHECK(read_realtime(least).those("Usage") == read_realtime(all).those("Usage"));
    }

    TEST_CASE("records without what they need are counted") {
        const auto seen = read_realtime(realtime_data("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::missing_field, LineFate::missing_field, LineFate::missing_field,
                                        LineFate::unknown_kind, LineFate::missing_field, LineFate::missing_field,
                                        LineFate::understood, LineFate::missing_field, LineFate::missing_field,
                                        LineFate::unknown_kind, LineFate::missing_field, LineFate::malformed_json});
        CHECK(seen.those("Message") == Lines{"Message assistant/agent 'plain'"});
    }

    TEST_CASE("a log cut anywhere tells no call twice") {
        const std::string all = realtime_data("minimal.jsonl");
        for (std::size_t cut = 0; cut < all.size(); cut += 13) {
            CHECK(read_realtime(std::string_view(all).substr(0, cut)).count("ToolCall") <= 1);
            CHECK(read_realtime(std::string_view(all).substr(cut)).count("ToolCall") <= 1);
        }
    }

    TEST_CASE("it is told from the Responses API, whose events have the same names") {
        for (const char* name : {"minimal.jsonl", "full.jsonl", "bad-fields.jsonl"})
            CHECK(score_text(readers::openai_realtime(), realtime_data(name)) == 100);
        CHECK(score_text(readers::openai_realtime(),
                         R"({"type":"response.completed","sequence_number":9,"response":{"output":[]}})") == 0);
        CHECK(score_text(readers::openai_realtime(), R"({"type":"session.created","id":"s"})") == 0);
        CHECK(score_text(readers::openai_realtime(), R"({"event":{"type":"session.created"}})") == 0);
    }
}
