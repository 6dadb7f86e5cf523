#include "detectors/engine/drift_draft.hpp"

#include "detectors/all.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

DriftAct act_at(std::uint64_t line) {
    DriftAct act{};
    act.at.line = line;
    act.at.seq = line * 2;
    act.at.offset = line * 100;
    return act;
}

Finding drafted(std::initializer_list<std::uint64_t> lines) {
    Departure departure;
    for (const std::uint64_t line : lines) departure.add(act_at(line));
    return departure.draft(drift_user_correction(), Severity::warning, 0.8).finding;
}

}  // namespace

TEST_SUITE("draft of a drift finding") {
    TEST_CASE("it begins where its first act was made, however late that one was answered") {
        for (const auto& lines : {std::initializer_list<std::uint64_t>{5, 6, 12}, {12, 5, 6}, {6, 12, 5}}) {
            const Finding finding = drafted(lines);
            CHECK(finding.first_line == 5);
            CHECK(finding.first_seq == 10);
            CHECK(finding.first_offset == 500);
            CHECK(finding.reset_line == 4);
            REQUIRE(finding.evidence.size() == 3);
            CHECK(finding.evidence[0].line == 5);
            CHECK(finding.evidence[0].role == "onset");
            CHECK(finding.evidence[1].line == 6);
            CHECK(finding.evidence[1].role == "message");
            CHECK(finding.evidence[2].line == 12);
            CHECK(finding.evidence[2].role == "message");
        }
    }
}
