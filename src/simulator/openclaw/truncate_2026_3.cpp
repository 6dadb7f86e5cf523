#include <agent_audit/simulator/openclaw.hpp>

#include "simulator/js_text.hpp"
#include "simulator/openclaw/result.hpp"
#include "simulator/openclaw/views.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace agent_audit::simulator::openclaw {

const std::string_view kTruncationSuffix2026_3 =
    "\n\n⚠️ [Content truncated — original was too large for the model's context window. The content above is a "
    "partial view. If you need more, request specific sections or use offset/limit parameters to read smaller chunks.]";

namespace {

constexpr double kShare = 0.3, kHardMax = 400'000;
constexpr std::string_view kGuardNotice = "[truncated: output exceeded context limit]";
constexpr std::string_view kGuardSuffix = "\n[truncated: output exceeded context limit]";
constexpr std::string_view kGuardPlaceholder = "[compacted: tool output removed to free context]";
constexpr std::uint64_t kImageChars = 8'000, kOtherMessageChars = 256, kEmptyArgsChars = 2;

/// text[0, cut), cut at a newline when one stands late enough.
std::string cut_at_newline(const Text& text, double keep, double late) {
    std::string scratch;
    const std::string_view words = text.read(scratch);
    const std::size_t most = whole(keep);
    const std::size_t newline = last_newline(words, most);
    const bool use = newline != std::string_view::npos && static_cast<double>(newline) > keep * late;
    return head_raw(words, use ? newline : most);
}

std::uint64_t text_units(const Msg& message) {
    if (message.role != Role::tool_result || message.shape != ContentShape::blocks) return 0;
    std::uint64_t units = 0;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::text) units += block.text.units();
    }
    return units;
}

/// The block with another text, its other fields as they are.
Block reworded(const Block& block, std::string words) {
    Block out = block;
    out.text = Text(words);
    if (block.json) {
        JsValue json = *block.json;
        json.set("text", std::move(words));
        out.json = std::make_shared<const JsValue>(std::move(json));
    }
    return out;
}

std::uint64_t unknown_units(const Block& block) { return utf16_length(json_of(block).stringify()); }

std::uint64_t block_units(const Block& block) {
    if (block.kind == BlockKind::text) return block.text.units();
    return block.kind == BlockKind::image ? kImageChars : unknown_units(block);
}

std::uint64_t assistant_units(const Msg& message) {
    std::uint64_t units = 0;
    if (message.shape != ContentShape::blocks) return 0;
    for (const Block& block : message.blocks) {
        if ((block.kind == BlockKind::text || block.kind == BlockKind::thinking) && block.has_text) {
            units += block.text.units();
        } else if (block.pi_call) {
            units += block.args == ArgsState::present ? block.text.units() : kEmptyArgsChars;
        } else if (!block.json || block.json->is_object()) {
            units += unknown_units(block);
        }
    }
    return units;
}

/// What the guard takes a message for; a result counts twice, as its text makes more tokens.
std::uint64_t guard_chars(const MsgPtr& message) {
    if (!message) return 0;
    if (message->role == Role::assistant) return assistant_units(*message);
    const bool result = is_result(*message);
    if (!has_user_role(message.get()) && !result) return kOtherMessageChars;
    std::uint64_t units = 0;
    for (const Block& block : message->blocks) units += block_units(block);
    if (!result) return units;
    return 2 * (units + message->details_units);
}

MsgPtr reworded_result(const Msg& message, std::string words) {
    auto out = std::make_shared<Msg>(message);
    const bool no_content = message.shape == ContentShape::absent && !(message.json && message.json->has("content"));
    out->shape = message.shape == ContentShape::text || no_content ? ContentShape::text : ContentShape::blocks;
    out->blocks = {text_block(std::move(words))};
    out->content_edited = out->details_dropped = true;
    out->details_units = 0;
    return out;
}

std::string fit(std::string words, double max_chars) {
    const Text text(std::move(words));
    if (static_cast<double>(text.units()) <= max_chars) return text.copy();
    const double body = max_chars - static_cast<double>(kGuardSuffix.size());
    if (body <= 0) return std::string(kGuardNotice);
    return cut_at_newline(text, body, 0.7).append(kGuardSuffix);
}

}  // namespace

