#include <agent_audit/simulator/replay.hpp>

#include "simulator/replay/last_use.hpp"
#include "simulator/replay/policy_replay.hpp"
#include "simulator/replay/reasoning_watch.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <utility>
#include <variant>
#include <vector>

namespace agent_audit::simulator {
namespace {

// The middle of what the last prompts hold beyond the messages that are known to be in them.
class Rest {
public:
    void observe(const FeatureVector& sent, double prompt) {
        seen_.push_back({sent, prompt});
        if (seen_.size() <= kRemembered) return;
        if (seen_.front().told) forget(seen_.front().rest);
        seen_.pop_front();
    }
    bool known() const { return !seen_.empty(); }
    double tokens(const FeatureVector& weights) {
        if (weights != weights_) {
            weights_ = weights;
            for (Seen& one : seen_) one.told = false;
            sorted_.clear();
        }
        // Those that are new stand at the end.
        for (auto one = seen_.rbegin(); one != seen_.rend() && !std::exchange(one->told, true); ++one) {
            one->rest = one->prompt;
            for (std::size_t i = 0; i < kFeatures; ++i) one->rest -= weights[i] * one->sent[i];
            sorted_.insert(sorted_.begin() + place_of(one->rest), one->rest);
        }
        return sorted_.empty() ? 0 : std::max(0.0, sorted_[sorted_.size() / 2]);
    }

private:
    static constexpr std::size_t kRemembered = 31;
    struct Seen {
        FeatureVector sent{};
        double prompt = 0;
        double rest = 0;  ///< of the prompt, by the weights at hand; once `told`
        bool told = false;
    };

    /// Counting all is quicker than looking for it: there are few, and nothing to guess.
    std::ptrdiff_t place_of(double rest) const {
        return std::ranges::count_if(sorted_, [rest](double one) { return one < rest; });
    }
    void forget(double rest) { sorted_.erase(sorted_.begin() + place_of(rest)); }

    std::deque<Seen> seen_;
    std::vector<double> sorted_;  ///< what of them is told
    FeatureVector weights_{};
};

/// What prompts hold that the recording does not show: by the requests before the first compaction, and never more than
/// the bills since the last one leave room for. Where a recording begins in the middle of a conversation, the first is
/// the lost beginning as well, and a compaction takes that away.
class Unseen {
public:
    void observe(const FeatureVector& sent, double prompt) {
        if (!closed_) at_first_.observe(sent, prompt);
        if (!compacted_ || rewound_) return;
        FeatureVector since{};
        for (std::size_t i = 0; i < kFeatures; ++i) since[i] = sent[i] - before_[i];
        later_.observe(since, prompt);
    }
    void close() { closed_ = closed_ || at_first_.known(); }
    /// What was sent before is gone from the prompts to come, or in them as a part of the rest.
    void compacted(const FeatureVector& sent) {
        close();
        compacted_ = true;
        rewound_ = false;
        before_ = sent;
        later_ = {};
    }
    /// Messages were taken back: prompts no longer hold all that was sent since the last compaction.
    void rewound() {
        close();
        rewound_ = true;
    }
    bool known() const { return at_first_.known(); }
    double tokens(const FeatureVector& weights) {
        const double first = at_first_.tokens(weights);
        return later_.known() ? std::min(first, later_.tokens(weights)) : first;
    }

private:
    Rest at_first_, later_;
    FeatureVector before_{};  // what was sent before the last compaction
    bool closed_ = false, compacted_ = false, rewound_ = false;
};

void add(FeatureVector& to, const FeatureCounts& more) {
    for (std::size_t i = 0; i < kFeatures; ++i) to[i] += static_cast<double>(more[i]) / 100;
}

constexpr auto kReasoning = static_cast<std::size_t>(Feature::reasoning);

}  // namespace

std::string_view window_source_name(SessionOutcome::WindowSource source) {
    static constexpr std::array<std::string_view, 5> kNames{"given", "recorded", "model", "usual", "assumed"};
    return kNames[static_cast<std::size_t>(source)];
}

struct SessionReplay::Impl final : SessionSink {
    Impl(const ReplaySettings& s, const ModelTable& m, WordKeeper& words, RowSink* r)
        : settings(s), models(m), rows(r), messages(words, *this) {
        bool forgets = false;
        const Summarise* own = settings.recorded_by ? settings.recorded_by->find<Summarise>() : nullptr;
        const SummaryReading reading = own ? summary_reading(*own) : SummaryReading{};
        for (const Context* context : settings.contexts) {
            forgets =
                replays.emplace_back(*context, weights, lengths, settings.summarise, reading).forgets() || forgets;
            foresight = foresight || context->kind == Context::Kind::hindsight;
        }
        if (!foresight) messages.let_go();
        // What never leaves the view is not looked at again.
        if (forgets) {
            messages.collect_identifiers();
        } else {
            messages.leave_words();
        }
        if (!settings.model.empty()) fixed_model = models.find(settings.model);
    }

