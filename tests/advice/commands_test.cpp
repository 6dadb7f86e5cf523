#include "advice/commands.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace agent_audit::advice;

TEST_SUITE("what commands are about") {
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
        for (const char* types : {"npx tsgo --noEmit", "npx vue-tsc", "svelte-check", "basedpyright src", "uv run ty check", "pyrefly check"}) {
            CAPTURE(types);
            CHECK(check_rank(types) == check_rank("tsc --noEmit"));
        }
        CHECK(check_rank("tsc --noEmit") > check_rank("eslint ."));
    }

    TEST_CASE("another attempt at the same thing has the same target, another thing has another") {
        CHECK(command_target("cd /x && git push origin main") == command_target("git push --force-with-lease origin main 2>&1 | tail -3"));
        CHECK(command_target("git add a && git commit -m 'one'") == command_target("git commit -m two"));
        CHECK(command_target("sed -n '1,200p' a/(b)/c.tsx") == command_target("sed -n '7,90p' 'a/(b)/c.tsx'"));
        CHECK(command_target("gh pr create --title x") == command_target("gh pr create --title y --draft"));
        CHECK(command_target("gh pr create --title x") != command_target("gh issue create --title x"));
        CHECK(command_target("git push") != command_target("git commit -m x"));
        CHECK(command_target("curl http://a/x") != command_target("curl http://a/y"));
    }

    TEST_CASE("what others can see of a command is told from what they cannot") {
        const auto kind = [](std::string_view command) {
            const CommandEffects effects = effects_of(command);
            return effects.done.empty() ? std::string("none") : std::string(name(effects.done[0].kind));
        };
        CHECK(kind("git -C repo push -u origin x 2>&1") == "pushed");
        CHECK(kind("gh --repo a/b pr merge 7 --squash") == "merged");
        CHECK(kind("npm publish") == "published");
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
}
