#include "readers/all.hpp"
#include "readers/event_lines.hpp"
#include "readers/json/ids.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace agent_audit;
using readers::is_stand_in;
using readers::is_unique_id;

// Published sessions often have one word in place of all ids. What they cost must not change by it.

namespace {

constexpr std::array<std::string_view, 6> kStandIns{
    "[REDACTED]",           "xxx", "00000000-0000-0000-0000-000000000000", "11111111-1111-1111-1111-111111111111",
    "msg_0000000000000000", ""};

// Takes fields whose value is an id out, with their keys.
std::string without_ids(std::string text) {
    for (std::size_t value = text.find("\"@"); value != text.npos; value = text.find("\"@")) {
        std::size_t end = text.find('"', value + 1) + 1;
        std::size_t begin = text.rfind('"', text.rfind('"', value - 1) - 1);
        if (text[end] == ',')
            ++end;
        else if (text[begin - 1] == ',')
            --begin;
        text.erase(begin, end - begin);
    }
    return text;
}

// "@1" and such stand for ids.
std::string redacted_session(std::string_view text, std::optional<std::string_view> stand_in) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '@') {
            out += text[i];
            continue;
        }
        const char which = text[++i];
        out += stand_in ? std::string(*stand_in) : fmt::format("msg_01Ab{}CdEfGh{}JkLmNoPq", which, which);
    }
    return out;
}

// All tokens of the files: what has the same identity is one request, and the last record of it is right.
std::uint64_t redacted_spent(const ReaderSpec& spec, const std::vector<std::string>& files) {
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> named;
    std::uint64_t sum = 0;
    for (const std::string& file : files) {
        for (const Usage& usage : test::read_text(spec, file).events.usages) {
            const std::uint64_t total = usage.tokens.total();
            if (usage.message_key == 0)
                sum += total;
            else
                named[{usage.message_key, usage.request_key}] = total;
        }
    }
    for (const auto& [key, total] : named) sum += total;
    return sum;
}

// Responses that are told apart by their calls.
std::size_t redacted_responses(const ReaderSpec& spec, const std::string& file) {
    std::set<std::uint64_t> named;
    const auto seen = test::read_text(spec, file);
    for (std::size_t i = 0; i < seen.lines().size(); ++i) {
        if (seen.lines()[i].starts_with("ToolCall")) named.insert(seen.events.heads[i].response);
    }
    return named.size();
}

// `copied`: an answer is known again in a copy of its file.
void same_for_all(const ReaderSpec& spec, std::string_view text, std::uint64_t expected, bool copied = true) {
    CHECK(redacted_spent(spec, {redacted_session(text, std::nullopt)}) == expected);
    std::vector<std::string> sessions{without_ids(std::string(text))};
    for (const std::string_view stand_in : kStandIns) sessions.push_back(redacted_session(text, stand_in));
    for (const std::string& session : sessions) {
        CAPTURE(session);
        CHECK(redacted_spent(spec, {session}) == expected);
        if (copied) CHECK(redacted_spent(spec, {session, session}) == expected);  // as a fork or a copy repeats it
        CHECK(test::score_text(spec, session) > 0);
    }
}

std::string claude_record(int second, std::string_view id, int prompt, int output, std::string_view block) {
    return fmt::format(R"({{"type":"assistant","uuid":"@{0}","parentUuid":"@{0}","sessionId":"s","requestId":"{1}",)"
                       R"("timestamp":"2026-02-01T10:00:{2:02}.000Z","message":{{"id":"{1}","role":"assistant",)"
                       R"("content":[{3}],"usage":{{"input_tokens":{4},"output_tokens":{5}}}}}}})"
                       "\n",
                       second % 10, id, second, block, prompt, output);
}

std::string claude_result(int second, std::string_view call) {
    return fmt::format(R"({{"type":"user","uuid":"@{0}","parentUuid":"@{0}","sessionId":"s","timestamp":)"
                       R"("2026-02-01T10:00:{1:02}.000Z","message":{{"role":"user","content":[{{"type":"tool_result",)"
                       R"("tool_use_id":"{2}","content":"ok"}}]}}}})"
                       "\n",
                       second % 10, second, call);
}

std::string redacted_call(std::string_view id) {
    return fmt::format(R"({{"type":"tool_use","id":"{}","name":"Bash","input":{{"command":"make"}}}})", id);
}

