#pragma once

#include "detectors/speech/stated_rules.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// What a list of the only places to be changed names beside paths.
struct Beside {
    std::vector<Constraint> rules;  ///< of kind only_path: the tests, the README
    bool unnamed = false;           ///< something that nobody here knows by a path: the list allows more than is known
};

/// "src/b.py and its tests", "src/, tests/ and the README", "the docs and src/b.py": `lower` is the list in lower case,
/// `places` are its paths in their order. "and run the tests", "and nothing else" allow nothing more.
Beside beside_places(std::string_view lower, const std::vector<std::string>& places);

}  // namespace agent_audit::detectors
