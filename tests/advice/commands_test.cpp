#include "advice/calls/commands.hpp"

#include "advice/calls/checks.hpp"
#include "advice/calls/command_effects.hpp"
#include "advice/calls/command_line.hpp"
#include "advice/calls/work_files.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>

using namespace agent_audit::advice;

namespace {

/// The programs of a line, in their order.
std::string programs(std::string_view line) {
    std::string all;
    for (const Part& part : split(line)) all += (all.empty() ? "" : " ") + program_of(part.words).name;
    return all;
}

}  // namespace

TEST_SUITE("what commands are about") {
    TEST_CASE("what follows a here-document, or stands in another shell, is done as well") {
        CHECK(programs("cat > a.py <<'EOF'\nrm x\nEOF\nmill a.py && git push") == "cat mill git");
        CHECK(programs("cat <<-END > a && cat <<B\n\trm x\n\tEND\nrm y\nB\nsow b") == "cat cat sow");
        CHECK(programs("cat > a <<EOF\nrm x\nno end") == "cat");
        CHECK(programs("grep x <<< y\nsow b") == "grep sow");
        CHECK(programs("bash -lc 'sow a && bash -c \"reap b\"; mill c'; bake d") == "sow reap mill bake");
        CHECK(programs("bash sow.sh -c; sh") == "bash sh");
        CHECK(programs("for f in a b; do sow $f; done") == "for do done");  // whether it is done is not known
        std::string deep = "sow";
        for (int i = 0; i < 200; ++i) deep = "bash -c '" + deep;
        CHECK(split(deep).size() == 1);
    }

    TEST_CASE("a check covers itself and what is narrower, and nothing else") {
        CHECK(covers_check("npm test", "npm test"));
        CHECK(covers_check("npm test", "npm test src/a.test.ts"));
        CHECK(covers_check("bun test a.test.ts b.test.ts", "bun test a.test.ts"));
        CHECK(covers_check("bunx biome check src/a.ts", "npx biome check src/a.ts"));
        CHECK_FALSE(covers_check("npm test src/a.test.ts", "npm test"));
        CHECK_FALSE(covers_check("npm test src/a.test.ts", "npm test src/b.test.ts"));
        CHECK_FALSE(covers_check("npm run lint", "npm test"));
        CHECK_FALSE(covers_check("npm test", "npm run lint"));
    }

    TEST_CASE("a check that names places of one package reaches no other") {
        CHECK(check_reaches("npm test", "packages/a/src/x.ts"));
        CHECK(check_reaches("bun test packages/a/test/x.test.ts", "packages/a/src/x.ts"));
        CHECK(check_reaches("pytest tests/test_a.py", "src/a.py"));
        CHECK(check_reaches("cmake --build build/dev", "src/a.cpp"));
        CHECK(check_reaches("pnpm --filter @me/web test", "packages/web/a.ts"));
        CHECK(check_reaches("go test ./...", "cmd/x/a.go"));
        CHECK_FALSE(check_reaches("bun test packages/a/test/x.test.ts", "packages/b/src/x.ts"));
        CHECK_FALSE(check_reaches("bun test apps/web/x.test.ts", "packages/b/src/x.ts"));
        CHECK_FALSE(check_reaches("pytest src/one/test_a.py", "lib/a.py"));
    }

    TEST_CASE("all tests are wider than some, those than a build, and a lint is last") {
        CHECK(check_rank("npm test") > check_rank("npm test src/a.test.ts"));
        CHECK(check_rank("go test ./...") == check_rank("npm test"));
        CHECK(check_rank("pytest tests/test_a.py") > check_rank("make"));
        CHECK(check_rank("make") > check_rank("tsc --noEmit"));
        for (const char* types : {"npx tsgo --noEmit", "npx vue-tsc", "svelte-check", "basedpyright src",
                                  "uv run ty check", "pyrefly check"}) {
            CAPTURE(types);
            CHECK(check_rank(types) == check_rank("tsc --noEmit"));
        }
        CHECK(check_rank("tsc --noEmit") > check_rank("eslint ."));
    }

    TEST_CASE("another attempt at the same thing has the same target, another thing has another") {
        CHECK(command_target("cd /x && git push origin main") ==
              command_target("git push --force-with-lease origin main 2>&1 | tail -3"));
        CHECK(command_target("git add a && git commit -m 'one'") == command_target("git commit -m two"));
        CHECK(command_target("sed -n '1,200p' a/(b)/c.tsx") == command_target("sed -n '7,90p' 'a/(b)/c.tsx'"));
        CHECK(command_target("gh pr create --title x") == command_target("gh pr create --title y --draft"));
        CHECK(command_target("gh pr create --title x") != command_target("gh issue create --title x"));
        CHECK(command_target("git push") != command_target("git commit -m x"));
        CHECK(command_target("curl http://a/x") != command_target("curl http://a/y"));
    }

    TEST_CASE("a command that only writes files is told from one that does more") {
        CHECK(written_by(
                  "cd /x && apply_patch <<'PATCH'\n*** Begin Patch\n*** Update File: a.ts\n*** End Patch\nPATCH") ==
              Written::patch);
        CHECK(written_by("*** Begin Patch\n*** Update File: a.ts\n*** End Patch") == Written::patch);
        CHECK(written_by("mkdir -p src && cat > src/a.ts <<'EOF'\nx\nEOF") == Written::text);
        CHECK(written_by("cat <<EOF | tee a.txt") == Written::nothing);
        CHECK(written_by("cat a.ts > b.ts") == Written::nothing);
        CHECK(written_by("npm install && cat > a.ts <<EOF\nx\nEOF") == Written::nothing);
        CHECK(written_by("git apply <<EOF\n+++ b/a.ts\nEOF") == Written::nothing);
        CHECK(written_by("echo done") == Written::nothing);
        CHECK(written_by("") == Written::nothing);
    }

    TEST_CASE("what others can see of a command is told from what they cannot") {
        const auto kind = [](std::string_view command) {
            const CommandEffects effects = effects_of(command);
            return effects.done.empty() ? std::string("none") : std::string(name(effects.done[0].kind));
        };
        CHECK(kind("git -C repo push -u origin x 2>&1") == "pushed");
        CHECK(kind("gh --repo a/b pr merge 7 --squash") == "merged");
        CHECK(kind("npm publish") == "published");
        CHECK(kind("npm run publish") == "published");
        CHECK(kind("npm run release:patch") == "released");
        CHECK(kind("npm run build:release") == "none");
        CHECK(kind("gh pr checkout 7") == "branch");
        CHECK(kind("git switch -c feature") == "branch");
        CHECK(kind("git tag v1.0") == "tagged");
        CHECK(kind("gh pr view 7") == "none");
        CHECK(kind("git push --dry-run") == "none");
        CHECK(kind("git tag -l") == "none");
        CHECK(kind("git checkout main") == "none");
        CHECK(kind("echo 'git push'") == "none");
    }

    TEST_CASE("rm deletes, mv moves, and a file in a directory keeps its name") {
        CommandEffects effects = effects_of("cd src && rm -f a.ts && mv b.ts ../lib/");
        REQUIRE(effects.deleted.size() == 1);
        CHECK(effects.deleted[0] == "src/a.ts");
        REQUIRE(effects.moved.size() == 1);
        CHECK(effects.moved[0].from == "src/b.ts");
        CHECK(effects.moved[0].to == "lib/b.ts");
        CHECK(effects.changed.empty());
        effects = effects_of("git rm --cached secret.txt");
        CHECK(effects.deleted.empty());
    }

    TEST_CASE("checks are quoted as they were joined") {
        CHECK(check_of("pnpm test && pnpm build").words == "pnpm test && pnpm build");
        CHECK(check_of("pnpm test && cd web && pnpm build").words == "pnpm test && pnpm build");
        CHECK(check_of("pnpm test; pnpm build").words == "pnpm test; pnpm build");
        CHECK(check_of("pnpm test && ls; pnpm build").words == "pnpm test; pnpm build");
    }

    TEST_CASE("what a task runner says to run is a second name of the check") {
        CHECK(second_name("mise run test", "[test] $ go test ./...\nok a") == "go test ./...");
        CHECK(second_name("npm test", "> app@1.0.0 test\n> vitest run\n\n3 passed") == "vitest run");
        CHECK(second_name("yarn test", "yarn run v1.22\n$ jest --ci\nPASS") == "jest --ci");
        CHECK(second_name("task test", "task: [test] go test ./...\nok") == "go test ./...");
        CHECK(second_name("mise run check", "[lint] $ golangci-lint run\n[test] $ go test ./...") ==
              "golangci-lint run && go test ./...");
        CHECK(second_name("go test ./...", "$ jest --ci").empty());  // no runner
        CHECK(second_name("npm test", "> vitest run").empty());      // a quotation, no echo
        CHECK(second_name("npm test", "$ rm -rf dist").empty());     // no check
        CHECK(covers_check("go test -tags=e2e ./cmd/suite/...", "go test -tags=e2e ./cmd/sui\u2026"));
        CHECK_FALSE(covers_check("go test -tags=e2e ./cmd/suite/... -run One", "go test -tags=e2e ./cmd/sui\u2026"));
    }

    TEST_CASE("the message of a commit is found in every form that shells have for it") {
        const auto subject = [](std::string_view command) { return effects_of(command).message; };
        CHECK(subject("git commit -m 'fix: one' -m 'and more'") == "fix: one");
        CHECK(subject("git commit -qm \"fix: one\"") == "fix: one");
        CHECK(subject("git commit --message='fix: one'") == "fix: one");
        CHECK(subject("git add . && git commit -m \"$(cat <<'EOF'\nfix: one\n\nBody\nEOF\n)\" && git push") ==
              "fix: one");
        CHECK(subject("git commit -F - <<'EOF'\nfix: one\n\nBody\nEOF") == "fix: one");
        CHECK(subject("git commit -m @'\nfix: one\n'@") == "fix: one");
        CHECK(subject("git commit -m \"$MESSAGE\"").empty());
        CHECK(subject("git commit --fixup HEAD~1").empty());
        CHECK(effects_of("git commit --amend --no-edit").amends);
        CHECK(effects_of("git -C /tmp/x commit -m a").repository == "/tmp/x");
        CHECK(effects_of("cd $(mktemp -d) && git init && git commit -m a").scratch);
        CHECK_FALSE(effects_of("git init && git add . && git commit -m 'the first'").scratch);
        const auto told = commits_told(
            "[main (root-commit) 5efdc56] docs: The plan\n 1 file changed\n[fix/a 01e0de5aa] fix: [core] one\n[test] $ "
            "npm test\n[a b] c");
        REQUIRE(told.size() == 2);
        CHECK(told[0].branch == "main");
        CHECK(told[0].subject == "docs: The plan");
        CHECK(told[1].branch == "fix/a");
        CHECK(told[1].subject == "fix: [core] one");
    }

    TEST_CASE("what stands before a semicolon was done, whatever the end came to") {
        const auto gone = [](std::string_view command) { return settled_effects(command).effects.deleted.size(); };
        CHECK(gone("rm -f a.html b.html; ls a.html") == 2);
        CHECK(gone("cd out && rm -f a.html\nls") == 1);
        CHECK(gone("npm test && rm a.html; ls") == 0);  // if the test passed
        CHECK(gone("test -d out || exit 1; rm a.html; ls") == 0);
        CHECK(gone("set -e; rm a.html; ls") == 0);
        CHECK(gone("if true; then rm a.html; fi; ls") == 0);
        CHECK(gone("ls; rm a.html") == 0);  // the end itself
        CHECK(settled_effects("rm a.html; ls").ends_looking);
        CHECK_FALSE(settled_effects("rm a.html; ./deploy").ends_looking);
        const SettledEffects rm = settled_effects("rm a.html; ls a.html");
        CHECK_FALSE(denies("ls: a.html: No such file or directory", rm));
        CHECK(denies("rm: a.html: Permission denied", rm));
        CHECK(denies("bash: line 1: syntax error near unexpected token", rm));
    }

    TEST_CASE("what may change files that it does not name is told from what does not") {
        for (const std::string command :
             {"python3 scripts/gen.py", "make generate", "./update.sh", "git pull --rebase", "git checkout main",
              "gh pr checkout 7", "npm run format", "eslint . --fix", "sed -i s/a/b/ *.ts",
              "python3 - <<'EOF'\nopen('a').write('b')\nEOF", "git -C sub pull", "go generate ./..."}) {
            CAPTURE(command);
            CHECK(effects_of(command).may_change);
        }
        for (const std::string command :
             {"git status", "git log -3", "git checkout -b new", "git stash list", "npm test", "cat a.py", "ls -la",
              "sed -i s/a/b/ a.ts", "sed -n 1,9p a.ts", "python3 -c 'print(1 + 1)'", "git push",
              "git add . && git commit -m x", "rg -w word src"}) {
            CAPTURE(command);
            CHECK_FALSE(effects_of(command).may_change);
        }
    }
}
