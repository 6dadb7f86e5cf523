#pragma once

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/model/report.hpp>
#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// Which findings of a run are lived with: severities set by rule, suppressions, the baseline. All findings are shown
/// to see() first, in any order, then asked for one by one in the order of the report: a baseline's count is used up in
/// it.
class Silences {
public:
    Silences();
    Silences(Silences&&) noexcept;
    Silences& operator=(Silences&&) noexcept;
    ~Silences();

    /// Errors name the origin of the suppression.
    static Result<Silences> make(const AuditPlan& plan);

    /// False: nothing is lived with, and nothing needs to be shown to see().
    bool any() const;
    void see(std::span<Finding> findings, const SessionReport& session, std::string_view path);
    /// True when the finding is not to be counted; it then says why itself.
    bool silences(Finding& finding);
    /// What was unused, has ended or no longer occurs.
    void finish(Report& report) const;

private:
    struct Rule;
    struct Known;

    bool suppress(Finding& finding, const SessionReport& session, std::string_view path);
    void note_seen(const Finding& finding);
    Known* entry_of(const Finding& finding);
    /// Already counted as one of the findings that the baseline names.
    bool is_named(const Finding& finding, const Known& known) const;
    void note_ended_and_unused(Report& report) const;

    std::map<std::string, Severity, std::less<>> severities_;
    std::vector<Rule> rules_;
    std::map<std::pair<std::string, std::string>, Known> known_;        // by rule and pattern
    std::map<std::pair<std::string, std::string>, Known*> by_finding_;  // by rule and finding
    std::string baseline_;                                              // its source
    bool has_baseline_ = false;
};

/// Adds what a run says of tools and their commands to the engine's options. Errors name the origin.
std::optional<Error> use_tool_classes(std::span<const ToolClassRule> rules, EngineOptions& options);

}  // namespace agent_audit
