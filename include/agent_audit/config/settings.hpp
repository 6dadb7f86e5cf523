#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {

/// A setting as text, with where it came from, so that an error can point at it.
struct Setting {
    std::string value;
    std::string origin;  ///< "default", "flag --set", "agent-audit.toml:4"
};

/// Settings by "rule-id.parameter" or "table.key". Typing happens in the room that owns the parameter
/// (config/params.hpp).
class Settings {
public:
    void set(std::string key, Setting setting) { values_[std::move(key)].push_back(std::move(setting)); }

    /// What a parameter takes: the value that was given last.
    const Setting* find(std::string_view key) const {
        const auto it = values_.find(key);
        return it == values_.end() ? nullptr : &it->second.back();
    }
    /// What a list takes: every value, in the order given.
    std::span<const Setting> values(std::string_view key) const {
        const auto it = values_.find(key);
        return it == values_.end() ? std::span<const Setting>{} : std::span<const Setting>(it->second);
    }
    /// Keys with their values; none of the lists is empty.
    const std::map<std::string, std::vector<Setting>, std::less<>>& all() const { return values_; }

private:
    std::map<std::string, std::vector<Setting>, std::less<>> values_;
};

}  // namespace agent_audit
