#include "readers/all.hpp"
#include "readers/event_lines.hpp"
#include "readers/json/ids.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace agent_audit;
using readers::is_stand_in;
using readers::is_unique_id;

// Published sessions often have one word in place of all ids. What they cost must not change by it.

namespace {

constexpr std::array<std::string_view, 5> kStandIns{"[REDACTED]", "xxx", "00000000-0000-0000-0000-000000000000",
                                                    "11111111-1111-1111-1111-111111111111", "msg_0000000000000000"};

// "@1" and such stand for ids.
std::string redacted_session(std::string_view text, std::string_view stand_in) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '@') {
            out += text[i];
            continue;
        }
        const char which = text[++i];
        out += stand_in.empty() ? fmt::format("msg_01Ab{}CdEfGh{}JkLmNoPq", which, which) : std::string(stand_in);
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

void same_for_all(const ReaderSpec& spec, std::string_view text, std::uint64_t expected) {
    CHECK(redacted_spent(spec, {redacted_session(text, {})}) == expected);
    for (const std::string_view stand_in : kStandIns) {
        CAPTURE(stand_in);
        const std::string session = redacted_session(text, stand_in);
        CHECK(redacted_spent(spec, {session}) == expected);
        CHECK(redacted_spent(spec, {session, session}) == expected);  // as a fork or a copy would repeat it
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
}
