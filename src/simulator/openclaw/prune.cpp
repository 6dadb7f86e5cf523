#include <agent_audit/simulator/openclaw.hpp>

#include "simulator/js_text.hpp"
#include "simulator/openclaw/projections.hpp"
#include "simulator/openclaw/views.hpp"
#include "simulator/weight.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace agent_audit::simulator::openclaw {
namespace {

constexpr std::uint64_t kImageChars = 8'000, kOtherMessageChars = 256, kEmptyArgsChars = 2;
constexpr std::uint64_t kSoftMax = 4'000, kEnds = 1'500;
constexpr double kSoftRatio = 0.3, kHardRatio = 0.5, kMinPrunable = 50'000;
constexpr std::size_t kKeepAssistants = 3;
constexpr std::string_view kImageMarker = "[image removed during context pruning]";

/// Redacted thinking may still say something; its block holds the redacted data as its text.
std::uint64_t unredacted_chars(const Block& block) {
    if (block.kind != BlockKind::redacted_thinking || !block.json) return 0;
    const auto* words = (*block.json)["thinking"].string();
    return words ? weigh(*words) : 0;
}

std::uint64_t block_chars(const Block& block, bool assistant) {
    switch (block.kind) {
        case BlockKind::text:
            if (block.has_text) return block.text.weighted();
            return assistant ? 0 : weigh(json_of(block).stringify());
        case BlockKind::image: return kImageChars;
        case BlockKind::thinking:
        case BlockKind::redacted_thinking:
            return assistant ? block.text.weighted() + block.signature.weighted() + unredacted_chars(block) : 0;
        case BlockKind::tool_call:
            if (!assistant || !block.pi_call) return 0;
            return block.args == ArgsState::present ? block.text.units() : kEmptyArgsChars;
        default: return 0;
    }
}

std::uint64_t chars_of(const MsgPtr& message) {
    if (!message) return kOtherMessageChars;
    const Role role = message->injected ? Role::custom : message->role;
    if (role == Role::user && message->shape == ContentShape::text) return message->blocks[0].text.weighted();
    if (role != Role::user && role != Role::assistant && role != Role::tool_result) return kOtherMessageChars;
    if (message->shape != ContentShape::blocks) return 0;
    std::uint64_t chars = 0;
    for (const Block& block : message->blocks) chars += block_chars(block, role == Role::assistant);
    return chars;
}

std::string joined_text(const Msg& message) {
    std::string out, scratch;
    bool first = true;
    for (const Block& block : message.blocks) {
        if (block.kind != BlockKind::text && block.kind != BlockKind::image) continue;
        if (!first) out += '\n';
        first = false;
        if (block.kind == BlockKind::image) {
            out += kImageMarker;
        } else if (block.has_text) {
            append_wtf8(out, block.text.read(scratch));
        } else {
            out += json_of(block).stringify();
        }
    }
    return out;
}

/// Null when the result is short and without images.
MsgPtr trimmed(const Msg& message) {
    if (message.shape != ContentShape::blocks) return nullptr;
    const bool image = std::any_of(message.blocks.begin(), message.blocks.end(),
                                   [](const Block& block) { return block.kind == BlockKind::image; });
    const bool odd = std::any_of(message.blocks.begin(), message.blocks.end(),
                                 [](const Block& block) { return block.kind == BlockKind::text && !block.has_text; });
    std::uint64_t least = message.blocks.empty() ? 0 : message.blocks.size() - 1;
    for (const Block& block : message.blocks) least += block.text.units();
    if (!image && !odd && least <= kSoftMax) return nullptr;  // without reading a word
    const std::string text = joined_text(message);
    const std::uint64_t units = utf16_length(text);
    if (!image && units <= kSoftMax) return nullptr;
    if (units <= kSoftMax) return with_text(message, text);
    std::string out(head_safe(text, kEnds));
    out += "\n...\n";
    out += tail_safe(text, kEnds);
    out +=
        "\n\n[Tool result trimmed: kept first 1500 chars and last 1500 chars of " + std::to_string(units) + " chars.]";
    return with_text(message, std::move(out));
}

/// Results at and after it are too new to touch.
std::optional<std::size_t> cut_off(const View& view) {
    std::size_t left = kKeepAssistants;
    for (std::size_t i = view.size(); i-- > 0;) {
        if (view[i] && view[i]->role == Role::assistant && --left == 0) return i;
    }
    return std::nullopt;
}

struct Candidate {
    std::size_t index;
    std::uint64_t chars;
};

/// One round of shortening, over the view as its projections have it.
class Round {
public:
    Round(const View& source, const PruneSettings& settings, double window_tokens, Projected& projected,
          Projections::State& state)
        : source_(source), settings_(settings), window_(window_tokens * 4), now_(projected), state_(state) {}

