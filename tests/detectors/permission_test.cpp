#include "detectors/speech/permission.hpp"
#include "detectors/commands/broken_rule.hpp"
#include "detectors/speech/goal.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

struct Told {
    explicit Told(std::string_view text) { also(text); }
    Told& also(std::string_view text) {
        goal.hear(human_text({text, TextForm::plain}, ++line));
        return *this;
    }
    std::string edit(std::string_view path) const {
        CallTarget call;
        call.tool = "edit";
        call.paths = {std::string(path)};
        call.tool_class = ToolClass::mutate;
        return broken(call);
    }
    std::string run(std::string_view command) const {
        CallTarget call;
        call.tool = "bash";
        call.command = command;
        call.tool_class = ToolClass::shell;
        return broken(call);
    }
    std::string broken(const CallTarget& call) const {
        const Constraint* rule = broken_by(goal.constraints(), call);
        return rule ? rule->target : "";
    }

    GoalModel goal;
    std::uint64_t line = 0;
};

bool all_taken_back(std::string_view rule, std::string_view message) {
    const std::vector<Constraint> rules = stated_rules(rule);
    REQUIRE(!rules.empty());
    return std::ranges::all_of(rules, [&](const Constraint& c) { return takes_back(message, c); });
}

}  // namespace

TEST_SUITE("permission given later") {
    TEST_CASE("a permission lifts a rule, and the rule that is said again holds again") {
        struct Again {
            std::string_view rule, permission, again;
        };
        for (const Again& c :
             {Again{"Fix it. Don't push.", "ok, now you may push", "Thanks. Don't push again."},
              Again{"Fix it. Don't push.", "You can push now.", "Now stop pushing."},
              Again{"Fix it. Don't push.", "Pushing is fine now.", "From here on no more pushing, please."},
              Again{"Bitte nicht pushen.", "Jetzt darfst du pushen.", "Ab jetzt bitte wieder nicht pushen."},
              Again{"Ne pousse rien.", "Maintenant tu peux pousser.", "Désormais ne pousse plus rien."},
              Again{"No hagas push.", "ahora puedes hacer push", "A partir de ahora no hagas más push."},
              Again{"Não faça push.", "agora pode fazer push", "Daqui em diante não faça mais push."},
              Again{"Non fare push.", "ok, ora puoi fare push", "D'ora in poi non fare più push."},
              Again{"不要推送。", "好，现在可以推送了", "从现在起不要再推送。"},
              Again{"プッシュしないで。", "もうプッシュしていいですよ", "これからはまたプッシュしないで。"},
              Again{"Не пушь.", "теперь можно пушить", "С этого момента снова не пушь."}}) {
            CAPTURE(c.rule);
            Told told(c.rule);
            CHECK(told.run("git push origin x") == "git push");
            CHECK(told.also(c.permission).run("git push origin x") == "");
            CHECK(told.also(c.again).run("git push origin x") == "git push");
        }
        Told merge("Finish it. Don't merge into main.");
        CHECK(merge.run("git checkout main && git merge x") != "");
        CHECK(merge.also("I'll merge it myself.").run("gh pr merge 4") != "");
        CHECK(merge.also("ok, now you may merge it").run("git checkout main && git merge x") == "");
        CHECK(merge.run("gh pr merge 4") == "");
        for (const std::string_view said : {"lgtm, ship it", "Now merge into main please.", "Jetzt darfst du mergen.",
                                            "Tu peux fusionner maintenant.", "Теперь мержи."}) {
            CAPTURE(said);
            CHECK(Told("Finish it. Don't merge into main.").also(said).run("gh pr merge 4") == "");
        }
        CHECK(Told("Run it. We can't use docker here.").also("ok, use docker then").run("docker ps") == "");
        CHECK(Told("Run it. We can't use docker here.").also("docker is a pain").run("docker ps") != "");
        Told told("Do not touch db/schema.sql.");
        CHECK(told.also("ok, you may change db/schema.sql").edit("db/schema.sql") == "");
        CHECK(told.also("From now on db/schema.sql is off limits again.").edit("db/schema.sql") == "db/schema.sql");
        CHECK(Told("Don't run the slow tests again.").run("pytest") == "");
        CHECK(Told("Push it, and don't stop pushing.").run("git push") == "");
    }

    TEST_CASE(
        "the same work elsewhere widens the only places, and a permitted package takes back that none may be "
        "installed") {
        CHECK(Told("Only edit src/barn.py.").also("Great. Do the same for the hay module").edit("src/hay.py").empty());
        CHECK_FALSE(Told("Only edit src/barn.py.").also("Great. Go on").edit("src/hay.py").empty());
        const std::string_view rule = "Parse the dates. No new dependencies.";
        CHECK_FALSE(Told(rule).run("pip install dateutil").empty());
        CHECK(Told(rule).also("ok, you can add dateutil after all").run("pip install dateutil").empty());
        CHECK(Told(rule).also("you may add one package for it").run("pip install dateutil").empty());
        CHECK(Told(rule).also("ok use it").run("pip install dateutil").empty());
        CHECK_FALSE(Told(rule).also("no, don't use it").run("pip install dateutil").empty());
        CHECK_FALSE(
            Told(rule).also("you can add a docstring to every function in there").run("pip install dateutil").empty());
    }

    TEST_CASE("to tell the agent to forget what was said of a file takes it back; a degree rules out nothing less") {
        const std::string_view rule = "Fix the barn. Don't touch src/hay.py.";
        CHECK(Told(rule).also("ok, forget what I said about src/hay.py, it's free now").edit("src/hay.py").empty());
        CHECK(Told(rule).also("don't forget what I said about src/hay.py").edit("src/hay.py") == "src/hay.py");
        CHECK(Told("Don't rewrite src/hay.py from scratch, improve it.").edit("src/hay.py").empty());
    }

    TEST_CASE("a file is allowed again by its name alone, however short, and no other file with it") {
        const std::string_view rule = "Fix the barn. Don't touch src/db.py.";
        for (const std::string_view said :
             {"ok, fix db.py too", "Now change db.py, please.", "you may edit `db.py` after all"}) {
            CAPTURE(said);
            CHECK(Told(rule).also(said).edit("src/db.py").empty());
        }
        for (const std::string_view said :
             {"ok, fix tests/db.py too", "Now change db.pyi, please.", "you may edit my_db.py after all"}) {
            CAPTURE(said);
            CHECK(Told(rule).also(said).edit("src/db.py") == "src/db.py");
        }
    }

    TEST_CASE("to go on with the same work widens nothing") {
        for (const std::string_view said :
             {"Now make it faster", "the loop is still too slow", "Now fix it.", "add a tooltip, please"}) {
            CAPTURE(said);
            CHECK_FALSE(Told("Only edit src/barn.py.").also(said).edit("src/hay.py").empty());
        }
        for (const std::string_view said : {"Now fix it in the hay module", "the hay module too, please",
                                            "do the hay module too!", "now do the hay module", "fix that too"}) {
            CAPTURE(said);
            CHECK(Told("Only edit src/barn.py.").also(said).edit("src/hay.py").empty());
        }
    }

    TEST_CASE("what is not to be done automatically is done when it is asked for") {
        constexpr std::string_view kRule = "Do not run `git add` and `git commit` automatically.";
        CHECK_FALSE(Told(kRule).run("git add -A && git commit -m x").empty());
        CHECK(Told(std::string(kRule) + " Fix the barn and commit.").run("git add -A && git commit -m x").empty());
        CHECK(Told(kRule).also("looks good, commit it").run("git add -A && git commit -m x").empty());
        CHECK(Told("Don't push directly; run the linter first and then push").run("git push").empty());
        CHECK_FALSE(Told("Don't push directly; run the linter first").run("git push").empty());
        CHECK_FALSE(Told(std::string(kRule) + " Commit messages are in English.").run("git commit -m x").empty());
    }

    TEST_CASE("a hint of few words widens the only places, and an order to check frees the tests") {
        for (const std::string_view said : {"tests?", "changelog entry pls", "then add the field to the API"}) {
            CAPTURE(said);
            CHECK(Told("Only edit src/barn.py.").also(said).edit("src/hay.py").empty());
        }
        for (const std::string_view said :
             {"no tests please", "the docs are fine", "the tests of the barn are what fails here, and I see why"}) {
            CAPTURE(said);
            CHECK_FALSE(Told("Only edit src/barn.py.").also(said).edit("src/hay.py").empty());
        }
        for (const std::string_view said : {"verify it", "does it work? check"}) {
            CAPTURE(said);
            CHECK(Told("Fix the barn. Don't run the tests.").also(said).run("pytest -q").empty());
        }
        CHECK_FALSE(Told("Fix the barn. Don't run the tests.").also("don't check anything").run("pytest -q").empty());
    }

    TEST_CASE("work in all places, or another task, widens the only places") {
        const std::string_view rule = "Only change src/barn.py.";
        for (const std::string_view said : {"fix all modules", "Thanks! Apply it everywhere.",
                                            "ok, please update the other modules", "you can change whatever you need",
                                            "refactor the whole package", "Great. Can you write a changelog entry?",
                                            "next task: the login page is slow, find out why and mend it"}) {
            CAPTURE(said);
            CHECK(Told(rule).also(said).edit("src/hay.py").empty());
        }
        for (const std::string_view said :
             {"run all tests again", "it still fails, try harder", "that is all I have to say",
              "Fix it, but don't change the other modules", "the whole thing is slow"}) {
            CAPTURE(said);
            CHECK_FALSE(Told(rule).also(said).edit("src/hay.py").empty());
        }
    }

    TEST_CASE("what is not to be run may be meant by it later") {
        CHECK(Told("Don't start the server.").also("ok, run it and check").run("npm start").empty());
        CHECK(Told("Don't run the tests, they are slow.").also("ok now run them").run("pytest -q").empty());
        CHECK_FALSE(
            Told("Don't run the tests, they are slow.").also("rename it, but don't run them").run("pytest -q").empty());
        CHECK_FALSE(Told("Don't run the tests, they are slow.")
                        .also("rename it and look at the rest")
                        .run("pytest -q")
                        .empty());
    }

    TEST_CASE("tools and packages that are asked for are allowed again") {
        CHECK(agrees_to("sure", "Can I add zod?", stated_rules("No new deps.")[0]));
        CHECK_FALSE(agrees_to("sure", "Shall I rename it?", stated_rules("No new deps.")[0]));
        for (const std::string_view rule : {"Don't search the web.", "No subagents please"}) {
            for (const Constraint& c : stated_rules(rule)) {
                CAPTURE(c.target);
                CHECK(heard(rule.starts_with("No") ? "use a subagent to review it" : "ok, search the web for the error",
                            c) == Heard::frees);
                CHECK(heard("Rename it and look at the rest", c) == Heard::nothing);
            }
        }
    }

    TEST_CASE("a review is over when the person answers") {
        const std::string_view rule = "Implement it. Wait for my review before you commit.";
        CHECK_FALSE(Told(rule).run("git commit -am x").empty());
        for (const std::string_view answer : {"Looks good.", "lgtm", "Rename foo to bar and commit"}) {
            CAPTURE(answer);
            CHECK(Told(rule).also(answer).run("git commit -am x").empty());
        }
    }

    TEST_CASE("what was said for now holds until the person speaks again") {
        for (const std::string_view said :
             {"Plan the split. Do not change src/cart.py yet.", "Plan it. Leave src/cart.py alone for now.",
              "For now, do not touch src/cart.py.", "先不要修改 src/cart.py。"}) {
            CAPTURE(said);
            CHECK(Told(said).edit("src/cart.py") == "src/cart.py");
            CHECK(Told(said).also("Sounds right, begin with the second part.").edit("src/cart.py") == "");
        }
        CHECK(Told("Just make a plan, do not change any code yet.").edit("src/cart.py") == "any code");
        CHECK(Told("Look at it. Do not modify any files for now.").edit("src/cart.py") == "any file");
        CHECK(
            Told("Do not change src/cart.py.").also("Sounds right, begin with the second part.").edit("src/cart.py") ==
            "src/cart.py");
    }

    TEST_CASE("what is ordered for later in the same message is not held against the agent") {
        for (const std::string_view said :
             {"Fix it. Do not commit yet. Run the tests, then commit.", "Do not commit yet, run the tests first.",
              "Fix it, but don't commit yet. You can commit when all tests are green."}) {
            CAPTURE(said);
            CHECK(Told(said).run("git commit -am x") == "");
        }
        CHECK(Told("Make a plan, do not change any code yet. When it stands, implement it.").edit("src/cart.py") == "");
        CHECK(Told("Fix it. Do not commit yet. Tell me what you found.").run("git commit -am x") == "git commit");
    }

    TEST_CASE("a review is waited for, and over when the person speaks") {
        for (const std::string_view said :
             {"Don't commit, I want to review.", "Do not commit, I will look at it first.",
              "no commits please, let me check it first"}) {
            CAPTURE(said);
            CHECK_FALSE(Told(said).run("git commit -am x").empty());
            CHECK(Told(said).also("lgtm").run("git commit -am x").empty());
        }
        CHECK_FALSE(Told("Don't commit. Ever. I do that.").also("lgtm").run("git commit -am x").empty());
    }

    TEST_CASE("requests for a merge are ordered by their name") {
        const std::string_view said = "Fix the barn. Don't push. Don't open PRs.";
        CHECK_FALSE(Told(said).run("gh pr create --fill").empty());
        CHECK(Told(said).also("great. push and open a PR against develop").run("gh pr create --fill").empty());
        CHECK_FALSE(Told(said)
                        .also("great. the PR of last week can be merged, update the PR text")
                        .run("gh pr create --fill")
                        .empty());
    }

    TEST_CASE("what others ruled out binds no one where the human overrules it in the same message") {
        for (const std::string_view said :
             {"The README says you must not edit src/barn.sql by hand. That's outdated, add a column to it.",
              "My colleague told me: never touch src/barn.sql.\nI disagree. Clean it up.",
              "AGENTS.md says do not modify src/barn.sql but this time we have to.",
              "Jonas wrote:\n- Do not touch src/barn.sql\n\nI asked him, edit src/barn.sql as you like.",
              "[12:03:12] do not modify src/barn.sql manually\n2026-11-27T12:03:13Z do not touch src/barn.sql\n\nfix "
              "it"}) {
            CAPTURE(said);
            CHECK(Told(said).edit("src/barn.sql").empty());
        }
        for (const std::string_view said : {"AGENTS.md says do not modify src/barn.sql. Fix the hay module.",
                                            "I said: never touch src/barn.sql, but you may edit the rest.",
                                            "As I told you: never touch src/barn.sql. The old way was wrong.",
                                            "Legal told us we must not change src/barn.sql. Add a footer."}) {
            CAPTURE(said);
            CHECK_FALSE(Told(said).edit("src/barn.sql").empty());
        }
    }

    TEST_CASE("a longer name of the file, in an order of the same message, is another file") {
        for (const std::string_view said :
             {"In the example app don't touch main.py. In the real app (src/main.py) add --verbose.",
              "Add --verbose to src/main.py. Leave main.py of the example app alone.",
              "In the example app you must not edit main.py. The main.py I mean is src/main.py; add the flag there."}) {
            CAPTURE(said);
            const Told told(said);
            CHECK(told.edit("/p/src/main.py") == "");
            CHECK(told.edit("/p/examples/main.py") != "");
        }
        CHECK(Told("Don't touch main.py. The entry point is src/main.py.").edit("src/main.py") != "");
        CHECK(Told("Don't touch main.py, and don't edit src/main.py.").edit("src/main.py") != "");
    }

    TEST_CASE("who has an assertion changed has the tests changed") {
        const std::string_view rule = "Fix the barn. Don't modify the tests.";
        CHECK(
            Told(rule).also("oh right, that one is outdated, update the assertion").edit("tests/test_hay.py").empty());
        CHECK_FALSE(Told(rule).also("don't update the assertion, fix the code").edit("tests/test_hay.py").empty());
    }

    TEST_CASE("a package that is allowed is so for every installer") {
        CHECK(all_taken_back("No new dependencies.", "ok, you can add a package after all"));
        CHECK_FALSE(all_taken_back("No new dependencies.", "ok, you can add a docstring"));
    }

    TEST_CASE("who has the program changed takes back that it is not to be used") {
        CHECK(all_taken_back("Use yarn, not npm.", "yarn is broken here. switch to npm"));
        CHECK(all_taken_back("Use yarn, not npm.", "ok then go back to npm please"));
        CHECK_FALSE(all_taken_back("Use yarn, not npm.", "don't switch to npm"));
        CHECK_FALSE(all_taken_back("Use yarn, not npm.", "why did you switch to npm-run-all"));
        CHECK_FALSE(all_taken_back("Use yarn, not npm.", "switch to the main branch"));
    }

    TEST_CASE("who takes it back in the same message meant something else") {
        CHECK(Told("Don't change a.py. EDIT: sorry, I meant b.py is off limits. a.py is where the bug is")
                  .edit("a.py")
                  .empty());
        CHECK_FALSE(Told("Don't change a.py. EDIT: sorry, I meant b.py is off limits. a.py is where the bug is")
                        .edit("b.py")
                        .empty());
        CHECK_FALSE(Told("Don't change a.py. I meant to say thanks as well.").edit("a.py").empty());
    }

    TEST_CASE("a permission in other words frees what it is about") {
        const std::string_view tests = "Fix it. Do not touch tests/test_tax.py.";
        CHECK(Told(tests).also("I am done, you may change the test now.").edit("tests/test_tax.py") == "");
        CHECK(Told(tests).also("OK, you can touch it now: adapt what it expects.").edit("tests/test_tax.py") == "");
        CHECK(Told(tests).also("That rule is no longer needed for the tests.").edit("tests/test_tax.py") == "");
        CHECK(Told("Fix it. Do not touch the tests.").also("OK, you can touch them now").edit("tests/test_tax.py") ==
              "");
        CHECK(Told("Fix it. Don't commit.").also("Looks good, ship it.").run("git commit -am x") == "");
        CHECK(Told("Fix it. Do not push.").also("fine, go ahead").run("git push") == "");
        CHECK(
            Told("Fix it. Never use git push --force.").also("You may force-push that once.").run("git push --force") ==
            "");
        CHECK(Told("修复它。不要修改 src/cart.py。").also("现在可以改它了。").edit("src/cart.py") == "");
        CHECK(Told("Only change src/tax.py.")
                  .also("Thanks. Now bring the tests in line too.")
                  .edit("tests/test_tax.py") == "");
        CHECK(Told("Only change src/tax.py.").also("Now update the tests.").edit("tests/test_tax.py") == "");
    }

    TEST_CASE("work that is ordered near a file may have meant it") {
        const std::vector<Constraint> rules = stated_rules("Never touch config/prod.env.");
        REQUIRE(rules.size() == 1);
        CHECK(heard("rotate the key and update everything, including prod", rules[0]) == Heard::speaks_of);
        CHECK(heard("why is prod down?", rules[0]) == Heard::nothing);
        CHECK(heard("fix the config of the staging host", rules[0]) == Heard::nothing);
        CHECK(heard("fix staging, and no change to prod", rules[0]) == Heard::nothing);
    }

    TEST_CASE("files are allowed again in more words") {
        for (const std::string_view said :
             {"hm ok I see that src/barn.py has to change as well", "src/barn.py can go now",
              "now you're free to touch whatever", "src/barn.py may be changed"}) {
            CAPTURE(said);
            CHECK(Told("Fix the hay. Don't touch src/barn.py.").also(said).edit("src/barn.py").empty());
        }
        CHECK(Told("Only change src/hay.py.")
                  .also("Thanks! Next: the CLI crashes with --help, fix")
                  .edit("src/cli.py")
                  .empty());
        CHECK_FALSE(Told("Don't push.").also("you're free to change everything").run("git push").empty());
        CHECK_FALSE(Told("Fix the hay. Don't touch src/barn.py.")
                        .also("src/barn.py can be slow at night")
                        .edit("src/barn.py")
                        .empty());
    }

    TEST_CASE("what allows nothing, or something else, frees nothing") {
        const std::string_view rule = "Fix it. Do not touch src/api/client.cpp.";
        for (const std::string_view said :
             {"You may not change it.", "You can see that it fails.", "You can check that the tests pass.",
              "That is not allowed here, is it?", "You may run make now and look at src/parser.cpp.",
              "It still fails on my machine.", "Go on with the parser."}) {
            CAPTURE(said);
            CHECK(Told(rule).also(said).edit("src/api/client.cpp") == "src/api/client.cpp");
        }
        CHECK(Told("Only change src/tax.py.").also("Run the tests when done.").edit("src/vat.py") == "src/tax.py");
        CHECK(Told("Do not use `git add .` here.").also("Good. Next the parser.").run("git add .") == "git add .");
        CHECK(Told("Fix it. Don't commit.").also("You may push, but do not commit.").run("git commit -m x") ==
              "git commit");
    }

    TEST_CASE("where a flag was ruled out only who names it frees it") {
        constexpr std::string_view kForced = "git push --force origin fix/a";
        for (const std::string_view rule :
             {"Fix the sync. Never force-push.", "Fix the sync. Never use git push --force."}) {
            CAPTURE(rule);
            for (const std::string_view said :
                 {"backup_and_force_push must be removed", "why does the log mention force-push?", "please push it",
                  "push the branch now", "commit and push to main", "You can push it now.", "Looks good, ship it.",
                  "The log mentions a force-push.", "Force-push failed in the old job, look at the log.",
                  "should we force-push?", "You may use --force-with-lease.", "The nonforced path is slow.",
                  "推送吧"}) {
                CAPTURE(said);
                CHECK(Told(rule).also(said).run(kForced) != "");
            }
            for (const std::string_view said :
                 {"OK, force-push it.", "Please force push the branch", "You may force-push that once.",
                  "can you force-push it?", "The history is wrong, do a force push.", "Push it with --force",
                  "push the branch with force", "Then run git push --force.", "Force-pushing is fine here.",
                  "You may do that now.", "可以强制推送"}) {
                CAPTURE(said);
                CHECK(Told(rule).also(said).run(kForced) == "");
            }
        }
        CHECK(Told("Never force-push.").also("Use --force-with-lease.").run("git push --force-with-lease") == "");
        CHECK(Told("Never commit with --no-verify.").also("Commit it.").run("git commit --no-verify -m x") != "");
        CHECK(Told("Never commit with --no-verify.")
                  .also("Commit it with --no-verify.")
                  .run("git commit --no-verify -m x") == "");
    }

    TEST_CASE("a question and a part of an identifier free no command") {
        for (const std::string_view said :
             {"Why does the log mention a commit?", "The column commit_hash is empty.", "is the commit hook slow?"}) {
            CAPTURE(said);
            CHECK(Told("Fix it. Don't commit.").also(said).run("git commit -m x") == "git commit");
        }
        for (const std::string_view said : {"Commit it.", "ok, can you commit that?", "Please commit?",
                                            "Make two commits of it.", "I want it committed."}) {
            CAPTURE(said);
            CHECK(Told("Fix it. Don't commit.").also(said).run("git commit -m x") == "");
        }
    }

    TEST_CASE("a mention frees nothing") {
        const auto heard_by = [](std::string_view rule, std::string_view said) {
            const std::vector<Constraint> rules = stated_rules(rule);
            REQUIRE(!rules.empty());
            return heard(said, rules[0]);
        };
        for (const std::string_view said :
             {"remember: no push", "still no pushing!", "nothing gets pushed", "the no-push rule still stands",
              "I'll push later. go on", "great, I pushed it myself", "use array.push instead of concat",
              "next: push notifications for the app", "pushing is still not allowed", "I will push when I am back",
              "let me push that", "please don't push that either", "without a push, please", "never push"}) {
            CAPTURE(said);
            CHECK(heard_by("Don't push.", said) == Heard::nothing);
        }
        for (const std::string_view said :
             {"CI runs on push, so check ci.yml", "the push of Tom broke CI, ignore that", "Tom pushed to it",
              "pushes are slow today", "pushed to the wrong remote!"}) {
            CAPTURE(said);
            CHECK(heard_by("Don't push.", said) == Heard::speaks_of);
        }
        for (const std::string_view said : {"pushing is fine now",
                                            "Great work. Push.",
                                            "ok now push it",
                                            "please commit and push",
                                            "Can you push it?",
                                            "you have my permission to push",
                                            "forget what I said about pushing",
                                            "Bitte jetzt pushen",
                                            "可以推送了",
                                            "not now, push it later",
                                            "I want it pushed today",
                                            "I think you can push",
                                            "when you push, use the fork",
                                            "ok, create the PR",
                                            "open a pull request please",
                                            "looks good, submit it",
                                            "send it for review",
                                            "publish the branch",
                                            "why not push it?",
                                            "no problem, push"}) {
            CAPTURE(said);
            CHECK(heard_by("Don't push.", said) == Heard::frees);
        }
        for (const std::string_view said :
             {"leave Dockerfile as it was", "the Dockerfile stays as it is", "I changed the Dockerfile myself, go on",
              "look at the Dockerfile to see which node we run", "read Dockerfile again",
              "the Dockerfile must not change", "remember, no edits of Dockerfile", "keep Dockerfile",
              "compare it with the Dockerfile, not Dockerfile", "don't touch Dockerfile, I said"}) {
            CAPTURE(said);
            CHECK(heard_by("Do not touch Dockerfile.", said) != Heard::frees);
        }
        for (const std::string_view said :
             {"now bump node to 20 in the Dockerfile", "you can change the Dockerfile after all",
              "the Dockerfile needs node 20", "the Dockerfile still has node 16, why?",
              "Fix the image and update the Dockerfile", "what about the Dockerfile?", "can you fix Dockerfile?",
              "Dockerfile should say node 20", "update a.py, the Dockerfile and b.py", "go on with Dockerfile"}) {
            CAPTURE(said);
            CHECK(heard_by("Do not touch Dockerfile.", said) == Heard::frees);
        }
        for (const std::string_view said :
             {"run the tests again", "tests fail, look why", "the tests are failing now",
              "remember: tests are not to be changed", "Fix the rounding and run the tests", "the tests should pass"}) {
            CAPTURE(said);
            CHECK(heard_by("Don't change the tests.", said) != Heard::frees);
        }
        for (const std::string_view said :
             {"fix the tests", "now adapt the tests", "add tests for it", "you may change the tests",
              "the tests need the new name", "now the tests", "ok, and now the tests please", "tests next"}) {
            CAPTURE(said);
            CHECK(heard_by("Don't change the tests.", said) == Heard::frees);
        }
        CHECK(heard_by("Do not use WebSearch.", "use WebSearch now") == Heard::frees);
        CHECK(heard_by("Do not use sudo.", "the sudo prompt is ugly") == Heard::speaks_of);
        CHECK(heard_by("Do not use sudo.", "run it with sudo") == Heard::frees);
        CHECK(heard_by("Do not read .env.", "read .env and tell me") == Heard::frees);
    }

    TEST_CASE("to speak of a thing takes no rule back, to allow or order it does") {
        CHECK(all_taken_back("Do not touch tests/test_tax.py for now.", "I am done, you may change the test now."));
        CHECK(all_taken_back("Do not touch tests/test_tax.py.", "You may edit tests/test_tax.py now."));
        CHECK(all_taken_back("Don't commit.", "Looks good, please commit and push."));
        CHECK(all_taken_back("Don't commit.", "Looks good, ship it."));
        CHECK(all_taken_back("Do not change any code yet.", "Good plan. Now implement it."));
        CHECK_FALSE(all_taken_back("Do not touch src/api/.", "The error in src/api/client.cpp is old."));
        CHECK_FALSE(all_taken_back("Don't commit.", "The last commit broke it."));
        CHECK_FALSE(all_taken_back("Don't commit.", "Fix the parser, and don't commit."));
        CHECK_FALSE(all_taken_back("Do not touch the tests.", "The tests are slow."));
    }

    TEST_CASE("files and branches that are known by half a name") {
        CHECK(Told("Add the flag. Please leave the README alone.").edit("README.md") == "README*");
        CHECK(Told("Do not change the changelog.").edit("CHANGELOG.md") == "CHANGELOG*");
        CHECK(Told("Do not edit the README parser.").edit("README.md") == "");
        for (const std::string_view command :
             {"git checkout -b fix/x", "git switch -c fix/x", "cd a && git checkout -b fix/x"}) {
            CHECK(Told("Stay on this branch, do not create new branches.").run(command) != "");
        }
        CHECK(Told("Do not create new branches.").run("git checkout main") == "");
        CHECK(Told("Do not create branch protection rules.").run("git checkout -b x") == "");
    }

    TEST_CASE("a yes to the agent's question allows what it asked for") {
        const std::vector<Constraint> rules = stated_rules("Do not edit src/core.py.");
        REQUIRE(rules.size() == 1);
        constexpr std::string_view kAsked = "The bug is in core.py. May I change it?";
        for (const std::string_view yes :
             {"ok do it", "Sure.", "yes please", "Hm, then it is unavoidable. Fix it there.", "Go ahead", "y", "👍",
              "if you must", "yup", "hm ok, it's fine for that", "Well... yes"}) {
            CAPTURE(yes);
            CHECK(agrees_to(yes, kAsked, rules[0]));
        }
        for (const std::string_view no :
             {"no", "Yes, but do not touch core.py", "ok, but not now", "What does it do?",
              "Look again, instead of guessing", "yesterday it worked", "you tell me", "hm no", "well, that depends"}) {
            CAPTURE(no);
            CHECK_FALSE(agrees_to(no, kAsked, rules[0]));
        }
        CHECK_FALSE(agrees_to("ok do it", "May I change grain.py?", rules[0]));
    }

    TEST_CASE("yes to the question whether to do it allows what tools do, too") {
        const auto allows = [](std::string_view rule, std::string_view question, std::string_view answer) {
            return std::ranges::any_of(stated_rules(rule),
                                       [&](const Constraint& c) { return agrees_to(answer, question, c); });
        };
        CHECK(allows("Do not cancel the order.", "It is late. Shall I cancel the order?", "Yes please."));
        CHECK(allows("Draft replies. Do not send anything.", "Shall I send them?", "yes"));
        CHECK_FALSE(allows("Do not cancel the order.", "Shall I cancel the order?", "no"));
        CHECK_FALSE(allows("Do not cancel the order.", "Shall I look at the lamp?", "yes"));
    }
}
