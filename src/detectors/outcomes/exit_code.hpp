#pragma once

#include <agent_audit/model/text.hpp>

#include <optional>

namespace agent_audit::detectors {

/// The exit code a shell-like tool wrote into its output ("Exit code 1", "Process exited with code 0", …). Only the
/// first and the last 400 bytes are looked at: further inside, such words are the output of some other program.
std::optional<int> exit_code_in(RawText text);

/// True when the output says in so many words that what was run failed: a traceback, a compiler error, a failed test, a
/// missing command. Same 400 bytes. Careful: "0 failed", "no errors" and talk about errors do not count.
bool says_failure(RawText text);

/// The same of the output of a check whose exit code a pipe or `|| true` has hidden: also by a count of failures ("2
/// failed", "Failures: 1"), and not where the check says that all is well.
bool check_failed(RawText text);

/// Does the output of a check count failures, at its end or at its beginning? A check that was broken off, or did not
/// begin, counts none.
bool counts_failures(RawText text);

/// Does the answer of an editing tool open with the words by which such tools say that they changed nothing?
bool edit_refused(RawText text);

}  // namespace agent_audit::detectors
