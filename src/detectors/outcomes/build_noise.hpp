#pragma once

#include <agent_audit/model/text.hpp>

#include <string>

namespace agent_audit::detectors {

/// What a failed build says of the failure: without the lines that only tell how far it came and what it compiled,
/// fetched or took from its cache, for that differs with what the run before left behind. Without the numbers and times
/// too that BuildKit puts before each line. A line that speaks of a failure or a passed test always stays.
struct BuildWords {
    std::string text;       ///< lines end with a line feed; empty when no word of a failure is left
    bool in_image = false;  ///< lines of BuildKit stood there: an image is built
};

BuildWords without_progress(RawText text);

}  // namespace agent_audit::detectors
