#pragma once

#include <algorithm>
#include <thread>

namespace agent_audit {

/// The threads that a wish for `jobs` stands for: 0 = one for each processor, at most 8; never more than 256.
inline unsigned thread_count(unsigned jobs) {
    if (jobs > 0) return std::min(jobs, 256u);
    return std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
}

}  // namespace agent_audit
