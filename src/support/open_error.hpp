#pragma once

#include <agent_audit/support/result.hpp>

#include <string>
#include <string_view>

namespace agent_audit {

/// What an errno value means, in lower case and the same in every locale: "no such file or directory".
std::string reason(int error_number);

/// "cannot open 'logs/x.jsonl': no such file or directory": one form for every file that somebody names.
Error cannot_open(std::string_view path, int error_number);

}  // namespace agent_audit
