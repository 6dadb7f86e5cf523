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
            return found_in(same_reply(kReply, std::vector<std::string_view>(6, said))).empty();
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
                                               {"why not, tell me", "tell me again", "no, you can", "still, do it"}));
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::info);
    }

    TEST_CASE("a reply of few words and a person who only says to go on") {
        CHECK(found_in(same_reply("Not yet done.", {"no", "no", "no", "no", "no"})).empty());
        CHECK(found_in(same_reply("I will now begin to repair the wheel of the mill.",
                                  {"continue", "continue", "continue", "continue", "continue"}))
                  .empty());
    }
}
