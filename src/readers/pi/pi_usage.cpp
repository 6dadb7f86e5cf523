#include "readers/pi/pi_usage.hpp"

#include "readers/json/format_util.hpp"

#include <agent_audit/support/hash.hpp>

namespace agent_audit::readers {
namespace {

// A fork copies entries with id and time, a rewritten conversation messages with theirs, and the ids of entries are
// too short to be unique across files.
std::uint64_t usage_key(const PiEntry& entry) {
    const PiBody& m = entry.body;
    if (entry.has_message && m.time_ms != kNoTime) {
        const std::string_view whose = m.role == "toolResult" ? m.call_id : m.response_id;
        return (whose.empty() ? pi_request_hash(m) : mix_hash(id_hash(whose), static_cast<std::uint64_t>(m.time_ms))) |
               1;
    }
    if (entry.tokens_before > 0 && !entry.summary.empty())  // the same where it is printed, which has no time
        return mix_hash(figures_hash(entry.spent.tokens),
                        mix_hash(stable_hash(entry.summary.bytes), entry.tokens_before)) |
               1;
    if (!entry.has_message && !entry.timestamp.empty())
        return mix_hash(figures_hash(entry.spent.tokens), stable_hash(entry.timestamp)) | 1;
    const std::string_view id = !m.response_id.empty() ? m.response_id : entry.id;
    return id.empty() ? 0 : mix_hash(id_hash(id), stable_hash(entry.timestamp)) | 1;
}

std::optional<Usage> usage_of(const PiEntry& entry, const PiSpent& spent, std::string_view model, UsageScope scope) {
    const std::uint64_t cost = microusd(spent.cost_usd);
    if (spent.tokens.total() == 0 && cost == 0) return std::nullopt;  // errors and the gateway's own messages
    Usage usage;
    usage.scope = scope;
    usage.tokens = spent.tokens;
    usage.model = text_of(model);
    if (cost > 0) usage.cost_microusd = cost;  // 0 is written for models without a price
    usage.message_key = usage_key(entry);
    return usage;
}

}  // namespace

std::uint64_t pi_request_hash(const PiBody& m) {
    return mix_hash(mix_hash(static_cast<std::uint64_t>(m.time_ms), stable_hash(m.model)),
                    figures_hash(m.spent.tokens));
}

std::optional<Usage> pi_request_usage(const PiEntry& entry) {
    const PiBody& m = entry.body;
    const PiSpent& spent = m.spent.tokens.total() > 0 || m.spent.cost_usd > 0 ? m.spent : entry.spent;
    return usage_of(entry, spent, m.model, UsageScope::request);
}

std::optional<Usage> pi_side_usage(const PiEntry& entry) {
    const PiSpent& own = entry.has_message ? entry.body.spent : entry.spent;
    return usage_of(entry, own, entry.model, UsageScope::session);
}

}  // namespace agent_audit::readers
