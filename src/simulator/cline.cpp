#include "simulator/js_text.hpp"
#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::simulator::cline {
namespace {

constexpr double kMinCutTokens = 8;
constexpr std::size_t kMinCutChars = 16;

double usable(const Compaction& settings, double window_tokens) {
    return settings.input_limit > 0 ? settings.input_limit : window_tokens * settings.window_share;
}

bool is_user(const MsgPtr& message) { return message && message->role == Role::user; }
bool is_assistant(const MsgPtr& message) { return message && message->role == Role::assistant; }

/// Three characters a token: too many tokens rather than too few.
double json_tokens(const Msg& message) {
    constexpr std::uint64_t kUnitsPerToken = 3;
    return static_cast<double>((message_json_units(message) + kUnitsPerToken - 1) / kUnitsPerToken);
}

std::size_t exchanges(const View& view) {
    std::size_t pairs = 0;
    bool asked = false;
    for (const MsgPtr& message : view) {
        // Results are user messages there.
        if (is_user(message) || (message && message->role == Role::tool_result)) asked = true;
        if (is_assistant(message) && asked) {
            ++pairs;
            asked = false;
        }
    }
    return pairs;
}

// --- folding --------------------------------------------------------------------------------------------------------

struct Kept {
    MsgPtr message;
    double tokens = 0;
    bool first_user = false, last_user = false, last_assistant = false, gone = false;
};

/// Only words, trimmed; null when there are none.
MsgPtr words_only(const MsgPtr& message) {
    if (!message || message->role == Role::compaction_summary || message->role == Role::tool_result) return nullptr;
    std::vector<Block> blocks;
    bool same = true;
    std::string scratch;
    for (const Block& block : message->blocks) {
        if (block.kind != BlockKind::text) {
            same = false;
            continue;
        }
        const std::string_view words = block.text.read(scratch), trimmed = js_trim(words);
        same = same && trimmed.size() == words.size() && !trimmed.empty();
        if (!trimmed.empty()) blocks.push_back(text_block(std::string(trimmed)));
    }
    if (blocks.empty()) return nullptr;
    return same ? message : with_blocks(*message, std::move(blocks));
}

std::vector<Kept> candidates_of(const View& view) {
    const auto last = [&](auto is) {
        std::size_t i = view.size();
        while (i > 0 && !is(view[i - 1])) --i;
        return i;  // one beyond; 0: none
    };
    const auto first_user = static_cast<std::size_t>(std::find_if(view.begin(), view.end(), is_user) - view.begin());
    const std::size_t last_user = last(is_user), last_assistant = last(is_assistant);
    std::vector<Kept> out;
    for (std::size_t i = 0; i < view.size(); ++i) {
        MsgPtr words = words_only(view[i]);
        if (!words) continue;
        const double tokens = json_tokens(*words);
        out.push_back({std::move(words), tokens, i == first_user, i + 1 == last_user, i + 1 == last_assistant, false});
    }
    return out;
}

std::string cut(std::string_view text, std::size_t most) {
    const std::size_t units = measure(text).units;
    if (units <= most) return std::string(text);
    return head_raw(text, most) + "\n...[truncated " + std::to_string(units - most) + " chars]";
}

MsgPtr cut_to(const Msg& message, double tokens) {
    std::size_t left = std::max(kMinCutChars, whole(std::max(1.0, tokens)) * 4);
    std::vector<Block> blocks;
    std::string scratch;
    for (const Block& block : message.blocks) {
        if (left == 0) {
            blocks.push_back(block);
            continue;
        }
        const std::string shorter = cut(block.text.read(scratch), left);
        std::string words(js_trim(shorter));
        left -= std::min<std::size_t>(left, measure(words).units);
        blocks.push_back(text_block(words.empty() ? "..." : std::move(words)));
    }
    return with_blocks(message, std::move(blocks));
}

void shorten(Kept& one, double least, double target, double& total) {
    const double wanted = std::max(least, one.tokens - (total - target));
    if (wanted >= one.tokens) return;
    total -= one.tokens;
    one.message = cut_to(*one.message, wanted);
    one.tokens = json_tokens(*one.message);
    total += one.tokens;
}

}  // namespace

