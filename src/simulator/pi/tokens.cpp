#include <agent_audit/simulator/pi.hpp>

#include "simulator/js_text.hpp"
#include "simulator/pi/system.hpp"

#include <agent_audit/simulator/openclaw.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>

namespace agent_audit::simulator::pi {
namespace {

constexpr std::uint64_t kImageChars = 4'800, kNullChars = 4;

std::uint64_t quarter(std::uint64_t chars) { return (chars + 3) / 4; }

std::uint64_t text_and_images(const Msg& message, std::uint64_t image) {
    std::uint64_t chars = 0;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::text) chars += block.text.units();
        if (block.kind == BlockKind::image) chars += image;
    }
    return chars;
}

std::uint64_t args_chars(const Block& call) {
    return call.args == ArgsState::present ? call.text.units() : call.args == ArgsState::null ? kNullChars : 0;
}

std::uint64_t assistant_chars(const Msg& message) {
    std::uint64_t chars = 0;
    if (message.shape != ContentShape::blocks) return 0;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::text || block.kind == BlockKind::thinking) chars += block.text.units();
        if (block.pi_call) chars += utf16_length(block.name) + args_chars(block);
    }
    return chars;
}

std::uint64_t system_chars(const Msg& message) {
    std::uint64_t chars = text_and_images(message, kImageChars);
    if (!message.json) return chars;
    if (const auto* sections = (*message.json)["sections"].members()) {
        for (const auto& section : *sections) {
            if (section.value.string()) chars += utf16_length(*section.value.string());
        }
    }
    if (const JsValue& added = (*message.json)["toolsAdded"]; added.truthy()) chars += utf16_length(added.stringify());
    return chars;
}

/// The system message that others change.
class CurrentSystem {
public:
    void replay(const Msg& message) {
        const std::uint64_t words = text_of(message);
        if (words > 0) content_ += content_ > 0 ? kBetweenTexts + words : words;
        if (!message.json) return;
        timed_ |= !(*message.json)["timestamp"].is_undefined();
        patch_sections((*message.json)["sections"]);
        patch_tools((*message.json)["toolsRemoved"], (*message.json)["toolsAdded"]);
    }

    std::uint64_t chars() const {
        if (!timed_ && tools_.empty()) return 0;
        std::uint64_t chars = content_ + (tools_.empty() ? 0 : tools_.size() + 1);  // brackets and commas
        for (const auto& [name, units] : sections_) chars += units;
        for (const auto& [name, units] : tools_) chars += units;
        return chars;
    }

private:
    static constexpr std::uint64_t kBetweenTexts = 2;

    static std::uint64_t text_of(const Msg& message) {
        std::uint64_t chars = 0, texts = 0;
        for (const Block& block : message.blocks) {
            if (block.kind != BlockKind::text) continue;
            chars += block.text.units();
            ++texts;
        }
        return chars + (texts > 0 ? texts - 1 : 0);
    }

    void patch_sections(const JsValue& sections) {
        if (!sections.is_object()) return;
        for (const auto& [name, words] : *sections.members()) {
            if (words.is_null()) {
                sections_.erase(name);
            } else {
                sections_[name] = words.string() ? utf16_length(*words.string()) : 0;
            }
        }
    }

    void patch_tools(const JsValue& removed, const JsValue& added) {
        const auto name_of = [](const JsValue& tool) { return tool["name"].string() ? *tool["name"].string() : ""; };
        if (removed.array()) {
            for (const JsValue& tool : *removed.array()) tools_.erase(name_of(tool));
        }
        if (!added.array()) return;
        for (const JsValue& tool : *added.array()) tools_[name_of(tool)] = utf16_length(tool.stringify());
    }

    std::uint64_t content_ = 0;
    bool timed_ = false;
    std::map<std::string, std::uint64_t> sections_, tools_;
};

}  // namespace

std::uint64_t system_tokens(const View& view) {
    CurrentSystem current;
    for (const MsgPtr& message : view) {
        if (message && message->role == Role::system) current.replay(*message);
    }
    return quarter(current.chars());
}

std::uint64_t message_tokens(const Msg& message, Release release) {
    if (release == Release::openclaw_2026_9) return openclaw::message_tokens(message, openclaw::Release::y2026_9);
    switch (message.role) {
        case Role::user: return quarter(text_and_images(message, release == Release::v0_73 ? 0 : kImageChars));
        case Role::assistant: return quarter(assistant_chars(message));
        case Role::custom:
        case Role::tool_result: return quarter(text_and_images(message, kImageChars));
        case Role::bash:
        case Role::compaction_summary:
        case Role::branch_summary: return quarter(text_and_images(message, 0));
        case Role::system: return release == Release::v0_73 ? 0 : quarter(system_chars(message));
        default: return 0;
    }
}

double usage_tokens(const Usage& usage, Release release) {
    if (release == Release::openclaw_2026_9 && usage.context == Usage::Context::available) return usage.context_tokens;
    return usage.total != 0 ? usage.total : usage.input + usage.output + usage.cache_read + usage.cache_write;
}

namespace {

bool usable(const Msg& message, Release release) {
    if (message.role != Role::assistant || !message.usage) return false;
    if (message.stop == StopReason::aborted || message.stop == StopReason::error) return false;
    if (release == Release::openclaw_2026_9 && message.usage->context == Usage::Context::unavailable) return false;
    return release == Release::v0_73 || usage_tokens(*message.usage, release) > 0;
}

/// OpenClaw: an answer of whose context nothing is known, so that no earlier usage holds either.
bool bars_usage(const Msg& message, Release release) {
    if (release != Release::openclaw_2026_9 || message.role != Role::assistant || !message.usage) return false;
    if (message.usage->context == Usage::Context::none) {
        const auto* api = message.json ? (*message.json)["api"].string() : nullptr;
        return api && *api == "cli";
    }
    return message.usage->context == Usage::Context::unavailable && usage_tokens(*message.usage, release) == 0;
}

}  // namespace

ContextTokens context_tokens(const View& view, Release release) {
    ContextTokens out;
    std::uint64_t trailing = 0;
    for (std::size_t i = view.size(); i-- > 0;) {
        if (!view[i]) continue;
        if (bars_usage(*view[i], release)) {
            for (std::size_t k = 0; k <= i; ++k) trailing += view[k] ? message_tokens(*view[k], release) : 0;
            break;
        }
        if (usable(*view[i], release)) {
            out.last_usage = i;
            out.from_usage = usage_tokens(*view[i]->usage, release);
            break;
        }
        trailing += message_tokens(*view[i], release);
    }
    out.trailing = static_cast<double>(trailing);
    out.tokens = out.from_usage + out.trailing;
    return out;
}

bool should_compact(double context, double window, const CompactionSettings& settings, Release release) {
    if (!settings.enabled) return false;
    if (release == Release::openclaw_2026_9 && (!std::isfinite(window) || window <= 0)) return false;
    return context > window - settings.reserve_tokens;
}

double summary_limit(const CompactionSettings& settings) { return std::floor(0.8 * settings.reserve_tokens); }
double turn_prefix_limit(const CompactionSettings& settings) { return std::floor(0.5 * settings.reserve_tokens); }

}  // namespace agent_audit::simulator::pi
