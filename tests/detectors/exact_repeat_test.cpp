#include "support/session.hpp"

#include <doctest/doctest.h>

using agent_audit::Finding;
using agent_audit::ResultStatus;
using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

Session& repeat(Session& s, int times) {
    for (int i = 0; i < times; ++i) s.call("Bash", "npm test", "1 failing");
    return s;
}

}  // namespace

TEST_SUITE("loop/exact-repeat") {
    TEST_CASE("a long command is evidence up to where it was cut, and says that it was") {
        Session cut("loop/exact-repeat"), whole("loop/exact-repeat");
        const std::string shown = "make " + std::string(100, 'x');
        for (int i = 0; i < 5; ++i) {
            cut.call("Bash", shown + std::string(50, 'y'), "1 failing");
            whole.call("Bash", shown, "1 failing");
        }
        const std::string told = cut.end().at(0).calls.at(0).argument;
        CHECK(told.starts_with(shown));
        CHECK(told.ends_with("y\u2026"));
        CHECK(whole.end().at(0).calls.at(0).argument == shown);
    }

    TEST_CASE(
        "a command that failed itself and does well now may be tried a few times more; one that never failed may not") {
        const auto tried = [](const char* before, bool fails, int times) {
            Session s("loop/exact-repeat");
            fails ? s.fails("Bash", before, "duplicates: 2") : s.call("Bash", before, "duplicates: 2");
            s.call("Edit", "key.py", "done");
            for (int i = 0; i < times; ++i) s.call("Bash", "python repro.py", "duplicates: 0");
            return s.end().size();
        };
        CHECK(tried("python repro.py", true, 5) == 0);
        CHECK(tried("python repro.py", true, 6) == 1);
        CHECK(tried("python repro.py", false, 3) == 1);
        CHECK(tried("python other.py", true, 3) == 1);
    }

    TEST_CASE("what goes well after one more pause was waited for; where it never does, it was not") {
        const auto findings = [](int failures, bool works) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < failures; ++i) {
                s.fails("Bash", "./mill pull corn", "the barn is closed");
                s.call("Bash", "sleep " + std::to_string(2 + i), "");
            }
            if (works) s.call("Bash", "./mill pull corn", "14 sacks");
            return s.end().size();
        };
        CHECK(findings(4, true) == 0);
        CHECK(findings(4, false) == 1);
        CHECK(findings(6, true) == 1);
    }

    TEST_CASE("several sub-agents may be given one task, as votes; other tools may not be asked the same so often") {
        const auto findings = [](const char* tool, int times, const char* answer = "started") {
            Session s("loop/exact-repeat");
            for (int i = 0; i < times; ++i) s.call(tool, "Review the mill's ledger.", answer);
            return s.end().size();
        };
        CHECK(findings("Task", 5) == 0);
        CHECK(findings("Task", 6) == 1);
        CHECK(findings("Task", 5, "I found nothing in the ledger.") == 1);
        CHECK(findings("get_review", 5) == 1);
    }

    TEST_CASE("three equal answers among many others are chance, five are not, and three behind one other are none") {
        const auto drawn = [](std::initializer_list<int> answers) {
            Session s("loop/exact-repeat");
            for (const int n : answers)
                s.call("sample_row", "{}", "row of kind " + std::string(1, static_cast<char>('a' + n)));
            return s.end().size();
        };
        CHECK(drawn({1, 2, 3, 4, 4, 4, 1, 2}) == 0);
        CHECK(drawn({4, 4, 4, 1, 4, 2, 4, 3, 4}) == 0);
        CHECK(drawn({1, 2, 3, 4, 4, 4, 4, 4}) == 1);
        CHECK(drawn({1, 4, 4, 4}) == 1);
    }

    TEST_CASE("a key pressed again and again says only that it was pressed: it takes many for a loop") {
        for (const char* tool : {"press_key", "browser_scroll", "mcp__phone__swipe", "clickElement", "next_slide"}) {
            CAPTURE(tool);
            Session ten("loop/exact-repeat"), twelve("loop/exact-repeat"), thirty("loop/exact-repeat");
            for (int i = 0; i < 10; ++i) ten.call(tool, "Down", "ok");
            CHECK(ten.end().empty());
            for (int i = 0; i < 12; ++i) twelve.call(tool, "Down", "ok");
            CHECK(twelve.end().at(0).severity == Severity::warning);
            for (int i = 0; i < 30; ++i) thirty.call(tool, "Down", "ok");
            CHECK(thirty.end().at(0).severity == Severity::error);
        }
        for (const char* tool :
             {"volume_up", "turn_left", "next_track", "move_forward", "increase_brightness", "robot.move", "walk"}) {
            CAPTURE(tool);
            Session ten("loop/exact-repeat");
            for (int i = 0; i < 10; ++i) ten.call(tool, "{}", "ok");
            CHECK(ten.end().empty());
        }
        Session act("loop/exact-repeat"), wall("loop/exact-repeat");
        for (int i = 0; i < 10; ++i)
            act.call("env_step", "turn left", "ok"), wall.call("move", "north", "You bump into a wall.");
        CHECK(act.end().empty());
        CHECK(wall.end().size() == 1);
        Session code("loop/exact-repeat");
        for (int i = 0; i < 10; ++i)
            code.call("mcp__playwright__browser_press_key", "ArrowDown",
                      "### Ran Playwright code\nawait page.keyboard.press('ArrowDown');");
        CHECK(code.end().empty());
        for (const char* tool : {"get_key", "find_next", "moveOrder", "lookup", "mcp__gdb__next", "turn_on_lamp",
                                 "tear_down", "is_key_touched", "has_focus_moved", "count_keys"}) {
            CAPTURE(tool);
            Session five("loop/exact-repeat");
            for (int i = 0; i < 5; ++i) five.call(tool, "Down", "ok");
            CHECK(five.end().size() == 1);
        }
        Session failing("loop/exact-repeat");
        for (int i = 0; i < 5; ++i) failing.fails("press_key", "Down", "no such window");
        CHECK(failing.end().size() == 1);
    }

    TEST_CASE("clicks that led on are a note, those that did not and those that were too many are none") {
        const auto severity = [](int clicks, bool leads_on) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < clicks; ++i) s.call("click", ".next-month", "clicked");
            for (int i = 0; i < 4 && leads_on; ++i) s.call("Read", "sack " + std::to_string(i), "rye");
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            return found[0].severity;
        };
        CHECK(severity(16, true) == Severity::info);
        CHECK(severity(16, false) == Severity::warning);
        CHECK(severity(30, true) == Severity::error);
    }

    TEST_CASE("a check that was red may be seen green a few times, and not a dozen") {
        const auto worst = [](bool red, int greens, int reads = 0) {
            Session s("loop/exact-repeat");
            if (red) s.fails("Bash", "npm test", "1 failing");
            s.call("Edit", "gate.ts", "done");
            for (int i = 0; i < reads; ++i) s.call("Read", "barn" + std::to_string(i), "text " + std::to_string(i));
            for (int i = 0; i < greens; ++i) s.call("Bash", "npm test", "14 passed");
            const auto& found = s.end();
            return found.empty() ? Severity::info : found[0].severity;
        };
        CHECK(worst(true, 5) == Severity::info);
        CHECK(worst(true, 6) == Severity::warning);
        CHECK(worst(true, 12) == Severity::error);
        CHECK(worst(false, 5) == Severity::error);
        CHECK(worst(true, 5, 3) == Severity::info);
        CHECK(worst(true, 5, 20) == Severity::error);  // it was red long ago
        // What is still red, or was never red, is no news.
        Session red("loop/exact-repeat");
        for (int i = 0; i < 5; ++i) red.fails("Bash", "npm test", "1 failing");
        CHECK(red.end().at(0).severity == Severity::error);
    }

    TEST_CASE("three equal calls with equal outcomes are one warning that spans first call to last result") {
        Session s("loop/exact-repeat");
        s.human("fix the tests");
        const auto& found = repeat(s, 3).end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
        CHECK(found[0].first_line == 2);
        CHECK(found[0].last_line == 7);
        CHECK(found[0].repeats == 3);
        CHECK(found[0].wasted_steps == 2);
        CHECK(found[0].reset_line == 3);
        CHECK(found[0].round == std::vector<std::string>{"Bash `npm test`"});
    }

    TEST_CASE("two equal calls are a retry, not a loop") {
        Session s("loop/exact-repeat");
        CHECK(repeat(s, 2).end().empty());
    }

    TEST_CASE("five equal calls that the agent does not recover from are an error") {
        Session s("loop/exact-repeat");
        const auto& found = repeat(s, 5).end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK_FALSE(found[0].recovered);
    }

    TEST_CASE("five equal calls followed by three new successful steps are only a warning") {
        Session s("loop/exact-repeat");
        repeat(s, 5).call("Read", "a.ts", "one").call("Read", "b.ts", "two").call("Read", "c.ts", "three");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].recovered);
        CHECK(found[0].severity == Severity::warning);
    }

    TEST_CASE("twelve equal calls stay an error even when the agent recovers: they were costly") {
        Session s("loop/exact-repeat");
        repeat(s, 12).call("Read", "a.ts", "one").call("Read", "b.ts", "two").call("Read", "c.ts", "three");
        CHECK(s.end()[0].severity == Severity::error);
    }

    TEST_CASE("the same call with a new outcome each time is silent") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 30; ++i)
            s.call("next_page", "{}", "page " + std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i));
        CHECK(s.end().empty());
    }

    TEST_CASE("the same words around another picture each time are news, around the same one they are not") {
        Session new_ones("loop/exact-repeat"), same("loop/exact-repeat");
        for (std::uint64_t i = 1; i <= 8; ++i) {
            new_ones.respond().open("camera", "harbour").shows(i, "picture taken");
            same.respond().open("camera", "harbour").shows(7, "picture taken");
        }
        CHECK(new_ones.end().empty());
        CHECK(same.end().size() == 1);
    }

    TEST_CASE("outcomes that differ only in duration, process id and time are equal") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 4; ++i) {
            s.call("Bash", "make",
                   "started pid " + std::to_string(4000 + i) + " at 12:0" + std::to_string(i) + ":00\nfailed after 1." +
                       std::to_string(i) + "s");
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("the next page of an assistant has few words, and each of them counts") {
        const auto clicks = [](bool other) {
            Session s("loop/exact-repeat");
            const std::string pages[] = {"Format chosen", "Cover matt",    "Pages counted", "Photos there",
                                         "Basket full",   "Address given", "Voucher none",  "Summary shown"};
            for (const std::string& page : pages)
                s.call("browser_click", "Next",
                       "### Page state\n- Page URL: https://shop.example/book\n- text: " + (other ? page : pages[0]) +
                           "\n- button 'Next' [ref=e41]");
            return s.end().size();
        };
        CHECK(clicks(true) == 0);
        CHECK(clicks(false) == 1);
    }

    TEST_CASE("a click that leads to another address leads to another page, however alike the pages are") {
        const auto clicks = [](const std::string& query) {
            Session s("loop/exact-repeat");
            const std::string ads[] = {"buy boots", "cheap flights", "win horses", "learn Latin"};
            for (int i = 0; i < 8; ++i) {
                s.call("browser_click", "Next",
                       "### Page state\n- Page URL: https://shop.example/list" +
                           (query.empty() ? "" : query + std::to_string(i)) +
                           "\n- navigation home offers basket account help contact imprint search language\n- "
                           "advertisement " +
                           ads[i % 4]);
            }
            return s.end().size();
        };
        CHECK(clicks("?page=") == 0);
        CHECK(clicks("#place-") == 1);
        CHECK(clicks("") == 1);
    }

    TEST_CASE("a page that was gone back to, or that a typed search led to, is the same but for its advertisements") {
        const auto finds = [](const char* tool, const char* argument, const std::string& head) {
            Session s("loop/exact-repeat");
            const std::string ads[] = {"buy boots", "cheap flights", "win horses", "learn Latin"};
            for (const std::string& ad : ads)
                s.call(tool, argument,
                       head +
                           "navigation home offers basket account help contact imprint search language advertisement " +
                           ad);
            return s.end().size();
        };
        const std::string seen = "Here is a screenshot of [Mills](https://mills.example/).\n";
        CHECK(finds("history_back", "back", seen) == 1);
        CHECK(finds("browser_navigate_back", "", "") == 1);
        CHECK(finds("web_search", "old mills", seen) == 1);
        CHECK(finds("web_search", "old mills", "") == 0);
        CHECK(finds("download_page", "old mills", seen) == 0);
    }

    TEST_CASE("times and process ids in a log that tells of trouble are no news, in other files they are") {
        const auto reads = [](const char* command, const std::string& trouble) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < 4; ++i)
                s.call("Bash", command,
                       "May 04 09:1" + std::to_string(i) + ":01 host milld[" + std::to_string(4100 + i * 13) +
                           "]: " + trouble);
            return s.end().size();
        };
        CHECK(reads("tail -n 5 /var/log/mill.log", "FATAL: cannot bind to port 80: permission denied") == 1);
        CHECK(reads("tail -n 5 /var/log/mill.log", "ground a sack") == 0);
        CHECK(reads("tail -n 5 notes.txt", "FATAL: cannot bind to port 80: permission denied") == 0);
    }

    TEST_CASE("outcomes that differ in a count are different") {
        Session s("loop/exact-repeat");
        for (int i = 9; i > 2; --i) s.call("Bash", "npm test", std::to_string(i) + " failed");
        CHECK(s.end().empty());
    }

    TEST_CASE("a human message in between starts afresh") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 6; ++i) s.human("again please").call("Read", "todo.md", "- nothing");
        CHECK(s.end().empty());
    }

    TEST_CASE("an injected reminder in between changes nothing") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 4; ++i) s.injected("reminder").call("Read", "todo.md", "- nothing");
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("waits and notes in between change nothing") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 4; ++i) {
            s.call("Read", "todo.md", "- nothing")
                .call("Bash", "sleep 5", "")
                .call("TodoWrite", std::to_string(i), "ok");
        }
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("parallel copies in one response are one piece of evidence") {
        Session s("loop/exact-repeat");
        s.respond();
        for (int i = 0; i < 8; ++i) s.open("Read", "a.ts");
        for (int i = 0; i < 8; ++i) s.answer("same");
        CHECK(s.end().empty());
    }

    TEST_CASE("unanswered calls equal nothing") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 6; ++i) s.respond().open("Read", "a.ts").unanswered();
        CHECK(s.end().empty());
    }

    TEST_CASE("denied and cancelled calls are no evidence") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 6; ++i)
            s.call("Bash", "rm -rf x", "no", i % 2 ? ResultStatus::denied : ResultStatus::cancelled);
        CHECK(s.end().empty());
    }

    TEST_CASE("a transient error is retried four times in silence and warned about at five") {
        Session four("loop/exact-repeat");
        for (int i = 0; i < 4; ++i) four.fails("fetch", "url", "HTTP status 503 service unavailable");
        CHECK(four.end().empty());
        Session five("loop/exact-repeat");
        for (int i = 0; i < 5; ++i) five.fails("fetch", "url", "HTTP status 503 service unavailable");
        REQUIRE(five.end().size() == 1);
    }

    TEST_CASE("a loop that survives a compaction is one finding that says so") {
        Session s("loop/exact-repeat");
        repeat(s, 3).compaction();
        const auto& found = repeat(s, 4).end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].persisted_across_compaction);
        CHECK(found[0].repeats == 7);
    }

    TEST_CASE("a loop that goes on after a hook message says so") {
        Session s("loop/exact-repeat");
        repeat(s, 3).hook("stop repeating yourself");
        CHECK(repeat(s, 2).end()[0].persisted_after_notice);
    }

    TEST_CASE("frozen stretches of one call with nothing else between are one finding") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 6; ++i) s.call("session_status", "{}", "tokens 2k");
        for (int i = 0; i < 6; ++i) s.call("session_status", "{}", "tokens 3k");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].repeats == 12);
        CHECK(found[0].last_line == 24);
    }

    TEST_CASE("a look at something else does not part what was frozen, a change and other work do") {
        const auto findings = [](std::string_view between, int others) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < 3; ++i) s.fails("Bash", "./mill", "the mill stands still");
            for (int i = 0; i < others; ++i) s.call(between, "barn " + std::to_string(i), "corn " + std::to_string(i));
            for (int i = 0; i < 3; ++i) s.fails("Bash", "./mill", "the mill stands still");
            return s.end();
        };
        const auto one = findings("Read", 1);
        REQUIRE(one.size() == 1);
        CHECK(one[0].first_step == 1);
        CHECK(one[0].last_step == 7);
        CHECK(one[0].repeats == 6);
        CHECK(one[0].severity == Severity::warning);
        CHECK_FALSE(one[0].contiguous);
        CHECK(findings("Read", 2).size() == 2);
        CHECK(findings("Write", 1).size() == 2);
    }

    TEST_CASE("wasted tokens are those billed from the second round on") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 4; ++i) s.respond().open("Bash", "x").usage(1000, 10).answer("same");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        REQUIRE(found[0].wasted_tokens.has_value());
        CHECK(found[0].wasted_tokens->input == 3000);
        CHECK(found[0].wasted_tokens->output == 30);
    }

    TEST_CASE("thresholds are parameters, and all defaults are reachable") {
        Session s("loop/exact-repeat", {{"warn", "6"}});
        CHECK(repeat(s, 5).end().empty());
        Session t("loop/exact-repeat", {{"warn", "6"}});
        CHECK(repeat(t, 6).end().size() == 1);
    }

    TEST_CASE("sub-agents are judged apart") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 4; ++i) s.in_lane(i % 2 == 0 ? 0 : 1).call("Read", "a.ts", "same");
        CHECK(s.end().empty());
    }

    TEST_CASE("a figure that was asked for and a thing that was done to another one are answers") {
        Session lag("loop/exact-repeat"), deeds("loop/exact-repeat"), same("loop/exact-repeat"),
            stamped("loop/exact-repeat"), timed("loop/exact-repeat");
        for (int i = 0; i < 8; ++i) {
            lag.call("Bash", "./lag.sh", "replica lag " + std::to_string(70 - 7 * i) + "s, healthy");
            deeds.call("Bash", "./next.sh",
                       "deleted stale session 3f2a9c1e-4b5d-4e6f-8a7b-00000000000" + std::to_string(i));
            same.call("Bash", "./show.sh",
                      "session 3f2a9c1e-4b5d-4e6f-8a7b-00000000000" + std::to_string(i) + " is open");
        }
        // A stamp beside such a word, and how long a deed took, are no answers.
        for (int i = 10; i < 18; ++i) {
            stamped.call(
                "Bash", "./login.sh",
                "2026-11-21T10:00:" + std::to_string(i) + "Z login says: unknown client, retries remaining: 0");
            timed.call("Bash", "./make.sh", "created barn.tar in " + std::to_string(i) + " ms");
        }
        CHECK(stamped.end().size() == 1);
        CHECK(timed.end().size() == 1);
        CHECK(lag.end().empty());
        CHECK(deeds.end().empty());
        CHECK(same.end().size() == 1);
    }

    TEST_CASE("what has another answer when it is asked once more was waited for") {
        const auto asked = [](int times, std::string_view then, std::string_view next) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < times; ++i) s.call("Bash", "curl -s quay.example/version", "1.0.0");
            s.call("Bash", next, then);
            return s.end().size();
        };
        CHECK(asked(4, "1.1.0", "curl -s quay.example/version") == 0);
        CHECK(asked(4, "1.1.0", "cat VERSION") == 1);
        CHECK(asked(5, "1.1.0", "curl -s quay.example/version") == 1);
    }

    TEST_CASE("thoughts are the same when their words are, however they are written down") {
        const auto thoughts = [](bool same) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < 6; ++i) {
                const std::string thought =
                    same ? "the crane is in the way" : "the crane is in the way of ship " + std::to_string(i);
                // Free text is no part of a call: all of these have the same digest.
                agent_audit::ToolCall call;
                call.call_id = {"t", agent_audit::TextForm::plain};
                call.name = {"think", agent_audit::TextForm::plain};
                const std::string args =
                    i % 2 == 0 ? R"({"thought":")" + thought + "\"}" : "{\n  \"thought\": \"" + thought + "\"\n}";
                call.args = {args, agent_audit::TextForm::plain};
                call.digest.canonical = 7;
                s.respond().emit(call).answer_id("t", "Logged.");
            }
            return s.end().size();
        };
        CHECK(thoughts(true) == 1);
        CHECK(thoughts(false) == 0);
    }

    TEST_CASE("thoughts are told by what they say, not by their numbers; other figures or words are other thoughts") {
        const auto rows = [](const std::vector<std::string>& said, std::string_view tool, std::string_view rule) {
            Session s(rule);
            for (int i = 0; i < 12; ++i) {
                const std::string n = std::to_string(i + 1);
                const std::string args = R"({"thought":")" + said[static_cast<std::size_t>(i) % said.size()] +
                                         R"(","thoughtNumber":)" + n + R"(,"nextThoughtNeeded":true})";
                agent_audit::ToolCall call;
                call.call_id = {"t", agent_audit::TextForm::plain};
                call.name = {tool, agent_audit::TextForm::plain};
                call.args = {args, agent_audit::TextForm::plain};
                call.digest.canonical = 7 + static_cast<std::uint64_t>(i);
                s.respond().emit(call).answer_id("t", R"({"thoughtNumber": )" + n + R"(, "branches": []})");
            }
            return s.end().size();
        };
        const std::string one = "I need to think about how the mill race fills and whether it ever drains.";
        const std::string again = "I need to think about how the race fills and whether it ever drains.";
        CHECK(rows({one}, "sequentialthinking", "loop/exact-repeat") == 1);
        CHECK(rows({one, again}, "mcp__thinking__sequentialthinking", "loop/exact-repeat") == 1);
        CHECK(rows({one, "The race may fill for ever; a drain is to be built.", "Let me look at the drain once more."},
                   "sequential_thinking", "loop/cycle") == 1);
        std::vector<std::string> sacks, names;
        for (int i = 0; i < 12; ++i)
            sacks.push_back("Now I weigh sack " + std::to_string(i) + " of the mill for dust.");
        for (const char* name :
             {"oak", "elm", "ash", "fir", "yew", "box", "lime", "pine", "birch", "alder", "beech", "hazel"})
            names.push_back("Now I weigh the wood of the " + std::string(name) + " for the wheel of the mill.");
        CHECK(rows(sacks, "sequentialthinking", "loop/exact-repeat") == 0);
        CHECK(rows(names, "sequentialthinking", "loop/exact-repeat") == 0);
        CHECK(rows(names, "think", "loop/known-answers") == 0);
    }

    TEST_CASE("what a timer lets an agent look at long after it was done begins afresh, at once it goes on") {
        const auto woken_after = [](std::int64_t seconds) {
            Session s("loop/exact-repeat");
            std::int64_t now = 1'000;
            for (int i = 0; i < 8; ++i) {
                s.at(now += seconds).emit(agent_audit::TurnStart{}).injected("heartbeat");
                s.at(now += 4).call("read", "gate.json", "closed").says("HEARTBEAT_OK");
            }
            return s.end().size();
        };
        CHECK(woken_after(9) == 1);
        CHECK(woken_after(1'800) == 0);
        Session slow("loop/exact-repeat");  // in the middle of its work: what takes long is no timer
        for (int i = 0; i < 8; ++i)
            slow.at(1'000 + 1'800 * i).emit(agent_audit::TurnStart{}).call("Bash", "make", "ok");
        CHECK(slow.end().size() == 1);
    }

    TEST_CASE("who only says for how long waits, and who names anything else asks") {
        const auto found = [](std::string_view args, int times) {
            Session s("loop/exact-repeat");
            for (int i = 0; i < times; ++i) s.call("listen", args, "The miller will be with you soon.");
            return s.end().size();
        };
        CHECK(found(R"({"seconds":60})", 7) == 0);
        CHECK(found(R"({"seconds":60,"line":"2"})", 7) == 1);
        CHECK(found("{}", 7) == 1);
    }

    TEST_CASE(
        "a page that is scrolled on by whatever amount and stays as it is was seen, one that shows more was not") {
        const auto found = [](const char* tool, bool moves) {
            Session s("loop/exact-repeat");
            int at = 3055;
            for (const char* amount : {"800", "400", "1000", "600", "500"})
                s.call_json(tool, "down", std::string(R"({"direction":"down","amount":)") + amount + "}",
                            "Position " + std::to_string(moves ? at += 10 : at) + "\nSacks of rye\nSacks of oats");
            return s.end().size();
        };
        CHECK(found("scroll", false) == 1);
        CHECK(found("scroll_page", true) == 0);
        CHECK(found("pour", false) == 0);
    }

    TEST_CASE("a batch that was full is followed by the next, one row that is written again is not") {
        const auto found = [](std::string_view rule, std::string_view command, std::string_view answer) {
            Session s(rule);
            for (int i = 0; i < 14; ++i) s.call("Bash", command, answer);
            return s.end().size();
        };
        constexpr std::string_view kBatch =
                                       "psql -c \"update sacks set mill=1 where id in (select id from sacks where "
                                       "mill is null limit 1000)\"",
                                   kRow = "psql -c \"update sacks set mill=1 where id=1000\"";
        for (const std::string_view rule : {"loop/exact-repeat", "loop/known-answers"}) {
            CHECK(found(rule, kBatch, "UPDATE 1000") == 0);
            CHECK(found(rule, "python3 move.py --batch-size=500", "moved 500 rows to the barn") == 0);
            CHECK(found(rule, kBatch, "UPDATE 10") == 1);
            CHECK(found(rule, kRow, "UPDATE 1") == 1);
            CHECK(found(rule, "python3 move.py --batch-size=500", "failed: moved 0 of 500 rows") == 1);
        }
    }
}
