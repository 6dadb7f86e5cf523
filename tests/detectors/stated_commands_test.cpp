#include "detectors/commands/broken_rule.hpp"
#include "detectors/speech/stated_rules.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

std::string broken(std::string_view said, std::string_view command) {
    CallTarget call;
    call.tool = "bash";
    call.command = command;
    call.tool_class = ToolClass::shell;
    const std::vector<Constraint> rules = stated_rules(said);
    const Constraint* rule = broken_by(rules, call);
    return rule ? rule->target : "";
}

std::string edited(std::string_view said, std::string_view path) {
    CallTarget call;
    call.tool = "edit";
    call.paths = {std::string(path)};
    call.tool_class = ToolClass::mutate;
    const std::vector<Constraint> rules = stated_rules(said);
    const Constraint* rule = broken_by(rules, call);
    return rule ? rule->target : "";
}

}  // namespace

TEST_SUITE("commands that a sentence rules out") {
    TEST_CASE("what cannot be used here is not to be used, and what does not work is to be looked at") {
        for (const std::string_view said :
             {"Run the suite. We can't use docker here.",
              "We cannot use docker in this environment. Set up the database.",
              "On this host you can’t use docker, only podman is licensed.", "Docker is off limits on this machine.",
              "Wir können hier kein Docker verwenden.", "Hier darf kein Docker benutzt werden, nimm Podman.",
              "On ne peut pas utiliser docker ici.", "Aquí no podemos usar docker.", "Não podemos usar docker aqui.",
              "Qui non possiamo usare docker.", "Здесь нельзя использовать docker.", "这里不能用 docker，用 podman。",
              "ここでは docker は使わないでください。"}) {
            CAPTURE(said);
            CHECK(broken(said, "docker compose up -d") == "docker");
            CHECK(broken(said, "podman compose up -d") == "");
        }
        for (const std::string_view said :
             {"We can't use docker here, it says permission denied.", "We can't use docker here. Find out why.",
              "We can't use docker yet. Start it first.", "I can't use docker here.", "Users can't use docker here.",
              "Why can't we use docker here?", "If we can't use docker here, take podman.",
              "We can't use docker here because the service is stopped.", "We can't use docker here. Start docker.",
              "Wir können hier kein Docker verwenden. Warum?",
              "Wir können hier kein Docker verwenden, weil der Dienst fehlt.",
              "On ne peut pas utiliser docker ici. Répare-le.", "我这里不能用 docker，报错了，看看。",
              "Здесь нельзя использовать docker, почини."}) {
            CAPTURE(said);
            CHECK(broken(said, "docker compose up -d") == "");
        }
        CHECK(edited("We can't touch db/schema.sql, it is audited.", "db/schema.sql") == "db/schema.sql");
        CHECK(edited("No se puede tocar db/schema.sql.", "db/schema.sql") == "db/schema.sql");
        CHECK(edited("We can't change db/schema.sql, the form fails. Repair it.", "db/schema.sql") == "");
        CHECK(edited("Raise the limit. db/schema.sql stays the way it is.", "db/schema.sql") == "db/schema.sql");
        CHECK(edited("The limit in db/schema.sql stays the way it is when I save.", "db/schema.sql") == "");
        CHECK(edited("提高限制。db/schema.sql 保持原样。", "db/schema.sql") == "db/schema.sql");
        CHECK(edited("db/schema.sql 保持原样时会报错。", "db/schema.sql") == "");
        CHECK(edited("为什么 db/schema.sql 保持不变？", "db/schema.sql") == "");
        CHECK(edited("db/schema.sql 保持不变的话测试会失败。", "db/schema.sql") == "");
        CHECK(edited("db/schema.sql 不用原样保留，可以改。", "db/schema.sql") == "");
        for (const std::string_view said :
             {"运行脚本后 db/schema.sql 保持原样，这是个 bug。", "脚本执行完，db/schema.sql 保持不变，请修复。",
              "I save and db/schema.sql stays as it is.", "The script runs, but db/schema.sql stays as it is. Why?",
              "Hands off approach: let the script edit db/schema.sql."}) {
            CAPTURE(said);
            CHECK(edited(said, "db/schema.sql") == "");
        }
        CHECK(broken("Stop pushing so many commits in one go.", "git push") == "");
        CHECK(broken("Stop pushing, please.", "git push") == "git push");
        CHECK(edited("db/schema.sql 以前不许动，现在可以改了。", "db/schema.sql") == "");
        CHECK(edited("太慢了，不能动，看看 db/schema.sql。", "db/schema.sql") == "");
        CHECK(edited("We can't edit db/schema.sql in the browser, that's the bug.", "db/schema.sql") == "");
    }

    TEST_CASE("a merge is ruled out for the branch that is checked out, and not the other way round") {
        for (const std::string_view said :
             {"Finish it. Do not merge into main.", "Never merge this into main!", "Please don't merge yet.",
              "Don't merge to the main branch, the release manager does that.", "Bitte nicht in main mergen."}) {
            CAPTURE(said);
            CHECK(broken(said, "git checkout main && git merge tariff") == "git merge into main");
            CHECK(broken(said, "git switch main; git -C . merge --no-ff tariff") == "git merge into main");
            CHECK(broken(said, "gh pr merge 12 --squash") == "gh pr merge");
            CHECK(broken(said, "git checkout tariff && git merge main") == "");
            CHECK(broken(said, "git fetch && git merge origin/main") == "");
            CHECK(broken(said, "git checkout main -- a.py && git merge tariff") == "");
            CHECK(broken(said, "git checkout main && git merge --abort") == "");
        }
        for (const std::string_view said :
             {"Do not merge the two functions into main.py.", "Don't merge cells in the table.",
              "Do not merge lines into one.", "Do not merge into main unless the tests pass."}) {
            CAPTURE(said);
            CHECK(broken(said, "git checkout main && git merge tariff") == "");
        }
    }

    TEST_CASE("a flag that is ruled out leaves the command without it alone") {
        struct Case {
            std::string_view said, allowed, broken;
        };
        for (const Case& c :
             {Case{"Do not use git reset --hard.", "git reset --soft HEAD~1", "git reset --hard HEAD~1"},
              Case{"Do not use git add -A.", "git add README.md && git commit -m 'add -A'", "cd web && git add -A"},
              Case{"Do not use `git add -A`.", "git add README.md", "git add -A && git commit -m x"},
              Case{"Do not use git add . here.", "git add README.md", "git add . && git commit -m x"},
              Case{"Do not use npm audit fix --force.", "npm audit fix", "npm audit fix --omit=dev --force"},
              Case{"Never run docker compose down -v, the volumes hold data.", "docker compose down",
                   "docker compose down -v"},
              Case{"Push the branch, do not force-push.", "git push origin fix/a", "git push --force-with-lease"},
              Case{"Please don't force push.", "git push -u origin fix/a", "git push origin fix/a -f"},
              Case{"Never push with --force.", "git push -u origin fix/a", "git push origin fix/a -f"},
              Case{"Never commit with `--no-verify`.", "git commit -m fix", "git commit -m fix --no-verify"},
              Case{"Do not use --no-verify.", "git commit -m fix", "git commit -m fix --no-verify"},
              Case{"Address the review. Do not amend commits, make new ones.", "git commit -m fix",
                   "git commit --amend --no-edit"},
              Case{"Never push to main directly!", "git push origin fix/a", "git push origin main"},
              Case{"We don't use docker on this machine, so please don't use docker.", "podman ps",
                   "docker compose up"},
              Case{"Do not commit with the --amend flag.", "git commit -m fix", "git commit --amend --no-edit"},
              Case{"Never use git push -f or --force.", "git push", "git push --force origin a"},
              Case{"Do not run rm -rf.", "rm build.log", "rm -fr build"},
              Case{"Never use git clean -fd.", "git clean -n", "git clean -fdx"}}) {
            CAPTURE(c.said);
            CHECK(broken(c.said, c.allowed) == "");
            CHECK(broken(c.said, c.broken) != "");
        }
    }

    TEST_CASE("what is ruled out for a place, a file or an occasion is no ban of the command") {
        struct Case {
            std::string_view said, allowed;
        };
        for (const Case& c :
             {Case{"Never push to main.", "git push -u origin fix/a"},
              Case{"Don't push tags.", "git push origin fix/a"},
              Case{"Don't push to main or release branches, open a PR instead.", "git push -u origin fix/a"},
              Case{"Never commit to main.", "git commit -am x"},
              Case{"Do not commit the .env file.", "git commit -m x"},
              Case{"Do not commit .env.", "git commit -m x"},
              Case{"Never commit secrets or generated files.", "git commit -m x"},
              Case{"Never commit or push to the release branch.", "git commit -m x && git push"},
              Case{"Don't run npm install in the root folder.", "cd web && npm install"},
              Case{"Do not run `npm install` in the root folder.", "cd web && npm install"},
              Case{"Do not use git to publish the notes.", "git status"},
              Case{"Do not start docker.", "docker ps"},
              Case{"Do not install docker.", "docker ps"},
              Case{"不要推送到 main 分支。", "git push origin fix/a"},
              Case{"不要提交 .env 文件。", "git commit -m x"},
              Case{"Do not use git push for the release tags.", "git push"},
              Case{"Do not use git commit -m 'wip' or such.", "git commit -m 'Round to cents'"},
              Case{"Do not commit to a design yet.", "git commit -m x"},
              Case{"Don't run npm run build:prod.", "npm run build"},
              Case{"Do not use tail recursion.", "tail -n 3 a.log"},
              Case{"Do not make commits with more than one topic.", "git commit -m x"},
              Case{"Never rebase shared branches.", "git rebase main"}}) {
            CAPTURE(c.said);
            CHECK(broken(c.said, c.allowed) == "");
        }
    }

    TEST_CASE("a forced push is ruled out for the branches that are named") {
        for (const std::string_view said :
             {"Never force-push to main.", "Do not force-push to main.", "don't force push to the main branch",
              "Never force-push directly to main or master.", "don't force push to shared branches"}) {
            CAPTURE(said);
            for (const std::string_view command :
                 {"git push -f origin main", "git push --force origin main", "git push origin HEAD:main --force",
                  "git push --force-with-lease origin main"})
                CHECK(broken(said, command) != "");
            for (const std::string_view command :
                 {"git push -f origin fix/a", "git push origin main", "git push --force", "git push origin fix/main"})
                CHECK(broken(said, command) == "");
        }
        CHECK(broken("Never force-push to master.", "git push -f origin main") == "");
        CHECK(broken("Never run git push --force to main.", "git push --force-with-lease origin main") == "");
        CHECK(broken("Never run git push --force to main.", "git push -f origin main") == "git push … -f main");
        CHECK(broken("never force-push to any branch", "git push -f origin fix/a") != "");
        CHECK(broken("never force-push to any branch", "git push origin fix/a") == "");
        CHECK(broken("never force-push to the fork of Ann", "git push -f origin fix/a") == "");
        CHECK(broken("Never commit or force-push to main.", "git commit -m x") == "");
    }

    TEST_CASE("behind a comma something else may begin") {
        const auto targets = [](std::string_view said, Constraint::Kind kind) {
            std::string out;
            for (const Constraint& c : stated_rules(said)) {
                if (c.kind == kind) out.append(out.empty() ? "" : " ").append(c.target);
            }
            return out;
        };
        const auto tools = [&](std::string_view said) { return targets(said, Constraint::Kind::forbid_tool); };
        for (const std::string_view said :
             {"Don't use mocks, name the fields user_id and orderId.",
              "Never force-push, snake_case on the wire / camelCase in the client, add tests.",
              "Do not use mocks, name the columns `user_id` and `orderId`.", "Never push, put the key in api_key.",
              "Don't use user_id columns.", "Do not use inline styles and name it themeColor.",
              "Do not run load_data.py.", "Never commit, the table is `user_id`."}) {
            CAPTURE(said);
            CHECK(tools(said) == "");
        }
        CHECK(tools("Do not use WebSearch, please.") == "WebSearch");
        CHECK(tools("Don't use WebSearch, WebFetch or the browser tool, read the docs.") ==
              "WebSearch WebFetch browser");
        CHECK(tools("Do not use curl or WebFetch for this.") == "WebFetch");
        CHECK(tools("Never call `delete_rows` or `drop_table`, name the fields `user_id`.") != "");
        CHECK(tools("Never call delete_rows and drop_table.") == "delete_rows drop_table");
        CHECK(tools("Do not use external services like WebSearch.") == "WebSearch");
        CHECK(tools("不要使用 WebSearch 工具。") == "WebSearch");
        CHECK(tools("不要调用web_search，直接回答。") == "web_search");
        CHECK(targets("Never force-push, keep `npm run build` green.", Constraint::Kind::forbid_command).find("npm") ==
              std::string::npos);
        CHECK(broken("Do not run anything remote, including `git push`.", "git push") == "git push");
        // Behind a pipe they read no file.
        CHECK(broken("Don't use cat, head or tail to read files.", "npm test 2>&1 | tail -5").empty());
        CHECK(broken("Don't use cat, head or tail to read files.", "cat > a.py <<'EOF'\nx\nEOF").empty());
        CHECK_FALSE(broken("Don't use cat, head or tail to read files.", "cd src && tail -5 a.py").empty());
        CHECK_FALSE(broken("Don't use cat, head or tail.", "npm test 2>&1 | tail -5").empty());
        CHECK(broken("Never use cat, head or `git stash`.", "git stash") == "git stash");
    }

    TEST_CASE("a command that is ruled out as such stays so, whatever is said around it") {
        struct Case {
            std::string_view said, broken;
        };
        for (const Case& c : {Case{"Do not push.", "git push"},
                              Case{"Do not commit and do not push, I want to look first.", "git push"},
                              Case{"Do not touch the api, and never push.", "git push"},
                              Case{"Do not commit and don't push to main.", "git commit -m x"},
                              Case{"Do not push anything to origin.", "git push origin a"},
                              Case{"Don't commit or push anything.", "git commit -m x"},
                              Case{"Don't commit or push anything.", "git push"},
                              Case{"Never commit for me, I review first.", "git commit -m x"},
                              Case{"Do not commit your changes so I can review them.", "git commit -m x"},
                              Case{"do not use git push or git rebase here", "git rebase main"},
                              Case{"Do not use git commands.", "git status"},
                              Case{"Never use `git push`, `git rebase` or `git tag`.", "git tag v1"},
                              Case{"Do not use sed to edit files.", "sed -i s/a/b/ x"},
                              Case{"Do not use grep for searching.", "grep -rn x ."},
                              Case{"Do not use npm, use pnpm.", "npm install zod"},
                              Case{"Do not use sudo.", "sudo apt-get install -y jq"},
                              Case{"Do not deploy or push.", "git push"},
                              Case{"不要提交代码。", "git commit -m x"},
                              Case{"不要推送，我自己来。", "git push"},
                              Case{"不要使用 `git push` 命令。", "git push"},
                              Case{"不要强制推送。", "git push --force"},
                              Case{"Don't ever commit.", "git -C app commit -m x"},
                              Case{"Never push to main.", "git push origin main"},
                              Case{"Do not push directly to the main branch.", "git push origin HEAD:main"},
                              Case{"不要推送到 main 分支。", "git push origin main"},
                              Case{"不要运行 docker compose down -v，会丢数据。", "docker compose down -v"},
                              Case{"Do not use sudo for anything.", "sudo make install"},
                              Case{"Do not use cat, head or sed to read files.", "head -n 5 a.c"},
                              Case{"Fix it. Don't make any commits.", "git commit -m x"}}) {
            CAPTURE(c.said);
            CHECK(broken(c.said, c.broken) != "");
        }
    }

    TEST_CASE("what is only weighed is no rule") {
        for (const std::string_view said :
             {"The parser is slow. Two possibilities:\n1. cache it\n2. don't touch src/a.py but call it less\n",
              "Options I see:\n\n1) Do not edit src/a.py\n   at all\n2) rewrite it\n",
              "Two possibilities come to mind: 1. cache it 2. don't change src/a.py"}) {
            CAPTURE(said);
            CHECK(edited(said, "src/a.py") == "");
        }
        CHECK(edited("Options I see:\n1. cache it\n2. rewrite it\n\nDo not edit src/a.py.", "src/a.py") == "src/a.py");
        CHECK(edited("Rules:\n1. cache it\n2. Do not edit src/a.py.", "src/a.py") == "src/a.py");
    }

    TEST_CASE("rules that somebody else is quoted with are not the person's") {
        for (const std::string_view said :
             {R"(The error says "do not modify package.json directly, use npm". Fix the conflict.)",
              "A colleague wrote 'never edit package.json by hand', but that is nonsense.",
              "It complains with “do not edit package.json”. Remove that.",
              "It says ‘don’t touch package.json’. Fix it.", "提示是「不要修改 package.json」。请修复。"}) {
            CAPTURE(said);
            CHECK(edited(said, "package.json") == "");
        }
        CHECK(edited(R"(Do not touch "src/a.py".)", "src/a.py") == "src/a.py");
        CHECK(edited(R"(Do not touch 'src/a.py', it isn't ours.)", "src/a.py") == "src/a.py");
        CHECK(edited(R"(It's late; don't touch src/a.py, that's Bob's.)", "src/a.py") == "src/a.py");
        CHECK(edited(R"(It says "bad". Do not touch src/a.py, it says "good".)", "src/a.py") == "src/a.py");
    }
}
