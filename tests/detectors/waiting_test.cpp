#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;
using agent_audit::test::Session;

namespace {

Severity worst_of_waits(Session& s) {
    Severity severity = Severity::info;
    for (const Finding& f : s.end()) severity = f.severity > severity ? f.severity : severity;
    return severity;
}

}  // namespace

TEST_SUITE("waiting") {
    TEST_CASE("a row of pauses with nothing in between is a warning, however long each of them is") {
        const auto severity = [](int pauses, std::string_view way) {
            Session s;
            for (int i = 0; i < pauses; ++i) {
                const std::string seconds = std::to_string(20 + i * 13 % 47);
                if (way == "tool")
                    s.call_json("wait", "", R"({"seconds":)" + seconds + "}", "Waited.");
                else
                    s.call("Bash", "sleep " + (way == "short" ? "2" : seconds) + (way == "echo" ? " && echo up" : ""),
                           way == "echo" ? "up" : "");
            }
            return worst_of_waits(s);
        };
        for (const std::string_view way : {"sleep", "short", "echo", "tool"}) {
            CAPTURE(way);
            CHECK(severity(23, way) == Severity::info);
            CHECK(severity(24, way) == Severity::warning);
            CHECK(severity(63, way) == Severity::warning);
            CHECK(severity(64, way) == Severity::error);
        }
    }

    TEST_CASE("pauses between looks are pauses") {
        Session s;
        for (int i = 0; i < 60; ++i) {
            s.call("Bash", "sleep " + std::to_string(30 + i % 7), "");
            if (i % 12 == 11) s.call("Bash", "tail -1 mill.log", "sack " + std::to_string(i));
        }
        CHECK(worst_of_waits(s) == Severity::info);
    }

    TEST_CASE("no pause helps against what one may not do: twelve tries are an error") {
        constexpr std::string_view kDenied = "Error: Permission denied (publickey).",
                                   kBusy = "Error: connection refused", kMissing = "Error: page not found";
        const auto severity = [](int tries, std::string_view said) {
            Session s;
            for (int i = 0; i < tries; ++i) s.fails("Bash", "sleep " + std::to_string(30 + i) + "; ./deploy.sh", said);
            return worst_of_waits(s);
        };
        CHECK(severity(7, kDenied) == Severity::info);
        CHECK(severity(8, kDenied) == Severity::warning);
        CHECK(severity(12, kDenied) == Severity::error);
        CHECK(severity(20, kBusy) == Severity::warning);
        CHECK(severity(20, kMissing) == Severity::warning);
    }

    TEST_CASE("what came at last was worth the wait: a warning at most") {
        const auto severity = [](std::string_view last, bool fails) {
            EngineOptions strict;
            strict.policy = Policy::strict;
            Session s("loop/poll-no-progress", {}, strict);
            for (int i = 0; i < 10; ++i) s.call("BashOutput", "job", "still running");
            s.call("BashOutput", "job", last, fails ? ResultStatus::error : ResultStatus::ok);
            return worst_of_waits(s);
        };
        CHECK(severity("done: 7 sacks", false) == Severity::warning);
        CHECK(severity("no such job", true) == Severity::error);
        CHECK(severity("still running", false) == Severity::error);
    }

    TEST_CASE("looks with pauses between them until it came are a note; what was given up did not come") {
        const auto severity = [](int looks, std::int64_t pause, std::string_view last) {
            Session s("loop/poll-no-progress");
            for (int i = 0; i < looks; ++i) {
                if (pause > 0) s.at(1000 + i * pause);
                s.call("BashOutput", "job", "still running");
            }
            if (!last.empty()) s.call("BashOutput", "job", last);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        constexpr std::string_view kCame = "done: 7 sacks";
        CHECK(severity(10, 20, kCame) == Severity::info);
        CHECK(severity(30, 20, kCame) == Severity::info);
        CHECK(severity(60, 20, kCame) == Severity::warning);
        CHECK(severity(10, 6, kCame) == Severity::warning);
        CHECK(severity(10, 0, kCame) == Severity::info);
        CHECK(severity(30, 0, kCame) == Severity::warning);
        CHECK(severity(10, 20, "killed") == Severity::warning);
        CHECK(severity(10, 20, "") == Severity::warning);
    }

    TEST_CASE("whatever the work is called that goes on, a look at it waits; what is so for good does not") {
        const auto severity = [](std::string_view said) {
            Session s;
            for (int i = 0; i < 7; ++i) s.call_json("job_status", "", R"({"job":"r4"})", said);
            return worst_of_waits(s);
        };
        for (const std::string_view said :
             {R"({"job":"r4","state":"rendering"})", R"({"status": "ENCODING"})", "transcoding", "state: milling",
              R"({"locked_by":"team-b","place":1})", "position 2 in the queue"}) {
            CAPTURE(said);
            CHECK(severity(said) == Severity::info);
        }
        for (const std::string_view said : {R"({"state":"missing"})", R"({"state":"failing"})", R"({"locked_by":null})",
                                            R"({"weather":"raining"})", "listening"}) {
            CAPTURE(said);
            CHECK(severity(said) == Severity::error);
        }
    }

    TEST_CASE("who asks after a job names a moment each time, and asks for the same") {
        const auto findings = [](std::string_view state, bool other_days) {
            Session s;
            for (int i = 10; i < 40; ++i) {
                const std::string n = std::to_string(i);
                const std::string moment = other_days ? "2026-04-" + n : "2026-04-07T09:" + n + ":00Z";
                s.call_json("get_job", "", R"({"job":"j7","asof":")" + moment + "\"}",
                            "{\"status\":\"" + std::string(state) + "\",\"checked\":\"2026-04-07T09:" + n + ":01Z\"}");
            }
            return s.end().size();
        };
        CHECK(findings("PENDING", false) == 1);
        CHECK(findings("open", false) == 0);
    }

    TEST_CASE("a glance at something else ends no wait; who works or edits meanwhile does not only wait") {
        const auto findings = [](int looks, int every, std::string_view meanwhile) {
            Session s("loop/poll-no-progress");
            for (int i = 0; i < looks; ++i) {
                s.fails("Bash", "sleep " + std::to_string(5 + i % 2) + " && curl -s localhost:4000/health",
                        "curl: (7) Failed to connect to localhost port 4000: Connection refused");
                if (i % every == every - 1)
                    s.call(meanwhile, "mill" + std::to_string(i) + ".cpp", "int mill" + std::to_string(i) + ";");
            }
            const auto& found = s.end();
            // None is forgotten that was one of a row before it was clear that the row goes on.
            if (!found.empty()) CHECK(found[0].repeats == static_cast<std::uint64_t>(looks));
            return found.size();
        };
        CHECK(findings(8, 100, "Read") == 1);
        CHECK(findings(20, 8, "Read") == 1);
        CHECK(findings(14, 5, "Read") == 1);  // as many as eight, and two more for each glance
        CHECK(findings(11, 4, "Read") == 0);
        CHECK(findings(30, 2, "Read") == 0);
        CHECK(findings(14, 5, "Edit") == 0);
    }

    TEST_CASE("a few guesses where a thing may be are no finding once it was found") {
        const auto findings = [](int guesses, std::string_view found, bool by_command) {
            Session s;
            const auto look = [&](const std::string& path) {
                return (by_command ? "curl -sSf https://mill.example/" : "https://mill.example/") + path;
            };
            for (int i = 0; i < guesses; ++i)
                s.fails(by_command ? "Bash" : "WebFetch", look("docs" + std::string(static_cast<std::size_t>(i), 'x')),
                        by_command ? "curl: (22) The requested URL returned error: 404"
                                   : "Request failed with status code 404");
            if (!found.empty()) s.call(by_command ? "Bash" : "WebFetch", look(std::string(found)), "the page");
            return s.end().size();
        };
        for (const bool by_command : {false, true}) {
            CAPTURE(by_command);
            CHECK(findings(5, "api.html", by_command) == 0);
            CHECK(findings(5, "", by_command) == 1);
            CHECK(findings(9, "api.html", by_command) >= 1);
        }
    }

    TEST_CASE("a job that was queued and runs now is looked at twice as often before a word") {
        const auto severity = [](int looks, std::string_view before) {
            Session s;
            s.call("Bash", "sbatch job.sh", "Submitted batch job 88123");
            for (int i = 0; i < 4; ++i) s.call("Bash", "sleep 60; squeue -j 88123", before);
            for (int i = 0; i < looks; ++i) s.call("Bash", "sleep 60; squeue -j 88123", "88123 gpu grind R n12");
            return worst_of_waits(s);
        };
        CHECK(severity(12, "88123 gpu grind PD (Priority)") == Severity::info);
        CHECK(severity(16, "88123 gpu grind PD (Priority)") == Severity::warning);
        CHECK(severity(26, "88123 gpu grind PD (Priority)") == Severity::error);
        CHECK(severity(8, "88123 gpu grind R n12") == Severity::warning);
    }

    TEST_CASE("a log that is looked at in other words is the same log, another one is not") {
        const auto severity = [](std::string_view other) {
            Session s("loop/poll-no-progress");
            s.call("Bash", "nohup ./grind > grind.log &", "[1] 4711");
            for (int i = 0; i < 14; ++i)
                s.call("Bash", "sleep 60; tail " + std::string(i % 3 == 2 ? other : "-3 grind.log"),
                       "connected to the mill\nsack 12 of 240 was ground so far");
            return worst_of_waits(s);
        };
        CHECK(severity("-n 3 grind.log") == Severity::warning);
        CHECK(severity("-3 sieve.log") == Severity::info);
    }

    TEST_CASE("a log that ends with the same line is not moved, however much of it is read") {
        // The line that the look number `moves` finds at the end is another one.
        const auto severity = [](int looks, int moves) {
            Session s("loop/poll-no-progress");
            for (int i = 0; i < looks; ++i) {
                const std::string lines = std::to_string(1 + i % 4);
                std::string shown;
                for (int line = i % 4; line > 0; --line) shown += "sack " + std::to_string(40 - line) + " ground\n";
                s.call("Bash", "sleep 60; tail -" + lines + " grind.log",
                       shown + (i >= moves ? "sack 41 ground" : "Killed"));
            }
            return worst_of_waits(s);
        };
        CHECK(severity(8, 99) == Severity::warning);
        CHECK(severity(7, 99) == Severity::info);
        CHECK(severity(12, 11) == Severity::info);
    }

    TEST_CASE(
        "a port where nobody answers is the same one whichever way it is asked, one that answers at last was waited "
        "for") {
        const auto severity = [](std::size_t looks, std::string_view last) {
            constexpr std::string_view kAsks[] = {"curl -s localhost:3000/up", "curl -i http://127.0.0.1:3000/up",
                                                  "curl -g -s 'http://[::1]:3000/'", "wget -qO- localhost:3000"};
            Session s("loop/poll-no-progress");
            for (std::size_t i = 0; i < looks; ++i) {
                const std::string ask = "sleep 20; " + std::string(kAsks[i % 4]);
                if (i % 3 == 2)
                    s.call("Bash", ask + " || echo down", "down");
                else
                    s.fails("Bash", ask, i % 3 == 0 ? "" : "curl: (7) Failed to connect: Connection refused");
            }
            if (!last.empty()) s.call("Bash", "sleep 20; curl -s localhost:3000/up", last);
            return worst_of_waits(s);
        };
        CHECK(severity(8, "") == Severity::warning);
        CHECK(severity(7, "") == Severity::info);
        CHECK(severity(9, R"({"mill": "turns"})") == Severity::info);
    }

    TEST_CASE("a job that stands still is the same in its short and its long form, two jobs are two") {
        const auto severity = [](int looks, bool two, int step) {
            Session s("loop/poll-no-progress");
            for (int i = 0; i < looks; ++i) {
                const std::string job = two && i % 2 == 1 ? "g2" : "g1", done = std::to_string(40 + i / 6 * step);
                const bool in_full = i % 3 == 2;
                s.call_json("get_job", job, R"({"job":")" + job + (in_full ? R"(","full":true})" : R"("})"),
                            R"({"job":")" + job + R"(","status":"running","done":)" + done +
                                (in_full ? R"(,"worker":"w7"})" : "}"));
            }
            return worst_of_waits(s);
        };
        CHECK(severity(10, false, 0) == Severity::warning);
        CHECK(severity(12, false, 5) == Severity::info);
        CHECK(severity(12, true, 0) == Severity::info);
    }

    TEST_CASE("what is sent again after each pause is no look at how it stands") {
        Session s("loop/poll-no-progress");
        for (int i = 0; i < 14; ++i)
            s.call("send_notification", "Time to oil the wheel.", R"({"delivered": true})")
                .call("wait", "1800", "waited");
        CHECK(s.end().empty());
    }
}
