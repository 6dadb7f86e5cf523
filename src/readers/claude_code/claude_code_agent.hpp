#pragma once

#include "readers/json/json_util.hpp"
#include "readers/json/walk.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// What lies beside the file of a sub-agent: {"agentType":"Explore","description":"…","toolUseId":"toolu_01…"}
class ClaudeCodeAgent {
public:
    /// False: that is no such record, and nothing is known.
    bool read(std::string_view text, json::parser& parser) {
        *this = {};
        json::document doc;
        json::object object;
        if (parser.iterate(text.data(), text.size(), text.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
            doc.get_object().get(object))
            return false;
        const bool whole = each_field(object, [this](const char* key, json::value& v) {
            if (key_is(key, "agentType"))
                type_ = raw_string(v);
            else if (key_is(key, "description"))
                task_ = raw_string(v);
            else if (key_is(key, "toolUseId"))
                call_ = raw_string(v);
            return true;
        });
        if (!whole) *this = {};
        return !type_.empty();
    }

    /// "Explore a1b2c3 (toolu_01…): Find the config", with the call of the parent; of a file alone its agent.
    std::string label(std::string_view agent) const {
        constexpr std::size_t kLongest = 200;  // bytes of a part: models are asked for a few words
        std::string all(type_, 0, kLongest);
        if (!all.empty()) all += ' ';
        all += agent;
        if (!type_.empty() && !call_.empty()) all.append(" (").append(call_, 0, kLongest).append(")");
        if (!type_.empty() && !task_.empty()) all.append(": ").append(task_, 0, kLongest);
        return all;
    }

private:
    std::string type_, task_, call_;
};

}  // namespace agent_audit::readers
