#include "pipeline/watches/peers.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;

namespace {

Finding found(std::uint64_t first, std::uint64_t last, std::string rule = "loop/cycle",
              Severity severity = Severity::warning) {
    Finding f;
    f.rule = std::move(rule);
    f.severity = severity;
    f.first_line = first;
    f.last_line = last;
    return f;
}

PeerOutcome peer(std::uint64_t warned, std::uint64_t stopped, std::uint32_t lane = 0) {
    PeerOutcome out;
    if (warned != 0) out.warned = PeerReaction{"rule", warned, warned, 1, lane};
    if (stopped != 0) out.stopped = PeerReaction{"rule", stopped, stopped, 1, lane};
    return out;
}

PeerVerdict verdict(PeerOutcome outcome, const std::vector<Finding>& findings) {
    std::vector<PeerOutcome> peers{std::move(outcome)};
    judge_peers(peers, findings);
    return peers[0].verdict;
}

}  // namespace

TEST_SUITE("verdicts on other agents") {
    TEST_CASE("a reaction inside one of our loops is right, outside it is a false alarm") {
        CHECK(verdict(peer(0, 10), {found(10, 20)}) == PeerVerdict::right);
        CHECK(verdict(peer(0, 20), {found(10, 20)}) == PeerVerdict::right);
        CHECK(verdict(peer(0, 9), {found(10, 20)}) == PeerVerdict::false_alarm);
        CHECK(verdict(peer(0, 21), {found(10, 20)}) == PeerVerdict::false_alarm);
        CHECK(verdict(peer(0, 30), {found(10, 20), found(25, 40)}) == PeerVerdict::right);
        CHECK(verdict(peer(0, 10), {}) == PeerVerdict::false_alarm);
    }

    TEST_CASE("silence is right without a loop and a miss with one") {
        CHECK(verdict(peer(0, 0), {}) == PeerVerdict::silent_right);
        CHECK(verdict(peer(0, 0), {found(1, 2)}) == PeerVerdict::missed);
    }

    TEST_CASE("the stop is judged, and the warning where there is none") {
        CHECK(verdict(peer(5, 15), {found(10, 20)}) == PeerVerdict::right);
        CHECK(verdict(peer(15, 25), {found(10, 20)}) == PeerVerdict::false_alarm);
        CHECK(verdict(peer(15, 0), {found(10, 20)}) == PeerVerdict::right);
    }

    TEST_CASE("notes, other groups and other lanes do not make a loop") {
        CHECK(verdict(peer(0, 15), {found(10, 20, "loop/cycle", Severity::info)}) == PeerVerdict::false_alarm);
        CHECK(verdict(peer(0, 15), {found(10, 20, "budget/limits")}) == PeerVerdict::false_alarm);
        CHECK(verdict(peer(0, 0), {found(10, 20, "budget/limits")}) == PeerVerdict::silent_right);
        CHECK(verdict(peer(0, 15, 3), {found(10, 20)}) == PeerVerdict::false_alarm);
    }

    TEST_CASE("totals add up to the sessions") {
        std::vector<PeerTotals> totals(1);
        for (const auto& [outcome, v] : {std::pair{peer(1, 0), PeerVerdict::right},
                                         {peer(1, 2), PeerVerdict::false_alarm},
                                         {peer(0, 0), PeerVerdict::missed},
                                         {peer(0, 0), PeerVerdict::silent_right}}) {
            std::vector<PeerOutcome> peers{outcome};
            peers[0].verdict = v;
            add_peers(totals, peers);
        }
        const PeerTotals& t = totals[0];
        CHECK(t.sessions == 4);
        CHECK(t.warned == 2);
        CHECK(t.stopped == 1);
        CHECK(t.right + t.false_alarms + t.missed + t.silent_right == t.sessions);
        CHECK(t.right == 1);
        CHECK(t.missed == 1);
    }

    TEST_CASE("names are checked, sorted and taken once") {
        const auto all = bind_profiles({"all", "roo"});
        REQUIRE(all);
        CHECK(all->size() == all_profiles().size());
        const auto two = bind_profiles({"roo", "cline", "roo"});
        REQUIRE(two);
        REQUIRE(two->size() == 2);
        CHECK((*two)[0]->name == "cline");
        const auto wrong = bind_profiles({"gemini-clu"});
        REQUIRE_FALSE(wrong);
        CHECK(wrong.error().message == "unknown profile 'gemini-clu'; did you mean 'gemini-cli'?");
        CHECK(bind_profiles({})->empty());
    }
}
