#pragma once

#include <agent_audit/model/text.hpp>

namespace agent_audit::detectors {

/// Is it the look of something that a person wants changed: spacing, colours, a mockup? Not where the words tell of
/// something that does not work.
bool wants_better_looks(RawText request);

/// Does a person tell of something that does not work?
bool tells_of_fault(RawText request);

}  // namespace agent_audit::detectors
