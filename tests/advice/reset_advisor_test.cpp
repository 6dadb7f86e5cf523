#include <agent_audit/advice/reset_advisor.hpp>

#include <doctest/doctest.h>

using namespace agent_audit;
using namespace agent_audit::advice;

namespace {

Finding loop(std::uint64_t first, std::uint64_t last, Severity severity = Severity::error, bool recovered = false) {
    Finding f;
    f.rule = "loop/exact-repeat";
    f.severity = severity;
    f.confidence = 0.95;
    f.first_line = first;
    f.last_line = last;
    f.recovered = recovered;
    return f;
}

ContextRequest request(std::uint64_t line, std::uint64_t context, std::uint64_t window = 200'000,
                       std::uint64_t recent = 100) {
    ContextRequest r;
    r.where.line = line;
    r.figures.context = context;
    r.figures.window = window;
    r.recent_share_percent = recent;
    return r;
}

/// A session of so many responses, two lines each, whose prompts grow by `step` from 10,000 on.
void run(ResetAdvisor& advisor, int responses, std::uint64_t step) {
    advisor.on_turn(1, 1);
    for (int i = 1; i <= responses; ++i) {
        const auto line = static_cast<std::uint64_t>(2 * i);
        advisor.on_request(request(line, 10'000 + step * static_cast<std::uint64_t>(i)));
        advisor.on_response(line + 1, false, false);
    }
}

const ResetCosts kReported{TokensSource::reported, std::nullopt, true};

}  // namespace

TEST_SUITE("reset advisor") {
    TEST_CASE("a loop that was not left is worth a reset, a session without one is not") {
        ResetAdvisor advisor;
        run(advisor, 50, 1000);
        CHECK(advisor.finish({}, kReported).empty());
        run(advisor, 50, 1000);
        const Finding finding = loop(60, 100);
        const auto resets = advisor.finish({&finding, 1}, kReported);
        REQUIRE(resets.size() == 1);
        CHECK(resets[0].rule == "loop/exact-repeat");
        CHECK(resets[0].known_line == 100);
        CHECK(resets[0].tokens_before == 60'000);
        CHECK(resets[0].tokens_after < 25'000);
        CHECK(resets[0].saving_per_turn() == resets[0].tokens_before - resets[0].tokens_after);
        CHECK(resets[0].line == 1);  // nothing was verified: back to the request
        CHECK_FALSE(resets[0].verified);
        CHECK(resets[0].confidence > 0.8);
    }

    TEST_CASE("a short prompt, a warning and a sub-agent's loop are worth none") {
        ResetAdvisor advisor;
        run(advisor, 20, 100);
        Finding finding = loop(10, 30);
        CHECK(advisor.finish({&finding, 1}, kReported).empty());
        run(advisor, 50, 1000);
        finding = loop(60, 100, Severity::warning);
        CHECK(advisor.finish({&finding, 1}, kReported).empty());
        run(advisor, 50, 1000);
        finding = loop(60, 100);
        finding.lane = 2;
        CHECK(advisor.finish({&finding, 1}, kReported).empty());
        run(advisor, 50, 1000);
        finding = loop(60, 100);
        CHECK(advisor.finish({&finding, 1}, {}).empty());  // how long prompts are is not known
    }

    TEST_CASE("a task that was left is worth a reset, one that only nothing has checked is not") {
        for (const auto& [rule, worth] : {std::pair{"drift/topic-switch", true}, {"drift/unverified-done", false}}) {
            ResetAdvisor advisor;
            run(advisor, 50, 1000);
            Finding finding = loop(100, 100, Severity::warning);
            finding.rule = rule;
            CHECK(advisor.finish({&finding, 1}, kReported).size() == (worth ? 1u : 0u));
        }
    }

    TEST_CASE("what is kept ends where a check had passed on all changes") {
        ResetAdvisor advisor;
        advisor.on_turn(1, 1);
        for (std::uint64_t i = 1; i <= 50; ++i) {
            advisor.on_request(request(2 * i, 10'000 + 1000 * i));
            // an edit at 11, a check at 21, and from 41 on edits that nobody checks
            advisor.on_response(2 * i + 1, i == 5 || i >= 20, i == 10);
        }
        const Finding finding = loop(60, 100);
        const auto resets = advisor.finish({&finding, 1}, kReported);
        REQUIRE(resets.size() == 1);
        CHECK(resets[0].verified);
        CHECK(resets[0].line == 39);  // the response before the first unchecked edit
    }

    TEST_CASE("a check that the next one contradicts has verified nothing") {
        const auto place = [](bool asked_between, bool passes_between) {
            ResetAdvisor advisor;
            advisor.on_turn(1, 1);
            const auto check = [&](std::uint64_t call, std::string_view command, bool failed) {
                advisor.on_check(call, {command, TextForm::plain}, failed);
            };
            for (std::uint64_t i = 1; i <= 50; ++i) {
                advisor.on_request(request(2 * i, 10'000 + 1000 * i));
                if (i == 10) check(1, "npm test", false);
                if (i == 11 && passes_between) check(2, "npm run lint", false);
                if (i == 12 && asked_between) advisor.on_turn(24, 2);
                if (i == 12) check(3, "npm run test:e2e", true);
                advisor.on_response(2 * i + 1, i == 5 || i >= 20, i == 10 || (i == 11 && passes_between));
            }
            const Finding finding = loop(60, 100);
            const auto resets = advisor.finish({&finding, 1}, kReported);
            return resets.size() == 1 && resets[0].verified;
        };
        CHECK_FALSE(place(false, false));
        CHECK(place(true, false));  // something else was asked for
        CHECK(place(false, true));  // and another check agreed with the first
    }

    TEST_CASE("a check that failed is over when the command passes that a task runner ran for it") {
        const auto place = [](std::string_view passes) {
            ResetAdvisor advisor;
            advisor.on_turn(1, 1);
            for (std::uint64_t i = 1; i <= 50; ++i) {
                advisor.on_request(request(2 * i, 10'000 + 1000 * i));
                if (i == 8)
                    advisor.on_check(1, {"mise run e2e-test", TextForm::plain}, true,
                                     {"[e2e-test] $ go test -tags=e2e ./suite/...\n--- FAIL", TextForm::plain});
                if (i == 10) advisor.on_check(2, {passes, TextForm::plain}, false);
                advisor.on_response(2 * i + 1, i == 5 || i >= 20, i == 10);
            }
            const Finding finding = loop(60, 100);
            const auto resets = advisor.finish({&finding, 1}, kReported);
            return resets.size() == 1 && resets[0].verified;
        };
        CHECK(place("go test -tags=e2e ./suite/..."));
        CHECK_FALSE(place("go test ./other/..."));
    }

    TEST_CASE("a full window of which little is used is worth a reset, one that is in use is not") {
        ResetAdvisor advisor;
        advisor.on_turn(1, 1);
        for (std::uint64_t i = 1; i <= 100; ++i) {
            advisor.on_request(request(2 * i, 10'000 + 1500 * i, 200'000, i < 99 ? 100 : 20));
            advisor.on_response(2 * i + 1, false, false);
        }
        const auto resets = advisor.finish({}, kReported);
        REQUIRE(resets.size() == 1);
        CHECK(resets[0].trigger == ResetTrigger::stale_window);
        run(advisor, 100, 1500);
        CHECK(advisor.finish({}, kReported).empty());
    }

    TEST_CASE("loops close to each other are one suggestion, known at the end of the last") {
        ResetAdvisor advisor;
        run(advisor, 100, 1000);
        const Finding findings[] = {loop(40, 80), loop(84, 96), loop(150, 190)};
        const auto resets = advisor.finish(findings, kReported);
        REQUIRE(resets.size() == 2);
        CHECK(resets[0].first_line == 40);
        CHECK(resets[0].known_line == 96);
        CHECK(resets[1].known_line == 190);
    }

    TEST_CASE("of two findings in one trouble the surer one is told, with its own lines and the earlier place") {
        ResetAdvisor advisor;
        run(advisor, 100, 1000);
        Finding weaker = loop(40, 120), surer = loop(60, 80);
        weaker.rule = "loop/revisit-ratio";
        weaker.confidence = 0.6;
        surer.rule = "loop/cycle";
        surer.confidence = 0.9;
        const Finding alone[] = {weaker};
        const auto earlier = advisor.finish(alone, kReported);
        REQUIRE(earlier.size() == 1);
        run(advisor, 100, 1000);
        const Finding both[] = {weaker, surer};
        const auto resets = advisor.finish(both, kReported);
        REQUIRE(resets.size() == 1);
        CHECK(resets[0].rule == "loop/cycle");
        CHECK(resets[0].first_line == 60);
        CHECK(resets[0].known_line == 80);
        CHECK(resets[0].line == earlier[0].line);
        CHECK(resets[0].confidence > earlier[0].confidence);
    }

    TEST_CASE("the break-even follows from the prices of the cache") {
        const Finding finding = loop(60, 100);
        const auto turns = [&](const ResetCosts& costs) {
            ResetAdvisor advisor;
            run(advisor, 50, 1000);
            const auto resets = advisor.finish({&finding, 1}, costs);
            return resets.empty() ? 0 : resets[0].break_even_turns;
        };
        CHECK(turns({TokensSource::reported, std::nullopt, false}) == 1);  // nothing is cached: less is cheaper at once
        const TokenPrices dear{.input = 3, .output = 15, .cache_read = 1, .cache_write = 4, .cache_write_1h = 0};
        const TokenPrices cheap{.input = 3, .output = 15, .cache_read = 3, .cache_write = 4, .cache_write_1h = 0};
        CHECK(turns({TokensSource::reported, dear, true}) > turns({TokensSource::reported, cheap, true}));
    }

    TEST_CASE("places are exact while they are few, and bounded when they are many") {
        Places places;
        for (std::uint64_t line = 1; line <= 100'000; ++line) places.add(line * 10, line);
        CHECK(places.added() == 100'000);
        const auto* at = places.at(500'005);
        REQUIRE(at);
        CHECK(at->line <= 500'005);
        CHECK(at->line > 490'000);
        CHECK(places.at(5) == nullptr);
    }
}
