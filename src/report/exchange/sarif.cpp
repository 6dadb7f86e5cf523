#include "report/all.hpp"
#include "report/exchange/sarif_parts.hpp"
#include "report/exchange/sarif_results.hpp"
#include "report/exchange/uri_base.hpp"
#include "report/json/json_parts.hpp"
#include "report/json/json_writer.hpp"
#include "report/words/finding_place.hpp"
#include "report/words/human.hpp"
#include "report/words/reset_words.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace agent_audit::report {
namespace {

// What GitHub takes of an upload; what is left out is said in a notification.
constexpr std::size_t kMaxNotifications = 1'000;
constexpr std::size_t kMaxResets = 100;

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
    explicit Sarif(SarifParts& parts)
        : parts_(parts),
          report_(parts.report),
          options_(parts.options),
          words_(parts.words),
          json_(parts.json),
          uris_(parts.uris) {}

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
        write_sarif_results(parts_);
        suggestions();
        json_.end_object();
        json_.end_array();
        json_.end_object();
        json_.newline();
        json_.flush();
    }

private:
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
        for (const std::string& rule : parts_.rules()) {
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
        parts_.message("shortDescription", sentence(doc->summary));
        parts_.message("fullDescription", sentence(doc->summary));
        json_.key("help").begin_object();
        json_.text("text", doc->page);
        json_.text("markdown", doc->page);
        json_.end_object();
        if (!options_.homepage.empty()) json_.text("helpUri", rule_uri(id));
        json_.key("defaultConfiguration").begin_object();
        json_.text("level", sarif_level(doc->worst));
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
            parts_.message("shortDescription", sentence(fate.doc));
            parts_.message("fullDescription", sentence(fate.doc));
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
            parts_.message("description", words_.from_checkout() ? "The root of the repository."
                                                                 : "The directory in which agent-audit was started.");
            json_.end_object();
        }
        if (uris_.uses_elsewhere()) {
            json_.key(InputUris::kElsewhere).begin_object();
            if (options_.redact != Redact::strict && uris_.elsewhere().starts_with('/')) {
                json_.text("uri", "file://" + uri_encoded(uris_.elsewhere()));
            }
            parts_.message("description", "The directory that holds all inputs from elsewhere.");
            json_.end_object();
        }
        json_.end_object();
    }

    void artifacts() {
        json_.newline();
        json_.key("artifacts").begin_array();
        for (std::size_t i = 0; i < report_.inputs.size() && !json_.failed(); ++i) {
            const InputReport& input = report_.inputs[i];
            json_.begin_object();
            json_.key("location");
            parts_.artifact_location(i);
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
        parts_.message("message", sarif_message(text));
        json_.text("level", level_name);
        if (input) {
            json_.key("locations").begin_array();
            json_.begin_object();
            parts_.physical_location(*input, line_in_file(*input, line));
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
        const std::size_t all = parts_.findings.size() + (report_.baseline ? report_.baseline->absent.size() : 0);
        if (all > SarifParts::kMaxResults) {
            notification("note", fmt::format("{} are not in this file: a run holds {} at most.",
                                             count_of(all - SarifParts::kMaxResults, "more result"),
                                             thousands(SarifParts::kMaxResults)));
        }
        for (const std::string& problem : report_.problems) notification("error", words_.line(problem));
        for (std::size_t i = 0; i < report_.inputs.size(); ++i) {
            const InputReport& input = report_.inputs[i];
            if (input.error) notification("error", words_.path(i) + ": " + words_.line(*input.error), i);
            for (const BadRecord& bad : input.bad) {
                const LineFateInfo& fate = info(bad.fate);
                const std::string why = bad.reason.empty() ? std::string(fate.doc) : words_.line(bad.reason);
                notification(sarif_level(fate.severity), fmt::format("{}: {}", fate.name, why), i, bad.line, fate.name);
            }
        }
        for (const Note& note : report_.notes) notification(sarif_level(note.severity), words_.line(note.text));
        json_.end_array();
        json_.end_object();
        json_.end_array();
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

    SarifParts& parts_;
    const Report& report_;
    const RenderOptions& options_;
    FindingWords& words_;
    JsonWriter& json_;
    InputUris& uris_;
    std::size_t notifications_ = 0;
};

void render(const Report& report, const RenderOptions& options, const ByteSink& out) {
    SarifParts parts(report, options, out);
    Sarif(parts).draw();
}

}  // namespace

RendererSpec sarif() { return {"sarif", "SARIF 2.1.0, for code scanning", render, Redact::strict, 0, true}; }

}  // namespace agent_audit::report
