#pragma once

#include <agent_audit/policy/policy.hpp>
#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::policy {

/// A policy that the program ships: the text of a policy file.
struct BuiltIn {
    std::string_view name;
    std::string_view summary;
    std::string_view text;
};

/// All of them, in the order of lists.
std::span<const BuiltIn> built_in_policies();
/// Null when none is called so.
const BuiltIn* find_built_in(std::string_view name);

/// One key of a policy file: file reader, schema, reference page and `policy show` are made from the same rows.
struct KeyDoc {
    std::string key;       ///< "back-off.base-ms"; <action>, <tool>, <rule> and <param> stand for a name
    std::string takes;     ///< in words
    std::string standard;  ///< the default as it could be written; empty: none
    std::string doc;
    std::string schema;  ///< JSON Schema of its value
};
/// All of them, in the order of a file.
std::vector<KeyDoc> policy_keys();

/// A value of a policy and who gave it.
struct PolicyValue {
    std::string key;
    std::string value;   ///< as it could be written in a file
    std::string origin;  ///< "ci.toml:4", "strict (built in)", "default"
};

/// Order of the key table; values that nobody gave are the defaults.
struct LoadedPolicy {
    RunPolicy policy;
    std::vector<PolicyValue> values;
};

/// Reads a file; the path is as it was written, or beside the file that extends it.
using FileText = std::function<Result<std::string>(const std::string& path)>;

/// A built-in policy by its name, or else a policy file with what it extends. Every mistake is a line in `problems`,
/// with file, line and, for names, the nearest one known; with problems the policy is what could be understood.
LoadedPolicy load_policy(const std::string& name_or_file, const FileText& read, std::vector<std::string>& problems);

/// A policy file to begin with.
std::string starter_policy();

/// JSON Schema of policy files, draft 2020-12.
std::string policy_schema();

}  // namespace agent_audit::policy
