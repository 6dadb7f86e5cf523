#pragma once

#include "pipeline/audit/limit_needs.hpp"
#include "pipeline/audit/session_audit.hpp"
#include "pipeline/inputs/inputs.hpp"
#include "pipeline/inputs/work_order.hpp"
#include "pipeline/settings/silence.hpp"

#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/pipeline/run_settings.hpp>
#include <agent_audit/tokens/ledger.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit {

/// The rules that apply to one format.
struct FormatRules {
    std::vector<BoundDetector> rules;
    std::vector<SkippedRule> skipped;
    Signals offered{};
};

/// Worked out when the first input of that format is met: a run meets few of some forty.
struct LazyRules {
    std::once_flag once;
    FormatRules made;
};

/// What became of an input.
struct InputResult {
    InputReport* report = nullptr;  // in AuditRun::inputs
    std::uint32_t input = 0;        // its place there
    std::vector<SessionPart> sessions;
    std::size_t merged = 0;   // of them
    bool no_session = false;  // it was read, and is something else: nobody who named a folder wants to know
    std::string_view layout;  // but of a layout whose sessions no reader reads
};

/// Where the findings of a rule stand in Report::findings, the oldest first.
struct Listed {
    std::array<std::vector<std::size_t>, 3> by_severity;
};

/// What one run knows, from its plan to its report: read by audit_inputs.hpp, told by build_report.hpp.
struct AuditRun {
    AuditRun(const AuditPlan& p, const std::vector<BoundDetector>& r, const ModelTable& m)
        : plan(p), rules(r), models(m), merger(std::in_place, &m) {}

    const AuditPlan& plan;
    const std::vector<BoundDetector>& rules;
    const ModelTable& models;
    RunOptions options;
    std::vector<RunLimit> set_limits;
    std::vector<LimitNeed> needs;   // of these
    std::vector<SkippedRule> idle;  // all rules, where none has anything to watch for
    const ReaderSpec* forced = nullptr;
    InputLimits limits;
    std::size_t course_points = 0;
    mutable std::vector<LazyRules> formats = std::vector<LazyRules>(all_readers().size());  // in the order of readers
    std::vector<const ProfileSpec*> profiles;
    Silences silences;
    std::map<std::string, std::uint64_t, std::less<>> silenced;  // findings listed as such, by rule
    std::vector<Listed> listed;                                  // by position in Report::rules
    std::vector<std::string> problems;                           // with what the plan names as inputs
    std::uint64_t filtered = 0;                                  // files it names and does not mean
    std::vector<InputPath> paths;
    std::vector<IdHash> own_files;    // sub-agents with a file of their own, sorted
    std::vector<InputReport> inputs;  // on their way into the report; `results` beside them
    std::vector<InputResult> results;
    std::optional<WorkOrder> order;

    // Requests are counted once over the run, in the order above whatever thread was faster, and then let go: a run
    // over a terabyte must not keep every request until its end.
    std::mutex merging;
    std::vector<char> finished;         // by position in `order`
    std::size_t merged = 0;             // positions before this one are merged
    std::optional<UsageMerger> merger;  // until the workers are done
    std::deque<PackedTotals> bills;     // then, by SessionPart::merged_as
    bool merger_forgot = false;
    std::uint64_t printed_copies = 0;
};

/// Sets `work` to the inputs, in as many threads as the plan asks for. Each takes its share of AuditRun::order.
void in_threads(AuditRun& run, void (*work)(AuditRun&));

}  // namespace agent_audit
