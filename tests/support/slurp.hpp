#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace agent_audit::test {

/// All bytes of a file; empty where there is none.
inline std::string slurp(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace agent_audit::test
