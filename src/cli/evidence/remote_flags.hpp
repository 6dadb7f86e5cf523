#pragma once

#include "cli/arguments/arguments.hpp"

#include <agent_audit/pipeline/text_tokens.hpp>
#include <agent_audit/remote/endpoint.hpp>
#include <agent_audit/support/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::cli {

/// What the flags of one endpoint say: --NAME-url and its company.
struct RemoteFlags {
    std::string name;       ///< of the flags: "judge"
    std::string operation;  ///< "chat/completions"
    std::string url{}, model{}, key_env{}, cache_dir{}, timeout_s{};
    std::string budget{};  ///< "100" calls, or "$0.50"
};

/// Nothing: no endpoint is named, and nothing will be sent. An Error: the flags make no sense together. `models` gives
/// prices; it must outlive the settings.
Result<std::optional<remote::EndpointSettings>> endpoint_settings(const RemoteFlags& flags, const ModelTable& models);

/// Says on standard error where texts will go, when others can read them on the way.
void warn_about(const remote::EndpointSettings& settings);

}  // namespace agent_audit::cli
