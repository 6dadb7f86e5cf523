#include <agent_audit/advice/reset_advisor.hpp>

#include "advice/calls/checks.hpp"
#include "advice/calls/commands.hpp"
#include "advice/words/text.hpp"
#include "detectors/engine/lane_track.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/rule_group.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace agent_audit::advice {

// A nearly full window of which little is in use.
struct ResetAdvisor::Stale {
    std::uint64_t line = 0, tokens = 0;
    std::uint64_t used_percent = 0;
};

// Lines between which all changes were verified.
struct ResetAdvisor::Span {
    std::uint64_t from = 0, to = 0;
};

// A check that has not passed since it failed.
struct ResetAdvisor::Failing {
    std::uint64_t call = 0;
    std::string command, second;  // what a task runner said to run; empty = nothing
    CheckTarget target;
};

// What responses changed and checked waits until somebody asks for a place: most sessions end without a suggestion, and
// the words of commands take time to find.
struct ResetAdvisor::Check {
    Check() {}  // the bytes stay as they are: nobody looks beyond the sizes

    std::uint64_t call = 0;
    std::array<char, StepText::kArgument> argument;
    std::array<char, StepText::kOutcome> outcome;
    std::uint8_t size = 0, outcome_size = 0;
    TextForm form = TextForm::json_string, outcome_form = TextForm::json_string;
    bool failed = false;
};

struct ResetAdvisor::Moment {
    std::uint64_t line = 0;
    std::size_t checks = 0;  // so many of those that wait ended before it
    bool edited = false, check_passed = false;
};

ResetAdvisor::ResetAdvisor() = default;
ResetAdvisor::~ResetAdvisor() = default;

namespace {

constexpr std::uint64_t kPromptTokens = 1200;  // of a reset prompt: what those of recorded sessions have, about
constexpr double kStillUsed = 0.15;            // of what a window holds beside the beginning, read again after a reset
constexpr std::uint64_t kLeastSaving = 4000;   // tokens a request: less is not worth an interruption
constexpr std::uint64_t kLeastShare = 4;       // and a quarter of the prompt
constexpr std::uint64_t kLongestPayback = 40;  // requests: a session may well be over before
constexpr std::uint64_t kApart = 10;           // requests between two suggestions
constexpr std::uint64_t kAtEnd = 3;            // requests behind the trouble: the recording ends with it, and may go on
constexpr std::uint64_t kFull = 70, kUsed = 30;  // percent of the window filled, of the prompt in use
constexpr std::size_t kMostSpans = 256, kMostStale = 32, kMostFailing = 8, kMostWaiting = 256;

// What is known of caches where no price is: writing costs a quarter more than input, reading a tenth of it.
constexpr TokenPrices kCachePrices{
    .input = 100, .output = 0, .cache_read = 10, .cache_write = 125, .cache_write_1h = 0};
constexpr TokenPrices kPlainPrices{
    .input = 100, .output = 0, .cache_read = 100, .cache_write = 100, .cache_write_1h = 0};

TokenPrices prices_of(const ResetCosts& costs) {
    TokenPrices p = costs.prices ? *costs.prices : costs.cached ? kCachePrices : kPlainPrices;
    if (p.cache_read == 0 || !costs.cached) p.cache_read = p.input;
    if (p.cache_write == 0 || !costs.cached) p.cache_write = p.input;
    return p;
}

// What a finding says for a reset, 0 to 1; 0 = nothing.
double weight(const Finding& f) {
    if (f.rule == "drift/unverified-done") return 0;  // it wants a check, and no other session
    if (is_about_drift(f.rule)) return f.severity >= Severity::warning && !f.recovered ? 0.6 * f.confidence : 0;
    if (f.rule == "context/compaction-thrash") return f.severity >= Severity::warning ? 0.7 * f.confidence : 0;
    if (!is_about_loops(f.rule)) return 0;
    const bool forgot = f.rule == "loop/post-compaction-loop" || f.persisted_across_compaction;
    if (f.severity == Severity::error) return (f.recovered ? 0.6 : 0.95) * f.confidence;
    return f.severity == Severity::warning && forgot && !f.recovered ? 0.7 * f.confidence : 0;
}

// `s` is told instead of `before`, to the same place. Of one rule, it goes on where `before` began.
void speak_for(ResetSuggestion& before, ResetSuggestion&& s, bool same) {
    s.line = before.line;
    s.turn = before.turn;
    s.verified = before.verified;
    s.confidence = std::max(s.confidence, before.confidence);
    if (same) s.first_line = before.first_line;
    before = std::move(s);
}

ResetTrigger trigger_of(const Finding& f) {
    if (is_about_drift(f.rule)) return ResetTrigger::drift;
    if (f.rule.starts_with("context/")) return ResetTrigger::thrash;
    return f.rule == "loop/post-compaction-loop" ? ResetTrigger::post_compaction : ResetTrigger::loop;
}

class Listener final : public Detector {
public:
    explicit Listener(ResetAdvisor& advisor) : advisor_(&advisor) {}
    // A copy is asked what would be if the lane ended: it has nobody to tell.
    Listener(const Listener& other) : Detector(other) {}
    Listener& operator=(const Listener&) = default;

