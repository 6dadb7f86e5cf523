#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

const std::string kHeader =
    R"({"type":"session","version":3,"id":"s1","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"})"
    "\n";

test::Reading read(const std::string& lines) { return read_text(readers::pi(), kHeader + lines); }

std::string entry(std::string_view id, std::string_view parent, std::string_view message) {
    return fmt::format(
        R"({{"type":"message","id":"{}","parentId":{},"timestamp":"2026-03-02T09:00:01.000Z","message":{}}})"
        "\n",
        id, parent.empty() ? "null" : fmt::format("\"{}\"", parent), message);
}
std::string user(std::string_view id, std::string_view parent, std::string_view text) {
    return entry(id, parent, fmt::format(R"({{"role":"user","content":"{}"}})", text));
}
std::string tool_result(std::string_view fields) {
    return entry("r", "", fmt::format(R"({{"role":"toolResult","toolCallId":"c",{}}})", fields));
}
std::string result_line(std::string_view fields) { return read(tool_result(fields)).those("ToolResult").at(0); }

std::filesystem::path testdata(std::string_view name) { return test::source_dir() / "testdata/readers" / name; }

}  // namespace

TEST_SUITE("pi") {
    TEST_CASE("a time that no clock shows is no time") {
        const auto time_of = [](std::string_view time) {
            const auto seen = read(fmt::format(
                R"({{"type":"message","id":"u","parentId":null,"message":{{"role":"user","content":"hi","timestamp":{}}}}})"
                "\n",
                time));
            return seen.events.heads.back().time_ms;
        };
        CHECK(time_of("1767322800000") == 1'767'322'800'000);
        CHECK(time_of("-9223372036854775807") == kNoTime);
        CHECK(time_of("9223372036854775807") == kNoTime);
        CHECK(time_of("1e300") == kNoTime);
    }

    TEST_CASE("messages without entries around them are read as the entries they would be") {
        const std::string bare = slurp(testdata("pi/bare.jsonl"));
        const auto seen = read_text(readers::pi(), bare);
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "Message user/injected '<system-reminder>It is Monday.</system-reminder>'",
                                  "TurnStart",
                                  "Message user/human 'grind the rye'",
                                  "ToolCall k1 Bash 'make flour'",
                                  "Usage in=10 write=0 read=30 out=5 model=stone-2",
                                  "ToolResult k1 error 'no rye'",
                                  "Notice provider/error 429 '429 slow down'",
                                  "TurnEnd failed",
                              });
        CHECK(seen.events.heads[4].time_ms == 1772445600000);
        CHECK(score_text(readers::pi(), bare) == 95);
        CHECK(score_text(readers::bedrock_converse(), bare) < 95);
        CHECK(score_text(readers::openclaw(), bare) == 0);
    }

    TEST_CASE("a session becomes start, turn, call, usage, result and answer, in this order") {
        const auto seen = read_text(readers::pi(), slurp(testdata("pi/minimal.jsonl")));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=5f2d8a10-minimal cwd=/home/ada/notes",
                                  "TurnStart",
                                  "Message user/human 'what is in here?'",
                                  "ToolCall call_1 bash 'ls'",
                                  "Usage in=12 write=50 read=400 out=30 model=claude-sonnet-4-5 cost=794",
                                  R"(ToolResult call_1 ok 'todo.txt\n')",
                                  "Message assistant/agent 'One file: todo.txt.'",
                                  "Usage in=4 write=40 read=450 out=9 model=claude-sonnet-4-5 cost=400",
                              });
        CHECK(seen.count(LineFate::understood) == 5);
        CHECK(seen.events.heads[3].response != 0);
        CHECK(seen.events.heads[3].response == seen.events.heads[4].response);
        CHECK(seen.events.heads[3].response != seen.events.heads[6].response);
        CHECK(seen.events.heads[0].turn == 0);
        CHECK(seen.events.heads[6].turn == 1);
        CHECK(seen.events.heads[6].where.line == 5);
        CHECK(seen.events.heads[6].time_ms - seen.events.heads[5].time_ms == 2000);
        CHECK(seen.events.record_ids[6] == "a0000004");
    }

    TEST_CASE("every kind of entry has its events") {
        const auto seen = read_text(readers::pi(), slurp(testdata("pi/full.jsonl")));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=5f2d8a10-full parent=/home/ada/old.jsonl cwd=/home/ada/shop",
                                  "ContextChange model=claude-sonnet-4-5",
                                  "TurnStart",
                                  "Message user/human 'make the basket test pass'",
                                  "Message user/injected 'The tests run with npm test.'",
                                  "Thinking 'Run it first.' opaque=12",
                                  "Message assistant/agent 'Running the test.'",
                                  "ToolCall call_1 bash 'npm test'",
                                  "ToolCall call_2 read 'basket.ts'",
                                  "Usage in=10 write=20 read=100 out=40 model=claude-sonnet-4-5 cost=2000",
                                  R"(ToolResult call_1 error exit=2 '1 failing\n\nCommand exited with code 2')",
                                  R"(ToolResult call_2 ok 'export class Basket {}\n[end of file]')",
                                  "Notice provider/error 529 '529 overloaded'",
                                  "TurnEnd failed",
                                  "ToolCall b000000a bash 'git stash' by-user",
                                  "ToolResult b000000a ok exit=0 'Saved working directory'",
                                  "Rewind to b0000004",
                                  "Message user/summary 'Tried npm test: one failing.'",
                                  "TurnStart",
                                  "Message user/human 'look at this instead' media=1",
                                  "Message assistant/agent 'I see a red'",
                                  "Usage in=5 write=0 read=150 out=3 model=claude-sonnet-4-5 cost=100",
                                  "TurnEnd aborted",
                                  "Compaction summary 'Goal: basket test.' keep-from=b000000c before=90123",
                              });
        CHECK(seen.count(LineFate::understood) == 13);
        CHECK(seen.count(LineFate::ignored_kind) == 3);
        CHECK((seen.events.heads[14].flags & kHidden) != 0);
    }

    TEST_CASE("the linear first version has no ids: no branches, an index to keep from, responses still told apart") {
        const auto seen = read_text(readers::pi(), slurp(testdata("pi/linear-v1.jsonl")));
        CHECK(seen.lines().at(0) ==
              "SessionStart id=9a41c0de-v1 forked=/home/ada/before.jsonl cwd=/home/ada/shop model=claude-sonnet-4-5");
        CHECK(seen.those("Compaction") == Lines{"Compaction summary 'Counted lines.' keep-index=1 before=500"});
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult call_1 cancelled 'Command aborted'",
                    "ToolResult 2025-11-20T08:00:06.000Z error exit=1 'wc: a.txt: no such file'"});
        CHECK(seen.count("Rewind") + seen.count("Notice") == 0);
        CHECK(seen.events.heads[3].response != 0);
        CHECK(seen.events.usages.at(0).message_key != 0);
    }

    TEST_CASE("the digest of a call does not depend on where the name stands") {
        const auto seen = read(
            entry(
                "a", "",
                R"({"role":"assistant","content":[{"type":"toolCall","arguments":{"b":1,"a":"x"},"name":"f","id":"1"}]})") +
            entry(
                "b", "a",
                R"({"role":"assistant","content":[{"id":"2","name":"f","type":"toolCall","arguments":{"a":"x","b":1.0}}]})") +
            entry(
                "c", "b",
                R"({"role":"assistant","content":[{"id":"3","name":"g","type":"toolCall","arguments":{"a":"x","b":1}}]})"));
        REQUIRE(seen.events.digests.size() == 3);
        CHECK(seen.events.digests[0].canonical == seen.events.digests[1].canonical);
        CHECK(seen.events.digests[0].canonical != seen.events.digests[2].canonical);
    }

    TEST_CASE("an entry whose parent is not the entry before it rewinds to that parent") {
        const auto seen = read(user("a", "", "1") + user("b", "a", "2") + user("c", "a", "3") + user("d", "c", "4"));
        CHECK(seen.those("Rewind") == Lines{"Rewind to a"});
        const auto place = std::find(seen.lines().begin(), seen.lines().end(), "Rewind to a") - seen.lines().begin();
        CHECK(seen.events.heads[static_cast<std::size_t>(place)].where.line == 4);
    }

    TEST_CASE("ignored entries are links of the chain too") {
        const auto seen = read(user("a", "", "1") +
                               R"({"type":"label","id":"b","parentId":"a"})"
                               "\n" +
                               user("c", "b", "2"));
        CHECK(seen.count("Rewind") == 0);
        CHECK(seen.count("Notice") == 0);
        for (const char* type : {"active_tools_change", "thinking_level_change", "session_info"}) {
            CAPTURE(type);
            const auto entry = read(user("a", "", "1") +
                                    fmt::format(R"({{"type":"{}","id":"b","parentId":"a"}})"
                                                "\n",
                                                type) +
                                    user("c", "b", "2"));
            CHECK(entry.count(LineFate::ignored_kind) == 1);
            CHECK(entry.count("Rewind") == 0);
        }
    }

    TEST_CASE("an unknown parent is noted and not taken as a branch") {
        const auto seen = read(user("a", "", "1") + user("b", "nowhere", "2"));
        CHECK(seen.count("Rewind") == 0);
        CHECK(seen.those("Notice") == Lines{"Notice reader/info unknown-parent"});
    }

    TEST_CASE("a parent further back than the window is unknown, one inside it is not") {
        std::string lines = user("n0", "", "0");
        for (int i = 1; i <= 600; ++i) lines += user(fmt::format("n{}", i), fmt::format("n{}", i - 1), "x");
        CHECK(read(lines + user("z", "n1", "far")).those("Notice") == Lines{"Notice reader/info unknown-parent"});
        CHECK(read(lines + user("z", "n200", "near")).those("Rewind") == Lines{"Rewind to n200"});
    }

    TEST_CASE("a second root starts from nothing") {
        CHECK(read(user("a", "", "1") + user("b", "", "2")).those("Rewind") == Lines{"Rewind all"});
    }

    TEST_CASE("isError is an error, and an aborted command was cancelled") {
        CHECK(result_line(R"("toolName":"edit","content":"no match","isError":true)") ==
              "ToolResult c error 'no match'");
        CHECK(result_line(R"("toolName":"bash","content":"half\n\nCommand aborted","isError":true)") ==
              R"(ToolResult c cancelled 'half\n\nCommand aborted')");
    }

    TEST_CASE("a shell result that says it failed is an error although isError is false") {
        CHECK(result_line(R"x("toolName":"exec","content":"x\n\n(Command exited with code 3)","isError":false)x") ==
              R"(ToolResult c error exit=3 'x\n\n(Command exited with code 3)')");
        CHECK(result_line(R"("toolName":"exec","content":"worker exited with code 137","isError":false)") ==
              "ToolResult c ok 'worker exited with code 137'");  // a log of another program
        CHECK(result_line(R"("toolName":"exec","content":"x","details":{"exitCode":1},"isError":false)") ==
              "ToolResult c error exit=1 'x'");
        CHECK(result_line(R"("toolName":"exec","content":"x","details":{"exitCode":0},"isError":false)") ==
              "ToolResult c ok exit=0 'x'");
        CHECK(result_line(R"("toolName":"exec","content":"pid 4","details":{"status":"running"},"isError":false)") ==
              "ToolResult c running 'pid 4'");
    }

    TEST_CASE("a file that merely mentions an exit code was read well") {
        CHECK(result_line(R"("toolName":"read","content":"Command exited with code 3","isError":false)") ==
              "ToolResult c ok 'Command exited with code 3'");
        const std::string early = "Command exited with code 3" + std::string(500, '.');
        CHECK(result_line(fmt::format(R"("toolName":"exec","content":"{}","isError":false)", early))
                  .starts_with("ToolResult c ok '"));
    }

    TEST_CASE("a JSON result that begins with an error status is an error, with another status it is not") {
        CHECK(result_line(
                  R"("toolName":"cron","content":"{\n  \"status\": \"error\",\n  \"tool\": \"cron\"}","isError":false)")
                  .starts_with("ToolResult c error"));
        CHECK(result_line(R"("toolName":"history","content":"{\"status\":\"forbidden\"}","isError":false)")
                  .starts_with("ToolResult c error"));
        CHECK(result_line(R"("toolName":"spawn","content":"{\"status\": \"accepted\"}","isError":false)")
                  .starts_with("ToolResult c ok"));
        CHECK(
            result_line(R"("toolName":"read","content":"{\"note\":\"status\", \"status\": \"error\"}","isError":false)")
                .starts_with("ToolResult c ok"));
    }

    TEST_CASE("a result of pictures only, or moved out of the file, equals nothing") {
        CHECK(
            result_line(
                R"("toolName":"look","content":[{"type":"image","data":"AA","mimeType":"image/png"}],"isError":false)") ==
            "ToolResult c ok media=1 opaque");
        const auto seen = read(
            R"({"type":"message","id":"r","timestamp":"2026-03-02T09:00:01.000Z","evictedContent":{"payloads":{"message.content.0.text":{}}},)"
            R"("message":{"role":"toolResult","toolCallId":"c","content":"gone","isError":false}})"
            "\n");
        CHECK(seen.those("ToolResult") == Lines{"ToolResult c ok 'gone' opaque"});
    }

    TEST_CASE("arguments that were cut off by an abort equal nothing") {
        const auto seen = read(
            entry("a", "",
                  R"({"role":"assistant","stopReason":"aborted","content":[)"
                  R"({"type":"toolCall","id":"1","name":"write","arguments":{"path":"a"},"partialJson":"{\"pa"}]})"));
        CHECK(seen.those("ToolCall") == Lines{"ToolCall 1 write 'a' opaque"});
    }

    TEST_CASE("copies of a response in a fork have the key of the original, its neighbours have not") {
        const auto key = [](std::string_view header, std::string_view id, std::string_view time) {
            const auto seen = read_text(
                readers::pi(),
                fmt::format(
                    R"({{"type":"session","id":"{}","timestamp":"2026-03-02T09:00:00.000Z"}})"
                    "\n"
                    R"({{"type":"message","id":"{}","timestamp":"{}","message":{{"role":"assistant","content":[],"usage":{{"input":1}}}}}})"
                    "\n",
                    header, id, time));
            return seen.events.usages.at(0).message_key;
        };
        CHECK(key("one", "a1", "2026-03-02T09:00:01.000Z") == key("fork", "a1", "2026-03-02T09:00:01.000Z"));
        CHECK(key("one", "a1", "2026-03-02T09:00:01.000Z") != key("one", "a2", "2026-03-02T09:00:01.000Z"));
        CHECK(key("one", "a1", "2026-03-02T09:00:01.000Z") != key("other", "a1", "2026-04-02T09:00:01.000Z"));
    }

    TEST_CASE("a response is known by the time at which it began, whatever became of the entry around it") {
        const auto key = [](std::string_view entry_fields, std::string_view time, std::string_view figures,
                            std::string_view more = "") {
            const auto seen = read(fmt::format(
                R"({{"type":"message"{},"message":{{"role":"assistant","content":[],"model":"toy","timestamp":{},"usage":{{{}}}{}}}}})"
                "\n",
                entry_fields, time, figures, more));
            return seen.events.usages.at(0).message_key;
        };
        const std::string_view linear = R"(,"timestamp":"2026-03-02T09:00:01.000Z")";
        const std::string_view migrated = R"(,"id":"a1","timestamp":"2026-03-02T09:00:01.000Z")";
        const std::string_view later = R"(,"id":"b7","timestamp":"2026-03-02T10:00:00.000Z")";
        const std::string_view time = "1772442001000";
        const auto first = key(linear, time, R"("input":5)");
        CHECK(first != 0);
        CHECK(key(migrated, time, R"("input":5)") == first);
        CHECK(key(later, time, R"("input":5)") == first);
        CHECK(key(migrated, "1772442001001", R"("input":5)") != first);
        CHECK(key(migrated, time, R"("input":6)") != first);
        const std::string_view answered = R"(,"responseId":"r1")";
        const auto named = key(linear, time, R"("input":5)", answered);
        CHECK(key(later, time, R"("input":5)", answered) == named);
        CHECK(key(linear, time, R"("input":5)", R"(,"responseId":"r2")") != named);
    }

    TEST_CASE("what a compaction, a branch summary, a tool and a warm cache took is counted, and is no prompt") {
        const std::string usage = R"("usage":{"input":7,"output":2,"cacheRead":5,"cacheWrite":4,"cacheWrite1h":3})";
        const auto line = [&](std::string_view type, std::string_view fields) {
            return fmt::format(
                R"({{"type":"{}","id":"x1","parentId":null,"timestamp":"2026-03-02T09:00:02.000Z",{},{}}})"
                "\n",
                type, fields, usage);
        };
        for (const std::string& text : {line("compaction", R"("summary":"s","firstKeptEntryId":"a","tokensBefore":9)"),
                                        line("branch_summary", R"("fromId":"a","summary":"s")"),
                                        line("usage", R"("kind":"cache_warm","provider":"p","model":"toy")"),
                                        tool_result(R"("toolName":"ask","content":"x","isError":false,)" + usage)}) {
            CAPTURE(text);
            const auto seen = read(text);
            CHECK(seen.count(LineFate::understood) == 2);
            REQUIRE(seen.events.usages.size() == 1);
            CHECK(seen.events.usages[0].tokens == TokenCounts{7, 4, 5, 2, 0, 3});
            CHECK(seen.events.usages[0].scope == UsageScope::session);
            CHECK(seen.events.usages[0].message_key != 0);
            CHECK(read(text).events.usages[0].message_key == seen.events.usages[0].message_key);
        }
        CHECK(read(line("usage", R"("kind":"cache_warm","provider":"p","model":"toy")")).those("Usage") ==
              Lines{"Usage in=7 write=4 read=5 out=2 model=toy"});
    }

    TEST_CASE("an answer without content was paid for when it has figures") {
        const auto seen = read(entry("a", "", R"({"role":"assistant","model":"toy","usage":{"input":5,"output":2}})") +
                               entry("b", "a", R"({"role":"assistant","model":"toy","usage":{"input":0,"output":0}})"));
        CHECK(seen.those("Usage") == Lines{"Usage in=5 write=0 read=0 out=2 model=toy"});
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::understood, LineFate::missing_field});
    }

    TEST_CASE("changes of the context that say nothing are known entries, and a leaf is a rewind") {
        const std::string edit =
            R"({"type":"context_edit","id":"e","parentId":"b","timestamp":"2026-03-02T09:00:02.000Z","targetId":"a","replacement":null})"
            "\n";
        const auto leaf = [](std::string_view target) {
            return fmt::format(
                R"({{"type":"leaf","id":"l","parentId":"b","timestamp":"2026-03-02T09:00:02.000Z","targetId":"{}"}})"
                "\n",
                target);
        };
        const std::string two = user("a", "", "1") + user("b", "a", "2");
        CHECK(read(two + edit + user("c", "e", "3")).count("Rewind") == 0);
        CHECK(read(two + edit).count(LineFate::ignored_kind) == 1);
        CHECK(read(two + leaf("a") + user("c", "a", "3")).those("Rewind") == Lines{"Rewind to a"});
        CHECK(read(two + leaf("b") + user("c", "b", "3")).count("Rewind") == 0);
        CHECK(read(two + leaf("nowhere") + user("c", "b", "3")).count("Rewind") == 0);
        CHECK(read(two + leaf("a")).count(LineFate::ignored_kind) == 1);
    }

    TEST_CASE("the log of version 4 holds the same entries, in lanes") {
        const std::string text =
            R"({"kind":"header","version":4,"id":"s4","createdAt":1772442000000,"cwd":"/w"}
{"kind":"record","lane":"main","type":"operation_started","id":"o1","seq":1,"timestamp":1772442000500,"intent":{"kind":"run"}}
{"kind":"entry","lane":"main","type":"message","id":"u1","parentId":null,"seq":2,"timestamp":1772442001000,"message":{"role":"user","content":[{"type":"text","text":"mend it"}],"timestamp":1772442001000}}
{"kind":"entry","lane":"main","type":"message","id":"a1","parentId":"u1","seq":3,"timestamp":1772442002000,"message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls"}}],"usage":{"input":10,"output":2},"stopReason":"toolUse","timestamp":1772442001500}}
{"kind":"record","lane":"main","type":"usage","id":"g1","seq":4,"timestamp":1772442002000,"cause":"assistant","entryId":"a1","usage":{"input":10,"output":2}}
{"kind":"record","lane":"main","type":"usage","id":"g2","seq":5,"timestamp":1772442002000,"cause":"hook","entryId":"a1","usage":{"input":3,"output":1}}
{"kind":"lane","seq":6,"lane":"side","leafId":"a1"}
{"kind":"entry","lane":"side","type":"message","id":"u2","parentId":"a1","seq":7,"timestamp":1772442003000,"message":{"role":"user","content":"and this?"}}
{"kind":"entry","lane":"main","type":"message","id":"r1","parentId":"a1","seq":8,"timestamp":1772442004000,"message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"a"}]}}
{"kind":"record","lane":"main","type":"step_attempt","id":"t1","seq":9,"timestamp":1772442004500,"step":"compaction","compactionReason":"threshold"}
{"kind":"entry","lane":"main","type":"compaction","id":"k1","parentId":"r1","seq":10,"timestamp":1772442005000,"summary":"so far","retainedTail":[],"tokensBefore":900}
{"kind":"fact","seq":11,"fact":"name","name":"toys"}
)";
        CHECK(score_text(readers::pi(), text) > 90);
        CHECK(score_text(readers::openclaw(), text) == 0);
        const auto seen = read_text(readers::pi(), text);
        CHECK(seen.lines() == Lines{"SessionStart id=s4 cwd=/w", "TurnStart", "Message user/human 'mend it'",
                                    "ToolCall c1 bash 'ls'", "Usage in=10 write=0 read=0 out=2 model=m",
                                    "Usage in=3 write=0 read=0 out=1", "LaneOpen", "TurnStart",
                                    "Message user/human 'and this?'", "ToolResult c1 ok 'a'",
                                    "Compaction summary 'so far' before=900"});
        CHECK(seen.count(LineFate::unknown_kind) == 0);
        CHECK(seen.events.heads.front().time_ms == 1772442000000);
        CHECK(seen.events.heads.back().time_ms == 1772442005000);
        CHECK(seen.events.heads[8].lane == 1);
        CHECK(seen.events.heads[9].lane == 0);
        CHECK(seen.events.heads[9].turn == 1);
    }
    TEST_CASE("a record that no one knows, before the header, is no session of its own") {
        const std::string header =
            R"({"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00Z","cwd":"/x"})";
        const auto seen = read_text(readers::pi(), "{\"type\":\"brand_new\"}\n" + header + "\n");
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.fates == std::vector{LineFate::unknown_kind, LineFate::understood});
    }

    TEST_CASE("what --mode json prints is the conversation of its whole messages") {
        const auto prints = [](std::string_view type, std::string_view message) {
            return fmt::format("{{\"type\":\"{}\",\"message\":{}}}\n", type, message);
        };
        const char* asked = R"({"role":"user","content":[{"type":"text","text":"go"}],"timestamp":1772445600000})";
        const char* said =
            R"({"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"ls"}}],)"
            R"("provider":"p","model":"toy","usage":{"input":10,"output":5,"cacheRead":3,"cacheWrite":2}})";
        const char* answered =
            R"({"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"a"}],"isError":false})";
        std::string text = "{\"type\":\"agent_start\"}\n{\"type\":\"turn_start\"}\n";
        for (const char* message : {asked, said, answered}) {
            text +=
                prints("message_start", message) + prints("message_update", message) + prints("message_end", message);
        }
        text += R"({"type":"tool_execution_end","toolCallId":"c","toolName":"bash","result":{},"isError":false})"
                "\n" +
                prints("turn_end", said) +
                fmt::format("{{\"type\":\"agent_end\",\"messages\":[{},{}]}}\n", asked, said);
        const auto seen = read(text);
        CHECK(seen.count("Message") == 1);
        CHECK(seen.count("ToolCall") == 1);
        CHECK(seen.count("ToolResult") == 1);
        CHECK(seen.those("Usage") == Lines{"Usage in=10 write=2 read=3 out=5 model=toy"});
        CHECK(seen.count(LineFate::unknown_kind) == 0);
    }

    TEST_CASE("what --mode json prints of a compaction is one, and of retries and queues nothing") {
        const auto seen = read(
            R"({"type":"compaction_start","reason":"threshold"}
{"type":"compaction_end","reason":"threshold","result":{"summary":"so far","firstKeptEntryId":"e1","tokensBefore":900},"aborted":false}
{"type":"compaction_end","reason":"manual","result":null,"aborted":true}
{"type":"queue_update","steering":[],"followUp":[]}
{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":10,"errorMessage":"429"}
{"type":"auto_retry_end","success":true,"attempt":1}
{"type":"agent_settled"}
)");
        CHECK(seen.those("Compaction") == Lines{"Compaction summary 'so far' keep-from=e1 before=900"});
        CHECK(seen.count(LineFate::unknown_kind) == 0);
    }

    TEST_CASE("what a compaction took is the same request in the file and where it is printed") {
        const std::string what =
            R"("summary":"so far","firstKeptEntryId":"e1","tokensBefore":900,"usage":{"input":70,"output":8})";
        const auto printed =
            read(fmt::format(R"({{"type":"compaction_end","reason":"threshold","result":{{{}}}}})", what))
                .events.usages;
        const auto kept =
            read(fmt::format(
                     R"({{"type":"compaction","id":"c","parentId":null,"timestamp":"2026-03-02T09:00:02.000Z",{}}})",
                     what))
                .events.usages;
        REQUIRE(printed.size() == 1);
        REQUIRE(kept.size() == 1);
        CHECK(printed[0].tokens == TokenCounts{70, 0, 0, 8, 0});
        CHECK(printed[0].message_key != 0);
        CHECK(printed[0].message_key == kept[0].message_key);
    }

    TEST_CASE("what Oh My Pi writes beside the conversation is known") {
        const auto note = [](std::string_view id, std::string_view type, std::string_view fields) {
            return fmt::format(R"({{"type":"{}","id":"{}","parentId":null,"timestamp":"2026-03-02T09:00:02.000Z",{}}})"
                               "\n",
                               type, id, fields);
        };
        const std::string title =
            R"({"type":"title","v":1,"title":"Jars","updatedAt":"2026-03-02T09:00:00Z","pad":" "})";
        const auto seen = read_text(
            readers::pi(),
            title + "\n" + kHeader + note("a", "mode_change", R"("mode":"plan")") +
                note("b", "model_usage", R"("purpose":"title","model":"toy","usage":{"input":30,"output":4})") +
                note("c", "credential_pin", R"("provider":"p","hash":"ff")") +
                entry("d", "", R"({"role":"fileMention","files":[{"path":"j.txt","content":"jam"},{"image":{}}]})") +
                entry("e", "",
                      R"({"role":"assistant","content":[{"type":"redactedThinking","data":"QUJD"}],"model":"toy"})") +
                entry("f", "", R"({"role":"pythonExecution","code":"1/0","output":"no","exitCode":1})") +
                note("g", "reset_boundary", R"("x":0)") +
                note("h", "compaction", R"("summary":"s","firstKeptEntryId":"f","tokensBefore":900)"));
        CHECK(seen.count(LineFate::unknown_kind) == 0);
        CHECK(seen.count(LineFate::ignored_kind) == 3);
        CHECK(seen.those("SessionStart").size() == 1);
        CHECK(seen.those("Usage") == Lines{"Usage in=30 write=0 read=0 out=4 model=toy"});
        CHECK(seen.events.usages.at(0).scope == UsageScope::session);
        CHECK(seen.those("Message") == Lines{"Message user/injected 'jam' media=1"});
        CHECK(seen.those("Thinking") == Lines{"Thinking opaque=4"});
        CHECK(seen.those("ToolCall") == Lines{"ToolCall f python '1/0' by-user"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult f error exit=1 'no'"});
        REQUIRE(seen.those("Compaction").size() == 2);
        CHECK(seen.those("Compaction").at(0).starts_with("Compaction reset"));
    }

    TEST_CASE("a compaction may say to what size it brought the context") {
        struct Sizes final : EventSink {
            std::optional<std::uint64_t> before, after;
            void on_event(const Event& event) override {
                const auto* compaction = std::get_if<Compaction>(&event.body);
                if (!compaction) return;
                before = compaction->tokens_before;
                after = compaction->tokens_after;
            }
        } sizes;
        const std::string text =
            R"({"type":"compaction","id":"a","parentId":null,"timestamp":"2026-03-02T09:00:02.000Z","summary":"s",)"
            R"("firstKeptEntryId":"f","tokensBefore":900,"tokensAfter":80})"
            "\n";
        InputBuffers buffers;
        const auto source = memory_input(text, 0, InputLimits{}, buffers, 4096);
        const auto reader = readers::pi().make();
        Record next;
        REQUIRE(source->next(next) == RecordSource::Next::record);
        reader->read(next, sizes);
        CHECK(sizes.before == 900);
        CHECK(sizes.after == 80);
    }

    TEST_CASE("a sub-agent of Oh My Pi is briefed by the agent that opened it") {
        const std::string asked = R"({"role":"user","content":"Find every jar","attribution":"agent"})";
        const std::string init =
            R"({"type":"session_init","id":"i","parentId":null,"timestamp":"2026-03-02T09:00:00.500Z",)"
            R"("systemPrompt":["You scout."],"task":"Find every jar","tools":["read"],"agent":"scout"})"
            "\n";
        const auto seen = read(init + entry("a", "i", asked) + user("b", "a", "And the lids"));
        CHECK(seen.those("Message") ==
              Lines{"Message user/agent 'Find every jar'", "Message user/human 'And the lids'"});
        CHECK(seen.those("ContextChange").size() == 1);
        CHECK(read(entry("a", "", asked)).those("Message") == Lines{"Message user/injected 'Find every jar'"});
    }

    TEST_CASE("a file that begins in the middle still has a session") {
        const auto seen = read_text(readers::pi(), user("a", "gone", "hello"));
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'hello'"});
    }

    TEST_CASE("wrong types lose their own field and nothing else") {
        const auto seen = read_text(readers::pi(), slurp(testdata("pi/bad-fields.jsonl")));
        CHECK(seen.fates == std::vector<LineFate>{LineFate::missing_field, LineFate::understood,
                                                  LineFate::missing_field, LineFate::missing_field,
                                                  LineFate::understood, LineFate::understood, LineFate::missing_field,
                                                  LineFate::missing_field, LineFate::unknown_kind,
                                                  LineFate::unknown_kind, LineFate::malformed_json});
        CHECK(seen.lines() == Lines{"SessionStart id=5f2d8a10-bad", "ToolResult  ok",
                                    "Message assistant/agent 'loose text'", "ToolCall  bash 'not json'", "ToolCall  ",
                                    "Usage in=0 write=1000 read=0 out=0"});
    }

    TEST_CASE("a message of very many blocks is read up to the limit, and that is said") {
        std::string blocks = R"({"type":"text","text":"first"})";
        for (int i = 0; i < 20'000; ++i) blocks += ",{}";
        const auto seen = read(entry("a", "", R"({"role":"user","content":[)" + blocks + "]}"));
        CHECK(seen.those("Message") == Lines{"Message user/human 'first'"});
        CHECK(seen.those("Notice") == Lines{"Notice reader/warning too-many-blocks"});
    }

    TEST_CASE("a file of pi is not OpenClaw's, and the other way round") {
        CHECK(score_text(readers::pi(), slurp(testdata("pi/full.jsonl"))) == kCertain);
        CHECK(score_text(readers::openclaw(), slurp(testdata("pi/full.jsonl"))) == 0);
        CHECK(score_text(readers::pi(), slurp(testdata("openclaw/minimal.jsonl"))) == 0);
        CHECK(score_text(readers::openclaw(), slurp(testdata("openclaw/minimal.jsonl"))) == kCertain);
        CHECK(score_text(readers::pi(), user("a", "gone", "hello")) == 60);
    }

    TEST_CASE("a header says where the session ran") {
        CHECK(score_text(readers::pi(), R"({"type":"session","id":"1","timestamp":"t","event":"click"})") == 0);
        CHECK(score_text(readers::pi(), R"({"type":"session","id":"1","timestamp":"t","cwd":"/x"})") == 90);
    }

    TEST_CASE("entries of other products are not pi's") {
        CHECK(
            score_text(
                readers::pi(),
                R"({"type":"session_start","id":"x","sessionTitle":"t"})"
                "\n"
                R"({"type":"message","id":"m","timestamp":"2026-01-01T00:00:00Z","message":{"role":"user","content":"hi"}})"
                "\n") == 0);
        CHECK(score_text(readers::pi(),
                         R"({"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x"}})"
                         "\n") == 0);
        CHECK(score_text(readers::openclaw(), R"({"traceSchema":"t","type":"session.started","ts":1})"
                                              "\n") == 0);
        CHECK(score_text(readers::pi(), R"({"role":"user","content":"hi"})"
                                        "\n") == 0);
    }
}

TEST_SUITE("openclaw") {
    TEST_CASE("failed turns, wake-ups and the gateway's own words are told from the conversation") {
        const auto seen = read_text(readers::openclaw(), slurp(testdata("openclaw/full.jsonl")));
        CHECK(seen.lines() == Lines{
                                  "SessionStart id=7c33e1aa-full cwd=/srv/claw",
                                  "Message assistant/agent 'New session'",
                                  "TurnStart",
                                  "Message user/human 'restart the dashboard'",
                                  "Message user/injected 'Sender (untrusted metadata): panel'",
                                  "ToolCall t1 exec 'make up'",
                                  "Usage in=300 write=0 read=0 out=20 model=k2",
                                  R"(ToolResult t1 error exit=2 'make: no rule\n\n(Command exited with code 2)')",
                                  R"(Notice provider/error 429 '429 {\"error\":\"slow down\"}')",
                                  "TurnEnd failed",
                                  "Notice provider/error  'LLM idle timeout'",
                                  "TurnStart",
                                  "Message user/injected '[OpenClaw heartbeat poll]'",
                                  "Message user/injected 'the checks are green'",
                                  "Compaction reset",
                              });
        CHECK((seen.events.heads[1].flags & kSynthetic) != 0);
        CHECK(seen.events.heads[1].response == 0);
    }

    TEST_CASE("chat metadata in front of a message does not make it a machine's") {
        for (const std::string_view text : {"Conversation info (untrusted metadata):\\n{}\\nhello",
                                            "Sender (untrusted metadata): x\\nhello", "hello"}) {
            CAPTURE(text);
            CHECK(read(user("a", "", text)).count("TurnStart") == 1);
        }
        for (const std::string_view text :
             {"[Inter-session message] source=x", "System: [07:00] deploy",
              "A new session was started via /new or /reset. Greet.", "[Subagent Context] You are a helper"}) {
            CAPTURE(text);
            CHECK(read(user("a", "", text)).count("TurnStart") == 0);
        }
    }

    TEST_CASE("a timer begins a turn that is no person's") {
        for (const std::string_view text :
             {"[OpenClaw heartbeat poll]", "[cron:7 nightly] run", "Read HEARTBEAT.md if it exists."}) {
            CAPTURE(text);
            const auto seen = read(user("a", "", text));
            CHECK(seen.count("TurnStart") == 1);
            CHECK(seen.those("Message user/injected").size() == 1);
            CHECK(seen.events.heads.back().turn == 0);
        }
    }

    TEST_CASE("the person's words stand behind metadata, a time, and notices that waited for them") {
        const std::string sender = R"(Sender (untrusted metadata):\n```json\n{\n  \"label\": \"panel\"\n}\n```\n\n)";
        const std::string thread = R"(Thread starter (untrusted, for context):\n```json\n{}\n```\n\n)";
        const std::string notice =
            R"(System: [2026-05-05 19:26:46 GMT+5:30] NIGHTLY: look at the queue.\nSystem: Node connected\n\n)";
        for (const std::string& before :
             {std::string(), std::string("[Tue 2026-05-05 19:26 GMT+5:30] "),
              std::string("[Tue 2026-05-05 19:26:46 UTC] "), std::string("[Telegram Ada id:7 +2m 2026-05-05T19:26Z] "),
              sender, sender + "[Tue 2026-05-05 19:26 PST] ", thread + sender, notice + sender,
              notice + "[Tue 2026-05-05 19:26 GMT+5:30] "}) {
            CAPTURE(before);
            const auto seen = read(user("a", "", before + "no, the header"));
            CHECK(seen.those("Message user/human") == Lines{"Message user/human 'no, the header'"});
            CHECK(seen.count("TurnStart") == 1);
            CHECK(seen.those("Message user/injected").size() == (before.starts_with("System:") ? 1 : 0));
        }
        // Behind the envelope as in front of it: nobody's words.
        for (const std::string& text :
             {std::string("[Tue 2026-05-05 19:26 GMT+5:30] [Subagent Context] You are a helper"),
              sender + "Read HEARTBEAT.md if it exists", notice + "and more of it",
              std::string("System (untrusted): x"), sender}) {
            CAPTURE(text);
            CHECK(read(user("a", "", text)).count("Message user/human") == 0);
        }
        // Lines of a log, and half a block, are what the person pasted.
        for (const char* text : {"[2026-05-05 19:26:46 UTC] ERROR x", "[INFO 2026-05-05 19:26] x",
                                 R"(Sender (untrusted metadata):\n```json\n{)", "[Tue] hello"}) {
            CAPTURE(text);
            CHECK(read(user("a", "", text)).those("Message user/human") ==
                  Lines{fmt::format("Message user/human '{}'", text)});
        }
        const auto trail = read_text(
            readers::openclaw_trajectory(),
            R"({"traceSchema":"openclaw-trajectory","type":"prompt.submitted","ts":"2026-03-02T09:00:00.000Z","sessionId":"s","data":{"prompt":")" +
                notice + sender + "hello\"}}\n" +
                R"({"traceSchema":"openclaw-trajectory","type":"prompt.submitted","ts":"2026-03-02T09:00:00.000Z","sessionId":"s","data":{"prompt":"[OpenClaw heartbeat poll]"}})");
        CHECK(trail.those("Message user/human") == Lines{"Message user/human 'hello'"});
        CHECK(trail.those("Message user/injected").size() == 2);
    }

    TEST_CASE("a context of OpenClaw's own is nobody's words, and what stands behind it is the person's") {
        const std::string context =
            R"(<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\n[Internal task completion event]\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>)";
        for (const std::string& text : {context, context + R"(\n\n)", context.substr(0, 60),
                                        std::string("An async command you ran earlier has completed. Handle it.")}) {
            CAPTURE(text);
            CHECK(read(user("a", "", text)).count("TurnStart") == 0);
        }
        const auto seen = read(user("a", "", context + R"(\n\n[Tue 2026-05-05 19:26 UTC] and the header)"));
        CHECK(seen.those("Message user/human") == Lines{"Message user/human 'and the header'"});
        CHECK(seen.those("Message user/injected").size() == 1);
    }

    TEST_CASE("a program that the agent ended itself has not failed") {
        const auto result = [](std::string_view id, std::string_view tool, std::string_view details,
                               std::string_view text) {
            return entry(
                id, "",
                fmt::format(R"({{"role":"toolResult","toolCallId":"{}","toolName":"{}","details":{},"content":"{}"}})",
                            id, tool, details, text));
        };
        const std::string end = R"(serving\n\nProcess exited with signal SIGKILL.)";
        const auto seen = read(
            result("1", "process", R"({"status":"failed","sessionId":"nova"})", end) +
            result("2", "process", R"({"status":"failed","name":"serve"})", "Termination requested for session nova.") +
            result("3", "process", R"({"status":"failed","sessionId":"nova"})", end) +
            result("4", "process", R"({"status":"failed","sessionId":"reef"})", end) +
            result("5", "process", R"({"status":"failed"})", "No active session found for nova"));
        Lines status;
        for (const std::string& line : seen.those("ToolResult")) status.push_back(line.substr(0, line.find(" '")));
        CHECK(status == Lines{"ToolResult 1 error", "ToolResult 2 ok", "ToolResult 3 cancelled", "ToolResult 4 error",
                              "ToolResult 5 error"});
    }

    TEST_CASE("a call that OpenClaw did not write, because it has no such tool, is told with its result") {
        const auto not_found = [](std::string_view id, std::string_view parent) {
            return entry(id, parent,
                         fmt::format(R"({{"role":"toolResult","toolCallId":"c-{}","toolName":"look","isError":true,)"
                                     R"("content":[{{"type":"text","text":"Tool look not found"}}]}})",
                                     id));
        };
        const auto seen = read(user("u", "", "Look.") + not_found("r1", "u") + not_found("r2", "r1"));
        CHECK(seen.those("Tool") == Lines{"ToolCall c-r1 look opaque", "ToolResult c-r1 error 'Tool look not found'",
                                          "ToolCall c-r2 look opaque", "ToolResult c-r2 error 'Tool look not found'"});
        CHECK(seen.events.heads[3].response != 0);
        const std::string asked = R"({"role":"assistant","content":[{"type":"toolCall","id":"c-r1","name":"look",)"
                                  R"("arguments":{}}]})";
        CHECK(read(user("u", "", "Look.") + entry("a", "u", asked) + not_found("r1", "a")).count("ToolCall") == 1);
        CHECK(read(tool_result(R"("toolName":"look","isError":true,"content":[{"type":"text","text":"No."}])"))
                  .count("ToolCall") == 0);
    }

    TEST_CASE("a conversation that is rewritten behind a branch is told once") {
        const auto asked = [](std::string_view id, std::string_view parent, int at, std::string_view text = "go") {
            return entry(id, parent,
                         fmt::format(R"({{"role":"user","content":"{}","timestamp":{}}})", text, 1772442000000 + at));
        };
        const auto said = [](std::string_view id, std::string_view parent, int at) {
            return entry(
                id, parent,
                fmt::format(
                    R"({{"role":"assistant","content":[{{"type":"toolCall","id":"c{0}","name":"read","arguments":{{"path":"a"}}}}],)"
                    R"("model":"toy","usage":{{"input":10,"output":1}},"timestamp":{1}}})",
                    at, 1772442000000 + at));
        };
        const auto answered = [](std::string_view id, std::string_view parent, int at, std::string_view text) {
            return entry(
                id, parent,
                fmt::format(
                    R"({{"role":"toolResult","toolCallId":"c{0}","toolName":"read","content":"{2}","isError":false,"timestamp":{1}}})",
                    at, 1772442000500 + at, text));
        };
        const std::string first =
            asked("u", "", 0) + said("a", "u", 1000) + answered("b", "a", 1000, "long text") + said("c", "b", 2000);
        const auto copies = [](const test::Reading& seen) {
            return std::ranges::count_if(seen.events.heads,
                                         [](const EventHeader& h) { return (h.flags & kCopied) != 0; });
        };
        // The result was too long: it and what follows it stand once more, on a branch.
        const auto seen = read(first + answered("x", "a", 1000, "cut") + said("y", "x", 2000) + said("z", "y", 3000));
        CHECK(seen.those("Rewind") == Lines{"Rewind to a"});
        CHECK(seen.count("Usage") == 3);
        CHECK(copies(seen) == 2);
        CHECK((seen.events.heads.back().flags & kCopied) == 0);
        // A timer woke the agent once.
        constexpr std::string_view kTimer = "[OpenClaw heartbeat poll]";
        CHECK(read(first + asked("t", "c", 9000, kTimer) + said("x", "a", 2000) + asked("y", "x", 9000, kTimer))
                  .count("TurnStart") == 2);
        // All of it: the human asked once.
        const auto whole = read(first + asked("w", "", 0) + said("x", "w", 1000));
        CHECK(whole.count("TurnStart") == 1);
        CHECK(whole.count("Usage") == 2);
        CHECK(copies(whole) == 2);
        // The same record twice without a branch, and other words on a branch, are no copies.
        CHECK(copies(read(first + asked("d", "c", 0))) == 0);
        CHECK(copies(read(first + asked("d", "a", 5000) + said("e", "d", 2000))) == 0);
        // Another session begins anew.
        CHECK(copies(read(first + R"({"type":"session","id":"s2","timestamp":"2026-03-02T10:00:00.000Z","cwd":"/w"})" +
                          "\n" + first)) == 0);
    }

    TEST_CASE("a branch in the middle of an OpenClaw file without its start is noted") {
        const auto seen = read_text(readers::openclaw(), slurp(testdata("openclaw/bad-unknown-parent.jsonl")));
        CHECK(seen.those("Notice") == Lines{"Notice reader/info unknown-parent"});
        CHECK(seen.those("Message") == Lines{"Message user/human 'hello'"});
    }
}

namespace {

struct Sums {
    std::uint64_t input = 0, output = 0, cache_read = 0, cache_write = 0;
    double cost = 0;
    std::size_t calls = 0, results = 0;
};

// Straight from the JSON, another parser, no reader involved.
Sums sums_of(const std::string& text) {
    Sums sums;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        const auto json = nlohmann::json::parse(line, nullptr, false);
        if (!json.is_object() || !json.contains("message")) continue;
        const auto& message = json["message"];
        if (message.value("role", "") == "toolResult") ++sums.results;
        if (message.contains("content") && message["content"].is_array()) {
            for (const auto& block : message["content"]) sums.calls += block.value("type", "") == "toolCall" ? 1 : 0;
        }
        if (!message.contains("usage")) continue;
        const auto& usage = message["usage"];
        sums.input += usage.value("input", 0u);
        sums.output += usage.value("output", 0u);
        sums.cache_read += usage.value("cacheRead", 0u);
        sums.cache_write += usage.value("cacheWrite", 0u);
        sums.cost += usage["cost"].value("total", 0.0);
    }
    return sums;
}

}  // namespace

TEST_CASE("corpus: pi and OpenClaw recordings are recognised, read whole, paired and summed") {
    struct Known {
        const char* file;
        std::size_t lines, calls, by_user, unanswered;
    };
    const Known known[] = {
        {"pi/computermode-1.jsonl", 13, 4, 0, 0},
        {"pi/pi-mono-v1-2compactions-18aborts.jsonl", 1003, 454, 3, 6},
        {"pi/pi-mono-v1-large.jsonl", 1019, 391, 0, 18},
        {"pi/pinion05-v3-compaction-malformed.jsonl", 587, 259, 0, 0},
        {"openclaw/bhagya-57x-same-read-loop.jsonl", 1354, 244, 0, 1},
        {"openclaw/maram-54x-same-call-loop.jsonl", 119, 54, 0, 0},
    };
    if (!std::filesystem::exists(test::shared_dir() / "corpus")) {
        MESSAGE("skipped: ../shared/corpus is not there");
        return;
    }
    for (const Known& k : known) {
        CAPTURE(k.file);
        const std::string text = slurp(test::shared_dir() / "corpus" / k.file);
        const bool claw = std::string_view(k.file).starts_with("openclaw");
        const ReaderSpec spec = claw ? readers::openclaw() : readers::pi();
        CHECK(score_text(spec, text) == kCertain);
        CHECK(score_text(claw ? readers::pi() : readers::openclaw(), text) == 0);

        const auto seen = read_text(spec, text);
        CHECK(seen.fates.size() == k.lines);
        CHECK(seen.count(LineFate::malformed_json) + seen.count(LineFate::missing_field) +
                  seen.count(LineFate::unknown_kind) ==
              0);
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.count("ToolCall") == k.calls + k.by_user);
        CHECK(seen.count("ToolCall") - seen.count("ToolResult") == k.unanswered);

        std::map<std::string, int> open;
        std::size_t orphans = 0;
        for (const std::string& line : seen.lines()) {
            const std::string id =
                line.substr(line.find(' ') + 1, line.find(' ', line.find(' ') + 1) - line.find(' ') - 1);
            if (line.starts_with("ToolCall")) ++open[id];
            if (line.starts_with("ToolResult") && open[id]-- < 1) ++orphans;
        }
        CHECK(orphans == 0);

        const Sums sums = sums_of(text);
        TokenCounts total;
        std::uint64_t cost = 0;
        for (const Usage& usage : seen.events.usages) {
            total += usage.tokens;
            cost += usage.cost_microusd.value_or(0);
        }
        CHECK(total.input == sums.input);
        CHECK(total.output == sums.output);
        CHECK(total.cache_read == sums.cache_read);
        CHECK(total.cache_write == sums.cache_write);
        CHECK(std::abs(static_cast<double>(cost) - sums.cost * 1e6) <= static_cast<double>(seen.events.usages.size()));
    }
}
