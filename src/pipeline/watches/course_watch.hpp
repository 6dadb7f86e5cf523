#pragma once

#include <agent_audit/model/course.hpp>
#include <agent_audit/model/event.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace agent_audit {

/// Keeps the course of one lane in bounded memory: buckets of equally many requests, joined two by two when there are
/// too many of them. The same requests give the same points.
class CourseRecorder {
public:
    /// At most `points` of them, at least 8.
    explicit CourseRecorder(std::size_t points);

    void request(std::uint64_t line, std::uint64_t tokens);
    void compaction(const CourseMark& mark);

    LaneCourse finish(std::uint32_t lane) &&;

private:
    struct Bucket {
        CoursePoint low, high;
        bool high_first = false;
    };

    static Bucket join(const Bucket& a, const Bucket& b);

    std::size_t most_buckets_;
    std::vector<Bucket> buckets_;
    std::uint64_t stride_ = 1;  // requests a bucket
    std::uint64_t requests_ = 0;
    CoursePoint first_, last_;
    std::vector<CourseMark> marks_;
    std::uint64_t more_marks_ = 0;
};

/// The courses of the lanes of one session after the other.
class CourseWatch {
public:
    explicit CourseWatch(std::size_t points) : points_(points) {}

    void on_request(const EventHeader& head, std::uint64_t context);
    void on_compaction(const EventHeader& head, const Compaction& compaction);

    /// The session is over: lanes with a request or a compaction, by number.
    std::vector<LaneCourse> finish();

private:
    static constexpr std::size_t kSubAgentShare = 4;  // many lanes, small pictures

    CourseRecorder* lane(std::uint32_t lane);

    std::size_t points_;
    std::unordered_map<std::uint32_t, CourseRecorder> lanes_;
};

}  // namespace agent_audit
