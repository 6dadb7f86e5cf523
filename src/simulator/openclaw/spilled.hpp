#pragma once

#include <agent_audit/simulator/openclaw.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace agent_audit::simulator::openclaw {

/// An output that OpenClaw 2026.9 has saved in a file: a notice about what is gone says where all of it stands.
struct Spilled {
    std::string path;
    bool partial = false;         ///< the file does not have all of it either
    std::optional<double> chars;  ///< that the file has, where it is known

    /// In place of the words of a result that is given up; the short form where the long one does not fit.
    std::string notice() const;
    std::string short_notice() const;
    /// Behind the words of one that is cut.
    Suffix suffix() const;
};

/// Where a result says that its output is saved, in its details and in a text as well. Whether the file is there still
/// is not asked: a recording is read on another machine, at another time.
std::optional<Spilled> spilled_of(const Msg& result);

/// What 2026.9 takes for a text of a result. Such blocks of type "toolResult" count here and nowhere else.
inline bool is_result_text(const Block& block) {
    return block.has_text && (block.kind == BlockKind::text || block.kind == BlockKind::other);
}

}  // namespace agent_audit::simulator::openclaw
