#include <agent_audit/tokens/lengths.hpp>

#include "simulator/js_text.hpp"
#include "simulator/json_size.hpp"
#include "simulator/method.hpp"
#include "tokens/wtf8.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace agent_audit::simulator::codex {
namespace {

constexpr std::uint64_t kBytesPerToken = 4, kImageBytes = 7'373;
constexpr std::size_t kLook = 64;  // bytes that tell a wrapper
constexpr std::string_view kWrapperBegins = "#<";

// What stands around the texts of an item.
constexpr std::string_view kMessage =
    R"({"type":"message","role":"assistant","content":[{"type":"output_text","text":""}]})";
constexpr std::string_view kUser = R"({"type":"message","role":"user","content":[]})";
constexpr std::string_view kPart = R"({"type":"input_text","text":""})";
constexpr std::string_view kCall = R"({"type":"function_call","name":"","arguments":"","call_id":""})";
constexpr std::string_view kOutput = R"({"type":"function_call_output","call_id":"","output":""})";
constexpr std::string_view kReasoning = R"({"type":"reasoning","summary":[],"encrypted_content":""})";

/// Bytes between the quotes of a JSON string.
std::uint64_t json_bytes(const Text& text) {
    const TextSizes& sizes = text.sizes();
    return sizes.bytes + (sizes.json - sizes.units);
}

/// One item for each of an answer's texts, calls and thoughts.
std::uint64_t assistant_tokens(const Msg& message) {
    std::uint64_t tokens = 0;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::text) tokens += quarters_up(kMessage.size() + json_bytes(block.text));
        if (block.kind == BlockKind::thinking || block.kind == BlockKind::redacted_thinking) {
            tokens += quarters_up(kReasoning.size() + json_bytes(block.text) + json_bytes(block.signature));
        }
        if (block.kind == BlockKind::tool_call) {
            tokens += quarters_up(kCall.size() + block.name.size() + block.id.size() + json_bytes(block.text));
        }
    }
    return tokens;
}

std::uint64_t other_bytes(const Msg& message) {
    const bool result = message.role == Role::tool_result;
    std::uint64_t bytes = result ? kOutput.size() + message.call_id.size() : kUser.size();
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::image) bytes += kImageBytes;
        if (block.kind == BlockKind::text) bytes += json_bytes(block.text) + (result ? 0 : kPart.size());
    }
    return bytes;
}

bool only_text(const Msg& message) {
    return std::all_of(message.blocks.begin(), message.blocks.end(),
                       [](const Block& block) { return block.kind == BlockKind::text; });
}

std::uint64_t approx_tokens(const Msg& message) {
    std::uint64_t bytes = 0;
    for (const Block& block : message.blocks) bytes += block.kind == BlockKind::text ? block.text.sizes().bytes : 0;
    return quarters_up(bytes);
}

struct Wrapper {
    std::string_view begins, ends;
};
constexpr std::array kWrappers{
    Wrapper{"# agents.md instructions", "</instructions>"},
    Wrapper{"<user_instructions>", "</user_instructions>"},
    Wrapper{"<environment_context>", "</environment_context>"},
    Wrapper{"<instructions>", "</instructions>"},
    Wrapper{"<turn_aborted>", "</turn_aborted>"},
    Wrapper{"<user_shell_command>", "</user_shell_command>"},
    Wrapper{"<skill>", "</skill>"},
    Wrapper{"<subagent_notification>", "</subagent_notification>"},
};

/// The one that a text begins as; the beginning is enough to tell.
const Wrapper* wrapper_that_opens(std::string_view text) {
    const std::string_view trimmed = js_trim(text.substr(0, std::min(text.size(), kLook)));
    if (trimmed.empty() || kWrapperBegins.find(trimmed.front()) == kWrapperBegins.npos) return nullptr;
    const std::string start = js_lower(trimmed);
    const auto found =
        std::ranges::find_if(kWrappers, [&](const Wrapper& one) { return start.starts_with(one.begins); });
    return found == kWrappers.end() ? nullptr : &*found;
}

