#pragma once

#include <cstddef>
#include <cstdint>

namespace agent_audit {

/// What the bytes of a text were seen to be in passing.
struct ByteFacts {
    std::uint64_t controls = 0;  ///< bytes below 0x20
    std::size_t high_begin = 0;  ///< in bytes: what is above 0x7F stands from here
    std::size_t high_end = 0;    ///< to here; 0 = all is ASCII. A wide look says no more than which stretch it is in

    bool operator==(const ByteFacts&) const = default;
};

}  // namespace agent_audit
