#include "support/session.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

using agent_audit::Severity;
using agent_audit::test::Session;

namespace {

struct Talk {
    std::string_view agent, human;
};

const std::vector<Talk> kDeaf{{"Could you please tell me the number of your sack?", "It is R991"},
                              {"I need the number of the sack to go on, please.", "I said R991"},
                              {"To help you I need to know the number of your sack.", "R991!"},
                              {"May I have the number of that sack?", "R991, as I wrote above"},
                              {"Please give me the number of that sack.", "still R991"},
                              {"What is the number of the sack?", "R991"}};

std::vector<agent_audit::Finding> found_in(const std::vector<Talk>& talks, bool works = false) {
    Session s("loop/repeated-reply");
    s.human("Where is my sack of rye?");
    for (std::size_t i = 0; i < talks.size(); ++i) {
        if (works) s.call("look", "barn " + std::to_string(i), "nothing in barn " + std::to_string(i));
        s.says(talks[i].agent).human(talks[i].human);
    }
    return s.end();
}

std::vector<Talk> same_reply(std::string_view reply, const std::vector<std::string_view>& answers) {
    std::vector<Talk> talks;
    for (const std::string_view answer : answers) talks.push_back({reply, answer});
    return talks;
}

}  // namespace

TEST_SUITE("loop/repeated-reply") {
    TEST_CASE("asking in ever other words for what was told is an error from the sixth time on") {
        const auto all = found_in(kDeaf);
        REQUIRE(all.size() == 1);
        CHECK(all[0].severity == Severity::error);
        CHECK(all[0].repeats == 6);
        const auto four = found_in({kDeaf.begin(), kDeaf.begin() + 4});
        REQUIRE(four.size() == 1);
        CHECK(four[0].severity == Severity::warning);
        CHECK(found_in({kDeaf.begin(), kDeaf.begin() + 3}).empty());
    }

    TEST_CASE("an agent that names what it was told has heard it, one that tried something is no deaf one") {
        auto heard = kDeaf;
        for (Talk& talk : heard) talk.agent = "Is R991 the number of the sack that you look for?";
        for (Talk& talk : heard) talk.human = "It is R991";
        CHECK(found_in(heard).empty());
        CHECK(found_in(kDeaf, true).empty());
    }

    TEST_CASE("the same reply to a person who objects, in several languages") {
        constexpr std::string_view kReply = "I am sorry! Here is the right one: def mean(x): return sum(x) / len(x)";
        const auto severity = [&](const std::vector<std::string_view>& answers) -> std::optional<Severity> {
            const auto found = found_in(same_reply(kReply, answers));
            return found.empty() ? std::nullopt : std::optional(found[0].severity);
        };
        CHECK(severity({"it still crashes", "the same code again", "no", "wrong"}) == Severity::warning);
        CHECK(severity({"non", "toujours faux", "encore", "non, pareil", "faux", "non"}) == Severity::error);
        CHECK(severity({"nein", "immer noch falsch", "wieder", "geht nicht", "nein", "falsch"}) == Severity::error);
        CHECK(severity({"不对", "还是不对", "又错了", "不对"}) == Severity::warning);
        CHECK_FALSE(severity({"thanks", "good, and for dogs", "great", "thanks a lot"}));
        CHECK_FALSE(severity({"and for dogs", "now for cats", "the mill then", "and the barn"}));
        CHECK_FALSE(severity({"And now?", "And now?", "And now?", "And now?", "And now?"}));
    }

    TEST_CASE("words that only look like objections, and wishes to hear it again, are none") {
        constexpr std::string_view kReply =
            "The upper stone is of granite, and the lower one is of lava from the hills.";
        const auto silent = [&](std::string_view said) {
            std::vector<std::string> answers;
            for (const char* other : {"oak", "elm", "ash", "fir", "yew", "box"})
                answers.push_back(std::string(said) + ", " + other);
            return found_in(same_reply(kReply, {answers.begin(), answers.end()})).empty();
        };
        for (const std::string_view said : {"Compare it against stone number nine", "No problem, go ahead then, more",
                                            "Say it again, please", "Do the same for the other stone"}) {
            CAPTURE(said);
            CHECK(silent(said));
        }
        CHECK_FALSE(silent("That is the same answer again"));
    }

    TEST_CASE("a page that is sent again with what was asked for is another one each time") {
        std::vector<std::string> pages;
        for (const char* change : {"teal", "serif", "shadow", "footer", "banner", "gallery"})
            pages.push_back("Here is the page: <body> the mill by the river, open on all days of the week, with " +
                            std::string(change) + " </body> and nothing else was touched in it");
        std::vector<Talk> talks;
        for (const std::string& page : pages) talks.push_back({page, "no, still a little bit more of that"});
        CHECK(found_in(talks).empty());
        for (Talk& talk : talks) talk.agent = pages.front();
        CHECK(found_in(talks).size() == 1);
    }

    TEST_CASE("what is escaped says the same as what is not") {
        const auto findings = [](std::string_view reply, std::string_view no) {
            Session s("loop/repeated-reply");
            s.human("?");
            for (int i = 0; i < 7; ++i) s.says(reply).human(no);
            return s.end().size();
        };
        CHECK(findings("对不起，这是改好的代码：返回总和除以数量", "还是不对") == 1);
        CHECK(findings("对不起，这是改好的代码：返回总和除以数量", "下一个") == 0);
    }

    TEST_CASE("a timer that wakes the agent is no person who says it again") {
        Session s("loop/repeated-reply");
        s.human("still wrong, R991");
        for (int i = 0; i < 8; ++i)
            s.emit(agent_audit::TurnStart{}).injected("tick").says("I look at the mill again, and it stands still.");
        CHECK(s.end().empty());
    }

    TEST_CASE("two apologies that take turns are one reply, words with another content are another") {
        constexpr std::string_view kFirst = "Apologies for the oversight! The sack stands behind the door of the barn.";
        constexpr std::string_view kSecond =
            "You are right, I got that wrong. The sack is to be found in the old barn.";
        CHECK(found_in({{kFirst, "no"},
                        {kSecond, "wrong"},
                        {kFirst, "no"},
                        {kSecond, "wrong"},
                        {kFirst, "no"},
                        {kSecond, "still no"},
                        {kFirst, "no"}})
                  .size() == 1);
        CHECK(found_in({{"It stands behind the door of the barn.", "no"},
                        {"Then the miller took it along.", "no"},
                        {"Has the neighbour fetched it perhaps?", "no"},
                        {"Look below the stairs, please.", "no"},
                        {"It may have been ground already.", "no"}})
                  .empty());
    }

    TEST_CASE("who declines does so however often somebody insists: an info") {
        const auto found = found_in(same_reply("I'm sorry, but I can't help with that wish of yours.",
                                               {"no, tell me", "do it still", "no, you can", "you still can"}));
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::info);
    }

    TEST_CASE("a reply of few words and a person who only says to go on") {
        CHECK(found_in(same_reply("Not yet done.", {"no", "no", "no", "no", "no"})).empty());
        CHECK(found_in(same_reply("I will now begin to repair the wheel of the mill.",
                                  {"continue", "continue", "continue", "continue", "continue"}))
                  .empty());
    }

    TEST_CASE("questions that each name another thing are answered with no, one that is confirmed is asked once more") {
        std::vector<std::string> asks;
        for (const char* thing : {"asthma", "diabetes", "epilepsy", "migraine", "anaemia", "eczema", "gout"})
            asks.push_back("Have you ever been told by a doctor that you have " + std::string(thing) + "?");
        std::vector<Talk> intake;
        for (const std::string& ask : asks) intake.push_back({ask, intake.size() % 3 == 2 ? "yes" : "no"});
        CHECK(found_in(intake).empty());
        constexpr std::string_view kConfirm = "¿Confirma usted el envío de los cinco sacos al molino del norte?";
        CHECK(found_in(same_reply(kConfirm, {"sí", "sí, confirmo", "claro que sí, confirmo", "sí", "confirmo", "sí"}))
                  .size() == 1);
    }

    TEST_CASE("who wants to hear it again gets the same again") {
        constexpr std::string_view kStory = "Once upon a time there was a mill by the river, and in it lived a cat.";
        for (const std::string_view wish : {"again!", "one more time, the same", "nochmal!", "otra vez", "repeat"}) {
            CAPTURE(wish);
            CHECK(found_in(same_reply(kStory, std::vector<std::string_view>(7, wish))).empty());
        }
    }

    TEST_CASE("the same calls with the same results before each reply are no try, others are") {
        const auto findings = [](bool other, std::string_view human) {
            Session s("loop/repeated-reply");
            s.human("How do I open the gate?");
            for (int i = 0; i < 7; ++i)
                s.call("search_kb", "open gate" + (other ? std::to_string(i) : ""), "Turn the wheel to the left.")
                    .says("Turn the wheel of the gate to the left until it opens.")
                    .human(human);
            return s.end().size();
        };
        CHECK(findings(false, "that didn't help") == 1);
        CHECK(findings(true, "that didn't help") == 0);
        CHECK(findings(false, "[cron] is the gate open") == 0);
    }

    TEST_CASE("objections in many words and languages") {
        constexpr std::string_view kReply = "Please press the button Open on the upper left of the screen of the mill.";
        for (const std::string_view no :
             {"there is no such button", "it's not there, I just said so", "you keep repeating yourself",
              "das ist dieselbe Antwort", "ça ne marche pas", "太贵了", "hayır", "não funciona", "не работает"}) {
            CAPTURE(no);
            CHECK(found_in(same_reply(kReply, std::vector<std::string_view>(6, no))).size() == 1);
        }
    }
}
