#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/evidence/remote_flags.hpp"
#include "cli/evidence/text_similarity.hpp"
#include "cli/sessions/input_lists.hpp"
#include "cli/settings/config.hpp"
#include "cli/settings/output_targets.hpp"
#include "cli/terminal/terminal.hpp"

#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/report/renderer.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::cli {

/// How a report is shown and what it means for the exit code: the same for `scan` and `report`.
struct OutputOptions {
    std::vector<OutputTarget> outputs;
    std::optional<Severity> fail_on = Severity::error;  ///< nothing = never
    std::optional<Redact> redact;                       ///< nothing = as each format has it
    std::string category;
    bool gitlab_blocker = false;
    bool with_timing = false;
    bool hash_inputs = false;
    bool strict_input = false;
    unsigned jobs = 1;                                ///< threads that may write an output
    std::uint64_t max_findings = kMaxFindingsOnPage;  ///< of a rule, in the formats that are read and not parsed
    bool fail_on_said = false;                        ///< where somebody said what fails
    std::vector<std::string> idle_flags{};            ///< words about each that no output heeds
    int verbosity = 0;
    When color = When::automatic;
};

/// Everything `scan` was asked for, checked.
struct ScanOptions : OutputOptions {
    AuditPlan plan;
    RemoteFlags judge{"judge", "chat/completions"};
    RemoteFlags embeddings{"embeddings", "embeddings"};
    SimilarityPlan similarity;
    bool chooses = false;  ///< --latest, --project, --since or --until was typed: without INPUT they choose sessions
    bool list_profiles = false;  ///< --as list: say which there are and do nothing else
    InputLists lists{};          ///< of --files-from; their paths are among the inputs of the plan already
    When progress = When::automatic;
};

std::span<const FlagSpec> scan_flags();

/// Turns the words into options, over what files of settings say. Unknown rules, formats and levels are errors with the
/// nearest known name.
Result<ScanOptions> scan_options(const Arguments& arguments);

/// The same for a command that has only some of scan's flags, among others of its own, which are passed over.
Result<ScanOptions> audit_options(std::span<const FlagSpec> flags, const Arguments& arguments);

/// Those of scan's flags with these names, in this order.
std::vector<FlagSpec> scan_flags_named(std::span<const std::string_view> long_names);
/// The same behind flags of a command's own.
std::vector<FlagSpec> with_scan_flags(std::span<const FlagSpec> own, std::span<const std::string_view> long_names);

/// The baseline that flags and files name, or that is found; empty = none. Errors: it makes no sense.
Result<std::string> baseline_path(std::span<const FlagValue> baseline, std::span<const FlagValue> no_baseline,
                                  const Config& config);

}  // namespace agent_audit::cli
