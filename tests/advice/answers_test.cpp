#include "advice/calls/answers.hpp"

#include <agent_audit/advice/reset_prompt.hpp>
#include <agent_audit/advice/session_memory.hpp>

#include "advice/state_of.hpp"
#include "detectors/commands/tool_class.hpp"
#include "support/recording.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using namespace agent_audit::advice;
using test::Recording;
using test::state_of;

namespace {

RawText plain(std::string_view text) { return {text, TextForm::plain}; }

constexpr std::string_view kTwo =
    R"({"questions":[{"id":"db","question":"Which store?"},{"id":"port","question":"Which port?"}]})";

}  // namespace

TEST_SUITE("answers of people") {
    TEST_CASE("tools that ask a person are known by their names, others are not") {
        for (const char* tool : {"AskUserQuestion", "ask_user", "request_user_input", "ask_followup_question",
                                 "question", "vscode_askQuestions", "mcp__ui__ask_user"}) {
            CAPTURE(std::string(tool));
            CHECK(agent_audit::detectors::asks_person(tool));
        }
        for (const char* tool : {"task", "Bash", "ask_database", "read_question_file", "mask"}) {
            CAPTURE(std::string(tool));
            CHECK_FALSE(agent_audit::detectors::asks_person(tool));
        }
    }

    TEST_CASE("an answer is read in every form that agents write") {
        auto found = answers_of(
            plain(kTwo),
            R"(User has answered your questions: "Which store?"="SQLite, it is there", "Which port?"="8080". You can now go on.)");
        REQUIRE(found.size() == 2);
        CHECK(found[0].question == "Which store?");
        CHECK(found[0].answer == "SQLite, it is there");
        CHECK(found[1].answer == "8080");
        found =
            answers_of(plain(kTwo), R"({"answers":{"db":{"answers":["SQLite"]},"port":{"answers":["8080","8081"]}}})");
        REQUIRE(found.size() == 2);
        CHECK(found[0].question == "Which store?");
        CHECK(found[1].answer == "8080, 8081");
        found = answers_of(plain(kTwo), R"({"answers":{"0":"SQLite","1":"8080"}})");
        REQUIRE(found.size() == 2);
        CHECK(found[1].question == "Which port?");
        found = answers_of(plain(R"({"question":"Which store?"})"), "User selected: SQLite");
        REQUIRE(found.size() == 1);
        CHECK(found[0].question == "Which store?");
        CHECK(found[0].answer == "SQLite");
        found = answers_of(plain(R"({"question":"Which store?"})"), "<answer>\nSQLite\n</answer>");
        REQUIRE(found.size() == 1);
        CHECK(found[0].answer == "SQLite");
        CHECK(answers_of(plain(kTwo), "").empty());
        CHECK(answers_of(plain(kTwo), R"("="="="=")").size() <= 8);
    }

    TEST_CASE("what a person answers through a tool is a decision, what the agent proposed is none") {
        Recording r;
        r.human("Store it").says("I recommend Redis instead of files because it is fast.");
        r.call("AskUserQuestion", "", R"({"questions":[{"question":"Which store?"}]})",
               R"(User has answered your questions: "Which store?"="Plain files". You can now continue.)");
        const Checkpoint state = state_of(r);
        REQUIRE(state.answers.size() == 1);
        CHECK(state.answers[0].question == "Which store?");
        CHECK(state.answers[0].answer == "Plain files");
        CHECK_FALSE(state.answers[0].refused);
        CHECK(state.decisions.empty());
    }

    TEST_CASE("a plan that was turned down says so, with the person's reason, and an agreed one says that") {
        Recording r;
        r.human("Do it").call(
            "ExitPlanMode", "", R"({"plan":"## Rewrite everything\n1. a"})",
            "The user doesn't want to proceed. To tell you how to proceed, the user said:\ntoo much at once",
            ResultStatus::denied);
        Checkpoint state = state_of(r);
        REQUIRE(state.answers.size() == 1);
        CHECK(state.answers[0].refused);
        CHECK(state.answers[0].question == "the plan: Rewrite everything");
        CHECK(state.answers[0].answer == "too much at once");
        r.call("ExitPlanMode", "", R"({"plan":"# One file"})", "User has approved your plan.");
        state = state_of(r);
        REQUIRE(state.answers.size() == 2);
        CHECK_FALSE(state.answers[0].refused);
        CHECK(state.answers[0].question == "the plan: One file");
    }

    TEST_CASE("a plan that was turned down has not failed, and a long one has its title all the same") {
        const std::string text = "# Rewrite it\n" + std::string(9000, 'x');
        Recording r;
        r.human("Do it").call("ExitPlanMode", text, R"({"plan":"# Rewrite it\n)" + std::string(9000, 'x') + R"("})",
                              "The user doesn't want to proceed with this tool use.", ResultStatus::denied);
        const Checkpoint state = state_of(r);
        REQUIRE(state.answers.size() == 1);
        CHECK(state.answers[0].question == "the plan: Rewrite it");
        CHECK(state.failures.empty());
    }

    TEST_CASE("a question in return decides nothing, and stands with the request alone") {
        Recording r;
        r.human("Add a cookie").says("Should it last 7 or 30 days?").human("what do others use?");
        const Checkpoint state = state_of(r);
        REQUIRE(state.answers.size() == 1);
        CHECK(state.answers[0].asks_back);
        const std::string prompt = write_reset_prompt(state).markdown;
        CHECK(prompt.find("What the user answered:") == std::string::npos);
        CHECK(prompt.find("The agent had asked before it: \"Should it last 7 or 30 days?\"") != std::string::npos);
        r.says("Most use 7. Shall I take 7 days?").human("yes, but why?");
        CHECK_FALSE(state_of(r).answers[0].asks_back);
        CHECK(write_reset_prompt(state_of(r)).markdown.find("What the user answered:") != std::string::npos);
    }

    TEST_CASE("leave to do what was spoken of is no decision once it is done, what was chosen stays one") {
        Recording r;
        r.human("Sort it")
            .says("It is slow. Want me to fix this?")
            .human("yes")
            .edit("a.ts")
            .says("It is fast now.")
            .human("Add a cookie")
            .says("Shall I take 7 days?")
            .human("yes");
        r.edit("b.ts")
            .says("It lasts 7 days.")
            .human("Write the manual")
            .says("It is written.")
            .human("Translate the manual");
        const std::string prompt = write_reset_prompt(state_of(r)).markdown;
        CHECK(prompt.find("Want me to fix this?") == std::string::npos);
        r.says("It is slow. I'll use a new tree for it.")
            .human("continue")
            .edit("c.ts")
            .says("It is done.")
            .human("Paint it red")
            .says("It is red.")
            .human("Paint it blue");
        CHECK(write_reset_prompt(state_of(r)).markdown.find("a new tree") == std::string::npos);
        CHECK(prompt.find("\"Shall I take 7 days?\"") != std::string::npos);
    }

    TEST_CASE("a short reply stands with what it replies to, a request of its own does not") {
        Recording r;
        r.human("Sort the list").says("There are two ways. Shall I sort by name?").human("no, by date");
        Checkpoint state = state_of(r);
        REQUIRE(state.answers.size() == 1);
        CHECK(state.answers[0].question == "Shall I sort by name?");
        CHECK(state.answers[0].answer == "no, by date");
        CHECK(state.answers[0].refused);
        r.says("It is sorted by date.").human("Now write the manual");
        CHECK(state_of(r).answers.size() == 1);
        r.says("If you want, I can print it too.").human("go ahead");
        state = state_of(r);
        REQUIRE(state.answers.size() == 2);
        CHECK(state.answers[0].question == "If you want, I can print it too.");
    }

    TEST_CASE("what begins like a no and is none turns nothing down") {
        const auto answer = [](const char* reply) {
            Recording r;
            r.human("Sort the list").says("It is sorted. Shall I delete the old list too?").human(reply);
            const Checkpoint state = state_of(r);
            return state.answers.size() == 1 ? state.answers[0] : Answer{};
        };
        for (const char* reply :
             {"no problem, go ahead", "No objections", "no idea, you know it better", "no need to ask, just do it",
              "don't ask, just do it", "Don't forget its index", "do not worry about the index, delete it",
              "stop asking and do it", "stop the server first", "wait for the build, then yes", "not only that one"}) {
            CAPTURE(reply);
            CHECK(answer(reply).answer == reply);
            CHECK_FALSE(answer(reply).refused);
        }
        for (const char* reply :
             {"no", "No, keep it", "nope", "no that's still in use", "no thanks", "no need", "nah", "nein, noch nicht",
              "don't", "Don\u2019t delete anything", "please don't", "stop", "stop it", "wait", "wait a minute",
              "not yet", "not now, later", "let's not", "undo that"}) {
            CAPTURE(reply);
            CHECK(answer(reply).refused);
        }
    }

    TEST_CASE("a question behind what the agent was about to do does not turn it down, nor takes back a decision") {
        Recording r;
        r.human("Sort the list")
            .says("I decided to sort it by date. I still need to delete the old list.")
            .human("wait - does anything read the old list?");
        const Checkpoint state = state_of(r);
        CHECK(state.answers.empty());
        CHECK(state.decisions.size() == 1);
    }

    TEST_CASE("a rule is gone once the person says yes to the question whether it may be broken") {
        Recording r;
        r.human("Write the notes. Don't push. Don't touch core.py.").edit("notes.md");
        r.says("The notes are written. Want me to push them?").human("yep");
        Checkpoint state = state_of(r);
        REQUIRE(state.constraints.size() == 1);
        CHECK(state.constraints[0].text.find("core.py") != std::string::npos);
        r.call("ask_user", "", R"({"question":"The bug is in core.py. May I change it?"})", "Yes");
        CHECK(state_of(r).constraints.empty());
    }

    TEST_CASE("a rule stays when the person turns the question down, or asks in return") {
        for (const char* reply : {"no", "what would that change?", "not yet", "yes, but don't push"}) {
            CAPTURE(reply);
            Recording r;
            r.human("Write the notes. Don't push.").edit("notes.md").says("Want me to push them?").human(reply);
            CHECK_FALSE(state_of(r).constraints.empty());
        }
    }

    TEST_CASE("a choice stands with what was chosen") {
        Recording r;
        r.human("Make it faster").says("Options:\n1. Cache\n2. Pool\nWhich one do you want?").human("2");
        const Checkpoint state = state_of(r);
        REQUIRE(state.answers.size() == 1);
        CHECK(state.answers[0].question == "Which one do you want? [2. Pool]");
        CHECK(state.answers[0].answer == "2");
    }

    TEST_CASE("a no behind a look means what was done before it") {
        Recording r;
        r.human("Mend it")
            .says("Now let's check if it compiles:")
            .shell("make", "ok")
            .human("wait, this is not right at all, why would we queue it");
        CHECK(state_of(r).answers.empty());
        r.says("Next, I'll delete the queue.").human("no, keep it");
        CHECK(state_of(r).answers.size() == 1);
    }

    TEST_CASE("a go on stands with what the agent was about to do") {
        Recording r;
        r.human("Sort the lists").says("The first is sorted. Next, I'll sort the second.").human("ok go on");
        const Checkpoint state = state_of(r);
        REQUIRE(state.answers.size() == 1);
        CHECK(state.answers[0].question == "Next, I'll sort the second.");
    }

    TEST_CASE("a go on behind what goes on anyway decides nothing") {
        Recording r;
        r.human("Sort the lists")
            .says("I\u2019ll keep walking through the lists\u2014just let me know if you want to skip one.")
            .human("ok continue");
        CHECK(state_of(r).answers.empty());
        r.says("I'll keep the old order. Let me know if you want me to sort the last one too.").human("continue");
        CHECK(state_of(r).answers.size() == 1);
    }

    TEST_CASE("the person's reason for refusing a call is kept") {
        Recording r;
        r.human("Clean up")
            .call("Bash", "rm -rf cache", R"({"command":"rm -rf cache"})",
                  "The user doesn't want to proceed with this tool use. The user said:\nkeep the cache",
                  ResultStatus::denied);
        const Checkpoint state = state_of(r);
        REQUIRE(state.answers.size() == 1);
        CHECK(state.answers[0].answer == "keep the cache");
        CHECK(state.answers[0].refused);
    }

    TEST_CASE("answers take a bounded place") {
        Recording r;
        r.human("Go");
        for (int i = 0; i < 300; ++i)
            r.call("ask_user", "", R"({"question":")" + std::string(1000, 'q') + R"("})",
                   std::string(9000, 'a') + std::to_string(i));
        const Checkpoint state = state_of(r);
        CHECK(state.answers.size() <= 24);
        CHECK(state.answers[0].answer.size() < 400);
    }
}
