#include <agent_audit/remote/chat.hpp>

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <nlohmann/json.hpp>

namespace agent_audit::remote {
namespace {

using Json = nlohmann::json;

std::uint64_t count(const Json& object, const char* name) {
    const auto at = object.find(name);
    constexpr std::uint64_t kMost = 1'000'000'000;  // beyond any window: no count of anything
    const std::uint64_t figure = at != object.end() && at->is_number_unsigned() ? at->get<std::uint64_t>() : 0;
    return figure <= kMost ? figure : 0;
}

// A text, or a list of parts with texts.
std::string words_of(const Json& content) {
    if (content.is_string()) return content.get<std::string>();
    std::string out;
    if (!content.is_array()) return out;
    for (const Json& part : content) {
        if (!part.is_object()) continue;
        const auto text = part.find("text");
        if (text != part.end() && text->is_string()) out += text->get_ref<const std::string&>();
    }
    return out;
}

}  // namespace

std::string chat_body(std::string_view model, const ChatQuestion& question) {
    Json body;
    body["model"] = model;
    body["messages"] = Json::array(
        {{{"role", "system"}, {"content", question.system}}, {{"role", "user"}, {"content", question.user}}});
    body["stream"] = false;
    if (!question.schema_name.empty()) {
        body["response_format"] = {{"type", "json_schema"},
                                   {"json_schema",
                                    {{"name", question.schema_name},
                                     {"strict", true},
                                     {"schema", Json::parse(question.schema, nullptr, false)}}}};
    }
    return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

ChatAnswer read_chat(std::string_view body) {
    ChatAnswer out;
    const Json json = Json::parse(body, nullptr, false);
    if (!json.is_object()) {
        out.problem = "the answer is not JSON";
        return out;
    }
    if (const auto usage = json.find("usage"); usage != json.end() && usage->is_object()) {
        out.usage = {count(*usage, "prompt_tokens"), count(*usage, "completion_tokens")};
    }
    out.problem = "the answer is no chat completion";
    const auto choices = json.find("choices");
    if (choices == json.end() || !choices->is_array() || choices->empty() || !(*choices)[0].is_object()) return out;
    const auto message = (*choices)[0].find("message");
    if (message == (*choices)[0].end() || !message->is_object()) return out;
    const auto content = message->find("content");
    if (content != message->end()) out.content = words_of(*content);
    if (out.content.find_first_not_of(" \t\r\n") == std::string::npos) {
        out.content.clear();
        out.problem = "the answer is empty";
        return out;
    }
    out.problem.clear();
    return out;
}

std::string fenced(std::string_view title, std::string_view data) {
    const std::string mark = fingerprint_hex(data);
    std::string out = "<data id=\"" + mark + "\" what=\"" + std::string(title) + "\">\n";
    return out.append(data).append("\n</data id=\"").append(mark).append("\">\n");
}

std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    const std::string_view head = cut_utf8(text, most * 2 / 3);
    std::size_t from = text.size() - (most - most * 2 / 3);
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xC0) == 0x80) ++from;
    const std::string gone = std::to_string(from - head.size());
    return std::string(head) + "\n[" + gone + " bytes left out]\n" + std::string(text.substr(from));
}

}  // namespace agent_audit::remote
