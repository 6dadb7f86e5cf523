#pragma once

#include <agent_audit/simulator/js_value.hpp>

#include <string>
#include <string_view>

namespace agent_audit::simulator::gemini {

inline constexpr std::string_view kMaskTag = "tool_output_masked";
inline constexpr std::string_view kMaskOpen = "<tool_output_masked";

/// What a function response holds.
struct Payload {
    bool empty = true;
    std::string indented;  ///< JSON.stringify(response, null, 2)
    std::string words;     ///< its main text
};

inline Payload payload_of(const JsValue& response) {
    Payload out{!response.truthy(), response.is_undefined() ? std::string() : response.stringify(2), {}};
    const std::string* words = response.string()             ? response.string()
                               : response["output"].string() ? response["output"].string()
                                                             : response["content"].string();
    out.words = words ? *words : out.indented;
    return out;
}

}  // namespace agent_audit::simulator::gemini
