#pragma once

#include "detectors/engine/lane_track.hpp"

#include <agent_audit/detectors/detector.hpp>

namespace agent_audit::detectors {

/// Makes a note of what a person asked for ("run it ten times in a row", "is it flaky?", "look every minute") and of a
/// walk through a list that was given before (DraftFinding::listed), whatever the words that it was asked in: neither
/// is a loop. `because` then says why. `asked`: what the person wished for where the finding begins; `request`: how the
/// message begins that says so, in which a wish may stand in other words.
void excuse(DraftFinding& draft, const LaneTrack::Asked& asked, RawText request);

}  // namespace agent_audit::detectors
