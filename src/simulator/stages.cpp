#include "simulator/stages.hpp"

#include "simulator/js_text.hpp"
#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::simulator {
namespace {

bool is_result(const MsgPtr& message) { return message && message->role == Role::tool_result; }

/// Reads on to the end of the view and remembers the ends of it.
template <class Visit>
void read_on(Progress& progress, const View& view, Visit&& visit) {
    for (; progress.seen < view.size(); ++progress.seen) {
        if (view[progress.seen]) visit(progress.seen, *view[progress.seen]);
    }
    progress.first = view.empty() ? nullptr : view.front();
    progress.last = view.empty() ? nullptr : view.back();
}

double result_tokens(const Msg& message) { return static_cast<double>(quarters_round(text_units(message))); }

double any_tokens(const Msg& message) {
    std::uint64_t units = 0;
    for (const Block& block : message.blocks) units += block.text.units();
    return static_cast<double>(quarters_up(units));
}

/// The system prompt stands apart there.
double langchain_tokens(const Msg& message) {
    return message.role == Role::system ? 0 : langchain::tokens_of(langchain::Compaction{}, message);
}

/// Whether the nearest answer before a result asked for it, as LangChain wants it of what it clears.
bool asked_for(const View& view, std::size_t result) {
    for (std::size_t i = result; i-- > 0;) {
        if (!view[i] || view[i]->role != Role::assistant) continue;
        return std::any_of(view[i]->blocks.begin(), view[i]->blocks.end(), [&](const Block& block) {
            return block.kind == BlockKind::tool_call && block.id == view[result]->call_id;
        });
    }
    return false;
}

bool says(const Msg& message, std::string_view words) {
    if (!message.content_edited || message.blocks.size() != 1) return false;
    std::string scratch;
    return message.blocks[0].text.sizes().bytes == words.size() && message.blocks[0].text.read(scratch) == words;
}

void edit(Progress& progress, std::size_t index, Action action, MsgPtr message) {
    progress.edits.push_back({index, action, std::move(message)});
}

// --- clear_results --------------------------------------------------------------------------------------------------

double claude_warning(const Moment& moment) {
    return claude_code::lines({}, moment.window_tokens, moment.max_output).warning;
}

bool triggered(const ClearResults& stage, const Progress& progress, const Moment& moment) {
    const bool billed = !stage.by_characters && moment.context_tokens > 0;
    const double unedited = billed ? moment.context_tokens : progress.tokens;
    const double now = billed && moment.edited_tokens > 0 ? moment.edited_tokens : unedited;
    if (stage.idle_ms > 0 && (moment.last_touch_ms <= 0 || moment.now_ms - moment.last_touch_ms < stage.idle_ms)) {
        return false;
    }
    if (stage.above_warning && now < claude_warning(moment)) return false;
    if (stage.min_result_tokens > 0 && progress.clearable_tokens <= stage.min_result_tokens) return false;
    if (stage.trigger_tokens <= 0 && stage.trigger_uses <= 0) return true;
    if (stage.trigger_tokens > 0 && (stage.of_whole ? unedited : now) > stage.trigger_tokens) return true;
    return stage.trigger_uses > 0 && static_cast<double>(progress.uses) > stage.trigger_uses;
}

/// Moves the end of what may go behind the results that have come in.
void advance(const ClearResults& stage, Progress& progress) {
    const std::size_t keep = whole(stage.keep), all = progress.results.size();
    const std::size_t end = all - std::min(all, keep);
    for (; progress.old_end < end; ++progress.old_end) {
        const Progress::Result& result = progress.results[progress.old_end];
        if (result.clearable) progress.old_tokens += result.tokens;
    }
}

void clear(Progress& progress) {
    progress.done = progress.old_end;
    progress.clearable_tokens -= progress.old_tokens;
    progress.old_tokens = 0;
}

/// The call of a result, with empty arguments. Calls stand a few messages before their results.
void clear_input(Progress& progress, const View& view, std::size_t result) {
    for (std::size_t i = result; i-- > 0;) {
        if (!view[i] || view[i]->role != Role::assistant) continue;
        const auto made = std::find_if(progress.edits.rbegin(), progress.edits.rend(),
                                       [&](const Edit& one) { return one.index == i; });
        const Msg& asker = made != progress.edits.rend() ? *made->message : *view[i];
        std::vector<Block> blocks = asker.blocks;
        for (Block& block : blocks) {
            if (block.kind != BlockKind::tool_call || block.id != view[result]->call_id) continue;
            block.text = Text("{}");
            block.args = ArgsState::present;
            block.json = nullptr;
            edit(progress, i, Action::clear, with_blocks(asker, std::move(blocks)));
            return;
        }
        return;  // the nearest answer did not ask for it
    }
}

}  // namespace

