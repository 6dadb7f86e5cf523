#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>

namespace agent_audit::detectors {

/// What a list of tasks says, as one number: its entries in whatever order, each with all it holds but how much it
/// matters, and what stands around the list. 0 = no such list, or one that is too long to be read.
std::uint64_t plan_identity(RawText json);

}  // namespace agent_audit::detectors
