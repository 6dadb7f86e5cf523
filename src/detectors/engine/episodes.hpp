#pragma once

#include "detectors/engine/lane_track.hpp"
#include "detectors/engine/variety.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/model/finding.hpp>
#include <agent_audit/model/policy.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// What a rule says about a repetition, beside the places and the cost its episode knows.
struct Repetition {
    bool hard = false;         ///< an error, not a warning
    bool doubtful = false;     ///< may well be meant: no finding to stop a run for
    std::uint32_t period = 0;  ///< steps of one round; 0 = not periodic
    std::uint64_t repeats = 0;
    std::uint64_t pattern = 0;  ///< Finding::pattern_key
    std::vector<std::string> round{};
    std::string message{};  ///< without the lines: they are added
    std::string_view action{};
    std::vector<Fact> because{};
};

/// Collects the steps of one repetition while it lasts: places, evidence, cost. Bounded: it keeps the first steps and
/// the last one, not all of them.
class Episode {
public:
    Episode() = default;
    Episode(const Episode&) = default;
    Episode(Episode&&) = default;
    Episode& operator=(Episode&&) = default;
    ~Episode() = default;
    /// Of a rule that begins anew nothing is open: its steps, which are most of it, need no copy.
    Episode& operator=(const Episode& other) {
        if (other.is_open())
            *this = Episode(other);
        else
            reset();
        return *this;
    }

    bool is_open() const { return steps_ > 0; }
    /// Forgets everything.
    void reset();

    /// Adds a step; steps come in the lane's order.
    void add(const Step& step);
    /// Adds the steps from one ordinal to another that the lane still keeps.
    void add_range(const LaneTrack& lane, std::uint64_t from, std::uint64_t to);
    /// Opens with `steps` neighbouring steps of which `step` is the last, in rounds of `period`: the second is waste.
    void open_rounds(const LaneTrack& lane, const Step& step, std::uint64_t steps, std::uint32_t period);

    /// Everything from this step on is waste: the first step of the second round. The step before it is where a reset
    /// would cost least.
    void waste_from(const Step& step, const Step* before);

    std::uint64_t steps() const { return steps_; }
    const Step& first() const { return first_; }
    const Step& last() const { return last_; }
    bool contiguous() const { return last_.ordinal - first_.ordinal + 1 == steps_; }
    std::uint64_t copies() const { return copies_; }

    /// A draft with places, evidence, waste and flags filled in; the rule adds severity, message and because.
    DraftFinding draft(const DetectorSpec& spec) const;
    /// The same with all that a repetition needs.
    DraftFinding draft(const DetectorSpec& spec, Repetition what) const;

private:
    static constexpr std::size_t kHead = 3;

    void remember_call(const Step& step);
    void see_variety(const Step& step);
    void waste(const Step& step);
    TokenCounts wasted_tokens() const;

    std::uint64_t steps_ = 0;
    std::uint64_t copies_ = 0;
    std::uint64_t first_line_ = 0, last_line_ = 0, first_offset_ = 0, end_offset_ = 0;
    Step first_, last_;       // only meaningful while open
    std::vector<Step> head_;  // first steps for the evidence
    struct SeenCall {
        std::uint64_t call = 0;
        StepText text;
    };
    std::vector<SeenCall> calls_;  // distinct ones, at most kFindingCalls
    Variety variety_;              // of more steps than head_ holds
    ErrorCounts errors_{};         // failing steps by class
    bool has_waste_ = false;
    std::uint64_t wasted_from_ordinal_ = 0;
    std::uint64_t wasted_steps_ = 0;
    TokenCounts spent_before_waste_;
    TokenCounts wasted_;                 // of the responses of the wasted steps, each once
    std::uint64_t wasted_response_ = 0;  // the last of them
    std::uint64_t reset_line_ = 0;
};

/// True when no window is asked for (`within_s` = 0) or the recorded times of the two steps lie within it. Recordings
/// without times are never cut: what cannot be measured must not hide a loop.
inline bool within(const Step& first, const Step& last, int within_s) {
    if (within_s <= 0 || first.time_ms == kNoTime || last.time_ms == kNoTime) return true;
    return last.time_ms - first.time_ms <= std::int64_t{within_s} * 1000;
}

/// The same for the last `steps` steps of a lane, of which `last` is the newest.
inline bool within(const LaneTrack& lane, const Step& last, std::uint64_t steps, int within_s) {
    if (within_s <= 0 || steps == 0 || steps > last.ordinal) return true;
    const Step* first = lane.step(last.ordinal + 1 - steps);
    return !first || within(*first, last, within_s);
}

/// Tells whether `count` of the events it was shown, one after the other, ever fell within a number of seconds. True
/// when no window is asked for. Bounded: it keeps `count` times.
class TimeWindow {
public:
    TimeWindow(int count, int within_s) : count_(static_cast<std::size_t>(count)), within_s_(within_s) {}

    void add(const Step& step) { add(step.time_ms); }
    void add(std::int64_t time_ms) {
        if (within_s_ <= 0 || met_) return;
        times_.push_back(time_ms);
        if (times_.size() > count_) times_.erase(times_.begin());
        if (times_.size() < count_) return;
        const std::int64_t first = times_.front(), last = times_.back();
        met_ = first == kNoTime || last == kNoTime || last - first <= std::int64_t{within_s_} * 1000;
    }
    bool met() const { return within_s_ <= 0 || met_; }
    void reset() {
        times_.clear();
        met_ = false;
    }

private:
    std::size_t count_;
    int within_s_;
    bool met_ = false;
    std::vector<std::int64_t> times_;
};

/// The parameter that every repeat rule has; `P` is the rule's Params with a member `within`.
template <class P>
constexpr Param<P, int> within_param() {
    return {"within", &P::within, 0, 31'536'000,
            "seconds of recorded time in which the warn count must fall; 0 = no limit"};
}

/// The call of a step in words: tool and its main argument, decoded, one line, cut.
std::string step_words(const Step& step);
/// The same in two parts.
FindingCall call_words(const StepText& text);
/// The first words of its outcome.
std::string outcome_words(const Step& step);
/// "lines 31-63" or "line 31".
std::string lines_words(std::uint64_t first, std::uint64_t last);

/// Decides what only the end of the lane shows: recovery, and with it the severity. Rules have counted by thresholds
/// that the policy has already moved (with_policy); here it says what recovery is worth.
void settle_findings(std::vector<DraftFinding> drafts, const LaneTrack& lane, Policy policy, std::vector<Finding>& out);

/// Findings that overlap in steps are one episode: the tightest description stays and names the others.
std::vector<Finding> join_overlapping(std::vector<Finding> findings);

}  // namespace agent_audit::detectors
