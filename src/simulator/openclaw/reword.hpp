#pragma once

#include <agent_audit/simulator/message.hpp>

#include <memory>
#include <string>
#include <utility>

namespace agent_audit::simulator::openclaw {

/// The block with another text, its other fields as they are. OpenClaw 2026.9 writes it to `content` too where that is
/// a string.
inline Block reword(const Block& block, std::string words) {
    Block out = block;
    out.has_text = true;
    if (!block.json) {
        out.text = Text(std::move(words));
        return out;
    }
    out.text = Text(words);
    JsValue json = *block.json;
    if (json["content"].string()) json.set("content", words);
    json.set("text", std::move(words));
    out.json = std::make_shared<const JsValue>(std::move(json));
    return out;
}

}  // namespace agent_audit::simulator::openclaw
