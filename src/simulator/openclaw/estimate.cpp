#include <agent_audit/simulator/openclaw.hpp>

#include <agent_audit/simulator/pi.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include "simulator/js_text.hpp"
#include "simulator/openclaw/result.hpp"
#include "simulator/weight.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

namespace agent_audit::simulator::openclaw {
namespace {

constexpr std::uint64_t kImageChars = 8'000, kOmissionOverhead = 17;
constexpr std::uint64_t kImageOmission = 39,
                        kOtherOmission = 42;  ///< lengths of the notes a summary input carries instead

std::uint64_t content_chars(const Msg& message) {
    if (message.shape == ContentShape::text) return message.blocks[0].text.weighted();
    std::uint64_t chars = 0, texts = 0, images = 0;
    bool image_gone = false, other_gone = false;
    for (const Block& block : message.blocks) {
        const std::uint64_t weight = block.kind == BlockKind::text ? block.text.weighted()
                                     : nested_result(block)        ? weigh(nested_text(block))
                                                                   : 0;
        chars += weight;
        texts += weight > 0 ? 1 : 0;
        images += block.kind == BlockKind::image ? 1 : 0;
        image_gone |= block.kind == BlockKind::image;
        other_gone |= block.kind != BlockKind::image && block.kind != BlockKind::text && weight == 0;
    }
    std::uint64_t omission = (image_gone ? kImageOmission : 0) + (other_gone ? kOtherOmission : 0);
    if (image_gone && other_gone) ++omission;
    return chars + (texts > 1 ? texts - 1 : 0) + images * kImageChars +
           (omission > 0 ? omission + kOmissionOverhead : 0);
}

/// Who wrote a message of a group chat stands beside it.
std::uint64_t sender_chars(const Msg& message) {
    if (!message.json) return 0;
    const JsValue& meta = (*message.json)["__openclaw"];
    if (!meta["senderId"].string()) return 0;
    JsValue sender{JsValue::Object{}};
    for (const auto& [field, name] :
         {std::pair{"senderId", "id"}, {"senderName", "name"}, {"senderUsername", "username"}}) {
        const auto* text = meta[field].string();
        if (!text) continue;
        std::string clean = *text;
        std::erase(clean, '\0');
        const std::string_view trimmed = js_trim(clean);
        if (!trimmed.empty()) sender.set(name, trimmed);
    }
    return sender.has("id") ? weigh(" sender=" + sender.stringify()) : 0;
}

std::uint64_t assistant_chars(const Msg& message) {
    std::uint64_t chars = 0;
    if (message.shape != ContentShape::blocks) return 0;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::text || block.kind == BlockKind::thinking) chars += block.text.weighted();
        if (!block.pi_call) continue;
        constexpr std::uint64_t kUndefined = 9, kNull = 4;
        chars += weigh(block.name) + (block.args == ArgsState::present ? block.text.weighted()
                                      : block.args == ArgsState::null  ? kNull
                                                                       : kUndefined);
    }
    return chars;
}

std::uint64_t chars_of(const Msg& message) {
    switch (message.role) {
        case Role::assistant: return assistant_chars(message);
        case Role::user: return content_chars(message) + sender_chars(message);
        case Role::custom:
        case Role::tool_result: return content_chars(message);
        case Role::bash:
        case Role::compaction_summary:
        case Role::branch_summary: {
            std::uint64_t chars = 0;
            for (const Block& block : message.blocks) chars += block.text.weighted();
            return chars;
        }
        default: return 0;
    }
}

}  // namespace

std::uint64_t message_tokens(const Msg& message, Release release) {
    if (release == Release::y2026_3) return pi::message_tokens(message, pi::Release::v0_73);
    return message.excluded ? 0 : (chars_of(message) + 3) / 4;
}

}  // namespace agent_audit::simulator::openclaw
