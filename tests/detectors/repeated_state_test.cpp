#include "support/session.hpp"

#include "detectors/engine/lane_track.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using agent_audit::test::Session;

namespace {

Session& set_to(Session& s, const std::string& from, const std::string& to, const std::string& outcome) {
    s.call_json("Edit", "sluice.cfg",
                R"({"file_path":"sluice.cfg","old_string":")" + from + R"(","new_string":")" + to + R"("})", "done");
    return s.fails("Bash", "./wheel --watch", outcome);
}

Step write_of(std::uint64_t file, std::uint64_t content, std::uint64_t call) {
    Step step;
    step.tool_class = ToolClass::mutate;
    step.call = call;
    step.out = 1;
    step.touch.file = file;
    step.touch.after = content;
    step.touch.whole_file = true;
    return step;
}
Step edit_of(std::uint64_t file, std::uint64_t before, std::uint64_t after, std::uint64_t call) {
    Step step = write_of(file, after, call);
    step.touch.before = before;
    step.touch.whole_file = false;
    return step;
}

std::uint64_t place_after(std::vector<Step> steps) {
    LaneTrack lane(0);
    for (Step& step : steps) lane.push(step);
    return lane.place();
}

}  // namespace

TEST_SUITE("loop/repeated-state") {
    TEST_CASE("three visits to one state with changes in between are a warning, five an error") {
        for (const auto& [rounds, findings, severity] :
             {std::tuple{2, 0u, Severity::info}, {4, 1u, Severity::warning}, {7, 1u, Severity::error}}) {
            Session s("loop/repeated-state");
            for (int i = 0; i < rounds; ++i) set_to(set_to(s, "low", "high", "limps"), "high", "low", "stands");
            const auto& found = s.end();
            REQUIRE(found.size() == findings);
            if (findings > 0) CHECK(found[0].severity == severity);
        }
    }

    TEST_CASE("different changes from one starting point are all new states") {
        Session s("loop/repeated-state");
        for (int i = 0; i < 12; ++i) {
            const std::string value = "setting " + std::to_string(i);
            set_to(set_to(s, "low", value, "limps"), value, "low", "stands");
        }
        CHECK(s.end().empty());
    }

    TEST_CASE("outcomes that move are new states") {
        Session s("loop/repeated-state");
        for (int i = 0; i < 8; ++i)
            set_to(set_to(s, "low", "high", std::to_string(i) + " cogs"), "high", "low", std::to_string(i) + " teeth");
        CHECK(s.end().empty());
    }

    TEST_CASE("a cycle without any change is left to the cycle rule") {
        Session s("loop/repeated-state");
        for (int i = 0; i < 12; ++i) s.call("Read", "a", "A").call("Read", "b", "B");
        CHECK(s.end().empty());
    }

    TEST_CASE("going to another directory and back makes the old place again") {
        LaneTrack lane(0);
        lane.enter_directory(7);
        const auto home = lane.place();
        lane.enter_directory(9);
        CHECK(lane.place() != home);
        lane.enter_directory(7);
        CHECK(lane.place() == home);
    }

    TEST_CASE("an edit and its inverse leave the files as they were, two edits do not") {
        const auto start = place_after({});
        CHECK(place_after({edit_of(1, 10, 20, 100), edit_of(1, 20, 10, 101)}) == start);
        CHECK(place_after({edit_of(1, 10, 20, 100), edit_of(1, 20, 30, 101)}) != start);
        CHECK(place_after({edit_of(1, 10, 20, 100), edit_of(2, 20, 10, 101)}) != start);
    }

    TEST_CASE("a write that restores an earlier content makes the old place again, whatever lay in between") {
        const auto first = place_after({write_of(1, 50, 100)});
        CHECK(place_after({write_of(1, 50, 100), edit_of(1, 10, 20, 101), write_of(1, 60, 102),
                           write_of(1, 50, 103)}) == first);
        CHECK(place_after({write_of(1, 50, 100), write_of(1, 60, 102)}) != first);
    }

    TEST_CASE("a change of no known file stays and counts once") {
        Step unknown = write_of(0, 0, 100);
        const auto once = place_after({unknown});
        CHECK(once != place_after({}));
        CHECK(place_after({unknown, unknown}) == once);
    }
}
