#include <agent_audit/pipeline/policy_replay.hpp>

#include "model/record_words.hpp"
#include "pipeline/inputs/inputs.hpp"
#include "pipeline/inputs/work_order.hpp"
#include "pipeline/replay/recorded_words.hpp"
#include "pipeline/settings/plan.hpp"
#include "pipeline/settings/silence.hpp"
#include "policy/counted_records.hpp"

#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/readers/input.hpp>
#include <agent_audit/simulator/replay.hpp>
#include <agent_audit/support/jobs.hpp>
#include <agent_audit/support/suggest.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>
#include <tuple>

namespace agent_audit {
namespace {

constexpr std::uint64_t kMostPolicy = 1u << 20;  // bytes of a policy file

std::string words_of(RawText raw) {
    constexpr std::size_t kMost = 500;
    return raw.form == TextForm::plain ? std::string(cut_utf8(raw.bytes, kMost))
                                       : decode_json_string(raw.bytes.substr(0, 4 * kMost), kMost);
}

struct InputSlot {
    ReplayedInput input;
    std::vector<ReplayedSession> sessions;
    bool no_session = false;
};

struct Run {
    Run(const PolicyReplayPlan& p, const ModelTable& m) : plan(p), models(m) {}

    const PolicyReplayPlan& plan;
    const ModelTable& models;
    const ReaderSpec* forced = nullptr;
    InputLimits limits;
    std::vector<InputPath> paths;
    std::vector<IdHash> own_files;
    std::vector<InputSlot> slots;
    std::optional<WorkOrder> order;
    std::optional<CallIdentity> calls;
    bool lives_with = false;            // with some findings
    simulator::ReplaySettings managed;  // the contexts that policies manage; most manage none
};

Result<Silences> make_silences(const ProjectSettings& project) {
    AuditPlan plan;
    plan.settings = project.settings;
    plan.suppressions = project.suppressions;
    plan.today_days = project.today_days;
    return Silences::make(plan);
}

// What a thread keeps from one input to the next.
struct Worker {
    struct OfSignals {
        Signals signals;
        std::vector<Replayer> replayers;  // one a policy
    };

    InputBuffers buffers;
    std::vector<std::unique_ptr<OfSignals>> known;
    Silences silences;
    SessionReport session;  // of which suppressions ask
    std::string path;

    bool lives_with(Finding& finding) {
        silences.see({&finding, 1}, session, path);
        return finding.suppressed.has_value();
    }

    std::vector<Replayer>& replayers(const Run& run, Signals signals) {
        for (auto& one : known) {
            if (one->signals == signals) return one->replayers;
        }
        auto& made = *known.emplace_back(std::make_unique<OfSignals>());
        made.signals = signals;
        for (const auto& policy : run.plan.policies) {
            ReplayerOptions options{signals, &run.models, run.plan.keep_turns};
            if (run.lives_with) options.lived_with = [this](Finding& finding) { return lives_with(finding); };
            made.replayers.emplace_back(policy, std::move(options));
        }
        return made.replayers;
    }
};

// Hands events to every policy's replayer and cuts them into sessions.
class Sessions final : public EventSink {
public:
    Sessions(const Run& run, Worker& worker, const ReaderSpec& spec, const RecordReader& reader, InputSlot& slot,
             simulator::WordKeeper* words)
        : run_(run),
          worker_(worker),
          spec_(spec),
          reader_(reader),
          slot_(slot),
          words_(words),
          muted_(run.own_files, slot.input.path) {}

    void on_event(const Event& event) override {
        if (const auto* start = std::get_if<SessionStart>(&event.body); start && !start->resumed) {
            end();
            muted_.clear();
            housekeeping_ = start->housekeeping;
            worker_.session.id = words_of(start->session_id);
            worker_.session.cwd = words_of(start->cwd);
        }
        if (muted_.mutes(event)) return;
        if (!open_) {
            open_ = true;
            replayers_ = &worker_.replayers(run_, spec_.relays ? reader_.relayed().signals : spec_.signals);
            if (words_)
                managed_ = std::make_unique<simulator::SessionReplay>(run_.managed, run_.models, *words_, nullptr);
        }
        for (Replayer& replayer : *replayers_) (void)replayer.on_event(event);
        if (managed_) managed_->on_event(event);
    }