    // ---- what a later pass has to know

    struct Step {
        enum class Kind : std::uint8_t { message, request, rewind, weights, reasoning } kind;
        std::size_t index = 0;
    };
    bool is_live(const PolicyReplay& replay) const { return replay.context().kind != Context::Kind::hindsight; }
    void note(Step::Kind kind, std::size_t index) {
        if (foresight) steps.push_back({kind, index});
    }

    // ---- the session goes by

    void on_message(const Recorded& message, bool recorded_only) override {
        if (message.time_ms) last_time = *message.time_ms;
        last_is_prompt = message.message->role != Role::assistant;
        add(sent, message.features);
        if (foresight) {
            // An answer has been counted as a request already.
            const bool answer = message.message->role == Role::assistant;
            last_use.add(message, requests + (answer ? 0 : 1));
        }
        const double tokens = weights.tokens(message.features);
        reasoning.on_message(message, tokens);
        reasoning_sent += static_cast<double>(message.features[kReasoning]) / 100;
        for (PolicyReplay& replay : replays) {
            if (recorded_only && replay.context().kind != Context::Kind::recorded) continue;
            if (is_live(replay)) replay.append(message, tokens);
        }
        if (!recorded_only) note(Step::Kind::message, message.place);
    }

    void on_rewind(std::size_t first_gone) override {
        unseen.rewound();
        calibration.restart();
        reasoning.restart();
        for (PolicyReplay& replay : replays) {
            if (is_live(replay)) replay.rewind(first_gone);
        }
        note(Step::Kind::rewind, first_gone);
    }

    void on_compaction(const RecordedCompaction& compaction) override {
        ++outcome.recorded_compactions;
        unseen.compacted(sent);
        calibration.restart();
        reasoning.restart();
        reasoning_sent = 0;
        const double summary = weights.tokens(compaction.summary);
        const double before =
            compaction.tokens_before > 0 ? static_cast<double>(compaction.tokens_before) : last_prompt;
        if (compaction.kind == CompactionKind::summary) lengths.observe(before, summary);
        add(sent, compaction.summary);
        for (PolicyReplay& replay : replays) replay.follow(compaction);
    }

    void learn(const RecordedRequest& request) {
        if (request.prompt == 0) return;
        constexpr double kDrop = 0.7;
        const auto prompt = static_cast<double>(request.prompt);
        if (request.model != taught_by) {
            taught_by = request.model;
            calibration.use_model(stable_hash(taught_by));
        }
        if (request.restart || prompt < kDrop * last_prompt) unseen.close();
        calibration.observe(sent, prompt);
        unseen.observe(sent, prompt);
        last_prompt = prompt;
        ++outcome.billed_requests;
        outcome.recorded_peak = std::max(outcome.recorded_peak, request.prompt);
        sum_recorded += prompt;
        if (calibration.samples() < next_weights) return;
        // Each time from four times as many samples: the work of taking all sizes anew stays linear.
        next_weights *= 4;
        weights.set(calibration.weights());
        for (PolicyReplay& replay : replays) {
            if (is_live(replay)) replay.reweigh();
        }
        note(Step::Kind::weights, renewed.size());
        if (foresight) renewed.push_back(weights.vector());
    }

    // What the bills tell of the provider holds for every history that could have been sent to it.
    std::optional<ReasoningWatch::Left> leave_reasoning(const RecordedRequest& request) {
        const auto left = reasoning.on_request(request);
        if (!left) return {};
        // Now it is known to have been sent as it was billed.
        if (outcome.reasoning_left++ == 0) {
            calibration.fix(Feature::reasoning, 1.0 / kReasoningPerToken);
            next_weights = std::min(next_weights, calibration.samples());
        }
        sent[kReasoning] -= std::exchange(reasoning_sent, 0);
        for (PolicyReplay& replay : replays) {
            if (is_live(replay)) replay.leave_reasoning(left->before);
        }
        note(Step::Kind::reasoning, left->before);
        return left;
    }

