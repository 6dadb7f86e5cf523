#pragma once

#include "detectors/commands/check_kind.hpp"

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What an agent's message says of its own work.
struct Claim {
    bool done = false;     ///< "done", "fixed", "implemented", 已完成
    bool checked = false;  ///< "all tests pass", "the build is green", 测试通过
    bool success = false;  ///< "fully functional", "successfully implemented", and not a word of anything that is wrong
    CheckKinds of = 0;     ///< of `checked`: the kinds of check that are named
    bool of_all = false;   ///< of `checked`: "all green", "all checks pass"
    bool by_colour = false;  ///< of `checked`: "it is green now", and no other words; a button may be green as well
    bool hedged = false;     ///< a failure, a doubt or something open is named as well: no plain claim
};
Claim claim_in(std::string_view text);

}  // namespace agent_audit::detectors