constexpr std::string_view kRedactedText = R"({"type":"text","text":"I build."})";

}  // namespace

TEST_SUITE("redacted ids") {
    TEST_CASE("a word or one digit stands for ids, what is random does not") {
        for (const char* word : {"", "[REDACTED]", "redacted", "redactedId", "xxxxxxxxxxxxxxxx", "msg_REDACTED",
                                 "0000-0000-0000", "11111111-1111-1111", "msg_77777777777777"}) {
            CAPTURE(word);
            CHECK(readers::is_stand_in(word));
        }
        for (const char* id : {"msg_01AbCdEfGh", "kQvbTzRwXhLmPdNs", "chatcmpl-9xYz", "1", "call_7", "0b3f-11aa"}) {
            CAPTURE(id);
            CHECK_FALSE(readers::is_stand_in(id));
        }
    }

    TEST_CASE("a stand-in has no digit of its own") {
        for (const std::string_view word : kStandIns) CHECK(is_stand_in(word));
        CHECK(is_stand_in(""));
        CHECK(is_stand_in("resp_11111111"));
        for (const std::string_view id :
             {"msg_01AbCdEfGh", "chatcmpl-9xYz", "m1", "7", "0198aaaa-1111-7222-8333-444455556666"})
            CHECK_FALSE(is_stand_in(id));
        CHECK(is_unique_id("msg_01AbCdEfGhJkLm"));
        CHECK_FALSE(is_unique_id("msg_0000000000000000"));
        CHECK_FALSE(is_unique_id("call_1"));
    }

    TEST_CASE("Claude Code: records of a response share their prompt, and the next one has another") {
        same_for_all(
            readers::claude_code(),
            claude_record(1, "@1", 100, 1, kRedactedText) + claude_record(2, "@1", 100, 30, redacted_call("a")) +
                claude_result(3, "a") + claude_record(4, "@1", 100, 30, redacted_call("b")) + claude_result(5, "b") +
                claude_record(6, "@2", 150, 1, kRedactedText) + claude_record(7, "@2", 150, 40, redacted_call("c")) +
                claude_result(8, "c") + claude_record(9, "@3", 150, 1, kRedactedText) +
                claude_record(10, "@3", 150, 40, redacted_call("d")) + claude_result(11, "d") +
                claude_record(12, "@4", 200, 40, kRedactedText),
            130 + 190 + 190 + 240);
    }

    TEST_CASE("Kimi: each step tells its usage once") {
        std::string text = R"({"type":"metadata","protocol_version":"1.1"})"
                           "\n";
        for (int i = 1; i <= 3; ++i) {
            text += fmt::format(R"({{"timestamp":{0},"message":{{"type":"StepBegin","payload":{{"n":{1}}}}}}})"
                                "\n"
                                R"({{"timestamp":{0},"message":{{"type":"StatusUpdate","payload":{{"token_usage":)"
                                R"({{"input_other":100,"output":10,"input_cache_read":0,"input_cache_creation":0}},)"
                                R"("message_id":"@{1}"}}}}}})"
                                "\n",
                                1769940000 + i, i);
        }
        same_for_all(readers::kimi_cli(), text, 330);
    }

    TEST_CASE("OpenHands: calls of a response share its time and what it took") {
        std::string text;
        int event = 0;
        const auto action = [&](int response, int prompt, int created) {
            text += fmt::format(R"({{"id":{0},"timestamp":"2025-06-01T10:00:{0:02}","source":"agent","action":"run",)"
                                R"("args":{{"command":"make"}},"tool_call_metadata":{{"function_name":"execute_bash",)"
                                R"("tool_call_id":"c{0}","model_response":{{"id":"@{1}","created":{3},"usage":)"
                                R"({{"prompt_tokens":{2},"completion_tokens":10}}}}}}}})"
                                "\n"
                                R"({{"id":{4},"timestamp":"2025-06-01T10:00:{4:02}","source":"agent","cause":{0},)"
                                R"("observation":"run","content":"ok"}})"
                                "\n",
                                event, response, prompt, created, event + 1);
            event += 2;
        };
        action(1, 100, 1748772001);
        action(2, 150, 1748772002);
        action(2, 150, 1748772002);
        action(3, 150, 1748772009);
        same_for_all(readers::openhands(), text, 110 + 160 + 160);
    }

    TEST_CASE("Gemini CLI: a message that is written again keeps its time") {
        const auto line = [](int id, int second, int output) {
            return fmt::format(
                R"({{"id":"@{}","timestamp":"2026-02-01T10:00:0{}.000Z","type":"gemini","content":"Hi.",)"
                R"("tokens":{{"input":100,"output":{},"cached":0,"thoughts":0,"tool":0}}}})"
                "\n",
                id, second, output);
        };
        same_for_all(readers::gemini_cli(),
                     R"({"sessionId":"s","projectHash":"p","startTime":"2026-02-01T10:00:00.000Z","kind":"main"})"
                     "\n" +
                         line(1, 1, 5) + line(1, 1, 10) + line(2, 2, 10),
                     220);
    }

    TEST_CASE("Qwen Code: a record is known by its time and figures") {
        std::string text;
        for (int i = 1; i <= 3; ++i) {
            text += fmt::format(R"({{"uuid":"@{0}","parentUuid":null,"sessionId":"s","timestamp":)"
                                R"("2026-02-01T10:00:0{0}.000Z","type":"assistant","message":{{"role":"model","parts":)"
                                R"([{{"text":"Hi."}}]}},"usageMetadata":{{"promptTokenCount":100,)"
                                R"("candidatesTokenCount":10,"totalTokenCount":110}}}})"
                                "\n",
                                i);
        }
        same_for_all(readers::qwen_code(), text, 330);
    }

    TEST_CASE("LangChain: a state repeats the ones before it, and another one with the same beginning is another") {
        const std::string system = R"({"type":"system","content":"Help.","additional_kwargs":{},"id":"@1"})";
        const auto human = [](std::string_view text) {
            return fmt::format(R"({{"type":"human","content":"{}","additional_kwargs":{{}},"id":"@2"}})", text);
        };
        const auto answer = [](std::string_view text, int prompt) {
            return fmt::format(R"({{"type":"ai","content":"{}","additional_kwargs":{{}},"id":"@3","usage_metadata":)"
                               R"({{"input_tokens":{},"output_tokens":10}}}})",
                               text, prompt);
        };
        const auto state = [](std::string_view form, std::initializer_list<std::string> messages) {
            return fmt::format(fmt::runtime(form), fmt::join(messages, ",")) + "\n";
        };
        for (const std::string_view form : {R"({{"values":{{"messages":[{}]}}}})", R"({{"messages":[{}]}})"}) {
            CAPTURE(form);
            const std::string text =
                state(form, {system, human("a?")}) + state(form, {system, human("a?"), answer("a", 100)}) +
                state(form, {system, human("a?"), answer("a", 100), human("b?")}) +
                state(form, {system, human("a?"), answer("a", 100), human("b?"), answer("b", 150)}) +
                state(form, {system, human("c?"), answer("c", 100)});
            for (const std::string_view word : {"", "xxx", "[REDACTED]"}) {
                CAPTURE(word);
                const auto seen = test::read_text(readers::langchain(), redacted_session(text, word));
                CHECK(redacted_spent(readers::langchain(), {redacted_session(text, word)}) == 110 + 160 + 110);
                CHECK(seen.events.counts.at("SessionStart") == 2);
                CHECK(seen.events.counts.at("TurnStart") == 3);
            }
            CHECK(redacted_spent(readers::langchain(), {without_ids(text)}) == 110 + 160 + 110);
        }
    }

    TEST_CASE("LangChain: the same words from two messages are two") {
        std::string text;
        for (int i = 0; i < 3; ++i)
            text += R"({"type":"ai","content":"yes","additional_kwargs":{},"id":"@1",)"
                    R"("usage_metadata":{"input_tokens":100,"output_tokens":10}})"
                    "\n";
        CHECK(redacted_spent(readers::langchain(), {redacted_session(text, "xxx")}) == 330);
        CHECK(redacted_spent(readers::langchain(), {without_ids(text)}) == 330);
    }

    TEST_CASE("Amp: a thread is known by what stands beside its messages") {
        same_for_all(readers::amp(),
                     R"({"id":"@1","created":1772445600000,"messages":[{"role":"user","content":[{"type":"text",)"
                     R"("text":"go"}]},{"role":"assistant","content":[{"type":"text","text":"ok"}],"usage":)"
                     R"({"inputTokens":100,"outputTokens":10}}],"env":{}})",
                     110, false);
    }

    TEST_CASE("opencode: an export is known by what it says of its session") {
        std::string messages;
        for (int i = 1; i <= 3; ++i)
            messages += fmt::format(R"({}{{"info":{{"id":"@{}","role":"assistant","time":{{"created":{}}},"tokens":)"
                                    R"({{"input":100,"output":10}}}},"parts":[{{"type":"text","text":"ok"}}]}})",
                                    i > 1 ? "," : "", i, 1772445600000 + i);
        const std::string text = fmt::format(
            R"({{"info":{{"id":"@9","directory":"/w","version":"1.2.24","time":{{"created":1772445600000}}}},)"
            R"("messages":[{}]}})",
            messages);
        for (const char* word : {"xxx", "[REDACTED]", ""}) {
            const std::string session = redacted_session(text, word);
            CHECK(test::score_text(readers::opencode(), session) > 0);
            CHECK(redacted_spent(readers::opencode(), {session}) == 330);
        }
        CHECK(redacted_spent(readers::opencode(), {without_ids(text)}) == 330);
    }

    TEST_CASE("traces: spans without ids are spans") {
        std::string agents, langfuse, langsmith;
        for (int i = 1; i <= 3; ++i) {
            agents += fmt::format(
                R"({{"object":"trace.span","id":"@{0}","trace_id":"@9","started_at":"2026-05-03T10:00:0{0}.1+00:00",)"
                R"("ended_at":"2026-05-03T10:00:0{0}.9+00:00","span_data":{{"type":"generation","output":)"
                R"([{{"role":"assistant","tool_calls":[{{"id":"call_{0}","type":"function","function":)"
                R"({{"name":"f","arguments":"{{}}"}}}}]}}],"usage":{{"input_tokens":100,"output_tokens":10}}}}}})"
                "\n",
                i);
            langfuse += fmt::format(
                R"({{"id":"@{0}","traceId":"@9","type":"GENERATION","startTime":"2026-05-03T10:00:0{0}.100Z",)"
                R"("endTime":"2026-05-03T10:00:0{0}.900Z","output":{{"role":"assistant","tool_calls":)"
                R"([{{"id":"call_{0}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}]}},)"
                R"("usageDetails":{{"input":100,"output":10}}}})"
                "\n",
                i);
            langsmith += fmt::format(
                R"({{"id":"@{0}","trace_id":"@9","run_type":"llm","start_time":"2026-05-03T10:00:0{0}.100000",)"
                R"("end_time":"2026-05-03T10:00:0{0}.900000","inputs":{{}},"outputs":{{"choices":[{{"message":)"
                R"({{"role":"assistant","tool_calls":[{{"id":"call_{0}","type":"function","function":)"
                R"({{"name":"f","arguments":"{{}}"}}}}]}}}}],"usage":{{"prompt_tokens":100,"completion_tokens":10}}}}}})"
                "\n",
                i);
        }
        for (const auto& traces :
             {std::pair(readers::openai_agents(), agents), std::pair(readers::langfuse(), langfuse),
              std::pair(readers::langsmith(), langsmith)}) {
            const ReaderSpec& spec = traces.first;
            const std::string& text = traces.second;
            CAPTURE(spec.id);
            for (const char* word : {"xxx", "[REDACTED]", ""}) {
                CAPTURE(word);
                const std::string session = redacted_session(text, word);
                CHECK(redacted_spent(spec, {session}) == 330);
                CHECK(redacted_responses(spec, session) == 3);
            }
            CHECK(redacted_spent(spec, {without_ids(text)}) == 330);
        }
    }

    TEST_CASE("Mux: answers that begin alike are told apart by their place") {
        std::string text;
        for (int i = 1; i <= 3; ++i)
            text +=
                fmt::format(R"({{"id":"@{}","role":"assistant","parts":[{{"type":"text","text":"I look."}}],)"
                            R"("metadata":{{"historySequence":{},"usage":{{"inputTokens":100,"outputTokens":10}}}},)"
                            R"("workspaceId":"w1"}})"
                            "\n",
                            i, i);
        same_for_all(readers::vercel_ai(), text, 330, false);
    }

    TEST_CASE("AI SDK: a request repeats the messages before it") {
        const std::string asked = R"({"id":"@1","role":"user","parts":[{"type":"text","text":"go"}]})";
        const std::string answer =
            R"({"id":"@2","role":"assistant","parts":[{"type":"text","text":"ok"}],"metadata":{"usage":)"
            R"({"inputTokens":100,"outputTokens":10}}})";
        const std::string text = fmt::format(R"({{"id":"chat","messages":[{0}]}})"
                                             "\n"
                                             R"({{"id":"chat","messages":[{0},{1}]}})"
                                             "\n"
                                             R"({{"id":"chat","messages":[{0},{1},{0},{1}]}})"
                                             "\n",
                                             asked, answer);
        for (const char* word : {"xxx", ""})
            CHECK(redacted_spent(readers::vercel_ai(), {redacted_session(text, word)}) == 220);
        CHECK(redacted_spent(readers::vercel_ai(), {without_ids(text)}) == 220);
    }

    TEST_CASE("OpenHands: the state tells its responses where they were given") {
        std::string text =
            R"({"id":"c","agent":{"llm":{"model":"m"}},"workspace":{"working_dir":"/w"},"stats":{"usage_to_metrics":)"
            R"({"condenser":{"token_usages":[{"prompt_tokens":900,"completion_tokens":9,"response_id":"@8"}]},)"
            R"("agent":{"token_usages":[{"prompt_tokens":100,"completion_tokens":10,"response_id":"@1"},)"
            R"({"prompt_tokens":200,"completion_tokens":10,"response_id":"@2"}]}}}})"
            "\n";
        const auto call = [&text](int response, std::string_view id) {
            text += fmt::format(R"({{"id":"{0}","source":"agent","thought":[],"tool_name":"terminal","tool_call_id":)"
                                R"("{0}","action":{{"command":"make","kind":"TerminalAction"}},)"
                                R"("llm_response_id":"@{1}","kind":"ActionEvent"}})"
                                "\n",
                                id, response);
        };
        const auto result = [&text](std::string_view id) {
            text += fmt::format(R"({{"id":"r{0}","source":"environment","tool_name":"terminal","tool_call_id":"{0}",)"
                                R"("action_id":"{0}","observation":{{"content":[],"exit_code":0,"kind":)"
                                R"("TerminalObservation"}},"kind":"ObservationEvent"}})"
                                "\n",
                                id);
        };
        call(1, "a");
        call(1, "b");
        result("a");
        result("b");
        call(2, "c");
        result("c");
        std::vector<std::string> sessions{without_ids(text)};
        for (const char* word : {"xxx", "[REDACTED]", ""}) sessions.push_back(redacted_session(text, word));
        for (const std::string& session : sessions) {
            const auto seen = test::read_text(readers::openhands(), session);
            const std::size_t calls = static_cast<std::size_t>(std::ranges::find(seen.lines(), "LaneOpen") -
                                                               seen.lines().begin());  // the condenser's, at the end
            std::size_t told = 0;
            for (std::size_t i = 0; i < calls; ++i) told += seen.lines()[i].starts_with("Usage") ? 1u : 0u;
            CHECK(told == 2);
            CHECK(redacted_responses(readers::openhands(), session) == 2);
            CHECK(redacted_spent(readers::openhands(), {session}) == 110 + 210 + 909);
        }
    }

    TEST_CASE("Copilot: each answer is a response, and its usage is told once") {
        std::string text = R"({"type":"session.start","data":{"sessionId":"s","producer":"copilot-agent"},"id":"@9",)"
                           R"("timestamp":"2026-02-01T10:00:00.000Z"})"
                           "\n";
        for (int i = 1; i <= 3; ++i)
            text += fmt::format(
                R"({{"type":"assistant.message","data":{{"messageId":"@{0}","content":"","toolRequests":)"
                R"([{{"toolCallId":"c{0}","name":"bash","arguments":{{}}}}],"outputTokens":10}},"id":"@{0}",)"
                R"("timestamp":"2026-02-01T10:00:0{0}.000Z"}})"
                "\n"
                R"({{"type":"assistant.usage","data":{{"inputTokens":100,"outputTokens":10}},"id":"@{0}",)"
                R"("timestamp":"2026-02-01T10:00:0{0}.500Z"}})"
                "\n",
                i);
        same_for_all(readers::copilot_cli(), text, 330);
        for (const char* word : {"xxx", ""})
            CHECK(redacted_responses(readers::copilot_cli(), redacted_session(text, word)) == 3);
        CHECK(redacted_responses(readers::copilot_cli(), without_ids(text)) == 3);
    }
}
