#include "cli/replays/policy_replay.hpp"
#include "cli/version.hpp"
#include "report/json/json_resets.hpp"
#include "report/redaction/redact.hpp"

#include <agent_audit/support/time.hpp>

namespace agent_audit::cli {
namespace {

using policy::Decision;
using report::JsonWriter;

class Writer {
public:
    Writer(JsonWriter& json, const PolicyReplay& replay, const BoundPolicies& policies, Redact redact)
        : json_(json), replay_(replay), policies_(policies), redact_(redact) {}

    /// `lines`: policies on lines of their own.
    void head(std::string_view schema, bool lines) {
        json_.text("schema", schema);
        json_.key("tool").begin_object();
        json_.text("name", "agent-audit");
        json_.text("version", kVersion);
        json_.end_object();
        json_.flag("teacher_forced", true);
        json_.key("policies").begin_array();
        for (const auto& bound : policies_) {
            if (lines) json_.newline();
            json_.begin_object();
            json_.text("policy", bound->policy.name);
            json_.known_text("doc", bound->policy.doc);
            json_.text("fail_on", policy::name(bound->policy.fail_on));
            json_.key("ladder").begin_array();
            for (const policy::Action action : bound->policy.ladder) json_.text(policy::name(action));
            json_.end_array();
            json_.known_text("contact", bound->policy.human.contact);
            json_.end_object();
        }
        json_.end_array();
    }

    void input(const ReplayedInput& input) {
        json_.text("path", redact_.input(input.path));
        json_.known_text("format", input.format);
        if (!input.problem.empty()) json_.text("problem", redact_.text(input.problem));
        json_.known_number("lost_records", input.lost_records);
        if (input.counts_records) json_.flag("counts_records", true);
    }

    void session(const ReplayedSession& session) {
        const ReplayedInput& input = replay_.inputs[session.input];
        const SupervisedRun& run = session.runs.front();
        json_.text("path", redact_.input(input.path));
        json_.text("format", input.format);
        json_.known_text("session", redact_.text(run.session_id));
        json_.known_text("label", redact_.text(run.label));
        json_.known_text("model", redact_.text(run.model));
        json_.number("first_line", run.first_line);
        json_.number("last_line", run.last_line);
        json_.number("responses", run.responses);
        json_.number("steps", run.steps);
        json_.number("tokens", run.tokens.total());
        json_.text("tokens_source", name(run.tokens_source));
        if (run.cost) json_.number("micro_dollars", run.cost->micro_dollars());
        if (run.wall_ms >= 0) json_.number("wall_ms", static_cast<std::uint64_t>(run.wall_ms));
    }

    void run(const SupervisedRun& run, bool decisions) {
        const RunFigures f = figures_of(run);
        json_.text("policy", run.policy);
        json_.flag("failed", run.failed);
        json_.known_text("failed_because", redact_.text(run.failed_because));
        json_.number("errors", run.errors);
        json_.number("unrecovered_errors", run.unrecovered_errors);
        json_.number("warnings", run.warnings);
        json_.known_number("suppressed", run.lived_with);
        figures(f);
        json_.known_number("first_line", f.first_line);
        json_.known_number("first_right_line", f.first_right_line);
        json_.known_number("stop_line", f.stop_line);
        json_.known_number("waited_by_itself", run.waited);
        if (run.cut) {
            const Decision& d = run.decisions[*run.cut];
            json_.key("after").begin_object();
            json_.text("action", policy::name(d.action));
            json_.number("line", d.line);
            counterfactual(run.after);
            json_.end_object();
        }
        breakers(run);
        json_.key("checkpoints").begin_array();
        for (const std::uint64_t line : run.checkpoints) json_.number(line);
        json_.end_array();
        report::write_resets(json_, run.resets);
        if (run.context) {
            json_.key("context").begin_object();
            json_.text("name", run.context->name);
            json_.number("peak_tokens", run.context->peak_tokens);
            json_.real("mean_tokens", run.context->mean_tokens);
            json_.number("compactions", run.context->compactions);
            json_.number("overflows", run.context->overflows);
            json_.end_object();
        }
        if (!decisions) return;
        json_.key("decisions").begin_array();
        for (std::size_t i = 0; i < run.decisions.size(); ++i) {
            json_.newline();
            json_.begin_object();
            decision(run.decisions[i], run.verdicts[i]);
            json_.end_object();
        }
        json_.end_array();
        json_.known_number("decisions_not_listed", run.not_kept);
    }

    void decision(const Decision& d, DecisionVerdict verdict) {
        json_.text("action", policy::name(d.action));
        json_.text("trigger", policy::name(d.trigger));
        json_.known_text("rule", d.rule);
        json_.text("severity", name(d.severity));
        json_.real("confidence", d.confidence);
        json_.number("line", d.line);
        json_.known_number("known_line", d.known_line);
        json_.number("lane", d.lane);
        json_.number("response", d.response);
        json_.number("step", d.step);
        if (d.time_ms != kNoTime) json_.text("time", format_time_ms(d.time_ms));
        json_.known_number("rung", d.rung);
        json_.text("reason", redact_.text(d.reason));
        json_.text("message", redact_.text(d.message));
        json_.known_number("pattern_line", d.first_line);
        if (d.back_to_line) json_.number("back_to_line", *d.back_to_line);
        if (d.delay_ms > 0) json_.number("delay_ms", static_cast<std::uint64_t>(d.delay_ms));
        json_.known_text("tool", redact_.text(d.tool));
        json_.known_text("substitute", d.substitute);
        if (d.action == policy::Action::reflect) json_.text("reflection", policy::name(d.reflection));
        json_.flag("tell_human", d.tell_human);
        json_.number("tokens_before", d.spent.total());
        if (d.cost) json_.number("micro_dollars_before", d.cost->micro_dollars());
        json_.text("verdict", name(verdict));
        json_.key("evidence").begin_array();
        for (const Evidence& e : d.evidence) {
            json_.begin_object();
            json_.number("line", e.line);
            json_.text("role", e.role);
            json_.text("text", redact_.text(e.text));
            json_.end_object();
        }
        json_.end_array();
        json_.key("alternatives").begin_array();
        for (const policy::Alternative& a : d.alternatives) {
            json_.begin_object();
            json_.text("action", policy::name(a.action));
            json_.text("why_not", redact_.text(a.why_not));
            json_.end_object();
        }
        json_.end_array();
    }

