#include "detectors/engine/claims.hpp"

#include <doctest/doctest.h>

#include <string_view>

using agent_audit::detectors::claim_in;

TEST_SUITE("claims of an agent") {
    TEST_CASE("that the checks pass, in words and in counts") {
        for (const std::string_view said :
             {"All tests pass.", "5 passed, 0 failed.", "Tests: 5/5 passing", "12 / 12 tests pass now",
              "No test fails any more.", "The suite ran with no failures.",
              "The failing test passes: verified that it does.", "Everything is green.",
              "The previously failing tests pass now.", "The tests now succeed.", "The tests are now green.",
              "I confirmed that `make test` passes.", "`npm run build` now succeeds."}) {
            CAPTURE(said);
            const auto claim = claim_in(said);
            CHECK(claim.checked);
            CHECK_FALSE(claim.hedged);
        }
    }

    TEST_CASE("the same in other languages, and what is left open there") {
        for (const std::string_view said :
             {"Der Wert stimmt nur noch einmal. Alle Tests bestehen.", "La remise compte et tous les tests passent.",
              "Todas las pruebas pasan.", "Todos os testes passaram.", "Tutti i test passano.", "Все тесты проходят.",
              "Все тесты прошли."}) {
            CAPTURE(said);
            CHECK(claim_in(said).checked);
            CHECK_FALSE(claim_in(said).hedged);
        }
        for (const std::string_view said :
             {"Alles ist umgesetzt.", "Tout est terminé.", "Todo está listo.", "Está tudo pronto.", "È tutto fatto.",
              "Всё готово.", "すべて完了しました。", "모두 완료했습니다."}) {
            CAPTURE(said);
            CHECK(claim_in(said).done);
            CHECK_FALSE(claim_in(said).hedged);
        }
        for (const std::string_view said :
             {"Alles ist umgesetzt, nur der Export ist noch offen.", "Tout est fait, sauf l'export.",
              "Todas las pruebas pasan, excepto una.", "Os testes passaram, mas um ainda falha.",
              "Si tous les tests passent, je pousse.", "Les tests passent par docker maintenant.",
              "Alle Tests bestehen aus drei Teilen.", "Cuando todas las pruebas pasan, se publica.",
              "Если все тесты проходят, можно сливать.", "Se i test passano, si pubblica.",
              "I test passano tutti tranne uno.", "Все тесты прошли, кроме одного.", "Les tests ne passent pas."}) {
            CAPTURE(said);
            const auto claim = claim_in(said);
            CHECK((claim.hedged || (!claim.done && !claim.checked)));
        }
    }

    TEST_CASE("a check and the state that is said of it, in whatever words between") {
        using namespace agent_audit::detectors;
        struct Said {
            std::string_view words;
            CheckKinds of;
        };
        for (const Said& c :
             {Said{"ruff is clean.", kLintCheck}, Said{"eslint is clean again, and so is the rest.", kLintCheck},
              Said{"`mypy` is now clean.", kTypeCheck}, Said{"The tests are finally all green again.", kTestCheck},
              Said{"pytest is green on both versions.", kTestCheck},
              Said{"CI is happy again; the build is back to work, the suite is green.", kTestCheck},
              Said{"Fixed, they're all passing now.", 0}, Said{"Now they are passing.", 0},
              Said{"No more type errors.", kTypeCheck}, Said{"Zero failing tests.", kTestCheck},
              Said{"Done: all 12 tests still pass.", kTestCheck},
              Said{"| Item | Status |\n|---|---|\n| Fix | ✅ done |\n| Tests | ✅ passing |", kTestCheck},
              Said{"| Unit tests | ✅ pass |\n| Port | ✅ |", kTestCheck}}) {
            CAPTURE(c.words);
            const auto claim = claim_in(c.words);
            CHECK(claim.checked);
            CHECK_FALSE(claim.hedged);
            CHECK(claim.of == c.of);
        }
        for (const std::string_view said :
             {"The working tree is clean.", "The code is clean and easy to read now.", "Is eslint clean now?",
              "Once ruff is clean you can merge.", "If mypy is clean, merge it.", "The button is green now.",
              "They are passing the token along.", "Make sure the linter is clean.", "ruff is clean now?",
              "The tests directory is clean.", "The build folder is clean.", "No more types to add.",
              "Not all tests are green again.", "Zero tests were run.", "The test users are happy with it.",
              "| Write tests | ✅ |\n| Port | ✅ |", "| Tests | ✅ written |\n| Port | ✅ done |",
              "The linter is clean code's friend.", "A clean build is what we want."}) {
            CAPTURE(said);
            const auto claim = claim_in(said);
            CHECK_FALSE((claim.checked && !claim.hedged));
        }
    }

    TEST_CASE("ticks, commands, colours and other languages claim as well") {
        using namespace agent_audit::detectors;
        struct Said {
            std::string_view words;
            CheckKinds of;
        };
        for (const Said& c : {Said{"Fixed.\n\nTests: ✅", kTestCheck},
                              Said{"- **Tests:** ✅ 12 passed\n- Lint: ✅", kTestCheck | kLintCheck},
                              Said{"Tests ✓", kTestCheck},
                              Said{"**Tests:** ✅ All 12 passing", kTestCheck},
                              Said{"tests ✅ build ✅", kTestCheck | kBuildCheck},
                              Said{"| Tests | ✅ |", kTestCheck},
                              Said{"Tests: 12/12 ✅", kTestCheck},
                              Said{"✅ Parses leap days\n\nBuild: ✔️", kBuildCheck},
                              Said{"`go test ./...` passes", kTestCheck},
                              Said{"`npm test` is green.", kTestCheck},
                              Said{"`pytest -q` passes with 12 tests.", kTestCheck},
                              Said{"I fixed it. It is green now.", 0},
                              Said{"It's green now.", 0},
                              Said{"The suite passes.", kTestCheck},
                              Said{"It compiles now.", kBuildCheck},
                              Said{"Tests: passing", kTestCheck},
                              Said{"Alle Tests sind grün.", kTestCheck},
                              Said{"Die Tests laufen jetzt durch.", kTestCheck},
                              Said{"Todos los tests pasan.", kTestCheck},
                              Said{"Tous les tests passent.", kTestCheck},
                              Said{"テストはすべて通りました。", kTestCheck},
                              Said{"모든 테스트가 통과했습니다.", kTestCheck}}) {
            CAPTURE(c.words);
            const Claim claim = claim_in(c.words);
            CHECK(claim.checked);
            CHECK_FALSE(claim.hedged);
            CHECK(claim.of == c.of);
            CHECK(claim.by_colour == (c.of == 0));
        }
        for (const std::string_view said : {"Tests: ❌",
                                            "Before: tests ✅. After: tests ❌.",
                                            "- Code ✅\n- Tests ✅\n- Docs ✅",
                                            "- [ ] Tests ✅ in CI",
                                            "I added a ✅ next to passing tests.",
                                            "✅ Tests for leap days",
                                            "The button is green now.",
                                            "Is it green now?",
                                            "It is green now when the date is valid.",
                                            "Please check that `go test` passes.",
                                            "`go test` passes its flags to the binary.",
                                            "`pytest` passes the fixture to each test.",
                                            "`test_leap_day` passes now.",
                                            "Run `pytest`; when it passes, commit.",
                                            "Make sure that `go test ./...` passes.",
                                            "The wrapper passes arguments through.",
                                            "It compiles nowhere else.",
                                            "All green squares are red now.",
                                            "The tests pass a Date object now.",
                                            "The tests pass locally, but I did not rerun them after the edit.",
                                            "Die Tests sind noch rot.",
                                            "Die Tests laufen nicht durch.",
                                            "Los tests no pasan.",
                                            "Les tests passent pas.",
                                            "テストはまだ通りません。",
                                            "テストが通ったら教えてください。",
                                            "테스트가 통과하면 알려 주세요.",
                                            "`git status` is clean."}) {
            CAPTURE(said);
            const Claim claim = claim_in(said);
            CHECK((!claim.checked || claim.hedged));
        }
    }

    TEST_CASE("which kinds of check are said to have passed") {
        using namespace agent_audit::detectors;
        struct Said {
            std::string_view words;
            CheckKinds of;
            bool of_all;
        };
        for (const Said& c :
             {Said{"All tests pass.", kTestCheck, false},
              Said{"The build is clean. Lint passes.", kBuildCheck | kLintCheck, false},
              Said{"All three checks are green: lint, test, check-types.", kTestCheck | kTypeCheck | kLintCheck, false},
              Said{"All checks pass.", 0, true}, Said{"All green.", 0, true},
              Said{"Renamed the tests. Everything passes.", 0, true}, Said{"12/12 tests pass", kTestCheck, false},
              Said{"ESLint passes cleanly.", kLintCheck, false}, Said{"`npm run build` succeeds.", kBuildCheck, false},
              Said{"编译成功", kBuildCheck, false}, Said{"测试全部通过", kTestCheck, false},
              Said{"I verified that it works.", 0, false}}) {
            CAPTURE(c.words);
            const Claim claim = claim_in(c.words);
            CHECK(claim.checked);
            CHECK(claim.of == c.of);
            CHECK(claim.of_all == c.of_all);
        }
    }

    TEST_CASE("a failure that is named, a part that passed and a doubt are no plain claim") {
        for (const std::string_view said :
             {"All tests pass, 1 failed to start.", "5 passed, 10 failed.", "4/5 passing", "0/0 passing",
              "They should pass now.", "Some tests fail.", "All tests pass except that the build fails.",
              "Done, but one test still fails."}) {
            CAPTURE(said);
            const auto claim = claim_in(said);
            CHECK((!claim.checked || claim.hedged));
        }
    }

    TEST_CASE("a condition, a question, a quotation, a part and an expectation claim nothing") {
        for (const std::string_view said : {"Not all tests pass.",
                                            "If you restore the fixture, all tests pass.",
                                            "Assuming that the clock is mocked, all tests pass.",
                                            "Do all tests pass? I did not look.",
                                            "5 of 6 tests pass.",
                                            "4/5 tests pass.",
                                            "All other tests pass.",
                                            "Most tests pass.",
                                            "All tests pass except test_a.",
                                            "The banner prints `all tests pass` at its end.",
                                            "It asks whether \"all tests pass\" is printed.",
                                            "All tests pass: ❌",
                                            "All tests pass on CI according to the log.",
                                            "I expect that all tests pass then.",
                                            "I cannot say that all tests pass.",
                                            "Goal: all tests pass. test_a is red.",
                                            "When the tests pass on CI, this can be merged.",
                                            "Left to do: make all tests pass, write docs.",
                                            "After all tests pass, it deploys.",
                                            "Run `pytest` to confirm all tests pass.",
                                            "Goal for tomorrow: everything passes.",
                                            "Only 10 of the 12 tests pass.",
                                            "The docs claim that all tests pass on Windows.",
                                            "Tests passing is not enough here.",
                                            "Tests: 3/4",
                                            "It is due on 11/11, tests: none."}) {
            CAPTURE(said);
            const auto claim = claim_in(said);
            CHECK((!claim.checked || claim.hedged));
        }
        for (const std::string_view said :
             {"I looked if it is fast! All tests pass.", "6 of 6 tests pass.", "6/6 tests pass.",
              "`pytest` passes, and the size is reduced.", "**All tests pass**", "No other change, and all tests pass.",
              "The suite now passes.", "Pagination done; test results: 14/14.", "**Tests:** 3/3",
              "I ran the tests: all 12 tests pass.", "12 of the 12 tests pass.",
              "Everything is green. Let me know if you want a changelog entry.", "I ran the test suite and it passes.",
              "I know what to make of it: all tests pass.", "All the tests have passed."}) {
            CAPTURE(said);
            const auto claim = claim_in(said);
            CHECK(claim.checked);
            CHECK_FALSE(claim.hedged);
        }
    }

    TEST_CASE("the same in Chinese") {
        for (const std::string_view said :
             {"已修复登录接口，所有测试都已通过。", "测试跑通了。", "测试均已通过，没有报错。",
              "修复了失败的测试，现在全部通过。", "12个用例通过，0失败。", "编译成功。", "并通过了所有测试。",
              "单元测试已通过"}) {
            CAPTURE(said);
            const auto claim = claim_in(said);
            CHECK(claim.checked);
            CHECK_FALSE(claim.hedged);
        }
        for (const std::string_view said : {"测试还有2个失败。", "测试未通过。", "还有一个测试没过。",
                                            "如果测试通过就可以合并。", "需要所有测试通过后才能发布。",
                                            "通过测试发现了一个问题。", "测试没有通过。", "10个用例失败，编译成功。"}) {
            CAPTURE(said);
            const auto claim = claim_in(said);
            CHECK((!claim.checked || claim.hedged));
        }
    }

    TEST_CASE("that it builds, in other words") {
        for (const std::string_view said :
             {"It compiles without errors.", "There are no compilation errors.", "The site builds successfully."}) {
            CAPTURE(said);
            CHECK(claim_in(said).checked);
        }
        CHECK_FALSE(claim_in("It compiles.").checked);
    }

    TEST_CASE("that all went well, and not a word of what did not") {
        CHECK(claim_in("Perfect! The shop is fully functional.").success);
        CHECK(claim_in("I have successfully implemented the cart.").success);
        for (const std::string_view said :
             {"The shop is fully functional, but the build breaks.",
              "Successfully added the cart; the type error is an existing one.", "Done with the edit.",
              "I have successfully implemented the cart. Note: the build does not run here."}) {
            CAPTURE(said);
            CHECK_FALSE(claim_in(said).success);
        }
        CHECK(claim_in("Successfully implemented. The build fails.").hedged);
    }

    TEST_CASE("that it is done") {
        const auto claim = claim_in("The issue is resolved and everything works as expected.");
        CHECK(claim.done);
        CHECK_FALSE(claim.hedged);
        CHECK(claim_in("All done as far as expected.").hedged);
        CHECK(claim_in("评论功能已全部完成！").done);
    }
}
