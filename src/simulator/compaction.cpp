#include <agent_audit/simulator/compaction.hpp>

#include "simulator/gemini/payload.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace agent_audit::simulator {
namespace {

using How = Summarise::How;

constexpr double kOpenClawSummaryTokens = 4'000, kGeminiSummaryTokens = 4'000;

/// Places of the view's messages that Gemini's history has.
struct GeminiHistory {
    gemini::History history;
    std::vector<std::size_t> places;
};
GeminiHistory gemini_history(const View& view) {
    GeminiHistory out;
    for (std::size_t i = 0; i < view.size(); ++i) {
        auto content = view[i] ? gemini::content_of(*view[i]) : nullptr;
        if (!content) continue;
        out.history.push_back(std::move(content));
        out.places.push_back(i);
    }
    return out;
}

std::string saved_as(const gemini::Part& part, std::size_t, std::size_t) { return part.name + "_" + part.id + ".txt"; }

/// Outputs beyond the budget are shortened in what is kept as well.
void note_shortened(const GeminiHistory& before, const gemini::History& after, const View& view, CompactionPlan& plan) {
    for (std::size_t k = 0; k < before.history.size() && k < after.size(); ++k) {
        const std::size_t place = before.places[k];
        if (after[k] == before.history[k] || place < plan.to) continue;
        std::vector<Block> blocks;
        for (const gemini::Part& part : after[k]->parts) {
            if (part.kind == gemini::Part::Kind::function_response) blocks.push_back(gemini::output_block(part));
        }
        plan.edits.push_back({place, Action::truncate, with_blocks(*view[place], std::move(blocks))});
    }
}

/// What is about to be sent is no history yet.
View before_what_is_new(const View& view) {
    std::size_t end = view.size();
    while (end > 0 && !(view[end - 1] && view[end - 1]->role == Role::assistant)) --end;
    return {view.begin(), view.begin() + static_cast<std::ptrdiff_t>(end)};
}

std::optional<CompactionPlan> gemini_plan(const Summarise& stage, const View& whole_view, const ContextSize& size,
                                          double window_tokens) {
    const View view = before_what_is_new(whole_view);
    const GeminiHistory now = gemini_history(view);
    gemini::CompressionSettings settings = stage.gemini;
    settings.limit = window_tokens;
    settings.force = size.refused;
    settings.failed_before = size.thrown_away;
    // Gemini CLI sends no prompt beyond the limit, so that something always is left; a replay may have come to one.
    settings.output_chars = std::max(1.0, gemini::output_threshold(size.billed, window_tokens, settings.output_chars));
    const gemini::Compression decided = gemini::decide_compression(now.history, size.billed, settings, saved_as);
    CompactionPlan plan;
    if (decided.status == gemini::Status::truncated && decided.history) {
        plan.asks_model = false;
        note_shortened(now, *decided.history, view, plan);
        return plan;
    }
    if (decided.status != gemini::Status::split) return std::nullopt;
    plan.longest_summary = size.billed - gemini::finish_compression(decided, "-").new_tokens;
    plan.to = decided.split < now.places.size() ? now.places[decided.split] : view.size();
    plan.max_summary_tokens = kGeminiSummaryTokens;
    plan.min_calls = 2;  // one writes, one looks it through
    if (decided.history) note_shortened(now, *decided.history, view, plan);
    return plan;
}

bool is_openclaw(const Summarise& stage) {
    return stage.how == How::openclaw_2026_3 || stage.how == How::openclaw_2026_9;
}

double calls_for(const Summarise& stage, const View& given_up, double window_tokens, openclaw::Release release) {
    const double ratio = openclaw::chunk_ratio(given_up, window_tokens, release);
    const double chunk = std::max(1.0, std::floor(window_tokens * ratio) - openclaw::kSummaryOverheadTokens);
    const auto total = static_cast<double>(openclaw::view_tokens(given_up, release));
    const bool at_once = static_cast<double>(given_up.size()) < stage.min_messages_for_parts || total <= chunk;
    return at_once ? 1 : stage.parts + 1;
}

/// OpenClaw: where what stays leaves the history too little room, its older part is summarised first, and apart.
double calls_of(const Summarise& stage, const View& given_up, const ContextSize& size, double window_tokens) {
    if (!is_openclaw(stage)) return 1;
    const auto release = stage.how == How::openclaw_2026_3 ? openclaw::Release::y2026_3 : openclaw::Release::y2026_9;
    const double staying = size.billed - static_cast<double>(openclaw::view_tokens(given_up, release));
    const double share = stage.max_history_share;
    if (staying <= std::floor(window_tokens * share * openclaw::kSafetyMargin)) {
        return calls_for(stage, given_up, window_tokens, release);
    }
    const auto parted = openclaw::prune_to_share(given_up, window_tokens, share, stage.parts, release);
    return (parted.dropped.empty() ? 0 : calls_for(stage, parted.dropped, window_tokens, release)) +
           (parted.kept.empty() ? 0 : calls_for(stage, parted.kept, window_tokens, release));
}

/// What an automatic compaction of OpenClaw 2026.9 may keep: the window less the answer, the system prompt and the
/// tools. Where nothing is left of it, all but a little.
pi::Retention retention_of(const Summarise& stage, const View& view, const ContextSize& size, double window_tokens) {
    pi::Retention out{openclaw::retained_tokens, window_tokens - reserve_tokens(stage, window_tokens) - size.unseen,
                      openclaw::longest_summary_tokens()};
    if (out.max_tokens > 0) return out;
    out.max_tokens = -1;
    for (const MsgPtr& message : view) out.max_tokens += message ? openclaw::retained_tokens(*message) : 0;
    return out;
}

/// pi and OpenClaw: a summary before the view is read by the next one, and is no message that could be cut at.
std::optional<CompactionPlan> pi_plan(const Summarise& stage, const View& view, const ContextSize& size,
                                      double window_tokens) {
    const pi::Release release = *cut_release(stage);
    const std::size_t begin = !view.empty() && view[0] && view[0]->role == Role::compaction_summary ? 1 : 0;
    const View rest(view.begin() + static_cast<std::ptrdiff_t>(begin), view.end());
    if (rest.empty()) return std::nullopt;
    std::optional<pi::Retention> retention;
    if (stage.how == How::openclaw_2026_9) retention = retention_of(stage, view, size, window_tokens);
    const pi::CutPoint cut = pi::find_cut(pi::entries_of(rest), 0, rest.size(), stage.settings.keep_recent_tokens,
                                          release, retention ? &*retention : nullptr);
    if (cut.first_kept == 0 || cut.first_kept == rest.size()) return std::nullopt;
    CompactionPlan plan;
    plan.to = begin + cut.first_kept;
    plan.split_turn = cut.split_turn;
    pi::CompactionSettings settings = stage.settings;
    settings.reserve_tokens = reserve_tokens(stage, window_tokens);
    const bool openclaw = is_openclaw(stage);
    plan.max_summary_tokens = openclaw ? kOpenClawSummaryTokens : pi::summary_limit(settings);
    if (cut.split_turn && !openclaw) plan.max_summary_tokens += pi::turn_prefix_limit(settings);
    const View given_up(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(cut.first_kept));
    plan.min_calls = calls_of(stage, given_up, size, window_tokens) + (cut.split_turn ? 1 : 0);
    return plan;
}

/// Texts that pi, opencode and Cline write for their summarisers have results of so many characters.
constexpr double kResultChars = 2'000, kOpenHandsChars = 10'000;

SummaryReading reading_of(const Method& method) {
    SummaryReading out;
    if (const auto* provider = std::get_if<provider::Compaction>(&method)) out.same_prompt = provider->same_prompt;
    if (std::holds_alternative<claude_code::Compaction>(method)) out.same_prompt = true;
    if (std::holds_alternative<kimi::Compaction>(method)) out.words_only = true;
    if (std::holds_alternative<opencode::Compaction>(method) || std::holds_alternative<cline::Compaction>(method)) {
        out.result_chars = kResultChars;
    }
    if (const auto* langchain = std::get_if<langchain::Compaction>(&method)) out.most_tokens = langchain->max_read;
    const auto* openhands = std::get_if<openhands::Condenser>(&method);
    if (openhands && openhands->kind == openhands::Kind::structured) out.result_chars = kOpenHandsChars;
    return out;
}

}  // namespace

