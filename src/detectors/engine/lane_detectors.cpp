#include "detectors/engine/lane_detectors.hpp"

#include "detectors/engine/drift_watch.hpp"
#include "detectors/engine/lane_track.hpp"

#include <agent_audit/detectors/engine.hpp>

#include <utility>

namespace agent_audit::detectors {
namespace {

std::uint16_t reasons_of(const Step& step, const LaneTrack& lane) {
    unsigned reasons = kEveryStep;
    if (lane.runs().any() || step.revisit) reasons |= kOnRepeat;
    if (step.error_key != 0) reasons |= kOnFailure;  // its own, or one that it shows
    if (step.tool_class == ToolClass::mutate) reasons |= kOnMutation;
    if (step.tool_class == ToolClass::verify || step.tool_class == ToolClass::shell) reasons |= kOnCheck;
    if (step.tool_class == ToolClass::poll) reasons |= kOnPoll;
    if (step.tool_class == ToolClass::read || step.tool_class == ToolClass::search) reasons |= kOnLook;
    if (step.touch.first_line != 0) reasons |= kOnPart;
    if (step.query.words != 0) reasons |= kOnQuery;
    if (step.command_bytes != 0) reasons |= kOnCommand;
    if (step.compactions != 0) reasons |= kAfterCompaction;
    if (step.outcome_bytes >= kLargeOutcome) reasons |= kOnLargeOutcome;
    if (step.reread_line != 0) reasons |= kOnReread;
    return static_cast<std::uint16_t>(reasons);
}

}  // namespace

LaneDetectors LaneDetectors::of(std::span<const BoundDetector> rules) {
    LaneDetectors made;
    for (const BoundDetector& rule : rules) {
        if (rule.spec->scope != Scope::lane) continue;
        auto detector = rule.make();
        if (!detector) continue;
        detector->serves(rule);
        made.engage(*detector);
        made.all_.push_back(std::move(detector));
    }
    return made;
}

void LaneDetectors::engage(Detector& detector) {
    const std::uint8_t hears = detector.row()->spec->hears;
    if ((hears & kSteps) != 0) of_steps_.push_back({&detector, detector.wakes()});
    if ((hears & kResponses) != 0) of_responses_.push_back(&detector);
    if ((hears & kTexts) != 0) of_texts_.push_back(&detector);
    if ((hears & kRequests) != 0) of_requests_.push_back(&detector);
}

bool LaneDetectors::renew(const LaneDetectors& fresh) {
    if (all_.size() != fresh.all_.size()) return false;
    for (std::size_t i = 0; i < all_.size(); ++i) {
        if (!all_[i]->renew(*fresh.all_[i])) return false;
    }
    wake();
    return true;
}

void LaneDetectors::wake() {
    for (StepListener& listener : of_steps_) listener.wakes = listener.detector->wakes();
}

void LaneDetectors::step(const Step& step, const LaneTrack& lane) {
    const std::uint16_t reasons = reasons_of(step, lane);
    for (StepListener& listener : of_steps_) {
        if ((listener.wakes & reasons) == 0) continue;
        listener.detector->on_step(step, lane);
        listener.wakes = listener.detector->wakes();
    }
}

void LaneDetectors::response(const ResponseEnd& end, const LaneTrack& lane) const {
    for (Detector* detector : of_responses_) detector->on_response(end, lane);
}

void LaneDetectors::text(const AgentText& text, const LaneTrack& lane) const {
    for (Detector* detector : of_texts_) detector->on_text(text, lane);
}

void LaneDetectors::request(const ContextRequest& request, const LaneTrack& lane) const {
    for (Detector* detector : of_requests_) detector->on_request(request, lane);
}

void LaneDetectors::end_segment(const LaneTrack& lane) {
    for (const auto& detector : all_) detector->on_segment_end(lane);
    wake();
}

void LaneDetectors::listen(DriftWatch& drift) const {
    for (const auto& detector : all_) {
        const std::uint8_t hears = detector->row()->spec->hears;
        if ((hears & kDrift) != 0) drift.add(static_cast<DriftDetector*>(detector.get()), hears);
    }
}

}  // namespace agent_audit::detectors