    void on_step(const Step& step, const LaneTrack& lane) override;
    std::uint16_t wakes() const override { return asleep_ ? 0 : kEveryStep; }
    void on_segment_end(const LaneTrack&) override { close(); }
    void on_request(const ContextRequest& request, const LaneTrack& lane) override;
    void finish(const LaneTrack*) override { close(); }

private:
    void close() {
        if (response_ != 0 && advisor_) advisor_->on_response(line_, edited_, passed_);
        response_ = 0;
        line_ = 0;
        edited_ = passed_ = false;
    }

    ResetAdvisor* advisor_ = nullptr;
    std::uint64_t response_ = 0, line_ = 0;
    bool edited_ = false, passed_ = false;
    bool asleep_ = false;
};

}  // namespace

// ---- places ------------------------------------------------------------------------------------------------------

void Places::add(std::uint64_t line, std::uint64_t figure) {
    if (added_++ % stride_ != 0) return;
    if (places_.size() == kMost) {
        for (std::size_t i = 0; i < kMost / 2; ++i) places_[i] = places_[2 * i];
        places_.resize(kMost / 2);
        stride_ *= 2;
    }
    places_.push_back({line, figure, added_});
}

// Lines mostly ascend; where a format tells events in another order, the last one that is not later does.
const Places::Place* Places::at(std::uint64_t line) const {
    const auto after = std::ranges::upper_bound(places_, line, {}, &Place::line);
    return after == places_.begin() ? nullptr : &*(after - 1);
}

const Places::Place* Places::fallen(std::uint64_t line, std::uint64_t by) const {
    const auto after = std::ranges::upper_bound(places_, line, {}, &Place::line);
    for (auto it = after; it != places_.end(); ++it) {
        if (it == places_.begin() || it->figure + by > (it - 1)->figure) continue;
        // A short prompt between long ones is a request of another kind.
        if (it + 1 == places_.end() || (it + 1)->figure + by <= (it - 1)->figure) return &*it;
    }
    return nullptr;
}

void Places::clear() {
    places_.clear();
    added_ = 0;
    stride_ = 1;
}

// ---- listening ---------------------------------------------------------------------------------------------------

namespace {

void Listener::on_step(const Step& step, const LaneTrack& lane) {
    if (lane.lane() != 0) {
        asleep_ = true;
        return;
    }
    if (step.response != response_) {
        close();
        response_ = step.response;
    }
    line_ = std::max(line_, step.last_line());
    if (step.opaque) return;
    if (step.tool_class == ToolClass::verify)
        advisor_->on_check(step.call, step.text.argument(), step.failed, step.text.outcome());
    if (step.failed) return;
    edited_ |= step.tool_class == ToolClass::mutate;
    passed_ |= step.tool_class == ToolClass::verify;
}

void Listener::on_request(const ContextRequest& request, const LaneTrack& lane) {
    if (lane.lane() == 0) advisor_->on_request(request);
}

DetectorSpec listener_spec() {
    return {"advice/resets",
            "",
            "tells the reset advisor of steps and requests",
            Severity::info,
            0,
            Stage::preview,
            Scope::lane,
            kSteps | kRequests,
            {},
            nullptr,
            "",
            nullptr};
}

}  // namespace

