#include "report/all.hpp"
#include "report/exchange/uri_base.hpp"
#include "report/json/json_parts.hpp"
#include "report/json/json_writer.hpp"
#include "report/words/finding_place.hpp"
#include "report/words/human.hpp"
#include "report/words/reset_words.hpp"
#include "report/words/verdict.hpp"
#include "support/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace agent_audit::report {
namespace {

// What GitHub takes of an upload; what is left out is said in a notification.
constexpr std::size_t kMaxResults = 25'000;
constexpr std::size_t kMaxSteps = 100;  // of a code flow: head and tail stay
constexpr std::size_t kMaxRelated = 100;
constexpr std::size_t kMaxNotifications = 1'000;
constexpr std::size_t kMaxResets = 100;

std::string_view level(Severity severity) {
    switch (severity) {
        case Severity::error: return "error";
        case Severity::warning: return "warning";
        case Severity::info: return "note";
    }
    return "note";
}

std::string_view problem_severity(Severity severity) {
    return severity == Severity::info ? "recommendation" : name(severity);
}

std::string_view precision(double confidence) {
    if (confidence >= 0.95) return "very-high";
    if (confidence >= 0.85) return "high";
    return confidence >= 0.6 ? "medium" : "low";
}

// "loop/exact-repeat" -> "LoopExactRepeat"
std::string pascal_case(std::string_view id) {
    std::string out;
    bool start = true;
    for (const char c : id) {
        const bool lower = c >= 'a' && c <= 'z';
        const bool letter = lower || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (letter) out += start && lower ? static_cast<char>(c - 32) : c;
        start = !letter;
    }
    return out;
}

std::string sentence(std::string_view words) {
    std::string out(words);
    if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 32);
    if (!out.empty() && !out.ends_with('.')) out += '.';
    return out;
}

// A plain text message has links, [text](target), and places to fill in, {0}: a transcript has neither.
std::string message_text(std::string_view text) {
    const bool link = text.find("](") != text.npos;
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (link && (c == '[' || c == ']')) out += '\\';
        const bool digit =
            (c == '{' && i + 1 < text.size() && is_digit(text[i + 1])) || (c == '}' && i > 0 && is_digit(text[i - 1]));
        out.append(digit ? 2 : 1, c);
    }
    return out;
}

std::string_view mime_type(std::string_view path) {
    for (const std::string_view end : {".db", ".sqlite", ".sqlite3", ".vscdb"}) {
        if (path.ends_with(end)) return "application/vnd.sqlite3";
    }
    if (path.ends_with(".json")) return "application/json";
    if (path.ends_with(".md")) return "text/markdown";
    return "application/x-ndjson";
}

// The length of what lies on the disk is known only where it was read as it is.
bool is_packed(std::string_view path) {
    return path.ends_with(".gz") || path.ends_with(".zst") || path.ends_with(".zip") || path == "-";
}

class Sarif {
public:
    Sarif(const Report& report, const RenderOptions& options, const ByteSink& out)
        : report_(report),
          options_(options),
          words_(report, options, FindingWords::From::checkout),
          findings_(all_findings(report)),
          json_(out, options.guard_ci),
          uris_(report, words_) {
        for (const RuleRun& rule : report.rules) add_rule(rule.id);
        for (const Finding* f : findings_) add_rule(f->rule);
        if (!report.baseline) return;
        for (const BaselineReport::Gone& gone : report.baseline->absent) add_rule(gone.rule);
        baseline_uri_ = uris_.beside(words_.raw_path_of_file(report.baseline->source));
    }

