#pragma once

#include "cli/settings/config.hpp"

#include <vector>

namespace agent_audit::cli {

/// Every mistake in the files, in the order of their lines. Each thing they say is tried by itself, so that one mistake
/// does not hide another.
std::vector<Error> config_mistakes(const ConfigChoice& choice);

/// Where `problem` is one of these, the others are told at once, so that a file is not mended line by line. Gives back
/// what is left to be told: the last of them, or the problem itself.
Error tell_with_others(const ConfigChoice& choice, Error problem);

}  // namespace agent_audit::cli
