// The same sessions for every profile, one row a session: where each warns and stops. The arithmetic of the rows is the
// published rules'; those of gemini-cli, qwen-code and openclaw were also compared with the packages themselves
// (scripts/check-profiles.sh).

#include "support/peer_session.hpp"

#include <map>

using agent_audit::test::PeerSession;
using Steps = PeerSession::Steps;

namespace {

using Row = std::map<std::string_view, Steps>;
using Write = std::function<void(PeerSession&)>;

void check_row(const Row& expected, const Write& write) {
    for (const auto& row : expected) {
        CAPTURE(row.first);
        PeerSession session(row.first);
        session.human("please");
        write(session);
        CHECK(session.steps() == row.second);
    }
}

std::string file(int n) { return R"({"path":"src/f)" + std::to_string(n) + R"(.ts"})"; }

}  // namespace

TEST_SUITE("profiles: one session, all peers") {
    TEST_CASE("one read with one answer, 35 times") {
        check_row({{"gemini-cli", {5, 6}},
                   {"qwen-code", {0, 5}},
                   {"qwen-code+heuristics", {0, 5}},
                   {"openclaw", {11, 21}},
                   {"openhands", {0, 4}},
                   {"openhands-v0", {0, 4}},
                   {"browser-use", {6, 0}},
                   {"roo", {0, 4}},
                   {"cline", {3, 5}},
                   {"crush", {0, 10}},
                   {"goose", {0, 6}},
                   {"opencode", {0, 0}},
                   {"window-counter", {0, 3}},
                   {"last3-equals-previous3", {0, 6}},
                   {"same-type-3", {3, 0}},
                   {"sequence-hash", {0, 6}},
                   {"error-accumulation", {0, 0}}},
                  [](PeerSession& s) { s.times(35, [](PeerSession& p, int) { p.call("read", file(1), "same"); }); });
    }

    TEST_CASE("one command that fails with one error, 35 times") {
        check_row({{"gemini-cli", {5, 6}},
                   {"qwen-code", {0, 5}},
                   {"openclaw", {11, 21}},
                   {"openhands", {0, 4}},
                   {"openhands-v0", {0, 4}},
                   {"browser-use", {6, 0}},
                   {"roo", {0, 4}},
                   {"cline", {3, 5}},
                   {"crush", {0, 10}},
                   {"goose", {0, 4}},
                   {"error-accumulation", {0, 5}}},
                  [](PeerSession& s) { s.times(35, [](PeerSession& p, int) { p.runs("make", "no rule", 2); }); });
    }

    TEST_CASE("two calls in turn, both answers frozen") {
        check_row(
            {{"gemini-cli", {10, 11}},
             {"qwen-code", {0, 0}},
             {"qwen-code+heuristics", {0, 6}},
             {"openclaw", {10, 20}},
             {"openhands", {0, 6}},
             {"openhands-v0", {0, 6}},
             {"browser-use", {10, 0}},
             {"roo", {0, 0}},
             {"cline", {0, 0}},
             {"crush", {0, 0}},
             {"goose", {0, 11}},
             {"window-counter", {0, 5}},
             {"last3-equals-previous3", {0, 0}},
             {"sequence-hash", {0, 6}}},
            [](PeerSession& s) { s.times(40, [](PeerSession& p, int i) { p.call("read", file(i % 2), "same"); }); });
    }

    TEST_CASE("three different calls in turn, two of which fail") {
        check_row({{"gemini-cli", {15, 16}},
                   {"qwen-code", {0, 0}},
                   {"qwen-code+heuristics", {0, 16}},
                   {"openclaw", {31, 0}},
                   {"openhands", {0, 0}},
                   {"openhands-v0", {0, 0}},
                   {"browser-use", {14, 0}},
                   {"roo", {0, 0}},
                   {"cline", {0, 0}},
                   {"goose", {0, 0}},
                   {"last3-equals-previous3", {0, 6}},
                   {"sequence-hash", {0, 6}}},
                  [](PeerSession& s) {
                      s.times(14, [](PeerSession& p, int) {
                          p.call("read", file(1), "text");
                          p.fails("edit", file(1), "old text not found");
                          p.runs("npm test", "1 failing", 1);
                      });
                  });
    }

    TEST_CASE("four reads in turn") {
        check_row(
            {{"gemini-cli", {20, 21}},
             {"qwen-code", {0, 0}},
             {"qwen-code+heuristics", {0, 8}},
             {"openhands", {0, 0}},
             {"browser-use", {18, 0}},
             {"goose", {0, 21}},
             {"openclaw", {0, 0}}},
            [](PeerSession& s) { s.times(40, [](PeerSession& p, int i) { p.call("Read", file(i % 4), "same"); }); });
    }

    TEST_CASE("six calls in turn are beyond gemini-cli") {
        check_row({{"gemini-cli", {0, 0}},
                   {"qwen-code", {0, 0}},
                   {"openclaw", {0, 0}},
                   {"openhands", {0, 0}},
                   {"openhands-v0", {0, 0}},
                   {"browser-use", {0, 0}},
                   {"crush", {0, 0}}},
                  [](PeerSession& s) {
                      s.times(42, [](PeerSession& p, int i) { p.call("t" + std::to_string(i % 6), "{}", "same"); });
                  });
    }

    TEST_CASE("keys in another order each time are the same call for those who sort") {
        check_row({{"gemini-cli", {10, 11}},
                   {"qwen-code", {0, 5}},
                   {"openclaw", {11, 21}},
                   {"openhands", {0, 4}},
                   {"openhands-v0", {0, 4}},
                   {"browser-use", {6, 0}},
                   {"roo", {0, 4}},
                   {"cline", {3, 5}},
                   {"crush", {0, 0}},
                   {"goose", {0, 6}}},
                  [](PeerSession& s) {
                      s.times(24, [](PeerSession& p, int i) {
                          p.call("read", i % 2 ? R"({"path":"a","limit":5})" : R"({"limit":5,"path":"a"})", "same");
                      });
                  });
    }

    TEST_CASE("a command whose output differs in a clock only") {
        check_row({{"openhands", {0, 0}},
                   {"openhands-v0", {0, 4}},
                   {"openclaw", {11, 0}},
                   {"crush", {0, 0}},
                   {"gemini-cli", {5, 6}}},
                  [](PeerSession& s) {
                      s.times(15, [](PeerSession& p, int i) {
                          p.runs("make", "12:00:" + std::to_string(10 + i) + " nothing to do");
                      });
                  });
    }

    TEST_CASE("the text before each call differs: part of the action for OpenHands") {
        check_row({{"openhands", {0, 0}}, {"openhands-v0", {0, 0}}, {"qwen-code", {0, 5}}, {"gemini-cli", {5, 6}}},
                  [](PeerSession& s) {
                      s.times(24, [](PeerSession& p, int i) {
                          p.respond().adds("try " + std::to_string(i)).open("read", file(1)).answer("same");
                      });
                  });
    }

    TEST_CASE("a loop that goes on after a compaction") {
        check_row({{"gemini-cli", {5, 6}},
                   {"qwen-code", {0, 5}},
                   {"openclaw", {0, 6}},
                   {"openhands", {0, 4}},
                   {"openhands-v0", {0, 7}},
                   {"roo", {0, 4}},
                   {"cline", {3, 5}},
                   {"crush", {0, 10}}},
                  [](PeerSession& s) {
                      const auto again = [](PeerSession& p, int) { p.call("check", "{}", "same"); };
                      s.times(3, again).compaction().times(9, again);
                  });
    }

    TEST_CASE("the user asks for the same thing six times") {
        check_row({{"gemini-cli", {0, 0}},
                   {"qwen-code", {0, 0}},
                   {"qwen-code+heuristics", {0, 0}},
                   {"openclaw", {0, 0}},
                   {"openhands", {0, 0}},
                   {"openhands-v0", {0, 6}},
                   {"browser-use", {6, 0}},
                   {"roo", {0, 4}},
                   {"cline", {0, 0}},
                   {"crush", {0, 0}},
                   {"goose", {0, 6}}},
                  [](PeerSession& s) {
                      s.times(6, [](PeerSession& p, int) {
                          p.call("read", file(1), "same").says("It is the same.").human("again");
                      });
                  });
    }

    TEST_CASE("three answers of 503, then success") {
        check_row({{"openhands", {3, 0}},
                   {"openhands-v0", {0, 3}},
                   {"gemini-cli", {0, 0}},
                   {"qwen-code", {0, 0}},
                   {"roo", {0, 4}},
                   {"cline", {3, 0}},
                   {"goose", {0, 4}},
                   {"openclaw", {0, 0}},
                   {"error-accumulation", {0, 0}}},
                  [](PeerSession& s) {
                      s.times(3, [](PeerSession& p, int) { p.fails("web_fetch", R"({"url":"x"})", "503"); });
                      s.call("web_fetch", R"({"url":"x"})", "page").call("edit", file(2));
                  });
    }

    TEST_CASE("the same message five times without a call") {
        check_row({{"openhands", {0, 0}}, {"openhands-v0", {0, 0}}, {"gemini-cli", {0, 0}}},
                  [](PeerSession& s) { s.times(2, [](PeerSession& p, int) { p.says("I am done."); }); });
        for (const char* profile : {"openhands", "openhands-v0"}) {
            CAPTURE(profile);
            const auto outcome =
                PeerSession(profile).human().times(5, [](PeerSession& p, int) { p.says("I am done."); }).end();
            REQUIRE(outcome.stopped);
            CHECK(outcome.stopped->line == 4);
        }
    }

    TEST_CASE("twelve failing calls, all different") {
        check_row({{"cline", {0, 6}},
                   {"error-accumulation", {0, 5}},
                   {"goose", {0, 0}},
                   {"openhands", {0, 0}},
                   {"gemini-cli", {0, 0}}},
                  [](PeerSession& s) {
                      s.times(12, [](PeerSession& p, int i) {
                          p.fails("t" + std::string(1, static_cast<char>('a' + i)), "{}",
                                  "error " + std::string(1, static_cast<char>('a' + i)));
                      });
                  });
    }

    TEST_CASE("a tool that does not exist, with other arguments each time") {
        check_row({{"openclaw", {0, 11}},
                   {"qwen-code+heuristics", {0, 8}},
                   {"goose", {0, 4}},
                   {"cline", {0, 6}},
                   {"gemini-cli", {0, 0}},
                   {"openhands", {0, 0}}},
                  [](PeerSession& s) {
                      s.times(24, [](PeerSession& p, int i) {
                          p.fails("serach", "{\"q\":" + std::to_string(i) + "}", "Unknown tool: serach");
                      });
                  });
    }

    TEST_CASE("twenty pages fetched one after the other disturb only who counts names") {
        check_row({{"gemini-cli", {0, 0}},
                   {"qwen-code", {0, 0}},
                   {"qwen-code+heuristics", {0, 8}},
                   {"openclaw", {0, 0}},
                   {"openhands", {0, 0}},
                   {"openhands-v0", {0, 0}},
                   {"browser-use", {0, 0}},
                   {"roo", {0, 0}},
                   {"cline", {0, 0}},
                   {"crush", {0, 0}},
                   {"window-counter", {0, 0}},
                   {"same-type-3", {3, 0}},
                   {"sequence-hash", {0, 6}}},
                  [](PeerSession& s) {
                      s.times(20, [](PeerSession& p, int i) {
                          p.call("web_fetch", "{\"page\":" + std::to_string(i) + "}", "page");
                      });
                  });
    }
}
