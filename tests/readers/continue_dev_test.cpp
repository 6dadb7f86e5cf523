#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string session(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/continue" / name);
}

test::Reading told(const std::string& text) { return read_text(readers::continue_dev(), text); }

}  // namespace

TEST_SUITE("continue") {
    TEST_CASE("a call and its state are told of in one item") {
        CHECK(told(session("minimal.json")).lines() == Lines{
                                                           "SessionStart id=0c1d-01 cwd=/home/ada/lamp",
                                                           "TurnStart",
                                                           "Message user/human 'Is the lamp on?'",
                                                           "ToolCall c1 read_file 'lamp.txt'",
                                                           "ToolResult c1 ok 'on'",
                                                           "Message assistant/agent 'It is on.'",
                                                       });
    }

    TEST_CASE("the state of a call says how it ended, and a message that says it again is no second result") {
        const auto seen = told(session("full.json"));
        CHECK(seen.those("ToolResult") == Lines{
                                              "ToolResult k1 error exit=3 'fuse: blown'",
                                              "ToolResult k2 denied",
                                              "ToolResult k3 error 'no such file'",
                                              R"(ToolResult k4 ok '[{"content": "a"}, {"content": "b"}]')",
                                              "ToolResult k5 unknown 'late'",
                                          });
        CHECK(seen.count("ToolCall") == 6);
        CHECK(told(session("compacted.json")).those("ToolResult") == Lines{"ToolResult b1 unknown 'fuse'"});
    }

    TEST_CASE("what is attached to a question is no human's, and a thought belongs to the answer behind it") {
        const auto seen = told(session("full.json"));
        CHECK(seen.those("Message user").at(0) == "Message user/injected '12 degrees'");
        CHECK(seen.those("Message user").at(1) == "Message user/human 'Why is it cold?' media=1");
        CHECK(seen.those("Thinking") ==
              Lines{"Thinking 'Look at the fuse first.'", "Thinking 'Nothing else is left.'"});
        CHECK(seen.events.heads[5].response == seen.events.heads[7].response);
        CHECK(seen.events.heads[5].response != 0);
    }

    TEST_CASE("the command line writes what an answer used as the provider says it; what no answer told is the rest") {
        const std::string text =
            R"({"sessionId":"0c1d-09","workspaceDirectory":"/w","history":[)"
            R"({"message":{"role":"user","content":"go"},"contextItems":[]},)"
            R"({"message":{"role":"assistant","content":"done","usage":{"prompt_tokens":70,"completion_tokens":9,)"
            R"("prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":4},)"
            R"("model":"toy-1"}},"contextItems":[]}],)"
            R"("usage":{"totalCost":0.25,"promptTokens":100,"completionTokens":12,)"
            R"("promptTokensDetails":{"cachedTokens":0,"cacheWriteTokens":0}}})";
        const auto seen = told(text);
        CHECK(seen.those("Usage") ==
              Lines{"Usage in=10 write=0 read=60 out=9 model=toy-1", "Usage in=30 write=0 read=0 out=3 cost=250000"});
        CHECK(seen.events.usages.at(0).tokens.reasoning == 4);
    }

    TEST_CASE("a summary stands for all before it; right behind it the command line goes on by itself") {
        const auto seen = told(session("compacted.json"));
        CHECK(Lines(seen.lines().begin(), seen.lines().begin() + 4) ==
              Lines{
                  "SessionStart id=0c1d-03 cwd=/home/ada/kiln",
                  "Compaction summary 'So far: the fuse was found.'",
                  "Message user/injected 'continue'",
                  "Message assistant/agent 'Then I look for a new one.'",
              });
        const auto full = told(session("full.json"));
        CHECK(full.count("Compaction") == 1);
        CHECK(full.those("Message user").at(2) == "Message user/human 'continue'");
    }

    TEST_CASE("cached tokens are inside the prompt, unless they are more than it") {
        const auto usage = told(session("full.json")).those("Usage");
        CHECK(usage == Lines{"Usage in=50 write=900 read=40 out=9", "Usage in=10 write=0 read=60 out=4",
                             "Usage in=0 write=0 read=0 out=0 cost=250000"});
        CHECK(told(session("compacted.json")).those("Usage") ==
              Lines{"Usage in=100 write=0 read=400 out=20 cost=500000"});
    }

    TEST_CASE("elements of the wrong shape are named and the rest is read") {
        CHECK(told(session("bad-fields.jsonl")).fates ==
              std::vector{LineFate::understood, LineFate::unknown_kind, LineFate::partial});
    }

    TEST_CASE("sessions are told by their fields, in any order") {
        for (const char* name : {"minimal.json", "full.json", "compacted.json", "bad-fields.jsonl"})
            CHECK(score_text(readers::continue_dev(), session(name)) == 100);
        CHECK(score_text(readers::continue_dev(),
                         R"({"title":"a","history":[{"contextItems":[],"message":{"content":"a","role":"user"}}]})") >=
              90);
        CHECK(score_text(readers::continue_dev(), R"({"history":[{"message":{"role":"user","content":"a"}}]})") == 0);
        CHECK(score_text(readers::continue_dev(), R"({"history":[{"role":"user","content":"a"}]})") == 0);
        CHECK(score_text(readers::continue_dev(), R"([{"sessionId":"a","workspaceDirectory":"/w","title":"t"}])") == 0);
    }

    TEST_CASE("a record cut at any byte is survived") {
        const std::string whole = session("full.json");
        for (std::size_t n = 0; n < whole.size(); n += 3) CHECK(told(whole.substr(0, n)).count("ToolCall") <= 6);
    }
}
