#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read_bedrock(std::string_view text) { return read_text(readers::bedrock_converse(), text); }
std::string bedrock_data(std::string_view name) {
    return slurp(test::source_dir() / "testdata/readers/bedrock-converse" / name);
}

}  // namespace

TEST_SUITE("bedrock-converse") {
    TEST_CASE("blocks without a type are calls, results, thoughts and pictures") {
        const auto seen = read_bedrock(bedrock_data("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'How deep is the harbour?'",
                                  "ToolCall tooluse_a1 depth_chart 'harbour'",
                                  "ToolResult tooluse_a1 ok 'nine metres'",
                                  "Message assistant/agent 'Nine metres.'",
                              });
    }

    TEST_CASE("the next request goes on with the conversation, and the status says what failed") {
        const auto seen = read_bedrock(bedrock_data("full.jsonl"));
        CHECK(seen.count("SessionStart") == 2);
        CHECK(seen.those("ToolResult") ==
              Lines{R"(ToolResult tooluse_b1 ok '{"metres":9}')",
                    R"(ToolResult tooluse_b2 error '[{"text":"no such place:"},{"text":"channel"}]')",
                    "ToolResult tooluse_c1 error 'chart is torn'"});
        CHECK(seen.count("Thinking") == 2);
    }

    TEST_CASE("a request that breaks is told once, whatever follows on its line") {
        std::string log = bedrock_data("full.jsonl");
        const auto first = log.find("}]}],\"response\"");
        REQUIRE(first < log.find('\n'));
        log.insert(first + 2, "/");
        log.insert(log.find('\n'), R"( {"x":1})");
        const auto seen = read_bedrock(log);
        CHECK(seen.fates.front() == LineFate::partial);
        CHECK(seen.count("Usage") == read_bedrock(bedrock_data("full.jsonl")).count("Usage"));
    }

    TEST_CASE("cached tokens stand beside the input") {
        const auto seen = read_bedrock(bedrock_data("full.jsonl"));
        CHECK(seen.those("Usage").front() == "Usage in=200 write=10 read=40 out=30 model=eu.amazon.nova-pro-v1:0");
    }

    TEST_CASE("a log of invocations bills each request once, also where the answer came in pieces") {
        const auto seen = read_bedrock(bedrock_data("invocations.jsonl"));
        CHECK(seen.count("SessionStart") == 1);
        CHECK(seen.those("Usage") == Lines{"Usage in=200 write=10 read=40 out=30 model=eu.amazon.nova-pro-v1:0",
                                           "Usage in=260 write=0 read=0 out=20 model=eu.amazon.nova-pro-v1:0"});
        CHECK(seen.events.heads.back().response != seen.events.heads[seen.events.heads.size() - 4].response);
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::understood, LineFate::unknown_kind});
        CHECK(seen.those("Message").back() == "Message assistant/agent 'The gauge.'");
    }

    TEST_CASE("the events of a streamed invocation are the answer") {
        const auto seen = read_bedrock(
            R"({"schemaType":"ModelInvocationLog","operation":"InvokeModelWithResponseStream","modelId":"m","input":)"
            R"({"inputBodyJson":{"messages":[{"role":"user","content":"how deep?"}]},"inputTokenCount":9},"output":)"
            R"({"outputBodyJson":[{"type":"message_start","message":{"id":"msg_bdrk_01deepwater","type":"message",)"
            R"("role":"assistant","model":"claude-haiku","usage":{"input_tokens":9,"output_tokens":1}}},)"
            R"({"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_bdrk_1","name":)"
            R"("depth_chart","input":{}}},{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta",)"
            R"("partial_json":"{\"place\": \"pier\"}"}},{"type":"message_delta","delta":{"stop_reason":"tool_use"},)"
            R"("usage":{"output_tokens":12}},{"type":"message_stop"}],"outputTokenCount":12}})");
        CHECK(seen.those("ToolCall") == Lines{"ToolCall toolu_bdrk_1 depth_chart 'pier'"});
        CHECK(seen.those("Usage") == Lines{"Usage in=9 write=0 read=0 out=12 model=claude-haiku"});
    }

    TEST_CASE("messages that are records of their own, with their number, are a session of Strands") {
        const auto seen = read_bedrock(bedrock_data("session-messages.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "TurnStart",
                                  "Message user/human 'How deep?'",
                                  "Message assistant/agent 'I look.'",
                                  "ToolCall tooluse_a depth_chart 'pier'",
                                  "ToolResult tooluse_a error 'no chart'",
                                  "Message assistant/agent 'No chart.'",
                                  "TurnStart",
                                  "Message user/human '[redacted]'",
                              });
        CHECK(seen.events.heads[3].time_ms == 1777885201500);
        CHECK(score_text(readers::bedrock_converse(), bedrock_data("session-messages.jsonl")) == 85);
        // A message of a chat service has a number as well.
        CHECK(score_text(readers::bedrock_converse(),
                         R"({"message":{"role":"user","content":"x"},"message_id":"m-1","redact_message":null})") == 0);
    }

    TEST_CASE("the order of a call's fields does not matter") {
        const char* const kOrders[] = {R"({"toolUseId":"t1","name":"look","input":{"at":1}})",
                                       R"({"input":{"at":1},"name":"look","toolUseId":"t1"})"};
        std::vector<std::uint64_t> digests;
        for (const char* order : kOrders) {
            const auto seen =
                read_bedrock(fmt::format(R"({{"role":"assistant","content":[{{"toolUse":{}}}]}})", order));
            REQUIRE(seen.count("ToolCall") == 1);
            CHECK(seen.those("ToolCall").front() == "ToolCall t1 look");
            digests.push_back(seen.events.digests.back().canonical);
        }
        CHECK(digests[0] == digests[1]);
    }

    TEST_CASE("of a block that breaks off inside nothing is read again") {
        for (const char* block :
             {R"({"response":{"a":[{"b"]:1},"c":"x"}})", R"({"response":{"result":[{"b"]:1},"c":"x"}})",
              R"({"input":{"a":1},"content":[{"b"]:1}],"name":"look"})",
              R"({"toolUse":{"input":[{"b"]:1},"name":"n"}})", R"({"output":{"value":[{"b"]:1},"type":"text"}})"}) {
            CAPTURE(block);
            const auto seen = read_bedrock(fmt::format(R"({{"role":"assistant","content":[{}]}})", block));
            CHECK(seen.fates.size() == 1);
        }
    }

    TEST_CASE("it is told from its neighbours, whatever comes first") {
        for (const char* name : {"minimal.jsonl", "full.jsonl", "invocations.jsonl", "bad-fields.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::bedrock_converse(), bedrock_data(name)) > 0);
            CHECK(score_text(readers::anthropic_messages(), bedrock_data(name)) == 0);
            CHECK(score_text(readers::chat_completions(), bedrock_data(name)) == 0);
        }
        CHECK(score_text(readers::bedrock_converse(),
                         R"({"role":"user","content":[{"type":"text","text":"what is a \"toolUse\"?"}]})") == 0);
    }
}
