#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// Do two answers to one call say the same but for names that were given anew to the same thing: ids of containers,
/// pods of a deployment, process ids of a service, the commit that is made again; and how often what keeps failing was
/// started again? Volatile parts do not count either. Raw texts, either escaped both or neither.
bool same_but_run_names(std::string_view a, std::string_view b);

}  // namespace agent_audit::detectors
