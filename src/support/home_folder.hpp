#pragma once

#include <cstddef>
#include <string_view>

namespace agent_audit {

/// Bytes of the home directory that `path` begins with, without a slash behind it: /home/ada, /Users/ada, /root,
/// C:\Users\ada, and Windows' drives as its Unix shells spell them. 0 = none. Slashes of Windows' paths may be of
/// either kind and written twice, as JSON has them.
std::size_t home_length(std::string_view path);

}  // namespace agent_audit
