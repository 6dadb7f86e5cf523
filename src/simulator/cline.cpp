#include "simulator/js_text.hpp"
#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace agent_audit::simulator::cline {
namespace {

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

constexpr std::size_t kShortestCut = 16;  // units; below it there is no room for a note

/// What is left of a message when some of its blocks go; null for nothing, but a result stays for its call.
template <class Keep>
MsgPtr without(const MsgPtr& message, Keep&& keep) {
    if (!message || std::all_of(message->blocks.begin(), message->blocks.end(), keep)) return message;
    std::vector<Block> blocks;
    std::copy_if(message->blocks.begin(), message->blocks.end(), std::back_inserter(blocks), keep);
    const bool nothing = blocks.empty() && message->role != Role::tool_result;
    return nothing ? nullptr : with_blocks(*message, std::move(blocks));
}

bool is_thinking(const Block& block) {
    return block.kind == BlockKind::thinking || block.kind == BlockKind::redacted_thinking;
}
bool is_no_image(const Block& block) { return block.kind != BlockKind::image; }
bool calls_tools(const Msg& message) {
    return std::any_of(message.blocks.begin(), message.blocks.end(),
                       [](const Block& block) { return block.kind == BlockKind::tool_call; });
}

/// A message of the person with its texts trimmed; null when there is nothing in it.
MsgPtr trimmed(const MsgPtr& message) {
    std::vector<Block> blocks;
    bool same = true;
    std::string scratch;
    for (const Block& block : message->blocks) {
        if (block.kind != BlockKind::text) {
            blocks.push_back(block);
            continue;
        }
        const std::string_view words = block.text.read(scratch), inside = js_trim(words);
        same = same && inside.size() == words.size() && !inside.empty();
        if (inside.size() == words.size() && !inside.empty()) {
            blocks.push_back(block);
        } else if (!inside.empty()) {
            blocks.push_back(text_block(std::string(inside)));
        }
    }
    if (blocks.empty()) return nullptr;
    return same ? message : with_blocks(*message, std::move(blocks));
}

/// The places of what the person wrote.
std::vector<std::size_t> typed_in(const View& view) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < view.size(); ++i) {
        if (is_user(view[i])) out.push_back(i);
    }
    return out;
}

/// The last answer of a turn that calls nothing.
std::optional<std::size_t> last_words(const View& view, std::size_t begin, std::size_t end) {
    for (std::size_t i = end; i-- > begin;) {
        if (is_assistant(view[i]) && !calls_tools(*view[i])) return i;
    }
    return std::nullopt;
}

bool says_something(const MsgPtr& message) {
    std::string scratch;
    return message && std::any_of(message->blocks.begin(), message->blocks.end(), [&](const Block& block) {
               return block.kind == BlockKind::text && !js_trim(block.text.read(scratch)).empty();
           });
}

/// What stays of each message; null for what goes: everything the person wrote, the end of the newest turn, and the
/// last answers of older turns as far as they fit.
struct Kept {
    View view;
    double tokens = 0;
};
Kept what_stays(const View& view, double target) {
    Kept out{View(view.size()), 0};
    const std::vector<std::size_t> typed = typed_in(view);
    const auto keep = [&out](std::size_t i, MsgPtr message) {
        if (!message) return;
        out.tokens += json_tokens(*message);
        out.view[i] = std::move(message);
    };
    for (const std::size_t i : typed) {
        // Images stay beside the newest words only.
        MsgPtr words = trimmed(view[i]);
        keep(i, i == typed.back() ? std::move(words) : without(words, is_no_image));
    }
    std::size_t end = view.size();
    for (double newest = 0; end > typed.back() + 1; --end) {
        if (view[end - 1]) newest += json_tokens(*view[end - 1]);
        if (out.tokens + newest > target) break;
    }
    while (end < view.size() && !is_assistant(view[end])) ++end;
    for (; end < view.size(); ++end) keep(end, view[end]);
    for (std::size_t t = typed.size() - 1; t-- > 0;) {
        const auto last = last_words(view, typed[t] + 1, typed[t + 1]);
        if (!last) continue;
        MsgPtr words = without(view[*last], [](const Block& block) { return !is_thinking(block); });
        if (says_something(words) && out.tokens + json_tokens(*words) <= target) keep(*last, std::move(words));
    }
    return out;
}

std::string cut(std::string_view text, std::size_t most) {
    const std::size_t units = measure(text).units;
    if (most == 0) return {};
    if (units <= most) return std::string(text);
    if (most <= kShortestCut) return head_raw(text, most);
    const auto note = [units](std::size_t kept) {
        return "\n...[truncated " + std::to_string(units - kept) + " chars]";
    };
    const std::size_t needed = note(most).size(), kept = most > needed ? most - needed : 1;
    return head_raw(text, kept) + note(kept);
}

/// All texts together within `most` units, the first ones first.
MsgPtr cut_to(const Msg& message, std::size_t most) {
    std::vector<Block> blocks = message.blocks;
    std::string scratch;
    for (Block& block : blocks) {
        if (block.kind != BlockKind::text) continue;
        std::string words = cut(block.text.read(scratch), most);
        most -= std::min<std::size_t>(most, measure(words).units);
        block = text_block(std::move(words));
    }
    return with_blocks(message, std::move(blocks));
}

double tokens_in(const View& view) {
    double tokens = 0;
    for (const MsgPtr& message : view) tokens += message ? json_tokens(*message) : 0;
    return tokens;
}

/// Where calls begin that have no results yet: from there on nothing is touched.
std::size_t live_tail(const View& view) {
    std::unordered_set<std::string_view> answered;
    for (const MsgPtr& message : view) {
        if (message->role == Role::tool_result) answered.insert(message->call_id);
    }
    for (std::size_t i = view.size(); i-- > 0;) {
        for (const Block& block : view[i]->blocks) {
            if (block.kind == BlockKind::tool_call && !answered.contains(block.id)) return i;
        }
    }
    return view.size();
}

