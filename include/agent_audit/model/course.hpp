#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace agent_audit {

/// A request of a lane: where it stands and how long its prompt was.
struct CoursePoint {
    std::uint64_t line = 0;    ///< record number, from 1
    std::uint64_t tokens = 0;  ///< of the prompt
    friend bool operator==(const CoursePoint&, const CoursePoint&) = default;
};

/// A compaction in a lane.
struct CourseMark {
    std::uint64_t line = 0;
    std::uint64_t tokens_before = 0, tokens_after = 0;  ///< as recorded; 0 = not recorded
    bool by_hand = false;                               ///< asked for by a human
};

/// How long the prompts of one lane were, in the order of requests, for a picture of it. Of a long lane the shortest
/// and the longest of each few requests in a row are left, and always the first and the last request: no peak and no
/// drop is lost.
struct LaneCourse {
    static constexpr std::size_t kMarks = 256;  ///< the first ones are kept
    static constexpr std::size_t kLanes = 32;   ///< of a session, the main one among them

    std::uint32_t lane = 0;
    std::uint64_t requests = 0;
    std::vector<CoursePoint> points;
    std::vector<CourseMark> marks;
    std::uint64_t more_marks = 0;  ///< compactions beyond kMarks
};

}  // namespace agent_audit
