#include "readers/gemini/gemini_shell.hpp"
#include "readers/gemini/gemini_mcp.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;

namespace {

std::string plain(std::string_view text) { return std::string(readers::shell_answer({text, TextForm::plain}).bytes); }
std::string raw(std::string_view text) {
    return std::string(readers::shell_answer({text, TextForm::json_string}).bytes);
}

}  // namespace

TEST_SUITE("what a command printed, in Gemini's answers") {
    TEST_CASE("what stands around the output goes, the process group first of all") {
        CHECK(
            raw(R"(Command: npm test\nDirectory: (root)\nOutput: 1 failing\nError: (none)\nExit Code: 1\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 28137)") ==
            "1 failing");
        CHECK(plain("Output: a\nb\nProcess Group PGID: 12") == "a\nb");
        CHECK(
            raw(R"(Command: ls\nDirectory: (root)\nStdout: a\nStderr: b\nError: (none)\nExit Code: 0\nSignal: (none))") ==
            R"(a\nStderr: b)");
    }

    TEST_CASE("neither the mark around it nor the advice of a hook behind it is output") {
        const std::string_view mark =
            R"(<untrusted_context>\nOutput: 1 failing\nExit Code: 1\nProcess Group PGID: 28137\n</untrusted_context>)";
        CHECK(raw(mark) == "1 failing");
        CHECK(raw(std::string(mark) + R"(\n\n<hook_context>[x] stop it</hook_context>)") == "1 failing");
        CHECK(raw(R"(Output: a\nProcess Group PGID: 9\n\n[agent-audit loop/cycle] Break the round.)") == "a");
        CHECK(plain("Output: a\nProcess Group PGID: 9\n\n[agent-audit loop/cycle] Break the round.") == "a");
        // What a command printed about hooks stays.
        CHECK(plain("Output: see\n\n[agent-audit x] y\nmore") == "see\n\n[agent-audit x] y\nmore");
        CHECK(plain("Output: </hook_context>") == "</hook_context>");
    }

    TEST_CASE("an empty output is none") { CHECK(raw(R"(Output: (empty)\nExit Code: 1)") == ""); }

    TEST_CASE("an error of the process itself stays") {
        CHECK(
            raw(R"(Command: x\nDirectory: (root)\nOutput: (empty)\nError: spawn x ENOENT\nExit Code: (none)\nSignal: (none))") ==
            R"((empty)\nError: spawn x ENOENT)");
    }

    TEST_CASE("of an MCP tool's failure stays what the tool said, not the call") {
        const auto said = [](std::string_view text, TextForm form) {
            std::string room;
            return std::string(readers::mcp_answer({text, form}, room).bytes);
        };
        const std::string_view told =
            R"(MCP tool 'push_files' reported tool error for function call: {"name":"push_files","args":{"text":"a with response: b"}} with response: [{"functionResponse":{"name":"push_files","response":{"content":[{"type":"text","text":"409 \"main\" is empty.\nTry again"},{"type":"text","text":"second"}],"isError":true}}}])";
        CHECK(said(told, TextForm::plain) == R"(409 \"main\" is empty.\nTry again\nsecond)");
        std::string escaped;
        for (const char c : told) escaped += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
        CHECK(said(escaped, TextForm::json_string) == R"(409 \"main\" is empty.\nTry again\nsecond)");
        const std::string cut = escaped.substr(0, escaped.find("Try"));
        CHECK(said(cut, TextForm::json_string) == R"(409 \"main\" is empty.\n)");
        for (const char* other :
             {"MCP tool 'x' failed", "the MCP tool 'x' reported tool error for function call: {} with response: []",
              "MCP tool 'x' reported tool error for function call: {}"})
            CHECK(said(other, TextForm::plain) == other);
        CHECK(said("MCP tool 'x' reported tool error for function call: {} with response: [{}]", TextForm::plain) ==
              "[{}]");
    }

    TEST_CASE("the mark around what comes from outside is none of it") {
        const auto said = [](std::string_view text, TextForm form) {
            std::string room;
            return std::string(readers::mcp_answer({text, form}, room).bytes);
        };
        CHECK(said(R"(<untrusted_context>\nError: 401\n</untrusted_context>)", TextForm::json_string) == "Error: 401");
        CHECK(said("<untrusted_context>\nError: 401\n</untrusted_context>", TextForm::plain) == "Error: 401");
        for (const char* other : {"<untrusted_context>", "<untrusted_context>\nx", "x\n</untrusted_context>", ""})
            CHECK(said(other, TextForm::plain) == other);
    }

    TEST_CASE("what an MCP tool said of its failure stands once, also where Qwen Code writes it twice") {
        const auto said = [](std::string_view response) {
            std::string room;
            const std::string text =
                "MCP tool 'pay' reported tool error for function call: {\"name\":\"pay\",\"args\":{}} with response: "
                "[{\"functionResponse\":{\"name\":\"pay\",\"response\":" +
                std::string(response) + "}}]";
            return std::string(readers::mcp_answer({text, TextForm::plain}, room).bytes);
        };
        CHECK(said(R"({"error":{"content":[{"type":"text","text":"card \"A}\" refused"}],"isError":true},)"
                   R"("content":[{"type":"text","text":"card \"A}\" refused"}]})") == R"(card \"A}\" refused)");
        CHECK(said(R"({"error":{"isError":true,"content":[{"type":"text","text":"a"},{"type":"text","text":"a"}]},)"
                   R"("content":[{"type":"text","text":"a"},{"type":"text","text":"a"}]})") == R"(a\na)");
        // What is cut off within the error is all there is; an error without words leaves them to the rest.
        CHECK(said(R"({"error":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b)") == R"(a\nb}}])");
        CHECK(said(R"({"error":{"isError":true},"content":[{"type":"text","text":"a"}]})") == "a");
        CHECK(said(R"({"error":"x","content":[{"type":"text","text":"a"},{"type":"text","text":"a"}]})") == R"(a\na)");
    }

    TEST_CASE("what only looks so stays: a log that ends so in the middle, another form, a value that is no text") {
        CHECK(raw(R"(Output: Exit Code: 3\nand more)") == R"(Exit Code: 3\nand more)");
        CHECK(raw(R"(Wrote 3 lines\nExit Code: 1)") == R"(Wrote 3 lines\nExit Code: 1)");
        CHECK(readers::shell_answer({R"({"Output: ":1})", TextForm::json_value}).bytes == R"({"Output: ":1})");
        CHECK(plain("Command: echo Output: x") == "Command: echo Output: x");
        CHECK(plain("").empty());
    }
}
