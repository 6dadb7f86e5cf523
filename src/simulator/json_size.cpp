#include "simulator/json_size.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <string_view>

namespace agent_audit::simulator {
namespace {

// What stands around the texts.
constexpr std::string_view kUser = R"({"role":"user","content":[]})";
constexpr std::string_view kAssistant = R"({"role":"assistant","content":[]})";
constexpr std::string_view kText = R"({"type":"text","text":""})";
constexpr std::string_view kThinking = R"({"type":"thinking","thinking":"","signature":""})";
constexpr std::string_view kCall = R"({"type":"tool_use","id":"","name":"","input":})";
constexpr std::string_view kResult = R"({"type":"tool_result","tool_use_id":"","content":[]})";

std::uint64_t block_units(const Block& block) {
    switch (block.kind) {
        case BlockKind::text: return kText.size() + block.text.sizes().json;
        case BlockKind::thinking:
        case BlockKind::redacted_thinking:
            return kThinking.size() + block.text.sizes().json + block.signature.sizes().json;
        case BlockKind::tool_call:
            return kCall.size() + block.id.size() + utf16_length(block.name) +
                   (block.args == ArgsState::present ? block.text.units() : std::string_view("{}").size());
        default: return std::string_view("{}").size();
    }
}

}  // namespace

std::uint64_t message_json_units(const Msg& message) {
    std::uint64_t units = message.role == Role::assistant ? kAssistant.size() : kUser.size();
    if (message.role == Role::tool_result) units += kResult.size() + message.call_id.size();
    for (const Block& block : message.blocks) units += block_units(block);
    return units + (message.blocks.empty() ? 0 : message.blocks.size() - 1);  // commas
}

std::uint64_t text_units(const Msg& message) {
    std::uint64_t units = 0, texts = 0;
    for (const Block& block : message.blocks) {
        if (block.kind != BlockKind::text) continue;
        units += block.text.units();
        ++texts;
    }
    return units + (texts > 1 ? texts - 1 : 0);
}

std::uint64_t text_code_points(const Msg& message) {
    std::uint64_t points = 0;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::text) points += block.text.sizes().code_points;
    }
    return points;
}

std::string joined_text(const Msg& message, std::string_view between) {
    std::string out, scratch;
    bool first = true;
    for (const Block& block : message.blocks) {
        if (block.kind != BlockKind::text) continue;
        if (!first) out += between;
        first = false;
        append_wtf8(out, block.text.read(scratch));
    }
    return out;
}

std::size_t after_system(const View& view) {
    std::size_t i = 0;
    while (i < view.size() && view[i] && view[i]->role == Role::system) ++i;
    return i;
}

std::size_t before_new_words(const View& view) {
    std::size_t i = view.size();
    while (i > 0 && view[i - 1] && view[i - 1]->role == Role::user) --i;
    return i;
}

}  // namespace agent_audit::simulator
