#include "readers/gemini/gemini_mcp.hpp"

#include "readers/gemini/gemini_marks.hpp"

#include <agent_audit/support/unescape.hpp>

#include <string_view>

namespace agent_audit::readers {
namespace {

constexpr std::size_t kLongest = 64u << 10;  // of what a tool says
constexpr std::string_view kText = "\"text\":\"";

// The inside of the string that begins at `at`, with its escapes.
std::string_view string_at(std::string_view json, std::size_t at) {
    std::size_t end = at;
    while (end < json.size() && json[end] != '"') end += json[end] == '\\' ? 2 : 1;
    return json.substr(at, end < json.size() ? end - at : json.npos);
}

// The object that opens at `open`, to the end where it does not close.
std::string_view object_at(std::string_view json, std::size_t open) {
    int depth = 0;
    for (std::size_t at = open; at < json.size(); ++at) {
        if (json[at] == '"')
            at += string_at(json, at + 1).size() + 1;
        else if (json[at] == '{')
            ++depth;
        else if (json[at] == '}' && --depth == 0)
            return json.substr(open, at + 1 - open);
    }
    return json.substr(open);
}

// Qwen Code writes what the tool said as the error, and once more beside it.
std::string_view said_once(std::string_view json) {
    constexpr std::string_view kError = "\"response\":{\"error\":{";
    const std::size_t at = json.find(kError);
    if (at == json.npos) return json;
    const std::string_view error = object_at(json, at + kError.size() - 1);
    return error.find(kText) == error.npos ? json : error;
}

}  // namespace

RawText mcp_answer(RawText answer, std::string& room) {
    constexpr std::string_view kBegin = "MCP tool '",
                               kCall = "' reported tool error for function call: ", kResponse = " with response: ";
    constexpr std::size_t kLongestName = 200;
    if (answer.form == TextForm::json_value) return answer;
    answer = without_marks(answer);
    const std::string_view whole = answer.bytes;
    if (!whole.starts_with(kBegin)) return answer;
    if (whole.substr(0, kLongestName + kBegin.size() + kCall.size()).find(kCall) == whole.npos) return answer;
    const std::size_t at = whole.rfind(kResponse);
    if (at == whole.npos) return answer;
    answer.bytes.remove_prefix(at + kResponse.size());
    const std::string response = answer.form == TextForm::json_string ? decode_json_string(answer.bytes, kLongest)
                                                                      : std::string(answer.bytes.substr(0, kLongest));
    const std::string_view json = said_once(response);
    room.clear();
    for (std::size_t text = json.find(kText); text != json.npos; text = json.find(kText, text)) {
        const std::string_view said = string_at(json, text += kText.size());
        if (!room.empty()) room += "\\n";
        room += said;
        text += said.size();
    }
    return room.empty() ? answer : RawText{room, TextForm::json_string};
}

}  // namespace agent_audit::readers
