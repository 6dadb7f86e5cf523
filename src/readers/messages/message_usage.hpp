#pragma once

#include "readers/json/json_util.hpp"

#include <agent_audit/model/event.hpp>

#include <cstdint>

namespace agent_audit::readers {

/// Tokens of a response as its provider counts them.
struct UsageFields {
    bool seen = false;
    bool cache_inside = false;  ///< cached tokens are part of the prompt, as nearly everybody counts; else beside it
    std::uint64_t prompt = 0, output = 0, cache_read = 0, cache_write = 0, cache_write_1h = 0, reasoning = 0;
    std::uint64_t thoughts = 0;  ///< reasoning beside the output (Gemini)
    double cost_usd = 0;

    TokenCounts tokens() const;
};

/// Takes the usage object of a response, whatever its spelling. False = malformed.
bool collect_usage(json::value& usage, UsageFields& fields);
/// One field of it, where it stands among others; what is no number is left alone.
void collect_usage_field(const char* key, json::value& value, UsageFields& fields);

}  // namespace agent_audit::readers
