#pragma once

#include <agent_audit/simulator/message.hpp>
#include <agent_audit/simulator/openclaw.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// How agents other than pi, OpenClaw and Gemini CLI make room: the parameters of each, with the agent's own figures as
/// defaults, and those of their rules that have a meaning alone. What a compaction does to a view is a plan
/// (compaction.hpp).
namespace agent_audit::simulator {

// --- Claude Code ----------------------------------------------------------------------------------------------------

namespace claude_code {

/// The whole history gives way to one summary; files read last are attached again.
struct Compaction {
    double output_cap = 20'000;  ///< of the model's longest answer, this much is set aside at most
    double margin = 13'000, warning_margin = 20'000;
    double blocking_margin = 3'000;  ///< from there on no prompt is taken before a compaction
    double percent = 0;              ///< of the usable window at which to compact, when that is earlier; 0: not set
    double max_files = 5, file_tokens = 5'000, files_tokens = 50'000;
    double max_summary = 20'000;
    double max_failures = 3;  ///< in a row; then it is off, until no prompt is taken any more
};
/// Tokens at which something happens: how much may be used, from where on it warns, compacts, takes no prompt.
struct Lines {
    double effective = 0, warning = 0, compact = 0, blocking = 0;
};
/// `max_output` 0: unknown, and then taken for large.
Lines lines(const Compaction& settings, double window_tokens, double max_output);

/// Tools whose results both kinds of micro-compaction clear.
std::vector<std::string> clearable_tools();

}  // namespace claude_code

// --- Codex ----------------------------------------------------------------------------------------------------------

namespace codex {

/// Only what the person wrote is kept, from the newest on, and a summary follows it.
struct Compaction {
    double limit_tokens = 0;  ///< the model's own limit; 0: a share of the window
    double window_share = 0.9;
    double user_tokens = 20'000;
    double max_summary = 4'000;  ///< Codex sets none
};
/// The middle of a text left out, on character boundaries: "…N tokens truncated…" stands in its place.
std::string truncate_middle(std::string_view text, std::uint64_t max_tokens);
/// A user message that Codex wrote itself: instructions, environment. It begins with a mark, and there is one for its
/// end.
bool is_wrapper(std::string_view text);

}  // namespace codex

// --- opencode -------------------------------------------------------------------------------------------------------

namespace opencode {

/// A summary of all but the newest turns. Tokens, unless it says otherwise.
struct Compaction {
    double input_limit = 0;  ///< of the model; 0: none is known, and the longest answer counts against the window
    double reserved = 0;     ///< 0: the smaller of 20,000 and the longest answer
    double tail_turns = 2;
    double tail_share = 0.25, min_tail = 2'000, max_tail = 8'000;
    double stalled_below = 0.05;  ///< a compaction that frees a smaller share has stalled
    double max_summary = 4'000;   ///< opencode sets none
};
/// Tokens the context may hold before it is compacted. `max_output` 0: unknown.
double usable(const Compaction& settings, double window_tokens, double max_output);
/// Tokens of the newest turns that stay as they are.
double tail_budget(const Compaction& settings, double usable_tokens);

}  // namespace opencode

// --- Cline ----------------------------------------------------------------------------------------------------------

namespace cline {

/// Folding first, then a summary. Tokens, unless it says otherwise.
struct Compaction {
    double input_limit = 0;  ///< 0: `window_share` of the window
    double window_share = 0.9, trigger_share = 0.9;
    double keep_recent = 20'000;
    double target_share = 0.7;       ///< of the trigger: where folding without a model stops
    double long_target_share = 0.5;  ///< of the input, from `long_pairs` exchanges on
    double long_pairs = 5;
    double refused_share = 0.5;  ///< of the messages: what may stay where the provider has refused them
    double max_summary = 4'096;
};
/// Tokens from which on the context is compacted.
double trigger(const Compaction& settings, double window_tokens);
/// Where folding stops that comes before a refusal. `max_output` 0: unknown.
double fold_target(const Compaction& settings, const View& view, double window_tokens, double max_output);
/// Folding without a model: what the person wrote stays, of the newest turn as much of its end as fits, of older turns
/// the last answer where it fits. What is still too much is cut, then dropped, the oldest first. The target may be
/// passed up to the trigger for what the person wrote.
View fold(const View& view, double target_tokens, double trigger_tokens);

}  // namespace cline

// --- Roo Code -------------------------------------------------------------------------------------------------------

namespace roo {

/// A summary of all, or, where none could be had, half of the messages hidden. Tokens, unless it says otherwise.
struct Compaction {
    double percent = 100;        ///< of the window
    double window_share = 0.9;   ///< less the answer: more than that is too much, whatever the percentage
    double reserved = 8'192;     ///< for an answer whose length is not known, and at most for one of Claude
    double answer_share = 0.2;   ///< of the window: longer answers are not reserved for
    double max_summary = 4'000;  ///< Roo sets none
};
/// Tokens that stay free for the answer. `max_output` 0: unknown.
double reserved(const Compaction& settings, double max_output, std::string_view model, double window_tokens);
/// Without a summary: half of the messages after the first are hidden, an even number. [from, to) of the view.
openclaw::Range hidden(const View& view);

}  // namespace roo

// --- OpenHands ------------------------------------------------------------------------------------------------------

namespace openhands {

/// How old events give way.
enum class Kind : std::uint8_t {
    summarising,  ///< the present default
    amortised,    ///< forgets without a summary
    attention,    ///< a model picks what stays; taken here to be the newest
    structured,   ///< a summary with fields
    window        ///< only on overflow: the first message and half of the rest
};
/// One of them with its limits, as OpenHands has them.
struct Condenser {
    Kind kind = Kind::summarising;
    double max_events = 240;
    double max_tokens = 0;  ///< 0: no limit of tokens
    double keep_first = 2;
    double min_progress = 0.1;   ///< of the events must go, else nothing does
    double max_summary = 4'000;  ///< OpenHands sets none
};
/// Events of a message: an answer is one for each of its calls.
std::uint64_t events(const Msg& message);
std::uint64_t events(const View& view);

}  // namespace openhands

// --- Kimi CLI, LangChain, Letta -------------------------------------------------------------------------------------

namespace kimi {
/// Everything but the newest messages becomes a summary. Tokens, unless it says otherwise.
struct Compaction {
    double window_share = 0.85, reserved = 50'000;
    double keep_messages = 2;    ///< of the person and of the model
    double max_summary = 4'000;  ///< Kimi sets none
};
}  // namespace kimi

namespace langchain {
/// SummarizationMiddleware: older messages become one, from the trigger on.
struct Compaction {
    double trigger_tokens = 0, trigger_messages = 0;  ///< 0: not used
    double trigger_share = 0.85;                      ///< of the window; LangChain itself has no default
    double keep_messages = 20;
    double search_range = 5;     ///< how far from a cut calls and results are looked for
    double max_summary = 4'000;  ///< LangChain sets none
    double max_read = 4'000;     ///< newest tokens of what gives way that the summariser is sent; 0: all
};
/// The last place at or before `cut` that parts no call from its result, as far as the search goes.
std::size_t safe_cut(const View& view, std::size_t cut, std::size_t range);
}  // namespace langchain

namespace letta {
struct Compaction {
    /// Of the messages by count: a tenth more gives way, and tenths again until what stays takes less than the rest of
    /// the window.
    double evict_share = 0.3;
    bool fixed_buffer = false;  ///< keeps a fixed number of messages and asks no model
    double buffer_max = 10, buffer_min = 3;
    double max_summary = 4'000;  ///< Letta sets none
};
}  // namespace letta

// --- on the provider's side -----------------------------------------------------------------------------------------

namespace provider {

/// Everything before becomes one block: Anthropic's compact_20260112 and its SDK's tool runner, OpenAI's compaction.
struct Compaction {
    double trigger_tokens = 150'000;
    double min_trigger = 50'000;  ///< the least the provider accepts
    double trigger_share = 0;     ///< of the window, when there is no trigger in tokens
    bool at_trigger = false;      ///< equality triggers
    bool same_prompt = true;      ///< the summary is asked for behind the prompt as it is, which may be in the cache
    bool after_answer =
        false;  ///< looked at when an answer is there: what the person says next is neither counted nor lost
    double max_summary = 4'000;  ///< not published
};
/// OpenAI's truncation: auto. The oldest messages are dropped until the prompt fits; no model is asked.
struct Truncation {};

}  // namespace provider

using Method = std::variant<std::monostate, claude_code::Compaction, codex::Compaction, opencode::Compaction,
                            cline::Compaction, roo::Compaction, openhands::Condenser, kimi::Compaction,
                            langchain::Compaction, letta::Compaction, provider::Compaction, provider::Truncation>;
/// "claude-code" … as custom policies name it; empty for none.
std::string_view method_name(const Method& method);

}  // namespace agent_audit::simulator
