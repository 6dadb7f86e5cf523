#include "readers/all.hpp"
#include "readers/event_lines.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

// Several sessions of Claude Code in one stream: `cat a.jsonl b.jsonl | agent-audit -`.

using namespace agent_audit;

TEST_SUITE("claude-code, several sessions in a stream") {
    using Starts = std::vector<std::string>;

    // A record of a session, behind `parent` or, where that is empty, behind none.
    std::string record(std::string_view session, std::string_view id, std::string_view parent, std::string_view more) {
        return fmt::format(R"({{"uuid":"{}","parentUuid":{},"sessionId":"{}",{}}})"
                           "\n",
                           id, parent.empty() ? "null" : fmt::format("\"{}\"", parent), session, more);
    }
    std::string says(std::string_view session, std::string_view id, std::string_view parent,
                     std::string_view more = "") {
        return record(session, id, parent,
                      fmt::format(R"("type":"user","message":{{"role":"user","content":"{}"}}{})", id, more));
    }
    Starts sessions(const std::string& lines) {
        return test::read_text(readers::claude_code(), lines).those("SessionStart");
    }

    constexpr std::string_view kSideOf = R"(,"isSidechain":true,"agentId":"a7f3")";

    TEST_CASE("a record that follows no other and names another session begins it") {
        const auto seen = test::read_text(readers::claude_code(), says("s1", "a", "") + says("s1", "b", "a") +
                                                                      says("s2", "c", "") + says("s2", "d", "c"));
        CHECK(seen.those("SessionStart") == Starts{"SessionStart id=s1", "SessionStart id=s2"});
        CHECK(seen.count("TurnStart") == 4);
    }

    TEST_CASE("the first record may be a hook's, and a whole session counts its turns from 1") {
        const std::string hook =
            R"("type":"progress","data":{"type":"hook_progress","hookName":"SessionStart:startup"})";
        CHECK(sessions(says("s1", "a", "") + record("s2", "h", "", hook) + says("s2", "b", "h")) ==
              Starts{"SessionStart id=s1", "SessionStart id=s2"});
    }

    TEST_CASE("what a resumed session took over is its own") {
        // Copies of the session before, and the own records behind the last of them.
        const std::string resumed = says("s1", "a", "") + says("s1", "b", "a") + says("s2", "c", "b");
        CHECK(sessions(resumed).size() == 1);
        CHECK(sessions(resumed + says("s2", "d", "") + says("s1", "e", "")).size() == 1);
    }

    TEST_CASE("behind a compaction, and with the hook of a resume, the session goes on") {
        const std::string before = says("s1", "a", "");
        CHECK(sessions(before + record("s2", "b", "", R"("type":"system","subtype":"compact_boundary","content":"")") +
                       says("s2", "c", "b"))
                  .size() == 1);
        CHECK(sessions(before + says("s2", "b", "", R"(,"isCompactSummary":true)")).size() == 1);
        const std::string hook =
            R"("type":"progress","data":{"type":"hook_progress","hookName":"SessionStart:resume"})";
        CHECK(sessions(before + record("s2", "h", "", hook) + says("s2", "b", "")).size() == 1);
    }

    TEST_CASE("the file of a sub-agent is a lane behind its session, and a session of its own behind another") {
        const std::string agent = says("s1", "x", "", kSideOf);
        const auto lane = test::read_text(readers::claude_code(), says("s1", "a", "") + agent);
        CHECK(lane.count("SessionStart") == 1);
        CHECK(lane.count("LaneOpen") == 1);
        CHECK(sessions(says("s2", "a", "") + agent) ==
              Starts{"SessionStart id=s2", "SessionStart id=s1 parent=s1 label=a7f3"});
        CHECK(sessions(agent + says("s1", "a", "")) ==
              Starts{"SessionStart id=s1 parent=s1 label=a7f3", "SessionStart id=s1"});
    }

    TEST_CASE("each run of a print says its session first") {
        const auto run = [](std::string_view session) {
            return fmt::format(R"({{"type":"system","subtype":"init","session_id":"{0}","cwd":"/w","model":"m"}})"
                               "\n"
                               R"({{"type":"result","subtype":"success","session_id":"{0}","is_error":false}})"
                               "\n",
                               session);
        };
        const auto starts = [](const std::string& lines) {
            return test::read_text(readers::claude_code_stream(), lines).count("SessionStart");
        };
        CHECK(starts(run("s1") + run("s2")) == 2);
        CHECK(starts(run("s1") + run("s1")) == 1);
    }
}
