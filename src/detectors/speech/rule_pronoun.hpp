#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// "… it" in "src/a.ts is generated. Never edit it." and "use a.py as a reference but don't modify it", as the order
/// that it means: "do not edit src/a.ts". `before` = the sentence before; empty = nothing is said of such a thing.
std::string about_pronoun(std::string_view sentence, std::string_view lower, std::string_view before);

}  // namespace agent_audit::detectors
