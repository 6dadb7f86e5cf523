#include "simulator/openclaw/projections.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::simulator::openclaw {
namespace {

using State = Projections::State;

Key key_of(std::string_view words) { return stable_hash(words) | 1; }

/// Whole numbers as JavaScript writes them, and every other time too.
void append_time(std::string& out, double time_ms) {
    constexpr double kWhole = 1e15;
    if (std::fabs(time_ms) < kWhole && time_ms == std::trunc(time_ms)) {
        std::array<char, 24> digits{};
        const auto end =
            std::to_chars(digits.data(), digits.data() + digits.size(), static_cast<std::int64_t>(time_ms));
        out.append(digits.data(), end.ptr);
    } else {
        out += js_number(time_ms);
    }
}

/// Call id and time stamp: enough as long as no two results share them. Empty when there is neither. In `out`.
void write_base_key(std::string& out, const MsgPtr& message) {
    out.clear();
    if (!message || message->role != Role::tool_result) return;
    std::string_view id = message->call_id;
    if (message->json) {
        const auto* raw = (*message->json)["toolCallId"].string();
        id = raw ? std::string_view(*raw) : std::string_view();
    }
    if (!id.empty()) {
        (out += "tool:") += id;
        if (message->time_ms) out += ':';
    } else if (message->time_ms) {
        out += "timestamp:";
    }
    if (message->time_ms) append_time(out, *message->time_ms);
}

std::uint64_t texts_hash(const Msg& message) {
    std::uint64_t hash = 0;
    std::string scratch;
    if (message.shape != ContentShape::blocks) return hash;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::text) hash = stable_hash(block.text.read(scratch), hash + 1);
    }
    return hash;
}

std::uint64_t texts_bytes(const Msg& message) {
    std::uint64_t bytes = 0;
    if (message.shape != ContentShape::blocks) return bytes;
    for (const Block& block : message.blocks) bytes += block.kind == BlockKind::text ? block.text.sizes().bytes : 0;
    return bytes;
}

/// Most are the same message, or of another length: words are seldom read.
bool same_texts(const Msg& a, const Msg& b) {
    return &a == &b || (texts_bytes(a) == texts_bytes(b) && texts_hash(a) == texts_hash(b));
}

std::string fallback_key(const Msg& message, const std::string& base) {
    const std::string* id = message.json ? (*message.json)["id"].string() : nullptr;
    const std::string identity = id && !id->empty() ? "id:" + *id : "text:" + std::to_string(texts_hash(message));
    return "fallback:" + (base.empty() ? "tool" : base) + ":" + identity;
}

/// A key that has become ambiguous hands what it knew to the result it came from.
void inherit(State& state, Key base, Key key, const Msg& message) {
    State::Known* const known = base != 0 ? state.results.find(base) : nullptr;
    if (!known || !known->source || !same_texts(*known->source, message)) return;
    State::Known handed_on = std::exchange(*known, {});
    State::Known& heir = state.results[key];
    if (handed_on.replacement) heir.replacement = std::move(handed_on.replacement);
    heir.source = handed_on.source;
    heir.frozen = heir.frozen || handed_on.frozen;
}

std::vector<Key> keys_of(const View& view, State& state) {
    std::vector<Key> keys;
    keys.reserve(view.size());
    HashMap<bool> seen;
    std::string base;
    bool nameless = false;
    for (const MsgPtr& message : view) {
        write_base_key(base, message);
        keys.push_back(base.empty() ? 0 : key_of(base));
        nameless = nameless || (base.empty() && message && message->role == Role::tool_result);
        if (keys.back() != 0 && !seen.try_emplace(keys.back()).second) state.ambiguous[keys.back()] = true;
    }
    if (state.ambiguous.empty() && !nameless) return keys;
    HashMap<std::size_t> occurrences;
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (keys[i] != 0 && !state.ambiguous.contains(keys[i])) continue;
        if (!view[i] || view[i]->role != Role::tool_result) continue;
        write_base_key(base, view[i]);
        const std::string words = fallback_key(*view[i], base);
        const std::size_t occurrence = occurrences[key_of(words)]++;
        const Key key = key_of(words + ":" + std::to_string(occurrence));
        inherit(state, keys[i], key, *view[i]);
        keys[i] = key;
    }
    return keys;
}

std::size_t text_count(const std::vector<Block>& blocks) {
    return static_cast<std::size_t>(
        std::count_if(blocks.begin(), blocks.end(), [](const Block& block) { return block.kind == BlockKind::text; }));
}

/// The message as it was sent before; itself when what is remembered does not fit it any more.
MsgPtr merged(const MsgPtr& message, const State::Replacement& kept, const Msg& source) {
    if (message->shape == ContentShape::blocks && !same_texts(*message, source)) return message;
    if (message->shape != ContentShape::blocks || kept.how != Shortened::truncated) {
        return with_blocks(*message, kept.blocks);
    }
    if (text_count(message->blocks) != kept.blocks.size()) return message;
    std::vector<Block> blocks = message->blocks;
    std::size_t next = 0;
    for (Block& block : blocks) {
        if (block.kind != BlockKind::text) continue;
        block.text = kept.blocks[next++].text;
        block.has_text = true;
        if (block.json) {
            JsValue json = *block.json;
            json.set("text", block.text.copy());
            block.json = std::make_shared<const JsValue>(std::move(json));
        }
    }
    return with_blocks(*message, std::move(blocks));
}

}  // namespace

Projections::Projections() : state_(std::make_unique<State>()) {}
Projections::~Projections() = default;
Projections::Projections(Projections&&) noexcept = default;
Projections& Projections::operator=(Projections&&) noexcept = default;
Projections::Projections(const Projections& other) : state_(std::make_unique<State>(*other.state_)) {}
Projections& Projections::operator=(const Projections& other) {
    if (this != &other) *state_ = *other.state_;
    return *this;
}

void remember(State& state, Key key, const Msg& message, Shortened how) {
    State::Replacement kept{how, {}};
    for (const Block& block : message.blocks) {
        if (how != Shortened::truncated || (block.kind == BlockKind::text && block.has_text))
            kept.blocks.push_back(block);
    }
    state.results[key].replacement = std::move(kept);
}

Projected project(const View& view, State& state) {
    Projected out{view, keys_of(view, state), std::vector<bool>(view.size(), false)};
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (out.keys[i] == 0) continue;
        State::Known& known = state.results[out.keys[i]];
        out.frozen[i] = known.frozen;
        if (!known.source) known.source = view[i];
        if (known.replacement) out.view[i] = merged(view[i], *known.replacement, *known.source);
    }
    return out;
}

}  // namespace agent_audit::simulator::openclaw
