#pragma once

#include "report/json/json_writer.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/skipped_rule.hpp"

#include <agent_audit/report/renderer.hpp>

#include <vector>

namespace agent_audit::report {

inline constexpr std::string_view kResultSchema = "agent-audit/result/1";

/// Findings that count and those that are silenced, in the order of the report.
std::vector<const Finding*> all_findings(const Report& report);

/// Writes the parts of a report as JSON fields, each into an object the caller has opened: `json` and `ndjson`
/// differ only in how they put the parts together.
class JsonParts {
public:
    JsonParts(const Report& report, const RenderOptions& options, JsonWriter& json)
        : report_(report), options_(options), json_(json), redact_(options.redact) {}

    void head();
    void summary();
    void input(const InputReport& input);
    void session(std::size_t index);
    void finding(const Finding& finding);
    void note(const Note& note);
    /// A named input that led nowhere, as a note.
    void problem(const std::string& text);
    void rule(const RuleRun& rule);
    void model(const ModelTokens& model);

private:
    void tokens(const TokenCounts& counts);
    void ledger(const TokenLedgerTotals& ledger, bool details);
    void list_price(const RequestCost& cost);
    void cost_parts(const CostParts& parts);
    void requests(const TokenCounts& counts, std::uint64_t requests);
    void counts(const SessionCounts& counts);
    void tools(const std::vector<ToolStats>& tools);
    void context(const ContextReport& context);
    void drift(const DriftSeries& drift);
    void goal(const SessionGoal& goal);
    void activity(const ActivityCourse& activity);
    void similarity(const std::vector<SimilaritySeries>& all);
    void lane_context(const LaneContext& lane);
    void context_users(std::string_view list, std::string_view field, const std::vector<ContextUser>& users);
    void cache_misses(const LaneContext& lane);
    void provider_errors(const ProviderErrors& errors);
    void resets(const std::vector<ResetSuggestion>& resets);
    void records(const IngestStats& stats);
    void span(const Finding& finding);
    void pattern(const Finding& finding);
    void wasted(const Finding& finding);
    void because(const Finding& finding);
    void standing(const Finding& finding);
    void baseline();
    void judgement(const Finding& finding);
    void remotes();
    void skipped_rule(const SkippedRule& skipped);
    void skipped_rules(const std::vector<SkippedRule>& skipped);
    void skipped_sums(const std::vector<SkippedTotal>& totals);
    void not_shown(const std::vector<NotShown>& rules);
    void peers(const std::vector<PeerOutcome>& outcomes);
    void peer_totals(const std::vector<PeerTotals>& totals);
    void reaction(std::string_view name, const std::optional<PeerReaction>& reaction);
    void strings(std::string_view name, const std::vector<std::string>& values, bool redact);
    void safe_text(std::string_view name, std::string_view raw);
    void safe_path(std::string_view name, std::string_view raw);

    const Report& report_;
    const RenderOptions& options_;
    JsonWriter& json_;
    Redactor redact_;
};

}  // namespace agent_audit::report