    bool run() {
        const auto end = cut_off(now_.view);
        const std::size_t start = first_user(now_.view);
        if (!end || start == now_.view.size()) return false;
        std::vector<std::uint64_t> chars(now_.view.size());
        std::transform(now_.view.begin(), now_.view.end(), chars.begin(), chars_of);
        for (const std::uint64_t size : chars) total_ += static_cast<double>(size);
        if (total_ / window_ < kSoftRatio) return false;
        for (std::size_t i = start; i < *end; ++i) trim(i, chars[i]);
        if (total_ / window_ >= kHardRatio && settings_.hard_clear) clear();
        return pruned_;
    }

    const std::vector<std::pair<std::size_t, Action>>& done() const { return done_; }

private:
    void trim(std::size_t i, std::uint64_t chars) {
        const MsgPtr& message = now_.view[i];
        if (!message || message->role != Role::tool_result || !settings_.tools.allows(message->tool_name)) return;
        const Projections::State::Replacement* const kept = state_.replacement(now_.keys[i]);
        if (kept && kept->how == Shortened::hard) return;
        eligible_.push_back({i, chars});
        if (kept && kept->how == Shortened::soft) return;
        MsgPtr shorter = trimmed(*source_[i]);
        if (!shorter) return;
        const std::uint64_t after = chars_of(shorter);
        total_ += static_cast<double>(after) - static_cast<double>(chars);
        eligible_.back().chars = after;
        replace(i, std::move(shorter), Shortened::soft, Action::trim);
    }

    void clear() {
        double prunable = 0;
        for (const Candidate& one : eligible_) prunable += static_cast<double>(one.chars);
        if (prunable < kMinPrunable) return;
        for (const Candidate& one : eligible_) {
            if (total_ / window_ < kHardRatio) return;
            MsgPtr cleared = with_text(*now_.view[one.index], settings_.placeholder);
            total_ += static_cast<double>(chars_of(cleared)) - static_cast<double>(one.chars);
            replace(one.index, std::move(cleared), Shortened::hard, Action::clear);
        }
    }

    void replace(std::size_t i, MsgPtr message, Shortened how, Action action) {
        if (const Key key = now_.keys[i]; key != 0) {
            remember(state_, key, *message, how);
            state_.results[key].frozen = true;
        }
        now_.view[i] = std::move(message);
        done_.emplace_back(i, action);
        pruned_ = true;
    }

    const View& source_;
    const PruneSettings& settings_;
    double window_;
    Projected& now_;
    Projections::State& state_;
    double total_ = 0;
    bool pruned_ = false;
    std::vector<Candidate> eligible_;
    std::vector<std::pair<std::size_t, Action>> done_;
};

}  // namespace

PruneResult prune(const View& view, const PruneSettings& settings, double window_tokens, const CacheClock& clock,
                  Projections& projections) {
    Projected projected = project(view, projections.state());
    PruneResult out;
    std::vector<Action> action(view.size(), Action::truncate);
    if (clock.expired(settings.ttl_ms)) {
        Round round(view, settings, window_tokens, projected, projections.state());
        out.pruned = round.run();
        for (const auto& [index, how] : round.done()) action[index] = how;
    }
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (projected.view[i] != view[i]) out.edits.push_back({i, action[i], projected.view[i]});
    }
    return out;
}

}  // namespace agent_audit::simulator::openclaw
