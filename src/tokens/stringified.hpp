#pragma once

#include <agent_audit/tokens/text_tally.hpp>

#include <string_view>

namespace agent_audit {

/// Whether json_stringify(json) is `json` as it stands, as far as one look tells: false also for what only a closer
/// look could know. `counted` is tally() of it. What JavaScript wrote is mostly so.
bool is_stringified(std::string_view json, const TextTally& counted);

}  // namespace agent_audit
