#include "readers/all.hpp"
#include "readers/event_lines.hpp"
#include "readers/input_support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace agent_audit;
using test::read_text;

namespace {

std::string opencode_step(
    std::string_view tokens,
    std::string_view message = R"("id":"msg_a","time":{"created":1772445600200,"completed":1772445609000})",
    std::string_view model = "toy") {
    return fmt::format(
        R"({{"row":"opencode.message","role":"assistant","modelID":"{}",{}}})"
        "\n"
        R"({{"row":"opencode.part","type":"step-finish","tokens":{{"input":100,{},"cache":{{"read":40,"write":0}}}}}})"
        "\n",
        model, message, tokens);
}

Usage opencode_usage(const std::string& text, std::string_view version = "1.1.9") {
    const auto seen =
        read_text(readers::opencode(), fmt::format(R"({{"row":"opencode.session","id":"ses_1","version":"{}"}})"
                                                   "\n",
                                                   version) +
                                           text);
    REQUIRE(seen.events.usages.size() == 1);
    return seen.events.usages.front();
}

}  // namespace

TEST_SUITE("opencode") {
    TEST_CASE("files that hold a session, a message or a part each are read as the rows of the database are") {
        const test::TempDir dir;
        const std::string session = dir.write(
            "storage/session/p/ses_a.json",
            R"({"id":"ses_a","version":"1.1.9","projectID":"p","directory":"/home/ada","time":{"created":1772445600000}})");
        const std::string answer =
            R"("sessionID":"ses_a","role":"assistant","modelID":"toy","tokens":{"input":5,"output":6})";
        dir.write("storage/message/ses_a/msg_2.json", R"({"id":"msg_2",)" + answer + "}");
        dir.write("storage/message/ses_a/msg_1.json", R"({"id":"msg_1","sessionID":"ses_a","role":"user"})");
        dir.write("storage/part/msg_1/prt_1.json",
                  R"({"id":"prt_1","messageID":"msg_1","type":"text","text":"hello"})");
        dir.write("storage/part/msg_2/prt_3.json",
                  R"({"id":"prt_3","sessionID":"ses_a","messageID":"msg_2","type":"text","text":"Done."})");
        dir.write("storage/part/msg_2/prt_2.json",
                  "{\n  \"id\": \"prt_2\",\n  \"messageID\": \"msg_2\",\n  \"type\": \"tool\",\n  \"callID\": \"c\",\n"
                  "  \"tool\": \"bash\",\n  \"state\": {\"status\":\"completed\",\"input\":{\"command\":\"ls\"},"
                  "\"output\":\"a\"}\n}");
        dir.write("storage/message/ses_b/msg_9.json", R"({"id":"msg_9","sessionID":"ses_b","role":"user"})");
        CHECK(expand_inputs({dir / "storage"}).paths.size() == 1);

        InputBuffers buffers;
        const auto source = open_input(session, 0, InputLimits{}, buffers);
        REQUIRE(source);
        test::EventLines seen;
        const auto reader = readers::opencode().make();
        Record record;
        for (auto next = source.value()->next(record); next != RecordSource::Next::end;
             next = source.value()->next(record))
            CHECK(reader->read(record, seen) == LineFate::understood);
        reader->finish(seen);
        CHECK(seen.lines == std::vector<std::string>{
                                "SessionStart id=ses_a cwd=/home/ada",
                                "TurnStart",
                                "Message user/human 'hello'",
                                "ToolCall c bash 'ls'",
                                "ToolResult c ok 'a'",
                                "Message assistant/agent 'Done.'",
                                "Usage in=5 write=0 read=0 out=6 model=toy",
                            });
        CHECK_FALSE(source.value()->error());
    }

    TEST_CASE("the total tells whether reasoning is inside the output or beside it") {
        CHECK(opencode_usage(opencode_step(R"("output":30,"reasoning":20,"total":170)")).tokens ==
              TokenCounts{100, 0, 40, 30, 20});
        CHECK(opencode_usage(opencode_step(R"("output":30,"reasoning":20,"total":190)")).tokens ==
              TokenCounts{100, 0, 40, 50, 20});
        CHECK(opencode_usage(opencode_step(R"("output":0,"reasoning":20,"total":160)")).tokens ==
              TokenCounts{100, 0, 40, 20, 20});
    }

    TEST_CASE("without a total reasoning is inside the output in old versions, but for providers that count it apart") {
        const std::string_view inside = R"("output":30,"reasoning":20)", apart = R"("output":10,"reasoning":20)";
        CHECK(opencode_usage(opencode_step(inside)).tokens == TokenCounts{100, 0, 40, 30, 20});
        CHECK(opencode_usage(opencode_step(apart)).tokens == TokenCounts{100, 0, 40, 30, 20});
        CHECK(opencode_usage(opencode_step(inside), "1.2.0").tokens == TokenCounts{100, 0, 40, 50, 20});
        CHECK(opencode_usage(opencode_step(inside), "").tokens == TokenCounts{100, 0, 40, 50, 20});
        constexpr std::string_view kIds = R"("id":"msg_a")";
        CHECK(opencode_usage(opencode_step(inside, kIds, "gemini-3-pro")).tokens == TokenCounts{100, 0, 40, 50, 20});
        CHECK(opencode_usage(opencode_step(inside, kIds, "grok-5")).tokens == TokenCounts{100, 0, 40, 50, 20});
    }

    TEST_CASE("a fork's copy of a request has other ids and is the same request") {
        const std::string_view tokens = R"("output":30,"reasoning":0)";
        const Usage first = opencode_usage(opencode_step(tokens));
        CHECK(first.message_key != 0);
        const auto key = [&](std::string_view message, std::string_view t, std::string_view model = "toy") {
            return opencode_usage(opencode_step(t, message, model)).message_key;
        };
        CHECK(key(R"("id":"msg_b","time":{"created":1772445600200,"completed":1772445609000})", tokens) ==
              first.message_key);
        CHECK(key(R"("id":"msg_b","time":{"created":1772445600201,"completed":1772445609000})", tokens) !=
              first.message_key);
        CHECK(key(R"("id":"msg_b","time":{"created":1772445600200,"completed":1772445609000})",
                  R"("output":31,"reasoning":0)") != first.message_key);
        CHECK(key(R"("id":"msg_b","time":{"created":1772445600200,"completed":1772445609000})", tokens, "other") !=
              first.message_key);
        CHECK(key(R"("id":"short")", tokens) == 0);
        CHECK(key(R"("id":"msg_0123456789abcdef")", tokens) != 0);
    }

    TEST_CASE("messages of an export are responses of their own, even where their ids were taken out") {
        const auto answers = [](std::string_view first, std::string_view second) {
            const auto message = [](std::string_view id) {
                return fmt::format(
                    R"({{"info":{{"id":"{}","role":"assistant"}},"parts":[{{"id":"p","type":"text","text":"a"}},)"
                    R"({{"id":"q","type":"text","text":"b"}}]}})",
                    id);
            };
            const auto seen = read_text(
                readers::opencode(),
                fmt::format(R"({{"info":{{"id":"ses_1"}},"messages":[{},{}]}})", message(first), message(second)));
            std::vector<std::uint64_t> out;
            for (const auto& head : seen.events.heads)
                if (head.response != 0) out.push_back(head.response);
            return out;
        };
        for (const std::string_view second : {"gone", "msg_b"}) {
            const auto said = answers("gone", second);
            REQUIRE(said.size() == 4);
            CHECK(said[0] == said[1]);
            CHECK(said[1] != said[2]);
            CHECK(said[2] == said[3]);
        }
    }

    TEST_CASE("what a run prints is the session: its parts, what they cost, how it ended") {
        const auto line = [](std::string_view type, std::string_view more) {
            return fmt::format(R"({{"type":"{}","timestamp":1790000000000,"sessionID":"ses_0123456789abcdef",{}}})"
                               "\n",
                               type, more);
        };
        const auto part = [&](std::string_view type, std::string_view message, std::string_view more) {
            return line(
                type, fmt::format(R"("part":{{"id":"prt_1","messageID":"msg_0123456789abcdef{}",{}}})", message, more));
        };
        const std::string step =
            part("step_start", "a", R"("type":"step-start","snapshot":"x")") +
            part("reasoning", "a", R"("type":"reasoning","text":"A list will do.")") +
            part(
                "tool_use", "a",
                R"("type":"tool","callID":"c1","tool":"bash","state":{"status":"completed","input":{"command":"make"},)"
                R"("output":"no rule","metadata":{"exit":2},"time":{"start":1790000000100,"end":1790000000400}})") +
            part("step_finish", "a",
                 R"("type":"step-finish","reason":"tool-calls","cost":0.01,)"
                 R"("tokens":{"total":120,"input":10,"output":10,"reasoning":0,"cache":{"read":100,"write":0}})");
        const std::string answer =
            part("text", "b", R"("type":"text","text":"No rule.","time":{"start":1,"end":2})") +
            part("step_finish", "b",
                 R"("type":"step-finish","reason":"stop","cost":0,"tokens":{"total":120,"input":10,"output":10,)"
                 R"("reasoning":0,"cache":{"read":100,"write":0}})");
        CHECK(test::score_text(readers::opencode(), step) > 0);
        const auto seen = read_text(readers::opencode(), step + answer + line("done", R"("reason":"idle")"));
        CHECK(seen.lines() == std::vector<std::string>{
                                  "SessionStart id=ses_0123456789abcdef",
                                  "Thinking 'A list will do.'",
                                  "ToolCall c1 bash 'make'",
                                  "ToolResult c1 error exit=2 'no rule'",
                                  "Usage in=10 write=0 read=100 out=10 cost=10000",
                                  "Message assistant/agent 'No rule.'",
                                  "Usage in=10 write=0 read=100 out=10",
                                  "TurnEnd completed",
                              });
        REQUIRE(seen.events.usages.size() == 2);
        CHECK(seen.events.usages[0].message_key != seen.events.usages[1].message_key);
        CHECK(seen.events.heads[1].response != seen.events.heads[5].response);
        const std::string failed = line("error", R"("error":{"name":"APIError","data":{"message":"slow down"}})");
        const auto broken = read_text(readers::opencode(), step + failed + line("done", R"("reason":"idle")"));
        CHECK(broken.those("Notice") == std::vector<std::string>{"Notice provider/error APIError 'slow down'"});
        CHECK(broken.those("TurnEnd") == std::vector<std::string>{"TurnEnd failed"});
        CHECK(read_text(readers::opencode(), line("title", R"("title":"x")")).fates ==
              std::vector{LineFate::unknown_kind});
    }

    TEST_CASE(
        "the request that wrote a summary is no prompt of the conversation, and a run that goes on after one says it") {
        const auto message = [](std::string_view fields) {
            return read_text(readers::opencode(),
                             fmt::format(R"({{"info":{{"id":"ses_1"}},"messages":[{{"info":{{"id":"msg_1","role":)"
                                         R"("assistant",{}"tokens":{{"input":9,"output":2}}}},"parts":[]}}]}})",
                                         fields))
                .events.usages.at(0);
        };
        CHECK(message(R"("summary":true,)").scope == UsageScope::session);
        CHECK(message("").scope == UsageScope::request);
        const auto printed = read_text(
            readers::opencode(),
            R"({"type":"text","timestamp":1,"sessionID":"ses_1","part":{"id":"p","messageID":"m","type":"text",)"
            R"("synthetic":true,"text":"Go on.","metadata":{"compaction_continue":true}}})");
        CHECK(printed.lines() == std::vector<std::string>{"SessionStart id=ses_1", "Compaction summary",
                                                          "Message user/injected 'Go on.'"});
    }

    TEST_CASE(
        "a call that cannot be made is one of the tool that was meant, and has failed; so has a command cut off") {
        const auto told = [](std::string_view tool, std::string_view state) {
            return read_text(readers::opencode(),
                             fmt::format(R"({{"info":{{"id":"ses_1"}},"messages":[{{"info":{{"id":"msg_1","role":)"
                                         R"("assistant"}},"parts":[{{"type":"tool","callID":"c","tool":"{}",)"
                                         R"("state":{{"status":"completed",{}}}}}]}}]}})",
                                         tool, state))
                .those("Tool");
        };
        CHECK(told("invalid", R"("input":{"tool":"edit","error":"No tool edit."},"output":"No tool edit.")") ==
              std::vector<std::string>{"ToolCall c edit 'edit'", "ToolResult c error 'No tool edit.'"});
        CHECK(told("invalid", R"("input":{"error":"x"},"output":"x")") ==
              std::vector<std::string>{"ToolCall c invalid 'x'", "ToolResult c ok 'x'"});
        const std::string late =
            R"("input":{"command":"make"},"output":"cc a.c\nstopped after exceeding timeout 9 ms",)";
        CHECK(told("bash", late + R"("metadata":{"exit":null})").back().starts_with("ToolResult c error"));
        CHECK(told("bash", late + R"("metadata":{"exit":0})").back().starts_with("ToolResult c ok"));
        CHECK(told("bash", R"("input":{"command":"make"},"output":"cc a.c","metadata":{"exit":null})")
                  .back()
                  .starts_with("ToolResult c ok"));
    }

    TEST_CASE("pictures that a call gave stand beside its text and count, text files do not") {
        const auto result = [](std::string_view state) {
            return read_text(readers::opencode(),
                             fmt::format(R"({{"info":{{"id":"ses_1"}},"messages":[{{"info":{{"id":"msg_1","role":)"
                                         R"("assistant"}},"parts":[{{"type":"tool","callID":"c","tool":"shop_photo",)"
                                         R"("state":{{"status":"completed","input":{{}},{}}}}}]}}]}})",
                                         state))
                .those("ToolResult")
                .at(0);
        };
        const std::string picture = R"({"type":"file","mime":"image/png","url":"data:image/png;base64,AAAA"})";
        CHECK(result(R"("output":"the shelf","attachments":[)" + picture + "," + picture + "]") ==
              "ToolResult c ok 'the shelf' media=2");
        CHECK(result(R"("output":"","attachments":[)" + picture + "]") == "ToolResult c ok media=1");
        CHECK(result(R"("output":"a list","attachments":[{"type":"file","mime":"text/plain","url":"file:///a"},7])") ==
              "ToolResult c ok 'a list'");
        // Version 2, a row of which has the same file twice.
        const auto row = read_text(
            readers::opencode(),
            R"({"row":"opencode.entry","id":"msg_1","sessionID":"ses_1","type":"assistant","content":[{"type":"tool",)"
            R"("id":"c","name":"photo","state":{"status":"completed","input":{},"attachments":[)" +
                picture + R"(],"content":[{"type":"text","text":"the shelf"},)" + picture + "]}}]}");
        CHECK(row.those("ToolResult") == std::vector<std::string>{"ToolResult c ok 'the shelf' media=1"});
    }

    TEST_CASE("from 2.0 on a session says when it has done what it was asked, once a turn") {
        const auto entry = [](std::string_view type, std::string_view more) {
            return fmt::format(R"({{"row":"opencode.entry","id":"msg_0123456789abcdef","type":"{}",{}}})"
                               "\n",
                               type, more);
        };
        const std::string asked = entry("user", R"("text":"tidy up")");
        const std::string answer = entry("assistant", R"("content":[{"type":"text","text":"Done."}])");
        const std::string cut = entry("assistant", R"("error":{"type":"aborted","message":"x"},"content":[])");
        const auto ends = [&](const std::string& text) {
            return read_text(readers::opencode(), text).those("TurnEnd");
        };
        using Ends = std::vector<std::string>;
        CHECK(ends(asked + answer + entry("idle", R"("outcome":"succeeded")")) == Ends{"TurnEnd completed"});
        CHECK(ends(asked + answer + entry("idle", R"("outcome":"interrupted")")) == Ends{"TurnEnd aborted"});
        CHECK(ends(asked + answer + entry("idle", R"("outcome":"failed")")) == Ends{"TurnEnd failed"});
        CHECK(ends(asked + cut + entry("idle", R"("outcome":"interrupted")")) == Ends{"TurnEnd aborted"});
        CHECK(ends(asked + cut + asked + answer + entry("idle", R"("outcome":"succeeded")")) ==
              Ends{"TurnEnd aborted", "TurnEnd completed"});
        const std::string waiting = asked + entry("idle", R"("outcome":"interrupted")");
        CHECK(ends(waiting + waiting) == Ends{"TurnEnd aborted", "TurnEnd aborted"});
    }

    TEST_CASE("from 2.0 on a compaction tells what its request used, whether it succeeded or not") {
        const auto compaction = [](std::string_view status, std::string_view more) {
            return read_text(readers::opencode(),
                             fmt::format(R"({{"row":"opencode.entry","id":"msg_0123456789abcdef","type":"compaction",)"
                                         R"("status":"{}","reason":"auto",{}}})",
                                         status, more))
                .lines();
        };
        const std::string_view used = R"("model":{"id":"toy"},"cost":0.01,"tokens":{"input":900,"output":50,)"
                                      R"("reasoning":0,"cache":{"read":100,"write":0}})";
        const std::string usage = "Usage in=900 write=0 read=100 out=50 model=toy cost=10000";
        using Lines = std::vector<std::string>;
        CHECK(compaction("completed", fmt::format(R"("summary":"the story",{})", used)) ==
              Lines{usage, "Compaction summary 'the story'"});
        CHECK(compaction("failed", used) == Lines{usage, "Compaction summary failed"});
        CHECK(compaction("completed", R"("summary":"the story")") == Lines{"Compaction summary 'the story'"});
    }

    TEST_CASE("a command that a sub-agent carries out begins a turn of the human's") {
        const auto turns = [](std::string_view role, std::string_view part) {
            return read_text(
                readers::opencode(),
                fmt::format(
                    R"({{"info":{{"id":"ses_1"}},"messages":[{{"info":{{"id":"m","role":"{}"}},"parts":[{}]}}]}})",
                    role, part));
        };
        const std::string_view run = R"({"type":"subtask","agent":"build","command":"check","prompt":"Check it."})";
        CHECK(turns("user", run).count("TurnStart") == 1);
        CHECK(turns("user", run).count("Message") == 0);
        CHECK(turns("user", fmt::format(R"({},{{"type":"text","text":"and the docs"}})", run)).count("TurnStart") == 1);
        CHECK(turns("user", R"({"type":"subtask","agent":"build","prompt":"Check it."})").count("TurnStart") == 0);
        CHECK(turns("assistant", run).count("TurnStart") == 0);
    }
}
