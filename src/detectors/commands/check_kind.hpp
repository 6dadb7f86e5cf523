#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// Kinds of check, one bit each.
using CheckKinds = std::uint8_t;
inline constexpr CheckKinds kTestCheck = 1, kBuildCheck = 2, kTypeCheck = 4, kLintCheck = 8;
inline constexpr CheckKinds kEveryCheck = kTestCheck | kBuildCheck | kTypeCheck | kLintCheck;

/// What a check is about.
struct CheckScope {
    CheckKinds names = 0;  ///< kinds that it names; none: `make check`, `pre-commit run`
    CheckKinds settles =
        0;  ///< kinds that may count as passed when it passes; those it names, and what they often include
};

/// Of a command line as a step keeps it, or of a tool (run_tests). A line that was cut may go on with any other check.
CheckScope scope_of_check(std::string_view raw_tool, RawText line);

/// The kinds that a text in plain words names: "tests", "build", "types", "lint".
CheckKinds kinds_named_in(std::string_view text);

/// "the tests", "the build": of one kind.
std::string_view words_for(CheckKinds kind);

}  // namespace agent_audit::detectors
