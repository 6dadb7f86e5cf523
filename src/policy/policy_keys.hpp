#pragma once

#include <agent_audit/policy/policy.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The keys of policy files: reader, schema, reference page and `policy show` are made from one table.
namespace agent_audit::policy {

using Path = std::vector<std::string>;

/// What a key takes.
enum class Kind : std::uint8_t { whole, number, flag, text, word, words, texts };

/// A value as a file gives it, by its kind.
struct Value {
    std::int64_t whole = 0;
    double number = 0;
    bool flag = false;
    std::string text;
    std::vector<std::string> texts;
};

/// One key.
struct PolicyKey {
    std::string_view key;  ///< <action>, <tool>, <rule>, <param> and <class> stand for a name
    Kind kind;
    double min = 0, max = 0;                       ///< of numbers; equal: no range of its own
    std::span<const std::string_view> known = {};  ///< of words
    std::string_view standard;                     ///< the default as it could be written; empty: none
    std::string_view doc;
    void (*set)(RunPolicy& p, const Value& v, const Path& wild);  ///< wild: what stands for the <names>
};

/// In the order of the reference page. The first row that fits a path is meant.
const std::vector<PolicyKey>& policy_key_table();

}  // namespace agent_audit::policy
