#include <agent_audit/config/saved_findings.hpp>

#include "config/json_place.hpp"
#include "support/byte_order_mark.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>
#include <utility>

namespace agent_audit {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kSchema = "agent-audit/result/1";
constexpr std::size_t kHead = 512;  // bytes in which a result says what it is

std::string text_of(dom::object fields, std::string_view key) {
    std::string_view value;
    return fields[key].get(value) ? std::string() : std::string(value);
}

std::uint64_t number_of(dom::object fields, std::string_view key) {
    std::uint64_t value = 0;
    return fields[key].get(value) ? 0 : value;
}

class Collector {
public:
    explicit Collector(std::string_view source) { out_.source = source; }

    // Several results of ndjson in a row: each numbers its sessions from 0, and what they say of the run adds up.
    void begin_run() {
        place_times();
        if (runs_++ > 0 && !out_.findings.empty()) ++run_;
    }

    void session(dom::object fields) {
        times_[number_of(fields, "index")] = text_of(fields, "first_time");
        dom::array rules;
        if (fields["not_shown"].get(rules)) return;
        for (const dom::element rule : rules) {
            dom::object counts;
            if (rule.get(counts)) continue;
            constexpr std::string_view kSeverities[] = {"info", "warning", "error"};
            for (std::size_t i = 0; i < 3; ++i) out_.not_shown_by_severity[i] += number_of(counts, kSeverities[i]);
        }
    }

    void summary(dom::object fields) {
        std::string policy = text_of(fields, "policy");
        if (runs_ > 1 && policy != out_.policy) policy.clear();  // severities that two policies decided
        out_.policy = std::move(policy);
        if (std::string least = text_of(fields, "min_severity"); !least.empty()) out_.least = std::move(least);
        std::uint64_t sessions = 0;
        if (!fields["sessions"].get(sessions)) out_.sessions = out_.sessions.value_or(0) + sessions;
    }

    void input(dom::object fields) {
        if (const std::string error = text_of(fields, "error"); !error.empty())
            out_.problems.push_back(text_of(fields, "path") + ": " + error);
    }

    // An input that led nowhere is a note of severity error, and no other note is.
    void note(dom::object fields) {
        if (text_of(fields, "severity") == "error") out_.problems.push_back(text_of(fields, "text"));
    }

    bool finding(dom::object fields) {
        SavedFinding f;
        f.rule = text_of(fields, "rule");
        f.severity = text_of(fields, "severity");
        f.message = text_of(fields, "message");
        f.path = text_of(fields, "path");
        f.session_id = text_of(fields, "session_id");
        f.silenced = text_of(fields, "baseline_state") == "unchanged";
        dom::object part;
        f.suppressed = !fields["suppressed"].get(part);
        if (!fields["span"].get(part)) {
            f.first_line = number_of(part, "first_line");
            f.last_line = number_of(part, "last_line");
            f.first_file_line = number_of(part, "first_file_line");
            f.last_file_line = number_of(part, "last_file_line");
        }
        if (!fields["fingerprints"].get(part)) {
            f.id = text_of(part, "agentAuditFinding/v1");
            f.pattern = text_of(part, "agentAuditPattern/v1");
        }
        if (f.rule.empty() || f.pattern.empty() || f.id.empty()) return false;
        sessions_.push_back(number_of(fields, "session"));
        f.run = run_;
        out_.findings.push_back(std::move(f));
        return true;
    }

    void rule(dom::object fields) {
        std::string id = text_of(fields, "rule");
        if (!id.empty() && std::ranges::find(out_.rules, id) == out_.rules.end()) out_.rules.push_back(std::move(id));
        out_.not_shown += number_of(fields, "not_shown");
    }

    SavedFindings take() {
        place_times();
        return std::move(out_);
    }

private:
    void place_times() {
        for (; timed_ < sessions_.size(); ++timed_) {
            if (const auto time = times_.find(sessions_[timed_]); time != times_.end())
                out_.findings[timed_].first_time = time->second;
        }
        times_.clear();
    }

