#include <agent_audit/report/saved_result.hpp>

#include <agent_audit/support/time.hpp>

#include "model/unmeasured.hpp"
#include "report/json/json_parts.hpp"
#include "report/saved/report_totals.hpp"
#include "report/saved/saved_parts.hpp"
#include "support/byte_order_mark.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

namespace agent_audit {

using namespace saved;

namespace {

bool counts(const Finding& f) { return !f.suppressed && f.baseline != BaselineState::unchanged; }

}  // namespace

// One result, part by part.
class ResultReader {
public:
    explicit ResultReader(SavedResults& into) : into_(into) {}

    /// True when `kind` is one of ours and a part of a result.
    bool part(std::string_view kind, const Json& j) {
        Report& report = into_.report_;
        if (kind == "run") return true;
        if (kind == "metric") return true;  // the summary has them again
        if (kind == "input") {
            report.inputs.push_back(input_report(j));
        } else if (kind == "session") {
            report.sessions.push_back(session(j));
        } else if (kind == "finding") {
            Finding f = finding_of(j);
            (counts(f) ? report.findings : report.silenced).push_back(std::move(f));
        } else if (kind == "note") {
            note(j);
        } else if (kind == "summary") {
            summary(j);
        } else {
            return false;
        }
        return true;
    }

    bool complete() const { return summary_; }

private:
    SessionReport session(const Json& j) {
        SessionReport s;
        s.input = small(j, "input");
        s.id = text(j, "id");
        s.parent_id = text(j, "parent_id");
        s.label = text(j, "label");
        s.format = text(j, "format");
        s.product_version = text(j, "product_version");
        s.cwd = text(j, "cwd");
        s.model = text(j, "model");
        s.sub_agent = flag(j, "sub_agent");
        s.housekeeping = flag(j, "housekeeping");
        s.output_incomplete = flag(j, "output_incomplete");
        s.counts_records = flag(j, "counts_records");
        s.first_line = number(j, "first_line");
        s.last_line = number(j, "last_line");
        s.first_time_ms = parse_time_ms(text(j, "first_time")).value_or(kNoTime);
        s.last_time_ms = parse_time_ms(text(j, "last_time")).value_or(kNoTime);
        s.counts = session_counts(at(j, "counts"));
        s.provider_errors = provider_errors(at(j, "provider_errors"));
        s.tools = tool_stats(j);
        s.tokens = ledger(at(j, "tokens"));
        s.context = context_report(at(j, "context"));
        s.goal = session_goal(at(j, "goal"));
        s.activity = activity_course(at(j, "activity"));
        s.drift = drift_series(at(j, "drift"));
        each(j, "similarity", [&](const Json& e) { s.similarity.push_back(similarity_series(e)); });
        each(j, "resets", [&](const Json& e) { s.resets.push_back(reset_suggestion(e)); });
        each(j, "skipped_rules", [&](const Json& e) {
            const bool format = text(e, "reason") == name(SkipReason::format);
            s.skipped_rules.push_back({into_.kept(text(e, "rule")), missing_named(text(e, "needs")),
                                       format ? SkipReason::format : SkipReason::session});
        });
        each(j, "not_shown", [&](const Json& e) {
            s.not_shown.push_back({text(e, "rule"), {number(e, "info"), number(e, "warning"), number(e, "error")}});
        });
        each(j, "peers", [&](const Json& e) { s.peers.push_back(peer_outcome(e)); });
        return s;
    }

    // An input that led nowhere is saved as a note of severity error, and no other note is.
    void note(const Json& j) {
        const Severity severity = severity_from(text(j, "severity")).value_or(Severity::info);
        if (severity == Severity::error)
            into_.report_.problems.push_back(text(j, "text"));
        else
            into_.report_.notes.push_back({severity, text(j, "text")});
    }

    void summary(const Json& j) {
        Report& report = into_.report_;
        summary_ = true;
        constexpr Policy kAll[] = {Policy::balanced, Policy::strict, Policy::permissive};
        report.policy = choice(text(j, "policy"), kAll, Policy::balanced);
        report.errors = number(at(j, "findings"), "error");
        report.warnings = number(at(j, "findings"), "warning");
        report.infos = number(at(j, "findings"), "info");
        report.least = severity_from(text(j, "min_severity")).value_or(Severity::info);
        report.skipped_inputs = number(j, "skipped_inputs");
        report.filtered_inputs = number(j, "filtered_inputs");
        report.ingest = ingest_stats(j);
        report.counts = session_counts(at(j, "counts"));
        report.tools = tool_stats(j);
        report.tokens = ledger(at(j, "tokens"));
        each(j, "rules", [&](const Json& e) {
            report.rules.push_back({text(e, "rule"), number(e, "findings"), number(e, "not_shown")});
        });
        each(j, "limits", [&](const Json& e) { report.limits.push_back({text(e, "limit"), positive(at(e, "most"))}); });
        each(j, "peers", [&](const Json& e) { report.peers.push_back(peer_totals(e)); });
        each(j, "endpoints", [&](const Json& e) { report.remotes.push_back(remote_use(e)); });
        report.baselined = number(at(j, "findings"), "baselined");
        report.suppressed = number(at(j, "findings"), "suppressed");
        report.baseline = baseline_report(at(j, "baseline"));
    }

