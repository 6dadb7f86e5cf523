#pragma once

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What a human message means for the work before it.
enum class FollowUp : std::uint8_t {
    order,    ///< begins work of its own, as most messages do
    goes_on,  ///< "continue": the same work
    aside,    ///< "ok", or a plain question: orders nothing
};
FollowUp follow_up_of(std::string_view text);

}  // namespace agent_audit::detectors
