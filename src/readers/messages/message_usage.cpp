#include "readers/messages/message_usage.hpp"

#include "readers/json/walk.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace agent_audit::readers {
namespace {

enum class Cached : std::uint8_t { as_it_is, inside };  // the prompt; whether the name tells

struct Name {
    std::string_view name;
    std::uint64_t UsageFields::*field;
    Cached cached = Cached::as_it_is;
};

constexpr std::array kNames{
    Name{"prompt_tokens", &UsageFields::prompt, Cached::inside},
    Name{"input_tokens", &UsageFields::prompt},
    Name{"completion_tokens", &UsageFields::output},
    Name{"output_tokens", &UsageFields::output},
    Name{"cache_read_input_tokens", &UsageFields::cache_read},
    Name{"cache_creation_input_tokens", &UsageFields::cache_write},
    Name{"prompt_cache_hit_tokens", &UsageFields::cache_read, Cached::inside},
    // Bedrock's Converse and the AI SDK
    Name{"inputTokens", &UsageFields::prompt},
    Name{"outputTokens", &UsageFields::output},
    Name{"cacheReadInputTokens", &UsageFields::cache_read},
    Name{"cacheWriteInputTokens", &UsageFields::cache_write},
    Name{"cachedInputTokens", &UsageFields::cache_read, Cached::inside},
    Name{"reasoningTokens", &UsageFields::reasoning},
    Name{"inputTokenCount", &UsageFields::prompt},
    Name{"outputTokenCount", &UsageFields::output},
    Name{"cacheReadInputTokenCount", &UsageFields::cache_read},
    Name{"cacheWriteInputTokenCount", &UsageFields::cache_write},
    Name{"promptTokens", &UsageFields::prompt, Cached::inside},
    Name{"completionTokens", &UsageFields::output},
    // Gemini, in both spellings
    Name{"promptTokenCount", &UsageFields::prompt, Cached::inside},
    Name{"candidatesTokenCount", &UsageFields::output},
    Name{"thoughtsTokenCount", &UsageFields::thoughts},
    Name{"cachedContentTokenCount", &UsageFields::cache_read},
    Name{"prompt_token_count", &UsageFields::prompt, Cached::inside},
    Name{"candidates_token_count", &UsageFields::output},
    Name{"thoughts_token_count", &UsageFields::thoughts},
    Name{"cached_content_token_count", &UsageFields::cache_read},
};

constexpr std::array kDetails{
    Name{"cached_tokens", &UsageFields::cache_read, Cached::inside},
    Name{"cache_write_tokens", &UsageFields::cache_write},
    Name{"reasoning_tokens", &UsageFields::reasoning},
    Name{"ephemeral_1h_input_tokens", &UsageFields::cache_write_1h},
    Name{"cacheReadTokens", &UsageFields::cache_read, Cached::inside},
    Name{"cacheWriteTokens", &UsageFields::cache_write},
    Name{"reasoningTokens", &UsageFields::reasoning},
};

// Where a figure stands twice the larger one counts: what repeats it may say 0.
template <std::size_t N>
void take(std::string_view key, json::value& v, const std::array<Name, N>& names, UsageFields& fields) {
    const auto found = std::ranges::find(names, key, &Name::name);
    if (found == names.end()) return;
    std::uint64_t& field = fields.*found->field;
    field = std::max(field, as_uint(v));
    fields.cache_inside |= found->cached == Cached::inside;
}

// Some write their numbers as text.
bool is_number(json::value& v) {
    const std::string_view token = v.raw_json_token();
    const char first = token[token[0] == '"'];
    return first >= '0' && first <= '9';
}

}  // namespace

TokenCounts UsageFields::tokens() const {
    TokenCounts t{prompt, cache_write, cache_read, output + thoughts, reasoning + thoughts, cache_write_1h};
    if (cache_inside) {
        t.cache_read = std::min(cache_read, prompt);
        t.cache_write = std::min(cache_write, prompt - t.cache_read);
        t.input = prompt - t.cache_read - t.cache_write;
    }
    return t;
}

void collect_usage_field(const char* key, json::value& v, UsageFields& fields) {
    if (!is_number(v)) return;
    fields.seen = true;
    if (key_is(key, "cost"))
        fields.cost_usd = number_or(v, 0);
    else
        take(key_text(key), v, kNames, fields);
}

bool collect_usage(json::value& usage, UsageFields& fields) {
    return each_field(usage, [&fields](const char* key, json::value& v) {
        if (!is_object(v)) {
            collect_usage_field(key, v, fields);
            return true;
        }
        return each_field(v, [&fields](const char* k, json::value& detail) {
            take(key_text(k), detail, kDetails, fields);
            return true;
        });
    });
}

}  // namespace agent_audit::readers
