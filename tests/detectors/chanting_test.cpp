#include "support/session.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using agent_audit::test::Session;

namespace {

std::string repeated(std::string_view unit, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) out += unit;
    return out;
}

const std::string kUnit = "The stones of the mill turn slowly, since the grain that came from the barn is still wet. ";

}  // namespace

TEST_SUITE("loop/chanting") {
    TEST_CASE("four rounds are a warning, six an error, three nothing") {
        for (const auto& [rounds, findings, severity] :
             {std::tuple{3, 0u, Severity::info}, {4, 1u, Severity::warning}, {6, 1u, Severity::error}}) {
            Session s("loop/chanting");
            s.says("Let me see.").says(repeated(kUnit, rounds));
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings == 0) continue;
            CHECK(found[0].severity == severity);
            CHECK(found[0].first_line == 2);
            CHECK(found[0].last_line == 2);
            CHECK(found[0].reset_line == 1);
            CHECK(found[0].repeats == static_cast<std::uint64_t>(rounds));
        }
    }

    TEST_CASE("reasoning chants as well, and the finding says so") {
        Session s("loop/chanting");
        s.respond().thinks(repeated(kUnit, 8));
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].message.starts_with("the reasoning says"));
    }

    TEST_CASE("texts that chant the same are one finding, others have their own") {
        Session s("loop/chanting");
        for (int i = 0; i < 3; ++i) s.says(repeated(kUnit, 8 + i));
        s.says(repeated("Now for something that is completely different. ", 20));
        const auto& found = s.end();
        REQUIRE(found.size() == 2);
        CHECK(found[0].last_line == 3);
        CHECK(found[0].repeats == 10);
        CHECK(found[1].first_line == 4);
    }

    TEST_CASE("what a tool returned may say what it likes as often as it likes") {
        Session s("loop/chanting");
        s.call("Read", "poem.txt", repeated(kUnit, 50)).injected(repeated(kUnit, 50)).human(repeated(kUnit, 50));
        CHECK(s.end().empty());
    }

    TEST_CASE("fragments, copies and the words of the tool itself are not heard") {
        const std::string text = repeated(kUnit, 20);
        for (const std::uint16_t flag : {kPartial, kCopied, kSynthetic}) {
            Session s("loop/chanting");
            s.flagged(flag).says(text);
            CHECK(s.end().empty());
        }
    }

    TEST_CASE("a message that chants and comes back is one finding, and it is the monologue") {
        Session s;
        for (int i = 0; i < 4; ++i) s.says(repeated(kUnit, 20));
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].rule == "loop/monologue");
    }

    TEST_CASE("a chant stands beside a loop of calls: neither describes the other") {
        Session s;
        s.says(repeated(kUnit, 20));
        for (int i = 0; i < 6; ++i) s.call("Read", "a", "same");
        CHECK(s.end().size() == 2);
    }
}
