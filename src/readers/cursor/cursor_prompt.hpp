#pragma once

#include <agent_audit/model/text.hpp>

namespace agent_audit::readers {

/// A prompt as Cursor sends it. What the editor adds (pages of the web, open files, reminders) stands in tags of its
/// own, what the human wrote in `<user_query>`. A text without tags is all query, one in other tags alone has none.
struct CursorPrompt {
    RawText before, query, behind;  ///< without white space around them; views of the text
};

CursorPrompt split_cursor_prompt(RawText text);

}  // namespace agent_audit::readers