BoundDetector ResetAdvisor::listener() {
    static const DetectorSpec spec = listener_spec();
    return {&spec, [this] {
                auto made = std::make_unique<Listener>(*this);
                made->copied_as<Listener>();
                return made;
            }};
}

void ResetAdvisor::on_check(std::uint64_t call, RawText argument, bool failed, RawText outcome) {
    Check& check = checks_.emplace_back();
    check.call = call;
    check.size = static_cast<std::uint8_t>(std::min(argument.size(), check.argument.size()));
    std::copy_n(argument.bytes.begin(), check.size, check.argument.begin());
    check.form = argument.form;
    check.outcome_size = static_cast<std::uint8_t>(std::min(outcome.size(), check.outcome.size()));
    std::copy_n(outcome.bytes.begin(), check.outcome_size, check.outcome.begin());
    check.outcome_form = outcome.form;
    check.failed = failed;
}

void ResetAdvisor::on_response(std::uint64_t line, bool edited, bool check_passed) {
    responses_.add(line, 0);
    const std::size_t told = moments_.empty() ? 0 : moments_.back().checks;
    if (!edited && !check_passed && checks_.size() == told) return;
    moments_.push_back({line, checks_.size(), edited, check_passed});
    if (moments_.size() >= kMostWaiting || checks_.size() >= kMostWaiting) settle();
}

void ResetAdvisor::settle() {
    std::size_t next = 0;
    for (const Moment& moment : moments_) {
        for (; next < moment.checks; ++next) check_ended(checks_[next]);
        response_ended(moment);
    }
    moments_.clear();
    checks_.clear();
}

// A lint that passes says nothing about a test that fails: that has to pass itself, or a wider one. Of several checks
// in one command which of them failed is not known: each has to pass.
void ResetAdvisor::check_ended(const Check& check) {
    std::erase_if(failing_, [&](const Failing& f) { return f.call == check.call; });
    if (!check.failed && failing_.empty()) return;
    constexpr std::string_view kThen = "; ", kAnd = " && ";  // as check_of joins them
    // As far as its beginning, which is all that a step holds of it, tells.
    const std::string whole = command_of({{check.argument.data(), check.size}, check.form});
    const std::string found = check_of(whole).words;
    std::string_view command = found.empty() ? whole : found;
    const std::string_view outcome(check.outcome.data(), check.outcome_size);
    const std::string second =
        names_runner(command) ? second_name(command, words_of({outcome, check.outcome_form})) : std::string();
    if (!check.failed) {
        const CheckTarget passed = target_of_check(command);
        std::erase_if(failing_, [&](const Failing& f) {
            if (f.command == command || covers_check(passed, f.target)) return true;
            return (!f.second.empty() && covers_check(command, f.second)) ||
                   (!second.empty() && covers_check(second, f.command));
        });
        return;
    }
    const bool one_name = command.find(kThen) == command.npos && command.find(kAnd) == command.npos;
    while (!command.empty()) {
        const std::size_t then = command.find(kThen), both = command.find(kAnd);
        const std::size_t end = std::min({then, both, command.size()});
        const std::string_view one = command.substr(0, end);
        command.remove_prefix(std::min(end + (both < then ? kAnd : kThen).size(), command.size()));
        if (failing_.size() == kMostFailing) failing_.erase(failing_.begin());
        failing_.push_back({check.call, std::string(one), one_name ? second : std::string(), target_of_check(one)});
    }
}

// A response that edits and checks has its check behind the edits: nobody checks first.
void ResetAdvisor::response_ended(const Moment& moment) {
    const bool check_passed = moment.check_passed && failing_.empty();
    if (is_verified_ && !check_passed && (moment.edited || !failing_.empty())) {
        is_verified_ = false;
        // The next check fails on what nobody has changed, or asked for, since: the one that passed did not see it.
        const bool refuted = !moment.edited && !confirmed_ && !verified_.empty() &&
                             turns_.at(moment.line) == turns_.at(verified_.back().from);
        if (refuted) verified_.pop_back();
        const Places::Place* before = responses_.at(moment.line == 0 ? 0 : moment.line - 1);
        if (!refuted && !verified_.empty() && before)
            verified_.back().to = std::max(verified_.back().from, before->line);
    }
    edited_ |= moment.edited;
    confirmed_ = confirmed_ || (is_verified_ && check_passed);
    if (check_passed && edited_ && !is_verified_) {
        is_verified_ = true;
        confirmed_ = false;
        if (verified_.size() == kMostSpans) verified_.erase(verified_.begin(), verified_.begin() + kMostSpans / 2);
        verified_.push_back({moment.line, UINT64_MAX});
    }
}

