#include "readers/claude_code/claude_code_advice.hpp"

#include "readers/claude_code/claude_code_collector.hpp"
#include "readers/claude_code/claude_code_line.hpp"

#include <utility>

namespace agent_audit::readers {
namespace {

// `model` stays empty where the part is no advisor's.
bool collect_advice(json::value& v, std::string_view& model, TokenCounts& tokens) {
    if (!is_object(v)) return true;
    json::object part;
    if (v.get_object().get(part)) return false;
    bool advice = false;
    for (auto item : part) {
        json::field field;
        if (std::move(item).get(field)) return false;
        const char* key = field.key().raw();
        json::value n = std::move(field).value();
        if (key_is(key, "type"))
            advice = raw_string(n) == "advisor_message";
        else if (key_is(key, "model"))
            model = raw_string(n);
        else if (!ClaudeCodeCollector::collect_figure(key, n, tokens))
            return false;
    }
    if (!advice) model = {};
    return true;
}

}  // namespace

void each_claude_code_advice(json::parser& parser, std::string_view parts,
                             const std::function<void(std::string_view model, const TokenCounts& tokens)>& take) {
    json::document doc;
    json::array array;
    if (parser.iterate(parts.data(), parts.size(), parts.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
        doc.get_array().get(array)) {
        return;
    }
    for (auto item : array) {
        json::value part;
        std::string_view model;
        TokenCounts tokens;
        if (std::move(item).get(part) || !collect_advice(part, model, tokens)) return;
        if (!model.empty()) take(model, tokens);
    }
}

}  // namespace agent_audit::readers
