#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;

// What ChatGPT and claude.ai hand out when somebody asks for their data.

namespace {

test::Reading read_export(const ReaderSpec& spec, std::string_view name) {
    return test::read_text(spec, test::slurp(test::source_dir() / "testdata/readers" / spec.id / name));
}

}  // namespace

using ExportLines = std::vector<std::string>;

TEST_SUITE("chat exports") {
    TEST_CASE("a tree of messages is told branch by branch, with its calls") {
        CHECK(read_export(readers::chatgpt(), "full.json").lines() ==
              ExportLines{
                  R"(SessionStart id=c-lock)",
                  R"(TurnStart)",
                  R"(Message user/human 'What does the gate hold?' media=1)",
                  R"(ContextChange model=gpt-5-thinking)",
                  R"(Thinking 'The width first.\nThen the load.')",
                  R"(ToolCall p1 python 'print(width * load)')",
                  R"(ToolResult p1 error 'NameError: name 'width' is not defined')",
                  R"(ToolCall p2 python 'width = 3; load = 4; print(width * load)')",
                  R"(ToolResult p2 ok '12')",
                  R"(ToolCall q1 file_search.msearch)",
                  R"(ToolResult q1 unknown 'norm.pdf, page 3')",
                  R"(Message user/injected 'A gate holds 12 kN.')",
                  R"(ToolCall e1 container.exec 'cat gate.txt')",
                  R"(ToolResult e1 error 'exit 1')",
                  R"(Message assistant/agent '12 kN.')",
                  R"(TurnStart)",
                  R"(Message user/human 'And the sluice?')",
                  R"(ContextChange model=gpt-5)",
                  R"(Message assistant/agent 'Unknown.')",
                  R"(Rewind to u2)",
                  R"(Message assistant/agent '9 kN.')",
              });
    }

    TEST_CASE("conversations of claude.ai have calls and results within a message") {
        CHECK(read_export(readers::claude_ai(), "full.json").lines() ==
              ExportLines{
                  R"(SessionStart id=l-lock model=claude-opus-4-5)",
                  R"(TurnStart)",
                  R"(Message user/human 'What does the gate hold?' media=1)",
                  R"(Message user/injected 'A gate holds 12 kN.')",
                  R"(Thinking 'The norm first.')",
                  R"(ToolCall t1 web_search 'lock gate norm')",
                  R"(ToolResult t1 error 'no results')",
                  R"(ToolCall call-1 repl '3*4')",
                  R"(ToolResult call-1 ok '12')",
                  R"(Message assistant/agent '12 kN.')",
                  R"(TurnStart)",
                  R"(Message user/human 'And the sluice?')",
                  R"(Message assistant/agent 'Unknown.')",
                  R"(Rewind to m3)",
                  R"(Message assistant/agent '9 kN.')",
              });
    }

    TEST_CASE("what is odd in an export costs itself") {
        const auto chatgpt = read_export(readers::chatgpt(), "bad-fields.json");
        CHECK(chatgpt.lines() == ExportLines{"SessionStart id=c-2", "TurnStart", "Message user/human 'Still here.'"});
        const auto claude = read_export(readers::claude_ai(), "bad-fields.json");
        CHECK(claude.lines() == ExportLines{"SessionStart id=e-2", "TurnStart", "Message user/human '7'",
                                            "ToolCall call-1 ", "Notice reader/warning unreadable-elements"});
    }

    TEST_CASE("a loop of a thousand messages hanging on each other is no deep recursion") {
        std::string mapping;
        for (int i = 0; i < 50'000; ++i) {
            mapping += fmt::format(R"({}"n{}":{{"id":"n{}","parent":"n{}","message":)", i == 0 ? "" : ",", i, i, i - 1);
            mapping += i == 49'999 ? R"({"author":{"role":"user"},"content":{"parts":["deep"]}}})" : "null}";
        }
        const auto seen = test::read_text(readers::chatgpt(), R"({"conversation_id":"c","mapping":{)" + mapping + "}}");
        CHECK(seen.lines() == ExportLines{"SessionStart id=c", "TurnStart", "Message user/human 'deep'"});
    }

    TEST_CASE("branches without times are put in order in one pass") {
        std::string mapping = R"("n-1":{"id":"n-1"})";
        for (int i = 0; i < 20'000; ++i) {
            mapping += fmt::format(R"(,"n{0}":{{"id":"n{0}","parent":"n{1}"}},"b{0}":{{"id":"b{0}","parent":"n{1}"}})",
                                   i, i - 1);
        }
        const auto said = [](std::string_view id, std::string_view parent, int time) {
            return fmt::format(
                R"(,"{0}":{{"id":"{0}","parent":"{1}","message":{{"author":{{"role":"user"}},"create_time":{2},)"
                R"("content":{{"parts":["{0}"]}}}}}})",
                id, parent, time);
        };
        mapping += said("late", "n19999", 30) + said("early", "b19999", 20) + said("first", "b3", 10);
        const auto seen = test::read_text(readers::chatgpt(), R"({"conversation_id":"c","mapping":{)" + mapping + "}}");
        CHECK(seen.those("Message") ==
              ExportLines{"Message user/human 'first'", "Message user/human 'early'", "Message user/human 'late'"});
    }

    TEST_CASE("who changes the first prompt begins anew, whatever empty messages stand before it") {
        const auto node = [](std::string_view id, std::string_view parent, std::string_view role,
                             std::string_view text) {
            return fmt::format(
                R"(,"{0}":{{"id":"{0}","parent":"{1}","message":{{"author":{{"role":"{2}"}},"create_time":{3},)"
                R"("content":{{"parts":["{4}"]}}}}}})",
                id, parent, role, id == "b" ? 1e300 : 1.5, text);
        };
        const auto tree = test::read_text(
            readers::chatgpt(), R"({"conversation_id":"c","mapping":{"r":{"id":"r"})" + node("s", "r", "system", "") +
                                    node("a", "s", "user", "one") + node("k", "a", "assistant", "") +
                                    node("x", "k", "user", "more") + node("y", "k", "user", "less") +
                                    node("b", "s", "user", "two") + "}}");
        CHECK(tree.lines() == ExportLines{"SessionStart id=c", "TurnStart", "Message user/human 'one'", "TurnStart",
                                          "Message user/human 'more'", "Rewind to a", "TurnStart",
                                          "Message user/human 'less'", "Rewind all", "TurnStart",
                                          "Message user/human 'two'"});
        constexpr std::string_view kAgain =
            R"({"uuid":"c","chat_messages":[{"uuid":"1","sender":"human","text":"one","parent_message_uuid":"0-0"},)"
            R"({"uuid":"2","sender":"assistant","text":"so","parent_message_uuid":"1"},)"
            R"({"uuid":"3","sender":"human","text":"two","parent_message_uuid":"0-0"}]})";
        CHECK(test::read_text(readers::claude_ai(), kAgain).those("Rewind") == ExportLines{"Rewind all"});
    }

    TEST_CASE("messages that cannot be read, and those in a ring, are not passed over in silence") {
        constexpr std::string_view kSaid =
            R"({"conversation_id":"c","mapping":{"a":{"id":"a","message":{"author":{"role":"user"},"content":{"parts":["go"]}}},)";
        for (const char* rest :
             {R"("b":{"id":"b","parent":"a","message":{"author":{"role":"assistant"},"content":{"parts":["so" 1]}}}}})",
              R"("b":{"id":"b","parent":"d","message":{}},"d":{"id":"d","parent":"b","message":{}}}})"}) {
            CAPTURE(rest);
            const auto seen = test::read_text(readers::chatgpt(), std::string(kSaid) + rest + "\n");
            CHECK(seen.those("Message") == ExportLines{"Message user/human 'go'"});
            CHECK(seen.fates == std::vector{LineFate::partial});
        }
    }

    TEST_CASE("what was stopped gets no result of later calls, nor of another conversation") {
        const auto message = [](std::string_view id, std::string_view sender, std::string_view blocks) {
            return fmt::format(R"({{"uuid":"{}","sender":"{}","text":"go","content":[{}]}})", id, sender, blocks);
        };
        const std::string call = R"({"type":"tool_use","id":null,"name":"look","input":{"at":"pier"}})";
        const std::string result = R"({"type":"tool_result","tool_use_id":null,"name":"look","content":"empty"})";
        const auto talk = [&](std::string_view id) {
            return fmt::format(R"({{"uuid":"{}","chat_messages":[{},{},{},{}]}})", id, message("1", "human", ""),
                               message("2", "assistant", call), message("3", "human", ""),
                               message("4", "assistant", call + "," + result + "," + call));
        };
        const auto seen = test::read_text(readers::claude_ai(), "[" + talk("a") + "," + talk("b") + "]");
        CHECK(seen.those("ToolResult") ==
              ExportLines{"ToolResult call-2 unknown 'empty'", "ToolResult call-2 unknown 'empty'"});
    }

    TEST_CASE("calls that were made at once get the results of their tools") {
        const auto message = [](std::string_view id, std::string_view parent, std::string_view role,
                                std::string_view name, std::string_view recipient, std::string_view text) {
            return fmt::format(
                R"("{0}":{{"id":"{0}","parent":"{1}","message":{{"author":{{"role":"{2}","name":"{3}"}},"recipient":"{4}",)"
                R"("content":{{"content_type":"text","parts":["{5}"]}}}}}})",
                id, parent, role, name, recipient, text);
        };
        const auto told = [](std::initializer_list<std::string> nodes) {
            std::string tree;
            for (const std::string& node : nodes) tree += (tree.empty() ? "" : ",") + node;
            return test::read_text(readers::chatgpt(),
                                   R"({"conversation_id":"c","current_node":"x","mapping":{)" + tree + "}}");
        };
        const auto both = told({message("a", "", "assistant", "", "web.run", "tides"),
                                message("b", "a", "assistant", "", "file_search.msearch", "norm"),
                                message("c", "b", "tool", "file_search", "all", "page 3"),
                                message("d", "c", "tool", "web.run", "all", "high at six")});
        CHECK(both.those("ToolResult") ==
              ExportLines{"ToolResult b unknown 'page 3'", "ToolResult a unknown 'high at six'"});
        const auto alike =
            told({message("a", "", "assistant", "", "web", "one"), message("b", "a", "assistant", "", "web", "two"),
                  message("c", "b", "tool", "web", "all", "first"), message("d", "c", "tool", "web", "all", "second")});
        CHECK(alike.those("ToolResult") ==
              ExportLines{"ToolResult a unknown 'first'", "ToolResult b unknown 'second'"});
        // Something was said since the first call, which nobody answered.
        const auto later =
            told({message("a", "", "assistant", "", "web", "one"), message("b", "a", "assistant", "", "all", "Hm."),
                  message("c", "b", "assistant", "", "web", "two"), message("d", "c", "tool", "web", "all", "second")});
        CHECK(later.those("ToolResult") == ExportLines{"ToolResult c unknown 'second'"});
    }

    TEST_CASE("a message of more blocks than are kept says so") {
        std::string blocks;
        for (int i = 0; i < 100'001; ++i) blocks += R"({"type":"text","text":"a"},)";
        blocks.pop_back();
        const auto seen = test::read_text(
            readers::claude_ai(),
            R"({"uuid":"c","chat_messages":[{"uuid":"m","sender":"assistant","content":[)" + blocks + "]}]}");
        CHECK(seen.count("Message") == 100'000);
        CHECK(seen.count("Notice") == 1);
    }

    TEST_CASE("exports are known by their own keys, alone and in an array") {
        constexpr std::string_view kTree = R"({"conversation_id":"c","mapping":{"a":{"id":"a"}}})";
        constexpr std::string_view kChat = R"({"uuid":"c","chat_messages":[]})";
        CHECK(test::score_text(readers::chatgpt(), kTree) == 100);
        CHECK(test::score_text(readers::claude_ai(), kChat) == 100);
        CHECK(test::score_text(readers::chatgpt(), kChat) == 0);
        CHECK(test::score_text(readers::claude_ai(), kTree) == 0);
    }
}
