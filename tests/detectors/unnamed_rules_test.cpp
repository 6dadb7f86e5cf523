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
    std::string broken(const CallTarget& call) const {
        const Constraint* rule = broken_by(goal.constraints(), call);
        return rule ? rule->target : "";
    }
    std::string edit(std::string_view path, std::string_view tool = "edit") const {
        CallTarget call;
        call.tool = tool;
        call.paths = {std::string(path)};
        call.tool_class = ToolClass::mutate;
        call.creates = tool == "write";
        return broken(call);
    }
    std::string run(std::string_view command) const {
        CallTarget call;
        call.tool = "bash";
        call.command = command;
        call.tool_class = ToolClass::shell;
        return broken(call);
    }

    GoalModel goal;
    std::uint64_t line = 0;
};

}  // namespace

TEST_SUITE("rules about what has no name") {
    TEST_CASE("nothing outside of a place allows that place and nothing else") {
        for (const std::string_view said :
             {"Fix the parser. Do not change anything outside src/parser.",
              "Fix it. Don't modify files other than src/parser/.", "Fix it. Don't touch anything except src/parser.",
              "Fix it. Never edit anything but src/parser."}) {
            CAPTURE(said);
            CHECK(Told(said).edit("src/parser/lexer.py") == "");
            CHECK(Told(said).edit("src/net/socket.py") != "");
        }
    }

    TEST_CASE("a named file beside 'but' is still the one that is ruled out") {
        const Told told("Do not touch src/net/socket.py, but fix src/parser/lexer.py.");
        CHECK(told.edit("src/net/socket.py") == "src/net/socket.py");
        CHECK(told.edit("src/parser/lexer.py") == "");
    }

    TEST_CASE("a review changes no file that is there, and may write its report") {
        for (const std::string_view said :
             {"Review the lock. Do not change any files.", "Review it. Please don't make any changes.",
              "审查代码。不要修改任何文件。"}) {
            CAPTURE(said);
            CHECK(Told(said).edit("src/lock.py") == "any file");
            CHECK(Told(said).run("sed -i s/a/b/ src/lock.py") == "any file");
            CHECK(Told(said).edit("REVIEW.md", "write") == "");
            CHECK(Told(said).edit("/tmp/try.py") == "");
            CHECK(Told(said).run("grep -n lock src/lock.py") == "");
        }
        CHECK(Told("Review it. Do not edit the code, only report.").edit("src/lock.py") == "any code");
        CHECK(Told("Deploy it without changing any code.").edit("deploy/values.yaml") == "");
    }

    TEST_CASE("a review is over when the person speaks again") {
        CHECK(Told("Review it. Do not change any files.")
                  .also("Good. Now fix the race in the lock.")
                  .edit("src/lock.py") == "");
        CHECK(Told("Review it. Do not change any files.")
                  .also("Look at the queue too, and do not change any files.")
                  .edit("src/lock.py") == "any file");
    }

    TEST_CASE("a mail that is only to be drafted is not to be sent until the person says so") {
        const auto sends = [](const Told& told, std::string_view tool) {
            CallTarget call;
            call.tool = tool;
            return told.broken(call) != "";
        };
        constexpr std::string_view kRule = "Draft a reply to Ms Osei, but don't send it yet.";
        CHECK(sends(Told(kRule), "send_email"));
        CHECK(sends(Told("Write to the parents. Do not send any emails."), "gmail_send_email"));
        CHECK_FALSE(sends(Told(kRule), "create_draft"));
        CHECK_FALSE(sends(Told(kRule), "send_message"));  // to another agent
        CHECK_FALSE(sends(Told(kRule).also("Reads well, send it."), "send_email"));
        for (const std::string_view said :
             {"Don't send the request twice in src/api.ts.", "Don't send it to the printer.",
              "The script must not send emails in tests.", "Send it when you are done."}) {
            CAPTURE(said);
            CHECK_FALSE(sends(Told(said), "send_email"));
        }
    }

    TEST_CASE("a rule that is said later in few words holds") {
        CHECK(Told("Fix the lock.").also("and don't push").run("git push") == "git push");
        CHECK(Told("Fix the lock.").also("don't push").also("ok, push").run("git push") == "");
    }

    TEST_CASE("what only begins like every file is something else") {
        for (const std::string_view said :
             {"Do not change the code style.", "Do not modify yet another file.",
              "Do not write files that nobody asked for.", "Fix it. Do not change anything else.",
              "Refactor it without changing the behaviour.", "Do not add tests.", "Do not write any tests.",
              "Do not update the tests until the API is stable.", "Do not remove any code paths that are used.",
              "Leave a note in the log as is usual here.", "Guests must not modify any files. Build that.",
              "The tests must not be changed by the formatter.",
              "Without changing the tests, nothing works any more: adapt them."}) {
            CAPTURE(said);
            CHECK(Told(said).edit("src/lock.py") == "");
            CHECK(Told(said).edit("tests/test_lock.py") == "");
        }
    }

    TEST_CASE("the tests are known by their names, and a new one changes none") {
        for (const std::string_view said :
             {"Fix it. Do not modify the tests.", "Fix it without touching the tests.", "修复它，不要修改测试。",
              "Fix it. Leave the tests as they are.", "Fix it. The tests must not be changed."}) {
            CAPTURE(said);
            CHECK(Told(said).edit("/home/a/p/tests/unit/lock.py") == "the tests");
            CHECK(Told(said).edit("src/lock_test.go") == "the tests");
            CHECK(Told(said).edit("src/lock.go") == "");
            CHECK(Told(said).edit("src/attests/lock.go") == "");
            CHECK(Told(said).edit("tests/test_new.py", "write") == "");
        }
        CHECK(Told("Fix it. Do not modify the tests.")
                  .also("The tests are wrong, you can change them.")
                  .edit("tests/a.py") == "");
    }

    TEST_CASE("not deleting is a rule about deleting alone") {
        const Told told("Clean up. Don't delete any files.");
        CHECK(told.run("rm -rf src/old") == "any file");
        CHECK(told.run("cd src && git rm old.py") == "any file");
        CHECK(told.run("rm -f /tmp/x.log") == "");
        CHECK(told.edit("src/lock.py") == "");
        CHECK(told.edit("src/lock.py", "delete_file") == "any file");
        CHECK(Told("Fix it. Do not delete or skip any tests.").run("rm tests/test_lock.py") == "the tests");
        CHECK(Told("Fix it. Do not delete or skip any tests.").run("rm src/lock.py") == "");
    }

    TEST_CASE("what stands between leave and alone, or before must not be changed, is ruled out") {
        CHECK(Told("Fix it, leave src/legacy/ alone.").edit("src/legacy/a.py") == "src/legacy/");
        CHECK(Told("Fix it. src/legacy/ must not be touched.").edit("src/legacy/a.py") == "src/legacy/");
        CHECK(Told("Fix it. Stay out of src/legacy/.").edit("src/legacy/a.py") == "src/legacy/");
        CHECK(Told("Fix it. Do not make any changes to src/legacy/.").edit("src/legacy/a.py") == "src/legacy/");
        CHECK(Told("Fix it. Do not make any changes to src/legacy/.").edit("src/lock.py") == "");
    }

    TEST_CASE("a part of a file is not the file, and anything in it is") {
        for (const std::string_view said :
             {"Do not change the signature of run() in core.py. Make run() faster.",
              "Don't change the behaviour of core.py.", "Do not remove the comments in core.py. Fix the leak.",
              "Don't rename the functions in `core.py`.", "Don't add dependencies to core.py, but bump its version."}) {
            CAPTURE(said);
            CHECK(Told(said).edit("core.py") == "");
        }
        for (const std::string_view said :
             {"Do not change core.py.", "Don't change anything in core.py.", "Do not edit any of the code in core.py.",
              "Never modify a single line of core.py.", "Don't make any changes to core.py.",
              "Do not touch the file core.py."}) {
            CAPTURE(said);
            CHECK(Told(said).edit("core.py") == "core.py");
        }
    }

    TEST_CASE("what holds under a condition holds for nobody who does not know it") {
        for (const std::string_view said :
             {"If the tests fail, do not push. Bump the version and push.", "When CI is red, never run git push.",
              "In case of errors don't run git push.", "Whenever the build fails, don't run git push.",
              "In production you must never run git push. This is the dev box.",
              "In CI we don't run git push. Add a step for it."}) {
            CAPTURE(said);
            CHECK(Told(said).run("git push origin main") == "");
        }
        for (const std::string_view said :
             {"When you are done, do not run git push.", "While fixing this, never run git push.",
              "Please, don't run git push.", "Under no circumstances run git push.", "Don't ever run git push."}) {
            CAPTURE(said);
            CHECK(Told(said).run("git push origin main") == "git push");
        }
    }

    TEST_CASE("an order behind the only places that names another one widens them") {
        const Told told("Only touch server/. Also fix the typo in README.md.");
        CHECK(told.edit("README.md") == "");
        CHECK(told.edit("server/a.py") == "");
        CHECK(told.edit("web/a.ts") == "server/");
        CHECK(Told("Only touch server/. See README.md for the layout.").edit("README.md") == "server/");
        CHECK(Told("Only touch server/. If it must be, web/a.ts is fine as well.").edit("web/a.ts") == "");
        CHECK(Told("Only touch server/. If it must be, web/a.ts is fine as well.").edit("web/b.ts") == "server/");
        CHECK(Told("Only touch server/. web/a.ts is not fine as well.").edit("web/a.ts") == "server/");
    }

    TEST_CASE("who asks a command for its help runs it not") {
        const Told told("Never run npm publish.");
        CHECK(told.run("npm publish --help") == "");
        CHECK(told.run("npm publish -h") == "");
        CHECK(told.run("npm publish --dry-run") == "");
        CHECK(told.run("npm publish --access public") == "npm publish");
        CHECK(told.run("npm publish --help && npm publish") == "npm publish");
    }

    TEST_CASE("a command that lists or shows does nothing of what it is known for") {
        const Told tests("Don't run the tests, just see which there are.");
        for (const std::string_view command :
             {"pytest --collect-only -q", "pytest tests/barn --co", "npx jest --listTests", "go test -list . ./...",
              "ctest -N", "ctest --show-only", "cargo test --no-run", "dotnet test --list-tests", "make -n test"}) {
            CAPTURE(command);
            CHECK(tests.run(command) == "");
        }
        for (const std::string_view command :
             {"pytest -q", "pytest -k list", "npm test -- list", "go test ./list", "ctest -N && ctest", "make test"}) {
            CAPTURE(command);
            CHECK(tests.run(command) != "");
        }
        CHECK(Told("Don't push anything.").run("git push -n origin main") == "");
        CHECK(Told("Don't push anything.").run("git push -u origin main") == "git push");
        CHECK(Told("Never git push --force.").run("git push --force --dry-run") == "");
        CHECK(Told("Never git push --force.").run("git push origin x --force") != "");
        CHECK(Told("Never run git stash.").run("git stash list") == "");
        CHECK(Told("Never run git stash.").run("git stash -m list") == "git stash");
    }

    TEST_CASE("migrations, test suites and servers are run by many commands") {
        for (const std::string_view said :
             {"Add the column, but don't run the migrations.", "Do not run migrations, I'll do that.",
              "dont run any database migrations pls"}) {
            CAPTURE(said);
            CHECK(Told(said).run("cd web && python manage.py migrate") != "");
            CHECK(Told(said).run("npx prisma migrate deploy") != "");
            CHECK(Told(said).run("python manage.py makemigrations") == "");
            CHECK(Told(said).also("ok, run the migrations now").run("alembic upgrade head") == "");
            CHECK(Told(said).also("I have a backup. Go ahead with the migration").run("alembic upgrade head") == "");
            CHECK(Told(said).also("the migration looks good, rename the column").run("alembic upgrade head") != "");
        }
        CHECK(Told("Do not start the dev server, it runs already.").run("npm run dev") != "");
        CHECK(Told("Do not start the dev server.").also("start the server and try it").run("npm run dev") == "");
        CHECK(Told("Don't run the test suite.").run("go test ./...") != "");
        for (const std::string_view said :
             {"Don't run the migrations twice.", "Don't run the migrations on prod.",
              "Do not run migrations manually, the app does it.", "Do not run the migration tests in parallel.",
              "Do not run the migrations before you have a backup.",
              "It doesn't run the migrations on startup. Fix it.", "We don't run migrations in CI.",
              "Do not start the server twice."}) {
            CAPTURE(said);
            CHECK(Told(said).run("python manage.py migrate") == "");
            CHECK(Told(said).run("npm run dev") == "");
        }
        CHECK(Told("Don't run the tests, don't run the migrations, don't start the server, don't install packages and "
                   "don't touch a.py.")
                  .edit("a.py") != "");
    }

    TEST_CASE("no new packages means those that a project does not list yet") {
        const Told told("Parse the feed. Do not install any packages.");
        CHECK(told.run("pip install lxml") == "pip install");
        CHECK(told.run("cd web && npm install left-pad") == "npm install");
        CHECK(told.run("pip install -r requirements.txt") == "");
        CHECK(told.run("npm install") == "");
        CHECK(told.run("npm install --no-audit 2>&1 | tail -3") == "");
        CHECK(told.run("npm install --prefix web") == "");
        CHECK(told.run("npm install --save-dev left-pad") == "npm install");
        CHECK(told.run("pip install --upgrade pip") == "");
        CHECK(told.run("pip install -U pip lxml") == "pip install");
        CHECK(told.run("go get ./...") == "");
        CHECK(told.run("go get example.org/x") == "go get");
        CHECK(Told("Never run npm install.").run("npm install") == "npm install");
        CHECK(Told("Do not add new dependencies.").run("pnpm add zod") == "pnpm add");
        CHECK(Told("Do not use sed, use the edit tool.").run("sed -i s/a/b/ x.py") == "sed");
    }

    TEST_CASE("what is not to be done is not done by the tool that is called so, and anything may be said more often") {
        const auto uses = [](std::string_view said, std::string_view tool) {
            CallTarget call;
            call.tool = tool;
            return Told(said).broken(call) != "";
        };
        CHECK(uses("Find out why it is slow. Do not restart anything.", "restart_service"));
        CHECK(uses("Only look, do not restart or change anything.", "restart_pod"));
        for (const std::string_view said : {"Look at the logs, but don't restart nginx.",
                                            "Do not restart the nginx service.", "Never restart anything."}) {
            CAPTURE(said);
            CHECK(Told(said).run("sudo systemctl restart nginx") != "");
            CHECK(Told(said).run("docker compose restart nginx") != "");
            CHECK(Told(said).run("systemctl status nginx") == "");
        }
        CHECK(Told("Do not restart nginx.").run("systemctl restart postgres") == "");
        for (const std::string_view said : {"Fix it. Don't deploy.", "Don't deploy anything yet.",
                                            "Do not deploy or push.", "Never deploy it, please."}) {
            CAPTURE(said);
            CHECK(Told(said).run("npm run deploy") != "");
            CHECK(Told(said).run("./deploy.sh staging") != "");
            CHECK(Told(said).run("npm run build") == "");
        }
        for (const std::string_view said :
             {"The page is stale because we don't deploy. Fix that.", "Never deploy or push to production.",
              "Pushes to main do not deploy, please repair it and deploy.", "Don't deploy to production."}) {
            CAPTURE(said);
            CHECK(Told(said).run("npm run deploy") == "");
        }
        CHECK(Told("Don't deploy.").run("vercel env pull .env.local") == "");
        for (const std::string_view said : {"Do not restart the machine.", "Don't restart the app, only the worker.",
                                            "The import job is running. Don't restart it."}) {
            CAPTURE(said);
            CHECK(Told(said).run("systemctl restart nginx") == "");
            CHECK(Told(said).run("docker compose restart worker") == "");
        }
        CHECK(Told("Do not publish the package yet.").run("npm publish") == "");
        CHECK(Told("Do not publish yet.").run("npm publish --access public") != "");
        CHECK(uses("Do not delete any contact.", "delete_contact"));
        CHECK(uses("Never delete contacts.", "delete_contact"));
        CHECK(uses("Please do not cancel the order.", "cancel_order"));
        CHECK_FALSE(uses("Do not restart anything.", "start_service"));
        CHECK_FALSE(uses("Do not cancel the order without asking me.", "cancel_order"));
        CHECK_FALSE(uses("Do not cancel the order unless it is late.", "cancel_order"));
        CHECK_FALSE(uses("Do not cancel the order with the lamp.", "cancel_order"));
        CHECK_FALSE(uses("Do not cancel the order.", "cancel_booking"));
        CHECK_FALSE(uses("Do not issue refunds without my approval.", "issue_refund"));
    }

    TEST_CASE("what is set, thrown away or looked up is so by tools of several names") {
        const auto uses = [](std::string_view said, std::string_view tool) {
            CallTarget call;
            call.tool = tool;
            return Told(said).broken(call) != "";
        };
        CHECK(uses("Close the blinds. Do not change the temperature again.", "set_temperature"));
        CHECK(uses("Do not adjust the budget.", "update_budget"));
        CHECK(uses("Label the newsletters. Do not delete any mail.", "delete_message"));
        CHECK(uses("Never delete my emails.", "trash_thread"));
        CHECK(uses("Use the internal documents only, do not use the web.", "web_search"));
        CHECK_FALSE(uses("Do not change the temperature.", "get_temperature"));
        CHECK_FALSE(uses("Do not change the temperature in the hall.", "set_temperature"));
        CHECK_FALSE(uses("Do not change the plan.", "update_plan"));
        CHECK_FALSE(uses("Do not delete any mail.", "archive_message"));
        CHECK_FALSE(uses("Do not use the web app for it.", "web_search"));
        CHECK(Told("Do not change the temperature.").also("It is cold. Make it 19 degrees.").run("x") == "");
    }
}
