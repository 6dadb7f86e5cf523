#pragma once

#include "detectors/engine/lane_track.hpp"
#include "detectors/engine/message_track.hpp"
#include "detectors/engine/text_places.hpp"
#include "detectors/speech/objection.hpp"

#include <cstdint>

namespace agent_audit::detectors {

/// The person is the check: the agent changes something and says that it is done, and the person says that it is as it
/// was ("still not centered", "doesn't work"), time after time.
class VainFixes {
public:
    struct Row {
        int complaints = 0;     // each behind another change
        TextPlace first, last;  // what the agent said before the first and the last of them
    };

    /// A person spoke, or something did in their place. `close` is given the row that is over.
    template <class Close>
    void heard(const LaneTrack& lane, Close&& close) {
        const std::uint64_t begin = begin_;
        begin_ = lane.steps() + 1;
        const Complaint said =
            lane.human_spoke() && !lane.told_to_go_on() ? complaint_in(lane.request()) : Complaint::unclear;
        if (said == Complaint::unclear) return;
        if (said == Complaint::none) return end(close);
        const bool answers = lane.messages().speaking() && changed_since(begin, lane);
        if (!answers) return;
        if (row_.complaints++ == 0) row_.first = lane.messages().latest().place;
        row_.last = lane.messages().latest().place;
    }

    template <class Close>
    void end(Close&& close) {
        if (row_.complaints > 1) close(row_);
        row_.complaints = 0;
    }

private:
    static bool changed_since(std::uint64_t begin, const LaneTrack& lane) {
        for (std::uint64_t ordinal = lane.steps(); ordinal >= begin && ordinal > 0; --ordinal) {
            const Step* const step = lane.step(ordinal);
            if (!step) return false;
            if (step->tool_class == ToolClass::mutate && !step->failed) return true;
        }
        return false;
    }

    Row row_;
    std::uint64_t begin_ = 1;  // ordinal of the first step behind what was heard last
};

}  // namespace agent_audit::detectors
