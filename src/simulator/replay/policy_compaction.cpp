#include "simulator/replay/policy_replay.hpp"

#include "simulator/rounding.hpp"

#include <agent_audit/tokens/estimate.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// What a PolicyReplay does when its context is full, and what the recorded agent did.
namespace agent_audit::simulator {
namespace {

using How = Summarise::How;

/// A text of a length and no words.
Text wordless(double tokens) {
    constexpr double kMost = 1e8;
    const auto units = static_cast<std::uint32_t>(std::clamp(tokens * kCharsPerToken, 0.0, kMost));
    return Text(nullptr, 0, 0, TextSizes{units, units, units, units, units, units});
}

MsgPtr summary_message(Text text) {
    Msg message;
    message.role = Role::compaction_summary;
    message.shape = ContentShape::blocks;
    Block block;
    block.kind = BlockKind::text;
    block.has_text = true;
    block.text = std::move(text);
    message.blocks.push_back(std::move(block));
    return std::make_shared<const Msg>(std::move(message));
}

std::uint64_t text_units(const Msg& message) {
    std::uint64_t units = 0;
    for (const Block& block : message.blocks) units += block.text.units();
    return units;
}

/// Calls that read and write all of a summary. The one about a turn that was split has a part of its own.
double calls_for(const CompactionPlan& plan) { return std::max(1.0, plan.min_calls - (plan.split_turn ? 1 : 0)); }

/// The place of a message, which most likely is the one asked about or behind it; the size when it is not there.
std::size_t find_from(const View& view, std::size_t from, const MsgPtr& message) {
    const auto middle = view.begin() + static_cast<std::ptrdiff_t>(from);
    const auto behind = std::find(middle, view.end(), message);
    if (behind != view.end()) return static_cast<std::size_t>(behind - view.begin());
    const auto before = std::find(view.begin(), middle, message);
    return before == middle ? view.size() : static_cast<std::size_t>(before - view.begin());
}

}  // namespace

bool PolicyReplay::over(const RequestInput& input, double prompt) const {
    if (context_.kind == Context::Kind::never_forget) return false;
    return prompt + static_cast<double>(input.recorded.billed.output) > input.window;
}

ContextSize PolicyReplay::size(const RequestInput& input) const {
    ContextSize out;
    // The provider has counted up to the last answer; what came after it is the policy's own estimate.
    double after = 0;
    for (std::size_t i = after_answer_; i < view_.size(); ++i) {
        after += slots_[i].tokens;
        out.trailing += static_cast<double>(places_[i].gauge.own);
    }
    out.billed = prompt() - after + out.trailing;
    out.estimated = static_cast<double>(sum_.own);
    out.unseen = unseen_;
    out.max_output = input.model ? static_cast<double>(input.model->max_output) : 0;
    if (input.model) out.model = input.model->id;
    out.model_window = input.model_window;
    out.view = &view_;
    out.failures = failures_;
    out.thrown_away = thrown_away_;
    return out;
}

/// Tokens of one prompt to the summariser, about what stands in [from, to).
double PolicyReplay::tokens_read(std::size_t from, std::size_t to) const {
    double sum = reading_.same_prompt ? unseen_ : 0;
    for (std::size_t i = reading_.same_prompt ? 0 : from; i < to; ++i)
        sum += slots_[i].tokens * share_read(reading_, *view_[i]);
    return reading_.most_tokens > 0 ? std::min(sum, reading_.most_tokens) : sum;
}

/// What of it the provider's cache still has: what the request before had sent, for as long as an entry lives.
double PolicyReplay::tokens_cached(const RequestInput& input, std::size_t to) const {
    if (!reading_.same_prompt || sent_ == 0) return 0;
    const CacheRules rules = cache_rules(input.model ? *input.model : ModelInfo{});
    const TokenCounts& billed = input.recorded.billed;
    const bool long_life = billed.cache_write_1h > billed.cache_write / 2 && rules.long_ttl_s > 0;
    constexpr double kSecond = 1'000;
    const double life_ms = kSecond * (long_life ? rules.long_ttl_s : rules.ttl_s);
    if (input.last_touch_ms > 0 && input.now_ms - input.last_touch_ms > life_ms) return 0;
    double sum = unseen_;
    for (std::size_t i = 0; i < std::min({to, sent_, unchanged_}); ++i) sum += slots_[i].tokens;
    return sum;
}

void PolicyReplay::pay_summary(const ModelInfo* model, double tokens_in, double cached, double summary, double calls) {
    const double read = tokens_in * reading_.times;
    outcome_.summary_tokens_in += rounded(read);
    outcome_.summary_tokens_out += rounded(summary);
    BilledTokens billed;
    const double again = calls - 1;  // the parts' summaries are read once more, and written
    billed.cache_read = rounded(std::min(cached, tokens_in));
    billed.input = rounded(read + again * summary);
    billed.input -= std::min(billed.input, billed.cache_read);
    billed.output = rounded(summary * calls);
    summary_cost_.add(model ? cost(*model, billed) : std::nullopt);
}

double PolicyReplay::tokens_between(std::size_t from, std::size_t to) const {
    double sum = 0;
    for (std::size_t i = from; i < to; ++i) sum += slots_[i].tokens;
    return sum;
}

/// The place in the session from which on a compaction of all before `to` keeps it.
std::size_t PolicyReplay::kept_from(std::size_t to) const {
    if (to < view_.size() && slots_[to].source) return slots_[to].source->place;
    return to > 0 && slots_[to - 1].source ? slots_[to - 1].source->place + 1 : 0;
}

/// What the model writes of the messages in [from, to), and what that costs.
PolicyReplay::MadeSummary PolicyReplay::make_summary(const CompactionPlan& plan, std::size_t from, std::size_t to,
                                                     const RequestInput& input) {
    const View gone(view_.begin() + static_cast<std::ptrdiff_t>(from), view_.begin() + static_cast<std::ptrdiff_t>(to));
    MadeSummary made;
    made.tokens = lengths_.tokens(tokens_between(from, to), plan.max_summary_tokens);
    Summary written;
    if (writer_) written = writer_({gone, made.tokens, plan.max_summary_tokens});
    if (written.measured && !written.words.empty()) {
        made.tokens = static_cast<double>(estimate_tokens({written.words, TextForm::plain}));
    }
    made.message = summary_message(written.words.empty() ? wordless(made.tokens) : Text(std::move(written.words)));
    pay_summary(input.model, tokens_read(from, to), tokens_cached(input, to), made.tokens, calls_for(plan));
    return made;
}

void PolicyReplay::carry_out(const CompactionPlan& plan, const RequestInput& input) {
    take_back(0);
    for (const Edit& one : plan.edits) edit(one.index, one.message, one.action);
    const std::size_t to = std::min(plan.to, view_.size()), from = std::min(plan.from, to);
    // What was made of messages that go is of no more use; of those that stay it is made again.
    memory_.pruned.results.clear();
    memory_.guarded.results.clear();

    View fresh = plan.before;
    MadeSummary summary;
    if (plan.asks_model) {
        summary = make_summary(plan, from, to, input);
        fresh.push_back(summary.message);
        row_.compactions.push_back(
            {rounded(tokens_between(from, to)), rounded(summary.tokens), kept_from(to), plan.split_turn});
        ++outcome_.compactions;
    }
    fresh.insert(fresh.end(), plan.after.begin(), plan.after.end());
    put(from, to, fresh, summary);
    mend_all_ = true;
    changed(from);
    sum_anew();
}

/// Puts `fresh` in the place of the messages in [from, to). Those that it keeps from among them stay what they are.
void PolicyReplay::put(std::size_t from, std::size_t to, const View& fresh, const MadeSummary& summary) {
    const View gone(view_.begin() + static_cast<std::ptrdiff_t>(from), view_.begin() + static_cast<std::ptrdiff_t>(to));
    std::vector<Slot> slots;
    std::vector<Place> places;
    std::size_t next = 0;
    for (const MsgPtr& message : fresh) {
        Place& place = places.emplace_back(Place{gauge_of(*message), 0, false});
        const std::size_t at = message == summary.message ? gone.size() : find_from(gone, next, message);
        if (at < gone.size()) {
            slots.push_back(slots_[from + at]);
            place.whole = places_[from + at].whole;
            place.counted = places_[from + at].counted;
            next = at + 1;
        } else {
            const auto units = static_cast<double>(text_units(*message));
            slots.push_back(made_slot(*message, message == summary.message ? summary.tokens : units / kCharsPerToken));
        }
    }
    const std::size_t sent_before = sent_;
    erase(from, to, summary.message ? Action::summarise : Action::drop, summary.message);
    for (std::size_t k = 0; k < fresh.size(); ++k) add(places[k], slots[k].tokens);
    const auto insert = [from](auto& list, const auto& made) {
        list.insert(list.begin() + static_cast<std::ptrdiff_t>(from), made.begin(), made.end());
    };
    insert(view_, fresh);
    insert(slots_, slots);
    insert(places_, places);
    if (sent_before >= from) sent_ += fresh.size();
    after_answer_ += after_answer_ >= from ? fresh.size() : 0;
}

/// A summary that makes the context no smaller is paid for all the same.
bool PolicyReplay::throws_away(const CompactionPlan& plan, const RequestInput& input) {
    if (!plan.longest_summary) return false;
    const std::size_t to = std::min(plan.to, view_.size());
    const double summary = lengths_.tokens(tokens_between(plan.from, to), plan.max_summary_tokens);
    if (summary <= *plan.longest_summary) return false;
    pay_summary(input.model, tokens_read(plan.from, to), tokens_cached(input, to), summary, calls_for(plan));
    return true;
}

bool PolicyReplay::compact(const Summarise& stage, const RequestInput& input, const ContextSize& now) {
    // What could not be done is not tried before every request: the view must have grown.
    constexpr std::size_t kPatience = 8;
    if (failures_ >= kPatience && view_.size() < failed_at_ + failed_at_ / 8 + 1) return false;
    bring_back();
    const std::size_t messages = view_.size();
    const double before = tokens_;
    auto plan = plan_compaction(stage, view_, now, input.window);
    if (plan && throws_away(*plan, input)) {
        thrown_away_ = thrown_away_ || !now.refused;
        plan.reset();
    }
    const bool useful = plan && (plan->to > plan->from || !plan->edits.empty());
    if (useful) carry_out(*plan, input);
    const bool stalled = useful && plan->min_saving > 0 && tokens_ > before * (1 - plan->min_saving);
    if (useful && !stalled && (tokens_ < before || view_.size() < messages)) {
        failures_ = 0;
        return true;
    }
    ++failures_;
    failed_at_ = view_.size();
    return false;
}

/// OpenClaw 2026.9 looks before each prompt whether it may not fit, with a margin.
void PolicyReplay::check_before_prompt(const Summarise& stage, const RequestInput& input) {
    const double reserve = reserve_tokens(stage, input.window);
    const double likely = std::ceil(static_cast<double>(sum_.pressure) * openclaw::kSafetyMargin) + unseen_;
    if (likely <= input.window - reserve) return;
    openclaw::PrecheckOptions options;
    options.window_tokens = input.window;
    options.reserve_tokens = reserve;
    options.tool_schema_tokens = unseen_;
    const openclaw::Precheck check = openclaw::precheck(view_, options);
    if (check.route == openclaw::Route::fits) return;
    if (check.compact) compact(stage, input, size(input));
    if (check.route != openclaw::Route::compact_only) shorten_results(input);
}

void PolicyReplay::shorten_results(const RequestInput& input) {
    if (summarise_ && summarise_->how == How::openclaw_2026_3) {
        const double most = openclaw::result_limit_2026_3(input.window);
        for (std::size_t i = 0; i < view_.size(); ++i) {
            if (view_[i]->role != Role::tool_result || static_cast<double>(places_[i].gauge.chars) <= most) continue;
            edit(i, openclaw::truncate_result_2026_3(view_[i], most, openclaw::kTruncationSuffix2026_3),
                 Action::truncate);
        }
        return;
    }
    const openclaw::BudgetPlan plan = openclaw::plan_result_budget(view_, input.window);
    for (const Edit& one : plan.edits) edit(one.index, one.message, one.action);
}

/// Gemini CLI looks before every request, and in the midst of a turn gives up those before it: is there one? Of what it
/// cannot split it only shortens outputs, once a summary was thrown away.
bool PolicyReplay::may_split() const {
    if (summarise_->how != How::gemini || thrown_away_ || sum_.said > 1) return true;
    return std::any_of(view_.begin() + static_cast<std::ptrdiff_t>(sent_), view_.end(),
                       [](const MsgPtr& message) { return message->role == Role::user; });
}

/// Is this the first request behind something that a person asked for? Where the recording counts no turns, a message
/// of the user begins one.
bool PolicyReplay::begins_turn(const RequestInput& input) const {
    if (input.recorded.turn > 0) return input.recorded.turn != turn_;
    return std::any_of(view_.begin() + static_cast<std::ptrdiff_t>(sent_), view_.end(),
                       [](const MsgPtr& message) { return has_user_role(message.get()); });
}

void PolicyReplay::recover(const RequestInput& input) {
    if (!context_.policy || context_.policy->stages.empty()) return;
    int attempts = 0;
    if (summarise_ && (summarise_->mid_turn || begins_turn(input))) {
        ContextSize now = size(input);
        if (summarise_->how == How::gemini) now.billed = static_cast<double>(out_.tokens_after);  // the last prompt
        if (may_split() && compaction_due(*summarise_, now, input.window) && compact(*summarise_, input, now))
            ++attempts;
        if (attempts == 0 && summarise_->how == How::openclaw_2026_9) check_before_prompt(*summarise_, input);
    }
    const auto* recovery = context_.policy->find<OverflowRecovery>();
    if (!recovery) return;
    for (; summarise_ && over(input, prompt()) && attempts < recovery->compactions; ++attempts) {
        ContextSize now = size(input);
        now.refused = true;
        now.attempt = attempts;
        if (!compact(*summarise_, input, now)) break;
    }
    if (recovery->truncate_results && over(input, prompt())) shorten_results(input);
}

// ---- the recorded agent ------------------------------------------------------------------------------------------

void PolicyReplay::follow(const RecordedCompaction& compaction) {
    if (context_.kind != Context::Kind::recorded) return;
    followed_ = true;
    rest_.clear();
    if (compaction.kind == CompactionKind::clear_tool_results) return follow_clearing(compaction);
    std::size_t to = 0;
    while (to < view_.size() && (!slots_[to].source || slots_[to].source->place < compaction.kept_from)) {
        ++to;
    }
    const double given_up = tokens_between(0, to);
    const double summary = weights_.tokens(compaction.summary);
    if (compaction.kind == CompactionKind::summary && given_up > 0) {
        // When it was asked for is not known: soon after the last request, mostly. Nor is always how long it was.
        RequestInput last;
        last.model = model_;
        pay_summary(model_, tokens_read(0, to), tokens_cached(last, to),
                    summary > 0 ? summary : lengths_.tokens(given_up, 0), 1);
    }
    erase(0, to, Action::summarise, nullptr);
    if (summary > 0) put_first(summary_message(wordless(summary)), summary);
    sum_anew();
    ++outcome_.compactions;
    row_.compactions.push_back({rounded(given_up), rounded(summary), compaction.kept_from, false});
}

void PolicyReplay::follow_clearing(const RecordedCompaction& compaction) {
    for (std::size_t i = 0; i < view_.size(); ++i) {
        const Msg& message = *view_[i];
        if (message.role != Role::tool_result || slots_[i].edited) continue;
        if (std::ranges::find(compaction.cleared, message.call_id) == compaction.cleared.end()) continue;
        edit(i, with_text(message, std::string(openclaw::kClearedPlaceholder)), Action::clear);
    }
}

void PolicyReplay::put_first(const MsgPtr& message, double tokens) {
    const Slot slot = made_slot(*message, tokens);
    view_.insert(view_.begin(), message);
    slots_.insert(slots_.begin(), slot);
    places_.insert(places_.begin(), Place{gauge_of(*message), 0, false});
    after_answer_ += after_answer_ > 0 ? 1 : 0;
    sent_ += sent_ > 0 ? 1 : 0;
    changed(0);  // all that stays has moved, also where nothing went
}

}  // namespace agent_audit::simulator
