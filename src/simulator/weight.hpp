#pragma once

#include <agent_audit/tokens/estimators.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::simulator {

/// OpenClaw's CJK-weighted length.
inline std::uint64_t weigh(std::string_view wtf8) {
    static const Estimator* const openclaw = find_estimator("openclaw");
    return openclaw->units(wtf8);
}

}  // namespace agent_audit::simulator
