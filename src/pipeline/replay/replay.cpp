#include <agent_audit/pipeline/replay.hpp>

#include "pipeline/inputs/inputs.hpp"
#include "pipeline/replay/recorded_words.hpp"

#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/policy/policy_file.hpp>
#include <agent_audit/simulator/custom.hpp>
#include <agent_audit/support/suggest.hpp>
#include <agent_audit/tokens/ledger.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>

namespace agent_audit {
namespace {

using simulator::Context;

// The contexts of a plan, with the policies it brings itself.
class Contexts {
public:
    std::optional<Error> choose(const std::vector<std::string>& names) {
        for (const std::string& name : names) {
            if (name == "all") {
                for (const Context& context : simulator::all_contexts()) add(context);
            } else if (name.ends_with(".toml")) {
                if (auto problem = read(name)) return problem;
            } else if (const Context* found = simulator::find_context(name)) {
                add(*found);
            } else {
                return unknown(name);
            }
        }
        return std::nullopt;
    }
    const std::vector<const Context*>& chosen() const { return chosen_; }

private:
    void add(const Context& context) {
        if (std::ranges::find(chosen_, &context) == chosen_.end()) chosen_.push_back(&context);
    }

    std::optional<Error> read(const std::string& path) {
        constexpr std::uint64_t kMost = 1u << 20;
        const auto text = read_file(path, kMost);
        if (!text) return text.error();
        auto custom = simulator::parse_custom_policy(*text, path);
        if (!custom) return custom.error();
        if (custom->name == "all")
            return Error{fmt::format("{}: name = \"all\": this word stands for every context", path)};
        const simulator::CustomPolicy& kept = custom_.emplace_back(std::move(custom.value()));
        const auto same_name = [&](const Context* context) { return context->name == kept.name; };
        if (simulator::find_context(kept.name) || std::ranges::any_of(chosen_, same_name)) {
            return Error{fmt::format("{}: there is a context '{}' already", path, kept.name)};
        }
        const simulator::Policy& policy = policies_.emplace_back(kept.policy());
        add(contexts_.emplace_back(Context{policy.name, policy.doc, Context::Kind::policy, &policy}));
        return std::nullopt;
    }

    static Error unknown(const std::string& name) {
        std::vector<std::string_view> known;
        std::string list;
        for (const Context& context : simulator::all_contexts()) {
            known.push_back(context.name);
            list += (list.empty() ? "" : ", ") + std::string(context.name);
        }
        if (policy::find_built_in(name)) {
            return Error{fmt::format(
                "unknown context '{}': it is a supervisor's policy; a context says what is kept of the history", name)};
        }
        const std::string_view near = nearest(name, known);
        return Error{fmt::format("unknown context '{}'; {}", name,
                                 near.empty() ? "there are all, " + list : fmt::format("did you mean '{}'?", near))};
    }

    // Deques: what is chosen points into them.
    std::deque<simulator::CustomPolicy> custom_;
    std::deque<simulator::Policy> policies_;
    std::deque<Context> contexts_;
    std::vector<const Context*> chosen_;
};

// Of the agent that writes a format; null: its policy is not known.
const simulator::Policy* policy_of(std::string_view format) {
    if (const simulator::Policy* same = simulator::find_policy(format)) return same;
    return simulator::find_policy(format.substr(0, format.rfind('-')));
}

simulator::SessionOutcome::Bill bill_of(const TokenLedgerTotals& totals) {
    simulator::SessionOutcome::Bill bill;
    if (totals.source != TokensSource::reported) return bill;
    bill.requests = totals.requests;
    bill.tokens = totals.total.total();
    if (totals.cost.priced_requests > 0) bill.cost = totals.cost.known;
    const auto most =
        std::ranges::max_element(totals.by_model, {}, [](const ModelTokens& of) { return of.tokens.total(); });
    if (most != totals.by_model.end()) bill.model = most->model;
    return bill;
}

// One session after the other, each with views of its own.
class Sessions final : public EventSink, public simulator::RowSink {
public:
    Sessions(const simulator::ReplaySettings& settings, const ModelTable& models, simulator::WordKeeper& words,
             ReplayRows* rows)
        : settings_(settings), models_(models), words_(words), rows_(rows) {}

