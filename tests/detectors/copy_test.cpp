#include "support/session.hpp"

#include <agent_audit/detectors/detector.hpp>

#include <doctest/doctest.h>

using namespace agent_audit;

TEST_SUITE("copies of rules") {
    TEST_CASE("every rule of a lane can be copied, so that a supervised run can ask what it knows") {
        for (const DetectorSpec& spec : all_detectors()) {
            if (spec.scope != Scope::lane) continue;
            CAPTURE(spec.id);
            const auto factory = spec.bind(Settings{});
            REQUIRE(factory);
            const auto made = (*factory)();
            if (!made) continue;  // nothing to watch for, as it is set
            const auto copy = made->copy();
            REQUIRE(copy);
            CHECK(copy->copy());
            CHECK(copy->so_far().empty());
        }
    }

    TEST_CASE("every rule of a lane can begin anew, so that thousands of short sessions need not make theirs each") {
        for (const DetectorSpec& spec : all_detectors()) {
            if (spec.scope != Scope::lane) continue;
            CAPTURE(spec.id);
            const auto factory = spec.bind(Settings{});
            REQUIRE(factory);
            const auto fresh = (*factory)();
            if (!fresh) continue;
            const auto used = (*factory)();
            CHECK(used->renew(*fresh));
            CHECK(used->wakes() == fresh->wakes());
        }
    }
}