    void find_window(const RecordedRequest& request, const ModelInfo* known) {
        using Source = SessionOutcome::WindowSource;
        constexpr double kLarge = 1'000'000;
        if (settings.window_tokens > 0) {
            std::tie(outcome.window_tokens, outcome.window_source) = std::pair{settings.window_tokens, Source::given};
            return;
        }
        const bool asked = !settings.model.empty() && known && known->context_window > 0;
        // What is only usual gives way to what the user says of the model.
        const bool said = request.window_usual && known && known->window_given;
        if (request.window_tokens > 0 && !asked && !said) {
            outcome.window_tokens = static_cast<double>(request.window_tokens);
            outcome.window_source = request.window_usual ? Source::usual : Source::recorded;
        } else if (known && known->context_window > 0) {
            outcome.window_tokens = static_cast<double>(known->context_window);
            outcome.window_source = Source::model;
        } else {
            outcome.window_tokens = kDefaultWindow;
            outcome.window_source = Source::assumed;
        }
        // A prompt that was taken proves that the window is not smaller.
        proven = std::max(proven, static_cast<double>(request.prompt));
        if (proven > outcome.window_tokens) {
            outcome.window_tokens = std::max(proven, kLarge);
            outcome.window_source = Source::assumed;
        }
    }

    // Codex records what it uses of a window, 95 %; it is told from the window itself, which older versions recorded,
    // by what it is 95 % of.
    double model_window() const {
        constexpr std::uint64_t kParts = 20, kUsed = 19, kRound = 1'000;
        const Summarise* own = settings.recorded_by ? settings.recorded_by->find<Summarise>() : nullptr;
        const bool by_codex = own && std::holds_alternative<codex::Compaction>(own->method);
        if (!by_codex || outcome.window_source != SessionOutcome::WindowSource::recorded) return 0;
        const std::uint64_t parts = static_cast<std::uint64_t>(outcome.window_tokens) * kParts;
        if (parts % kUsed != 0 || parts / kUsed % kRound != 0) return 0;
        return static_cast<double>(parts / kUsed);
    }

    const ModelInfo* model_of(const RecordedRequest& request) {
        if (!settings.model.empty()) return fixed_model;
        if (request.model != model_name) {
            model_name = request.model;
            model = request.model.empty() ? nullptr : models.find(request.model);
        }
        return model;
    }

    // The bill is that of the model that answered, whatever the contexts are priced as.
    const ModelInfo* own_model_of(const RecordedRequest& request, const ModelInfo* priced_as) {
        if (settings.model.empty() || request.model.empty()) return priced_as;
        if (request.model != model_name) {
            model_name = request.model;
            model = models.find(request.model);
        }
        return model;
    }

    void on_request(const RecordedRequest& request) override {
        ++requests;
        const auto left = leave_reasoning(request);
        learn(request);
        RequestInput input;
        input.reasoning_left = left.has_value();
        input.recorded_prefix = left ? left->prefix : 0;
        input.number = requests;
        input.recorded = request;
        input.model = model_of(request);
        find_window(request, input.model);
        input.window = outcome.window_tokens;
        input.model_window = model_window();
        constexpr double kBytesPerToken = 4;
        input.unseen = unseen.known() ? unseen.tokens(weights.vector())
                                      : static_cast<double>(request.system_bytes) / kBytesPerToken;
        input.unseen_hash = mix_hash(request.system_bytes, 1);
        // A prompt is sent when its last message is there, not when it is answered.
        const bool earlier = last_is_prompt && last_time > 0 && (request.now_ms <= 0 || last_time <= request.now_ms);
        input.now_ms = earlier ? last_time : request.now_ms;
        input.last_touch_ms = last_touch;
        if (input.now_ms > 0) last_touch = input.now_ms;
        outcome.unseen_tokens = input.unseen;
        outcome.turns = std::max<std::uint64_t>(outcome.turns, request.turn);
        const std::string_view named = settings.model.empty() ? request.model : std::string_view(settings.model);
        if (outcome.model != named) outcome.model = named;
        const bool priced = input.model && input.model->prices;
        outcome.priced = outcome.priced || priced;
        outcome.unpriced_requests += priced ? 0 : 1;
        const ModelInfo* const own = own_model_of(request, input.model);
        outcome.repriced = outcome.repriced || own != input.model;
        if (own && own->prices && request.prompt > 0) {
            const auto paid = cost(*own, billed(request.billed));
            outcome.billed_cost = outcome.billed_cost.value_or(Money{});
            if (paid) *outcome.billed_cost += *paid;
        }
        for (PolicyReplay& replay : replays) {
            if (is_live(replay)) emit(replay, replay.request(input));
        }
        note(Step::Kind::request, inputs.size());
        if (foresight) inputs.push_back(input);
    }

