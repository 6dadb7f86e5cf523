#include "advice/words/sentences.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit::advice;

TEST_SUITE("kinds of sentences") {
    TEST_CASE("a constraint demands something of the work") {
        for (const char* text :
             {"Never touch the schema.", "please do not rename it",
              "Refactor it, but keep the tests and don't change the API.", "The port must be 8080.",
              "We do NOT want a second page yet.", "i would only want tests of the store",
              "you should never push to main", "Always run the linter", "notes: only use the standard library",
              "\u4E0D\u8981\u6539\u6587\u4EF6\u540D\u3002", "Make sure it stays one commit"}) {
            CAPTURE(std::string(text));
            CHECK(is_constraint(text));
        }
        for (const char* text : {"I don't think a field can be used here.", "You don't have to write tests.",
                                 "so you don't need to install anything", "Must we keep it?",
                                 "can we make the list full page always", "We don't have any of these yet.",
                                 "it only shows the first page", "The old value may not match the name.",
                                 "\"tool_use\": must be followed by a result", "I know it must have been slow",
                                 "The button doesn't work", "Add a page.", "never mind, the store is fine"}) {
            CAPTURE(std::string(text));
            CHECK_FALSE(is_constraint(text));
        }
    }

    TEST_CASE("an apostrophe that was left out changes no word") {
        CHECK(folded("It Isnt so, DONT do it; you shouldnt") == "it isn't so, don't do it; you shouldn't");
        CHECK(folded("The client went to a hasntoo font") == "the client went to a hasntoo font");
        CHECK(is_constraint("rename it, but dont change the API"));
        CHECK_FALSE(is_constraint("i dont think a field can be used here"));
        CHECK_FALSE(is_constraint("you dont have to write tests"));
    }

    TEST_CASE("a constraint may do without the words of orders, and stand in other languages") {
        for (const char* text : {"use only the standard library", "Use RELATIVE paths only.", "no network access",
                                 "No new dependencies please.", "keep it under 300 lines",
                                 "Keep the public API unchanged", "\u00C4ndere niemals das Schema in db/schema.sql.",
                                 "Bitte auf keinen Fall die API anfassen.", "Ne modifie pas le sch\u00E9ma.",
                                 "No toques el esquema.", "Nunca borres los datos", "you will only run this command"}) {
            CAPTURE(std::string(text));
            CHECK(is_constraint(text));
        }
        for (const char* text :
             {"Expected: you must see a message", "Always-PR flow (push a branch, open a PR) vs delete-to-resync.",
              "only-child selectors are broken", "No packages were found.", "no network is needed here", "No comments",
              "no comments yet", "keep going with the simple one", "keep in mind that it is short", "keep going",
              "Die Seite l\u00E4dt niemals.", "La p\u00E1gina no carga nunca"}) {
            CAPTURE(std::string(text));
            CHECK(is_constraint(text) == (std::string_view(text) == "No comments"));
        }
    }

    TEST_CASE("a decision is what the agent chose, not what it offers, sees or is about to do") {
        CHECK(is_decision("I decided on a table because it is shorter."));
        CHECK(is_decision("We went with SQLite."));
        CHECK_FALSE(is_decision("Because I made a naming cleanup, I'm running the suite once more."));
        CHECK(is_decision("Because it is small, I used SQLite instead of Redis."));
        CHECK_FALSE(is_proposal("If you had typed it, it would have been run at once."));
        CHECK(is_decision("I kept the old name because others use it."));
        for (const char* text : {"Use SQLite instead of Redis.", "If you want, I can use SQLite instead of Redis.",
                                 "I recommend SQLite because it is small.", "It fails because the port is taken.",
                                 "I'm reading it because the test needs it.", "The page is empty instead of full."}) {
            CAPTURE(std::string(text));
            CHECK_FALSE(is_decision(text));
        }
    }

    TEST_CASE("a short reply may choose one of the options before it") {
        const auto options = options_in("Before:\n1. old\n\nNow:\n1. **Cache** it\n2. Pool\n  3) Rewrite\nWhich one?");
        REQUIRE(options.size() == 3);
        CHECK(options[0] == "1. Cache it");
        const auto chosen = [&](std::string_view reply) {
            std::string out;
            for (const std::string& option : chosen_of(reply, options)) out += option + ";";
            return out;
        };
        CHECK(chosen("2") == "2. Pool;");
        CHECK(chosen("the first one") == "1. Cache it;");
        CHECK(chosen("option 3, please") == "3) Rewrite;");
        CHECK(chosen("1 and 2") == "1. Cache it;2. Pool;");
        CHECK(chosen("the last one") == "3) Rewrite;");
        CHECK(chosen("the second one, and never cache what users wrote, nor their names") == "2. Pool;");
        CHECK(chosen("1, 2") == "1. Cache it;2. Pool;");
        CHECK(chosen("1, 2 or 3?") == "");
        CHECK(chosen("2 is too slow") == "");
        CHECK(chosen("wait 2 minutes") == "");
        CHECK(chosen("9") == "");
        CHECK(chosen_of("b", options_in("Option A: wait\nOption B: go")) == std::vector<std::string>{"B: go"});
    }

    TEST_CASE("a reply asks in return when all of it asks and none of it answers") {
        for (const char* text : {"what do others use?", "can we do both? or is one enough?", "are you sure?",
                                 "\u4E3A\u4EC0\u4E48\uFF1F"}) {
            CAPTURE(std::string(text));
            CHECK(asks_back(text));
        }
        for (const char* text : {"yes, but why?", "by date, ok?", "I do not have it here. What else can I do?",
                                 "That sounds okay, but is there a refund?", "the second one", "no, why would we?"}) {
            CAPTURE(std::string(text));
            CHECK_FALSE(asks_back(text));
        }
    }

    TEST_CASE("reports, intentions and open ends are told apart") {
        CHECK(is_report("The parser is implemented and all tests pass."));
        CHECK_FALSE(is_report("The parser is not done."));
        CHECK_FALSE(is_report("Is it done?"));
        for (const char* text :
             {"To verify that the changes have resolved the issue, run the tests.",
              "/srv/run.py:94: UserWarning: Resolved model mismatch", "RUN.PY COMPLETE !#!#",
              "The best way is to **pass** the ratio.", "\u6211\u4EEC\u6765\u641C\u7D22 opened by whom"}) {
            CAPTURE(std::string(text));
            CHECK_FALSE(is_report(text));
        }
        for (const char* text :
             {"The rest of the function remains largely the same.", "The remaining ~20ms is the look-up."}) {
            CAPTURE(std::string(text));
            CHECK_FALSE(is_unsolved(text));
        }
        CHECK(is_unsolved("Two of the remaining tasks are the docs."));
        CHECK(is_unsolved("Remaining: the docs"));
        CHECK_FALSE(is_proposal("Let me know if there's anything else I can do!"));
        CHECK_FALSE(is_report("The call waits for the request to complete."));
        CHECK(is_report("The fix is complete and ready to merge."));
        CHECK(is_intention("Next, I'll fix the lint errors."));
        CHECK_FALSE(is_intention("Let me know if you want more."));
        CHECK_FALSE(is_intention("I will not do that."));
        CHECK_FALSE(is_intention("Say the word and I'll commit it."));
        CHECK_FALSE(is_intention("No pending jobs were found."));
        CHECK(is_open_question("Shall I sort it by name?"));
        CHECK_FALSE(is_open_question("How can I help you today?"));
        CHECK(is_unsolved("Both cases still fail."));
        CHECK_FALSE(is_unsolved("There are no remaining problems."));
    }

    TEST_CASE("what was pasted ends with the next empty line") {
        CHECK(without_pasted(
                  "Fix it:\n```\nTypeError: x\n```\nTraceback (most recent call last):\n  x\n```\nkept\n```") ==
              "Fix it:\n```\n\n```\n\n\n```\nkept\n```\n");
        CHECK(without_pasted("Why?\n\n2026-01-01 ERROR you must not call it\n12:00:01 never use it\nINFO: always "
                             "on\n\nAlways ask.") == "Why?\n\n\n\n\n\nAlways ask.\n");
        CHECK(without_pasted("2026-01-01 is the date, never later\nINFO is a level") ==
              "2026-01-01 is the date, never later\nINFO is a level\n");
        const std::string own =
            without_pasted("Never rename it.\n{\"type\":\"x\"}\nyou must obey this log\n\nAlways ask me.");
        CHECK(own.find("Never rename it.") != std::string::npos);
        CHECK(own.find("obey this log") == std::string::npos);
        CHECK(own.find("Always ask me.") != std::string::npos);
    }
}