    SavedResults& into_;
    bool summary_ = false;
};

namespace {

constexpr std::string_view kBroken = "a saved result breaks off: what it held behind that is missing";

bool is_our_schema(const Json& j) { return text(j, "schema") == report::kResultSchema; }

// The lists of a result are read element by element and their JSON dropped at once.
struct Lists {
    const char* key;
    const char* kind;
};
constexpr Lists kLists[] = {{"inputs", "input"}, {"sessions", "session"}, {"findings", "finding"}, {"notes", "note"}};

const char* kind_of_list(std::string_view key) {
    const auto* found = std::ranges::find(kLists, key, [](const Lists& list) { return std::string_view(list.key); });
    return found == std::end(kLists) ? nullptr : found->kind;
}

// A summary counts findings beyond those listed too; one that is missing or counts less is none.
void count_listed(Report& report) {
    Report listed;
    for (const Finding& finding : report.findings) ++listed.counted(finding.severity);
    for (const Severity s : {Severity::info, Severity::warning, Severity::error})
        report.counted(s) = std::max(report.counted(s), listed.counted(s));
}

std::uint32_t shifted(std::uint32_t index, std::size_t by) {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(index + by, kMax));
}

template <class List>
void append(List& into, List& more) {
    into.insert(into.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

namespace {

// A session that two results agree on in all of this is one session: the same file may have grown in between.
std::set<std::string> sessions_of(const Report& report) {
    std::set<std::string> keys;
    for (const SessionReport& s : report.sessions) {
        const std::string path = s.input < report.inputs.size() ? report.inputs[s.input].path : std::string();
        keys.insert(fmt::format("{}\n{}\n{} {} {} {} {}", path, s.id, s.first_line, s.last_line, s.first_time_ms,
                                s.counts.events, s.tokens.total.total()));
    }
    return keys;
}

}  // namespace

std::string_view SavedResults::kept(std::string_view rule) { return *names_.emplace(rule).first; }

// Returns what stands behind this result: the lines of the next one. Each numbers its sessions from 0.
std::string_view SavedResults::read_lines(std::string_view lines) {
    ResultReader reader(*this);
    bool begun = false, broken = false;
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find('\n')), rest = lines;
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
        if (line.find_first_not_of(" \t\r") == line.npos) continue;
        const Json part = Json::parse(line, nullptr, false);
        broken = broken || !part.is_object();
        if (!part.is_object()) continue;
        const std::string kind = text(part, "kind");
        if (kind == "run" && std::exchange(begun, true)) {
            lines = rest;
            break;
        }
        reader.part(kind, part);
    }
    if (broken || !reader.complete()) report_.problems.emplace_back(kBroken);
    return lines;
}

bool SavedResults::read_object(std::string_view object) {
    ResultReader reader(*this);
    const char* kind = nullptr;
    const auto take_elements = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1) {
            kind = parsed.is_string() ? kind_of_list(parsed.get_ref<const std::string&>()) : nullptr;
        }
        if (event != Json::parse_event_t::object_end || depth != 2 || !kind) return true;
        reader.part(kind, parsed);
        return false;
    };
    const Json result = Json::parse(object, take_elements, false);
    if (!is_our_schema(result)) return false;
    reader.part("summary", at(result, "summary"));
    return true;
}

void SavedResults::append(SavedResults&& next) {
    if (!any_) {
        *this = std::move(next);
        any_ = true;
        return;
    }
    Report& more = next.report_;
    for (std::size_t i = 0; i < more.sessions.size(); ++i) {
        more.sessions.change(i, [&](SessionReport& session) {
            session.input = shifted(session.input, report_.inputs.size());
            for (SkippedRule& skipped : session.skipped_rules) skipped.rule = kept(skipped.rule);
        });
    }
    for (auto* list : {&more.findings, &more.silenced}) {
        for (Finding& finding : *list) finding.session = shifted(finding.session, report_.sessions.size());
    }
    ::agent_audit::append(report_.inputs, more.inputs);
    report_.sessions.append(std::move(more.sessions));
    ::agent_audit::append(report_.findings, more.findings);
    ::agent_audit::append(report_.silenced, more.silenced);
    ::agent_audit::append(report_.remotes, more.remotes);
    report_.baselined += more.baselined;
    report_.suppressed += more.suppressed;
    if (!report_.baseline) report_.baseline = std::move(more.baseline);
    ::agent_audit::append(report_.notes, more.notes);
    ::agent_audit::append(report_.problems, more.problems);
    report_.errors += more.errors;
    report_.warnings += more.warnings;
    report_.infos += more.infos;
    report_.skipped_inputs += more.skipped_inputs;
    report_.filtered_inputs += more.filtered_inputs;
    report_.ingest += more.ingest;
    add_counts(report_.counts, more.counts);
    report_.least = std::max(report_.least, more.least);
    if (report_.limits != more.limits) report_.limits.clear();  // of different runs: there is no one limit
    report::add_totals(report_.tools, std::move(more.tools));
    report::add_totals(report_.tokens, std::move(more.tokens));
    report::add_totals(report_.rules, std::move(more.rules));
    report::add_totals(report_.peers, std::move(more.peers));
}

