#include "support/session.hpp"

#include "detectors/engine/period_runs.hpp"

#include <doctest/doctest.h>

#include <random>

using agent_audit::Severity;
using agent_audit::detectors::PeriodRuns;
using agent_audit::test::Session;

namespace {

// The tail's primitive period and its rounds, by looking at everything: the oracle of the property test.
std::pair<std::uint32_t, std::uint32_t> brute_force(const std::vector<std::uint64_t>& symbols) {
    for (std::uint32_t p = 1; p <= PeriodRuns::kMaxPeriod; ++p) {
        std::uint32_t run = 0;
        for (std::size_t i = symbols.size(); i-- > p && symbols[i] == symbols[i - p];) ++run;
        if (run >= p) return {p, run / p + 1};
    }
    return {0, 0};
}

Session& round(Session& s, int period, const std::string& suffix = "") {
    for (int i = 0; i < period; ++i) s.call("Read", "file" + std::to_string(i), "content" + suffix);
    return s;
}

}  // namespace

TEST_SUITE("loop/cycle") {
    TEST_CASE("steps and turns whose answers only say that they were done need many rounds, unless somebody looks") {
        const auto drawn = [](int rounds, bool looks) {
            Session s("loop/cycle");
            for (int i = 0; i < rounds; ++i) {
                s.call("move_forward", "10", "ok").call("turn_right", "45", "ok");
                if (looks) s.call("get_screen_text", "{}", "A square is drawn on the field");
            }
            const auto& found = s.end();
            return found.empty() ? Severity::info : found[0].severity;
        };
        CHECK(drawn(8, false) == Severity::info);
        CHECK(drawn(12, false) == Severity::warning);
        CHECK(drawn(30, false) == Severity::error);
        CHECK(drawn(4, true) == Severity::error);
    }

    TEST_CASE("the period engine equals a brute-force look at the tail, for random streams") {
        std::mt19937 random(7);
        for (int trial = 0; trial < 300; ++trial) {
            PeriodRuns runs;
            std::vector<std::uint64_t> symbols;
            const auto alphabet = 1 + random() % 4;
            const auto planted = 1 + random() % PeriodRuns::kMaxPeriod;
            for (int i = 0; i < 150; ++i) {
                // half noise, half a planted period with rare disturbances
                const bool copy = trial % 2 == 0 && symbols.size() >= planted && random() % 40 != 0;
                symbols.push_back(copy ? symbols[symbols.size() - planted] : random() % alphabet + trial * 1000);
                runs.push(symbols.back());
                const auto [period, rounds] = brute_force(symbols);
                REQUIRE(runs.period() == period);
                if (period > 0) REQUIRE(runs.run(period) / period + 1 == rounds);
            }
        }
    }

    TEST_CASE("a planted cycle of every period is reported with that period") {
        for (int period = 2; period <= 32; ++period) {
            CAPTURE(period);
            Session s("loop/cycle");
            for (int r = 0; r < 4; ++r) round(s, period);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].period == static_cast<std::uint32_t>(period));
            CHECK(found[0].repeats == 4);
            CHECK(found[0].severity == Severity::error);
            CHECK(found[0].round.size() == static_cast<std::size_t>(period));
            CHECK(found[0].wasted_steps == static_cast<std::uint64_t>(3 * period));
        }
    }

    TEST_CASE("two rounds are silent, three are a warning") {
        Session two("loop/cycle");
        round(round(two, 3), 3);
        CHECK(two.end().empty());
        Session three("loop/cycle");
        for (int r = 0; r < 3; ++r) round(three, 3);
        const auto& found = three.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
    }

    TEST_CASE("a round whose outcome changes is progress") {
        Session s("loop/cycle");
        for (int r = 0; r < 8; ++r) round(s, 3, std::to_string(r) + " left");
        CHECK(s.end().empty());
    }

    TEST_CASE("one call repeated is not called a cycle") {
        Session s("loop/cycle");
        for (int i = 0; i < 12; ++i) s.call("Read", "a", "same");
        CHECK(s.end().empty());
    }

    TEST_CASE("an extra round never makes the counts smaller") {
        std::uint64_t before = 0;
        for (int rounds = 3; rounds < 12; ++rounds) {
            Session s("loop/cycle");
            for (int r = 0; r < rounds; ++r) round(s, 4);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].repeats > before);
            before = found[0].repeats;
        }
    }

    TEST_CASE("the order of parallel calls in a response changes nothing") {
        Session s("loop/cycle");
        for (int r = 0; r < 4; ++r) {
            s.respond();
            const bool swap = r % 2 == 1;
            s.open("Read", swap ? "b" : "a")
                .open("Read", swap ? "a" : "b")
                .answer(swap ? "B" : "A")
                .answer(swap ? "A" : "B");
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].period == 2);
    }

    TEST_CASE("a round that only waits is left alone below the polling counts") {
        Session s("loop/cycle");
        for (int r = 0; r < 3; ++r) s.call("BashOutput", "job 1", "running").call("Read", "log", "");
        CHECK(s.end().empty());
    }

    TEST_CASE("who looks around and goes on with the round has found no way out") {
        Session s("loop/cycle");
        for (int piece = 0; piece < 3; ++piece) {
            for (int round = 0; round < 3; ++round)
                s.call("Read", "barn.c", "int barn;").fails("Bash", "./run-tests barn", "expected 3 got 0");
            for (const char* folder : {"ls a", "ls b", "ls c"})
                s.call("Bash", folder + std::to_string(piece), "files of " + std::to_string(piece));
        }
        for (const char* file : {"grain.c", "corn.c", "sack.c"}) s.call("Edit", file, std::string("changed ") + file);
        const auto& found = s.end();
        REQUIRE(found.size() == 3);
        CHECK_FALSE(found[0].recovered);
        CHECK_FALSE(found[1].recovered);
        CHECK(found[2].recovered);
    }

    TEST_CASE("a step too many in some rounds does not part a cycle whose rounds came back without a flaw") {
        Session s("loop/cycle");
        const auto some = [&s](std::string_view files) {
            for (const char file : files) s.call("Read", std::string(1, file), std::string("what is in ") + file);
        };
        some("xcyz");  // c was looked at before: that is no round
        const std::uint64_t before = 4;
        some("abcabqc");  // before the flawless rounds
        some("abcabcabc");
        some("rabcacb");  // and behind them
        some("auvwabc");  // other work ends it
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(found[0].first_step == before + 1);
        CHECK(found[0].last_step == before + 24);
        CHECK(found[0].repeats == 7);
        CHECK_FALSE(found[0].contiguous);
        CHECK(found[0].reset_line.has_value());
    }

    TEST_CASE("a change between the rounds, and one step that comes again and again, end a cycle") {
        Session changed("loop/cycle");
        for (int r = 0; r < 3; ++r) round(changed, 2);
        changed.call("Edit", "file0", "changed");
        round(changed, 2);
        CHECK(changed.end().at(0).last_step == 6);
        Session stays("loop/cycle");
        for (int r = 0; r < 3; ++r) round(stays, 2);
        for (int i = 0; i < 6; ++i) stays.call("Read", "file1", "content");
        CHECK(stays.end().at(0).last_step == 6);
    }

    TEST_CASE(
        "work that is laid aside and brought back round after round is a cycle; the commit that git drops is no news") {
        Session round("loop/cycle"), moves("loop/cycle");
        for (int i = 0; i < 5; ++i) {
            const std::string dropped = "On branch main\nDropped refs/stash@{0} (" + std::string(40, "0a1b2"[i]) + ")";
            for (Session* s : {&round, &moves}) {
                s->call("Bash", "git stash", "Saved working directory")
                    .fails("Bash", "npm test", "1 failing")
                    .call("Bash", "git stash pop", dropped);
            }
            round.fails("Bash", "npm test", "2 failing");
            moves.fails("Bash", "npm test", std::to_string(9 - i) + " failing");
        }
        const auto& found = round.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].period == 4);
        CHECK(moves.end().empty());
    }

    TEST_CASE("a plan that is turned round and round with nothing done is a cycle, one that moves on is none") {
        Session turned("loop/cycle"), worked("loop/cycle"), grows("loop/cycle");
        for (int i = 0; i < 14; ++i) {
            const std::string plan = "step " + std::to_string(i % 3) + " of 3 is next";
            turned.call("TodoWrite", plan, "noted");
            worked.call("TodoWrite", plan, "noted").call("Read", "file" + std::to_string(i), "text");
            grows.call("TodoWrite", "step " + std::to_string(i) + " is next", "noted");
        }
        const auto& found = turned.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].period == 3);
        CHECK(found[0].severity == Severity::error);
        CHECK(worked.end().empty());
        CHECK(grows.end().empty());
    }

    TEST_CASE("agents that hand over to each other are a warning at most, and none when one of them works") {
        Session only("loop/cycle");
        for (const std::string_view rule :
             {"loop/cycle", "loop/interleaved-repeat", "loop/known-answers", "loop/revisit-ratio"}) {
            Session works(rule);
            for (int i = 0; i < 10; ++i) {
                works.call("transfer_to_reader", "{}", "Successfully transferred to reader")
                    .call("web_search", "price of rye " + std::to_string(i), "rye " + std::to_string(40 + i));
                works.call("transfer_back_to_miller", "{}", "Successfully transferred back to miller")
                    .call("transfer_to_writer", "{}", "Successfully transferred to writer");
                works.call("transfer_back_to_miller", "{}", "Successfully transferred back to miller");
            }
            CAPTURE(rule);
            CHECK(works.end().empty());
        }
        for (int i = 0; i < 10; ++i) {
            only.call("transfer_to_reader", "{}", "Successfully transferred to reader")
                .call("transfer_back_to_miller", "{}", "Successfully transferred back to miller");
        }
        const auto& found = only.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
    }

    TEST_CASE("answers of several lines show where a click led, short as they are") {
        const auto round = [](std::string_view first, std::string_view second) {
            Session s("loop/cycle");
            for (int i = 0; i < 6; ++i) s.call("browser_click", "bills", first).call("browser_back", "", second);
            return s.end().size();
        };
        CHECK(round("Clicked", "Went back") == 0);
        CHECK(round("Page: Bills\n- no bills", "Page: Account\n- link Bills") == 1);
        CHECK(round("Clicked\n", "Went back\n") == 0);
    }

    TEST_CASE("forth and back is a round where each answer says by a number where that led") {
        const auto round = [](std::string_view forth, std::string_view back) {
            Session s("loop/cycle");
            for (int i = 0; i < 5; ++i) s.call("click", "Forth", forth).call("click", "Back", back);
            return s.end().size();
        };
        CHECK(round("Almanac: June 2026. All days grey.", "Almanac: May 2027. All days grey.") == 1);
        CHECK(round("Clicked Forth.", "Clicked Back.") == 0);
        CHECK(round("200 OK", "200 OK") == 0);
    }

    TEST_CASE("clicks of a computer tool whose screenshot stays the same are a round, however its JSON is written") {
        const auto findings = [](std::string_view blank, bool stays) {
            std::size_t found = 0;
            for (const char* rule : {"loop/cycle", "loop/near-repeat"}) {
                Session s(rule);
                for (int i = 0; i < 10; ++i) {
                    const std::string click = "{" + std::string(blank) + "\"action\": \"left_click\"," +
                                              std::string(blank) + "\"coordinate\": [" + std::string(blank) + "634," +
                                              std::string(blank) + "710" + std::string(blank) + "]" +
                                              std::string(blank) + "}";
                    s.call_json("computer", "left_click", click, "clicked");
                    s.call_json(
                        "computer", "screenshot", R"({"action": "screenshot"})",
                        stays ? "[screenshot] The dialog of the mill is open. Buttons: Accept all, Settings"
                              : "[screenshot] Sack " + std::to_string(i) + " of the mill is shown. Buttons: Next");
                }
                found += s.end().size();
            }
            return found;
        };
        CHECK(findings("", true) > 0);
        CHECK(findings("\n                    ", true) > 0);
        CHECK(findings("", false) == 0);
    }
}
