#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/settings/options.hpp"

#include <agent_audit/pipeline/replayer.hpp>

#include <span>
#include <string_view>

namespace agent_audit::cli {

/// What agent-audit.toml says to a command that judges sessions and has flags of its own: found, extended and checked
/// as for `scan`, --config and --no-config included. Of the command's flags only those in `shared` mean the same as
/// scan's (--input-format, --jobs, --prices, --redact, --max-line-size); they win over the files. No baseline is read.
Result<ScanOptions> project_options(std::span<const FlagSpec> flags, const Arguments& arguments,
                                    std::span<const std::string_view> shared);

/// Of these options, what holds beside a policy.
ProjectSettings project_settings(const ScanOptions& options);

}  // namespace agent_audit::cli
