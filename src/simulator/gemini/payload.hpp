#pragma once

#include <agent_audit/simulator/gemini.hpp>
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

/// Whether a part is a response made from a message: nothing is known of it but name, id and output.
inline bool made_response(const Part& part) { return part.kind == Part::Kind::function_response && !part.json; }
/// The same response with another output.
Part with_made_output(const Part& part, Text output);

/// The output of a response made from a message, as a block of that message.
inline Block output_block(const Part& part) {
    Block block;
    block.kind = BlockKind::text;
    block.has_text = true;
    block.text = part.text;
    return block;
}

}  // namespace agent_audit::simulator::gemini