    void end() {
        if (!open_) return;
        open_ = false;
        ReplayedSession session;
        for (Replayer& replayer : *replayers_) session.runs.push_back(replayer.finish());
        if (managed_) tell_contexts(managed_->finish(), session);
        managed_.reset();
        // A summariser's own conversation is housekeeping: it repeats by design.
        if (housekeeping_)
            ++slot_.input.housekeeping;
        else
            slot_.sessions.push_back(std::move(session));
        housekeeping_ = false;
    }

private:
    void tell_contexts(const simulator::SessionOutcome& outcome, ReplayedSession& session) const {
        for (std::size_t i = 0; i < session.runs.size(); ++i) {
            const std::string& name = run_.plan.policies[i]->policy.context.manage;
            const auto at = std::ranges::find(outcome.policies, name, &simulator::PolicyOutcome::policy);
            if (name.empty() || at == outcome.policies.end()) continue;
            session.runs[i].context =
                ManagedContext{name, at->peak_tokens, at->mean_tokens, at->compactions, at->overflows};
        }
    }

    const Run& run_;
    Worker& worker_;
    const ReaderSpec& spec_;
    const RecordReader& reader_;
    InputSlot& slot_;
    simulator::WordKeeper* words_;
    MutedLanes muted_;
    std::vector<Replayer>* replayers_ = nullptr;
    std::unique_ptr<simulator::SessionReplay> managed_;
    bool open_ = false;
    bool housekeeping_ = false;
};

void call_lines_records(std::vector<ReplayedSession>& sessions) {
    for (ReplayedSession& session : sessions) {
        for (SupervisedRun& run : session.runs) {
            run.failed_because = with_records(run.failed_because);
            std::ranges::for_each(run.decisions, policy::call_lines_records);
        }
    }
}

void replay_input(Run& run, std::size_t index, Worker& worker) {
    InputSlot& slot = run.slots[index];
    const std::string& path = run.paths[index].path;
    slot.input.path = path;
    OpenedInput opened = open_session(path, static_cast<std::uint32_t>(index), run.forced, run.limits, worker.buffers);
    if (!opened.reader) {
        slot.input.problem = opened.problem;
        slot.no_session = !opened.unread;
        return;
    }
    slot.input.format = opened.reader->id;
    const auto reader = opened.reader->make();
    if (run.calls) reader->use(*run.calls);
    worker.path = path;
    worker.session = SessionReport{};
    std::optional<RecordedWords> words;
    if (!run.managed.contexts.empty()) words.emplace(path);
    Sessions sessions(run, worker, *opened.reader, *reader, slot, words ? &*words : nullptr);
    InputReport report;
    report.format = opened.reader->id;
    if (words) {
        WordedReader worded(*reader, *words);
        read_records(*opened.source, worded, sessions, report, [] { return true; });
    } else {
        read_records(*opened.source, *reader, sessions, report, [] { return true; });
    }
    reader->finish(sessions);
    sessions.end();
    slot.input.lost_records = report.stats.bad();
    slot.input.unfinished_records = report.stats.lost() - report.stats.bad();
    slot.input.bad = std::move(report.bad);
    slot.input.counts_records = opened.source->counts_records();
    if (slot.input.counts_records) call_lines_records(slot.sessions);
    if (opened.source->error()) {
        slot.input.problem = *opened.source->error();
    } else if (auto problem = not_one_understood(report)) {
        slot.input.problem = std::move(*problem);
        slot.no_session = run.forced != nullptr;
        slot.sessions.clear();
    } else if (report.error) {
        slot.input.problem = std::move(*report.error);
    }
}

void work(Run& run) {
    Worker worker;
    if (run.lives_with) {
        auto silences = make_silences(run.plan.project);
        if (silences) worker.silences = std::move(silences.value());  // it was tried before, and worked
    }
    while (const auto share = run.order->take()) {
        for (std::size_t at = share->first; at < share->second; ++at) replay_input(run, (*run.order)[at], worker);
    }
}

void run_workers(Run& run) {
    run.order.emplace(run.paths);
    const std::size_t jobs = std::min<std::size_t>(thread_count(run.plan.jobs), run.order->shares());
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < jobs; ++i) threads.emplace_back([&run] { work(run); });
    work(run);
}

std::optional<Error> choose_contexts(const PolicyReplayPlan& plan, simulator::ReplaySettings& settings) {
    for (const auto& policy : plan.policies) {
        const std::string& name = policy->policy.context.manage;
        if (name.empty()) continue;
        const simulator::Context* context = simulator::find_context(name);
        if (!context) return Error{fmt::format("{}: unknown context '{}'", policy->policy.name, name)};
        if (std::ranges::find(settings.contexts, context) == settings.contexts.end())
            settings.contexts.push_back(context);
    }
    return std::nullopt;
}

void add(Counterfactual& into, const Counterfactual& from) {
    into.steps += from.steps;
    into.wasted_steps += from.wasted_steps;
    into.useful_steps += from.useful_steps;
    into.tokens += from.tokens;
    into.wasted_tokens += from.wasted_tokens;
    into.useful_tokens += from.useful_tokens;
    into.cost_parts += from.cost_parts;
    into.wasted_cost_parts += from.wasted_cost_parts;
    into.priced = into.priced || from.priced;
    if (from.wall_ms >= 0) into.wall_ms = std::max<std::int64_t>(into.wall_ms, 0) + from.wall_ms;
}

void add(PolicyTotals& into, const SupervisedRun& run) {
    const RunFigures f = figures_of(run);
    ++into.sessions;
    into.intervened += f.interventions > 0;
    into.stopped += f.stop_line > 0;
    into.failed += run.failed;
    if (f.stop_line > 0 && run.cut) {
        into.stops_right += run.verdicts[*run.cut] == DecisionVerdict::right;
        into.stops_wrong += run.verdicts[*run.cut] == DecisionVerdict::wrong;
    }
    into.sum.interventions += f.interventions;
    into.sum.right += f.right;
    into.sum.late += f.late;
    into.sum.wrong += f.wrong;
    for (std::size_t i = 0; i < policy::kActions; ++i) into.sum.by_action[i] += f.by_action[i];
    add(into.sum.after, f.after);
}

}  // namespace

