#pragma once

#include <cstdint>

namespace agent_audit {

/// What the bytes of a text were seen to be in passing.
struct ByteFacts {
    std::uint64_t controls = 0;  ///< bytes below 0x20
    bool non_ascii = false;      ///< any byte above 0x7F

    bool operator==(const ByteFacts&) const = default;
};

}  // namespace agent_audit
