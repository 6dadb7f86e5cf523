#pragma once

#include <agent_audit/model/text.hpp>

namespace agent_audit::readers {

/// What a tool answered, without what Gemini CLI and its relatives put around it: the mark of what comes from outside
/// (<untrusted_context>), and behind it the advice of a hook (<hook_context>; Qwen Code adds it bare: ours is known by
/// its tag). Neither is of the tool, and an answer is the same with or without them.
RawText without_marks(RawText answer);

}  // namespace agent_audit::readers