/// Images stay in what the person wrote last, and where calls wait for results.
void drop_images(View& view) {
    const std::size_t tail = live_tail(view);
    const std::vector<std::size_t> typed = typed_in(view);
    for (std::size_t i = 0; i < tail; ++i) {
        if (typed.empty() || i != typed.back()) view[i] = without(view[i], is_no_image);
    }
    std::erase(view, nullptr);
}

bool may_be_cut(const Msg& message) {
    const auto is_text = [](const Block& block) { return block.kind == BlockKind::text; };
    return message.role == Role::tool_result || std::any_of(message.blocks.begin(), message.blocks.end(), is_text);
}

/// Cuts texts, from the newest message back, each to its share of the target; what the person wrote last stays.
void shorten(View& view, double target) {
    const std::size_t tail = live_tail(view);
    const std::vector<std::size_t> typed = typed_in(view);
    double total = tokens_in(view);
    for (std::size_t i = view.size(); i-- > 0 && total > target;) {
        if (i >= tail || (!typed.empty() && i == typed.back()) || !may_be_cut(*view[i])) continue;
        const double tokens = json_tokens(*view[i]),
                     units = std::max(1.0, static_cast<double>(message_json_units(*view[i])) / tokens);
        const double share = std::floor(target * units / static_cast<double>(view.size()));
        total -= tokens;
        view[i] = cut_to(*view[i], std::max(kShortestCut, whole(share)));
        total += json_tokens(*view[i]);
    }
}

/// A message and all that its calls and results hang together with.
std::vector<bool> group_of(const View& view, std::size_t first) {
    std::vector<bool> in(view.size());
    std::unordered_set<std::string_view> ids;
    const auto touches = [&](const Msg& message) {
        if (message.role == Role::tool_result) return ids.contains(message.call_id);
        return std::any_of(message.blocks.begin(), message.blocks.end(), [&](const Block& block) {
            return block.kind == BlockKind::tool_call && ids.contains(block.id);
        });
    };
    const auto take = [&](std::size_t i) {
        in[i] = true;
        if (view[i]->role == Role::tool_result) ids.insert(view[i]->call_id);
        for (const Block& block : view[i]->blocks) {
            if (block.kind == BlockKind::tool_call) ids.insert(block.id);
        }
    };
    take(first);
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = 0; i < view.size(); ++i) {
            if (in[i] || !touches(*view[i])) continue;
            take(i);
            more = true;
        }
    }
    return in;
}

/// Drops the oldest messages, calls with their results, but neither the first nor the last words of the person.
void drop_oldest(View& view, double target) {
    double total = tokens_in(view);
    for (std::size_t i = 0; i < view.size() && total > target;) {
        const std::vector<std::size_t> typed = typed_in(view);
        const std::size_t tail = live_tail(view);
        const std::vector<bool> group = group_of(view, i);
        bool untouched = true;
        for (std::size_t k = 0; k < view.size(); ++k) {
            const bool held = k >= tail || (!typed.empty() && (k == typed.front() || k == typed.back()));
            untouched = untouched && !(group[k] && held);
        }
        if (!untouched) {
            ++i;
            continue;
        }
        View rest;
        for (std::size_t k = 0; k < view.size(); ++k) {
            if (!group[k]) rest.push_back(view[k]);
        }
        view = std::move(rest);
        total = tokens_in(view);
    }
}

/// Messages of the person that stand beside each other become one.
View with_words_joined(const View& view) {
    View out;
    for (const MsgPtr& message : view) {
        if (is_user(message) && !out.empty() && is_user(out.back())) {
            std::vector<Block> blocks = out.back()->blocks;
            blocks.insert(blocks.end(), message->blocks.begin(), message->blocks.end());
            out.back() = with_blocks(*out.back(), std::move(blocks));
        } else {
            out.push_back(message);
        }
    }
    return out;
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

View fold(const View& view, double target_tokens, double trigger_tokens) {
    const std::vector<std::size_t> typed = typed_in(view);
    const bool words =
        std::any_of(typed.begin(), typed.end(), [&](std::size_t i) { return trimmed(view[i]) != nullptr; });
    if (view.size() < 2 || !words) return view;
    const double trigger = std::max(1.0, std::floor(trigger_tokens));
    const double target = std::max(1.0, std::min(std::floor(target_tokens), trigger));
    const Kept kept = what_stays(view, target);
    View out;
    for (const MsgPtr& message : kept.view) {
        MsgPtr plain = without(message, [](const Block& block) { return !is_thinking(block); });
        if (plain) out.push_back(std::move(plain));
    }
    drop_images(out);
    // Where what the person wrote is longer, it may take the room up to the trigger.
    const double most = std::min(std::max(target, kept.tokens), trigger);
    shorten(out, most);
    drop_oldest(out, most);
    return with_words_joined(out);
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
        const double most = trigger(settings, window_tokens) - size.unseen;
        out.after = fold(rest, std::min(most, tokens_in(rest) * settings.refused_share), most);
        if (out.after == rest) return std::nullopt;
        return out;
    }
    const std::size_t cut = cut_of(view, from, kept_at_end(settings, view, size, window_tokens));
    std::size_t fresh = from;  // a summary alone is not summarised again
    while (fresh < cut && (!view[fresh] || view[fresh]->role == Role::compaction_summary)) ++fresh;
    if (cut == view.size() || fresh == cut) return std::nullopt;
    return gives_up(from, cut, settings.max_summary);
}

}  // namespace agent_audit::simulator::cline
