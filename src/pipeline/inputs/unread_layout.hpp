#pragma once

#include <agent_audit/readers/reader.hpp>

#include <string_view>

namespace agent_audit {

/// What to say of a file whose first record is of a layout that is known, though no reader reads it; empty for any
/// other. `record` has padding behind it.
std::string_view unread_layout(std::string_view record);

}  // namespace agent_audit
