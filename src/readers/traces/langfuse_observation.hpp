#pragma once

#include "readers/traces/trace_messages.hpp"

#include <string_view>

// What Langfuse keeps of an observation, whether it comes out of its API or stands in the attributes of a span that its
// SDK sent.

namespace agent_audit::readers {

/// Under whatever names: what is counted of one request.
struct LangfuseCounts {
    std::uint64_t input = 0, output = 0, total = 0, read = 0, written = 0, reasoning = 0;

    TokenCounts tokens() const;
    /// {"input":90,"input_cached_tokens":40,"output":12,"total":142}. False for broken JSON.
    bool collect(json::value& usage);
    /// One field of it. Always true.
    bool take(std::string_view name, json::value& v);
};

/// The total of {"input":0.01,"output":0.02,"total":0.03}, in millionths. False for broken JSON.
bool collect_langfuse_cost(json::value& v, std::uint64_t& microusd);

}  // namespace agent_audit::readers