void SavedResults::take(SavedResults&& next) {
    count_listed(next.report_);
    std::set<std::string> added = sessions_of(next.report_);
    append(std::move(next));
    sessions_again_ += static_cast<std::size_t>(
        std::ranges::count_if(added, [&](const std::string& key) { return sessions_.contains(key); }));
    sessions_.merge(added);
}

namespace {

// What cannot be read may still be ours.
Error not_readable(std::string_view saved, std::size_t bytes) {
    constexpr std::string_view kName = "agent-audit/result/";
    constexpr std::size_t kHead = 512;  // bytes in which a result names its schema
    const std::size_t named = saved.starts_with('{') ? saved.substr(0, kHead).find(kName) : saved.npos;
    if (named == saved.npos) return {"not a result of scan -f json or -f ndjson"};
    std::string_view schema = saved.substr(named);
    schema = schema.substr(0, schema.find_first_not_of("0123456789", kName.size()));
    if (schema != report::kResultSchema) {
        return {"written by another version of agent-audit: " + std::string(schema) + ", and this one reads " +
                std::string(report::kResultSchema)};
    }
    const std::size_t last = saved.find_last_not_of(" \t\r\n");
    if (saved[last] != '}') return {"a result of agent-audit that is cut off at byte " + std::to_string(bytes)};
    return {"a result of agent-audit that is damaged: it is no JSON"};
}

}  // namespace

std::optional<Error> SavedResults::add(std::string_view saved) {
    const std::size_t bytes = saved.size();
    saved = without_byte_order_mark(saved);
    const std::size_t start = std::min(saved.find_first_not_of(" \t\r\n"), saved.size());
    saved.remove_prefix(start);
    // The first line of ndjson stands on its own; that of json, as we write it, does not.
    const Json head = Json::parse(saved.substr(0, saved.find('\n')), nullptr, false);
    const bool lines = text(head, "kind") == "run";
    SavedResults next;
    if (lines ? !is_our_schema(head) : !next.read_object(saved)) return not_readable(saved, bytes);
    sessions_again_ = 0;
    if (!lines) take(std::move(next));
    while (lines && !saved.empty()) {
        SavedResults one;
        saved = one.read_lines(saved);
        take(std::move(one));
    }
    return std::nullopt;
}

// How sure a finding was that is not listed is not known, how severe it was is.
void SavedResults::drop_below(Severity min_severity, NotShown& entry) {
    const auto rule = std::ranges::find(report_.rules, entry.rule, &RuleRun::id);
    for (const Severity severity : {Severity::info, Severity::warning}) {
        if (severity >= min_severity) break;
        std::uint64_t& count = entry.by_severity[static_cast<std::size_t>(severity)];
        report_.counted(severity) -= std::min(report_.counted(severity), count);
        if (rule != report_.rules.end()) {
            rule->findings -= std::min(rule->findings, count);
            rule->not_shown -= std::min(rule->not_shown, count);
        }
        count = 0;
    }
}

void SavedResults::add_problem(std::string problem) {
    std::vector<std::string>& problems = report_.problems;
    if (std::ranges::find(problems, problem) == problems.end()) problems.insert(problems.begin(), std::move(problem));
}

void SavedResults::filter(Severity min_severity, double min_confidence) {
    report_.least = std::max(report_.least, min_severity);
    for (std::size_t i = 0; i < report_.sessions.size(); ++i) {
        report_.sessions.change(i, [&](SessionReport& session) {
            for (NotShown& entry : session.not_shown) drop_below(min_severity, entry);
            std::erase_if(session.not_shown, [](const NotShown& entry) { return entry.from(Severity::info) == 0; });
        });
    }
    std::erase_if(report_.findings, [&](const Finding& finding) {
        if (finding.severity >= min_severity && finding.confidence >= min_confidence) return false;
        --report_.counted(finding.severity);
        const auto rule = std::ranges::find(report_.rules, finding.rule, &RuleRun::id);
        if (rule != report_.rules.end() && rule->findings > 0) --rule->findings;
        return true;
    });
}

}  // namespace agent_audit
