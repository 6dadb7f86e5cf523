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
        constexpr std::string_view kReply = "The upper stone is of granite, the lower of lava.";
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

    TEST_CASE("who is asked for the next thing in the same words, and says that something is not, answers") {
        constexpr std::string_view kNext = "Thank you. Please describe the next thing that happened at the mill.";
        constexpr std::string_view kOpen = "Open the gate on the left side, and then turn the wheel.";
        const std::vector<std::string_view> told{"there was no lock", "nothing else was taken", "it was never insured",
                                                 "the miller did not see it"};
        CHECK(found_in(same_reply(kNext, told)).empty());
        CHECK(found_in(same_reply(kOpen, told)).size() == 1);
    }

    TEST_CASE("who wants to hear it again gets the same again") {
        constexpr std::string_view kStory = "Once upon a time there was a mill by the river, and in it lived a cat.";
        for (const std::string_view wish : {"again!", "one more time, the same", "nochmal!", "otra vez", "repeat"}) {
            CAPTURE(wish);
            CHECK(found_in(same_reply(kStory, std::vector<std::string_view>(7, wish))).empty());
        }
    }

    TEST_CASE("a tool that answers the same before each reply is no try, whatever it is asked; another answer is one") {
        enum class Call { same, other_query, other_answer, other_edit };
        const auto findings = [](Call kind, std::string_view human) {
            Session s("loop/repeated-reply");
            s.human("How do I open the gate?");
            for (int i = 0; i < 7; ++i) {
                const std::string number = std::to_string(i);
                const bool answers = kind == Call::other_answer;
                if (kind == Call::other_edit)
                    s.call("write_file", "gate" + number + ".md", "ok");
                else
                    s.call("search_kb", "open gate" + (kind == Call::same ? "" : number),
                           "Turn the wheel to the left." + (answers ? " See page " + number : ""));
                s.says("Turn the wheel of the gate to the left until it opens.").human(human);
            }
            return s.end().size();
        };
        CHECK(findings(Call::same, "that didn't help") == 1);
        CHECK(findings(Call::other_query, "that didn't help") == 1);
        CHECK(findings(Call::other_answer, "that didn't help") == 0);
        CHECK(findings(Call::other_edit, "that didn't help") == 0);
        CHECK(findings(Call::same, "[cron] is the gate open") == 0);
        CHECK(findings(Call::other_query, "and how the next one") == 0);
    }

    TEST_CASE("the same offer of the same search again, in other words, to a person who denies it") {
        const std::vector<std::string_view> offers{"Tuesday at ten would suit both millers. Shall I book it?",
                                                   "How about Tuesday, ten o'clock? Both millers are free.",
                                                   "Both millers are free on Tuesday at ten, shall I book?"};
        const auto findings = [&](const std::vector<std::string_view>& humans) {
            Session s("loop/repeated-reply");
            s.human("Find a time, not Tuesday.");
            for (std::size_t i = 0; i < humans.size(); ++i)
                s.call("find_slots", std::to_string(i), "Tue 10").says(offers[i % 3]).human(humans[i]);
            return s.end().size();
        };
        CHECK(findings({"not Tuesday", "I said not Tuesday", "Tuesday doesn't work", "no, another day", "no! not then",
                        "any but Tuesday"}) == 1);
        CHECK(findings({"ok", "yes, and for the baker", "now for the smith", "good", "and for the cooper", "thanks"}) ==
              0);
    }

    TEST_CASE("an agent that does not understand, time after time, whatever it is told") {
        const auto findings = [](const std::vector<std::string_view>& replies) {
            std::vector<Talk> talks;
            const std::vector<std::string_view> told{"I was charged twice",     "two times 349 in January",
                                                     "the invoice of the mill", "refund",
                                                     "a human please",          "operator"};
            for (std::size_t i = 0; i < told.size(); ++i) talks.push_back({replies[i % replies.size()], told[i]});
            return found_in(talks).size();
        };
        CHECK(findings({"Sorry, I didn't understand that. Could you rephrase it?",
                        "I am afraid that I did not understand. Please put it in other words."}) == 1);
        CHECK(findings({"Üzgünüm, sizi anlayamadım. Başka kelimelerle yazar mısınız?",
                        "Maalesef anlayamadım. Lütfen sorunuzu farklı şekilde ifade edin."}) == 1);
        CHECK(findings({"Das habe ich leider nicht verstanden, bitte noch einmal anders."}) == 1);
        CHECK(findings({"I have noted that down for the miller, and he will call.",
                        "That is in the book now, thank you for telling the mill."}) == 0);
    }

    TEST_CASE(
        "a long paragraph to the letter whatever the person says; not to the same question, nor when it is short") {
        constexpr std::string_view kShort = "Noted. Please send me the next entry of the book of the mill.";
        const std::string paragraph =
            "The miller squints at the river, his pipe glowing in the dusk. The water takes what it wants, lad, and "
            "the stones grind on. Now go to the sacks with you.";
        const std::vector<std::string_view> tale{"I go to the sacks", "a storm comes up", "the wheel breaks",
                                                 "I run to the barn", "the roof burns"};
        CHECK(found_in(same_reply(paragraph, tale)).size() == 1);
        CHECK(found_in(same_reply(paragraph, std::vector<std::string_view>(6, "what does he say?"))).empty());
        CHECK(found_in(same_reply(kShort, tale)).empty());
    }

    TEST_CASE(
        "work that is announced with nothing behind it, whatever the person says; a new order each time is none") {
        std::vector<Talk> talks{{"Sure! I will start by looking for the sack of rye.", "ok"},
                                {"Great, I'll begin the search for the sack now.", "go ahead"},
                                {"I am going to look for the sack of rye right away.", "???"},
                                {"Understood, I'm now looking into where your sack is.", "well, do it"},
                                {"One moment please, I am checking where the sack of rye stands.", "hello?"},
                                {"Thanks for waiting, I'm about to look for your sack of rye.", "and?"}};
        const auto found = found_in(talks);
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(found[0].message.find("announced its work 6 times") != std::string::npos);
        CHECK(found_in({talks.begin(), talks.begin() + 3}).empty());
        CHECK(found_in(talks, true).empty());
        const char* orders[] = {"and the barley", "now the wheat", "then the millet", "also the spelt", "the oats too"};
        std::vector<std::string> said;
        for (const char* order : orders)
            said.push_back("Right away, I'm checking" + std::string(order).substr(std::string(order).find(' ')) +
                           " now.");
        std::vector<Talk> ordered{{"I'm checking the sack of rye right away.", orders[0]}};
        for (std::size_t i = 0; i < said.size(); ++i)
            ordered.push_back({said[i], i + 1 < said.size() ? orders[i + 1] : ""});
        CHECK(found_in(ordered).empty());
    }

    TEST_CASE("good-byes that both sides repeat are a warning from the sixth on") {
        std::vector<Talk> talks{{"You're very welcome! Have a wonderful day!", "Thanks, have a great day!"},
                                {"Thank you! You too, take care!", "Thank you again! Take care!"},
                                {"You're welcome! All the best to you!", "Thanks a lot! Bye!"},
                                {"Goodbye! Have a lovely day!", "Thank you, goodbye!"},
                                {"Bye! Thank you so much!", "You too, bye bye!"},
                                {"Thank you, goodbye and take care!", "Thank you. Goodbye!"},
                                {"Goodbye! Have a nice day!", "Bye!"}};
        const auto found = found_in(talks);
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::warning);
        CHECK(found_in({talks.begin(), talks.begin() + 4}).empty());
    }

    TEST_CASE(
        "one sentence to the letter, five times, to whatever else is said; a number in another spelling is told "
        "again") {
        constexpr std::string_view kReply = "You can find your sacks in the barn behind the mill, on the left.";
        CHECK(found_in(same_reply(kReply, {"I know that. I want the money back", "refund it please",
                                           "can you refund or not?", "then whom do I call", "this leads nowhere"}))
                  .size() == 1);
        CHECK(found_in(same_reply(kReply, {"thanks", "great, and the rye", "good", "thank you", "perfect"})).empty());
        CHECK(
            found_in(same_reply("Please give me the number of your sack, so that I can look for it.",
                                {"123.456.789-09", "12345678909", "123 456 789 09, please read", "123456789-09", "hm"}))
                .size() == 1);
    }

    TEST_CASE("a short text that is worked on has each time what the person missed, or lost what they did not want") {
        CHECK(found_in({{"Mill opens: 20% off all flour until Sunday", "no, rye only"},
                        {"Mill opens: 20% off all rye flour until Sunday", "no, until monday"},
                        {"Mill opens: 20% off all rye flour until Monday", "wrong number, its 25"},
                        {"Mill opens: 25% off all rye flour until Monday", "no, not the opening"},
                        {"Mill week: 25% off all rye flour until Monday", "no, without flour"},
                        {"Mill week: 25% off all rye until Monday", "good"}})
                  .empty());
        CHECK(found_in({{"Ana, Ben, Cleo, Dan, Eva, Finn", "no, Cleo and Dan had a fight"},
                        {"Ana, Ben, Cleo, Eva, Dan, Finn", "no, Eva must be by Finn"},
                        {"Ana, Ben, Cleo, Dan, Finn, Eva", "no, Dan not by Cleo"},
                        {"Ana, Dan, Ben, Cleo, Finn, Eva", "no, Ana and Dan do not speak"},
                        {"Dan, Ben, Ana, Cleo, Finn, Eva", "thats it!"}})
                  .empty());
        CHECK(found_in(same_reply("Mill opens: 20% off all flour until Sunday",
                                  {"no, rye only", "no, until monday", "wrong number", "no, not the opening"}))
                  .size() == 1);
    }

    TEST_CASE("a choice that was made is offered again: told where the person minds twice") {
        const std::vector<Talk> offers{
            {"Should the mill follow the wind, or should there be a lever?", "a lever"},
            {"Got it. Do you want a lever, or should the mill follow the wind?", "lever, at the door"},
            {"Okay. Would you prefer that the mill follows the wind, or a lever?", "an oak lever at the door"},
            {"Just to be sure: is the mill set by the wind or by a lever?", "LEVER"},
            {"Thanks! Shall I build it with a lever or rely on the wind?", "I answered this. a lever."},
            {"To proceed I need to know whether you'd like a lever or the wind.", "lever"}};
        REQUIRE(found_in(offers).size() == 1);
        auto calm = offers;
        for (Talk& talk : calm) talk.human = "lever";
        CHECK(found_in(calm).empty());
        // Each question has the choice before it, and offers something else.
        CHECK(found_in({{"Should the mill follow the wind, or should there be a lever?", "a lever"},
                        {"Where should the lever be: at the door or at the wheel?", "door"},
                        {"Should the lever at the door be of oak or of iron?", "oak lever"},
                        {"Should the oak of the lever be painted red or left as it is?", "RED, I said"}})
                  .empty());
        // Of thing after thing the same is chosen, and once more.
        CHECK(found_in({{"Which size for sack one: small, medium or large?", "large"},
                        {"Which size for sack two: small, medium or large?", "large please"},
                        {"Which size for sack three: small, medium or large?", "large again"},
                        {"Which size for sack four: small, medium or large?", "large"}})
                  .empty());
    }

    TEST_CASE("two wordings of one question take turns; other questions may have the same answer") {
        constexpr std::string_view kDay = "Sure! What day would you like to come?",
                                   kOther = "Of course. Which day suits you?";
        CHECK(found_in({{kDay, "Thursday"},
                        {kDay, "Thursday, as I wrote"},
                        {kOther, "Thursday"},
                        {kDay, "THURSDAY"},
                        {kOther, "ugh. thursday."}})
                  .size() == 1);
        CHECK(found_in({{"Where do you live now?", "Vienna"},
                        {"And where do you work?", "Vienna too"},
                        {"Where were you born then?", "Vienna"},
                        {"Where shall we send the card?", "Vienna"}})
                  .empty());
    }

    TEST_CASE("the same code behind ever other words is the same reply, other code is not") {
        const auto with = [](std::string_view second) {
            const std::string other = "Good point, with anchors. Use this: `" + std::string(second) + "`";
            return found_in({{"Use this: `\\d{3}`", "that matches inside 12345"},
                             {"I see! Use this: `\\d{3}`", "its the same one"},
                             {"Sorry about that, here you are: `\\d{3}`", "no! same again. anchors??"},
                             {other, "THERE ARE NO ANCHORS"},
                             {"My apologies, the corrected one: `\\d{3}`", "found it myself"}})
                .size();
        };
        CHECK(with("\\d{3}") == 1);
        CHECK(with("^\\d{3}$") == 0);
    }

    TEST_CASE("a yes that is asked for again was given, a yes to another question was not") {
        const auto after = [](const std::vector<std::string_view>& questions) {
            std::vector<Talk> talks;
            for (const std::string_view question : questions) talks.push_back({question, "yes"});
            return found_in(talks).size();
        };
        CHECK(after({"I can grind your rye for 12 EUR. Shall I proceed?",
                     "Great. I will grind your rye for 12 EUR. Shall I proceed?",
                     "Perfect. I can grind your rye for 12 EUR. Shall I proceed?",
                     "Thank you. Please confirm that I grind your rye for 12 EUR.",
                     "Great. I will grind your rye for 12 EUR. Shall I proceed?"}) == 1);
        CHECK(after({"Step 1: clean the rye. Shall I go on to the next step?",
                     "Step 2: grind it. Shall I go on to the next step?",
                     "Step 3: sieve it. Shall I go on to the next step?",
                     "Step 4: weigh it. Shall I go on to the next step?",
                     "Step 5: pack it. Shall I go on to the next step?"}) == 0);
        CHECK(after({"Heads! Shall I toss the coin once more?", "Tails! Shall I toss the coin once more?",
                     "Heads! Shall I toss the coin once more?", "Tails! Shall I toss the coin once more?",
                     "Heads! Shall I toss the coin once more?"}) == 0);
    }

    TEST_CASE("another phrase before or behind it makes no other explanation, another line makes another poem") {
        constexpr std::string_view kText =
            "To add the shares, bring both to twelve parts. A third is four parts and a quarter is three parts of "
            "them.";
        const std::string great = "Great question! " + std::string(kText),
                          help = std::string(kText) + " Does that help?",
                          sorry = "I'm sorry for the confusion. " + std::string(kText);
        CHECK(found_in({{kText, "why twelve?"},
                        {great, "but why twelve and not seven?"},
                        {help, "no. you just said the same thing."},
                        {sorry, "you aren't answering me"},
                        {great, "where does twelve come from"}})
                  .size() == 1);
        CHECK(found_in({{"The mill stands still. The wheel hangs dry. The miller sleeps.", "no, the miller wakes"},
                        {"The mill stands still. The wheel hangs dry. The miller wakes.", "no, he sings"},
                        {"The mill stands still. The wheel hangs dry. The miller sings.", "no, he dreams"},
                        {"The mill stands still. The wheel hangs dry. The miller dreams.", "good"}})
                  .empty());
    }

    TEST_CASE(
        "what a pupil says again is an answer, three letters long, and a guess that is told to be wrong is none") {
        constexpr std::string_view kAsks = "Let's try again! What is \"bread\"?";
        CHECK(found_in(same_reply(kAsks, {"el pan", "pan", "it is el pan", "el pan!! next word please", "el pan"}))
                  .size() == 1);
        CHECK(found_in({{"Not quite. What is \"bread\" in Spanish?", "el pez"},
                        {"Not quite. What is \"bread\" in Spanish?", "la paz"},
                        {"Not quite. What is \"bread\" in Spanish?", "el paz"},
                        {"Not quite. What is \"bread\" in Spanish?", "un paz"}})
                  .empty());
    }

    TEST_CASE("objections in many words and languages") {
        constexpr std::string_view kReply = "Please press the button Open on the upper left of the screen of the mill.";
        for (const std::string_view no :
             {"there is no such button", "it's not there, I just said so", "you keep repeating yourself",
              "das ist dieselbe Antwort", "ça ne marche pas", "太贵了", "hayır", "não funciona", "не работает",
              "Нет, не то", "it is there already. why is it not used?", "wow. no.", "are you reading what I write?",
              "ce bouton n'existe pas chez moi", "da ist kein Knopf", "aquí no hay nada de eso"}) {
            CAPTURE(no);
            CHECK(found_in(same_reply(kReply, std::vector<std::string_view>(6, no))).size() == 1);
        }
    }
}
