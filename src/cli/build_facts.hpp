#pragma once

#include <span>
#include <string>
#include <string_view>

// What the build knew about itself. The tables are written by cmake/agent_audit_facts.cmake.

namespace agent_audit::cli {

/// A library or file of others that is linked into the program or embedded in it.
struct Guest {
    std::string_view name;
    std::string_view version;  ///< empty = its headers do not say
    std::string_view license;  ///< SPDX
    std::string_view homepage;
    std::string_view text;  ///< licence and copyright in full, where the build machine had them
};

struct BuildFacts {
    std::string_view compiler;
    std::string_view build_type;
    std::string_view commit;  ///< empty = unknown
    std::string_view system;
    std::string_view license;  ///< our own licence in full
    std::span<const Guest> guests;
};
const BuildFacts& build_facts();

/// What --licenses prints.
std::string licenses_text();

}  // namespace agent_audit::cli
