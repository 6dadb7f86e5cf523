#pragma once

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/detectors/step.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace agent_audit {
class LaneTrack;
}

namespace agent_audit::detectors {

class DriftWatch;

/// The rules of one lane, and which of them answer to what.
class LaneDetectors {
public:
    /// New ones, as far as `rules` look at lanes.
    static LaneDetectors of(std::span<const BoundDetector> rules);

    /// Makes those of a lane that is over ready for another one; `fresh` are of the same rules and have seen nothing.
    /// False where that is not possible.
    bool renew(const LaneDetectors& fresh);

    bool none() const { return all_.empty(); }
    std::span<const std::unique_ptr<Detector>> all() const { return all_; }

    void step(const Step& step, const LaneTrack& lane);
    void response(const ResponseEnd& end, const LaneTrack& lane) const;
    bool hear_texts() const { return !of_texts_.empty(); }
    void text(const AgentText& text, const LaneTrack& lane) const;
    void request(const ContextRequest& request, const LaneTrack& lane) const;
    /// A human spoke.
    void end_segment(const LaneTrack& lane);
    /// Those about drift listen to it.
    void listen(DriftWatch& drift) const;

private:
    // A rule and the steps it wants to see now, side by side: most steps pass without a look into the rule.
    struct StepListener {
        Detector* detector = nullptr;
        std::uint16_t wakes = kEveryStep;
    };

    void engage(Detector& detector);
    void wake();

    std::vector<std::unique_ptr<Detector>> all_;
    std::vector<StepListener> of_steps_;
    std::vector<Detector*> of_responses_, of_texts_, of_requests_;
};

}  // namespace agent_audit::detectors
