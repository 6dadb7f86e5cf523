#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using Lines = std::vector<std::string>;

namespace {

std::string adk_file(std::string_view name) {
    return test::slurp(test::source_dir() / "testdata/readers/google-adk" / name);
}

}  // namespace

TEST_SUITE("google-adk") {
    TEST_CASE("events one a line are a session; what was streamed is told once") {
        const auto seen = read_text(readers::google_adk(), adk_file("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'Is the greenhouse warm?'",
                                  "Thinking 'The probe will tell.'",
                                  "ToolCall adk-1 read_probe 'greenhouse'",
                                  "Usage in=30 write=0 read=10 out=10 model=garden-1",
                                  "ToolResult adk-1 unknown '19 degrees'",
                                  "Message assistant/agent 'It is 19 degrees.'",
                                  "Usage in=60 write=0 read=0 out=8",
                              });
        CHECK(seen.count(LineFate::ignored_kind) == 1);
        CHECK(seen.events.heads[2].time_ms == 1764230400500);
    }

    TEST_CASE("a session in camel case: results of all kinds, agents side by side, what was taken back") {
        const auto seen = read_text(readers::google_adk(), adk_file("full.json"));
        CHECK(seen.lines().front() == "SessionStart id=s-7");
        CHECK(seen.those("ToolCall").size() == 5);  // what the framework asks a person is none
        CHECK(seen.those("ToolResult") ==
              Lines{"ToolResult c1 error 'no such valve'", "ToolResult c2 error 'stuck'",
                    R"(ToolResult c3 running '{"status": "pending", "ticket": 8}')",
                    R"(ToolResult c4 error exit=2 '{"stdout": "", "stderr": "dry", "returncode": 2}')",
                    R"(ToolResult c3 unknown '{"status": "done", "ticket": 8}')", "ToolResult  error 'no pump'"});
        CHECK(seen.those("Usage") == Lines{"Usage in=30 write=0 read=0 out=9"});  // the thoughts are in the answer
        CHECK(seen.count("LaneOpen") == 2);
        CHECK(seen.those("Notice") == Lines{"Notice provider/error SAFETY 'blocked'"});
        CHECK(seen.those("Rewind").size() == 1);
        CHECK(seen.those("Compaction") == Lines{"Compaction summary 'Beds were watered.'"});
        CHECK(seen.those("Message") ==
              Lines{"Message user/human 'Water the beds' media=1", "Message assistant/agent 'Right is wet.'",
                    "Message assistant/agent 'Left is dry.'", "Message user/human 'Forget that'",
                    "Message user/human 'and the pond?'", "Message assistant/agent 'The pond is full.'"});
        CHECK(seen.count("TurnStart") == 3);
        CHECK(seen.count(LineFate::understood) == 1);
    }

    TEST_CASE("an agent that runs beside others has a lane, one that takes over has none") {
        const auto seen = read_text(
            readers::google_adk(),
            R"({"author":"a","branch":"root","invocation_id":"e","content":{"role":"model","parts":[{"text":"1"}]}}
{"author":"b","invocation_id":"e","content":{"role":"model","parts":[{"text":"2"}]}}
{"author":"c","branch":"root.c","invocation_id":"e","content":{"role":"model","parts":[{"text":"3"}]}})");
        REQUIRE(seen.those("Message").size() == 3);
        CHECK(seen.count("LaneOpen") == 1);
        CHECK(seen.events.heads[2].lane == 0);
        CHECK(seen.events.heads.back().lane == 1);
    }

    TEST_CASE("the service that keeps sessions has what belongs to the event in a field of its own") {
        const auto seen = read_text(
            readers::google_adk(),
            R"({"name":"n","author":"a","invocationId":"e","eventMetadata":{"partial":true},"content":{"parts":[{"text":"1"}]}}
{"name":"n","author":"a","invocationId":"e","timestamp":"2026-11-27T08:00:00Z","eventMetadata":{"branch":"r.a"},"content":{"parts":[{"text":"12"}]}})");
        CHECK(seen.those("Message") == Lines{"Message assistant/agent '12'"});
        CHECK(seen.events.heads.back().lane == 1);
        CHECK(seen.events.heads.back().time_ms == 1795766400000);
    }

    TEST_CASE("a session of which no event could be read says nothing of the events behind it") {
        const auto seen = read_text(readers::google_adk(),
                                    R"({"id":"s-1","app_name":"a","user_id":"u","events":[{"text":"no author"}]}
{"author":"user","invocation_id":"e","content":{"parts":[{"text":"hello"}]}})");
        CHECK(seen.lines() == Lines{"SessionStart", "TurnStart", "Message user/human 'hello'"});
    }

    TEST_CASE("a call that a person has to allow is told once more when that was decided") {
        const auto seen = read_text(
            readers::google_adk(),
            R"({"author":"a","invocation_id":"e","content":{"role":"user","parts":[{"function_response":{"id":"c","name":"rm","response":{"error":"This tool call requires confirmation, please approve or reject."}}}]}}
{"author":"a","invocation_id":"e","content":{"role":"user","parts":[{"function_response":{"id":"c","name":"rm","response":{"error":"This tool call is rejected."}}}]}})");
        REQUIRE(seen.those("ToolResult").size() == 2);
        CHECK(seen.lines()[1].starts_with("ToolResult c running"));
        CHECK(seen.lines()[2] == "ToolResult c denied 'This tool call is rejected.'");
    }

    TEST_CASE("a case of an evaluation is a session, in the order of what happened") {
        const auto set = read_text(readers::google_adk(), adk_file("evaluation.json"));
        CHECK(set.lines() == Lines{
                                 "SessionStart id=case-1 label=case-1",
                                 "TurnStart",
                                 "Message user/human 'Which bed is dry?'",
                                 "ToolCall  measure",
                                 "ToolResult  unknown 'wet'",
                                 "ToolCall  measure",
                                 "ToolResult  unknown 'dry'",
                                 "Message assistant/agent 'Bed 2 is dry.'",
                                 "SessionStart id=case-2 label=case-2",
                                 "TurnStart",
                                 "Message user/human 'And now?'",
                                 "ToolCall c1 measure",
                                 "ToolResult c1 unknown 'wet'",
                                 "Message assistant/agent 'None.'",
                             });
        const auto results = read_text(readers::google_adk(), adk_file("results.json"));
        CHECK(results.those("SessionStart") ==
              Lines{"SessionStart id=s-1 label=case-1", "SessionStart id=s-2 label=case-2"});
        CHECK(results.those("Message") == Lines{"Message user/human 'once'", "Message assistant/agent 'yes'",
                                                "Message user/human 'twice'", "Message assistant/agent 'no'"});
    }

    TEST_CASE("records without what they need are counted, and contents of others are none of it") {
        const auto seen = read_text(readers::google_adk(), adk_file("bad-fields.jsonl"));
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::missing_field, LineFate::missing_field,
                                        LineFate::understood, LineFate::missing_field, LineFate::missing_field,
                                        LineFate::malformed_json});
        CHECK(seen.count("SessionStart") == 1);
        for (const std::string_view name : {"minimal.jsonl", "full.json", "evaluation.json", "results.json"})
            CHECK(score_text(readers::google_adk(), adk_file(name)) == 97);
        CHECK(score_text(readers::google_adk(), R"({"role":"model","parts":[{"text":"x"}]})") == 0);
        CHECK(score_text(readers::google_adk(), R"({"id":"x","events":[{"type":"message","author":"a"}]})") == 0);
        CHECK(score_text(readers::google_adk(), R"({"author":"a","content":"x","timestamp":1})") == 0);
    }

    TEST_CASE("events of one streamed answer have one bill") {
        const auto event = [](std::string_view parts, int prompt) {
            return fmt::format(
                R"({{"invocationId":"i1","author":"keeper","partial":false,"content":{{"role":"model","parts":[{}]}},)"
                R"("usageMetadata":{{"promptTokenCount":{},"candidatesTokenCount":4,"totalTokenCount":{}}}}})"
                "\n",
                parts, prompt, prompt + 4);
        };
        const std::string asked = R"({"functionCall":{"id":"adk-1","name":"read_probe","args":{}}})";
        const std::string given =
            R"({"invocationId":"i1","author":"keeper","content":{"role":"user","parts":[{"functionResponse":{"id":"adk-1","name":"read_probe","response":{"result":"19"}}}]}})"
            "\n";
        const auto seen =
            read_text(readers::google_adk(), event(R"({"text":"I ask the probe."})", 30) + event(asked, 30) + given +
                                                 event("", 30) + event(R"({"text":"It is 19 degrees."})", 44));
        CHECK(seen.those("Usage").size() == 2);
        CHECK(seen.those("ToolCall").size() == 1);
        const auto& heads = seen.events.heads;
        CHECK(heads.at(1).response == heads.at(3).response);  // what was said, and the call
    }
}
