#pragma once

#include "config/toml_tree.hpp"
#include "policy/policy_keys.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// One policy file by itself: what it gives, and what is wrong with it.
namespace agent_audit::policy {

/// One value of a file.
struct Given {
    Path path;
    const PolicyKey* row = nullptr;
    Path wild;  ///< what stands for the <names> of the key
    Value value;
    std::string text;  ///< as it could be written
    std::string origin;
};

/// What one file gives, in its order.
struct Layer {
    std::vector<Given> values;
    std::string extends;  ///< the policy that this one builds on; empty: none
    std::uint32_t extends_line = 0;
};

/// Reads a file of which `source` is the name that problems and origins say. A policy that the program ships is right
/// by itself, and needs no version.
Layer read_layer(const TomlTable& root, const std::string& source, std::vector<std::string>& problems, bool built_in);

/// What a key takes, in words. `path`: where it stands, for keys whose range depends on it.
std::string takes(const PolicyKey& row, const Path& path = {});

}  // namespace agent_audit::policy
