#include "readers/all.hpp"
#include "readers/event_lines.hpp"
#include "readers/input/companion_records.hpp"
#include "readers/input_support.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// What newer versions of Claude Code write of sub-agents, and of answers that were taken back.

using namespace agent_audit;

TEST_SUITE("claude-code, newer versions") {
    TEST_CASE("what lies beside a sub-agent's file names the agent, its task and the call of the parent") {
        const std::string meta = R"({"agentType":"Explore","description":"Find the stones","toolUseId":"toolu_01Ab",)"
                                 R"("spawnDepth":1})"
                                 "\n";
        const std::string session = test::slurp(test::source_dir() / "testdata/readers/claude-code/sub-agent.jsonl");
        const auto seen = test::read_text(readers::claude_code(), meta + session);
        CHECK(seen.lines()[0] ==
              "SessionStart id=c1a0-full parent=c1a0-full cwd=/home/ada/mill "
              "label=Explore a7f3 (toolu_01Ab): Find the stones");
        CHECK(seen.fates[0] == LineFate::understood);
        // Nothing else without a type is one.
        for (const char* other : {"{}\n", "{\"description\":\"x\"}\n", "{\"agentType\":7}\n"}) {
            const auto read_other = test::read_text(readers::claude_code(), other + session);
            CHECK(read_other.fates[0] == LineFate::missing_field);
            CHECK(read_other.lines()[0].ends_with("label=a7f3"));
        }
        CHECK(test::read_text(readers::claude_code(), session + meta).fates.back() == LineFate::missing_field);
    }

    TEST_CASE("a message that stands in place of others takes them back") {
        const auto record = [](std::string_view uuid, std::string_view text, std::string_view more) {
            return fmt::format(R"({{"type":"assistant","session_id":"s","parent_tool_use_id":null,"uuid":"{}",)"
                               R"("message":{{"id":"msg_{}","role":"assistant","content":[{{"type":"text",)"
                               R"("text":"{}"}}]}}{}}})"
                               "\n",
                               uuid, uuid, text, more);
        };
        const auto seen =
            test::read_text(readers::claude_code_stream(), record("u1", "No.", "") + record("u2", "Never.", "") +
                                                               record("u3", "Yes.", R"(,"supersedes":["u1","u2"])") +
                                                               record("u4", "Done.", R"(,"supersedes":[])") +
                                                               record("u5", "Done.", R"(,"supersedes":7)"));
        CHECK(seen.those("Rewind") == std::vector<std::string>{"Rewind to u1"});
        CHECK(seen.count("Message") == 5);
        const auto back = std::ranges::find(seen.lines(), "Rewind to u1");
        CHECK(*(back + 1) == "Message assistant/agent 'Yes.'");
    }

    TEST_CASE("what a sub-agent says in a stream is its lane's (--forward-subagent-text)") {
        const auto record = [](std::string_view type, std::string_view call, std::string_view content) {
            return fmt::format(R"({{"type":"{0}","session_id":"s","parent_tool_use_id":{1},"message":{{"role":"{0}",)"
                               R"("content":[{2}]}}}})"
                               "\n",
                               type, call, content);
        };
        const auto seen = test::read_text(
            readers::claude_code_stream(),
            record("user", "null", R"({"type":"text","text":"go"})") +
                record("assistant", "null",
                       R"({"type":"tool_use","id":"t1","name":"Agent","input":{"prompt":"look"}})") +
                record("user", R"("t1")", R"({"type":"text","text":"look"})") +
                record("assistant", R"("t1")", R"({"type":"thinking","thinking":"hm","signature":"s"})") +
                record("assistant", R"("t1")", R"({"type":"text","text":"I found it."})") +
                record("user", "null", R"({"type":"tool_result","tool_use_id":"t1","content":"found"})"));
        CHECK(seen.count("LaneOpen") == 1);
        CHECK(seen.count("TurnStart") == 1);
        for (std::size_t i = 0; i < seen.lines().size(); ++i) {
            const std::string& line = seen.lines()[i];
            const bool of_agent = line.find("'look'") != line.npos || line.starts_with("Thinking") ||
                                  line.find("I found it") != line.npos || line == "LaneOpen";
            CAPTURE(line);
            if (!line.starts_with("ToolCall")) CHECK((seen.events.heads[i].lane != 0) == of_agent);
        }
        CHECK(std::ranges::all_of(seen.fates, [](LineFate fate) { return fate == LineFate::understood; }));
    }

    TEST_CASE("the file beside a sub-agent's session is read with it, and is no session") {
        const test::TempDir dir;
        dir.write("s/subagents/agent-a7f3.meta.json", R"({"agentType":"Explore"})");
        dir.write("s/subagents/agent-a7f3.jsonl", "{}\n");
        dir.write("s/subagents/agent-b.jsonl", "{}\n");
        const readers::Companion found = readers::companion_of(dir / "s/subagents/agent-a7f3.jsonl");
        CHECK(found.path == dir / "s/subagents/agent-a7f3.meta.json");
        CHECK(found.format == "claude-code");
        CHECK_FALSE(readers::companion_of(dir / "s/subagents/agent-b.jsonl").is_there());
        const InputList list = expand_inputs({dir.str()});
        REQUIRE(list.paths.size() == 2);
        CHECK(list.paths[0].path == dir / "s/subagents/agent-a7f3.jsonl");
    }
}
