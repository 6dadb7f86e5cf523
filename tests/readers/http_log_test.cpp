#include "readers/all.hpp"
#include "readers/event_lines.hpp"
#include "readers/messages/streamed_answer.hpp"

#include <agent_audit/support/json_text.hpp>

#include <doctest/doctest.h>

using namespace agent_audit;
using test::read_text;
using test::score_text;
using test::slurp;
using Lines = std::vector<std::string>;

namespace {

test::Reading read_http(std::string_view text) { return read_text(readers::http_log(), text); }
std::string http_data(std::string_view name) { return slurp(test::source_dir() / "testdata/readers/http-log" / name); }

std::string exchange_of(std::string_view answer) {
    return fmt::format(R"({{"request":{{"method":"POST","url":"/v1/messages","body":{{"messages":[{{"role":"user",)"
                       R"("content":"ahoy"}}]}}}},"response":{{"status":200,"body":{}}}}})",
                       answer);
}

}  // namespace

TEST_SUITE("http-log") {
    TEST_CASE("a streamed answer is the one that would have come in one piece") {
        const auto seen = read_http(http_data("minimal.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart model=claude-sonnet-4-5-20250929 label=1",
                                  "ContextChange system=112",
                                  "TurnStart",
                                  "Message user/human 'How high is the water at pier two?'",
                                  "Message assistant/agent 'Two metres.'",
                                  "Usage in=40 write=0 read=0 out=6 model=claude-sonnet-4-5-20250929",
                              });
        CHECK(seen.events.heads[3].time_ms == 1777885200000);
        CHECK(seen.events.heads[4].time_ms == 1777885201500);
    }

    TEST_CASE("the next request goes on with what was streamed, and only what is new is told") {
        const auto seen = read_http(http_data("full.jsonl"));
        CHECK(seen.those("ToolCall") == Lines{"ToolCall toolu_01gaugeA7 read_gauge 'pier two'"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult toolu_01gaugeA7 error 'gauge is dry'"});
        CHECK(seen.those("Thinking") == Lines{"Thinking 'Pier two has a gauge.' opaque=4"});
        CHECK(seen.count("SessionStart") == 2);
        CHECK(seen.count("Usage") == 3);
        CHECK(seen.those("Notice") == Lines{"Notice provider/error overloaded_error 'Overloaded'"});
        // Counting tokens asks nothing, and a list of models is no answer.
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::ignored_kind, LineFate::ignored_kind,
                                        LineFate::understood, LineFate::understood, LineFate::understood});
    }

    TEST_CASE("an archive of a browser holds exchanges with several APIs") {
        const auto seen = read_http(http_data("session.har"));
        CHECK(seen.those("ToolCall") == Lines{"ToolCall call_tideA00000000001 read_gauge 'two'",
                                              "ToolCall call_tideB00000000002 read_gauge 'three'",
                                              "ToolCall call_tideC read_gauge 'four'", "ToolCall  read_gauge 'five'"});
        CHECK(seen.those("Usage") == Lines{"Usage in=60 write=0 read=20 out=30 model=gpt-4.1-mini",
                                           "Usage in=40 write=0 read=10 out=12 model=gpt-5-mini",
                                           "Usage in=60 write=0 read=0 out=13 model=gemini-2.5-pro"});
        CHECK(seen.those("Thinking") == Lines{"Thinking 'Let me look.'"});
        const auto& heads = seen.events.heads;
        for (std::size_t i = 1; i < heads.size(); ++i) CHECK(heads[i].seq > heads[i - 1].seq);
        CHECK(heads.front().where.line == 2);  // the first entry is a page
    }

    TEST_CASE("halves on lines of their own, bodies beside what is said of them") {
        for (const char* name : {"lines.jsonl", "bodies.json"}) {
            CAPTURE(name);
            const auto seen = read_http(http_data(name));
            CHECK(seen.those("Message") == Lines{"Message user/human 'How high is the water at pier two?'",
                                                 "Message assistant/agent 'Low tide.'"});
            CHECK(seen.count("SessionStart") == 1);
            CHECK(seen.those("Usage") == Lines{"Usage in=30 write=0 read=0 out=4 model=claude-sonnet-4-5-20250929"});
        }
    }

    TEST_CASE("a stream by itself is one answer after the other") {
        const auto seen = read_http(http_data("stream.sse"));
        CHECK(seen.those("Message") == Lines{"Message assistant/agent 'I read the gauge – at once.'",
                                             "Message assistant/agent 'The gauge at pier two is dry.'"});
        CHECK(seen.count("ToolCall") == 1);
        CHECK(seen.count("Usage") == 2);
        CHECK(seen.events.heads.front().response == 0);
    }

    TEST_CASE("events of Bedrock, one a line, in the clear and in base64") {
        const auto seen = read_http(http_data("events.jsonl"));
        CHECK(seen.lines() == Lines{
                                  "SessionStart",
                                  "Thinking 'A gauge.' opaque=4",
                                  "Message assistant/agent 'I read it.'",
                                  "ToolCall tooluse_tide1 read_gauge 'six'",
                                  "Usage in=70 write=0 read=0 out=20",
                                  "ContextChange model=claude-sonnet-4-5-20250929",
                                  "Message assistant/agent 'High tide.'",
                                  "Usage in=33 write=0 read=0 out=5 model=claude-sonnet-4-5-20250929",
                              });
    }

    TEST_CASE("a stream that breaks off keeps what came, arguments that are not whole among it") {
        const auto seen = read_http(http_data("bad-fields.jsonl"));
        CHECK(seen.those("Message") == Lines{"Message user/human 'x'", "Message user/human 'y'"});
        CHECK(seen.count("ToolCall") == 1);
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::ignored_kind, LineFate::understood,
                                        LineFate::ignored_kind, LineFate::unknown_kind, LineFate::malformed_json,
                                        LineFate::unknown_kind});
    }

    TEST_CASE("what goes wrong within a stream is told behind what came of it") {
        const auto seen = read_http(exchange_of(
            R"([{"type":"message_start","message":{"id":"msg_01brokenstream","type":"message","role":"assistant"}},)"
            R"({"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Ah"}},)"
            R"({"type":"error","error":{"type":"api_error","message":"gone"}}])"));
        CHECK(seen.those("Message").back() == "Message assistant/agent 'Ah'");
        CHECK(seen.lines().back() == "Notice provider/error api_error 'gone'");
    }

    TEST_CASE("calls without an index are told apart by their ids") {
        readers::StreamedAnswer answer;
        const auto chunk = [](std::string_view call) {
            return fmt::format(R"({{"object":"chat.completion.chunk","choices":[{{"delta":{{"tool_calls":[{}]}}}}]}})",
                               call);
        };
        answer.add(chunk(R"({"id":"a","function":{"name":"look","arguments":"{\"at\":"}})"));
        answer.add(chunk(R"({"function":{"arguments":"1}"}})"));
        answer.add(chunk(R"({"id":"b","function":{"name":"look","arguments":"{}"}})"));
        const std::string whole = answer.take();
        CHECK(whole.find(R"("id":"a","function":{"name":"look","arguments":"{\"at\":1}"})") != whole.npos);
        CHECK(whole.find(R"("id":"b","function":{"name":"look","arguments":"{}"})") != whole.npos);
        CHECK(answer.empty());
        CHECK(answer.take().empty());
    }

    TEST_CASE("Ollama's answers are read in one piece and in lines") {
        const std::string call = R"({\"function\":{\"name\":\"look\",\"arguments\":{\"place\":\"pier\"}}})";
        const auto lines = read_http(exchange_of(
            R"("{\"model\":\"toy\",\"message\":{\"role\":\"assistant\",\"content\":\"I \"},\"done\":false}\n)"
            R"({\"model\":\"toy\",\"message\":{\"role\":\"assistant\",\"content\":\"look.\",\"tool_calls\":[)" +
            call +
            R"(]},\"done\":false}\n{\"model\":\"toy\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,)"
            R"(\"prompt_eval_count\":26,\"eval_count\":9}\n")"));
        CHECK(lines.those("Message").back() == "Message assistant/agent 'I look.'");
        CHECK(lines.those("ToolCall") == Lines{"ToolCall  look 'pier'"});
        CHECK(lines.those("Usage") == Lines{"Usage in=26 write=0 read=0 out=9 model=toy"});
        const auto whole = read_http(exchange_of(
            R"({"model":"toy","message":{"role":"assistant","content":"Hi."},"done":true,"prompt_eval_count":3,"eval_count":2})"));
        CHECK(whole.those("Message").back() == "Message assistant/agent 'Hi.'");
        CHECK(whole.those("Usage") == Lines{"Usage in=3 write=0 read=0 out=2 model=toy"});
        // As they come, one a line: each answer says where it ends.
        const std::string stream = R"({"model":"toy","message":{"role":"assistant","content":"a"},"done":false})"
                                   "\n"
                                   R"({"model":"toy","message":{"role":"assistant","content":"b"},"done":true})"
                                   "\n";
        CHECK(read_http(stream + stream).those("Message") ==
              Lines{"Message assistant/agent 'ab'", "Message assistant/agent 'ab'"});
        CHECK(score_text(readers::http_log(), stream) == 95);
    }

    TEST_CASE("what was asked of Ollama stands beside its answer, or on the line before it") {
        const std::string asks =
            R"({"model":"toy","messages":[{"role":"user","content":"Who is at the pier?"}],"stream":true})";
        const std::string piece = R"({"model":"toy","message":{"role":"assistant","content":"Nobody"},"done":false})";
        const std::string last =
            R"({"model":"toy","message":{"role":"assistant","content":"."},"done":true,"prompt_eval_count":12,"eval_count":3})";
        const Lines said{"Message user/human 'Who is at the pier?'", "Message assistant/agent 'Nobody.'"};
        const Lines took{"Usage in=12 write=0 read=0 out=3 model=toy"};
        for (const std::string& log : {R"({"request":)" + asks + R"(,"response":[)" + piece + "," + last + "]}\n",
                                       asks + "\n" + piece + "\n" + last + "\n"}) {
            CAPTURE(log);
            CHECK(score_text(readers::http_log(), log) >= 95);
            const auto seen = read_http(log);
            CHECK(seen.those("Message") == said);
            CHECK(seen.those("Usage") == took);
        }
        const auto whole = read_http(R"({"request":)" + asks + R"(,"response":)" + last + "}\n");
        CHECK(whole.those("Message").back() == "Message assistant/agent '.'");
        CHECK(whole.those("Usage") == took);
        // One that nobody answered.
        CHECK(read_http(piece + "\n" + asks + "\n").those("Message") ==
              Lines{"Message assistant/agent 'Nobody'", "Message user/human 'Who is at the pier?'"});
        CHECK(score_text(readers::http_log(), R"({"request":)" + asks + R"(,"response":{"choices":[]}})") == 0);
    }

    TEST_CASE("over one WebSocket each request has the events behind it") {
        const auto frame = [](std::string_view type, std::string_view data) {
            std::string escaped;
            for (const char c : data) escaped.append(c == '"' || c == '\\' ? "\\" : "").push_back(c);
            return fmt::format(R"({{"type":"{}","time":1780000000.5,"opcode":1,"data":"{}"}})", type, escaped);
        };
        const auto answer = [&frame](std::string_view id, std::string_view item, int input) {
            return frame("receive", fmt::format(R"({{"type":"response.created","response":{{"id":"{}"}}}})", id)) +
                   "," + frame("receive", fmt::format(R"({{"type":"response.output_item.done","item":{}}})", item)) +
                   "," +
                   frame(
                       "receive",
                       fmt::format(R"({{"type":"response.completed","response":{{"id":"{}","model":"toy","output":[],)"
                                   R"("usage":{{"input_tokens":{},"output_tokens":4}}}}}})",
                                   id, input));
        };
        const std::string call =
            R"({"type":"function_call","id":"fc_1","call_id":"c1","name":"look","arguments":"{\"place\":\"pier\"}"})";
        const std::string words =
            R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":"Nobody."}]})";
        const std::string log =
            R"({"log":{"version":"1.2","entries":[{"startedDateTime":"2026-05-28T20:26:40Z","time":9,)"
            R"("request":{"method":"GET","url":"wss://h/v1/responses"},"response":{"status":101},"_webSocketMessages":[)" +
            frame("send", R"({"type":"session.update"})") + "," +
            frame("send", R"({"type":"response.create","model":"toy","instructions":"Look.",)"
                          R"("input":[{"type":"message","role":"user","content":"Who is at the pier?"}]})") +
            "," + answer("resp_ws_1", call, 20) + "," +
            frame("send", R"({"type":"response.create","model":"toy","instructions":"Look.",)"
                          R"("previous_response_id":"resp_ws_1",)"
                          R"("input":[{"type":"function_call_output","call_id":"c1","output":"empty"}]})") +
            "," + answer("resp_ws_2", words, 30) + R"(]}]}})";
        CHECK(score_text(readers::http_log(), log) == 100);
        const auto seen = read_http(log);
        CHECK(seen.those("Message") ==
              Lines{"Message user/human 'Who is at the pier?'", "Message assistant/agent 'Nobody.'"});
        CHECK(seen.those("ToolCall") == Lines{"ToolCall c1 look 'pier'"});
        CHECK(seen.count("ToolResult") == 1);
        CHECK(seen.those("Usage").size() == 2);
        CHECK(seen.count("TurnStart") == 1);
    }

    TEST_CASE("frames behind a broken one were not read, and an exchange without frames is one over HTTP") {
        const auto archive = [](std::string_view rest) {
            return std::string(
                       R"({"log":{"version":"1.2","entries":[{"time":9,"request":{"method":"POST","url":"h",)") +
                   R"("postData":{"text":"{\"model\":\"toy\",\"instructions\":\"Look.\",\"input\":\"go\"}"}},)" +
                   R"("response":{"status":200},"_webSocketMessages":[)" + std::string(rest) + "]}]}}";
        };
        const std::string frame =
            R"({"type":"send","data":"{\"type\":\"response.create\",\"model\":\"toy\",\"tools\":[],\"input\":[{\"role\":\"user\",\"content\":\"see\"}]}"})";
        CHECK(read_http(archive("")).those("Message").back() == "Message user/human 'go'");
        CHECK(read_http(archive("")).fates == std::vector{LineFate::understood});
        const auto broken = read_http(archive(frame + R"(,{"type":"send" 1},)" + frame));
        CHECK(broken.those("Message").back() == "Message user/human 'see'");
        CHECK(broken.fates == std::vector{LineFate::partial});
        const std::string words =
            R"({"type":"send","data":"{\"type\":\"response.create\",\"model\":\"toy\",\"tools\":[],\"input\":\"see\"}"})";
        CHECK(read_http(archive(words)).those("Message").size() == 1);
        CHECK(read_http(archive(R"({"type":"send" 1})") + "\n").fates == std::vector{LineFate::malformed_json});
    }

    TEST_CASE("what a program told LangSmith stands in the parts of a form") {
        const auto seen = read_http(http_data("traces.jsonl"));
        CHECK(seen.those("Message") == Lines{"Message user/human 'How high is the water at pier two?'",
                                             "Message assistant/agent 'Two metres.'"});
        CHECK(seen.those("ToolCall") == Lines{"ToolCall call_tideL1 read_gauge 'two'"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult call_tideL1 ok '2 m'"});
        CHECK(seen.those("Usage") ==
              Lines{"Usage in=40 write=0 read=0 out=6 model=gpt-4.1", "Usage in=60 write=0 read=0 out=4"});
        // A part of the second form is no JSON.
        CHECK(seen.fates == std::vector{LineFate::understood, LineFate::partial, LineFate::understood});
        CHECK(score_text(readers::http_log(), http_data("traces.jsonl")) == 100);
    }

    TEST_CASE("a form is read as fields, compressed, cut off, and not where its requests were recorded themselves") {
        const std::string run =
            R"({\"id\":\"a\",\"trace_id\":\"a\",\"dotted_order\":\"o\",\"run_type\":\"llm\",\"name\":\"m\"})";
        const std::string said = R"({\"messages\":[{\"role\":\"assistant\",\"content\":\"Low tide.\"}]})";
        const auto archive = [](std::string_view data) {
            return fmt::format(R"({{"log":{{"entries":[{{"request":{{"method":"POST","url":"h","postData":{{{}}}}},)"
                               R"("response":{{"status":202}}}}]}}}})",
                               data);
        };
        const auto fields = read_http(archive(fmt::format(
            R"("params":[{{"name":"post.a","value":"{}"}},{{"name":"post.a.outputs","value":"{}"}}])", run, said)));
        CHECK(fields.those("Message") == Lines{"Message assistant/agent 'Low tide.'"});
        const auto form = [&](std::string_view end) {
            return fmt::format(R"(--b\r\nContent-Disposition: form-data; name=\"post.a\"\r\n\r\n{}\r\n)"
                               R"(--b\r\nContent-Disposition: form-data; name=\"post.a.outputs\"\r\n\r\n{}{})",
                               run, said, end);
        };
        CHECK(read_http(archive(R"("text":")" + form(R"(\r\n--b--\r\n)") + "\"")).those("Message") ==
              fields.those("Message"));
        const auto cut = read_http(archive(R"("text":")" + form("") + "\""));
        CHECK(cut.those("Message").empty());
        CHECK(cut.fates == std::vector{LineFate::partial});
        const std::string recorded = exchange_of(R"({"role":"assistant","type":"message","content":[]})") + "\n";
        CHECK(read_http(http_data("traces.jsonl") + recorded).those("Message") == Lines{"Message user/human 'ahoy'"});
    }

    TEST_CASE("Ollama's completions are one turn each") {
        const auto seen = read_http(http_data("generate.jsonl"));
        CHECK(seen.those("Message") == Lines{"Message system/injected 'You watch the harbour.'",
                                             "Message user/human 'How high is the water?'",
                                             R"(Message assistant/agent 'Two \"metres\".')",
                                             "Message user/human 'And now?'", "Message assistant/agent 'Three.'"});
        CHECK(seen.those("Thinking") == Lines{"Thinking 'A gauge.'"});
        CHECK(seen.those("Usage") ==
              Lines{"Usage in=12 write=0 read=0 out=3 model=toy", "Usage in=20 write=0 read=0 out=4 model=toy"});
        const std::string asks = R"({"model":"toy","prompt":"Who is there?"})";
        const std::string pieces = R"({"model":"toy","response":"No","done":false})"
                                   "\n"
                                   R"({"model":"toy","response":"body","done":true,"eval_count":2})"
                                   "\n";
        CHECK(score_text(readers::http_log(), pieces) == 95);
        CHECK(read_http(asks + "\n" + pieces).those("Message") ==
              Lines{"Message user/human 'Who is there?'", "Message assistant/agent 'Nobody'"});
    }

    TEST_CASE("a connection to the Realtime API is a log of its events") {
        const std::string text = http_data("realtime.har");
        CHECK(score_text(readers::http_log(), text) == 100);
        const auto seen = read_http(text);
        CHECK(seen.those("ToolCall") == Lines{"ToolCall call_gateA1 read_gauge 'gate'"});
        CHECK(seen.those("ToolResult") == Lines{"ToolResult call_gateA1 unknown 'shut'"});
        CHECK(seen.those("Usage") == Lines{"Usage in=200 write=0 read=0 out=15"});
        CHECK(seen.events.heads.front().time_ms == 1772355600000);
        // Cut off within its only entry: the frames that came whole.
        const auto torn = read_http(std::string_view(text).substr(0, text.find("rate_limits.updated")));
        CHECK(torn.those("ToolCall") == seen.those("ToolCall"));
        CHECK(torn.fates == std::vector{LineFate::partial});
    }

    TEST_CASE("an array of events stands for the stream") {
        const auto seen = read_http(exchange_of(
            R"([{"candidates":[{"content":{"parts":[{"text":"a"}]}}]},{"candidates":[{"content":{"parts":[{"text":"b"}]}}]}])"));
        CHECK(seen.those("Message").back() == "Message assistant/agent 'ab'");
    }

    TEST_CASE("what the reader of an API leaves out is left out here") {
        const std::string text =
            exchange_of(R"({"type":"message","role":"assistant","content":[{"type":"hologram","pixels":[1]}]})");
        const std::string padded = text + std::string(kRecordPadding, '\0');
        const auto reader = readers::http_log().make();
        Record record;
        record.text = std::string_view(padded).substr(0, text.size());
        record.where = {0, static_cast<std::uint32_t>(text.size()), 4, 0};
        test::EventLines seen;
        CHECK(reader->read(record, seen) == LineFate::understood);
        REQUIRE(reader->has_omissions());
        CHECK(reader->take_omissions().front().line == 4);
    }

    TEST_CASE("whatever breaks off, nothing is told that was not said") {
        const std::string whole = http_data("full.jsonl");
        const std::string first = whole.substr(0, whole.find('\n'));
        for (std::size_t cut = 0; cut < first.size(); cut += 7) {
            const auto seen = read_http(first.substr(0, cut));
            CHECK(seen.lines().empty());
        }
    }

    TEST_CASE("it is told from other traffic and from formats that use the same words") {
        for (const char* name : {"minimal.jsonl", "full.jsonl", "session.har", "lines.jsonl", "bodies.json",
                                 "stream.sse", "events.jsonl", "bad-fields.jsonl", "generate.jsonl"}) {
            CAPTURE(name);
            CHECK(score_text(readers::http_log(), http_data(name)) >= 95);
        }
        CHECK(score_text(readers::http_log(),
                         R"({"request":{"messages":[{"role":"user","content":"x"}]},"response":{"choices":[]}})") == 0);
        CHECK(score_text(readers::http_log(),
                         R"({"log":{"entries":[{"request":{"postData":{"text":"{\"q\":1}"}},"response":{}}]}})") == 0);
        CHECK(
            score_text(readers::http_log(),
                       R"({"request":{"method":"POST","url":"/login","body":{"role":"admin","input":"x"}},"response":)"
                       R"({"status":200}})") == 0);
        CHECK(score_text(readers::http_log(), R"({"type":"message_start","message":{"role":"assistant"}})") == 0);
        CHECK(score_text(readers::http_log(), "data: 1\n\ndata: {\"a\":2}\n") == 0);
    }

    TEST_CASE("what the format is said to tell stays the same when later exchanges tell more") {
        std::string timed = exchange_of(R"({"role":"assistant","type":"message","content":[]})");
        timed.insert(timed.find("\"url\""), "\"timestamp\":1777885200,");
        const std::string text =
            exchange_of(R"({"role":"assistant","type":"message","content":[]})") + "\n" + timed + "\n";
        InputBuffers buffers;
        const auto source = memory_input(text, 0, {}, buffers, 4096);
        const auto reader = readers::http_log().make();
        test::EventLines events;
        std::vector<RelayedFormat> relayed;
        for (Record record; source->next(record) == RecordSource::Next::record;) {
            CHECK(reader->read(record, events) == LineFate::understood);
            relayed.push_back(reader->relayed());
        }
        REQUIRE(relayed.size() == 2);
        CHECK(relayed[0].id == "anthropic-messages");
        CHECK(relayed[1].signals == relayed[0].signals);
    }

    TEST_CASE("of an archive that is cut off the whole entries are read") {
        const std::string text = http_data("session.har");
        const auto whole = read_http(text);
        const std::size_t last = text.rfind("\"startedDateTime\"");
        const auto torn = read_http(std::string_view(text).substr(0, last + 30));
        CHECK(torn.count(LineFate::partial) == 1);
        REQUIRE(torn.lines().size() > 5);
        CHECK(torn.lines().size() < whole.lines().size());
        for (std::size_t n = 0; n < torn.lines().size(); ++n) {
            CHECK(torn.lines()[n] == whole.lines()[n]);
            CHECK(torn.events.heads[n].where.offset == whole.events.heads[n].where.offset);
        }
    }
}
