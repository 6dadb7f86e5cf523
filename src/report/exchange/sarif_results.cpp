#include "report/exchange/sarif_results.hpp"

#include "report/json/json_parts.hpp"
#include "report/words/human.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::report {
namespace {

// What GitHub takes of one result.
constexpr std::size_t kMaxSteps = 100;  // of a code flow: head and tail stay
constexpr std::size_t kMaxRelated = 100;

class Results {
public:
    explicit Results(SarifParts& parts)
        : parts_(parts), report_(parts.report), options_(parts.options), words_(parts.words), json_(parts.json) {}

    void draw() {
        json_.newline();
        json_.key("results").begin_array();
        for (std::size_t i = 0; i < std::min(parts_.findings.size(), SarifParts::kMaxResults) && !json_.failed(); ++i) {
            json_.begin_object();
            result(*parts_.findings[i]);
            json_.end_object();
            json_.newline();
        }
        absent_results();
        json_.end_array();
    }

private:
    // A rule that can say nothing worse than info measures; it accuses nobody.
    bool is_metric(const Finding& f) const {
        const RuleDoc* doc = find_rule_doc(options_, f.rule);
        return f.severity == Severity::info && doc && doc->worst == Severity::info;
    }

    // What the baseline knows and nothing showed any more. Baselines keep no places, so such a result stands at the
    // file that still lists it.
    void absent_results() {
        if (!report_.baseline) return;
        const auto& absent = report_.baseline->absent;
        const std::size_t room = SarifParts::kMaxResults - std::min(parts_.findings.size(), SarifParts::kMaxResults);
        for (std::size_t i = 0; i < std::min(absent.size(), room) && !json_.failed(); ++i) {
            json_.begin_object();
            absent_result(absent[i]);
            json_.end_object();
            json_.newline();
        }
    }

    void absent_result(const BaselineReport::Gone& gone) {
        json_.text("ruleId", words_.line(gone.rule));
        json_.number("ruleIndex", parts_.rule_index(gone.rule));
        json_.text("kind", "pass");
        json_.text("level", "none");
        parts_.message("message",
                       sarif_message(fmt::format("A pattern of {} that the baseline lists did not occur in this run.",
                                                 words_.line(gone.rule))));
        json_.key("locations").begin_array();
        json_.begin_object();
        json_.key("physicalLocation").begin_object();
        json_.key("artifactLocation").begin_object();
        json_.text("uri", parts_.baseline_uri);
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

    std::optional<std::size_t> input_of(const Finding& f) const {
        if (f.session >= report_.sessions.size()) return {};
        const std::size_t input = report_.sessions.input(f.session);
        return input < report_.inputs.size() ? std::optional(input) : std::nullopt;
    }

    void result(const Finding& f) {
        json_.text("ruleId", words_.line(f.rule));
        json_.number("ruleIndex", parts_.rule_index(f.rule));
        json_.text("kind", is_metric(f) ? "informational" : "fail");
        json_.text("level", is_metric(f) ? "none" : sarif_level(f.severity));
        json_.real("rank", std::clamp(f.confidence * 100, 0.0, 100.0));
        parts_.message("message", sarif_message(words_.told(f)));
        json_.key("locations").begin_array();
        json_.begin_object();
        if (const auto input = input_of(f)) parts_.physical_location(*input, place_of(f, report_).lines, &f);
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
        parts_.physical_location(input, place.counted ? std::nullopt : std::optional(FileLines{e.line, e.line}));
        const std::string record = place.counted ? line_words(e.line, place) + ":" : std::string();
        const std::string text = sarif_message(join({record, words_.line(e.role), words_.line(e.text)}, " "));
        if (!text.empty()) parts_.message("message", text);
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
                places.emplace_back(e.line, sarif_message(join({record, words_.line(e.role)}, " ")));
        }
        if (places.empty()) return;
        json_.key("relatedLocations").begin_array();
        for (std::size_t i = 0; i < places.size(); ++i) {
            json_.begin_object();
            json_.number("id", i + 1);
            parts_.physical_location(
                *input, place.counted ? std::nullopt : std::optional(FileLines{places[i].first, places[i].first}));
            if (!places[i].second.empty()) parts_.message("message", places[i].second);
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

    SarifParts& parts_;
    const Report& report_;
    const RenderOptions& options_;
    FindingWords& words_;
    JsonWriter& json_;
};

}  // namespace

void write_sarif_results(SarifParts& parts) { Results(parts).draw(); }

}  // namespace agent_audit::report