    void total(const PolicyTotals& t) {
        json_.text("policy", t.policy);
        json_.number("sessions", t.sessions);
        json_.number("intervened", t.intervened);
        json_.number("stopped", t.stopped);
        json_.number("failed", t.failed);
        json_.number("stops_right", t.stops_right);
        json_.number("stops_wrong", t.stops_wrong);
        figures(t.sum);
        json_.key("after").begin_object();
        counterfactual(t.sum.after);
        json_.end_object();
    }

private:
    void figures(const RunFigures& f) {
        json_.number("interventions", f.interventions);
        json_.number("right", f.right);
        json_.number("late", f.late);
        json_.number("wrong", f.wrong);
        json_.key("by_action").begin_object();
        for (std::size_t i = 0; i < policy::kActions; ++i) {
            if (f.by_action[i] > 0) json_.number(policy::kActionNames[i], f.by_action[i]);
        }
        json_.end_object();
    }

    void counterfactual(const Counterfactual& a) {
        json_.number("steps", a.steps);
        json_.number("wasted_steps", a.wasted_steps);
        json_.number("useful_steps", a.useful_steps);
        json_.number("tokens", a.tokens);
        json_.number("wasted_tokens", a.wasted_tokens);
        json_.number("useful_tokens", a.useful_tokens);
        if (a.priced) {
            json_.number("micro_dollars", Money(a.cost_parts).micro_dollars());
            json_.number("wasted_micro_dollars", Money(a.wasted_cost_parts).micro_dollars());
        }
        if (a.wall_ms >= 0) json_.number("wall_ms", static_cast<std::uint64_t>(a.wall_ms));
    }

    void breakers(const SupervisedRun& run) {
        if (run.breakers.empty()) return;
        json_.key("breakers").begin_array();
        for (const ToolBreakerTotals& b : run.breakers) {
            json_.begin_object();
            json_.text("tool", redact_.text(b.tool));
            json_.number("opened", b.opened);
            json_.number("refused_calls", b.refused);
            json_.end_object();
        }
        json_.end_array();
    }

    JsonWriter& json_;
    const PolicyReplay& replay_;
    const BoundPolicies& policies_;
    report::Redactor redact_;
};

}  // namespace

void write_policy_json(JsonWriter& json, const PolicyReplay& replay, const BoundPolicies& policies, Redact redact) {
    Writer write(json, replay, policies, redact);
    json.begin_object();
    write.head("agent-audit/policy-replay/1", true);
    json.key("inputs").begin_array();
    for (const ReplayedInput& input : replay.inputs) {
        json.newline();
        json.begin_object();
        write.input(input);
        json.end_object();
    }
    json.end_array();
    json.key("sessions").begin_array();
    for (const ReplayedSession& session : replay.sessions) {
        json.newline();
        json.begin_object();
        write.session(session);
        json.key("runs").begin_array();
        for (const SupervisedRun& run : session.runs) {
            json.newline();
            json.begin_object();
            write.run(run, true);
            json.end_object();
        }
        json.end_array();
        json.end_object();
    }
    json.end_array();
    json.key("totals").begin_array();
    for (const PolicyTotals& total : replay.totals) {
        json.newline();
        json.begin_object();
        write.total(total);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.newline();
}

void write_policy_ndjson(JsonWriter& json, const PolicyReplay& replay, const BoundPolicies& policies, Redact redact) {
    Writer write(json, replay, policies, redact);
    report::Redactor redactor(redact);
    const auto line = [&](std::string_view kind, const auto& body) {
        json.begin_document();
        json.begin_object();
        json.text("kind", kind);
        body();
        json.end_object();
        json.newline();
    };
    line("run", [&] { write.head("agent-audit/policy-replay-ndjson/1", false); });
    for (const ReplayedInput& input : replay.inputs) line("input", [&] { write.input(input); });
    for (std::size_t s = 0; s < replay.sessions.size(); ++s) {
        const ReplayedSession& session = replay.sessions[s];
        line("session", [&] {
            json.number("index", s);
            write.session(session);
        });
        for (const SupervisedRun& run : session.runs) {
            for (std::size_t i = 0; i < run.decisions.size(); ++i) {
                line("decision", [&] {
                    json.number("index", s);
                    json.text("path", redactor.input(replay.inputs[session.input].path));
                    json.text("policy", run.policy);
                    write.decision(run.decisions[i], run.verdicts[i]);
                });
            }
            line("outcome", [&] {
                json.number("index", s);
                json.text("path", redactor.input(replay.inputs[session.input].path));
                write.run(run, false);
            });
        }
    }
    for (const PolicyTotals& total : replay.totals) line("total", [&] { write.total(total); });
}

}  // namespace agent_audit::cli
