#pragma once

#include <agent_audit/model/text.hpp>

namespace agent_audit::readers {

/// What a command printed, out of the answer that the shell tool of Gemini CLI and of its relatives writes around it:
///
///   Command: npm test          (older versions)
///   Directory: (root)
///   Output: 1 failing
///   Error: (none)
///   Exit Code: 1
///   Signal: 0
///   Background PIDs: (none)
///   Process Group PGID: 28137  (never the same twice)
///
/// Marks around it go as well (see gemini_marks.hpp). The rest says what was called, which the call says already, or
/// what the exit code says. What was written in no such form is given back whole. Read the exit code first.
RawText shell_answer(RawText answer);

}  // namespace agent_audit::readers
