#pragma once

#include <map>
#include <string>
#include <string_view>

namespace agent_audit {

/// A setting as text, with where it came from, so that an error can point at it.
struct Setting {
    std::string value;
    std::string origin;  ///< "default", "flag --set", "agent-audit.toml:4"
};

/// Settings by "rule-id.parameter". Typing happens in the room that owns the parameter (config/params.hpp).
class Settings {
public:
    void set(std::string key, Setting setting) { values_[std::move(key)] = std::move(setting); }

    const Setting* find(std::string_view key) const {
        const auto it = values_.find(key);
        return it == values_.end() ? nullptr : &it->second;
    }
    const std::map<std::string, Setting, std::less<>>& all() const { return values_; }

private:
    std::map<std::string, Setting, std::less<>> values_;
};

}  // namespace agent_audit