    SavedFindings out_;
    std::vector<std::uint64_t> sessions_;  // of the findings
    std::size_t timed_ = 0;                // so many findings know the time of their session
    std::map<std::uint64_t, std::string> times_;
    std::size_t runs_ = 0, run_ = 0;
};

Error no_finding(std::string_view source, std::size_t at) {
    return {fmt::format("{}: findings[{}]: expected a rule and fingerprints", source, at)};
}

template <class Take>
bool each(dom::object fields, std::string_view list, const Take& take) {
    dom::array items;
    if (fields[list].get(items)) return false;
    for (const dom::element item : items) {
        dom::object one;
        if (!item.get(one)) take(one);
    }
    return true;
}

Result<SavedFindings> read_object(dom::object result, std::string_view source) {
    Collector collector(source);
    std::size_t at = 0;
    bool sound = true;
    if (!each(result, "findings", [&](dom::object f) {
            sound = sound && collector.finding(f);
            at += sound;
        })) {
        return Error{fmt::format("{}: expected a list \"findings\"", source)};
    }
    if (!sound) return no_finding(source, at);
    each(result, "inputs", [&](dom::object input) { collector.input(input); });
    each(result, "notes", [&](dom::object note) { collector.note(note); });
    each(result, "sessions", [&](dom::object session) { collector.session(session); });
    dom::object summary;
    if (result["summary"].get(summary)) return collector.take();
    collector.summary(summary);
    each(summary, "rules", [&](dom::object rule) { collector.rule(rule); });
    return collector.take();
}

Error cut_off(std::string_view source) {
    return {fmt::format("{}: the result is cut off: its last line is no summary", source)};
}

Result<SavedFindings> read_lines(std::string_view text, std::string_view source) {
    Collector collector(source);
    dom::parser parser;
    std::size_t line = 0, findings = 0;
    bool ended = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view one = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        if (one.find_first_not_of(" \t\r") == one.npos) continue;
        dom::element element;
        dom::object fields;
        if (parser.parse(one.data(), one.size()).get(element) || element.get(fields)) {
            return Error{fmt::format("{}:{}: not a line of a result", source, line)};
        }
        const std::string kind = text_of(fields, "kind");
        if (kind == "run") {
            if (line > 1 && !std::exchange(ended, false)) return cut_off(source);
            collector.begin_run();
        }
        if (kind == "finding" && !collector.finding(fields)) return no_finding(source, findings);
        findings += kind == "finding";
        if (kind == "summary") collector.summary(fields);
        if (kind == "session") collector.session(fields);
        if (kind == "input") collector.input(fields);
        if (kind == "note") collector.note(fields);
        if (kind == "metric" && text_of(fields, "name") == "rule") collector.rule(fields);
        ended = ended || kind == "summary";
    }
    // Half a result would make everything in the other half look fixed.
    if (!ended) return cut_off(source);
    return collector.take();
}

// What a result names as its schema, of whatever version.
std::string_view schema_in(std::string_view text) {
    constexpr std::string_view kName = "\"agent-audit/result/";
    const std::string_view head = without_byte_order_mark(text).substr(0, kHead);
    const std::size_t at = head.find(kName);
    if (at == head.npos) return {};
    const std::string_view schema = head.substr(at + 1);
    return schema.substr(0, schema.find('"'));
}

}  // namespace

bool looks_like_result(std::string_view text) {
    const std::string_view head = without_byte_order_mark(text).substr(0, kHead);
    return head.find(kSchema) != head.npos && head.find_first_not_of(" \t\r\n") == head.find('{');
}

Result<SavedFindings> parse_saved_findings(std::string_view text, std::string_view source) {
    if (const std::string other = other_version(schema_in(text), kSchema); !other.empty())
        return Error{fmt::format("{}: {}", source, other)};
    if (!looks_like_result(text)) return Error{fmt::format("{}: not a result of scan -f json or -f ndjson", source)};
    text = without_byte_order_mark(text);
    const std::string_view first = text.substr(0, std::min(text.find('\n'), text.size()));
    dom::parser parser;
    dom::element document;
    dom::object fields;
    if (!parser.parse(first.data(), first.size()).get(document) && !document.get(fields) &&
        text_of(fields, "kind") == "run") {
        return read_lines(text, source);
    }
    if (const auto error = parser.parse(text.data(), text.size()).get(document)) {
        return Error{not_json(source, text, simdjson::error_message(error))};
    }
    if (document.get(fields) || text_of(fields, "schema") != kSchema) {
        return Error{fmt::format("{}: not a result of scan -f json or -f ndjson", source)};
    }
    return read_object(fields, source);
}

}  // namespace agent_audit