    void on_event(const Event& event) override {
        const auto* start = std::get_if<SessionStart>(&event.body);
        if (start && !start->resumed) end();
        if (!now_)
            now_ = std::make_unique<simulator::SessionReplay>(settings_, models_, words_, rows_ ? this : nullptr);
        now_->on_event(event);
        ledger_.on_event(event);
    }
    void on_row(std::string_view context, const simulator::TurnRow& row) override {
        rows_->on_row(sessions.size(), context, row);
    }
    void end() {
        if (!now_) return;
        simulator::SessionOutcome outcome = now_->finish();
        const std::uint32_t bill = merger_.add(ledger_.finish());
        if (outcome.messages > 0) {
            sessions.push_back(std::move(outcome));
            bill_of_.push_back(bill);
        }
        now_.reset();
    }
    // Each request once over all sessions, as a scan of the same input has it.
    void bill() {
        const std::deque<PackedTotals> bills = merger_.finish();
        for (std::size_t i = 0; i < sessions.size(); ++i) sessions[i].bill = bill_of(bills[bill_of_[i]].unpack());
    }

    std::vector<simulator::SessionOutcome> sessions;

private:
    const simulator::ReplaySettings& settings_;
    const ModelTable& models_;
    simulator::WordKeeper& words_;
    ReplayRows* rows_;
    std::unique_ptr<simulator::SessionReplay> now_;
    TokenLedger ledger_;
    UsageMerger merger_{&models_};
    std::vector<std::uint32_t> bill_of_;  // number in the merger, by session
};

}  // namespace

Result<ReplayOutcome> replay(const ReplayPlan& plan, ReplayRows* rows) {
    const auto forced = reader_named(plan.input_format);
    if (!forced) return forced.error();
    Contexts contexts;
    if (auto problem = contexts.choose(plan.contexts)) return std::move(*problem);
    const auto models = load_models(plan.price_file);
    if (!models) return models.error();
    if (!plan.model.empty() && !models->find(plan.model)) {
        return Error{fmt::format("unknown model '{}'; a price file can add it", plan.model)};
    }
    simulator::ReplaySettings settings;
    settings.contexts = contexts.chosen();
    settings.window_tokens = plan.window_tokens;
    settings.model = plan.model;
    settings.summarise = plan.summarise;

    InputLimits limits;
    limits.max_record_bytes = plan.max_line_bytes;
    InputBuffers buffers;
    ReplayOutcome outcome;
    OpenedInput opened = open_session(plan.input, 0, *forced, limits, buffers);
    if (!opened.reader) {
        outcome.problem = opened.problem;
        return outcome;
    }
    outcome.format = opened.reader->id;
    settings.recorded_by = policy_of(opened.reader->id);
    RecordedWords words(plan.input);
    const auto reader = opened.reader->make();
    Sessions sessions(settings, *models, words, rows);
    WordedReader worded(*reader, words);
    InputReport report;
    report.format = opened.reader->id;
    read_records(*opened.source, worded, sessions, report, [] { return true; });
    worded.finish(sessions);
    sessions.end();
    sessions.bill();
    outcome.lost_records = report.stats.bad();
    outcome.unfinished_records = report.stats.lost() - report.stats.bad();
    outcome.bad = std::move(report.bad);
    outcome.sessions = std::move(sessions.sessions);
    outcome.counts_records = opened.source->counts_records();
    for (simulator::SessionOutcome& session : outcome.sessions) session.counts_records = outcome.counts_records;
    if (report.error) outcome.problem = std::move(*report.error);
    if (opened.source->error()) outcome.problem = *opened.source->error();
    return outcome;
}

}  // namespace agent_audit