/// What the person wrote, from the newest on, as far as the budget goes; the one that does not fit is cut.
std::vector<MsgPtr> kept_words(const View& view, std::size_t from, std::size_t to, std::uint64_t budget) {
    std::vector<MsgPtr> out;
    std::string scratch;
    for (std::size_t i = to; i-- > from && budget > 0;) {
        if (!view[i] || view[i]->role != Role::user) continue;
        const Msg& message = *view[i];
        const auto wraps = [&scratch](const Block& block) {
            if (block.kind != BlockKind::text || !block.text.may_begin_with(kWrapperBegins)) return false;
            if (!wrapper_that_opens(block.text.front(kLook, scratch))) return false;
            return is_wrapper(block.text.read(scratch));
        };
        if (std::any_of(message.blocks.begin(), message.blocks.end(), wraps)) continue;
        const std::uint64_t tokens = approx_tokens(message);
        if (tokens <= budget) {
            out.push_back(only_text(message) ? view[i] : with_text(message, joined_text(message, "")));
            budget -= tokens;
        } else {
            out.push_back(with_text(message, truncate_middle(joined_text(message, ""), budget)));
            budget = 0;
        }
    }
    std::reverse(out.begin(), out.end());
    return out;
}

}  // namespace

std::string truncate_middle(std::string_view text, std::uint64_t max_tokens) {
    const std::uint64_t most = max_tokens * kBytesPerToken;
    if (text.size() <= most) return std::string(text);
    const std::string marker = "…" + std::to_string(quarters_up(text.size() - most)) + " tokens truncated…";
    if (most == 0) return marker;
    const std::size_t left = most / 2, tail_target = text.size() - (most - left);
    const auto begins = [text](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80; };
    // The longest head of whole characters: one begins where a byte does not go on with another.
    std::size_t head = left;
    while (head > 0 && !begins(head)) --head;
    for (std::size_t next = head; next <= left; next += tokens::decode_wtf8(text, next).length) head = next;
    // The first character that begins at or after the target. Characters before it need not be looked at one by one.
    std::size_t tail = tail_target;
    while (tail < text.size() && !begins(tail)) ++tail;
    const std::string_view rest = text.substr(std::max(tail, head));
    std::string out;
    out.reserve(head + marker.size() + rest.size());
    ((out += text.substr(0, head)) += marker) += rest;
    return out;
}

// Several parts of a message stand in one text here, and one that is a wrapper makes the message one: what follows its
// end is another part.
bool is_wrapper(std::string_view text) {
    const Wrapper* const wrapper = wrapper_that_opens(text);
    return wrapper && js_lower(text).find(wrapper->ends) != std::string::npos;
}

double tokens_of(const Compaction&, const Msg& message) {
    return static_cast<double>(message.role == Role::assistant ? assistant_tokens(message)
                                                               : quarters_up(other_bytes(message)));
}

// Before a turn the new message is not yet in.
bool due(const Compaction& settings, const ContextSize& size, double window_tokens) {
    const double share = (size.model_window > 0 ? size.model_window : window_tokens) * settings.window_share;
    const double limit = settings.limit_tokens > 0 ? std::min(settings.limit_tokens, share) : share;
    if (size.refused) return true;
    if (size.billed < limit) return false;
    double context = size.billed;
    if (size.view) {
        for (std::size_t i = before_new_words(*size.view); i < size.view->size(); ++i) {
            context -= tokens_of(settings, *(*size.view)[i]);
        }
    }
    return context >= limit;
}

Planned plan(const Compaction& settings, const View& view, const ContextSize&, double) {
    const std::size_t from = after_system(view), to = before_new_words(view);
    if (to <= from) return std::nullopt;
    CompactionPlan out = gives_up(from, to, settings.max_summary);
    out.before = kept_words(view, from, to, whole(settings.user_tokens));
    return out;
}

}  // namespace agent_audit::simulator::codex