double result_limit_2026_3(double window_tokens) { return std::min(std::floor(window_tokens * kShare) * 4, kHardMax); }

std::string truncate_text_2026_3(const Text& text, double max_chars, std::string_view suffix, double min_keep) {
    if (static_cast<double>(text.units()) <= max_chars) return text.copy();
    const double keep = std::max(min_keep, max_chars - static_cast<double>(utf16_length(suffix)));
    std::string out = cut_at_newline(text, keep, 0.8);
    append_wtf8(out, suffix);
    return out;
}

MsgPtr truncate_result_2026_3(const MsgPtr& message, double max_chars, std::string_view suffix, double min_keep) {
    if (!message || message->shape != ContentShape::blocks) return message;
    const double total = static_cast<double>(text_units(*message));
    if (total <= max_chars) return message;
    const double least = min_keep + static_cast<double>(utf16_length(suffix));
    std::vector<Block> blocks = message->blocks;
    for (Block& block : blocks) {
        if (block.kind != BlockKind::text || !block.has_text) continue;
        const double share = static_cast<double>(block.text.units()) / total;
        const double budget = std::max(least, std::floor(max_chars * share));
        block = reworded(block, truncate_text_2026_3(block.text, budget, suffix, min_keep));
    }
    return with_blocks(*message, std::move(blocks));
}

MessageSize guard_size(const MsgPtr& message) { return {guard_chars(message), message && is_result(*message)}; }

Edits guard_context_2026_3(const View& view, double window_tokens, Guarded* before,
                           std::span<const MessageSize> sizes) {
    const double window = std::max(1.0, std::floor(window_tokens));
    const double budget = std::max(1024.0, std::floor(window * 4 * 0.75));
    const double single = std::max(1024.0, std::floor(window * 2 * 0.5));
    if (before && before->most_chars != single) *before = {single, {}};
    Guarded own;
    Guarded& known = before ? *before : own;
    const auto made_of = [&known](const MsgPtr& result) -> Guarded::Result& {
        const auto [made, fresh] = known.results.try_emplace(reinterpret_cast<std::uintptr_t>(result.get()));
        if (fresh) made->source = result;
        return *made;
    };
    std::vector<MessageSize> own_sizes;
    if (sizes.size() != view.size()) {
        own_sizes.resize(view.size());
        std::ranges::transform(view, own_sizes.begin(), guard_size);
        sizes = own_sizes;
    }

    Edits edits;
    edits.reserve(known.results.size());  // the request before made about as many
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (sizes[i].result && static_cast<double>(sizes[i].chars) > single) {
            Guarded::Result& made = made_of(view[i]);
            if (!made.cut) {
                std::string words = joined_texts(*view[i]);
                made.cut = reworded_result(*view[i],
                                           words.empty() ? std::string(kGuardNotice) : fit(std::move(words), single));
            }
            edits.push_back({i, Action::truncate, made.cut});
            if (own_sizes.empty()) own_sizes.assign(sizes.begin(), sizes.end());
            own_sizes[i].chars = guard_chars(made.cut);
            sizes = own_sizes;
        }
        total += sizes[i].chars;
    }
    const std::size_t cut = edits.size();
    double needed = static_cast<double>(total) - budget;
    for (std::size_t i = 0; i < view.size() && needed > 0; ++i) {
        if (!sizes[i].result || sizes[i].chars <= kGuardPlaceholder.size()) continue;
        Guarded::Result& made = made_of(view[i]);
        if (!made.cleared) {
            made.cleared = reworded_result(*view[i], std::string(kGuardPlaceholder));
            made.cleared_chars = guard_chars(made.cleared);
        }
        const auto end = edits.begin() + static_cast<std::ptrdiff_t>(cut);
        const auto known_edit = std::lower_bound(edits.begin(), end, i,
                                                 [](const Edit& one, std::size_t index) { return one.index < index; });
        if (known_edit != end && known_edit->index == i) {
            *known_edit = {i, Action::clear, made.cleared};
        } else {
            edits.push_back({i, Action::clear, made.cleared});
        }
        if (made.cleared_chars < sizes[i].chars) needed -= static_cast<double>(sizes[i].chars - made.cleared_chars);
    }
    if (cut > 0) std::ranges::sort(edits, {}, &Edit::index);
    return edits;
}

}  // namespace agent_audit::simulator::openclaw
