#include "detectors/commands/tool_class.hpp"

#include <doctest/doctest.h>

#include <cctype>
#include <string>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

ToolClass command(std::string_view text) { return classify_command({text, TextForm::json_string}); }

}  // namespace

TEST_SUITE("tool classes") {
    TEST_CASE("tool names are compared in snake_case and without their MCP prefix") {
        CHECK(classify_tool("MultiEdit").tool_class == ToolClass::mutate);
        CHECK(classify_tool("multi-edit").tool_class == ToolClass::mutate);
        CHECK(classify_tool("mcp__fs__read_file").tool_class == ToolClass::read);
        CHECK(classify_tool("developer__shell").runs_shell);  // of an extension, as goose names them
        CHECK(classify_tool("WebSearch").tool_class == ToolClass::search);
        CHECK(classify_tool("crm_find_customer").tool_class == ToolClass::search);
        CHECK(classify_tool("query").tool_class == ToolClass::other);
        CHECK(classify_tool("retrieve_documents").tool_class == ToolClass::search);
        CHECK(classify_tool("kb_retriever").tool_class == ToolClass::search);
        CHECK(classify_tool("mcp__rag__query").tool_class == ToolClass::search);
        CHECK(classify_tool("mcp__postgres__query").tool_class == ToolClass::other);
        CHECK(classify_tool("crm_find_or_create_customer").tool_class == ToolClass::other);
        CHECK(classify_tool("browser_find").tool_class == ToolClass::other);
        CHECK(classify_tool("run_dbt").runs_shell);
        CHECK(classify_tool("mcp__ops__kubectl").runs_shell);
        CHECK(classify_tool("aws_cli").runs_shell);
        CHECK(classify_tool("aws").tool_class == ToolClass::other);
        CHECK(classify_tool("run_report").tool_class == ToolClass::other);
        CHECK(command("dbt build -s orders") == ToolClass::verify);
        CHECK(command("dbt run -s orders") == ToolClass::shell);
        CHECK(classify_tool("TodoWrite").tool_class == ToolClass::note);
        CHECK(classify_tool("TaskUpdate").tool_class == ToolClass::note);
        CHECK(classify_tool("ScheduleWakeup").tool_class == ToolClass::wait);
        CHECK(classify_tool("Monitor").tool_class == ToolClass::wait);
        CHECK(classify_tool("subagent_wait").tool_class == ToolClass::wait);
        CHECK(classify_tool("waitSeconds").tool_class == ToolClass::wait);
        CHECK(classify_tool("wait_and_click").tool_class == ToolClass::other);
        CHECK(classify_tool("submit_wait").tool_class == ToolClass::other);
        CHECK(classify_tool("WaitForMail").tool_class == ToolClass::poll);
        CHECK(classify_tool("waiter_list").tool_class == ToolClass::other);
        CHECK(classify_tool("wissen_suchen").tool_class == ToolClass::search);
        CHECK(classify_tool("buscar_clientes").tool_class == ToolClass::search);
        CHECK(classify_tool("suche").tool_class == ToolClass::other);    // a word alone may be a name
        CHECK(classify_tool("TaskList").tool_class == ToolClass::poll);  // of the team: who is done?
        CHECK(classify_tool("ReadNotifications").tool_class == ToolClass::poll);
        CHECK(classify_tool("StrReplaceFile").tool_class == ToolClass::mutate);
        CHECK(classify_tool("google_web_search").tool_class == ToolClass::search);
        CHECK(classify_tool("read_files").tool_class == ToolClass::read);
        CHECK(classify_tool("fs_write").by_action);
        CHECK(classify_tool("search_dir").tool_class == ToolClass::search);
        CHECK(classify_tool("scroll_down").tool_class == ToolClass::read);
        CHECK(classify_tool("submit").tool_class == ToolClass::note);
        CHECK(classify_tool("submit_and_exit").tool_class == ToolClass::note);
        CHECK(classify_tool("fetch_web_content").tool_class == ToolClass::search);
        CHECK(classify_tool("web_extract").tool_class == ToolClass::search);
        CHECK(classify_tool("ReadMediaFile").tool_class == ToolClass::read);
        CHECK(classify_tool("ast_grep").tool_class == ToolClass::search);
        CHECK(classify_tool("ast_edit").tool_class == ToolClass::mutate);
        CHECK(classify_tool("open_door").tool_class == ToolClass::other);
        CHECK(classify_tool("something_else").tool_class == ToolClass::other);
    }

    TEST_CASE("a name of nothing but a shell and a run of it runs commands") {
        for (const char* name : {"run_shell", "execute_shell", "bash_exec", "runBashCommand", "exec_in_terminal",
                                 "run_terminal_command", "mcp__box__run_in_sandbox_shell", "execute-shell-command"}) {
            CAPTURE(name);
            CHECK(classify_tool(name).runs_shell);
        }
        for (const char* name : {"shell_history", "run_tests", "run_report", "command", "list_commands",
                                 "run_in_sandbox", "execute_query", "call_in_the", "terminal_title"}) {
            CAPTURE(name);
            CHECK_FALSE(classify_tool(name).runs_shell);
        }
    }

    TEST_CASE("how the words of a name are joined does not count") {
        for (const std::string_view name : known_tools()) {
            std::string pascal, flat, camel, kebab;
            bool begins = true;
            for (const char c : name) {
                const bool joins = c == '_';
                if (!joins) pascal += begins ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
                if (!joins) flat += c;
                kebab += joins ? '-' : c;
                begins = joins;
            }
            camel = pascal;
            camel[0] = name[0];
            const ToolNameClass known = classify_tool(name);
            CAPTURE(name);
            for (const std::string& other : {pascal, flat, camel, kebab, "mcp__server__" + pascal}) {
                CAPTURE(other);
                const ToolNameClass same = classify_tool(other);
                CHECK(same.tool_class == known.tool_class);
                CHECK(same.runs_shell == known.runs_shell);
                CHECK(same.by_action == known.by_action);
            }
        }
        CHECK(classify_tool("PowerShell").runs_shell);
        CHECK(classify_tool("executePwsh").runs_shell);
        CHECK(classify_tool("read_powershell").tool_class == ToolClass::poll);
        CHECK(classify_tool("Execute").runs_shell);
    }

    TEST_CASE("commands are judged by their strongest part") {
        CHECK(command("cd src && npm test 2>&1 | tail -20") == ToolClass::verify);
        CHECK(command("FOO=1 timeout 60 python3 -m pytest -x") == ToolClass::verify);
        CHECK(command("/usr/bin/grep -rn foo src | head") == ToolClass::search);
        CHECK(command("zgrep -c ERROR logs/app.log.gz") == ToolClass::search);
        CHECK(command("findstr /s sluice *.cs") == ToolClass::search);
        CHECK(command("Test-Path D:/mill; Get-Item D:/mill") == ToolClass::read);
        CHECK(command("New-Item -ItemType Directory mill | Out-Null") == ToolClass::mutate);
        CHECK(command("gh run view 12 --log-failed | tail -20") == ToolClass::verify);
        CHECK(command("gh run view 12") == ToolClass::poll);
        CHECK(command("cat a.txt") == ToolClass::read);
        CHECK(command("cat a.txt > b.txt") == ToolClass::mutate);
        CHECK(command("sed -n 1,20p a.txt") == ToolClass::read);
        CHECK(command("sed -i s/a/b/ a.txt") == ToolClass::mutate);
        CHECK(command("git status") == ToolClass::read);
        CHECK(command("git commit -m 'x; y'") == ToolClass::mutate);
        CHECK(command("./deploy.sh") == ToolClass::shell);
        CHECK(command("npm run build:prod") == ToolClass::verify);
        CHECK(command("pnpm --filter web test") == ToolClass::verify);
        CHECK(command("pnpm -r --silent exec vitest run") == ToolClass::verify);
        CHECK(command("pnpm --filter=@acme/ui run build 2>&1 | tail -5") == ToolClass::verify);
        CHECK(command("npm -w packages/ui test") == ToolClass::verify);
        CHECK(command("yarn workspace web lint") == ToolClass::verify);
        CHECK(command("pnpm --filter @acme/web check-types") == ToolClass::verify);
        CHECK(command("yarn test:unit") == ToolClass::verify);
        CHECK(command("yarn checkout-fees") == ToolClass::shell);
        CHECK(command("npm build:prod") == ToolClass::shell);
        CHECK(command("cargo +nightly test") == ToolClass::verify);
        CHECK(command("go -C cmd test ./...") == ToolClass::verify);
        CHECK(command("pnpm --filter test dev") == ToolClass::shell);
        CHECK(command("npm --version") == ToolClass::read);
    }

    TEST_CASE("scripts whose names say that they check are checks, and so are compilers") {
        for (const char* check :
             {"./verify.sh", "bash scripts/run-tests.sh", "sh scripts/test.sh", "python3 check.py",
              "python tests/test_sacks.py", "node check.js", "tools/lint", "lake build", "terraform plan",
              "terraform validate", "gcc -o barn barn.c", "g++ -std=c++20 barn.cpp", "clang++ a.cc", "javac Barn.java",
              "python -m ruff check .", "bats test", "helm lint chart", "./ci/validate_schema.py"}) {
            CAPTURE(check);
            CHECK(command(check) == ToolClass::verify);
        }
        for (const char* other :
             {"./deploy.sh", "bash scripts/release.sh", "python3 latest.py", "node contest.js", "terraform apply",
              "test -f a.txt", "python3 -c 'import check'", "bash -c ./deploy.sh", "helm upgrade a b", "./attest"}) {
            CAPTURE(other);
            CHECK(command(other) == ToolClass::shell);
        }
    }

    TEST_CASE("type checkers and linters of many languages are checks") {
        for (const char* check : {"npx tsgo --noEmit 2>&1 | head -40",
                                  "pnpm exec tsgo -p .",
                                  "npx vue-tsc --noEmit",
                                  "npx svelte-check",
                                  "bunx tsc --noEmit",
                                  "yarn tsc --noEmit",
                                  "pnpm --filter web vitest run",
                                  "pnpm dlx tsgo",
                                  "uv run ty check src",
                                  "uvx ty check",
                                  "pyrefly check",
                                  "pyre check",
                                  "basedpyright src",
                                  "python -m pyright",
                                  "pytype barn.py",
                                  "npx astro check",
                                  "npx nuxi typecheck",
                                  "vendor/bin/phpstan analyse",
                                  "vendor/bin/psalm",
                                  "staticcheck ./...",
                                  "cppcheck src",
                                  "npx eslint_d src",
                                  "ktlint",
                                  "swiftlint",
                                  "tflint",
                                  "npx markdownlint-cli2 docs"}) {
            CAPTURE(check);
            CHECK(command(check) == ToolClass::verify);
        }
        for (const char* other : {"ty server", "pyrefly init", "astro dev", "nuxi dev", "yarn add tsc", "pnpm install",
                                  "cargo make deploy", "tsgolint.txt"}) {
            CAPTURE(other);
            CHECK(command(other) == ToolClass::shell);
        }
    }

    TEST_CASE("what launchers and containers run is what counts") {
        CHECK(command("uv run pytest -q") == ToolClass::verify);
        CHECK(command("uv run --with pytest-cov -p 3.12 pytest") == ToolClass::verify);
        CHECK(command("poetry run mypy src") == ToolClass::verify);
        CHECK(command("bundle exec rspec spec/a_spec.rb") == ToolClass::verify);
        CHECK(command("docker compose exec -T -e CI=1 app pytest -q") == ToolClass::verify);
        CHECK(command("docker run --rm -v .:/src image make test") == ToolClass::verify);
        CHECK(command("docker exec db psql -c 'select 1'") == ToolClass::shell);
        CHECK(command("docker ps") == ToolClass::poll);
        CHECK(command("docker compose ps") == ToolClass::poll);
        CHECK(command("docker compose up -d") == ToolClass::shell);
        CHECK(command("podman build .") == ToolClass::verify);
        CHECK(command("docker buildx build --load .") == ToolClass::verify);
        CHECK(command("docker builder prune") == ToolClass::shell);
        CHECK(command("podman run --rm image pytest") == ToolClass::verify);
        CHECK(command("docker run image") == ToolClass::shell);
        CHECK(command("uv sync") == ToolClass::shell);
        CHECK(command("hatch test") == ToolClass::verify);
        CHECK(command("cargo nextest run") == ToolClass::verify);
        CHECK(command("php artisan test") == ToolClass::verify);
        CHECK(command("python manage.py test shop") == ToolClass::verify);
        CHECK(command("python manage.py migrate") == ToolClass::shell);
        CHECK(command("node --test") == ToolClass::verify);
        CHECK(command("uv") == ToolClass::shell);
        CHECK(command("docker") == ToolClass::shell);
        CHECK(command("git cherry-pick a1b2") == ToolClass::mutate);
    }

    TEST_CASE("of git the verb counts, wherever its options say that it works") {
        for (const char* look : {"git -C /srv/barn status",
                                 "git --no-pager log -3",
                                 "git -C '/srv/old barn' --no-pager diff",
                                 "git -C \\\"/srv/old barn\\\" show",
                                 "git -c core.pager=cat log",
                                 "git --git-dir=/a/.git rev-list HEAD",
                                 "git cat-file -p HEAD",
                                 "git fsck",
                                 "git reflog",
                                 "git reflog show",
                                 "git ls-tree HEAD",
                                 "git count-objects -v",
                                 "git worktree list",
                                 "git show-ref",
                                 "git verify-pack -v a.idx",
                                 "git for-each-ref",
                                 "git name-rev HEAD",
                                 "git check-ignore a",
                                 "git merge-base a b",
                                 "git shortlog -s",
                                 "git fetch origin",
                                 "git stash list",
                                 "md5 -q barn.iso",
                                 "cksum a",
                                 "sha256sum a b"}) {
            CAPTURE(look);
            CHECK(command(look) == ToolClass::read);
        }
        for (const char* write :
             {"git -C /srv/barn commit -m x", "git --no-pager stash", "git -c a=b checkout x", "git pull"}) {
            CAPTURE(write);
            CHECK(command(write) == ToolClass::mutate);
        }
        for (const char* other : {"git -C /srv/barn push", "git reflog expire --all", "git worktree add ../b", "git gc",
                                  "git", "git -C", "git --no-pager"}) {
            CAPTURE(other);
            CHECK(command(other) == ToolClass::shell);
        }
        CHECK(command("git -C a grep x") == ToolClass::search);
    }

    TEST_CASE("a comment is no command, wherever it stands") {
        for (const char* look : {"# where is it?\ncat f", "cat f\n# that's all", "cat f # don't; rm f",
                                 "# first\\ncat f\\n# last", "ls; # rm -rf b\ncat f"}) {
            CAPTURE(look);
            CHECK(command(look) == ToolClass::read);
        }
        CHECK(command("cat f # first\nrm f") == ToolClass::mutate);
        CHECK(command("cat f#1; rm f#2") == ToolClass::mutate);
        CHECK(command("cat '# a'; rm f") == ToolClass::mutate);
        CHECK(command("# nothing") == ToolClass::shell);
    }

    TEST_CASE("questions to a forge, to a program about itself and through xargs are looks") {
        for (const char* look :
             {"gh pr view 3 --json title", "gh issue view 7 --comments", "gh pr list", "gh pr diff 4", "gh pr status",
              "gh repo view", "gh release list", "gh api repos/a/b/pulls", "gh api repos/a/b --jq .name",
              "find . -name a | head -3 | xargs cat", "ls | xargs -n 1 -I {} head {}", "xargs -0 wc -l",
              "cargo --version", "./deploy.sh --help", "pytest --version", "sudo docker --version 2>&1"}) {
            CAPTURE(look);
            const ToolClass found = command(look);
            CHECK((found == ToolClass::read || found == ToolClass::search));
        }
        for (const char* other :
             {"gh pr create", "gh pr merge 3", "gh issue comment 7 -b x", "gh api -X DELETE repos/a/b",
              "gh api repos/a/b -f name=x", "gh api graphql -f query=x", "gh api --method=POST a", "gh api a -XPUT",
              "gh", "gh api", "lsof -t -i :80 | xargs kill", "./deploy.sh now --help"}) {
            CAPTURE(other);
            CHECK(command(other) == ToolClass::shell);
        }
        CHECK(command("gh run list") == ToolClass::poll);
        CHECK(command("gh pr checks 3") == ToolClass::poll);
        CHECK(command("find . -name a | xargs rm") == ToolClass::mutate);
        CHECK(command("find . -name a | xargs -n 1 sed -i s/a/b/") == ToolClass::mutate);
        CHECK(command("ls src | xargs eslint") == ToolClass::verify);
        CHECK(command("./deploy.sh --help > help.txt") == ToolClass::mutate);
    }

    TEST_CASE("what only sorts, cuts and shows what it is given does no more than what gives it") {
        for (const char* look :
             {"sort a.txt", "jq -r .name package.json", "awk '{print $2}' a", "cat a | tr a-z A-Z | cut -d, -f2",
              "sort a | uniq -c", "xxd a | head", "realpath ."}) {
            CAPTURE(look);
            CHECK(command(look) == ToolClass::read);
        }
        for (const char* look : {"grep -rn mill src | sort -u", "rg -l mill | uniq | tac",
                                 "find . -name a | awk -F/ '{print $2}'", "fdfind mill"}) {
            CAPTURE(look);
            CHECK(command(look) == ToolClass::search);
        }
        CHECK(command("sort a > b") == ToolClass::mutate);
        CHECK(command("awk -i inplace '{print $1}' a") == ToolClass::mutate);
        CHECK(command("npm test | sort") == ToolClass::verify);
        CHECK(command("./mill | jq .corn") == ToolClass::shell);
    }

    TEST_CASE("questions about programs that run, and where they are, are searches") {
        for (const char* look :
             {"lsof -i :3000", "pgrep -f mill", "ps aux | grep mill", "command -v node", "pidof mill"}) {
            CAPTURE(look);
            CHECK(command(look) == ToolClass::search);
        }
        CHECK(command("pgrep mill | xargs kill") == ToolClass::shell);
        CHECK(command("command npm test") == ToolClass::verify);
    }

    TEST_CASE("names of tools that change something say so") {
        for (const char* name : {"update_order", "deployService", "mcp__fleet__restart_worker", "run"})
            CHECK(names_a_change(name));
        for (const char* name : {"note", "get_order", "list_updates", "search", "settings", ""})
            CHECK_FALSE(names_a_change(name));
    }

    TEST_CASE("a pause alone is a wait, a pause and a look is a poll") {
        CHECK(command("sleep 30") == ToolClass::wait);
        CHECK(command("sleep 30 && echo done") == ToolClass::wait);
        CHECK(command("sleep 30; cat log.txt") == ToolClass::poll);
        CHECK(command("sleep 5 && ./status.sh") == ToolClass::poll);
        CHECK(command("gh run view 12") == ToolClass::poll);
        CHECK(command("sleep 2 && npm test") == ToolClass::verify);
    }

    TEST_CASE("quotes hide separators, escaped newlines are separators") {
        CHECK(command("echo 'rm -rf x; sleep 3'") == ToolClass::shell);
        CHECK(command("cat a\\nrm b") == ToolClass::mutate);
        CHECK(command("echo \\\"a && rm b\\\"") == ToolClass::shell);
    }

    TEST_CASE("an argument vector is judged by its last element") {
        CHECK(classify_command({R"(["bash","-lc","npm test"])", TextForm::json_value}) == ToolClass::verify);
        CHECK(classify_command({R"(["bash", "-lc", "npm test"])", TextForm::json_value}) == ToolClass::verify);
        CHECK(classify_command({R"(["pytest","-q"])", TextForm::json_value}) == ToolClass::verify);
        CHECK(classify_command({R"(["cat", "src/a.py"])", TextForm::json_value}) == ToolClass::read);
        CHECK(classify_command({R"(["apply_patch","*** Begin Patch\n*** Update File: a.py\n@@\n-a\n+b; npm test\n"])",
                                TextForm::json_value}) == ToolClass::mutate);
        CHECK(classify_command({R"(["git","commit","-m","Fix it; npm test"])", TextForm::json_value}) ==
              classify_command({"git commit -m x", TextForm::plain}));
        CHECK(classify_command({R"(["bash","-lc"])", TextForm::json_value}) == ToolClass::shell);
        CHECK(classify_command({"[", TextForm::json_value}) == ToolClass::shell);
    }

    TEST_CASE("writing nothing to a running program is a poll") {
        const auto stdin_tool = classify_tool("write_stdin");
        CHECK(classify_call(stdin_tool, {}, {R"({"session_id":1,"chars":""})", TextForm::plain}) == ToolClass::poll);
        CHECK(classify_call(stdin_tool, {}, {R"({"session_id":1,"chars":"y\n"})", TextForm::plain}) ==
              ToolClass::shell);
    }

    TEST_CASE("a terminal that is typed into is judged by the keys, and polled with none") {
        const ToolNameClass tool = classify_tool("bash_command");
        const auto with = [&](std::string_view args) { return classify_call(tool, {}, {args, TextForm::json_value}); };
        CHECK(with("{\n  \"keystrokes\": \"\",\n  \"duration\": 60.0\n}") == ToolClass::poll);
        CHECK(with(R"({"duration": 60.0})") == ToolClass::shell);
        CHECK(classify_call(tool, {R"(pytest -q\n)", TextForm::json_string}, {}) == ToolClass::verify);
        CHECK(classify_call(tool, {R"(git diff\n)", TextForm::json_string}, {}) == ToolClass::read);
    }

    TEST_CASE("what is written to a running program is seen however its arguments are spaced") {
        const ToolNameClass tool = classify_tool("write_stdin");
        const auto with = [&](std::string_view args) { return classify_call(tool, {}, {args, TextForm::json_value}); };
        CHECK(with(R"({"session_id": 7, "chars": ""})") == ToolClass::poll);
        CHECK(with(R"({"session_id": 7, "chars": "y\n"})") == ToolClass::shell);
        CHECK(with(R"({"session_id":7})") == ToolClass::poll);
    }

    TEST_CASE("a process tool polls or acts by its action") {
        const auto process = classify_tool("process");
        CHECK(classify_call(process, {}, {R"({"action":"poll","sessionId":"x"})", TextForm::json_value}) ==
              ToolClass::poll);
        CHECK(classify_call(process, {}, {R"({"action":"kill","sessionId":"x"})", TextForm::json_value}) ==
              ToolClass::shell);
    }

    TEST_CASE("garbage commands are classified without trouble") {
        for (const char* text :
             {"", "   ", "'", "\\", "\"", "&&", "|||;;", "((((", "a=b=c", "timeout", "sudo sudo sudo"}) {
            CAPTURE(text);
            CHECK_NOTHROW(command(text));
        }
    }

    TEST_CASE(
        "what a running program has printed is asked for by many names, and only the status of a rollout is waited "
        "for") {
        for (const std::string_view name :
             {"read_process_output", "get_task_output", "mcp__box__check_background_output", "getSessionOutput"}) {
            CAPTURE(name);
            CHECK(classify_tool(name).tool_class == ToolClass::poll);
        }
        for (const std::string_view name : {"save_command_output", "format_output", "process_order"}) {
            CAPTURE(name);
            CHECK(classify_tool(name).tool_class != ToolClass::poll);
        }
        CHECK(classify_command({"kubectl rollout status deployment/quay", TextForm::plain}) == ToolClass::poll);
        CHECK(classify_command({"kubectl rollout restart deployment/quay", TextForm::plain}) == ToolClass::shell);
    }
}
