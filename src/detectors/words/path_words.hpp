#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// A word with a slash or an ending that files have, and no and/or, 3/4 or the like.
bool looks_like_path(std::string_view word);

/// The paths of a text: words with a slash or an ending that files have, and what stands in backticks and looks so.
std::vector<std::string> paths_in(std::string_view text, std::size_t most);

/// True when `path` is `target`, lies below it, or ends with it at a slash. A `*` in the target stands for any part of
/// a name.
bool path_matches(std::string_view path, std::string_view target);

/// The same, where the ~ of a target stands for the home folder of whoever it is: ~/mill is /home/noor/mill.
bool is_path_of(std::string_view path, std::string_view target);

/// "tests/src/a.py" is a copy of "src/a.py" for tests, and not that file: of a path below the folder of the session,
/// what stands before a target that begins with a folder of sources. False where the target is a bare name.
bool is_in_copy(std::string_view path, std::string_view target);

/// "src/a.py" may lie below "/home/noor/mill" or "~/mill/src", and not below "/home/noor/mill/src/auth": where the
/// folder of the session is not known, only a name that stands in both tells. False for a path that is no relative one.
bool may_lie_below(std::string_view path, std::string_view target);

/// Does `target` stand in the line as a path: whole, or with directories before or below it? `copies`: also where it is
/// one of is_in_copy().
bool names_path(std::string_view line, std::string_view target, bool copies = true);

/// Scratch files are nobody's scope.
bool is_scratch(std::string_view path);

}  // namespace agent_audit::detectors
