#pragma once

#include <string>
#include <string_view>

namespace agent_audit {

/// A message of ours about an input that counts records: "records 9-12" in place of "lines 9-12". What stands in
/// backticks is somebody else's and stays.
std::string with_records(std::string_view message);

}  // namespace agent_audit
