#include "pipeline/files.hpp"
#include "policy/events.hpp"

#include "detectors/engine/goal.hpp"

#include <agent_audit/pipeline/policy_replay.hpp>

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

std::vector<Evidence> evidence_after(int calls, const std::string& words) {
    Events events;
    events.human("fix the parser in src/parser.cpp");
    for (int i = 0; i < calls; ++i) events.call("Edit", "src/lexer" + std::to_string(i) + ".cpp", "done " + std::to_string(i));
    events.human(words);
    events.says("sorry");
    const PolicyChoice choice = choose_policy("permissive");
    REQUIRE(choice.bound);
    Replayer replayer(choice.bound);
    for (const Event& event : events.all()) (void)replayer.on_event(event);
    const SupervisedRun run = replayer.finish();
    const auto found = std::ranges::find(run.findings, "drift/user-correction", &Finding::rule);
    REQUIRE(found != run.findings.end());
    return found->evidence;
}

}  // namespace

TEST_SUITE("user correction") {
    TEST_CASE("what the human said stands in the evidence once, after short work and after long work") {
        for (const int calls : {2, 40}) {
            CAPTURE(calls);
            const auto evidence = evidence_after(calls, "No, that's wrong. I asked for the parser.");
            CHECK(std::ranges::count(evidence, "human", &Evidence::role) == 1);
        }
    }

    TEST_CASE("words that are cut say so") {
        const auto evidence = evidence_after(2, "No, that's wrong. " + std::string(300, 'x'));
        REQUIRE_FALSE(evidence.empty());
        CHECK(evidence.back().role == "human");
        CHECK(evidence.back().text.ends_with("…"));
    }

    TEST_CASE("what was said to be mended and is not") {
        using detectors::Correction;
        CHECK(detectors::correction_in("still the same error, line 12", false) == Correction::persists);
        CHECK(detectors::correction_in("Hm, it's still failing for me.", false) == Correction::persists);
        CHECK(detectors::correction_in("Now fix the same error in src/lexer.cpp", false) == Correction::none);
        for (const std::string_view claim : {"Fixed, all tests pass.", "The parser needs a closer look."}) {
            CAPTURE(claim);
            Events events;
            events.human("fix the parser in src/parser.cpp");
            for (int i = 0; i < 3; ++i) events.call("Edit", "src/parser.cpp", "done " + std::to_string(i));
            events.says(std::string(claim));
            events.human("still the same error");
            events.says("sorry");
            const PolicyChoice choice = choose_policy("permissive");
            REQUIRE(choice.bound);
            Replayer replayer(choice.bound);
            for (const Event& event : events.all()) (void)replayer.on_event(event);
            const SupervisedRun run = replayer.finish();
            const auto found = std::ranges::find(run.findings, "drift/user-correction", &Finding::rule);
            const bool claims = claim.starts_with("Fixed");
            REQUIRE((found != run.findings.end()) == claims);
            if (claims) CHECK(found->severity == Severity::info);
        }
    }

    TEST_CASE("praise is none, whatever it is measured by") {
        using detectors::Correction;
        CHECK(detectors::correction_in("That's not what I expected, much better!", false) == Correction::none);
        CHECK(detectors::correction_in("That's not what I expected.", false) == Correction::strong);
    }
}
