#pragma once

#include "detectors/commands/tool_class.hpp"

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/event.hpp>
#include <agent_audit/model/text.hpp>

#include <span>

namespace agent_audit::detectors {

/// What a call that reads or changes does to one file. Arguments are understood by their shape, whatever the product:
/// paths, old and new text, contents, lists of edits, patches, line ranges; and shell commands that show a part of a
/// file or write one. One pass over the raw bytes, nothing is allocated or decoded, and not even that where the reader
/// hands over the `fields` of `args`.
FileTouch touch_of(const ToolNameClass& tool, ToolClass tool_class, RawText args, RawText primary,
                   std::span<const CallField> fields = {});

/// Adds what only the answer tells: the line of a change (a numbered snippet, a hunk header), the length of a read.
void refine_touch(FileTouch& touch, ToolClass tool_class, RawText answer);

}  // namespace agent_audit::detectors