RunFigures figures_of(const SupervisedRun& run) {
    RunFigures f;
    f.interventions = run.decisions.size() + run.not_kept;
    for (std::size_t i = 0; i < run.decisions.size(); ++i) {
        const policy::Decision& d = run.decisions[i];
        ++f.by_action[static_cast<std::size_t>(d.action)];
        f.right += run.verdicts[i] == DecisionVerdict::right;
        f.late += run.verdicts[i] == DecisionVerdict::late;
        f.wrong += run.verdicts[i] == DecisionVerdict::wrong;
        if (f.first_line == 0) f.first_line = d.line;
        if (f.first_right_line == 0 && run.verdicts[i] == DecisionVerdict::right) f.first_right_line = d.line;
        if (f.stop_line == 0 && policy::ends_run(d)) f.stop_line = d.line;
    }
    f.after = run.after;
    return f;
}

Result<PolicyReplay> replay_policies(const PolicyReplayPlan& plan) {
    const auto run_options = bind_run_settings(plan.project.settings);
    if (!run_options) return run_options.error();
    if (const auto silences = make_silences(plan.project); !silences) return silences.error();
    const auto forced = reader_named(plan.input_format);
    if (!forced) return forced.error();
    const auto models = load_models(plan.price_file);
    if (!models) return models.error();
    Run run(plan, *models);
    if (auto problem = choose_contexts(plan, run.managed)) return std::move(*problem);
    run.forced = *forced;
    run.calls = run_options->calls;
    run.lives_with = !plan.project.suppressions.empty() || !severities(plan.project.settings).empty();
    run.limits.max_record_bytes = plan.max_line_bytes;
    InputList list = expand_inputs(plan.inputs);
    leave_out(list, plan.exclude);
    run.paths = std::move(list.paths);
    run.own_files = sub_agents_with_files(run.paths);
    run.slots.resize(run.paths.size());
    run_workers(run);

    PolicyReplay out;
    out.problems = std::move(list.problems);
    for (std::size_t i = 0; i < run.slots.size(); ++i) {
        InputSlot& slot = run.slots[i];
        // A folder holds other files too; only what the user named must be a session.
        const bool left_empty = plan.empty_is_a_problem && run.paths[i].size == 0;
        const bool named = (run.paths[i].named && !plan.inputs_found) || left_empty;
        if (!named && slot.no_session) {
            ++out.skipped_inputs;
            continue;
        }
        for (ReplayedSession& session : slot.sessions) {
            session.input = static_cast<std::uint32_t>(out.inputs.size());
            out.sessions.push_back(std::move(session));
        }
        out.inputs.push_back(std::move(slot.input));
    }
    for (std::size_t i = 0; i < plan.policies.size(); ++i) {
        PolicyTotals& totals = out.totals.emplace_back();
        totals.policy = plan.policies[i]->policy.name;
        for (const ReplayedSession& session : out.sessions) add(totals, session.runs[i]);
    }
    return out;
}