double trigger(const Compaction& settings, double window_tokens) {
    return usable(settings, window_tokens) * settings.trigger_share;
}

double fold_target(const Compaction& settings, const View& view, double window_tokens, double max_output) {
    const double input = usable(settings, window_tokens), at = trigger(settings, window_tokens);
    const bool is_long =
        static_cast<double>(exchanges(view)) >= settings.long_pairs && max_output > 0 && max_output < input;
    const double target = std::floor(is_long ? input * settings.long_target_share : at * settings.target_share);
    return std::max(1.0, std::min({target, input, std::max(1.0, at - 1)}));
}

View fold(const View& view, double target_tokens) {
    std::vector<Kept> all = candidates_of(view);
    double total = 0;
    for (const Kept& one : all) total += one.tokens;
    const auto drop = [&](auto which) {
        for (Kept& one : all) {
            if (total <= target_tokens) return;
            if (one.gone || !which(one)) continue;
            one.gone = true;
            total -= one.tokens;
        }
    };
    drop([](const Kept& one) { return is_assistant(one.message) && !one.last_assistant; });
    drop([](const Kept& one) { return is_user(one.message) && !one.first_user && !one.last_user; });
    drop([](const Kept& one) { return one.last_assistant; });
    drop([](const Kept& one) { return one.last_user && !one.first_user; });
    std::erase_if(all, [](const Kept& one) { return one.gone; });

    for (std::size_t i = all.size(); i-- > 0 && total > target_tokens;) {
        if (!all[i].first_user) shorten(all[i], kMinCutTokens, target_tokens, total);
    }
    for (Kept& one : all) {
        if (one.first_user && total > target_tokens) shorten(one, 1, target_tokens, total);
    }
    View out;
    for (Kept& one : all) out.push_back(std::move(one.message));
    return out;
}

double tokens_of(const Compaction&, const Msg& message) { return json_tokens(message); }

// What is not seen here, the system prompt and the tools, is part of the request.
bool due(const Compaction& settings, const ContextSize& size, double window_tokens) {
    return size.refused || size.estimated + size.unseen >= trigger(settings, window_tokens);
}

namespace {

/// How much of the end stays: no more than what the request is to come down to.
double kept_at_end(const Compaction& settings, const View& view, const ContextSize& size, double window_tokens) {
    const double target = fold_target(settings, view, window_tokens, size.max_output);
    return std::min(settings.keep_recent, std::max(1.0, std::floor(target - size.unseen)));
}

/// Where to cut: before an answer or a message of the person, never before a result, and not behind the last message of
/// the person unless that begins the view.
std::size_t cut_of(const View& view, std::size_t from, double keep) {
    double kept = 0;
    std::size_t cut = view.size();
    while (cut > from && kept < keep) {
        --cut;
        if (view[cut]) kept += json_tokens(*view[cut]);
    }
    std::size_t last_user = view.size();
    while (last_user > from && !is_user(view[last_user - 1])) --last_user;
    if (last_user > from + 1) cut = std::min(cut, last_user - 1);
    while (cut > from && cut < view.size() && !is_user(view[cut]) && !is_assistant(view[cut])) --cut;
    return cut;
}

}  // namespace

Planned plan(const Compaction& settings, const View& view, const ContextSize& size, double window_tokens) {
    const std::size_t from = after_system(view);
    if (size.refused) {
        const View rest(view.begin() + static_cast<std::ptrdiff_t>(from), view.end());
        CompactionPlan out = gives_up(from, view.size(), 0);
        out.asks_model = false;
        out.after = fold(rest, fold_target(settings, rest, window_tokens, size.max_output));
        if (out.after == rest) return std::nullopt;
        return out;
    }
    const std::size_t cut = cut_of(view, from, kept_at_end(settings, view, size, window_tokens));
    const bool anything_new = std::any_of(view.begin() + static_cast<std::ptrdiff_t>(from), view.begin() + static_cast<std::ptrdiff_t>(cut),
                                          [](const MsgPtr& one) { return one && one->role != Role::compaction_summary; });
    if (cut == view.size() || !anything_new) return std::nullopt;
    return gives_up(from, cut, settings.max_summary);
}

}  // namespace agent_audit::simulator::cline
