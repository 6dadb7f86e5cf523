#include <agent_audit/simulator/openclaw.hpp>

#include "simulator/js_text.hpp"
#include "simulator/openclaw/views.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace agent_audit::simulator::openclaw {
namespace {

constexpr std::uint64_t kImageChars = 8'000, kOtherMessageChars = 256, kEmptyArgsChars = 2;

std::uint64_t text_and_images(const Msg& message) {
    std::uint64_t chars = 0;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::text) chars += block.text.units();
        if (block.kind == BlockKind::image) chars += kImageChars;
    }
    return chars;
}

std::uint64_t assistant_chars(const Msg& message) {
    std::uint64_t chars = 0;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::text || block.kind == BlockKind::thinking) chars += block.text.units();
        if (block.kind == BlockKind::tool_call && block.pi_call) {
            chars += block.args == ArgsState::present ? block.text.units() : kEmptyArgsChars;
        }
    }
    return chars;
}

std::uint64_t chars_of(const MsgPtr& message) {
    if (!message) return kOtherMessageChars;
    switch (message->injected ? Role::custom : message->role) {
        case Role::user: return text_and_images(*message);
        case Role::assistant: return message->shape == ContentShape::blocks ? assistant_chars(*message) : 0;
        case Role::tool_result: return message->shape == ContentShape::blocks ? text_and_images(*message) : 0;
        default: return kOtherMessageChars;
    }
}

/// Results at and after it are too new to touch. nullopt: there are not that many assistants.
std::optional<std::size_t> cut_off(const View& view, double keep) {
    if (keep <= 0) return view.size();
    for (std::size_t i = view.size(); i-- > 0;) {
        if (view[i] && view[i]->role == Role::assistant && --keep == 0) return i;
    }
    return std::nullopt;
}

bool has_image(const Msg& message) {
    return std::any_of(message.blocks.begin(), message.blocks.end(),
                       [](const Block& block) { return block.kind == BlockKind::image; });
}

std::uint64_t joined_units(const Msg& message) {
    std::uint64_t units = 0, parts = 0;
    for (const Block& block : message.blocks) {
        if (block.kind != BlockKind::text) continue;
        units += block.text.units();
        ++parts;
    }
    return units + (parts > 1 ? parts - 1 : 0);
}

/// Null when the result is short enough.
MsgPtr trimmed(const Msg& message, const PruneSettings& settings) {
    const std::uint64_t all = joined_units(message);
    const double length = static_cast<double>(all);
    if (length <= settings.soft_max || settings.head + settings.tail >= length) return nullptr;
    const std::string text = joined_texts(message);
    const std::size_t head = whole(settings.head), tail = whole(settings.tail);
    std::string out = head_raw(text, head);
    out += "\n...\n";
    append_wtf8(out, tail_raw(text, tail, all));
    out += "\n\n[Tool result trimmed: kept first " + js_number(settings.head) + " chars and last " +
           js_number(settings.tail) + " chars of " + std::to_string(all) + " chars.]";
    return with_text(message, std::move(out));
}

std::uint64_t key_of(const MsgPtr& message) { return reinterpret_cast<std::uintptr_t>(message.get()); }

/// What becomes of a result; made once.
const Pruned::Result& made_of(const MsgPtr& result, const PruneSettings& settings, Pruned& known) {
    const auto [made, fresh] = known.results.try_emplace(key_of(result));
    if (!fresh) return *made;
    made->source = result;
    // Of content that is a string no block is seen: nothing to trim, but it is cleared with the others.
    const bool blocks = result->shape == ContentShape::blocks;
    made->eligible = (blocks || result->shape == ContentShape::text) && settings.tools.allows(result->tool_name) &&
                     !has_image(*result);
    if (made->eligible && blocks) made->trimmed = trimmed(*result, settings);
    made->trimmed_chars = made->trimmed ? chars_of(made->trimmed) : 0;
    return *made;
}

}  // namespace

MessageSize prune_size(const MsgPtr& message) {
    return {chars_of(message), message && message->role == Role::tool_result};
}

Edits prune_2026_3(const View& view, const PruneSettings& settings, double window_tokens, Pruned* before,
                   std::span<const MessageSize> sizes) {
    const double window = window_tokens * 4;
    const auto end = cut_off(view, settings.keep_last_assistants);
    if (!(window > 0) || !std::isfinite(window) || !end) return {};

    std::vector<MessageSize> counted;
    if (sizes.size() != view.size()) {
        for (const MsgPtr& message : view) counted.push_back(prune_size(message));
        sizes = counted;
    }
    double total = 0;
    for (const MessageSize& size : sizes) total += static_cast<double>(size.chars);
    if (total / window < settings.soft_ratio) return {};
    if (before && before->settings != &settings) *before = {&settings, {}};
    Pruned own;
    Pruned& known = before ? *before : own;

    Edits edits;
    std::vector<std::size_t> eligible;
    std::vector<double> chars;  // of each eligible result, as it stands
    for (std::size_t i = first_user(view); i < *end; ++i) {
        if (!sizes[i].result) continue;
        const Pruned::Result& made = made_of(view[i], settings, known);
        if (!made.eligible) continue;
        eligible.push_back(i);
        chars.push_back(static_cast<double>(sizes[i].chars));
        if (made.trimmed) {
            const auto after = static_cast<double>(made.trimmed_chars);
            total += after - chars.back();
            chars.back() = after;
            edits.push_back({i, Action::trim, made.trimmed});
        }
    }
    if (total / window < settings.hard_ratio || !settings.hard_clear) return edits;
    double prunable = 0;
    for (const double size : chars) prunable += size;
    if (prunable < settings.min_prunable) return edits;
    for (std::size_t k = 0; k < eligible.size() && total / window >= settings.hard_ratio; ++k) {
        Pruned::Result& made = *known.results.find(key_of(view[eligible[k]]));
        if (!made.cleared) {
            made.cleared = with_text(*view[eligible[k]], settings.placeholder);
            made.cleared_chars = chars_of(made.cleared);
        }
        total += static_cast<double>(made.cleared_chars) - chars[k];
        edits.push_back({eligible[k], Action::clear, made.cleared});
    }
    return edits;
}

}  // namespace agent_audit::simulator::openclaw
