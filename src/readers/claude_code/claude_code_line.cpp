#include "readers/claude_code/claude_code_line.hpp"

namespace agent_audit::readers {
namespace {

bool collect_total(json::value& v, TokenCounts& tokens) {
    json::object figures;
    if (v.get_object().get(figures)) return false;
    for (auto item : figures) {
        json::field field;
        if (std::move(item).get(field)) return false;
        const char* key = field.key().raw();
        json::value n = std::move(field).value();
        if (key_is(key, "inputTokens"))
            tokens.input = as_uint(n);
        else if (key_is(key, "outputTokens"))
            tokens.output = as_uint(n);
        else if (key_is(key, "cacheReadInputTokens"))
            tokens.cache_read = as_uint(n);
        else if (key_is(key, "cacheCreationInputTokens"))
            tokens.cache_write = as_uint(n);
        else if (key_is(key, "cacheCreationEphemeral1hInputTokens"))
            tokens.cache_write_1h = as_uint(n);
        else if (key_is(key, "thinkingTokens"))
            tokens.reasoning = as_uint(n);
    }
    return true;
}

}  // namespace

// {"<model>":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4}}
bool ClaudeCodeCollector::collect_totals(json::value& v) {
    totals_->clear();
    line_.has_totals = true;
    if (!is_object(v)) return true;
    json::object models;
    if (v.get_object().get(models)) return false;
    for (auto item : models) {
        json::field field;
        if (std::move(item).get(field)) return false;
        const std::string_view name = key_text(field.key().raw());
        json::value one = std::move(field).value();
        TokenCounts* total = is_object(one) ? totals_->total_of(name) : nullptr;
        if (total && !collect_total(one, *total)) return false;
    }
    return true;
}

}  // namespace agent_audit::readers
