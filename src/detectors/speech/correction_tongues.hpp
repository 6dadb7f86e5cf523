#pragma once

#include <string_view>

/// Verdicts about the work in other languages than English.
namespace agent_audit::detectors {

bool is_chinese(std::string_view text);
bool is_korean(std::string_view text);
/// German, French, Portuguese, Spanish, Japanese.
bool is_in_other_language(std::string_view text);

}  // namespace agent_audit::detectors
