#include "detectors/commands/check_kind.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit::detectors;

TEST_SUITE("what a check is about") {
    TEST_CASE("the kinds that a command names, and those that may be part of it") {
        struct Checked {
            std::string_view command;
            CheckKinds names, settles;
        };
        constexpr CheckKinds kCompiled = kTestCheck | kBuildCheck | kTypeCheck;
        for (const Checked& c : {
                 Checked{"pytest -q", kTestCheck, kCompiled},
                 Checked{"cd web && npx vitest run", kTestCheck, kCompiled},
                 Checked{"npm test", kTestCheck, kEveryCheck},
                 Checked{"npm run test:unit", kTestCheck, kEveryCheck},
                 Checked{"cargo build -p my-test", kBuildCheck, kBuildCheck | kTypeCheck},
                 Checked{"pnpm --filter test-tools build", kBuildCheck, kBuildCheck | kTypeCheck | kLintCheck},
                 Checked{"npx tsc --noEmit", kTypeCheck, kTypeCheck},
                 Checked{"npm run check-types", kTypeCheck, kTypeCheck},
                 Checked{"mypy tests", kTypeCheck, kTypeCheck},
                 Checked{"npx eslint src/test", kLintCheck, kLintCheck},
                 Checked{"npm run lint", kLintCheck, kLintCheck | kTypeCheck},
                 Checked{"npx eslint . && npx tsc --noEmit", kLintCheck | kTypeCheck, kLintCheck | kTypeCheck},
                 Checked{"npm run ci", 0, kEveryCheck},
                 Checked{"make check", 0, kEveryCheck},
                 Checked{"pre-commit run --all-files", 0, kEveryCheck},
                 Checked{"./scripts/check.sh", 0, kEveryCheck},
                 Checked{"./run_tests.sh", kTestCheck, kEveryCheck},
             }) {
            CAPTURE(c.command);
            const CheckScope scope = scope_of_check("Bash", {c.command, agent_audit::TextForm::plain});
            CHECK(scope.names == c.names);
            CHECK(scope.settles == c.settles);
        }
    }

    TEST_CASE("a line that was cut may go on with anything") {
        const std::string line = "npx eslint " + std::string(200, 'a');
        CHECK(scope_of_check("Bash", {line, agent_audit::TextForm::plain}).settles == kEveryCheck);
        CHECK(scope_of_check("run_tests", {}).names == kTestCheck);
    }
}