    void emit(const PolicyReplay& replay, const TurnRow& row) const {
        if (rows) rows->on_row(replay.context().name, row);
    }

    // ---- and again, for who knows how it ends

    void replay_with_hindsight(PolicyReplay& replay) {
        last_use.finish();
        weights = Weights();
        for (const Step& step : steps) {
            switch (step.kind) {
                case Step::Kind::message: {
                    const Recorded& message = messages.messages()[step.index];
                    replay.append(message, weights.tokens(message.features));
                    break;
                }
                case Step::Kind::rewind: replay.rewind(step.index); break;
                case Step::Kind::reasoning: replay.leave_reasoning(step.index); break;
                case Step::Kind::weights:
                    weights.set(renewed[step.index]);
                    replay.reweigh();
                    break;
                case Step::Kind::request:
                    replay.forget(last_use.gone_after(inputs[step.index].number - 1));
                    emit(replay, replay.request(inputs[step.index]));
                    break;
            }
        }
    }

    SessionOutcome finish() {
        messages.finish();
        if (requests == 0) find_window({}, fixed_model);
        for (PolicyReplay& replay : replays) {
            if (!is_live(replay)) replay_with_hindsight(replay);
        }
        for (PolicyReplay& replay : replays) outcome.policies.push_back(replay.finish());
        outcome.requests = requests;
        outcome.messages = messages.messages().size();
        outcome.other_lanes = messages.other_lanes();
        outcome.copied_answers = messages.copied_answers();
        outcome.samples = calibration.samples();
        outcome.median_error = calibration.median_error();
        outcome.summary_share = lengths.share();
        outcome.fitted_summaries = lengths.samples();
        if (outcome.billed_requests > 0) {
            outcome.recorded_mean = sum_recorded / static_cast<double>(outcome.billed_requests);
        }
        return std::move(outcome);
    }

    const ReplaySettings& settings;
    const ModelTable& models;
    RowSink* rows;
    SessionMessages messages;
    std::deque<PolicyReplay> replays;
    Weights weights;
    SummaryLength lengths;
    Calibration calibration;
    Unseen unseen;
    SessionOutcome outcome;
    ReasoningWatch reasoning;
    FeatureVector sent{};
    double reasoning_sent = 0;  // the part of it that is reasoning, since some of that has left
    const ModelInfo* fixed_model = nullptr;
    const ModelInfo* model = nullptr;
    std::string_view model_name, taught_by;
    std::size_t requests = 0, next_weights = 4;
    double last_prompt = 0, sum_recorded = 0, proven = 0, last_time = 0, last_touch = 0;
    bool last_is_prompt = false;

    bool foresight = false;
    std::vector<Step> steps;
    std::deque<RequestInput> inputs;
    std::vector<FeatureVector> renewed;
    LastUse last_use;
};

SessionReplay::SessionReplay(const ReplaySettings& settings, const ModelTable& models, WordKeeper& words, RowSink* rows)
    : impl_(std::make_unique<Impl>(settings, models, words, rows)) {}
SessionReplay::~SessionReplay() = default;

void SessionReplay::on_event(const Event& event) {
    SessionOutcome& outcome = impl_->outcome;
    if (outcome.first_line == 0) outcome.first_line = event.head.where.line;
    if (const auto* start = std::get_if<SessionStart>(&event.body)) {
        constexpr std::size_t kLongest = 100;
        const auto text = [](RawText raw) { return wtf8_of({raw.bytes.substr(0, kLongest), raw.form}); };
        if (outcome.session.empty()) outcome.session = text(start->session_id);
        if (outcome.label.empty()) outcome.label = text(start->label);
    }
    impl_->messages.on_event(event);
}

SessionOutcome SessionReplay::finish() { return impl_->finish(); }

}  // namespace agent_audit::simulator
