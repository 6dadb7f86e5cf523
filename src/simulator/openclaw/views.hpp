#pragma once

#include <agent_audit/simulator/message.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <cstddef>
#include <string>

// What several versions of OpenClaw ask of a message and of a view.

namespace agent_audit::simulator::openclaw {

/// The texts of a message, a line break between them; nothing of its other blocks.
inline std::string joined_texts(const Msg& message) {
    std::string out, scratch;
    bool first = true;
    for (const Block& block : message.blocks) {
        if (block.kind != BlockKind::text) continue;
        if (!first) out += '\n';
        first = false;
        append_wtf8(out, block.text.read(scratch));
    }
    return out;
}

/// Where the first message of a user stands; the size of the view when there is none.
inline std::size_t first_user(const View& view) {
    const auto found =
        std::find_if(view.begin(), view.end(), [](const MsgPtr& message) { return has_user_role(message.get()); });
    return static_cast<std::size_t>(found - view.begin());
}

}  // namespace agent_audit::simulator::openclaw