void ResetAdvisor::on_turn(std::uint64_t line, std::uint32_t turn) { turns_.add(line, turn); }

void ResetAdvisor::on_request(const ContextRequest& request) {
    const RequestFigures& now = request.figures;
    if (now.context == 0) return;
    requests_.add(request.where.line, now.context);
    if (least_ == 0 || now.context < least_) least_ = now.context;
    if (now.window == 0 || now.context * 100 < now.window * kFull || request.recent_share_percent >= kUsed) return;
    if (stale_in_ == request.compactions + 1 || stale_.size() == kMostStale) return;
    stale_in_ = request.compactions + 1;
    stale_.push_back({request.where.line, now.context, request.recent_share_percent});
}

// ---- suggestions -------------------------------------------------------------------------------------------------

// The latest place at or before the onset up to which all changes were verified; else the human message that began it.
void ResetAdvisor::place(ResetSuggestion& s) const {
    const Places::Place* turn = turns_.at(s.first_line);
    s.turn = turn ? static_cast<std::uint32_t>(turn->figure) : 0;
    const std::uint64_t onset = s.first_line > 0 ? s.first_line - 1 : 0;
    const auto after = std::ranges::upper_bound(verified_, onset, {}, &Span::from);
    if (after == verified_.begin()) {
        s.line = turn ? turn->line : 0;
        return;
    }
    const Span& span = *(after - 1);
    const std::uint64_t last = std::min(onset, span.to);
    const Places::Place* end = responses_.at(last);
    // Nothing was changed since: the end of what was asked before is a better place than one between a look and its
    // edit.
    const Places::Place* asked = turns_.at(last);
    if (const Places::Place* before = asked ? responses_.at(asked->line) : nullptr; before && before->line >= span.from)
        end = before;
    s.verified = true;
    s.line = end ? std::max(end->line, span.from) : span.from;
}

// What follows is recorded: false when it was over, or compacted to as little, before the reset had paid. Where the
// recording ends with the trouble, whoever asks may go on from there.
bool ResetAdvisor::had_time_to_pay(const ResetSuggestion& s) const {
    const Places& places = s.source == TokensSource::reported || responses_.empty() ? requests_ : responses_;
    const Places::Place* known = places.at(s.known_line);
    if (!known) return true;
    const Places::Place* fallen =
        s.source == TokensSource::reported ? places.fallen(s.known_line, s.saving_per_turn()) : nullptr;
    const std::uint64_t left = (fallen ? fallen->number - 1 : places.added()) - known->number;
    return left >= s.break_even_turns || (!fallen && left <= kAtEnd);
}

// Fills in what it costs; false when it does not pay.
bool ResetAdvisor::pays(ResetSuggestion& s, double still_used, const ResetCosts& costs) const {
    const std::uint64_t beginning = costs.source == TokensSource::reported ? least_ : 0;
    if (s.tokens_before <= beginning) return false;
    const auto held = static_cast<double>(s.tokens_before - beginning);
    s.source = costs.source;
    s.tokens_after = beginning + kPromptTokens + static_cast<std::uint64_t>(std::llround(still_used * held));
    const std::uint64_t saving = s.saving_per_turn();
    if (saving < kLeastSaving || saving * kLeastShare < s.tokens_before) return false;
    const TokenPrices p = prices_of(costs);
    const double now = static_cast<double>(s.tokens_after) * static_cast<double>(p.cache_write) -
                       static_cast<double>(s.tokens_before) * static_cast<double>(p.cache_read);
    const double later = static_cast<double>(saving) * static_cast<double>(p.cache_read);
    if (now > 0) {
        const double turns = later > 0 ? now / later : static_cast<double>(kLongestPayback) + 1;
        if (turns > static_cast<double>(kLongestPayback)) return false;
        s.break_even_turns = 1 + static_cast<std::uint64_t>(std::ceil(turns));
    }
    constexpr std::uint64_t kMostPrice = 1'000'000'000;
    if (!had_time_to_pay(s)) return false;
    if (costs.prices && p.cache_read <= kMostPrice && saving < (1ull << 32))
        s.saved_money = Money(saving * p.cache_read);
    return true;
}

