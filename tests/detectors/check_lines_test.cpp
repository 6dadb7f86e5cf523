#include "detectors/outcomes/check_lines.hpp"

#include "support/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using agent_audit::RawText;
using agent_audit::Severity;
using agent_audit::TextForm;
using agent_audit::detectors::Rerun;
using agent_audit::detectors::same_in_any_order;
using agent_audit::test::Session;

namespace {

/// What a runner says that works on several tests at once: each time another one is done first.
std::string run(int turn, const std::string& fault, int line = 41, int port = 0) {
    std::vector<std::string> done{"ok   grinds_rye", "ok   grinds_oats", "ok   stops_when_empty", "ok   weighs_sacks"};
    std::rotate(done.begin(), done.begin() + turn % 4, done.end());
    std::string out = "2026-02-03 04:05:0" + std::to_string(turn % 10) + " INFO " + std::to_string(4711 + turn) +
                      " --- [main] mill listens on port " + std::to_string(port > 0 ? port : 41000 + turn) + "\n";
    for (const std::string& test : done) out += test + " (0.0" + std::to_string(1 + turn % 9) + "s)\n";
    out += std::string(static_cast<std::size_t>(turn % 5), '.') + "\n";
    if (fault.empty()) return out + "4 passed, 0 failed";
    return out + "FAIL fills_bins\n  mill.rs:" + std::to_string(line) + ": " + fault + "\n4 passed, 1 failed";
}

bool same(const std::string& a, const std::string& b, Rerun rerun, std::uint64_t moved = 0) {
    return same_in_any_order({a, TextForm::plain}, {b, TextForm::plain}, rerun, moved);
}

}  // namespace

TEST_SUITE("runs of a check in another order") {
    TEST_CASE("neither the order of tests nor what the program logs makes another outcome, what a test says does") {
        for (const Rerun rerun : {Rerun::undisturbed, Rerun::changed, Rerun::passed}) {
            CHECK(same(run(1, "want 12, got 11"), run(3, "want 12, got 11"), rerun));
            CHECK_FALSE(same(run(1, "want 12, got 11"), run(3, "want 12, got 10"), rerun));
            CHECK_FALSE(same(run(1, "want 12, got 11"), run(1, ""), rerun));
        }
        CHECK(same(run(1, ""), run(2, ""), Rerun::passed));
        CHECK_FALSE(same(run(1, ""), run(2, "") + "\nok   counts_bags", Rerun::passed));
    }

    TEST_CASE("behind an edit an error may stand further down by as much as the edit can have moved it") {
        CHECK(same(run(1, "empty", 41), run(2, "empty", 49), Rerun::changed, 6));
        CHECK_FALSE(same(run(1, "empty", 41), run(2, "empty", 61), Rerun::changed, 6));
        CHECK(same(run(1, "empty", 41), run(2, "empty", 61), Rerun::undisturbed));
    }

    TEST_CASE("whose turn it was does not count, whether it passed and how many did not do") {
        const std::string head = "Running 3 tests using 2 workers\n\n", tail = "\n\n1 failed\n2 passed";
        for (const std::string ok : {" \xe2\x9c\x93  ", " \\u2713  ", "ok "}) {
            const std::string red = ok == "ok " ? "not ok " : " \xe2\x9c\x98  ";
            const std::string once = head + ok + "1 grinds\n" + ok + "2 weighs\n" + red + "3 fills" + tail;
            const std::string again = head + ok + "1 weighs\n" + red + "2 fills\n" + ok + "3 grinds" + tail;
            const std::string other = head + ok + "1 fills\n" + red + "2 weighs\n" + ok + "3 grinds" + tail;
            CHECK(same(once, again, Rerun::changed));
            CHECK_FALSE(same(once, other, Rerun::changed));
        }
        CHECK_FALSE(same(head + "1 failed\na\nb\nc", head + "2 failed\na\nb\nc", Rerun::changed));
    }

    TEST_CASE("of a few lines the order tells") {
        CHECK_FALSE(same("a fails\nb passes", "b passes\na fails", Rerun::changed));
    }

    TEST_CASE("a log that tells of trouble is no noise") {
        const std::string trouble = run(1, "") + "\n2026-02-03 04:05:01 INFO gave up: connection refused";
        CHECK_FALSE(same(run(1, ""), trouble, Rerun::passed));
    }
}

TEST_SUITE("checks whose tests run at once") {
    TEST_CASE("one that fails alike after each edit is a stalled fix; that fewer sacks are missing is progress") {
        for (const bool alike : {true, false}) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                const std::string n = std::to_string(i);
                s.call("Edit", "change " + n, "done");
                s.fails("Bash", "cargo test", run(i, alike ? "want 12, got 11" : "want 12, got " + n));
            }
            const auto& found = s.end();
            REQUIRE(found.size() == (alike ? 1u : 0u));
            if (alike) CHECK(found[0].severity == Severity::error);
        }
    }

    TEST_CASE("of a suite of many pages what counts is what failed") {
        for (const bool alike : {true, false}) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                std::string out = "running 400 tests\n";
                for (int test = 0; test < 400; ++test)
                    out += "test mill::grinds_sack_" + std::to_string((test * 7 + i * 31) % 399) + " ... ok\n";
                out += "test mill::fills_bins ... FAILED\n\nfills_bins: want 12, got " +
                       std::to_string(alike ? 11 : i) + "\n\ntest result: FAILED. 399 passed; 1 failed\n";
                s.call("Edit", "change " + std::to_string(i), "done").fails("Bash", "cargo test", out);
            }
            CHECK(s.end().size() == (alike ? 1u : 0u));
        }
    }

    TEST_CASE("of such a suite a line that sums up, and one that only begins like a pass, tell of progress") {
        for (const std::string_view last : {"SUMMARY: 9x PASSED, x FAILED", "9x tests PASSED", "PASSWORD x is refused",
                                            "=== x failed, 9x passed ==="}) {
            CAPTURE(last);
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                std::string out, sum(last);
                for (int test = 0; test < 400; ++test)
                    out += "mill::grinds_sack_" + std::to_string((test * 7 + i * 31) % 399) + " PASSED\n";
                std::ranges::replace(sum, 'x', static_cast<char>('8' - i));
                s.call("Edit", "change " + std::to_string(i), "done")
                    .fails("Bash", "cargo test", out + sum + "\nmill::fills_bins is not well\nthe end");
            }
            CHECK(s.end().empty());
        }
    }

    TEST_CASE("one that passes each time is run again for nothing, unless something was changed or measured") {
        Session green("loop/exact-repeat"), edited("loop/exact-repeat"), measured("loop/exact-repeat");
        for (int i = 0; i < 8; ++i) {
            const std::string n = std::to_string(i);
            green.call("Bash", "cargo test", run(i, ""));
            edited.call("Edit", "change " + n, "done").call("Bash", "cargo test", run(i, ""));
            measured.call("Bash", "cargo test", run(i, "") + "\nsacks ground: 12" + n);
        }
        CHECK(green.end().size() == 1);
        CHECK(edited.end().empty());
        CHECK(measured.end().empty());
    }
}
