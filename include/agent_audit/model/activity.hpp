#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_audit {

/// What kind of work a stretch of a session is.
enum class Activity : std::uint8_t {
    explore,      ///< reading and searching
    edit,         ///< changing files
    verify,       ///< tests, builds, linters
    run,          ///< any other command or tool
    deploy,       ///< what leaves the machine: push, publish, release, apply
    plan,         ///< plans and to-do lists
    communicate,  ///< turns that only say something, questions to a human, messages sent
};
inline constexpr std::size_t kActivities = 7;
std::string_view name(Activity activity);

/// Neighbouring turns of one kind; single ones of another kind in between belong to it. A turn is a model response with
/// its calls.
struct ActivitySegment {
    Activity activity = Activity::explore;
    std::uint64_t first_line = 0, last_line = 0;  ///< records, from 1; results of the calls included
    std::uint64_t first_turn = 0, last_turn = 0;  ///< model responses of the lane, from 1
    std::uint64_t turns = 0;                      ///< how many; those that only wait count where they stand
    std::uint64_t calls = 0;
};

/// The main conversation as a sequence of segments: each turn belongs to exactly one.
struct ActivityCourse {
    static constexpr std::size_t kMost = 256;  ///< the first ones are kept

    std::vector<ActivitySegment> segments;
    std::uint64_t more = 0;  ///< segments beyond kMost
};

}  // namespace agent_audit
