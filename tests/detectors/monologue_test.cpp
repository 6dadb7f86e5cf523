#include "support/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
using namespace agent_audit;
using agent_audit::test::Session;

namespace {

constexpr std::string_view kSame = "The mill is repaired and I wait for the miller.";
const std::vector<std::string> kPlans{
    "I will open the gate of the mill, clean the stones and then grind the first sack of grain.",
    "Now I will open the gate of the mill, clean the stones and grind the first sack of grain.",
    "I will now open the gate of the mill, clean all the stones and then grind the first sack of grain.",
    "Then I will open the gate of the mill, clean the stones and grind the first sack of grain."};

}  // namespace

TEST_SUITE("loop/monologue") {
    TEST_CASE("a person who comes back after a while and says to go on is no timer") {
        const auto repeats = [](std::int64_t seconds) {
            Session s("loop/monologue");
            std::int64_t now = 1'000;
            for (int i = 0; i < 8; ++i) {
                s.at(now += seconds).emit(agent_audit::TurnStart{}).human(i == 0 ? "Clean up the mill." : "continue");
                s.at(now += 4).says("I found two old stones. Shall I remove them?");
            }
            const auto& found = s.end();
            return found.size() == 1 ? found[0].repeats : 0;
        };
        CHECK(repeats(10) == 8);
        CHECK(repeats(1'800) == 8);
    }

    TEST_CASE("the same thought again and again is one who is stuck, unless something is done or said behind it") {
        const auto severity = [](int times, std::string_view behind) {
            Session s("loop/monologue");
            s.human("Mend the mill.");
            for (int i = 0; i < times; ++i) {
                s.respond().thinks("Wait, the wheel may be stuck. But the wheel was cleaned. So it may be stuck.");
                if (behind == "call") s.call("Bash", "ls wheel" + std::to_string(i), "stone");
                if (behind == "text") s.says("I look at part " + std::to_string(i) + " of the wheel.");
                if (behind == "human") s.human("And the stones?");
            }
            const auto& found = s.end();
            return found.empty() ? Severity::info : found[0].severity;
        };
        CHECK(severity(3, "") == Severity::info);
        CHECK(severity(4, "") == Severity::warning);
        CHECK(severity(8, "") == Severity::error);
        for (const std::string_view behind : {"call", "text", "human"}) CHECK(severity(8, behind) == Severity::info);
    }

    TEST_CASE("who is told to go on and only asks the same again is stuck, an error from the fifth time on") {
        const auto severity = [](int times, std::string_view human, bool works = false) {
            Session s("loop/monologue");
            s.human("Clean up the mill.");
            for (int i = 0; i < times; ++i) {
                s.says("I found two old stones. Shall I remove them?").human(human);
                if (works) s.call("Bash", "rm stone" + std::to_string(i), "");
            }
            const auto& found = s.end();
            return found.empty() ? Severity::info : found[0].severity;
        };
        for (const std::string_view go : {"continue", "Yes, go ahead.", "ok, proceed please", "weiter"}) {
            CAPTURE(go);
            CHECK(severity(2, go) == Severity::info);
            CHECK(severity(4, go) == Severity::warning);
            CHECK(severity(5, go) == Severity::error);
            CHECK(severity(6, go, true) == Severity::info);
        }
        for (const std::string_view other :
             {"next", "and now?", "continue with the roof", "What is in the mill?", "thanks", "ok"}) {
            CAPTURE(other);
            CHECK(severity(6, other) == Severity::info);
        }
    }

    TEST_CASE("the same message three times in a row is an error with its true span, twice is nothing") {
        Session twice("loop/monologue");
        twice.human("Repair it.").says(kSame).says(kSame);
        CHECK(twice.end().empty());
        Session s("loop/monologue");
        s.human("Repair it.").says("Now I begin with it.").says(kSame).says(kSame).says(kSame);
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(found[0].first_line == 3);
        CHECK(found[0].last_line == 5);
        CHECK(found[0].reset_line == 3);
        CHECK(found[0].repeats == 3);
        CHECK(found[0].period == 1);
    }

    TEST_CASE(
        "two agents who say the same to each other in turn are one monologue, an error from the fourth round on") {
        struct Case {
            int rounds;
            std::size_t findings;
            Severity severity;
        };
        for (const Case& c : {Case{2, 0, Severity::info},
                              {3, 1, Severity::warning},
                              {4, 1, Severity::error},
                              {9, 1, Severity::error}}) {
            CAPTURE(c.rounds);
            Session s("loop/monologue");
            s.human("Agree on a price.").says("Forty, I should say, for the old mill.");
            for (int i = 0; i < c.rounds; ++i)
                s.says("Thank you, it was a pleasure.").says("The pleasure is all mine. Goodbye!");
            s.says("The end of the talk is here.");
            const auto& found = s.end();
            REQUIRE(found.size() == c.findings);
            if (c.findings == 0) continue;
            CHECK(found[0].severity == c.severity);
            CHECK(found[0].period == 2);
            CHECK(found[0].repeats == static_cast<std::uint64_t>(c.rounds));
            CHECK(found[0].first_line == 3);
            CHECK(found[0].last_line == 2 + 2 * static_cast<std::uint64_t>(c.rounds));
            CHECK(found[0].round.size() == 2);
        }
    }

    TEST_CASE("an answer that is the same to something new each time is none") {
        Session s("loop/monologue");
        for (int i = 0; i < 9; ++i)
            s.says("Shall sack " + std::to_string(i) + " be ground?").says("Yes, please grind it now.");
        CHECK(s.end().empty());
    }

    TEST_CASE("messages that differ are no monologue, however many they are") {
        Session s;
        for (const char* text :
             {"It was built by the river.", "Two stones grind in it.", "Its wheel is of oak.",
              "The miller lives next door.", "It stands still in winter.", "Nobody knows its age."}) {
            s.says(text);
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("what no human wrote does not start afresh, and is remembered as a notice") {
        Session s("loop/monologue");
        for (int i = 0; i < 3; ++i) s.says(kSame).hook("Go on.").injected("<system-reminder>…</system-reminder>");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].persisted_after_notice);
    }

    TEST_CASE("a human message and a tool call start afresh, even a pause") {
        Session asked("loop/monologue");
        for (int i = 0; i < 6; ++i) asked.says(kSame).human("And now?");
        CHECK(asked.end().empty());
        Session calls("loop/monologue");
        for (int i = 0; i < 6; ++i) calls.says(kSame).call("Bash", "ls " + std::to_string(i), std::to_string(i));
        CHECK(calls.end().empty());
        Session pauses("loop/monologue");
        for (int i = 0; i < 6; ++i) pauses.says(kSame).call("Bash", "sleep 5", "");
        CHECK(pauses.end().empty());
        Session denied("loop/monologue");
        for (int i = 0; i < 6; ++i) denied.says(kSame).call("Bash", "rm x", "no", ResultStatus::denied);
        CHECK(denied.end().empty());
    }

    TEST_CASE("the parts of one response are one message") {
        Session parts("loop/monologue");
        parts.respond();
        for (int i = 0; i < 6; ++i) parts.emit(Message{Role::assistant, Origin::agent, {kSame, TextForm::plain}, 0});
        CHECK(parts.end().empty());
        Session same("loop/monologue"), other("loop/monologue");
        for (int i = 0; i < 3; ++i) {
            same.says(kSame).emit(Message{Role::assistant, Origin::agent, {"Really.", TextForm::plain}, 0});
            other.says(kSame).emit(
                Message{Role::assistant, Origin::agent, {i == 1 ? "No." : "Yes.", TextForm::plain}, 0});
        }
        CHECK(same.end().size() == 1);
        CHECK(other.end().empty());
    }

    TEST_CASE("reasoning is no message, and does not hide one") {
        Session thoughts("loop/monologue");
        for (int i = 0; i < 6; ++i) thoughts.respond().thinks(kSame);
        CHECK(thoughts.end().empty());
        Session s("loop/monologue");
        for (int i = 0; i < 3; ++i) s.says(kSame).respond().thinks("Something new " + std::to_string(i));
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("an answer of a word or two may come back as often as it is asked for") {
        Session s;
        for (int i = 0; i < 20; ++i) s.injected("Heartbeat.").says("HEARTBEAT_OK");
        CHECK(s.end().empty());
    }

    TEST_CASE("a monologue that the agent left by itself is a warning") {
        Session s("loop/monologue");
        for (int i = 0; i < 4; ++i) s.says(kSame);
        for (int i = 0; i < 4; ++i) s.call("Read", "file" + std::to_string(i), std::to_string(i));
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
        CHECK(found[0].recovered);
    }

    TEST_CASE("with a window of time, messages that lie further apart do not count together") {
        for (const int step : {10, 100}) {
            Session s("loop/monologue", {{"within", "60"}});
            for (int i = 0; i < 5; ++i) s.at(i * step).says(kSame);
            CHECK(s.end().size() == (step == 10 ? 1 : 0));
        }
    }

    TEST_CASE("lanes talk each for itself") {
        Session s("loop/monologue");
        for (int i = 0; i < 4; ++i) s.in_lane(static_cast<std::uint32_t>(i % 2)).says(kSame);
        CHECK(s.end().empty());
    }

    TEST_CASE("members of a group who say the same are many, and one who does so again and again is not") {
        Session vote, round("loop/monologue");
        for (const char* juror : {"Ada", "Ben", "Cleo", "Dan", "Eva"}) vote.says_as(juror, "I vote not guilty.");
        CHECK(vote.end().empty());
        for (int i = 0; i < 4; ++i) round.says_as("Ada", kSame).says_as("Ben", kSame);
        const auto& found = round.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(found[0].period == 2);
    }

    TEST_CASE("a group of up to eight who thank each other for ever are one loop") {
        for (const int members : {3, 5, 8}) {
            CAPTURE(members);
            Session s("loop/monologue");
            for (int i = 0; i < 5 * members; ++i) s.says_as("Miller " + std::to_string(i % members), "Thank you all!");
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(found[0].severity == Severity::error);
        }
    }
}

TEST_SUITE("loop/monologue-near") {
    TEST_CASE("the same plan in other words is a warning at the third time and never an error") {
        Session two("loop/monologue-near");
        two.says(kPlans[0]).says(kPlans[1]);
        CHECK(two.end().empty());
        Session many("loop/monologue-near");
        for (int i = 0; i < 40; ++i) many.says(kPlans[static_cast<std::size_t>(i) % kPlans.size()]);
        const auto& found = many.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
        CHECK(found[0].repeats == 40);
        CHECK(found[0].first_line == 1);
        CHECK(found[0].last_line == 40);
    }

    TEST_CASE("two things said in turn are one finding, other things are not taken for them") {
        Session s("loop/monologue-near");
        for (int i = 0; i < 3; ++i) {
            s.says(kPlans[static_cast<std::size_t>(i)]).says("A wholly different remark about rivers and their fish.");
        }
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].repeats == 3);
        Session t("loop/monologue-near");
        for (const char* text :
             {"I will read the first of the files now.", "You can find all settings in the barn.",
              "Nothing of that was ever written down anywhere.", "The next step is a test of the gate."}) {
            t.says(text);
        }
        CHECK(t.end().empty());
    }

    TEST_CASE("equal messages are one finding, and it is the monologue") {
        Session s;
        for (int i = 0; i < 5; ++i) s.says(kSame);
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].rule == "loop/monologue");
        CHECK(found[0].also == std::vector<std::string>{"loop/monologue-near"});
    }

    TEST_CASE("calls, humans and short messages keep it silent") {
        Session calls("loop/monologue-near"), human("loop/monologue-near"), brief("loop/monologue-near");
        for (std::size_t i = 0; i < kPlans.size(); ++i) {
            calls.says(kPlans[i]).call("Bash", "ls " + std::to_string(i), std::to_string(i));
            human.says(kPlans[i]).human("Again.");
            brief.says(i % 2 == 0 ? "Still running it." : "It still running.");
        }
        CHECK(calls.end().empty());
        CHECK(human.end().empty());
        CHECK(brief.end().empty());
    }

    TEST_CASE("a list that is worked off gets shorter and is no repetition") {
        Session s("loop/monologue-near");
        std::string rest = " anna berta carla dora emil franz gustav hilda ida jakob";
        while (rest.size() > 30) {
            s.says("I still have to ask these people whether they were there on that day or not:" + rest);
            rest.resize(rest.rfind(' '));
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("more messages than are remembered cost no memory and lose no repetition at hand") {
        Session s("loop/monologue-near");
        for (int i = 0; i < 200; ++i) {
            std::string text;
            for (int w = 0; w < 8; ++w) text += "word" + std::to_string(i * 8 + w) + " ";
            s.says(text);
        }
        for (const std::string& plan : kPlans) s.says(plan);
        CHECK(s.end().size() == 1);
    }

    TEST_CASE("who asks again for a number that was told again does not listen, other questions and answers are talk") {
        const auto found = [](std::string_view asks, std::initializer_list<const char*> told) {
            Session s("loop/monologue");
            s.human("I want to move my delivery.");
            for (const char* answer : told) s.says(asks).human(answer);
            s.says("I put you through.");
            const auto& f = s.end();
            return f.empty() ? Severity::info : f[0].severity;
        };
        constexpr std::string_view kAsks = "Sure. What is the number of your order?";
        CHECK(found(kAsks, {"It is 48213.", "48213", "I said 48213!", "48213, again."}) == Severity::warning);
        CHECK(found(kAsks, {"It is 48213.", "48213", "I said 48213!", "48213.", "48213!", "Still 48213."}) ==
              Severity::error);
        CHECK(found(kAsks, {"It is 48213.", "no, 48214", "sorry, 59100", "or 60000", "then 70000"}) == Severity::info);
        CHECK(found("Order 48213 is on its way.", {"Where is 48213?", "And 48213?", "Is 48213 there?", "48213?"}) ==
              Severity::info);
        CHECK(found("Is there anything else I can do?", {"Note 48213", "48213 is urgent", "48213 goes far", "48213"}) ==
              Severity::info);
        CHECK(found(kAsks, {"It is 482.", "482", "I said 482!", "482, again."}) == Severity::info);
    }

    TEST_CASE("what the others of a group say anew in between is an answer, what they repeat is none") {
        const auto told = [](std::initializer_list<std::pair<const char*, const char*>> said) {
            Session s("loop/monologue-near");
            for (const auto& [who, what] : said) s.says_as(who, what);
            const auto& found = s.end();
            return found.empty() ? std::string("nothing") : std::string(name(found[0].severity));
        };
        constexpr const char *kGoOn = "Continue. Please keep solving the problem until you have the answer.",
                             *kAgain = "Could you please give me the results of the mill now?",
                             *kNeed = "I need to see the sheet first, please upload it here.";
        CHECK(told({{"proxy", kGoOn},
                    {"ada", "There are 333 of them."},
                    {"proxy", kGoOn},
                    {"ada", "Of five 199."},
                    {"proxy", kGoOn},
                    {"ada", "Of fifteen 66."}}) == "info");
        CHECK(told({{"lead", kAgain},
                    {"ada", kNeed},
                    {"lead", kAgain},
                    {"ada", kNeed},
                    {"lead", kAgain},
                    {"ada", kNeed}}) == "warning");
        CHECK(told({{"lead (-> ada)", kAgain},
                    {"ada", kNeed},
                    {"lead (-> ben)", kAgain},
                    {"ada", kNeed},
                    {"lead (-> ada)", kAgain}}) == "warning");
        // A price that moves, and a verdict that does not.
        CHECK(told({{"ada", "I would pay 180."},
                    {"ben", "That is too little. I want to have 300 euros for it."},
                    {"ada", "I would pay 190."},
                    {"ben", "That is too little. I want to have 290 euros for it."},
                    {"ada", "Then 199."},
                    {"ben", "That is too little. I want to have 280 euros for it."}}) == "info");
        CHECK(told({{"ada", "print(a)"},
                    {"ben", "No: expected 51, but what came out is 48."},
                    {"ada", "So it is right."},
                    {"ben", "No: expected 51, but what came out is 48."},
                    {"ada", "The brackets."},
                    {"ben", "No: expected 51, but what came out is 48."}}) == "warning");
    }

    TEST_CASE("one form that every member of a group fills in is none, thanks that are passed round are") {
        constexpr const char *kThanks = "Thanks everyone, great work! I confirm the result as well.",
                             *kGlad = "Excellent, I am satisfied too. Let me know if more is needed.";
        Session form, one_round("loop/monologue-near"), thanks("loop/monologue-near");
        for (const char* who : {"dev", "qa", "ops"})
            form.says_as(who, "Yesterday: the part of " + std::string(who) + ". Today: the next part. Blockers: none.");
        CHECK(form.end().empty());
        for (const char* who : {"dev", "qa", "ops", "lead"}) one_round.says_as(who, kThanks);
        CHECK(one_round.end().empty());
        for (const auto& [who, what] : {std::pair{"dev", kThanks},
                                        {"qa", kGlad},
                                        {"ops", kThanks},
                                        {"qa", kThanks},
                                        {"dev", kGlad},
                                        {"ops", kGlad},
                                        {"dev", kThanks}})
            thanks.says_as(who, what);
        const auto& found = thanks.end();
        REQUIRE(!found.empty());
        CHECK(found[0].severity == Severity::warning);
    }

    TEST_CASE("a task that goes round in a group, and one that is worked on") {
        constexpr std::array<std::string_view, 8> kRound{
            "The Carter should bring the rye, and the Miller grinds it.",
            "I cannot bring rye. The Miller may have some rye.",
            "Without rye from the Carter I cannot grind. Back to the Carter.",
            "I have no rye, I cannot bring it. Owner, please advise.",
            "Carter, bring rye to the Miller.",
            "There is no rye that I can bring, and the Miller should have it. I cannot.",
            "I am waiting for the Carter, who should bring it.",
            "Owner, I cannot: please advise the Miller as well."};
        constexpr std::array<std::string_view, 4> kSpeakers{"Owner", "Carter", "Miller", "Carter"};
        const auto findings = [&](bool news) {
            Session s("loop/monologue-near");
            s.human("I want 20 sacks of flour.");
            for (std::size_t i = 0; i < 16; ++i)
                s.says_as(kSpeakers[i % 4], std::string(kRound[i % kRound.size()]) +
                                                (news ? " Sacks so far: " + std::to_string(100 + i) : ""));
            return s.end().size();
        };
        CHECK(findings(false) == 1);
        CHECK(findings(true) == 0);
    }

    TEST_CASE(
        "agents that thank each other in ever other words are found, and a large group that does so once is not") {
        constexpr std::string_view kThanks[] = {"Thank you so much, Bert!",
                                                "You are welcome, Anna, thank you!",
                                                "It was a pleasure. Have a great day, Bert!",
                                                "Have a lovely day too, Anna. Take care!",
                                                "Danke, bis bald und einen schönen Tag!",
                                                "Merci beaucoup, bonne journée!",
                                                "Thanks, Bert, see you on Monday!",
                                                "See you then, Anna. All the best!",
                                                "Goodbye, Bert, and good luck!"};
        const auto findings = [&](std::size_t speakers, bool news) {
            Session s("loop/monologue-near");
            for (std::size_t i = 0; i < std::size(kThanks); ++i) {
                s.says_as("miller " + std::to_string(i % speakers), kThanks[i]);
                if (news && i % 4 == 3)
                    s.says_as("miller 0", "One more thing: the upper stone has a crack on its side.");
            }
            return s.end().size();
        };
        CHECK(findings(2, false) == 1);
        CHECK(findings(2, true) == 0);
        CHECK(findings(9, false) == 0);
    }

    TEST_CASE("a plan in other words after each \"continue\" is the same plan") {
        const auto findings = [](int times, std::string_view human) {
            Session s("loop/monologue-near");
            s.human("Repair the mill.");
            for (int i = 0; i < times; ++i) s.says(kPlans[static_cast<std::size_t>(i) % kPlans.size()]).human(human);
            return s.end().size();
        };
        CHECK(findings(4, "Continue.") == 0);
        CHECK(findings(6, "Continue.") == 1);
        CHECK(findings(6, "And the roof?") == 0);
    }
}