SummaryReading summary_reading(const Summarise& stage) {
    SummaryReading out;
    switch (stage.how) {
        case How::pi_0_73:
        case How::pi_0_87:
        case How::openclaw_2026_9: out.result_chars = kResultChars; break;
        case How::openclaw_2026_3: break;
        case How::gemini: out.times = 2; break;  // one call writes, one looks it through
        case How::method: return reading_of(stage.method);
    }
    return out;
}

double share_read(const SummaryReading& reading, const Msg& message) {
    const bool cut = reading.result_chars > 0 && message.role == Role::tool_result;
    if (!cut && !reading.words_only) return 1;
    double all = 0, text = 0;
    for (const Block& block : message.blocks) {
        const auto units = static_cast<double>(block.text.units() + block.signature.units());
        all += units;
        if (block.kind == BlockKind::text) text += units;
    }
    if (all <= 0) return 1;
    if (cut) return std::min(1.0, reading.result_chars / all);
    return text / all;
}

double own_tokens(const Summarise& stage, const Msg& message) {
    if (stage.how == How::method) return own_tokens(stage.method, message);
    if (const auto release = cut_release(stage)) return static_cast<double>(pi::message_tokens(message, *release));
    return static_cast<double>(gemini::tokens(message));
}

bool compaction_due(const Summarise& stage, const ContextSize& size, double window_tokens) {
    if (stage.how == How::method) return compaction_due(stage.method, size, window_tokens);
    return size.refused || summary_due(stage, size.billed, window_tokens);
}

std::optional<CompactionPlan> plan_compaction(const Summarise& stage, const View& view, const ContextSize& size,
                                              double window_tokens) {
    if (stage.how == How::method) return plan_compaction(stage.method, view, size, window_tokens);
    if (stage.how == How::gemini) return gemini_plan(stage, view, size, window_tokens);
    return pi_plan(stage, view, size, window_tokens);
}

}  // namespace agent_audit::simulator