Progress& progress_of(const void* stage, const View& view, Memory& memory) {
    auto found = std::find_if(memory.progress.begin(), memory.progress.end(),
                              [&](const Progress& one) { return one.stage == stage; });
    if (found == memory.progress.end()) found = memory.progress.insert(found, Progress());
    const bool same = found->seen <= view.size() &&
                      (found->seen == 0 || (view.front() == found->first && view[found->seen - 1] == found->last));
    if (!same) *found = Progress();
    found->stage = stage;
    return *found;
}

void hand_over(const Progress& progress, std::size_t fresh, const View& view, Edits& out) {
    const bool kept = fresh == 0 || view[progress.edits[fresh - 1].index] == progress.edits[fresh - 1].message;
    out.insert(out.end(), progress.edits.begin() + static_cast<std::ptrdiff_t>(kept ? fresh : 0), progress.edits.end());
}

StageOutcome run(const ClearResults& stage, const View& view, const Moment& moment, Memory& memory) {
    Progress& progress = progress_of(&stage, view, memory);
    read_on(progress, view, [&](std::size_t i, const Msg& message) {
        progress.tokens += stage.by_characters ? langchain_tokens(message) : any_tokens(message);
        if (message.role != Role::tool_result) return;
        ++progress.uses;
        const bool clearable = stage.tools.allows(message.tool_name) && !says(message, stage.placeholder) &&
                               (!stage.by_characters || asked_for(view, i));
        if (!clearable && !stage.count_all) return;
        progress.results.push_back({i, result_tokens(message), clearable});
        if (clearable) progress.clearable_tokens += progress.results.back().tokens;
    });
    const std::size_t fresh = progress.edits.size();
    advance(stage, progress);
    if (progress.old_tokens >= stage.min_cleared && triggered(stage, progress, moment)) {
        for (std::size_t r = progress.done; r < progress.old_end; ++r) {
            const Progress::Result& result = progress.results[r];
            if (!result.clearable) continue;
            edit(progress, result.index, Action::clear, with_text(*view[result.index], stage.placeholder));
            if (stage.clear_inputs) clear_input(progress, view, result.index);
        }
        clear(progress);
    }
    StageOutcome out;
    hand_over(progress, fresh, view, out.edits);
    return out;
}

// --- clear_beyond ---------------------------------------------------------------------------------------------------

namespace {

void forget(Progress& progress) {
    progress.results.clear();
    progress.done = progress.old_end = progress.kept_end = 0;
    progress.old_tokens = progress.kept_tokens = 0;
}

}  // namespace

