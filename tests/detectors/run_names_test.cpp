#include "detectors/outcomes/run_names.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

using agent_audit::detectors::same_but_run_names;
using agent_audit::test::Session;

namespace {

std::string id(std::size_t size, char c) {
    std::string out;
    while (out.size() < size) out += std::string("4f") + c + "0";
    return out.substr(0, size);
}

}  // namespace

TEST_SUITE("names that are given anew") {
    TEST_CASE("ids of containers, pods, processes and commits that are made again do not count") {
        const std::pair<std::string, std::string> same[] = {
            {"api\n" + id(64, 'a'), "api\n" + id(64, 'b')},
            {"CONTAINER ID   IMAGE  STATUS\n" + id(12, 'a') + "   api    Exited (1) 2 seconds ago",
             "CONTAINER ID   IMAGE  STATUS\n" + id(12, 'b') + "   api    Exited (1) 14 seconds ago"},
            {"quay-7d9f8c6b5d-x2x4z   0/1   CrashLoopBackOff   2 (10s ago)   41s",
             "quay-5c4d8b7f9b-q7zzt   0/1   CrashLoopBackOff   13 (9s ago)   2m"},
            {"[main 1f0c2ab] Add the crane\n 2 files changed", "[main 77aa88b] Add the crane\n 2 files changed"},
            {"[main 1417324] Add the crane", "[main 77aa88b] Add the crane"},
            {"quayd[4011]: exec format error", "quayd[412]: exec format error"},
            {"Main PID: 4011 (code=exited)", "Main PID: 4100 (code=exited)"},
            {"api\\n" + id(64, 'a') + "\\n", "api\\n" + id(64, 'b') + "\\n"},  // as JSON holds them
            {"ready\n Local: http://localhost:5173/",
             "Port 5173 is in use, trying another one...\nready\n Local: http://localhost:5174/"},
            {"dev\\nready\\n Local: http://localhost:5173/",
             "dev\\nPort 5173 is in use\\nPort 5174 is in use\\nready\\n Local: http://localhost:5175/"},
        };
        for (const auto& pair : same) {
            CAPTURE(pair.first);
            CHECK(same_but_run_names(pair.first, pair.second));
        }
    }

    TEST_CASE("what says something of the thing itself counts") {
        const std::pair<std::string, std::string> other[] = {
            {id(64, 'a') + "  crane.tar", id(64, 'b') + "  crane.tar"},  // a checksum
            {"quay-7d9f8c6b5d-x2x4z   1/1   Running   2", "quay-7d9f8c6b5d-x2x4z   1/1   Running   3"},
            {"quay-7d9f8c6b5d-x2x4z   0/1   CrashLoopBackOff   2",
             "gate-7d9f8c6b5d-x2x4z   0/1   CrashLoopBackOff   2"},
            {"quay-7d9f8c6b5d-x2x4z   0/1   CrashLoopBackOff   2",
             "quay-7d9f8c6b5d-q7zzt   0/1   ImagePullBackOff   2"},
            {"[main 1f0c2ab] Add the crane\n 2 files changed", "[main 77aa88b] Add the crane\n 3 files changed"},
            {id(64, 'a'), id(64, 'b')},                                              // two containers
            {"ready on http://localhost:5173/", "ready on http://localhost:5174/"},  // no port was taken
            {"Port 80 is in use\n3 routes", "Port 80 is in use\n4 routes"},
            {"Output:\n" + id(64, 'a'), "Output:\n" + id(64, 'b')},
            {"took [in all 1417324] bytes", "took [in all 1417325] bytes"},
            {"row[4011] is full", "row[4012] is full but"},
            {"a[1] = 4", "a[2] = 4"},
            {"Error 404 from the quay", "Error 500 from the quay"},
            {"Process 3 of 40", "Process 4 of 40"},
            {"left-pad-one", "left-pad-two"},
        };
        for (const auto& pair : other) {
            CAPTURE(pair.first);
            CHECK_FALSE(same_but_run_names(pair.first, pair.second));
        }
    }

    TEST_CASE("a container that is made and fails alike again and again is a round, one that comes further is none") {
        const auto rounds = [](bool gets_on) {
            Session s("loop/cycle");
            for (int i = 0; i < 6; ++i) {
                s.call("Bash", "docker rm -f api && docker run -d --name api api",
                       "api\n" + id(64, static_cast<char>('a' + i)));
                s.call("Bash", "docker logs api",
                       "2026-05-04T09:0" + std::to_string(i) + ":00Z cannot reach " +
                           (gets_on ? "host " + std::string(1, static_cast<char>('a' + i)) : std::string("postgres")));
            }
            return s.end().size();
        };
        CHECK(rounds(false) == 1);
        CHECK(rounds(true) == 0);
    }

    TEST_CASE("a commit that is made, tested and taken back again and again is a round") {
        Session s("loop/cycle");
        for (int i = 0; i < 6; ++i) {
            s.call("Bash", "git commit -m 'Add the crane'",
                   "[main " + id(7, static_cast<char>('a' + i)) + "] Add the crane\n 2 files changed");
            s.fails("Bash", "npm test", "expected 2, got 1");
            s.call("Bash", "git reset --soft HEAD~1", "");
        }
        CHECK(s.end().size() == 1);
    }
}
