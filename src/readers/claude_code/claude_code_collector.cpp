#include "readers/claude_code/claude_code_collector.hpp"

#include <algorithm>

namespace agent_audit::readers {
namespace {

bool collect_total(json::value& v, TokenCounts& tokens, std::uint64_t& window, double& cost_usd) {
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
        else if (key_is(key, "costUSD"))
            cost_usd += std::max(0.0, as_double(n, 0));
        else if (key_is(key, "contextWindow"))
            window = as_uint(n);
    }
    return true;
}

}  // namespace

// {"<model>":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4,
//   "contextWindow":5}}
// What is new since the result before says the same of this run alone: a session that is resumed has all of its past in
// the totals.
bool ClaudeCodeCollector::collect_totals(json::value& v, bool alone) {
    if (line_.totals_alone) return true;
    totals_->begin(alone);
    line_.has_totals = true;
    line_.totals_alone = alone;
    if (!is_object(v)) return true;
    double cost_usd = 0;
    json::object models;
    if (v.get_object().get(models)) return false;
    for (auto item : models) {
        json::field field;
        if (std::move(item).get(field)) return false;
        const std::string_view name = key_text(field.key().raw());
        json::value one = std::move(field).value();
        TokenCounts* total = is_object(one) ? totals_->total_of(name) : nullptr;
        std::uint64_t window = 0;
        if (total && !collect_total(one, *total, window, cost_usd)) return false;
        if (window > 0) totals_->window_is(name, window);
    }
    if (alone) line_.cost_usd = cost_usd;
    return true;
}

}  // namespace agent_audit::readers
