#pragma once

#include <cstdint>

namespace agent_audit::remote {

/// Whether requests can be made here.
enum class CurlStatus : std::uint8_t {
    usable,
    not_found,     ///< the library is not on this machine, or lacks what we need of it
    not_built_in,  ///< its headers were not there when we were built
};

/// Loads libcurl as the first request would. Nothing is sent.
CurlStatus curl_status();

}  // namespace agent_audit::remote
