#include "readers/codex/codex_totals.hpp"

#include <agent_audit/support/hash.hpp>

namespace agent_audit::readers {

Usage CodexTotals::told(const rollout::Payload& p, bool copied) {
    Usage usage;
    usage.window_tokens = p.window;
    if (p.total.seen) {
        usage.scope = UsageScope::session;
        usage.mode = UsageMode::cumulative;
        spent_ += newly_spent(p);
        // Totals never fall back to nothing: such a record says only how full the window is.
        if (!p.total.all_zero()) recorded_ = p.total;
        usage.tokens = spent_;
    } else if (!copied) {
        usage.tokens = p.last.counts();
    }
    // All zero but for the sum: the size of the context after a compaction, spent by nobody.
    if (p.last.seen) usage.context_tokens = p.last.all_zero() ? p.last.total : p.last.input;
    return usage;
}

Usage CodexTotals::told_alone(const rollout::Counters& request) {
    Usage usage;
    usage.scope = UsageScope::session;
    usage.mode = UsageMode::cumulative;
    usage.tokens = spent_ += request.counts();
    usage.context_tokens = request.input;
    return usage;
}

TokenCounts CodexTotals::newly_spent(const rollout::Payload& p) const {
    if (p.total == recorded_) return {};
    if (p.last.seen) return p.last.counts();
    const TokenCounts now = p.total.counts(), before = recorded_.counts();
    return now.total() < before.total() && !p.total.all_zero() ? now : minus(now, before);
}

std::uint64_t codex_usage_key(std::string_view timestamp, const TokenCounts& t) {
    if (timestamp.empty()) return 0;
    std::uint64_t key = stable_hash(timestamp);
    for (const std::uint64_t n : {t.input, t.cache_write, t.cache_read, t.output, t.reasoning}) key = mix_hash(key, n);
    return key | 1;
}

}  // namespace agent_audit::readers
