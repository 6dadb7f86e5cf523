#include "pipeline/files.hpp"
#include "policy/events.hpp"

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
}
