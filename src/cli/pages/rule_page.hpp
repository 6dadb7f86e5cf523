#pragma once

#include <agent_audit/detectors/detector.hpp>

#include <string>

namespace agent_audit::cli {

/// The page of one rule in Markdown: what `explain` prints and docs/reference holds.
std::string rule_page(const DetectorSpec& rule);

/// Policies, error classes and tables: what is set for all rules at once.
std::string settings_page();

}  // namespace agent_audit::cli
