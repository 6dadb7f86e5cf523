#include "simulator/openclaw/projections.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>

namespace agent_audit::simulator::openclaw {
namespace {

using State = Projections::State;

/// Call id and time stamp: enough as long as no two results share them.
std::string base_key(const MsgPtr& message) {
    if (!message || message->role != Role::tool_result) return {};
    std::string id = message->call_id;
    if (message->json) {
        const auto* raw = (*message->json)["toolCallId"].string();
        id = raw ? *raw : std::string();
    }
    const std::string time = message->time_ms ? js_number(*message->time_ms) : std::string();
    if (!id.empty()) return "tool:" + id + (message->time_ms ? ":" + time : "");
    return message->time_ms ? "timestamp:" + time : std::string();
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

std::string fallback_key(const Msg& message, const std::string& base) {
    const std::string* id = message.json ? (*message.json)["id"].string() : nullptr;
    const std::string identity = id && !id->empty() ? "id:" + *id : "text:" + std::to_string(texts_hash(message));
    return "fallback:" + (base.empty() ? "tool" : base) + ":" + identity;
}

/// A key that has become ambiguous hands what it knew to the result it came from.
void inherit(State& state, const std::string& base, const std::string& key, const Msg& message) {
    const auto source = state.sources.find(base);
    if (base.empty() || source == state.sources.end() || source->second != texts_hash(message)) return;
    if (const auto found = state.replacements.find(base); found != state.replacements.end()) {
        state.replacements.insert_or_assign(key, std::move(found->second));
        state.replacements.erase(base);
    }
    state.sources.insert_or_assign(key, source->second);
    state.sources.erase(base);
    if (state.frozen.erase(base) > 0) state.frozen.insert(key);
}

std::vector<std::string> keys_of(const View& view, State& state) {
    std::vector<std::string> keys;
    keys.reserve(view.size());
    std::unordered_set<std::string_view> seen;
    for (const MsgPtr& message : view) keys.push_back(base_key(message));
    for (const std::string& key : keys) {
        if (!key.empty() && !seen.insert(key).second) state.ambiguous.insert(key);
    }
    bool nameless = false;
    for (std::size_t i = 0; i < view.size() && !nameless; ++i) {
        nameless = keys[i].empty() && view[i] && view[i]->role == Role::tool_result;
    }
    if (state.ambiguous.empty() && !nameless) return keys;
    std::unordered_map<std::string, std::size_t> occurrences;
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (!keys[i].empty() && !state.ambiguous.contains(keys[i])) continue;
        if (!view[i] || view[i]->role != Role::tool_result) continue;
        const std::string base = keys[i];
        std::string key = fallback_key(*view[i], base);
        const std::size_t occurrence = occurrences[key]++;
        key += ":" + std::to_string(occurrence);
        inherit(state, base, key, *view[i]);
        keys[i] = std::move(key);
    }
    return keys;
}

std::size_t text_count(const std::vector<Block>& blocks) {
    return static_cast<std::size_t>(
        std::count_if(blocks.begin(), blocks.end(), [](const Block& block) { return block.kind == BlockKind::text; }));
}

/// The message as it was sent before; itself when what is remembered does not fit it any more.
MsgPtr merged(const MsgPtr& message, const State::Replacement& kept, std::uint64_t source) {
    if (message->shape == ContentShape::blocks && texts_hash(*message) != source) return message;
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

void remember(State& state, const std::string& key, const Msg& message, Shortened how) {
    State::Replacement kept{how, {}};
    for (const Block& block : message.blocks) {
        if (how != Shortened::truncated || (block.kind == BlockKind::text && block.has_text))
            kept.blocks.push_back(block);
    }
    state.replacements.insert_or_assign(key, std::move(kept));
}

Projected project(const View& view, State& state) {
    Projected out{view, keys_of(view, state), std::vector<bool>(view.size(), false)};
    for (std::size_t i = 0; i < view.size(); ++i) {
        const std::string& key = out.keys[i];
        if (key.empty()) continue;
        out.frozen[i] = state.frozen.contains(key);
        auto source = state.sources.find(key);
        if (source == state.sources.end()) source = state.sources.emplace(key, texts_hash(*view[i])).first;
        const auto kept = state.replacements.find(key);
        if (kept != state.replacements.end()) out.view[i] = merged(view[i], kept->second, source->second);
    }
    return out;
}

}  // namespace agent_audit::simulator::openclaw
