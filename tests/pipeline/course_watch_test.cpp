#include "pipeline/watches/course_watch.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace agent_audit;

namespace {

LaneCourse course_of(std::size_t points, std::uint64_t requests, auto tokens_of) {
    CourseRecorder recorder(points);
    for (std::uint64_t i = 1; i <= requests; ++i) recorder.request(10 * i, tokens_of(i));
    return std::move(recorder).finish(0);
}

bool holds(const LaneCourse& course, std::uint64_t tokens) {
    return std::ranges::find(course.points, tokens, &CoursePoint::tokens) != course.points.end();
}

EventHeader head_of(std::uint32_t lane, std::uint64_t line) {
    EventHeader head;
    head.lane = lane;
    head.where.line = line;
    return head;
}

}  // namespace

TEST_SUITE("course of a lane") {
    TEST_CASE("few requests are all kept, in their order") {
        const LaneCourse course = course_of(64, 20, [](std::uint64_t i) { return i * i; });
        REQUIRE(course.points.size() == 20);
        CHECK(course.requests == 20);
        for (std::uint64_t i = 1; i <= 20; ++i) CHECK(course.points[i - 1] == CoursePoint{10 * i, i * i});
    }

    TEST_CASE(
        "of fifty thousand requests the ends, the one peak and the one drop are kept in a bounded number of points") {
        const auto tokens = [](std::uint64_t i) {
            return i == 31'007 ? 900'000u : i == 40'000 ? 7u : 1000 + static_cast<unsigned>(i % 13);
        };
        const LaneCourse course = course_of(2048, 50'000, tokens);
        CHECK(course.points.size() <= 2048);
        CHECK(course.points.size() >= 1000);
        CHECK(course.requests == 50'000);
        CHECK(course.points.front() == CoursePoint{10, 1001});
        CHECK(course.points.back() == CoursePoint{500'000, 1002});
        CHECK(holds(course, 900'000));
        CHECK(holds(course, 7));
        CHECK(std::ranges::is_sorted(course.points, {}, &CoursePoint::line));
    }

    TEST_CASE("the number of points never passes the limit, whatever the number of requests") {
        for (std::size_t limit : {0u, 8u, 9u, 64u}) {
            for (std::uint64_t requests = 1; requests < 300; requests += 7) {
                const auto course = course_of(limit, requests, [](std::uint64_t i) { return 1 + i * 7919 % 101; });
                CHECK(course.points.size() <= std::max<std::size_t>(limit, 8));
                CHECK(std::ranges::is_sorted(course.points, {}, &CoursePoint::line));
            }
        }
    }

    TEST_CASE("compactions beyond the limit are counted") {
        CourseRecorder recorder(64);
        for (std::uint64_t i = 0; i < LaneCourse::kMarks + 5; ++i) recorder.compaction({i + 1, 0, 0, false});
        const LaneCourse course = std::move(recorder).finish(3);
        CHECK(course.lane == 3);
        CHECK(course.marks.size() == LaneCourse::kMarks);
        CHECK(course.more_marks == 5);
    }

    TEST_CASE("ten thousand lanes keep the memory of a few, and the main lane has its place though it comes last") {
        CourseWatch watch(64);
        for (std::uint32_t lane = 1; lane < 10'000; ++lane) watch.on_request(head_of(lane, lane), 100);
        watch.on_request(head_of(0, 10'000), 100);
        const auto courses = watch.finish();
        CHECK(courses.size() == LaneCourse::kLanes);
        CHECK(courses.front().lane == 0);
        CHECK(watch.finish().empty());
    }

    TEST_CASE("only compactions that ended and were not copied from elsewhere are marks") {
        CourseWatch watch(64);
        Compaction begun, ended;
        begun.phase = CompactionPhase::begin;
        ended.trigger = CompactionTrigger::manual;
        ended.tokens_before = 900;
        EventHeader copied = head_of(0, 3);
        copied.flags = kCopied;
        watch.on_compaction(head_of(0, 2), begun);
        watch.on_compaction(copied, ended);
        watch.on_compaction(head_of(0, 4), ended);
        const auto courses = watch.finish();
        REQUIRE(courses.size() == 1);
        REQUIRE(courses[0].marks.size() == 1);
        CHECK(courses[0].marks[0].line == 4);
        CHECK(courses[0].marks[0].by_hand);
        CHECK(courses[0].marks[0].tokens_before == 900);
    }
}