std::optional<ResetSuggestion> ResetAdvisor::suggest(const Finding& f, const ResetCosts& costs) const {
    const double confidence = f.lane == 0 ? weight(f) : 0;
    if (confidence <= 0) return std::nullopt;
    const Places::Place* full = (costs.source == TokensSource::reported ? requests_ : texts_).at(f.last_line);
    if (!full) return std::nullopt;
    ResetSuggestion s;
    s.trigger = trigger_of(f);
    s.rule = f.rule;
    s.first_line = f.first_line;
    s.known_line = f.last_line;
    s.tokens_before = full->figure;
    s.confidence = confidence;
    if (!pays(s, kStillUsed, costs)) return std::nullopt;
    return s;
}

std::optional<ResetSuggestion> ResetAdvisor::suggest(const Stale& stale, const ResetCosts& costs) const {
    ResetSuggestion s;
    s.trigger = ResetTrigger::stale_window;
    s.first_line = s.known_line = stale.line;
    s.tokens_before = stale.tokens;
    s.confidence = 0.5 + 0.2 * static_cast<double>(kUsed - stale.used_percent) / static_cast<double>(kUsed);
    if (!pays(s, std::max(kStillUsed, static_cast<double>(stale.used_percent) / 100.0), costs)) return std::nullopt;
    return s;
}

std::uint64_t ResetAdvisor::number_of(std::uint64_t line) const {
    const Places& places = responses_.empty() ? requests_ : responses_;
    const Places::Place* at = places.at(line);
    return at ? at->number : 0;
}

std::vector<ResetSuggestion> ResetAdvisor::finish(std::span<const Finding> findings, const ResetCosts& costs) {
    std::vector<ResetSuggestion> all;
    if (costs.source != TokensSource::none) {
        for (const Finding& finding : findings) {
            if (auto s = suggest(finding, costs)) all.push_back(std::move(*s));
        }
        for (const Stale& stale : stale_) {
            if (auto s = suggest(stale, costs)) all.push_back(std::move(*s));
        }
    }
    // What came behind the last trouble moves no place before it.
    std::uint64_t last = 0;
    for (const ResetSuggestion& s : all) last = std::max(last, s.first_line);
    std::erase_if(moments_, [last](const Moment& moment) { return moment.line >= last; });
    if (!all.empty()) settle();
    for (ResetSuggestion& s : all) place(s);
    std::ranges::stable_sort(all, {}, [](const ResetSuggestion& s) { return std::pair(s.first_line, s.known_line); });
    std::vector<ResetSuggestion> kept;
    std::uint64_t trouble_until = 0;  // of what the last one kept speaks for
    for (ResetSuggestion& s : all) {
        // More of the same trouble: one suggestion for both, to the earlier place. Its evidence is the surer one's,
        // lines and all; what the same rule saw again goes on with what is known later.
        ResetSuggestion* before = kept.empty() ? nullptr : &kept.back();
        if (before && (s.first_line <= trouble_until || number_of(s.known_line) < number_of(trouble_until) + kApart)) {
            trouble_until = std::max(trouble_until, s.known_line);
            const bool same = s.rule == before->rule && s.trigger == before->trigger;
            if (same ? s.known_line > before->known_line : s.confidence > before->confidence)
                speak_for(*before, std::move(s), same);
            else if (same)
                before->confidence = std::max(s.confidence, before->confidence);
            continue;
        }
        trouble_until = s.known_line;
        kept.push_back(std::move(s));
    }
    while (kept.size() > ResetSuggestion::kMost) {
        kept.erase(std::ranges::min_element(kept, {}, &ResetSuggestion::confidence));
    }
    responses_.clear();
    requests_.clear();
    turns_.clear();
    texts_.clear();
    verified_.clear();
    stale_.clear();
    failing_.clear();
    checks_.clear();
    moments_.clear();
    least_ = 0;
    stale_in_ = 0;
    edited_ = is_verified_ = confirmed_ = false;
    return kept;
}

}  // namespace agent_audit::advice
