#pragma once

#include <agent_audit/model/text.hpp>

#include <string_view>

namespace agent_audit::detectors {

/// What a failing command said, without the notices of a package manager or a runtime with which it begins: from the
/// first line that names an error, or else from the first that is no notice. The whole text where it begins with
/// something else, or is nothing but notices.
std::string_view behind_notices(RawText said);

}  // namespace agent_audit::detectors
