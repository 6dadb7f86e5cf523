#pragma once

#include <agent_audit/model/text.hpp>

namespace agent_audit::detectors {

/// True when the text reads like an error that goes away by itself: timeouts, refused or reset connections, rate
/// limits, HTTP 408, 425, 429 and 5xx as whole numbers. Retrying those is normal, so the rules wait longer.
bool is_transient_error(RawText text);

}  // namespace agent_audit::detectors