namespace {

// Binding ends at the first mistake. Settings that belong to no rule make sense alone: whoever mends a file wants to
// know of all of them.
void add_problems(const Settings& settings, std::vector<std::string>& problems) {
    for (const auto& [key, values] : settings.all()) {
        if (!is_run_setting(key)) continue;
        for (const Setting& value : values) {
            Settings alone;
            alone.set(key, value);
            if (const auto bound = bind_run_settings(alone); !bound) problems.push_back(bound.error().message);
        }
    }
}

}  // namespace

PolicyChoice choose_policy(const std::string& name_or_file, const ProjectSettings& project) {
    PolicyChoice out;
    const bool file = policy::find_built_in(name_or_file) == nullptr;
    const bool path = name_or_file.find('/') != name_or_file.npos || name_or_file.ends_with(".toml");
    std::error_code ignored;
    if (file && !path && !std::filesystem::exists(name_or_file, ignored)) {
        std::vector<std::string_view> known;
        for (const policy::BuiltIn& one : policy::built_in_policies()) known.push_back(one.name);
        const std::string_view near = nearest(name_or_file, known);
        const bool context = simulator::find_context(name_or_file) != nullptr;
        out.problems.push_back(fmt::format("unknown policy '{}'{}", name_or_file,
                                           context ? ": it is a context; a policy says what a supervisor does"
                                           : near.empty()
                                               ? " (agent-audit policy lists them; a file is named with its path)"
                                               : fmt::format("; did you mean '{}'?", near)));
        return out;
    }
    out.loaded = policy::load_policy(
        name_or_file, [](const std::string& at) { return read_file(at, kMostPolicy); }, out.problems);
    add_problems(out.loaded.policy.settings, out.problems);
    if (!out.problems.empty()) return out;
    auto bound = bind_policy(out.loaded.policy, project);
    const std::string& manage = out.loaded.policy.context.manage;
    if (!manage.empty() && !simulator::find_context(manage)) {
        const auto at = std::ranges::find(out.loaded.values, "context.manage", &policy::PolicyValue::key);
        std::vector<std::string_view> known;
        for (const simulator::Context& context : simulator::all_contexts()) known.push_back(context.name);
        const std::string_view near = nearest(manage, known);
        out.problems.push_back(fmt::format("{}: context.manage: unknown context \"{}\"{}",
                                           at == out.loaded.values.end() ? name_or_file : at->origin, manage,
                                           near.empty() ? "" : fmt::format("; did you mean \"{}\"?", near)));
    }
    if (!bound) out.problems.push_back(bound.error().message);
    if (out.problems.empty()) out.bound = std::move(*bound);
    return out;
}

std::vector<std::string> policy_names(const std::vector<std::string>& words) {
    std::vector<std::string> out;
    const auto add = [&](std::string name) {
        if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
    };
    for (const std::string& word : words) {
        std::error_code failed;
        if (word == "all") {
            for (const policy::BuiltIn& one : policy::built_in_policies()) add(std::string(one.name));
        } else if (!policy::find_built_in(word) && std::filesystem::is_directory(word, failed)) {
            std::vector<std::string> files;
            for (std::filesystem::directory_iterator at(word, failed), end; !failed && at != end;
                 at.increment(failed)) {
                if (at->path().extension() == ".toml") files.push_back(at->path().string());
            }
            std::ranges::sort(files);
            for (std::string& file : files) add(std::move(file));
        } else {
            add(word);
        }
    }
    return out;
}

}  // namespace agent_audit
