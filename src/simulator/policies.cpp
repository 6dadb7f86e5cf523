#include <agent_audit/simulator/policy.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit::simulator {
namespace {

using How = Summarise::How;

Summarise by(Method method) {
    Summarise stage;
    stage.how = How::method;
    stage.method = std::move(method);
    return stage;
}

Summarise condenser(openhands::Kind kind, double max_events, double keep_first) {
    openhands::Condenser settings;
    settings.kind = kind;
    settings.max_events = max_events;
    settings.keep_first = keep_first;
    if (kind != openhands::Kind::summarising) settings.min_progress = 0;
    return by(settings);
}

/// Claude Code clears by the clock: an hour without a request, and only the last five results stay.
ClearResults claude_by_time() {
    ClearResults stage;
    stage.idle_ms = 3'600'000;
    stage.keep = 5;
    stage.tools = openclaw::ToolFilter(claude_code::clearable_tools(), {});
    return stage;
}

ClearResults claude_by_size() {
    ClearResults stage;
    stage.above_warning = true;
    stage.min_result_tokens = 40'000;
    stage.min_cleared = 20'000;
    stage.tools = openclaw::ToolFilter(claude_code::clearable_tools(), {});
    return stage;
}

/// As Anthropic does it on its side, and LangChain in a copy of the messages.
ClearResults clear_tool_uses(std::string placeholder) {
    ClearResults stage;
    stage.trigger_tokens = 100'000;
    stage.of_whole = true;  // it is sent all of the history each time
    stage.count_all = true;
    stage.placeholder = std::move(placeholder);
    return stage;
}

ClearResults langchain_edit() {
    ClearResults stage = clear_tool_uses("[cleared]");
    stage.by_characters = true;
    return stage;
}

ClearBeyond opencode_prune(bool enabled) {
    ClearBeyond stage;
    stage.enabled = enabled;
    return stage;
}

provider::Compaction tool_runner() {
    provider::Compaction method;
    method.trigger_tokens = 100'000;
    method.min_trigger = 0;
    method.at_trigger = true;
    method.same_prompt = false;  // without system prompt and tools
    method.after_answer = true;
    return method;
}

provider::Compaction openai_compaction() {
    provider::Compaction method;
    method.trigger_share = 0.9;
    method.at_trigger = true;
    return method;
}

letta::Compaction letta_buffer() {
    letta::Compaction method;
    method.fixed_buffer = true;
    return method;
}

constexpr std::string_view kClaudeSource =
    "second-hand: published readings of Claude Code 2.1.68, which agree on these figures";
constexpr std::string_view kOpenHandsOld = "OpenHands, openhands/memory/condenser";

// The one list, sorted by name.
const std::vector<Policy>& table() {
    static const std::vector<Policy> policies{
        {"anthropic-compaction",
         "Anthropic's compact_20260112: over 150,000 input tokens all that came before becomes one block",
         {by(provider::Compaction{})},
         "type definitions of @anthropic-ai/sdk 0.125.0",
         "How long the block is, is not published; the tokens of its making are billed apart, here as the same prompt "
         "read from the cache."},
        {"anthropic-context-editing",
         "Anthropic's clear_tool_uses_20250919: over 100,000 input tokens all results but the last 3 are cleared",
         {DropThinking{}, clear_tool_uses("[tool result cleared]")},
         "type definitions of @anthropic-ai/sdk 0.125.0",
         "The words of the provider's placeholder are not published. Thinking stays in the newest turn that has any, "
         "as clear_thinking_20251015 has it by default."},
        {"anthropic-tool-runner",
         "the tool runner of Anthropic's SDK: at 100,000 tokens a summary takes the place of the whole history",
         {by(tool_runner())},
         "@anthropic-ai/sdk 0.125.0",
         "It looks after an answer, and that answer is dropped with its calls; here results of these calls were "
         "recorded, and are dropped too."},
        {"claude-code",
         "Claude Code 2.1: results cleared after an idle hour, the whole history summarised 13,000 tokens before the "
         "usable window ends, files read last attached again",
         {claude_by_time(), by(claude_code::Compaction{}), OverflowRecovery{3, false}},
         kClaudeSource,
         "Files are attached as they were last read, not as they are on the disk; plans and to-do lists are not. Cache "
         "edits on the provider's side cost nothing and are not made."},
        {"claude-code-2.0",
         "Claude Code before it cleared by the clock: above the warning line all results but the last 3 are cleared "
         "when that frees 20,000 tokens",
         {claude_by_size(), by(claude_code::Compaction{}), OverflowRecovery{3, false}},
         kClaudeSource,
         "as claude-code"},
        {"cline",
         "Cline: at 90 % of the usable input what is older is summarised, the newest 20,000 tokens and the last "
         "message of the person stay; on overflow the history is folded to half without a model",
         {by(cline::Compaction{}), OverflowRecovery{}},
         "cline/cline, sdk/packages/core/src/extensions/context; @cline/core 0.0.76 to 0.0.83",
         "Three characters of the messages as JSON are a token. The notice of files, commands and answers that a fold "
         "leaves where messages were is not made, and what one fold has kept the next may drop. 0.0.41 has summaries "
         "of 1,024 tokens and never cuts inside a turn, 0.0.85 and later summaries of 8,192."},
        {"codex",
         "Codex: results cut to 10,000 tokens when they come in, at 90 % of the window a summary and the newest 20,000 "
         "tokens of what the person wrote stay",
         {TruncateMiddle{}, by(codex::Compaction{}), OverflowRecovery{}},
         "openai/codex, codex-rs/core/src/compact.rs, context_manager/history.rs, utils/string/src/truncate.rs",
         "The model's own limits are not known to a recording. The context that Codex writes anew after a compaction "
         "is not added. Compaction on the provider's side is openai-compaction. A summariser that cannot read all of "
         "the history is given less of it; here it always can."},
        {"gemini",
         "Gemini CLI: masks old outputs, summarises the older 70 % at half the window",
         {MaskResults{}, Summarise{How::gemini, {}, 1, 0.5, 4, 2, {}, {}}},
         "@google/gemini-cli-core 0.61.0",
         "The files in which outputs are saved have made-up names. A prompt that would not fit is told as an "
         "overflow."},
        {"kimi",
         "Kimi CLI: at 85 % of the window, or 50,000 tokens before its end, all but the last 2 messages are summarised",
         {by(kimi::Compaction{}), OverflowRecovery{}},
         "MoonshotAI/kimi-cli, src/kimi_cli/soul/compaction.py",
         "The summariser is sent the texts of messages and results, no calls, thoughts or images."},
        {"langchain",
         "LangChain: over 100,000 tokens all results but the last 3 are cleared; at 85 % of the window all but the "
         "last 20 messages are summarised",
         {langchain_edit(), by(langchain::Compaction{}), OverflowRecovery{}},
         "langchain-ai/langchain, agents/middleware/{summarization,context_editing}.py",
         "When to summarise is a setting without a default; 85 % is ours. Of what gives way the summariser is sent the "
         "newest 4,000 tokens. The search for a place to cut is that of LangChain 1.0, five messages around; later "
         "releases go from a result back to its call, however far, and look at what was billed as well. LangChain.js "
         "counts neither roles nor names, clears at 100,000 tokens exactly, and drops results without a call."},
        {"letta",
         "Letta: when the window is full the oldest 40 % of the messages are summarised, back to an answer, and more "
         "until the rest takes less than 70 % of the window",
         {by(letta::Compaction{}), OverflowRecovery{}},
         "letta-ai/letta, letta/services/summarizer/{compact,summarizer_sliding_window,thresholds}.py, of 2026",
         "Memory blocks and what the agent stores itself are not simulated. Before its sliding window Letta gave up "
         "the oldest 70 %, up to the next answer."},
        {"letta-buffer",
         "Letta with a fixed buffer: above 10 messages the newest 3 stay, from the next message of the person on",
         {by(letta_buffer())},
         "letta-ai/letta, letta/services/summarizer",
         "as letta"},
        {"none", "sends everything", {}, {}, {}},
        {"openai-compaction",
         "OpenAI's compaction on the provider's side: at the threshold all that came before becomes one opaque item",
         {by(openai_compaction())},
         "type definitions of openai 7.15.0",
         "The threshold has no default; 90 % of the window is ours. How long the item is and how its making is billed "
         "are not published; here it is the same prompt read from the cache."},
        {"openai-truncation",
         "OpenAI's deprecated truncation: auto: the oldest messages are dropped until the prompt fits",
         {by(provider::Truncation{})},
         "type definitions of openai 7.15.0",
         {}},
        {"openclaw",
         "OpenClaw 2026.9: turn limit in batches, pruning and result budgets that are remembered, compaction",
         {TurnLimit{}, PruneResults{}, TruncateResult{}, RepairPairs{}, usual_summary(How::openclaw_2026_9),
          OverflowRecovery{3, true}},
         "openclaw 2026.9.6",
         "Summaries that fail the quality check and so cancel a compaction; compactions after a time-out, of which a "
         "recording does not tell how full the prompt was. Between the calls of a turn it looks only with "
         "midTurnPrecheck, which is off unless configured: mid_turn of a policy of your own."},
        {"openclaw-2026.3",
         "OpenClaw 2026.3: turn limit, pruning and a guard for each request alone, compaction",
         {TurnLimit{0, false}, RepairPairs{openclaw::Release::y2026_3}, PruneResults{{}, false},
          TruncateResult{{}, false}, usual_summary(How::openclaw_2026_3), OverflowRecovery{3, true}},
         "openclaw 2026.3.2",
         "The cut is that of pi 0.73. The release itself has pi 0.55, which from the second compaction on "
         "does not look at what the one before it kept."},
        {"opencode",
         "opencode: when the last answer's tokens reach the usable window the history is summarised, up to 2 turns "
         "stay",
         {opencode_prune(false), by(opencode::Compaction{}), OverflowRecovery{}},
         "anomalyco/opencode, packages/opencode/src/session/{compaction,overflow}.ts",
         "Pruning of old results is off, as it is there unless configured; opencode-prune has it on. Later releases "
         "keep as many turns as fit into 15,000 tokens: tail_turns and max_tail of a policy of your own."},
        {"opencode-prune",
         "opencode with pruning: when a turn is over, results before the newest 2 turns and 40,000 tokens of results "
         "are cleared",
         {opencode_prune(true), by(opencode::Compaction{}), OverflowRecovery{}},
         "anomalyco/opencode, packages/opencode/src/session/{compaction,overflow}.ts",
         {}},
        {"openhands",
         "OpenHands: over 240 events, or on overflow, all between the first 2 events and the newest half is summarised",
         {condenser(openhands::Kind::summarising, 240, 2), OverflowRecovery{5, false}},
         "OpenHands/software-agent-sdk, openhands-sdk/openhands/sdk/context/condenser",
         "An answer counts one event for each of its calls; the system prompt is the first event. What Claude does on "
         "one thought, up to the next thought or message, is never parted. When everything is "
         "summarised the events are shortened until the summariser can read them; here it always can."},
        {"openhands-amortized",
         "OpenHands' older condenser that forgets: over 100 events the newest 50 stay",
         {condenser(openhands::Kind::amortised, 100, 0), RepairPairs{}},
         kOpenHandsOld,
         {}},
        {"openhands-attention",
         "OpenHands' older condenser that asks a model what to keep: over 100 events 50 stay",
         {condenser(openhands::Kind::attention, 100, 1), RepairPairs{}},
         kOpenHandsOld,
         "What the model would pick is not known; the newest are taken."},
        {"openhands-browser",
         "OpenHands' older condenser of browser output: only the newest page stays",
         {MaskEvents{1, true}},
         kOpenHandsOld,
         "A browser's tool is one whose name has \"brows\" in it."},
        {"openhands-masking",
         "OpenHands' older condenser of observations: results older than the newest 100 events are masked",
         {MaskEvents{}},
         kOpenHandsOld,
         "A message counts as one event."},
        {"openhands-noop", "OpenHands' older condenser that does nothing", {}, kOpenHandsOld, {}},
        {"openhands-pipeline",
         "OpenHands' older pipeline: the conversation window on overflow, browser output, then summaries",
         {MaskEvents{1, true}, condenser(openhands::Kind::summarising, 240, 2), OverflowRecovery{5, false}},
         kOpenHandsOld,
         "On overflow the summary acts in place of the conversation window."},
        {"openhands-recent",
         "OpenHands' older condenser of recent events: the first message and the newest 9 are sent",
         {KeepRecent{}, RepairPairs{}},
         kOpenHandsOld,
         "Results whose call is gone are left out too."},
        {"openhands-structured",
         "OpenHands' older condenser with a form to fill in: over 100 events the newest half stays",
         {condenser(openhands::Kind::structured, 100, 1), OverflowRecovery{}},
         kOpenHandsOld,
         {}},
        {"openhands-window",
         "OpenHands' older conversation window: on overflow the first message and half of the rest stay",
         {condenser(openhands::Kind::window, 0, 0), OverflowRecovery{}},
         kOpenHandsOld,
         "What was recalled for the first message is part of the rest."},
        {"pi",
         "pi 0.87: compaction",
         {usual_summary(How::pi_0_87), OverflowRecovery{}},
         "@earendil-works/pi-coding-agent 0.87.1",
         {}},
        {"pi-0.73",
         "pi 0.73: compaction",
         {usual_summary(How::pi_0_73), OverflowRecovery{}},
         "@mariozechner/pi-coding-agent 0.73.1",
         {}},
        {"roo",
         "Roo Code: at the percentage of the window, or above 90 % of it less the answer, all but the first message is "
         "condensed; when that was not enough half of the messages are hidden",
         {by(roo::Compaction{}), OverflowRecovery{2, false}},
         "RooCodeInc/Roo-Code, src/core/context-management",
         "The percentage is a setting of the person; 100 is its default. Extended thinking, for which Roo reserves "
         "16,384 tokens, is a setting, too; here it is off."},
    };
    return policies;
}

}  // namespace

std::span<const Policy> all_policies() { return table(); }

const Policy* find_policy(std::string_view name) {
    const auto found = std::ranges::lower_bound(table(), name, {}, &Policy::name);
    return found != table().end() && found->name == name ? &*found : nullptr;
}

}  // namespace agent_audit::simulator
