#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/text.hpp>

namespace agent_audit::detectors {

/// The part of one file that a command like `sed -n 10,20p f`, `head -50 f` or `cat f | tail -n +200` shows. All zero
/// when it shows several files, or when it is not that simple.
FileTouch shell_read(RawText command);

/// The file that a command writes from a here-document, or changes with an inline patch. Otherwise all zero.
FileTouch shell_write(RawText command);

}  // namespace agent_audit::detectors
