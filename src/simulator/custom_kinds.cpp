#include "simulator/custom_kinds.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace agent_audit::simulator {
namespace {

using How = Summarise::How;
using Kind = StageKind;
using Param = StageParam;
using Tools = ToolsPlace;

template <class M>
struct Owner;
template <class C, class T>
struct Owner<T C::*> {
    using type = C;
};
template <auto M>
using OwnerOf = typename Owner<decltype(M)>::type;

template <auto M>
auto* in_stage(Stage& stage) {
    return &(std::get<OwnerOf<M>>(stage).*M);
}
template <auto Part, auto M>
auto* in_part(Stage& stage) {
    return &(std::get<OwnerOf<Part>>(stage).*Part.*M);
}
template <auto M>
auto* in_method(Stage& stage) {
    return &(std::get<OwnerOf<M>>(std::get<Summarise>(stage).method).*M);
}

/// How many of something.
Param count(std::string_view name, ParamPlace place, std::string_view doc) { return {name, place, doc, 0, 1e9, true}; }

Summarise summary(Method method) {
    Summarise stage = usual_summary(How::method);
    stage.method = std::move(method);
    return stage;
}
constexpr double kShare = 1;

std::vector<Param> pi_params() {
    return {{"reserve_tokens", &in_part<&Summarise::settings, &pi::CompactionSettings::reserve_tokens>,
             "tokens kept free for the answer"},
            {"keep_recent_tokens", &in_part<&Summarise::settings, &pi::CompactionSettings::keep_recent_tokens>,
             "newest tokens that stay"},
            {"mid_turn", &in_stage<&Summarise::mid_turn>,
             "looks between the calls of a turn as well; else only before a prompt, or when the provider refused"}};
}

std::vector<Param> openclaw_params() {
    std::vector<Param> out = pi_params();
    out.push_back(
        {"max_reserve_share", &in_stage<&Summarise::max_reserve_share>, "of the window, at most kept free", 0, kShare});
    out.push_back({"max_history_share", &in_stage<&Summarise::max_history_share>,
                   "of the window that new content leaves to the history", 0, kShare});
    return out;
}

std::vector<Param> condenser_params() {
    using C = openhands::Condenser;
    return {count("max_events", &in_method<&C::max_events>, "events above which the history is condensed"),
            {"max_tokens", &in_method<&C::max_tokens>, "tokens above which it is; 0: no such limit"},
            count("keep_first", &in_method<&C::keep_first>, "first events that always stay"),
            {"min_progress", &in_method<&C::min_progress>, "share of the events that must go", 0, kShare},
            {"max_summary", &in_method<&C::max_summary>, "longest summary in tokens"}};
}

openhands::Condenser condenser(openhands::Kind kind) {
    openhands::Condenser out;
    out.kind = kind;
    return out;
}

// Stages that shorten what is sent, the results above all.
std::vector<Kind> shortening_kinds() {
    using Prune = openclaw::PruneSettings;
    using Budget = openclaw::BudgetOptions;
    return {
        {"turn_limit",
         "",
         "only the last user turns are sent",
         TurnLimit{},
         {count("turns", &in_stage<&TurnLimit::turns>, "user turns that stay; 0: no limit"),
          {"in_batches", &in_stage<&TurnLimit::in_batches>,
           "turns go several at a time, so that the prefix stays the same in between"}}},
        {"prune_results",
         "",
         "old tool results are shortened, then cleared, once the provider's cache has expired (OpenClaw)",
         PruneResults{},
         {{"ttl_ms", &in_part<&PruneResults::settings, &Prune::ttl_ms>, "age of the cache; 0: never", 0, 1e12},
          {"hard_clear", &in_part<&PruneResults::settings, &Prune::hard_clear>, "results may be cleared, too"},
          {"placeholder", &in_part<&PruneResults::settings, &Prune::placeholder>, "what stands for a cleared result"},
          {"tools", Tools{&in_part<&PruneResults::settings, &Prune::tools>, false}, "globs of tools; none: all"},
          {"exclude", Tools{&in_part<&PruneResults::settings, &Prune::tools>, true}, "globs of tools left alone"},
          {"remembered", &in_stage<&PruneResults::remembered>, "what was shortened stays so; false: 2026.3"}}},
        {"truncate_result",
         "",
         "results too large for the window, alone or together, are cut (OpenClaw)",
         TruncateResult{},
         {{"max_chars", &in_part<&TruncateResult::options, &Budget::max_chars>, "of one result; 0: by the window"},
          {"aggregate_chars", &in_part<&TruncateResult::options, &Budget::aggregate_chars>,
           "of all together; 0: by the window"},
          {"protect_trailing", &in_part<&TruncateResult::options, &Budget::protect_trailing>,
           "the newest results give way only when they are too large alone"},
          {"remembered", &in_stage<&TruncateResult::remembered>, "false: the guard of 2026.3"}}},
        {"truncate_middle",
         "",
         "a result too long is cut in its middle when it comes in (Codex)",
         TruncateMiddle{},
         {{"tokens", &in_stage<&TruncateMiddle::tokens>, "of 4 bytes, that a result may have"},
          {"serialisation", &in_stage<&TruncateMiddle::serialisation>, "factor for what JSON adds", 0.1, 10}}},
        {"mask_results",
         "",
         "old tool outputs are replaced by a preview (Gemini CLI)",
         MaskResults{},
         {{"protect_tokens", &in_part<&MaskResults::settings, &gemini::Masking::protect_tokens>,
           "newest tokens of output that stay"},
          {"min_prunable_tokens", &in_part<&MaskResults::settings, &gemini::Masking::min_prunable_tokens>,
           "nothing is masked below"},
          {"protect_latest", &in_part<&MaskResults::settings, &gemini::Masking::protect_latest>,
           "the newest message is left alone"}}},
    };
}

// Stages that leave out parts of what is sent, or put a mark in their place.
std::vector<Kind> clearing_kinds() {
    return {
        {"clear_results",
         "",
         "all but the newest results give way to a placeholder, oldest first (Claude Code, Anthropic, LangChain)",
         ClearResults{},
         {{"trigger_tokens", &in_stage<&ClearResults::trigger_tokens>, "the context must exceed it; 0: always"},
          {"of_whole", &in_stage<&ClearResults::of_whole>,
           "that context is the one before anything was cleared, as for whoever is sent all of it each time, and a "
           "summary reads all of it again; else what is left"},
          {"by_characters", &in_stage<&ClearResults::by_characters>,
           "that context is a quarter of the characters of all messages, as LangChain counts; else what is billed"},
          count("trigger_uses", &in_stage<&ClearResults::trigger_uses>,
                "or so many results must be exceeded; 0: not used"),
          {"above_warning", &in_stage<&ClearResults::above_warning>,
           "only from 20,000 tokens before the end of Claude Code's usable window on"},
          {"idle_ms", &in_stage<&ClearResults::idle_ms>, "only after so long without a request; 0: not used", 0, 1e12},
          {"min_result_tokens", &in_stage<&ClearResults::min_result_tokens>,
           "the results that may be cleared must together exceed it"},
          count("keep", &in_stage<&ClearResults::keep>, "newest results that stay"),
          {"min_cleared", &in_stage<&ClearResults::min_cleared>, "nothing happens when fewer tokens would go"},
          {"count_all", &in_stage<&ClearResults::count_all>, "`keep` counts the results of every tool"},
          {"clear_inputs", &in_stage<&ClearResults::clear_inputs>, "arguments of the calls go, too"},
          {"tools", Tools{&in_stage<&ClearResults::tools>, false}, "globs of tools; none: all"},
          {"exclude", Tools{&in_stage<&ClearResults::tools>, true}, "globs of tools left alone"},
          {"placeholder", &in_stage<&ClearResults::placeholder>, "what stands for a cleared result"}}},
        {"clear_beyond",
         "",
         "results before the newest so many tokens of results are cleared (opencode)",
         ClearBeyond{},
         {{"enabled", &in_stage<&ClearBeyond::enabled>, "false: does nothing"},
          {"protect_tokens", &in_stage<&ClearBeyond::protect_tokens>, "newest tokens of results that stay"},
          {"min_tokens", &in_stage<&ClearBeyond::min_tokens>, "what is older must exceed it"},
          count("turns", &in_stage<&ClearBeyond::turns>, "newest user turns left alone, beside the one under way"),
          {"tools", Tools{&in_stage<&ClearBeyond::tools>, false}, "globs of tools; none: all"},
          {"exclude", Tools{&in_stage<&ClearBeyond::tools>, true}, "globs of tools left alone"},
          {"placeholder", &in_stage<&ClearBeyond::placeholder>, "what stands for a cleared result"}}},
        {"mask_events",
         "",
         "old results give way to a mark (OpenHands)",
         MaskEvents{},
         {count("window", &in_stage<&MaskEvents::window>, "newest messages left alone; of a browser, newest pages"),
          {"browser_only", &in_stage<&MaskEvents::browser_only>, "only pages of a browser"}}},
        {"keep_recent",
         "",
         "the first messages and the newest are sent, the rest is not (OpenHands)",
         KeepRecent{},
         {count("keep_first", &in_stage<&KeepRecent::keep_first>, "first messages"),
          count("max_events", &in_stage<&KeepRecent::max_events>, "messages in all")}},
        {"drop_thinking",
         "",
         "thinking stays only in the newest turns that have any (Anthropic)",
         DropThinking{},
         {count("keep_turns", &in_stage<&DropThinking::keep_turns>, "turns whose thinking stays")}},
        {"repair_pairs", "", "every call is followed by exactly its results (OpenClaw 2026.9)", RepairPairs{}, {}},
    };
}

constexpr std::string_view kSummary = "longest summary in tokens";
constexpr std::string_view kOfWindow = "of the window, at which to summarise";

// pi and those made of it, and Gemini CLI: stages with settings of their own.
std::vector<Kind> pi_family_kinds() {
    return {
        {"summarise", "pi", "compaction of pi 0.87; the summariser is sent 2,000 characters of a result",
         usual_summary(How::pi_0_87), pi_params()},
        {"summarise", "pi-0.73", "compaction of pi 0.73; the summariser is sent 2,000 characters of a result",
         usual_summary(How::pi_0_73), pi_params()},
        {"summarise", "openclaw", "compaction of OpenClaw 2026.9; the summariser is sent 2,000 characters of a result",
         usual_summary(How::openclaw_2026_9), openclaw_params()},
        {"summarise", "openclaw-2026.3", "compaction of OpenClaw 2026.3", usual_summary(How::openclaw_2026_3),
         openclaw_params()},
        {"summarise",
         "gemini",
         "compression of Gemini CLI; a second call reads all of it again and looks the summary through",
         usual_summary(How::gemini),
         {{"threshold", &in_part<&Summarise::gemini, &gemini::CompressionSettings::threshold>, kOfWindow, 0, kShare},
          {"preserve", &in_part<&Summarise::gemini, &gemini::CompressionSettings::preserve>,
           "share of the history that stays", 0, kShare},
          {"output_chars", &in_part<&Summarise::gemini, &gemini::CompressionSettings::output_chars>,
           "characters that an old output keeps, at most four times the tokens that are left"}}},
    };
}

// The agents of the model makers, and open ones that follow them.
std::vector<Kind> vendor_kinds() {
    using Cc = claude_code::Compaction;
    using Cx = codex::Compaction;
    using Oc = opencode::Compaction;
    return {
        {"summarise",
         "claude-code",
         "the whole history gives way, files read last are attached again; the summary is asked for behind the prompt "
         "as it is",
         summary(Method(Cc{})),
         {{"output_cap", &in_method<&Cc::output_cap>, "of the longest answer, set aside at most"},
          {"margin", &in_method<&Cc::margin>, "tokens before the end of the usable window"},
          {"blocking_margin", &in_method<&Cc::blocking_margin>,
           "tokens before that end where no prompt is taken any more"},
          count("max_failures", &in_method<&Cc::max_failures>,
                "compactions for nothing, in a row, after which it is off; 0: never"),
          {"percent", &in_method<&Cc::percent>, "of the usable window, if that is earlier; 0: not set", 0, 100},
          count("max_files", &in_method<&Cc::max_files>, "files attached at most"),
          {"file_tokens", &in_method<&Cc::file_tokens>, "of one file"},
          {"files_tokens", &in_method<&Cc::files_tokens>, "of all files"},
          {"max_summary", &in_method<&Cc::max_summary>, kSummary}}},
        {"summarise",
         "codex",
         "what the person wrote stays, a summary follows it",
         summary(Method(Cx{})),
         {{"limit_tokens", &in_method<&Cx::limit_tokens>, "the model's limit; 0: only the share of the window"},
          {"window_share", &in_method<&Cx::window_share>, kOfWindow, 0, kShare},
          {"user_tokens", &in_method<&Cx::user_tokens>, "tokens of the person's messages that stay"},
          {"max_summary", &in_method<&Cx::max_summary>, kSummary}}},
        {"summarise",
         "opencode",
         "the newest turns stay as far as they fit; the summariser is sent 2,000 characters of a result",
         summary(Method(Oc{})),
         {{"input_limit", &in_method<&Oc::input_limit>, "of the model; 0: the window less the longest answer"},
          {"reserved", &in_method<&Oc::reserved>, "tokens of the input limit kept free; 0: at most 20,000"},
          count("tail_turns", &in_method<&Oc::tail_turns>, "newest turns that may stay"),
          {"tail_share", &in_method<&Oc::tail_share>, "of the usable window that they may have", 0, kShare},
          {"min_tail", &in_method<&Oc::min_tail>, "tokens they may have at least"},
          {"max_tail", &in_method<&Oc::max_tail>, "tokens they may have at most"},
          {"stalled_below", &in_method<&Oc::stalled_below>, "share that must go for a compaction to count as done", 0,
           kShare},
          {"max_summary", &in_method<&Oc::max_summary>, kSummary}}},
    };
}

// Agents of editors.
std::vector<Kind> editor_kinds() {
    using Cl = cline::Compaction;
    return {
        {"summarise",
         "cline",
         "what is older gives way; on overflow the history is folded without a model; the summariser is sent 2,000 "
         "characters of a result",
         summary(Method(Cl{})),
         {{"input_limit", &in_method<&Cl::input_limit>, "of the model; 0: a share of the window"},
          {"window_share", &in_method<&Cl::window_share>, "of the window that is usable", 0, kShare},
          {"trigger_share", &in_method<&Cl::trigger_share>, "of the usable input, at which to summarise", 0, kShare},
          {"keep_recent", &in_method<&Cl::keep_recent>, "newest tokens that stay"},
          {"target_share", &in_method<&Cl::target_share>, "of the trigger, that may stay", 0, kShare},
          {"refused_share", &in_method<&Cl::refused_share>, "of the messages, that may stay on overflow", 0, kShare},
          {"max_summary", &in_method<&Cl::max_summary>, kSummary}}},
        {"summarise",
         "roo",
         "all but the first message gives way",
         summary(Method(roo::Compaction{})),
         {{"percent", &in_method<&roo::Compaction::percent>, kOfWindow, 0, 100},
          {"window_share", &in_method<&roo::Compaction::window_share>, "of the window, less the answer, at most", 0,
           kShare},
          {"reserved", &in_method<&roo::Compaction::reserved>,
           "for an answer of unknown length, and at most for one of Claude"},
          {"answer_share", &in_method<&roo::Compaction::answer_share>,
           "of the window, for an answer of any other model but GPT-5", 0, kShare},
          {"max_summary", &in_method<&roo::Compaction::max_summary>, kSummary}}},
    };
}

// The condensers of OpenHands.
std::vector<Kind> openhands_kinds() {
    return {
        {"summarise", "openhands", "the first events and the newest half stay",
         summary(Method(condenser(openhands::Kind::summarising))), condenser_params()},
        {"summarise", "openhands-amortized", "the same, forgotten without a summary",
         summary(Method(condenser(openhands::Kind::amortised))), condenser_params()},
        {"summarise", "openhands-attention", "the same, what stays picked by a model; taken to be the newest",
         summary(Method(condenser(openhands::Kind::attention))), condenser_params()},
        {"summarise", "openhands-structured", "as openhands, with a form to fill in",
         summary(Method(condenser(openhands::Kind::structured))), condenser_params()},
        {"summarise",
         "openhands-window",
         "on overflow the first message and half of the rest stay, without a summary",
         summary(Method(condenser(openhands::Kind::window))),
         {}},
    };
}

// Kimi CLI, and frameworks.
std::vector<Kind> framework_kinds() {
    using Lc = langchain::Compaction;
    using Lt = letta::Compaction;
    return {
        {"summarise",
         "kimi",
         "all but the newest messages give way",
         summary(Method(kimi::Compaction{})),
         {{"window_share", &in_method<&kimi::Compaction::window_share>, kOfWindow, 0, kShare},
          {"reserved", &in_method<&kimi::Compaction::reserved>, "or so many tokens before the end of the window"},
          count("keep_messages", &in_method<&kimi::Compaction::keep_messages>, "of the person and the model that stay"),
          {"max_summary", &in_method<&kimi::Compaction::max_summary>, kSummary}}},
        {"summarise",
         "langchain",
         "all but the newest messages give way, no call is parted from its result",
         summary(Method(Lc{})),
         {{"trigger_tokens", &in_method<&Lc::trigger_tokens>, "estimated tokens at which to summarise; 0: not used"},
          count("trigger_messages", &in_method<&Lc::trigger_messages>, "messages at which to; 0: not used"),
          {"trigger_share", &in_method<&Lc::trigger_share>, kOfWindow, 0, kShare},
          count("keep_messages", &in_method<&Lc::keep_messages>, "newest messages that stay"),
          {"max_summary", &in_method<&Lc::max_summary>, kSummary},
          {"max_read", &in_method<&Lc::max_read>,
           "newest tokens of what gives way that the summariser is sent; 0: all"}}},
        {"summarise",
         "letta",
         "the oldest messages give way, back to an answer",
         summary(Method(Lt{})),
         {{"evict_share", &in_method<&Lt::evict_share>,
           "of the messages: a tenth more gives way, and tenths again until what stays takes less than the rest of the "
           "window",
           0, kShare},
          {"fixed_buffer", &in_method<&Lt::fixed_buffer>, "keeps a fixed number of messages and writes no summary"},
          count("buffer_max", &in_method<&Lt::buffer_max>, "messages above which the buffer is cut"),
          count("buffer_min", &in_method<&Lt::buffer_min>, "messages that stay then"),
          {"max_summary", &in_method<&Lt::max_summary>, kSummary}}},
    };
}

// What happens on the provider's side.
std::vector<Kind> provider_kinds() {
    using Pr = provider::Compaction;
    return {
        {"summarise",
         "provider",
         "everything becomes one block, as the providers do it on their side",
         summary(Method(Pr{})),
         {{"trigger_tokens", &in_method<&Pr::trigger_tokens>, "input tokens above which it is done"},
          {"min_trigger", &in_method<&Pr::min_trigger>, "the least that is accepted"},
          {"trigger_share", &in_method<&Pr::trigger_share>, "of the window, in place of tokens; 0: not used", 0,
           kShare},
          {"at_trigger", &in_method<&Pr::at_trigger>, "equality is enough"},
          {"same_prompt", &in_method<&Pr::same_prompt>,
           "the summary is asked for behind the prompt as it is, which may be in the cache; else all is read anew"},
          {"after_answer", &in_method<&Pr::after_answer>,
           "looked at when an answer is there, by what it was billed; what the person says next stays"},
          {"max_summary", &in_method<&Pr::max_summary>, kSummary}}},
        {"summarise",
         "drop-oldest",
         "the oldest messages are dropped until the prompt fits, without a summary",
         summary(Method(provider::Truncation{})),
         {}},
    };
}

std::vector<Kind> all_kinds() {
    std::vector<Kind> out = shortening_kinds();
    for (const auto& part : {clearing_kinds, pi_family_kinds, vendor_kinds, editor_kinds, openhands_kinds,
                             framework_kinds, provider_kinds})
        std::ranges::move(part(), std::back_inserter(out));
    out.push_back({"overflow_recovery",
                   "",
                   "what is tried when the provider refuses the prompt",
                   OverflowRecovery{},
                   {{"compactions", &in_stage<&OverflowRecovery::compactions>, "at most, for one request", 0, 100},
                    {"truncate_results", &in_stage<&OverflowRecovery::truncate_results>,
                     "then results too large are cut for good"}}});
    return out;
}

}  // namespace

const std::vector<StageKind>& stage_kinds() {
    static const std::vector<StageKind> table = all_kinds();
    return table;
}

}  // namespace agent_audit::simulator