    void draw() {
        json_.begin_object();
        json_.text("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
        json_.text("version", "2.1.0");
        json_.key("runs").begin_array();
        json_.begin_object();
        tool();
        json_.key("automationDetails").begin_object();
        json_.text("id", fmt::format("agent-audit/{}/", options_.category.empty() ? "sarif" : options_.category));
        json_.end_object();
        json_.text("columnKind", "utf16CodeUnits");
        bases();
        artifacts();
        invocation();
        results();
        suggestions();
        json_.end_object();
        json_.end_array();
        json_.end_object();
        json_.newline();
        json_.flush();
    }

private:
    void add_rule(const std::string& id) {
        if (rule_index_.try_emplace(id, rules_.size()).second) rules_.push_back(id);
    }

    void message(std::string_view name, std::string_view text) {
        json_.key(name).begin_object();
        json_.text("text", text);
        json_.end_object();
    }

    // ---- the tool ----------------------------------------------------------------------------------------

    void tool() {
        json_.key("tool").begin_object();
        json_.key("driver").begin_object();
        json_.text("name", "agent-audit");
        json_.known_text("version", options_.tool_version);
        json_.known_text("semanticVersion", options_.tool_version);
        json_.known_text("informationUri", options_.homepage);
        json_.newline();
        json_.key("rules").begin_array();
        for (const std::string& rule : rules_) {
            json_.begin_object();
            one_rule(rule);
            json_.end_object();
            json_.newline();
        }
        json_.end_array();
        notification_kinds();
        json_.end_object();
        json_.end_object();
        json_.newline();
    }

    void one_rule(const std::string& id) {
        json_.text("id", words_.line(id));
        json_.text("name", pascal_case(id));
        const RuleDoc* doc = find_rule_doc(options_, id);
        if (!doc) return;
        message("shortDescription", sentence(doc->summary));
        message("fullDescription", sentence(doc->summary));
        json_.key("help").begin_object();
        json_.text("text", doc->page);
        json_.text("markdown", doc->page);
        json_.end_object();
        if (!options_.homepage.empty()) json_.text("helpUri", rule_uri(id));
        json_.key("defaultConfiguration").begin_object();
        json_.text("level", level(doc->worst));
        json_.end_object();
        json_.key("properties").begin_object();
        json_.key("tags").begin_array();
        json_.text("agent");
        json_.text(id.substr(0, std::min(id.find('/'), id.size())));
        if (!doc->code.empty()) json_.text(doc->code);
        json_.end_array();
        json_.text("precision", precision(doc->confidence));
        json_.text("problem.severity", problem_severity(doc->worst));
        json_.end_object();
    }

    // The rule's page in the documentation: docs/reference/rules/loop-exact-repeat.md
    std::string rule_uri(std::string file) const {
        std::ranges::replace(file, '/', '-');
        return fmt::format("{}/docs/reference/rules/{}.md", options_.homepage, uri_encoded(file));
    }

    void notification_kinds() {
        json_.key("notifications").begin_array();
        for (const LineFateInfo& fate : kLineFates) {
            if (fate.severity == Severity::info) continue;
            json_.begin_object();
            json_.text("id", fate.name);
            message("shortDescription", sentence(fate.doc));
            message("fullDescription", sentence(fate.doc));
            json_.key("help").begin_object();
            json_.text("text", sentence(fate.doc));
            json_.text("markdown", sentence(fate.doc));
            json_.end_object();
            json_.end_object();
        }
        json_.end_array();
    }

    // ---- places ------------------------------------------------------------------------------------------

    void bases() {
        json_.key("originalUriBaseIds").begin_object();
        if (uris_.uses_working_directory()) {
            json_.key(InputUris::kWorkingDirectory).begin_object();
            message("description", words_.from_checkout() ? "The root of the repository."
                                                          : "The directory in which agent-audit was started.");
            json_.end_object();
        }
        if (uris_.uses_elsewhere()) {
            json_.key(InputUris::kElsewhere).begin_object();
            if (options_.redact != Redact::strict && uris_.elsewhere().starts_with('/')) {
                json_.text("uri", "file://" + uri_encoded(uris_.elsewhere()));
            }
            message("description", "The directory that holds all inputs from elsewhere.");
            json_.end_object();
        }
        json_.end_object();
    }

    void artifact_location(std::size_t input) {
        json_.begin_object();
        json_.text("uri", uris_.uri(input));
        json_.text("uriBaseId", uris_.base(input));
        json_.number("index", input);
        json_.end_object();
    }

    void artifacts() {
        json_.newline();
        json_.key("artifacts").begin_array();
        for (std::size_t i = 0; i < report_.inputs.size() && !json_.failed(); ++i) {
            const InputReport& input = report_.inputs[i];
            json_.begin_object();
            json_.key("location");
            artifact_location(i);
            if (!input.error && !is_packed(input.path)) json_.number("length", input.stats.bytes);
            if (i < options_.input_hashes.size() && !options_.input_hashes[i].empty()) {
                json_.key("hashes").begin_object();
                json_.text("sha-256", options_.input_hashes[i]);
                json_.end_object();
            }
            json_.text("mimeType", mime_type(input.path));
            json_.end_object();
            json_.newline();
        }
        json_.end_array();
    }

    // Without lines the location is the whole file.
    void physical_location(std::size_t input, std::optional<FileLines> lines, const Finding* bytes = nullptr) {
        json_.key("physicalLocation").begin_object();
        json_.key("artifactLocation");
        artifact_location(input);
        if (lines && lines->first > 0) {
            json_.key("region").begin_object();
            json_.number("startLine", lines->first);
            json_.number("endLine", std::max(lines->first, lines->last));
            if (bytes && bytes->end_offset > bytes->first_offset) {
                json_.number("byteOffset", bytes->first_offset);
                json_.number("byteLength", bytes->end_offset - bytes->first_offset);
            }
            json_.end_object();
        }
        json_.end_object();
    }

    std::optional<std::size_t> input_of(const Finding& f) const {
        if (f.session >= report_.sessions.size()) return {};
        const std::size_t input = report_.sessions.input(f.session);
        return input < report_.inputs.size() ? std::optional(input) : std::nullopt;
    }

    // Only where the lines of an input are those of its file.
    std::optional<FileLines> line_in_file(std::size_t input, std::uint64_t line) const {
        if (report_.inputs[input].counts_records) return {};
        return FileLines{line, line};
    }

    // ---- the run -----------------------------------------------------------------------------------------

    void notification(std::string_view level_name, std::string_view text, std::optional<std::size_t> input = {},
                      std::uint64_t line = 0, std::string_view kind = {}) {
        if (notifications_++ >= kMaxNotifications) return;
        json_.begin_object();
        if (!kind.empty()) {
            json_.key("descriptor").begin_object();
            json_.text("id", kind);
            json_.end_object();
        }
        message("message", message_text(text));
        json_.text("level", level_name);
        if (input) {
            json_.key("locations").begin_array();
            json_.begin_object();
            physical_location(*input, line_in_file(*input, line));
            json_.end_object();
            json_.end_array();
        }
        json_.end_object();
        json_.newline();
    }

    void invocation() {
        json_.newline();
        json_.key("invocations").begin_array();
        json_.begin_object();
        json_.flag("executionSuccessful", input_problems(report_) == 0);
        json_.number("exitCode", static_cast<std::uint64_t>(std::max(options_.exit_code, 0)));
        json_.key("toolExecutionNotifications").begin_array();
        const std::size_t all = findings_.size() + (report_.baseline ? report_.baseline->absent.size() : 0);
        if (all > kMaxResults) {
            notification("note", fmt::format("{} are not in this file: a run holds {} at most.",
                                             count_of(all - kMaxResults, "more result"), thousands(kMaxResults)));
        }
        for (const std::string& problem : report_.problems) notification("error", words_.line(problem));
        for (std::size_t i = 0; i < report_.inputs.size(); ++i) {
            const InputReport& input = report_.inputs[i];
            if (input.error) notification("error", words_.path(i) + ": " + words_.line(*input.error), i);
            for (const BadRecord& bad : input.bad) {
                const LineFateInfo& fate = info(bad.fate);
                const std::string why = bad.reason.empty() ? std::string(fate.doc) : words_.line(bad.reason);
                notification(level(fate.severity), fmt::format("{}: {}", fate.name, why), i, bad.line, fate.name);
            }
        }
        for (const Note& note : report_.notes) notification(level(note.severity), words_.line(note.text));
        json_.end_array();
        json_.end_object();
        json_.end_array();
    }

    // ---- results -----------------------------------------------------------------------------------------

    // A rule that can say nothing worse than info measures; it accuses nobody.
    bool is_metric(const Finding& f) const {
        const RuleDoc* doc = find_rule_doc(options_, f.rule);
        return f.severity == Severity::info && doc && doc->worst == Severity::info;
    }

    void results() {
        json_.newline();
        json_.key("results").begin_array();
        for (std::size_t i = 0; i < std::min(findings_.size(), kMaxResults) && !json_.failed(); ++i) {
            json_.begin_object();
            result(*findings_[i]);
            json_.end_object();
            json_.newline();
        }
        absent_results();
        json_.end_array();
    }

    // What the baseline knows and nothing showed any more. Baselines keep no places, so such a result stands at the
    // file that still lists it.
    void absent_results() {
        if (!report_.baseline) return;
        const auto& absent = report_.baseline->absent;
        const std::size_t room = kMaxResults - std::min(findings_.size(), kMaxResults);
        for (std::size_t i = 0; i < std::min(absent.size(), room) && !json_.failed(); ++i) {
            json_.begin_object();
            absent_result(absent[i]);
            json_.end_object();
            json_.newline();
        }
    }

    void absent_result(const BaselineReport::Gone& gone) {
        json_.text("ruleId", words_.line(gone.rule));
        json_.number("ruleIndex", rule_index_.find(gone.rule)->second);
        json_.text("kind", "pass");
        json_.text("level", "none");
        message("message",
                message_text(fmt::format("A pattern of {} that the baseline lists did not occur in this run.",
                                         words_.line(gone.rule))));
        json_.key("locations").begin_array();
        json_.begin_object();
        json_.key("physicalLocation").begin_object();
        json_.key("artifactLocation").begin_object();
        json_.text("uri", baseline_uri_);
        json_.text("uriBaseId", InputUris::kWorkingDirectory);
        json_.end_object();
        json_.key("region").begin_object();
        json_.number("startLine", 1);
        json_.end_object();
        json_.end_object();
        json_.end_object();
        json_.end_array();
        json_.key("partialFingerprints").begin_object();
        json_.known_text("agentAuditPattern/v1", words_.line(gone.pattern_fingerprint));
        json_.end_object();
        json_.text("baselineState", "absent");
    }

    // ---- suggestions -------------------------------------------------------------------------------------

    // No results: nobody has to do anything about them, and they are no alerts.
    void suggestions() {
        const std::vector<SessionReset> resets = surest_resets(report_);
        if (resets.empty()) return;
        json_.key("properties").begin_object();
        json_.key("suggestedResets").begin_array();
        for (std::size_t i = 0; i < std::min(resets.size(), kMaxResets) && !json_.failed(); ++i) {
            const ResetSuggestion& reset = resets[i].reset;
            const SessionReport& session = report_.sessions[resets[i].session];
            json_.begin_object();
            if (session.input < report_.inputs.size()) json_.text("uri", uris_.uri(session.input));
            json_.known_text("session", words_.line(session.id));
            json_.number("line", reset.line);
            json_.text("trigger", name(reset.trigger));
            json_.known_text("rule", words_.line(reset.rule));
            json_.number("firstLine", reset.first_line);
            json_.number("knownLine", reset.known_line);
            json_.number("tokensBefore", reset.tokens_before);
            json_.number("tokensAfter", reset.tokens_after);
            json_.number("breakEvenTurns", reset.break_even_turns);
            json_.real("confidence", reset.confidence);
            const LineWords lines(session);
            json_.text("message", words_.line(reset_place(reset, lines) + ": " + reset_reason(reset, lines) + "; " +
                                              reset_gain(reset)));
            json_.end_object();
        }
        json_.end_array();
        json_.end_object();
    }

    void result(const Finding& f) {
        json_.text("ruleId", words_.line(f.rule));
        json_.number("ruleIndex", rule_index_.find(f.rule)->second);
        json_.text("kind", is_metric(f) ? "informational" : "fail");
        json_.text("level", is_metric(f) ? "none" : level(f.severity));
        json_.real("rank", std::clamp(f.confidence * 100, 0.0, 100.0));
        message("message", message_text(words_.told(f)));
        json_.key("locations").begin_array();
        json_.begin_object();
        if (const auto input = input_of(f)) physical_location(*input, place_of(f, report_).lines, &f);
        logical_location(f, f.first_seq);
        json_.end_object();
        json_.end_array();
        code_flow(f);
        related(f);
        json_.key("partialFingerprints").begin_object();
        json_.text("agentAuditFinding/v1", identity(f, report_));
        json_.known_text("agentAuditPattern/v1", f.pattern_fingerprint);
        json_.end_object();
        standing(f);
        properties(f);
    }

    // What the baseline knows and what was suppressed is shown with its state, and counts for nothing.
    void standing(const Finding& f) {
        if (f.baseline != BaselineState::none) {
            json_.text("baselineState", f.baseline == BaselineState::unchanged ? "unchanged" : "new");
        }
        if (!f.suppressed) return;
        json_.key("suppressions").begin_array();
        json_.begin_object();
        json_.text("kind", "external");
        json_.known_text("justification", words_.line(f.suppressed->reason));
        json_.end_object();
        json_.end_array();
    }

    void logical_location(const Finding& f, std::uint64_t seq) {
        const std::string session =
            f.session < report_.sessions.size() ? words_.line(report_.sessions.id(f.session)) : std::string();
        std::string name = session.empty() ? "session" : session;
        if (f.lane != 0) name += fmt::format("/lane {}", f.lane);
        json_.key("logicalLocations").begin_array();
        json_.begin_object();
        json_.text("fullyQualifiedName", name + fmt::format("/event {}", seq));
        json_.end_object();
        json_.end_array();
    }

    void code_flow(const Finding& f) {
        const auto input = input_of(f);
        if (f.evidence.empty() || !input) return;
        json_.key("codeFlows").begin_array();
        json_.begin_object();
        json_.key("threadFlows").begin_array();
        json_.begin_object();
        json_.text("id", f.lane == 0 ? std::string("main") : fmt::format("sub-agent {}", f.lane));
        json_.key("locations").begin_array();
        const std::size_t n = f.evidence.size();
        const std::size_t gap = n > kMaxSteps ? n - kMaxSteps : 0;  // taken out of the middle
        const FindingPlace place = place_of(f, report_);
        for (std::size_t i = 0; i < n; ++i) {
            if (i == kMaxSteps / 2) i += gap;
            step(f.evidence[i], *input, place, i, i == 0 || i + 1 == n);
        }
        json_.end_array();
        json_.end_object();
        json_.end_array();
        json_.end_object();
        json_.end_array();
    }

    void step(const Evidence& e, std::size_t input, const FindingPlace& place, std::size_t index, bool essential) {
        json_.begin_object();
        json_.number("executionOrder", index + 1);
        json_.text("importance", essential ? "essential" : "important");
        if (!e.role.empty()) {
            json_.key("kinds").begin_array();
            json_.text(words_.line(e.role));
            json_.end_array();
        }
        json_.key("location").begin_object();
        physical_location(input, place.counted ? std::nullopt : std::optional(FileLines{e.line, e.line}));
        const std::string record = place.counted ? line_words(e.line, place) + ":" : std::string();
        const std::string text = message_text(join({record, words_.line(e.role), words_.line(e.text)}, " "));
        if (!text.empty()) message("message", text);
        json_.end_object();
        json_.end_object();
    }

    void related(const Finding& f) {
        const auto input = input_of(f);
        if (!input) return;
        const FindingPlace place = place_of(f, report_);
        std::vector<std::pair<std::uint64_t, std::string>> places;
        if (f.reset_line && *f.reset_line > 0) {
            const std::string record = place.counted ? line_words(*f.reset_line, place) : "this record";
            places.emplace_back(*f.reset_line,
                                fmt::format("Suggested reset: after {}, as far as this finding goes.", record));
        }
        for (const Evidence& e : f.evidence) {
            if (e.line == 0 || e.role == "call" || e.role == "result" || e.role == "first" || e.role == "last")
                continue;
            const std::string record = place.counted ? line_words(e.line, place) + ":" : std::string();
            if (places.size() < kMaxRelated)
                places.emplace_back(e.line, message_text(join({record, words_.line(e.role)}, " ")));
        }
        if (places.empty()) return;
        json_.key("relatedLocations").begin_array();
        for (std::size_t i = 0; i < places.size(); ++i) {
            json_.begin_object();
            json_.number("id", i + 1);
            physical_location(
                *input, place.counted ? std::nullopt : std::optional(FileLines{places[i].first, places[i].first}));
            if (!places[i].second.empty()) message("message", places[i].second);
            json_.end_object();
        }
        json_.end_array();
    }

    void properties(const Finding& f) {
        json_.key("properties").begin_object();
        json_.real("confidence", f.confidence);
        if (f.session < report_.sessions.size()) {
            json_.known_text("session", words_.line(report_.sessions.id(f.session)));
        }
        json_.known_number("lane", f.lane);
        json_.known_number("repeats", f.repeats);
        json_.known_number("wastedSteps", f.wasted_steps);
        if (f.wasted_tokens && f.tokens_source != TokensSource::none) {
            json_.number("wastedTokens", f.wasted_tokens->total());
            json_.text("tokensSource", name(f.tokens_source));
        }
        if (f.wasted_cost_microusd) json_.number("wastedCostMicrousd", *f.wasted_cost_microusd);
        json_.known_text("action", words_.line(f.action));
        json_.end_object();
    }

    const Report& report_;
    const RenderOptions& options_;
    FindingWords words_;
    std::vector<const Finding*> findings_;  // those that do not count among them
    JsonWriter json_;
    InputUris uris_;
    std::vector<std::string> rules_;
    std::map<std::string, std::size_t, std::less<>> rule_index_;
    std::string baseline_uri_;
    std::size_t notifications_ = 0;
};

void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    Sarif(report, options, out).draw();
}

}  // namespace

RendererSpec sarif() { return {"sarif", "SARIF 2.1.0, for code scanning", render, Redact::strict, 0, true}; }

}  // namespace agent_audit::report