StageOutcome run(const ClearBeyond& stage, const View& view, const Moment&, Memory& memory) {
    StageOutcome out;
    if (!stage.enabled) return out;
    Progress& progress = progress_of(&stage, view, memory);
    read_on(progress, view, [&](std::size_t i, const Msg& message) {
        if (message.role == Role::user) progress.turns.push_back(i);
        if (message.role == Role::compaction_summary) {  // nothing before a summary is looked at
            forget(progress);
        }
        if (message.role != Role::tool_result || message.is_error || !stage.tools.allows(message.tool_name)) return;
        if (says(message, stage.placeholder)) {  // nor before one that is cleared
            forget(progress);
        } else {
            progress.results.push_back({i, result_tokens(message), true});
        }
    });
    const std::size_t fresh = progress.edits.size();
    const std::size_t turns =
        whole(stage.turns) + 1;  // opencode looks when a turn is over, so not at the one under way
    if (progress.turns.size() >= turns) {
        const std::size_t before = progress.turns[progress.turns.size() - turns];
        while (progress.kept_end < progress.results.size() && progress.results[progress.kept_end].index < before) {
            progress.kept_tokens += progress.results[progress.kept_end++].tokens;
        }
        for (; progress.kept_tokens > stage.protect_tokens; ++progress.old_end) {
            progress.kept_tokens -= progress.results[progress.old_end].tokens;
            progress.old_tokens += progress.results[progress.old_end].tokens;
        }
        if (progress.old_tokens > stage.min_tokens) {
            for (std::size_t r = progress.done; r < progress.old_end; ++r) {
                const std::size_t index = progress.results[r].index;
                edit(progress, index, Action::clear, with_text(*view[index], stage.placeholder));
            }
            clear(progress);
        }
    }
    hand_over(progress, fresh, view, out.edits);
    return out;
}

// --- truncate_middle ------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kLongestKept = 1u << 20;  // bytes of memory for texts that are kept for the next one

/// Texts share one budget, in order; null when all fits.
MsgPtr cut_result(const Msg& message, std::uint64_t budget, std::string& scratch) {
    std::uint64_t all = 0;
    for (const Block& block : message.blocks) {
        all += block.kind == BlockKind::text ? quarters_up(block.text.sizes().bytes) : 0;
    }
    if (all <= budget) return nullptr;
    std::vector<Block> blocks;
    std::size_t left_out = 0;
    for (const Block& block : message.blocks) {
        if (block.kind != BlockKind::text) {
            blocks.push_back(block);
            continue;
        }
        const std::uint64_t tokens = quarters_up(block.text.sizes().bytes);
        if (budget == 0) {  // an empty one too
            ++left_out;
        } else if (tokens <= budget) {
            blocks.push_back(block);
            budget -= tokens;
        } else {
            blocks.push_back(text_block(codex::truncate_middle(block.text.read(scratch), budget)));
            budget = 0;
        }
    }
    if (left_out > 0) blocks.push_back(text_block("[omitted " + std::to_string(left_out) + " text items ...]"));
    return with_blocks(message, std::move(blocks));
}

}  // namespace

StageOutcome run(const TruncateMiddle& stage, const View& view, const Moment&, Memory& memory) {
    Progress& progress = progress_of(&stage, view, memory);
    const std::size_t fresh = progress.edits.size();
    const auto budget = static_cast<std::uint64_t>(std::ceil(stage.tokens * stage.serialisation));
    read_on(progress, view, [&](std::size_t i, const Msg& message) {
        if (message.role != Role::tool_result) return;
        if (MsgPtr shorter = cut_result(message, budget, progress.words))
            edit(progress, i, Action::truncate, std::move(shorter));
    });
    if (progress.words.size() > kLongestKept) progress.words = {};
    StageOutcome out;
    hand_over(progress, fresh, view, out.edits);
    return out;
}

// --- mask_events, keep_recent ---------------------------------------------------------------------------------------

namespace {

bool is_browser(std::string_view tool) { return js_lower(tool).find("brows") != std::string::npos; }

/// The address that a browser call was given.
std::string address_of(const View& view, std::size_t result) {
    for (std::size_t i = result; i-- > 0;) {
        if (!view[i] || view[i]->role != Role::assistant) continue;
        for (const Block& block : view[i]->blocks) {
            if (block.kind != BlockKind::tool_call || block.id != view[result]->call_id) continue;
            const auto args = JsValue::parse(block.text.copy());
            const auto* url = args ? (*args)["url"].string() : nullptr;
            return url ? *url : std::string();
        }
        return {};
    }
    return {};
}

}  // namespace

