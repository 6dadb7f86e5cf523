#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// A program died of what it was given: "Segmentation fault (core dumped)", "thread 'main' panicked at …". Of the input
/// that says as much as an answer.
bool says_crash(std::string_view said);

}  // namespace agent_audit::detectors
