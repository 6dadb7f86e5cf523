#pragma once

#include <agent_audit/model/text.hpp>

namespace agent_audit::detectors {

/// Do two outputs of a linter or a compiler end with the same count of errors, three at least, and are these of the
/// same kinds? Then they stand at other places: what was rewritten only moved them. Not where a compiler that stops at
/// the first file with errors stops at another one.
bool counts_alike(RawText before, RawText now);

}  // namespace agent_audit::detectors