StageOutcome run(const MaskEvents& stage, const View& view, const Moment&, Memory& memory) {
    Progress& progress = progress_of(&stage, view, memory);
    const std::size_t fresh = progress.edits.size();
    read_on(progress, view, [&](std::size_t i, const Msg& message) {
        const bool counts =
            message.role == Role::tool_result && !(stage.browser_only && !is_browser(message.tool_name));
        if (counts) progress.results.push_back({i, 0, true});
    });
    const std::size_t keep = whole(stage.window);
    std::size_t end = progress.results.size() - std::min(progress.results.size(), stage.browser_only ? keep : 0);
    if (!stage.browser_only) {
        const std::size_t from = view.size() - std::min(view.size(), keep);
        while (end > progress.done && progress.results[end - 1].index >= from) --end;
    }
    for (; progress.done < end; ++progress.done) {
        const std::size_t index = progress.results[progress.done].index;
        std::string mark =
            stage.browser_only ? "Visited URL " + address_of(view, index) + "\nContent omitted" : "<MASKED>";
        if (says(*view[index], mark)) continue;
        edit(progress, index, Action::mask, with_text(*view[index], std::move(mark)));
    }
    StageOutcome out;
    hand_over(progress, fresh, view, out.edits);
    return out;
}

StageOutcome run(const KeepRecent& stage, const View& view, const Moment&, Memory&) {
    StageOutcome out;
    const std::size_t head = std::min(view.size(), whole(stage.keep_first));
    const std::size_t tail = whole(stage.max_events) - std::min(whole(stage.max_events), head);
    if (view.size() <= head + tail) return out;
    std::size_t to = view.size() - tail;
    while (to < view.size() && is_result(view[to])) ++to;  // its call is gone
    out.dropped_from = head;
    out.dropped_to = to;
    return out;
}

// --- drop_thinking --------------------------------------------------------------------------------------------------

namespace {

bool thinks(const Msg& message) {
    return std::any_of(message.blocks.begin(), message.blocks.end(), [](const Block& block) {
        return block.kind == BlockKind::thinking || block.kind == BlockKind::redacted_thinking;
    });
}

MsgPtr without_thinking(const Msg& message) {
    std::vector<Block> blocks;
    for (const Block& block : message.blocks) {
        if (block.kind != BlockKind::thinking && block.kind != BlockKind::redacted_thinking) blocks.push_back(block);
    }
    return with_blocks(message, std::move(blocks));
}

}  // namespace

StageOutcome run(const DropThinking& stage, const View& view, const Moment&, Memory& memory) {
    Progress& progress = progress_of(&stage, view, memory);
    const std::size_t fresh = progress.edits.size();
    // `turns`: where turns that think begin to think.
    read_on(progress, view, [&](std::size_t i, const Msg& message) {
        if (message.role == Role::user) progress.turn_over = true;  // the next thought is of another turn
        if (message.role != Role::assistant || !thinks(message)) return;
        if (progress.turns.empty() || progress.turn_over) progress.turns.push_back(i);
        progress.turn_over = false;
        progress.results.push_back({i, 0, true});
    });
    const std::size_t keep = whole(stage.keep_turns);
    if (progress.turns.size() > keep) {
        const std::size_t before = keep == 0 ? view.size() : progress.turns[progress.turns.size() - keep];
        for (; progress.done < progress.results.size() && progress.results[progress.done].index < before;
             ++progress.done) {
            const std::size_t index = progress.results[progress.done].index;
            edit(progress, index, Action::drop, without_thinking(*view[index]));
        }
    }
    StageOutcome out;
    hand_over(progress, fresh, view, out.edits);
    return out;
}

}  // namespace agent_audit::simulator
