#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

#include <cstdint>

namespace agent_audit::detectors {

/// Tells whether a shell command is the one before it with more appended. Steps keep only the first bytes of a command,
/// so this is answered while the whole of it is at hand; what stays is the size and the hash of the last one.
class CommandGrowth {
public:
    /// Fills in the step's command_bytes, grown_from and known_words.
    void see(RawText command, Step& step);

private:
    std::uint64_t hash_ = 0;
    std::uint32_t size_ = 0;
};

}  // namespace agent_audit::detectors
