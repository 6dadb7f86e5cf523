#include "detectors/speech/rule_forms.hpp"
#include "detectors/commands/broken_rule.hpp"
#include "detectors/speech/rule_lists.hpp"
#include "detectors/speech/rule_places.hpp"
#include "detectors/speech/stated_rules.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

std::string rule_against(std::string_view said, const CallTarget& call) {
    const std::vector<Constraint> rules = stated_rules(said);
    const Constraint* rule = broken_by(rules, call);
    return rule ? rule->target : "";
}

std::string against_edit(std::string_view said, std::string_view path) {
    CallTarget call;
    call.tool = "edit";
    call.paths = {std::string(path)};
    call.tool_class = ToolClass::mutate;
    return rule_against(said, call);
}

std::string against_command(std::string_view said, std::string_view command) {
    CallTarget call;
    call.tool = "bash";
    call.command = command;
    call.tool_class = ToolClass::shell;
    return rule_against(said, call);
}

std::string against_tool(std::string_view said, std::string_view tool) {
    CallTarget call;
    call.tool = tool;
    return rule_against(said, call);
}

struct Case {
    std::string_view said, done;
};

}  // namespace

TEST_SUITE("rules in other forms than an order") {
    TEST_CASE("files that are said to be off limits, to stay as they are, or that nobody may touch") {
        for (const Case& c :
             {Case{"Fix the barn. src/api/ is off limits.", "src/api/client.py"},
              Case{"src/grain.py and src/corn.py are off limits for this task.", "src/corn.py"},
              Case{"The file src/grain.py must stay unchanged.", "src/grain.py"},
              Case{"Editing src/grain.py is not allowed.", "src/grain.py"},
              Case{"I don't want you to touch main.py.", "main.py"},
              Case{"lib/b.ts is generated. Never edit it.", "lib/b.ts"},
              Case{"`lib/b.ts` is frozen, don't change it.", "lib/b.ts"},
              Case{"The files lib/a.ts and lib/b.ts belong to another team. Do not modify them.", "lib/b.ts"},
              Case{"Change README.md and nothing else.", "src/a.py"}, Case{"Change nothing but README.md.", "src/a.py"},
              Case{"Fix src/a.py, nothing else.", "src/b.py"},
              Case{"Only edit files in packages/core.", "packages/web/a.ts"},
              Case{"Do not change the lib folder.", "lib/a.ts"},
              Case{"Do not change anything in packages/core.", "packages/core/a.ts"},
              Case{"Don't touch any .yml files.", "ci/build.yml"},
              Case{"Do not edit:\n- src/a.py\n- src/b.py\n", "src/b.py"},
              Case{"Leave these alone. Do not edit:\n\n* src/a.py\n* src/b.py (shared)\n\nThanks", "src/b.py"},
              Case{"Review src/a.py, no edits.", "src/a.py"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) != "");
        }
    }

    TEST_CASE("what only sounds like it forbids no file") {
        for (const Case& c :
             {Case{"The behaviour of src/a.py must stay unchanged. Make it faster.", "src/a.py"},
              Case{"If the tests fail, src/a.py is off limits.", "src/a.py"},
              Case{"src/a.py is off limits until I am back.", "src/a.py"},
              Case{"The comment in src/a.py is wrong. Don't change it.", "src/a.py"},
              Case{"Improve src/a.py. Do not rewrite it from scratch.", "src/a.py"},
              Case{"Change README.md and nothing else.", "README.md"},
              Case{"Only edit files in packages/core.", "packages/core/a.ts"},
              Case{"Do not change the folder structure.", "src/a.py"},
              Case{"Do not change the project folder layout.", "project/a.py"},
              Case{"Only change the read/write logic in src/io.py.", "src/io.py"},
              Case{"Only edit .py files.", "src/a.py"}, Case{"No edits were lost. Fix src/a.py.", "src/a.py"},
              Case{"It broke today, no edits. Fix src/a.py.", "src/a.py"},
              Case{"It failed: no code changes, only config. Fix src/a.py.", "src/a.py"},
              Case{"Rules:\n- keep it short\n- do not edit src/b.py\n- fix src/a.py\n", "src/a.py"},
              Case{"It says \"src/a.py is off limits\". Why?", "src/a.py"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) == "");
        }
    }

    TEST_CASE("commands that must never be run, that are to be avoided, or that another one stands for") {
        for (const Case& c : {Case{"`make deploy` must never be run.", "make deploy"},
                              Case{"Using docker is not allowed.", "docker ps"},
                              Case{"`git push` is forbidden here.", "git push"},
                              Case{"Please avoid git push.", "git push origin a"},
                              Case{"Avoid using sudo.", "sudo make install"},
                              Case{"Fix it without pushing.", "git push"},
                              Case{"Please refrain from committing.", "git commit -m x"},
                              Case{"Use pnpm, never npm.", "npm install"},
                              Case{"Use pnpm instead of npm.", "npm test"},
                              Case{"Use `rg`, not `grep`.", "grep -rn grain ."},
                              Case{"No commits!", "git commit -m x"},
                              Case{"Look at it. No pushes, please.", "git push"},
                              Case{"Do not use npx.", "npx prettier ."},
                              Case{"Never use the rm command.", "rm -rf build"},
                              Case{"Do not run pytest.", "python3 -m pytest -q"},
                              Case{"Do not run pytest.", "uv run pytest"},
                              Case{"Never execute ./migrate.sh.", "bash migrate.sh --all"},
                              Case{"Never execute ./migrate.sh.", "cd db && ./migrate.sh"},
                              Case{"Do not run scripts/deploy.py.", "python3 scripts/deploy.py production"},
                              Case{"Do not open a pull request.", "gh pr create --fill"},
                              Case{"Do not merge the PR yet.", "gh pr merge 12"},
                              Case{"Fix it without installing any packages.", "pip install rich"}}) {
            CAPTURE(c.said);
            CHECK(against_command(c.said, c.done) != "");
        }
        CHECK(against_tool("Don't create a pull request.", "create_pull_request") != "");
    }

    TEST_CASE("what only sounds like it forbids no command") {
        for (const Case& c :
             {Case{"Use podman to avoid running docker as root.", "docker ps"},
              Case{"If CI is red, avoid pushing.", "git push"}, Case{"Avoid git push until I have looked.", "git push"},
              Case{"Use curl instead of wget in install.sh.", "wget https://example.org"},
              Case{"There are no commits yet. Make one.", "git commit -m x"},
              Case{"The branch is new, no commits. Begin it.", "git commit -m x"},
              Case{"Sort it without using recursion.", "make test"},
              Case{"The tests should not be run in parallel.", "npm test"},
              Case{"GET /admin is forbidden, fix that.", "curl localhost/admin"},
              Case{"Review the pull request.", "gh pr view 12"},
              Case{"Do not open a pull request against main.", "gh pr view 12"},
              Case{"Never execute ./migrate.sh.", "cat migrate.sh"},
              Case{"Never execute ./migrate.sh.", "./undo-migrate.sh"},
              Case{"Do not run pytest.", "grep -m pytest setup.cfg"}, Case{"Use rm, not git rm.", "rm a.txt"}}) {
            CAPTURE(c.said);
            CHECK(against_command(c.said, c.done) == "");
        }
    }

    TEST_CASE("the same bans a word away") {
        for (const Case& c : {Case{"Keep everything local, no pushing.", "git push"},
                              Case{"From now on no more pushes please, it is frozen", "git push"},
                              Case{"No more pushes.", "git push"},
                              Case{"There must be no git push", "git push"},
                              Case{"Fix it, no committing", "git commit -m x"},
                              Case{"the branch is frozen, so no more commits", "git commit -m x"},
                              Case{"no sudo pls, this box is shared", "sudo make"},
                              Case{"please work without sudo", "sudo make"},
                              Case{"pnpm only, no npm", "npm i"},
                              Case{"Without adding dependencies.", "npm install x"},
                              Case{"No new deps please.", "pip install x"},
                              Case{"No more dependencies!", "pip install x"},
                              Case{"hold off on pushing", "git push"},
                              Case{"I told you before, we use pnpm, not npm.", "npm i"},
                              Case{"this repo uses pnpm, not npm", "npm i"},
                              Case{"Please use pnpm rather than npm", "npm i"},
                              Case{"It's pnpm here, not npm!", "npm i"},
                              Case{"stay on this branch", "git checkout -b x"},
                              Case{"Stay on this branch, please don't create new ones.", "git switch -c x"},
                              Case{"nobody but me runs terraform apply", "terraform apply"},
                              Case{"Only I push.", "git push"},
                              Case{"`terraform apply` is mine to run", "terraform apply"},
                              Case{"Pushing is my job", "git push"},
                              Case{"leave committing to me", "git commit"},
                              Case{"Leave the pushing to me, please.", "git push"},
                              Case{"I'd rather you didn't run `alembic upgrade` yourself", "alembic upgrade head"},
                              Case{"You are not to run `make deploy`.", "make deploy"}}) {
            CAPTURE(c.said);
            CHECK(against_command(c.said, c.done) != "");
        }
        for (const Case& c : {Case{"no changes to Dockerfile please", "Dockerfile"},
                              Case{"package-lock.json must stay as it is", "package-lock.json"},
                              Case{"config/prod.yml stays untouched", "config/prod.yml"},
                              Case{"config/prod.yml is read-only for you", "config/prod.yml"},
                              Case{"Don't mess with the Dockerfile.", "Dockerfile"},
                              Case{"The Dockerfile is Tom's, please leave it be.", "Dockerfile"},
                              Case{"You are not to modify config/prod.yml under any circumstances.", "config/prod.yml"},
                              Case{"dont touch db/migrations tho", "db/migrations/1.py"},
                              Case{"Don't touch db/migrations though.", "db/migrations/1.py"},
                              Case{"the tests are right, so don't edit them", "tests/test_a.py"},
                              Case{"Please stick to src/pay/ for this one.", "src/order/a.ts"},
                              Case{"Keep the changes within src/pay/.", "src/order/a.ts"},
                              Case{"src/api.ts should remain unmodified", "src/api.ts"},
                              Case{"The tests are not to be changed.", "tests/test_a.py"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) != "");
        }
    }

    TEST_CASE("what stands near such a ban and is none") {
        for (const Case& c : {Case{"There was no push since Monday.", "git push"},
                              Case{"The log shows no pushes. Why?", "git push"},
                              Case{"I see no more commits there.", "git commit"},
                              Case{"It is new, no commits so far.", "git commit"},
                              Case{"no pushes arrive at the hook", "git push"},
                              Case{"If there is no push, it fails.", "git push"},
                              Case{"It works without sudo.", "sudo make"},
                              Case{"Does it run without sudo?", "sudo make"},
                              Case{"It does not work without sudo.", "sudo make"},
                              Case{"No sudo password was set.", "sudo make"},
                              Case{"Without adding dependencies, how would you do it?", "npm install x"},
                              Case{"There are no new deps in it.", "pip install x"},
                              Case{"Do not finish without pushing.", "git push"},
                              Case{"Use pnpm rather than npm in ci.yml.", "npm i"},
                              Case{"Use a script instead of trying it by hand.", "trying"},
                              Case{"Stay on this branch until CI is green.", "git checkout -b x"},
                              Case{"If only I could run terraform apply.", "terraform apply"},
                              Case{"Only I see the error when running npm.", "npm i"},
                              Case{"Leave a note to me.", "git push"},
                              Case{"My job is pushing boxes.", "git push"},
                              Case{"Is it my job to push?", "git push"},
                              Case{"Do not commit anything but the fix.", "git commit -m x"},
                              Case{"Never push anything but the docs.", "git push"},
                              Case{"No git repository was found.", "git status"}}) {
            CAPTURE(c.said);
            CHECK(against_command(c.said, c.done) == "");
        }
        CHECK(against_tool("Please use a script to do it instead of trying manual attempts",
                           "trying_manual_attempts") == "");
        for (const Case& c :
             {Case{"There are no changes to src/a.ts yet. Begin.", "src/a.ts"},
              Case{"It made no changes to src/a.ts. Why?", "src/a.ts"},
              Case{"no changes to src/a.ts were made, fix that", "src/a.ts"},
              Case{"Bump it. package-lock.json remains unchanged after that, fix it.", "package-lock.json"},
              Case{"Why does src/a.ts stay as it is?", "src/a.ts"},
              Case{"If it fails, src/a.ts stays untouched.", "src/a.ts"},
              Case{"The behaviour of src/a.ts must stay as it is.", "src/a.ts"},
              Case{"src/a.ts should stay as it is until I am back.", "src/a.ts"},
              Case{"Stick to the plan in docs/plan.md.", "src/a.ts"},
              Case{"Do not touch `src/api` types; everything else there is fine.", "src/api/client.ts"},
              Case{"The file is old, don't edit it.", "src/a.ts"},
              Case{"The tests in src/a.ts are right, fix the rest.", "src/a.ts"},
              Case{"Users are not to modify src/a.ts.", "src/a.ts"},
              Case{"src/a.ts is read-only for guests.", "src/a.ts"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) == "");
        }
    }

    TEST_CASE("deletions that name no file, that nobody misses, and those in another folder") {
        constexpr std::string_view kNone = "Do not delete any files.";
        for (const char* command : {"git clean -fdx", "git clean -fd && make", "git reset --hard && git clean -fd",
                                    "find . -name '*.bak' -delete", "find . -name x -exec rm {} +", "rm src/old.c"}) {
            CAPTURE(command);
            CHECK(against_command(kNone, command) != "");
        }
        for (const char* command :
             {"git clean -n", "git clean -fdn", "git clean -fdX", "find /tmp/x -delete", "find . -name '*.pyc' -delete",
              "find . -name '*.c'", "rm -rf node_modules", "rm -rf dist", "rm -rf build && make",
              "rm -f .pytest_cache/x", "docker run --rm img", "rm -rf web/node_modules/", "rmdir src/empty",
              "git rm --cached .env", "git rm -r --cached src", "git rm --dry-run src/old.c"}) {
            CAPTURE(command);
            CHECK(against_command(kNone, command) == "");
        }
        CHECK(against_command(kNone, "git rm src/old.c") != "");
        CHECK(against_command("Don't delete src/old.c.", "git rm --cached src/old.c") == "");
        CHECK(against_command("Don't delete src/old.c.", "git rm src/old.c") != "");
        constexpr std::string_view kEnv = "leave deploy/prod.env alone";
        for (const char* command : {"cd deploy && rm prod.env", "cd deploy && sed -i s/a/b/ prod.env",
                                    "(cd deploy; echo A=1 >> prod.env)", "cd /home/a/deploy/ && rm ./prod.env"}) {
            CAPTURE(command);
            CHECK(against_command(kEnv, command) != "");
        }
        for (const char* command : {"cd deploy && cat prod.env", "cd web && rm prod.env", "cd deploy && rm test.env",
                                    "cd deploy && cd ../web && rm prod.env", "cd deploy && cp prod.env other.env",
                                    "cd deploy && rm \"$X\""}) {
            CAPTURE(command);
            CHECK(against_command(kEnv, command) == "");
        }
        CHECK(against_command("never force-push", "git push origin +HEAD") != "");
        CHECK(against_command("never force-push", "git push origin HEAD") == "");
    }

    TEST_CASE("who must not is the agent, and not the product") {
        for (const std::string_view said :
             {"The tool must not change data/users.csv.", "It should never change data/users.csv.",
              "Users must never change data/users.csv.", "Renovate should not touch data/users.csv.",
              "The tests don't change data/users.csv.", "Make the codemod never edit data/users.csv.",
              "I'd avoid touching data/users.csv.", "To avoid changing data/users.csv, copy it.",
              "data/users.csv must stay in sync with data/names.csv.", "Uploads must never overwrite existing files.",
              "data/users.csv is off limits for the crawler."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "data/users.csv") == "");
        }
        for (const std::string_view said :
             {"You must not change data/users.csv.", "The fix must not touch data/users.csv.",
              "**Do not** edit data/users.csv.", "Fix it and never change data/users.csv.",
              "In this repo never edit data/users.csv.", "Please never touch data/users.csv.",
              "The agent must not change data/users.csv.", "**Never** edit `data/users.csv`.",
              "data/users.csv: do not edit!", "Off limits:\n- data/users.csv\n- b.py",
              "## Do not modify\n1. data/users.csv\n2. b.py", "Files you must not change:\n- data/users.csv"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "data/users.csv") == "data/users.csv");
        }
    }

    TEST_CASE("every ban of a sentence counts, in whatever order they stand") {
        for (const std::string_view said : {"Fix b.py. Do not commit, do not push.", "Don't be verbose and never push.",
                                            "Never push and don't touch a.py.", "Dont touch a.py, dont push.",
                                            "Do not touch a.py, but never push either.",
                                            "Never be verbose, and never push.", "不要修改 a.py，也不要推送。"}) {
            CAPTURE(said);
            CHECK(against_command(said, "git push") == "git push");
        }
        for (const std::string_view done : {"git push", "git commit -am x"})
            CHECK(against_command("git rules: no commit, no push", done) != "");
        CHECK(against_edit("and dont u dare touch a.py", "a.py") == "a.py");
        for (const std::string_view said :
             {"Never push and don't touch a.py.", "Dont touch a.py, dont push.", "Do not push, do not touch a.py."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "a.py") == "a.py");
        }
        CHECK(against_command("If you are not sure, never push and don't touch a.py.", "git push") == "");
        CHECK(against_command("Do not touch a.py but do push.", "git push") == "");
    }

    TEST_CASE("files of a kind, words of a program, what is only one of two, and what would be fine are no bans") {
        for (const std::string_view said :
             {"Do not edit files in lib/ that are generated.", "Never add a file to lib/ that has no test.",
              "Never touch lib/b.py which is broken anyway.", "The linter says: do not edit this file. Ignore it.",
              "Please fix:\n\nerror: failed. Do not edit lib/b.py by hand.\n",
              "CI prints\n  remote: do not change lib/b.py\n", "You should not only change a.py but also lib/b.py.",
              "Don't only edit a.py.", "It's fine if you don't touch lib/b.py.", "Do not edit this file.",
              "用户不能修改 lib/b.py。", "如果测试失败就不要修改 lib/b.py。", "为什么不能修改 lib/b.py？",
              "为什么不要修改 lib/b.py？"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "lib/b.py") == "");
        }
        for (const std::string_view said :
             {"Do not edit files in lib/.", "Commit it: do not edit lib/b.py.", "Our boss says: do not edit lib/b.py.",
              "你不能修改 lib/b.py。", "这次也不能修改 lib/b.py。", "不能修改 lib/b.py。",
              "Never touch lib/b.py, which is broken anyway."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "lib/b.py") != "");
        }
    }

    TEST_CASE("what is allowed in the same breath, a part and a way are not forbidden") {
        for (const std::string_view said :
             {"Don't edit a.py, edit b.py.", "Don't edit a.py (edit b.py).", "Don't edit a.py – b.py is the place.",
              "Don't edit a.py, b.py is the right place.", "Don't edit a.py and work in b.py instead.",
              "Don't edit a.py, as b.py needs the fix.", "Fix it without changing the tests: b.py is wrong.",
              "Avoid changing public names in b.py.", "Do not change anything else in b.py.",
              "Do not modify how b.py parses dates.", "Do not edit b.py with sed.",
              "Do not edit a.py and b.py in one commit.", "Do not edit b.py first; begin with a.py.",
              "Avoid editing more than two files: a.py, b.py.", "Do not read b.py at import time."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "b.py") == "");
        }
        for (const std::string_view said :
             {"Don't edit a.py, b.py or c.py.", "Do not edit the following files: a.py, b.py",
              "Do not touch a.py (frozen), b.py (shared).", "Do not change a.py and the file b.py, edit c.py."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "b.py") == "b.py");
        }
        CHECK(against_command("Do not run npm install, run npm start.", "npm start") == "");
        CHECK(against_command("Do not run npm install, run npm start.", "npm install zod") != "");
        CHECK(against_command("Don't use `print`, use `logging`.", "python -c \"print(1)\"") == "");
        CHECK(against_command("Do not run the tests.", "pytest -q") == "pytest");
        CHECK(against_command("Do not run the tests in parallel.", "pytest -q") == "");
    }

    TEST_CASE("beside the only places stand the tests, or what has no name") {
        for (const std::string_view said :
             {"Only change src/b.py and its tests.", "Only edit `src/b.py` and the tests.",
              "Please only touch src/b.py plus the corresponding test file.", "Only change src/b.py and its test.",
              "Only edit the tests and src/b.py.", "Don't touch anything but src/b.py and its test.",
              "Do not change anything outside of src/b.py and the tests, please.",
              "Do not edit anything other than src/b.py or its tests.", "只改 src/b.py 和它的测试。",
              "只修改 `src/b.py` 以及相关测试。", "Don't change anything except src/b.py, its tests and the README."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "tests/test_b.py") == "");
            CHECK(against_edit(said, "src/c.py") == "src/b.py");
        }
        for (const std::string_view said :
             {"Only change src/b.py and related files.", "Only edit src/b.py and update the docs.",
              "Only edit src/b.py and its header.", "Don't touch anything but src/b.py and its callers.",
              "Only change src/b.py, the config and the tests.", "Only edit src/b.py, migrations and tests.",
              "Don't change anything but src/b.py or its callers.", "Only edit documentation and src/b.py.",
              "只改 src/b.py、它的头文件和测试。", "Only edit the docs and src/b.py.",
              "Don't change anything outside src/b.py, the tests and its callers."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/c.py") == "");
        }
        for (const std::string_view said :
             {"Only change src/b.py and run the tests.", "Only change src/b.py and nothing else.",
              "Only change src/b.py and leave the rest alone.", "Only edit src/a.py and src/b.py.",
              "Don't touch anything but src/b.py, please.", "Only edit src/b.py or it will break.",
              "Only change the code in src/b.py."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/c.py") != "");
            CHECK(against_edit(said, "tests/test_b.py") != "");
        }
        for (const std::string_view said : {"Don't change anything outside of src/, tests/ and the README.",
                                            "Only touch src/, the README and tests/."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "README.md") == "");
            CHECK(against_edit(said, "src/a.py") == "");
            CHECK(against_edit(said, "tests/a.py") == "");
            CHECK(against_edit(said, "docs/a.md") != "");
        }
    }

    TEST_CASE("what the same text orders is no part of what it rules out") {
        for (const std::string_view said :
             {"Add tests for src/conv.py. Don't change any code.", "Only change src/b.py. Add a test too.",
              "Only edit src/b.py; update the tests accordingly.", "Only change src/b.py (and its test).",
              "We need more tests for src/b.py. The code must not be changed."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "tests/test_conv.py") == "");
            CHECK(against_edit(said, "src/c.py") != "");
        }
        CHECK(against_edit("Only work in web/, and mention it in the CHANGELOG.", "CHANGELOG.md") == "");
        CHECK(against_edit("Add docstrings to src/b.py. Don't change any code.", "src/b.py") == "");
        CHECK(against_edit("Don't change any code. Don't add tests.", "tests/test_b.py") != "");
    }

    TEST_CASE("an order behind the comma is none of what is ruled out") {
        for (const std::string_view said :
             {"Don't touch the tests, change b.py.", "Do not create new files, extend b.py.",
              "Don't write new tests, fix b.py.", "Don't rewrite everything, simply adapt b.py.",
              "Do not modify the generated files, modify b.py.", "Do not touch the tests, fix the code in b.py.",
              "Do not change anything in lib/ besides lib/b.py.",
              "Don't touch anything in lib/ apart from lib/b.py."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "lib/b.py") == "");
        }
        CHECK(against_edit("Don't touch the tests, change b.py.", "tests/test_b.py") == "the tests");
        for (const std::string_view said :
             {"Do not edit, move or delete b.py.", "Don't even touch, edit or move b.py.",
              "Do not touch the lock file, the tests or b.py.", "Never change, edit b.py."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "b.py") == "b.py");
        }
    }

    TEST_CASE("what is not to be removed, renamed or rewritten may be edited") {
        CHECK(against_edit("Let's not rewrite src/grain.py; a small fix there is enough.", "src/grain.py") == "");
        CHECK(against_edit("Don't rewrite src/grain.py, just fix the bug.", "src/grain.py") == "");
        CHECK(against_edit("Don't rewrite or edit src/grain.py.", "src/grain.py") == "src/grain.py");
        CHECK(against_edit("Do not edit or rewrite src/grain.py.", "src/grain.py") == "src/grain.py");
        CHECK(against_edit("Do not delete src/grain.py; make it faster.", "src/grain.py") == "");
        CHECK(against_edit("Never rename src/grain.py.", "src/grain.py") == "");
        CHECK(against_edit("Do not delete or edit src/grain.py.", "src/grain.py") == "src/grain.py");
        CHECK(against_command("Do not delete src/grain.py.", "git rm src/grain.py") == "src/grain.py");
        CHECK(against_command("Do not remove src/grain.py.", "sed -i s/a/b/ src/grain.py && rm other.py") == "");
        CHECK(against_command("Never rename src/grain.py.", "cd app; sudo mv src/grain.py src/corn.py") ==
              "src/grain.py");
        CallTarget tool;
        tool.tool = "delete_file";
        tool.paths = {"src/grain.py"};
        tool.tool_class = ToolClass::mutate;
        CHECK(rule_against("Do not delete src/grain.py.", tool) == "src/grain.py");
        constexpr std::string_view kPatch =
            "*** Begin Patch\n*** Update File: src/corn.py\n@@\n-a\n+b\n*** Delete File: src/grain.py\n*** End Patch";
        const CallTarget patch =
            target_of({"apply_patch", TextForm::plain}, false, ToolClass::mutate, {kPatch, TextForm::plain}, {});
        CHECK(rule_against("Do not delete src/grain.py.", patch) == "src/grain.py");
        CHECK(rule_against("Do not delete src/corn.py.", patch) == "");
    }

    TEST_CASE("items stand behind the line that rules them out, and others where they were") {
        const auto tells = [](std::string_view line) { return line.starts_with("Do not"); };
        CHECK(with_lists_joined("Do not edit:\n- a.py\n- b.py\nThen stop.\n", tells) ==
              "Do not edit: a.py, b.py\nThen stop.\n");
        CHECK(with_lists_joined("Do:\n- a.py\n- b.py", tells) == "Do:\n- a.py\n- b.py\n");
        CHECK(with_lists_joined("Do not edit:\n\n- a.py\n- Do not push\n", tells) ==
              "Do not edit: a.py\n- Do not push\n");
        std::string many = "Do not edit:\n";
        for (int i = 0; i < 100; ++i) many += "- src/file_" + std::to_string(i) + ".py\n";
        CHECK(with_lists_joined(many, tells).find('\n') < 400);
        CHECK(with_lists_joined("", tells) == "");
        CHECK(with_lists_joined("- a", tells) == "- a\n");
    }

    TEST_CASE("below a bare Do not each item is a ban of its own") {
        for (const std::string_view head : {"Do not:", "Don'ts:", "DON'T:", "## Don't", "### Do not",
                                            "Never:", "You must not:", "Please do not:\n", "**Do not:**"}) {
            for (const std::string_view mark : {"- ", "* ", "1. "}) {
                std::string said = "Fix the crash.\n\n" + std::string(head) + "\n";
                for (const std::string_view item : {"touch src/api/", "run git push", "add dependencies"})
                    said.append(mark).append(item).push_back('\n');
                said += "\nThen:\n- edit go.mod\n- commit\n";
                CAPTURE(said);
                CHECK(against_edit(said, "src/api/a.ts") == "src/api/");
                CHECK(against_command(said, "git push") == "git push");
                CHECK(against_command(said, "npm install lodash") == "npm install");
                CHECK(against_edit(said, "go.mod") == "");
                CHECK(against_command(said, "git commit -m x") == "");
            }
        }
        CHECK(against_edit("Avoid:\n- touching src/b.py\n- noise\n", "src/b.py") == "src/b.py");
        for (const std::string_view said :
             {"If the tests fail, do not:\n- edit src/b.py\n", "Don't forget to:\n- edit src/b.py\n",
              "Don't worry about:\n- src/b.py\n", "The plugin must not:\n- edit src/b.py\n",
              "Do:\n- edit src/b.py\nDon't:\n- use spaces\n", "Do not:\n- push\n\n- edit src/b.py\n",
              "Don't:\n- edit src/b.py unless you must\n", "> Do not:\n> - edit src/b.py\n",
              "```\nDo not:\n- edit src/b.py\n```\n", "I never:\n- edit src/b.py\n"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/b.py") == "");
        }
    }

    TEST_CASE("what is to be asked about first is not to be done until then") {
        for (const std::string_view said :
             {"Implement it. Wait for my review before you commit.",
              "Implement it and wait for my review before committing.", "ask me before you commit anything",
              "Fix it, but check with me before committing.", "I want to review the diff before you commit.",
              "Before you commit, wait for my ok.", "Please let me test it before you commit."}) {
            CAPTURE(said);
            CHECK(against_command(said, "git commit -am x") == "git commit");
            CHECK(stated_rules(said)[0].for_now);
        }
        CHECK(against_command("Ask me before deleting any files.", "rm src/b.py") == "any file");
        for (const std::string_view said :
             {"Run the linter before you commit.", "Let me know before you commit what changed.",
              "No need to ask me before you commit.", "You don't have to ask me before you commit.",
              "Ask me before you commit if you are not sure.", "They ask me before they commit.",
              "The tool should wait for my input before committing.", "The bot should ask me before you commit.",
              "Wait for the build before you commit.", "Show the diff before you commit.",
              "Users ask me before pushing the button."}) {
            CAPTURE(said);
            CHECK(against_command(said, "git commit -am x") == "");
        }
    }

    TEST_CASE("what the human does alone, git as a whole, and one program for another") {
        for (const std::string_view said :
             {"I'll do the commits myself. Fix a.py", "I will commit myself, you just edit a.py",
              "Leave git alone, I commit myself.", "no git stuff please, just edit a.py",
              "Don't do any git operations.", "Leave git alone."}) {
            CAPTURE(said);
            CHECK(against_command(said, "git commit -am x") == "git commit");
            CHECK(against_command(said, "git status && git diff") == "");
        }
        CHECK(against_command("use npm not yarn", "yarn add x") == "yarn");
        CHECK(against_command("no force push!!", "git push -f") != "");
        for (const std::string_view said :
             {"I can't commit myself, do it for me.", "I commit myself to this plan.", "Does it do git operations?",
              "It should not do git operations in the hook.", "The app must leave git alone in CI.",
              "use npm not found errors as a hint", "Why are there no git commands in the log?"}) {
            CAPTURE(said);
            CHECK(stated_rules(said).empty());
        }
    }

    TEST_CASE("files that are read-only are not to be changed, unless that is the fault") {
        for (const std::string_view said :
             {"Fix it. lib/b.py is read-only, work around it.", "lib/b.py is read only!!",
              "The lib/ directory is read-only. Fix the parser.", "Treat lib/b.py as read-only and fix a.py.",
              "Please consider `lib/b.py` frozen.", "lib/a.py and lib/b.py are frozen.",
              "lib/b.py is frozen, dont edit."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "lib/b.py") != "");
            CHECK(against_edit(said, "src/c.py") == "");
        }
        for (const std::string_view said :
             {"lib/b.py is read-only in the container, so it crashes.", "lib/b.py is read-only, so the build breaks.",
              "lib/b.py is read-only. Make it writable.", "Saving fails. lib/b.py is read-only.",
              "Is lib/b.py read-only?", "lib/b.py is read-only?", "README.md says lib/b.py is read-only.",
              "The prop in lib/b.py is read-only.", "lib/b.py is read-only for customers.",
              "The file system is read-only at runtime; lib/b.py must cope.", "Make lib/b.py read-only.",
              "If lib/b.py is frozen, wait."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "lib/b.py") == "");
        }
    }

    TEST_CASE("what is ruled out behind the only places is none of them") {
        for (const std::string_view said :
             {"Only change src/a.py, don't touch src/b.py.", "Only edit src/a.py and never touch src/b.py",
              "只修改 src/a.py，不要碰 src/b.py", "Only touch src/a.py, dont change src/b.py, thanks"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/a.py") == "");
            CHECK(against_edit(said, "src/b.py") == "src/b.py");
            CHECK(against_edit(said, "src/c.py") == "src/a.py");
        }
        CHECK(against_command("Only change src/a.py, and don't commit.", "git commit -am x") == "git commit");
    }

    TEST_CASE("work that tools of several names do, and a review in other words") {
        for (const std::string_view said :
             {"don't search the web", "no web search please", "Fix it, but do not search online."}) {
            CAPTURE(said);
            CHECK(against_tool(said, "web_search") != "");
            CHECK(against_tool(said, "web_fetch") == "");
        }
        for (const std::string_view said :
             {"Don't spawn subagents.", "Do not use any sub-agents", "no subagents please"}) {
            CAPTURE(said);
            CHECK(against_tool(said, "task") != "");
        }
        for (const std::string_view said :
             {"Plan first. Do not implement anything yet.", "Analyse only, no code changes.",
              "This is a read-only investigation: find out why it is slow.", "Don't start coding yet"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/b.py") != "");
        }
        CHECK(against_edit("Do not implement anything in JavaScript.", "src/b.py") == "");
        CHECK(against_edit("This is a read-only property of src/b.py.", "src/b.py") == "");
        CHECK(against_tool("The crawler must not search the web.", "web_search") == "");
        CHECK(against_tool("Why are there no subagents?", "task") == "");
    }

    TEST_CASE("programs alone may stand behind never") {
        CHECK(against_command("Always use pnpm. Never npm or yarn.", "npm install") != "");
        CHECK(against_command("Always use pnpm. Never npm or yarn.", "yarn add zod") != "");
        CHECK(against_command("never sudo!", "sudo apt install jq") != "");
        CHECK(against_command("never npm packages that are old", "npm install") == "");
        CHECK(against_command("Never mind docker.", "docker ps") == "");
    }

    TEST_CASE("a command may be the verb") {
        for (const std::string_view said :
             {"Run `terraform plan`, but never `terraform apply`.", "never terraform apply",
              "Don't terraform apply tho", "Run the plan and never ever `terraform apply` it."}) {
            CAPTURE(said);
            CHECK(against_command(said, "terraform apply -auto-approve") == "terraform apply");
            CHECK(against_command(said, "terraform plan") == "");
        }
        CHECK(against_command("lgtm, commit it. dont push tho", "git push") == "git push");
        CHECK(against_command("Don't go test it, I know.", "go test ./...") == "");
        CHECK(against_command("never `rm`", "rm a.txt") == "");
    }

    TEST_CASE("names behind a heading, and nothing else") {
        for (const std::string_view said :
             {"Allowed files: src/a.py, src/c.py.", "Just src/a.py and src/c.py, nothing else",
              "Keep all edits inside src/a.py.", "no changes outside src/a.py please"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/a.py") == "");
            CHECK(against_edit(said, "src/b.py") != "");
        }
        for (const std::string_view said :
             {"Out of scope:\n- src/b.py\n- docs/\n\nTask: fix it", "Off-limits files: src/b.py and src/d.py"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/b.py") != "");
            CHECK(against_edit(said, "src/a.py") == "");
        }
        CHECK(against_edit("Out of scope: rewriting src/b.py", "src/b.py") == "");
        CHECK(against_edit("There are no changes outside src/a.py.", "src/b.py") == "");
        CHECK(against_command("不要安装新的依赖", "pip install x") != "");
    }

    TEST_CASE("hands off, nobody but me, and the same in other words") {
        for (const Case& c :
             {Case{"schema.prisma: hands off. Make the tests green.", "schema.prisma"},
              Case{"nobody touches config/prod.yml but me. Add the flag.", "config/prod.yml"},
              Case{"No one edits config/prod.yml except me.", "config/prod.yml"},
              Case{"i don't want any changes in src/auth, just fix the sidebar", "src/auth/login.ts"},
              Case{"I do not want changes to a.py.", "a.py"},
              Case{"Changing webpack.config.js is not ok.", "webpack.config.js"},
              Case{"Editing a.py is not an option!", "a.py"},
              Case{"pls no changes to the Dockerfile, ops owns it", "Dockerfile"},
              Case{"Constraint: no modifications under third_party/.", "third_party/pb.h"},
              Case{"fix it but u are not allowed to touch db/schema.rb, k?", "db/schema.rb"},
              Case{"Do not, under any circumstances, edit a.py.", "a.py"},
              Case{"leave .github alone", ".github/workflows/ci.yml"},
              Case{"Notes:\n- db/structure.sql is generated, never edit it by hand\n", "db/structure.sql"},
              Case{"Use src/core.ts as a reference but don't modify it.", "src/core.ts"},
              Case{"Look at src/core.ts. Do not change it.", "src/core.ts"},
              Case{"Feel free to read api/ but you must not change anything in there.", "api/retry.go"},
              Case{"Read-only: src/core.ts, src/types.ts\nEdit: src/a.ts", "src/core.ts"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) != "");
        }
        for (const Case& c :
             {Case{"The result in a.py is not ok, fix it.", "a.py"}, Case{"a.py is not ok.", "a.py"},
              Case{"I don't want any changes in behaviour. Clean up src/auth.", "src/auth"},
              Case{"I don't want changes in how a.py works.", "a.py"}, Case{"Nobody touches a.py any more.", "a.py"},
              Case{"The hands off the ball in a.py, fix the physics", "a.py"},
              Case{"No changes under a.py were found", "a.py"},
              Case{"Use src/core.ts as a reference but don't copy it, adapt it.", "src/core.ts"},
              Case{"Use .only in tests? never add .only", "tests/a.ts"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) == "");
        }
    }

    TEST_CASE("not yet is not to be done; what users may not, others wrote, or only the whole of it is no ban") {
        for (const std::string_view said : {"no changes yet, just tell me the plan",
                                            "Just analyze the bug, don't fix it yet.", "Don't fix anything for now."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/a.py") != "");
            CHECK(stated_rules(said).front().for_now);
        }
        for (const std::string_view said :
             {"There are no changes yet, why?", "If it works, don't fix it.",
              "Editing src/a.py by users is not allowed, lock it down",
              "PR comments:\n- @max: please don't change src/a.py, unrelated\n\nAddress them.",
              "The docs say: don't fix it yet in that form"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/a.py") == "");
        }
        CHECK(against_command("don't read the whole file big.json, use head", "head -c 300 big.json") == "");
        CHECK(against_command("don't read the file big.json", "head -c 300 big.json") != "");
    }

    TEST_CASE("items of lists, and what only some may be, in more words") {
        for (const Case& c :
             {Case{"Rules:\n- Tests must not be modified.\n", "tests/test_a.py"},
              Case{"Someone else is editing db.py at the moment, don't touch it.", "db.py"},
              Case{"I'm working on header.tsx. Do not touch it.", "header.tsx"},
              Case{"You're only allowed to edit the following files: a.py, b.py", "c.py"},
              Case{"Allowed to modify: src/x.ts.", "src/y.ts"},
              Case{"Everything except src/x.ts is read-only.", "src/y.ts"},
              Case{"treat everything outside of src/api/ as read-only", "src/y.ts"},
              Case{"The only file that should change is src/x.ts.", "src/y.ts"},
              Case{"Scope: src/x.ts only.", "src/y.ts"}, Case{"Restrict edits to src/x.ts.", "src/y.ts"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) != "");
        }
        for (const Case& c : {Case{"You're only allowed to edit the following files: a.py, b.py", "b.py"},
                              Case{"Everything except src/x.ts is read-only.", "src/x.ts"},
                              Case{"treat everything outside of src/api/ as read-only", "src/api/a.ts"},
                              Case{"The users are only allowed to edit profile.json, fix a.py", "a.py"},
                              Case{"Do NOT add these to .gitignore.", ".gitignore"},
                              Case{"I'm working on header.tsx and don't know how to fix it.", "header.tsx"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) == "");
        }
        CHECK(against_command("Do not make git commits.", "git commit -m x") != "");
        CHECK(against_command("Don't stash my changes!", "git stash") != "");
        CHECK(against_command("commit but no push", "git push") != "");
        CHECK(against_command("I see a commit but no push, why", "git push") == "");
    }

    TEST_CASE("commands that were named before, packages of a kind, and files that are left to the human") {
        CHECK(against_command("The deploy script is ./deploy.sh, don't run it!", "./deploy.sh staging") != "");
        CHECK(against_command("We release with `make ship`. Do not run it.", "make ship") != "");
        CHECK(against_command("The test is tests/test_a.py. Don't run it yet, read it.", "python tests/test_a.py") !=
              "");
        CHECK(against_command("If ./deploy.sh fails don't run it again.", "./deploy.sh staging") == "");
        CHECK(against_command("stop using sed please, use the Edit tool.", "sed -i s/a/b/ a.py") != "");
        CHECK(against_command("How do I stop using sed?", "sed -i s/a/b/ a.py") == "");
        CHECK(against_command("- no new pip packages, boto3 is there already", "pip install moto") != "");
        CHECK(against_command("there are no new npm packages in there", "npm install moto") == "");
        CHECK(against_edit("Leave CHANGELOG.md to me.", "CHANGELOG.md") != "");
        CHECK(against_edit("Do not change any test.", "tests/test_a.py") != "");
        CHECK(against_edit("Do not change the test data.", "tests/test_a.py") == "");
    }

    TEST_CASE("one of two places, the rules of a list in one sentence, and all but some") {
        for (const Case& c :
             {Case{"All of web/ may be changed, api/ must not be touched.", "api/a.go"},
              Case{"a.py can change but b.py must not be touched", "b.py"},
              Case{"a.py, b.py must not be changed.", "a.py"},
              Case{"Rules: no commits, config/prod.yml stays untouched, ask when unsure.", "config/prod.yml"},
              Case{"You can change anything except payment/.", "payment/card.py"},
              Case{"Anything goes except changes in payment/.", "payment/card.py"},
              Case{"Change anything but the schema (db/schema.sql).", "db/schema.sql"},
              Case{"Makefile is taboo.", "Makefile"},
              Case{"read-only investigation please: why is the queue growing?", "a.py"},
              Case{"Explain a.py to me. I don't want any code changed.", "a.py"},
              Case{"code review only. no fixes.", "a.py"}, Case{"No code yet, let's brainstorm.", "a.py"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) != "");
        }
        for (const Case& c :
             {Case{"All of web/ may be changed, api/ must not be touched.", "web/a.ts"},
              Case{"a.py can change but b.py must not be touched", "a.py"},
              Case{"You can change anything except payment/.", "cart/cart.py"},
              Case{"I don't want anything but the best for a.py", "a.py"},
              Case{"Rules: no commits, unless I say so.", "a.py"}, Case{"There are no fixes for a.py yet.", "a.py"},
              Case{"Add a read-only review page in a.py", "a.py"},
              Case{"Important: a.py, b.py and c.py are slow.", "a.py"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) == "");
        }
        CHECK(against_command("Rules: no commits, config/prod.yml stays untouched, ask when unsure.",
                              "git commit -m x") != "");
        CHECK(against_command("Rules: no commits, unless I say so.", "git commit -m x") == "");
    }

    TEST_CASE("what the human takes care of, other files, and a leave that leaves nothing alone") {
        for (const std::string_view said :
             {"I'll take care of commits. You just write code.", "Let me handle git. You just write code."}) {
            CAPTURE(said);
            CHECK(against_command(said, "git commit -am x") != "");
        }
        CHECK(against_command("I'll take care of the docs, you commit.", "git commit -am x") == "");
        CHECK(against_edit("Hi, quick one: in docs/api.md fix the broken link. Don't edit other files pls.",
                           "docs/index.md") != "");
        CHECK(against_edit("Fix storage.py. Nothing else.", "upload.py") != "");
        CHECK(against_edit("Fix storage.py. Nothing else.", "storage.py") == "");
        CHECK(against_edit("leave a comment in a.py, as is customary here", "a.py") == "");
        CHECK(against_edit("leave a.py as is, please", "a.py") != "");
        CHECK(against_edit("leave a.py alone for now", "a.py") != "");
    }

    TEST_CASE("rules that are to be written somewhere bind no one") {
        for (const Case& c :
             {Case{"Add to AGENTS.md:\n- never run npm publish\n- do not edit dist/\n\nThen rebuild dist/.",
                   "dist/a.js"},
              Case{"Write AGENTS.md with these rules: no commits without tests; never touch dist/. Then rebuild.",
                   "dist/a.js"},
              Case{"Please write CONTRIBUTING.md:\n1. Do not edit dist/\n2. Be nice", "dist/a.js"},
              Case{"The output of dist/a.js must not be changed.", "dist/a.js"},
              Case{"The output of dist/a.js must not change.", "dist/a.js"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) == "");
        }
        for (const Case& c :
             {Case{"Add to AGENTS.md:\n- never run npm publish\n\nRules for you:\n- do not edit dist/\n", "dist/a.js"},
              Case{"Write AGENTS.md: be nice. Do not edit dist/.", "dist/a.js"},
              Case{"Add a flag to cli.py: --dry. Do not touch dist/.", "dist/a.js"},
              Case{"First: dist/a.js must not change.", "dist/a.js"},
              Case{"refactor, but keep src/index.ts unchanged since it's our public API", "src/index.ts"},
              Case{"let's not touch the database layer (db/) in this PR", "db/pool.py"},
              Case{"we won't change utils/date.js in this PR, only its callers", "utils/date.js"},
              Case{"Heads-up: infra/ belongs to the platform team, don't make changes there.", "infra/env.tf"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) != "");
        }
    }

    TEST_CASE("what stays as it is is the subject of its own clause, and no file before it") {
        for (const std::string_view said :
             {"Make test_hay pass by mending src/hay.py - the tests themselves are correct and must stay unchanged.",
              "Mend src/hay.py, the tests must stay unchanged.",
              "Mend src/hay.py, the tests are right and must remain untouched.",
              "Fix src/hay.py while the tests must stay unchanged.",
              "Fix src/hay.py but the tests must stay unchanged."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/hay.py") == "");
            CHECK(against_edit(said, "tests/test_hay.py") == "the tests");
        }
        CHECK(against_edit("Fix src/hay.py and src/barn.py must stay unchanged.", "src/hay.py") == "");
        CHECK(against_edit("Fix src/hay.py and src/barn.py must stay unchanged.", "src/barn.py") != "");
        CHECK(against_edit("src/hay.py is old and must stay unchanged.", "src/hay.py") != "");
        CHECK(against_edit("src/hay.py and src/barn.py must stay unchanged.", "src/hay.py") != "");
    }

    TEST_CASE("a rule that is told to be over binds no one") {
        for (const std::string_view said : {"The rule that we don't touch src/barn.py no longer applies. Clean it up.",
                                            "The ban saying you must not edit src/barn.py was lifted.",
                                            "The policy to never edit src/barn.py is obsolete.",
                                            "Do not edit src/barn.py. Not any more: the team is gone.",
                                            "Never edit src/barn.py. That rule is history."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "");
        }
        for (const std::string_view said :
             {"There is a rule: never edit src/barn.py.", "The rule is that you must not edit src/barn.py.",
              "Never edit src/barn.py. That rule is important.", "Do not edit src/barn.py, it is outdated.",
              "The freeze is lifted, but don't edit src/barn.py.", "Don't touch src/barn.py. It is no longer used."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") != "");
        }
    }

    TEST_CASE("a smiley ends what is ruled out") {
        CHECK(against_edit("Keep your hands off the mouse, this is a demo ;) Now fix src/barn.py", "src/barn.py") ==
              "");
        CHECK(against_edit("Keep your hands off src/barn.py ;) Now fix src/hay.py", "src/barn.py") != "");
        CHECK(against_edit("Don't touch src/barn.py :) Now fix src/hay.py", "src/hay.py") == "");
    }

    TEST_CASE("the files of a patch are known where its lines are parted by letters") {
        const std::string_view script =
            R"js(const p = "*** Begin Patch\n*** Update File: src/barn.py\n@@\n-a\n+b\n*** Delete File: src/hay.py\n*** End Patch"; text(p))js";
        const CallTarget call = target_of({"exec", TextForm::plain}, false, ToolClass::mutate,
                                          {script, TextForm::plain}, {script, TextForm::plain});
        CHECK(call.paths == std::vector<std::string>{"src/barn.py", "src/hay.py"});
        CHECK(rule_against("Only edit src/barn.py and src/hay.py.", call).empty());
        CHECK(rule_against("Don't touch src/hay.py.", call) == "src/hay.py");
    }

    TEST_CASE("what is to be kept off, in more words, and what is no file") {
        for (const std::string_view said :
             {"Fix the hay. Steer clear of src/barn.py.", "Fix the hay, but keep away from src/barn.py.",
              "src/barn.py is Ada's, keep your fingers out of it.",
              "src/barn.py is Ada's. Please keep your fingers out of it.",
              "src/barn.py is fragile. Stay away from it please.", "Please keep your hands out of src/barn.py.",
              "src/barn.py is fragile, always stay away from it.", "src/barn.py is Ada's, you have to keep out of it.",
              "Keep off src/barn.py, I work there."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "src/barn.py");
            CHECK(against_edit(said, "src/hay.py") == "");
        }
        CHECK(against_edit("Port it, and keep off the tests folder.", "tests/test_hay.py") == "the tests");
        for (const std::string_view said :
             {"Steer clear of global state in src/barn.py.",
              "Users should keep away from /admin: check it in src/barn.py.",
              "src/barn.py is called in a loop, so callers stay away from it.",
              "The robots in src/barn.py stay clear of it. Why?", "Keep off-by-one errors out of src/barn.py.",
              "Fix src/barn.py, it must keep clear of the walls.",
              "To stay away from it costs too much, fix src/barn.py."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "");
        }
    }

    TEST_CASE("what is to be left the way it is, and what else is left") {
        for (const std::string_view said :
             {"Fix the hay, and leave src/barn.py exactly the way it is.",
              "Leave src/barn.py just as it is. Add a route.", "leave everything in src/ the way it is",
              "Leave src/barn.py in peace.", "Leave src/barn.py be."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") != "");
        }
        CHECK(against_edit("Leave the tests exactly as they are.", "tests/test_hay.py") == "the tests");
        for (const std::string_view said :
             {"Leave a note in src/barn.py that it may be slow.", "Leave src/barn.py to be fixed at the end.",
              "Leave a comment in src/barn.py on how it is called.", "src/barn.py leaves the hay in peace. Fix it.",
              "Leave the door in src/barn.py open the way it is drawn.",
              "Leave it to be: src/barn.py is done, I hope."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "");
        }
    }

    TEST_CASE("this time and in here end a ban like nothing") {
        CHECK(against_command("Rebase it. No force push this time.", "git push --force") != "");
        CHECK(against_command("No commits today.", "git commit -m x") != "");
        CHECK(against_command("Never run git stash in here, I have work.", "git stash") == "git stash");
        for (const std::string_view said :
             {"No force push this time broke it, a plain one did. Why?", "There was no force push this time.",
              "No commits today means something is wrong, look.", "No commits were lost today.",
              "Never run git stash in here-docs."}) {
            CAPTURE(said);
            CHECK(against_command(said, "git push --force") == "");
            CHECK(against_command(said, "git commit -m x") == "");
        }
    }

    TEST_CASE("hooks that are not to be skipped are skipped by flags of git") {
        for (const std::string_view said :
             {"Commit it. Don't bypass the hooks with --no-verify.", "Commit it, and don't skip the pre-commit hooks.",
              "Never circumvent the commit hooks.", "You must not disable the git hooks."}) {
            CAPTURE(said);
            CHECK(against_command(said, "git commit --no-verify -m x") != "");
            CHECK(against_command(said, "git commit -am wip -n") != "");
            CHECK(against_command(said, "git commit -m x") == "");
            CHECK(against_command(said, "git push -n") == "");
        }
        for (const std::string_view said :
             {"Don't skip the tests of the parser.", "Don't bypass the cache.", "Don't disable the button.",
              "Don't skip hooking up the parser, and use --no-verify if you must.",
              "The hook is broken. Use --no-verify.", "If it hangs, don't skip the hooks."}) {
            CAPTURE(said);
            CHECK(against_command(said, "git commit -m x") == "");
        }
        CHECK(against_command("The hook is broken. Use --no-verify.", "git commit --no-verify -m x") == "");
    }

    TEST_CASE("what is to be no part of the change is not to be changed") {
        for (const std::string_view said : {"src/barn.py should not be part of this change.",
                                            "The lockfile src/barn.py must not be part of the diff.",
                                            "Fix the hay; src/barn.py should not be part of your PR.",
                                            "src/barn.py shouldn't be part of this PR, thanks."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "src/barn.py");
        }
        for (const std::string_view said :
             {"src/barn.py should not be part of the bundle.",
              "The header in src/barn.py must not be part of the output.",
              "src/barn.py should not be part of the change log.", "src/barn.py should be part of this change.",
              "Secrets from src/barn.py must not be part of the diff view.",
              "Why should src/barn.py not be part of this PR?",
              "The comments of src/barn.py should not be part of the diff."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "");
        }
    }

    TEST_CASE("what the human would rather not have") {
        for (const std::string_view said :
             {"Parse it. I'd rather not have any new dependencies.", "I don't want any new dependencies.",
              "We don't want any more packages, please."}) {
            CAPTURE(said);
            CHECK(against_command(said, "npm install zod") != "");
        }
        CHECK(against_command("I don't want any commits, please.", "git commit -m x") != "");
        for (const std::string_view said :
             {"I don't want any new dependencies to break, update them.", "I don't want any commits to be lost.",
              "I don't want dependencies between the two, install zod.",
              "I'd rather not have this discussion, install zod.",
              "I don't want any new dependencies unless you need them."}) {
            CAPTURE(said);
            CHECK(against_command(said, "npm install zod") == "");
            CHECK(against_command(said, "git commit -m x") == "");
        }
    }

    TEST_CASE("what is frozen, for the reason behind the comma, and in brackets") {
        for (const std::string_view said :
             {"src/barn.py is frozen, another team owns it.", "src/barn.py is read-only, someone else edits it.",
              "The schema (src/barn.py) is frozen until Friday - no edits there.",
              "src/barn.py is frozen, since we ship it today."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "src/barn.py");
        }
        for (const std::string_view said :
             {"src/barn.py is frozen, so the page hangs.", "The window (src/barn.py) looks frozen. Fix it.",
              "A value of src/barn.py is frozen, another is not.",
              "The window of the app (src/barn.py) is frozen while it loads.",
              "The object in src/barn.py is frozen, because we freeze it. Undo that.",
              "Is src/barn.py frozen, since we ship today?"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "");
        }
    }

    TEST_CASE("who cannot leave a file alone wants it changed") {
        CHECK(against_edit("I can't leave src/barn.py as it is, please improve it.", "src/barn.py") == "");
        CHECK(against_edit("We cannot leave src/barn.py untouched.", "src/barn.py") == "");
        CHECK(against_edit("Please leave src/barn.py as it is.", "src/barn.py") != "");
        CHECK(against_edit("It does not matter, leave src/barn.py as it is.", "src/barn.py") != "");
    }

    TEST_CASE("anything in a place is what lies there") {
        for (const std::string_view said : {"In src/barn.py don't touch anything. Instead edit src/hay.py.",
                                            "Under src/barn/ do not change any files."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/hay.py") == "");
        }
        CHECK(against_edit("In src/barn.py don't touch anything.", "src/barn.py") != "");
        CHECK(against_edit("Under src/barn/ do not change any files.", "src/barn/a.py") != "");
        CHECK(against_edit("In this review do not change any files.", "src/hay.py") != "");
        CHECK(against_command("In src/barn/ do not delete any files.", "rm src/barn/a.py") != "");
        CHECK(against_command("In src/barn/ do not delete any files.", "rm src/hay.py") == "");
    }

    TEST_CASE("nothing in a place that may be changed") {
        CHECK(against_edit("Nothing below deploy/ may be changed.", "deploy/k8s.yaml") != "");
        CHECK(against_edit("Nothing in src/barn.py should be touched, please.", "src/barn.py") != "");
        for (const std::string_view said :
             {"Nothing in src/barn.py should be cached.", "Nothing in src/barn.py can be changed, sadly. Why?",
              "Nothing in src/barn.py should change except the count.",
              "Nothing in src/barn.py may be changed by users of it.",
              "Nothing in the API of src/barn.py may be changed.",
              "There is nothing in src/barn.py that must be changed."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "");
        }
    }

    TEST_CASE("what is not even to be thought about") {
        CHECK(against_edit("Please don't even think about editing src/barn.py.", "src/barn.py") != "");
        CHECK(against_command("Don't even think about pushing.", "git push") == "git push");
        for (const std::string_view said :
             {"Don't even think about performance in src/barn.py.", "I don't even think about it. Fix src/barn.py.",
              "Don't think about editing it by hand, run the codemod on src/barn.py.",
              "They don't even consider src/barn.py.", "Don't even think about why src/barn.py works."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "");
        }
    }

    TEST_CASE("what it is, behind a call for attention and by the kind of the file") {
        for (const std::string_view said :
             {"Heads up: src/barn.py is Ada's, keep your fingers out of it.",
              "Note: src/barn.py is generated. Never edit it.", "The src/barn.py file is mine, stay away from it."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "src/barn.py");
        }
        for (const std::string_view said : {"The src/barn.py tests are slow, don't change them.",
                                            "The output of src/barn.py is fine, don't change it.",
                                            "Heads up: the docs of src/barn.py are old, don't edit them.",
                                            "Error: src/hay.py is missing, don't change it: src/barn.py",
                                            "The src/barn.py parser is good, don't touch it, the rest of it is not."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/barn.py") == "");
        }
    }

    TEST_CASE("bans with words before or behind them that change nothing") {
        CHECK(against_edit("Under no circumstances may you modify src/barn.py.", "src/barn.py") != "");
        CHECK(against_command("Use `pnpm`; `npm install` is forbidden in this monorepo.", "npm install lodash") != "");
        CHECK(against_command("And for god's sake no force push this time.", "git push --force") != "");
        CHECK(against_command("But no force push, please.", "git push --force") != "");
        CHECK(against_command("no, do not push anything from here", "git push origin HEAD:preview") != "");
        for (const std::string_view said :
             {"There was no force push.", "He said no force push, I say do it.", "I see no force push in the log.",
              "Under no circumstances may users push.", "With no force push left, try a plain one."}) {
            CAPTURE(said);
            CHECK(against_command(said, "git push --force") == "");
        }
    }

    TEST_CASE("who only asks about a ban states none") {
        for (const std::string_view said :
             {"Not allowed to push? I gave you access", "why are we not allowed to push? I think we are.",
              "what happens if I never push?", "should I never push? If that is fine, push it.",
              "So do we never push here?", "Do you never push? Please push it.", "remember when I said don't push?"}) {
            CAPTURE(said);
            CHECK(against_command(said, "git push") == "");
        }
        for (const std::string_view said :
             {"can you fix it, but don't push?", "Could you fix it and never push?", "Fix it but don't push, ok?"}) {
            CAPTURE(said);
            CHECK(against_command(said, "git push") != "");
        }
    }

    TEST_CASE("a file that was asked for and is not to be committed leaves the work free") {
        for (const std::string_view said : {"Save the plan to notes/plan.md but never commit it.",
                                            "Write your notes to NOTES.md. Do not commit it."}) {
            CAPTURE(said);
            CHECK(against_command(said, "git commit -am x") == "");
        }
        for (const std::string_view said :
             {"Fix a.py but don't commit it.", "Fix the parser. Don't commit it yet.",
              "Write the endpoint in api.py, but don't commit it yet.", "Create a new page. Don't commit it."}) {
            CAPTURE(said);
            CHECK(against_command(said, "git commit -am x") != "");
        }
    }

    TEST_CASE("migrations that are there are not to be changed, new ones may be written") {
        for (const std::string_view said : {"Don't modify existing migrations, write a new one.",
                                            "don't edit any existing migrations!!", "Do not touch old migrations."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "db/migrate/001_init.rb") != "");
            CHECK(against_edit(said, "app/models/a.rb") == "");
            CallTarget made;
            made.tool = "write";
            made.paths = {"db/migrations/002_paid.sql"};
            made.tool_class = ToolClass::mutate;
            made.creates = true;
            CHECK(rule_against(said, made) == "");
            made.creates = false;
            made.added = made.paths;
            CHECK(rule_against(said, made) == "");
        }
    }

    TEST_CASE("places by their whole names, and of a home folder") {
        for (const Case& c : {Case{"Only modify files in /home/noor/mill/.", "src/a.py"},
                              Case{"Only modify files in ~/mill/.", "src/a.py"},
                              Case{"Only modify files in ~/mill/.", "/home/noor/mill/src/a.py"},
                              Case{"Only modify files in ~/mill/src/auth/", "src/auth/a.py"},
                              Case{"Only modify files in /home/noor/mill/src/auth/", "src/auth/a.py"},
                              Case{"Do not touch /home/noor/other/src/auth.py, it is the old one", "src/auth.py"},
                              Case{"Do not touch ~/mill/src/auth.py", "/srv/mill/src/auth.py"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) == "");
        }
        for (const Case& c : {Case{"Only modify files in /home/noor/mill/src/auth/", "src/core/a.py"},
                              Case{"Only modify files in ~/mill/src/auth/", "/home/noor/mill/src/core/a.py"},
                              Case{"Only modify files in ~/mill/", "/home/noor/other/a.py"},
                              Case{"Do not touch ~/mill/src/auth.py", "/home/noor/mill/src/auth.py"},
                              Case{"Do not touch ~/mill/src/", "/Users/noor/mill/src/auth.py"}}) {
            CAPTURE(c.said);
            CHECK(against_edit(c.said, c.done) != "");
        }
    }

    TEST_CASE("nothing else, behind the order") {
        for (const std::string_view said :
             {"Fix the typo in index.html and don't change anything else",
              "fix index.html. Don't touch anything else please",
              "In index.html, change the title. Don't change anything else.",
              "Fix the typo in index.html. Leave everything else as is.", "Fix the date bug. Only index.html please.",
              "Tidy the imports. index.html only, thanks!",
              "You can read anything, but the only directory you may write to is index.html/",
              "don't change anything else than index.html"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "about.html") != "");
            CHECK(against_edit(said, "index.html") == "");
        }
        for (const std::string_view said :
             {"Fix about.html. Also fix index.html. Don't change anything else.",
              "Fix the login. Don't change anything else.", "Which page is slow? Only index.html please.",
              "Show me the files. Only index.html.", "Add a test for index.html. Don't touch anything else."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "about.html") == "");
        }
    }

    TEST_CASE("only, said in other places of the sentence") {
        for (const std::string_view said :
             {"from now on only src/a.py", "From now on, only src/a.py please", "Edit src/a.py only.",
              "Please fix src/a.py only", "Edit src/a.py only, please", "Edit src/a.py only and run the tests",
              "All changes must be confined to src/a.py.", "All changes must stay within src/a.py.",
              "The only file you may modify is src/a.py.", "The only files you can edit are src/a.py and src/c.py."}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/b.py") != "");
            CHECK(against_edit(said, "src/a.py") == "");
        }
        for (const std::string_view said :
             {"From now on only use the new logger in src/a.py.", "From now on only write tests.",
              "It fails only in src/a.py.", "Only src/a.py and src/c.py are left to migrate.",
              "Edit src/a.py only if needed.", "The only file you changed is src/a.py.",
              "Change the colour in src/a.py only on hover.", "Access must be limited to src/a.py.",
              "Edit src/a.py only, then update src/b.py.", "Edit src/a.py only and src/b.py where it calls it.",
              "All changes must be limited to a minimum, edit src/a.py"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/b.py") == "");
        }
    }

    TEST_CASE("places of a rule") {
        using List = std::vector<std::string>;
        CHECK(rule_places("files in packages/core, and under apps/web", 8) == List{"packages/core/", "apps/web/"});
        CHECK(rule_places("any .yml files or a .proto file", 8) == List{"*.yml", "*.proto"});
        CHECK(rule_places("the lib folder", 8).empty());
        CHECK(forbidden_places("the lib folder", 8) == List{"lib/"});
        CHECK(forbidden_places("this folder, the folder structure, the src folder structure", 8).empty());
        CHECK(rule_places("client/server code in the request/response path", 8).empty());
        CHECK(rule_places("src/a.py, src/b.py", 1) == List{"src/a.py"});
    }

    TEST_CASE("files of many kinds and folders with one slash are places") {
        struct Case {
            std::string_view target, inside, beside;
        };
        for (const Case& c :
             {Case{"api/schema.graphql", "api/schema.graphql", "api/other.graphql"},
              Case{"web/legacy", "web/legacy/form.tsx", "web/new/form.tsx"},
              Case{"prisma/schema.prisma", "prisma/schema.prisma", "prisma/seed.ts"},
              Case{"go.mod", "go.mod", "main.go"}, Case{"build.gradle.kts", "build.gradle.kts", "app/A.kt"},
              Case{"Gemfile", "Gemfile", "app/a.rb"}, Case{"k8s/prod", "k8s/prod/app.yaml", "k8s/dev/app.yaml"}}) {
            for (const std::string_view rule :
                 {"Do not touch {}.", "Leave {} alone.", "Don't modify {} — another team owns it.",
                  "Keep {} unchanged.", "不要修改 {} 。", "别改 {}", "请勿更改 {}。", "保持 {} 不变。"}) {
                std::string said(rule);
                said.replace(said.find("{}"), 2, c.target);
                CAPTURE(said);
                CHECK(against_edit(said, c.inside) != "");
                CHECK(against_edit(said, c.beside) == "");
            }
        }
        CHECK(against_edit("core.py 不要动。", "src/core.py") == "core.py");
        CHECK(against_edit("db/migrations 不能改", "db/migrations/001.sql") != "");
    }

    TEST_CASE("a slash between alternatives and other uses of the words make no rule") {
        CHECK(stated_rules("Do not change the client/server protocol.").empty());
        CHECK(stated_rules("Do not touch read/write.").empty());
        CHECK(stated_rules("Keep the colours as they are.").empty());
        CHECK(stated_rules("Keep me posted, the rest as is.").empty());
        CHECK(stated_rules("别忘了更新 README.md。").empty());
        CHECK(stated_rules("保持代码风格不变。").empty());
    }

    TEST_CASE("a tool that is spelled in words") {
        CHECK(stated_rules("Don't call the production API (api.example.com) with httpie.").empty());
        CHECK(against_tool("Don't call the image search tool.", "image_search") != "");
        CHECK(against_tool("Do not use web search.", "web_search") == "web_search");
        CHECK(against_tool("Never use the image generation tool.", "image_generation") == "image_generation");
        CHECK(against_tool("Do not use web search.", "web_fetch") == "");
        CHECK(against_tool("Do not use the same name for both of the files.", "same_name") == "");
    }

    TEST_CASE("in Chinese a part of a file stands behind it") {
        CHECK(against_edit("修改 src/barn.py，不要改变它的输出格式。", "src/barn.py") == "");
        CHECK(against_edit("src/barn.py 很重要，不要改它。", "src/barn.py") != "");
        for (const std::string_view said : {"不要改变 src/a.py 的对外行为，重构内部实现。", "src/a.py 的接口不要改。",
                                            "保持 src/a.py 的接口不变。", "不要修改 src/a.py 里的注释。"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/a.py") == "");
        }
        for (const std::string_view said : {"不要修改 src/a.py 的任何内容。", "不要修改 src/a.py 文件。",
                                            "src/a.py 不要动", "不要修改 src/ 目录下的文件。"}) {
            CAPTURE(said);
            CHECK(against_edit(said, "src/a.py") != "");
        }
        CHECK(against_edit("tests/test_a.py 不能改名。", "tests/test_a.py") == "");
    }
}
