#include "pipeline/watches/course_watch.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit {

// Two points a bucket, and the ends.
CourseRecorder::CourseRecorder(std::size_t points)
    : most_buckets_(std::max<std::size_t>((std::max<std::size_t>(points, 8) - 2) / 2 & ~std::size_t{1}, 2)) {}

CourseRecorder::Bucket CourseRecorder::join(const Bucket& a, const Bucket& b) {
    const bool low_in_a = a.low.tokens <= b.low.tokens;
    const bool high_in_a = a.high.tokens >= b.high.tokens;
    Bucket joined{low_in_a ? a.low : b.low, high_in_a ? a.high : b.high};
    if (low_in_a == high_in_a) {
        joined.high_first = (low_in_a ? a : b).high_first;
    } else {
        joined.high_first = high_in_a;
    }
    return joined;
}

void CourseRecorder::request(std::uint64_t line, std::uint64_t tokens) {
    const CoursePoint point{line, tokens};
    last_ = point;
    if (requests_ == 0) first_ = point;
    const bool fresh = requests_ % stride_ == 0;
    ++requests_;
    if (!fresh) {
        buckets_.back() = join(buckets_.back(), {point, point});
        return;
    }
    if (buckets_.size() == most_buckets_) {
        for (std::size_t i = 0; i < most_buckets_ / 2; ++i) buckets_[i] = join(buckets_[2 * i], buckets_[2 * i + 1]);
        buckets_.resize(most_buckets_ / 2);
        stride_ *= 2;
    }
    buckets_.push_back({point, point});
}

void CourseRecorder::compaction(const CourseMark& mark) {
    if (marks_.size() < LaneCourse::kMarks)
        marks_.push_back(mark);
    else
        ++more_marks_;
}

LaneCourse CourseRecorder::finish(std::uint32_t lane) && {
    LaneCourse course;
    course.lane = lane;
    course.requests = requests_;
    course.marks = std::move(marks_);
    course.more_marks = more_marks_;
    const auto add = [&](const CoursePoint& point) {
        if (course.points.empty() || course.points.back() != point) course.points.push_back(point);
    };
    if (requests_ > 0) add(first_);
    for (const Bucket& bucket : buckets_) {
        add(bucket.high_first ? bucket.high : bucket.low);
        add(bucket.high_first ? bucket.low : bucket.high);
    }
    if (requests_ > 0) add(last_);
    return course;
}

CourseRecorder* CourseWatch::lane(std::uint32_t lane) {
    if (const auto known = lanes_.find(lane); known != lanes_.end()) return &known->second;
    // The main lane always has a place.
    const bool full = lanes_.size() + (lane != 0 && !lanes_.contains(0) ? 1 : 0) >= LaneCourse::kLanes;
    if (full) return nullptr;
    return &lanes_.try_emplace(lane, lane == 0 ? points_ : points_ / kSubAgentShare).first->second;
}

void CourseWatch::on_request(const EventHeader& head, std::uint64_t context) {
    if (context == 0) return;
    if (CourseRecorder* recorder = lane(head.lane)) recorder->request(head.where.line, context);
}

void CourseWatch::on_compaction(const EventHeader& head, const Compaction& compaction) {
    if (compaction.phase != CompactionPhase::end || (head.flags & kCopied) != 0) return;
    CourseRecorder* recorder = lane(head.lane);
    if (!recorder) return;
    recorder->compaction({head.where.line, compaction.tokens_before.value_or(0), compaction.tokens_after.value_or(0),
                          compaction.trigger == CompactionTrigger::manual});
}

std::vector<LaneCourse> CourseWatch::finish() {
    std::vector<LaneCourse> courses;
    for (auto& [lane, recorder] : lanes_) courses.push_back(std::move(recorder).finish(lane));
    std::ranges::sort(courses, {}, &LaneCourse::lane);
    lanes_.clear();
    return courses;
}

}  // namespace agent_audit
