#include "convert/spending.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>

namespace agent_audit::convert {
namespace {

Spent difference(const TokenCounts& after, const TokenCounts& before) {
    const auto minus = [](std::uint64_t a, std::uint64_t b) { return static_cast<std::int64_t>(a - b); };
    return {minus(after.input, before.input),
            minus(after.cache_write, before.cache_write),
            minus(after.cache_read, before.cache_read),
            minus(after.output, before.output),
            minus(after.reasoning, before.reasoning),
            minus(after.cache_write_1h, before.cache_write_1h),
            0};
}

}  // namespace

bool Spent::any() const {
    return input != 0 || cache_write != 0 || cache_read != 0 || output != 0 || cost_microusd != 0;
}

TokenCounts Spent::tokens() const {
    const auto positive = [](std::int64_t n) { return static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0)); };
    return {positive(input),  positive(cache_write), positive(cache_read),
            positive(output), positive(reasoning),   positive(cache_write_1h)};
}

Spent& Spent::operator+=(const Spent& more) {
    const auto add = [](std::int64_t& a, std::int64_t b) {  // hostile figures must not overflow
        a = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    };
    add(input, more.input);
    add(cache_write, more.cache_write);
    add(cache_read, more.cache_read);
    add(output, more.output);
    add(reasoning, more.reasoning);
    add(cache_write_1h, more.cache_write_1h);
    cost_microusd += more.cost_microusd;
    return *this;
}

Spent Spending::take(const Usage& usage, bool copied) {
    Spent spent;
    const std::uint64_t key = usage.message_key == 0 ? 0 : mix_hash(usage.message_key, usage.request_key) | 1;
    if (usage.mode == UsageMode::cumulative) {
        const TokenCounts& now = usage.tokens;
        // The sums as the ledger takes them: a smaller total began anew, and one part never counts below zero.
        if (now.total() > 0) {
            // Totals of copied history are the base of later ones.
            if (!copied) spent = difference(now.total() < total_.total() ? now : minus(now, total_), {});
            total_ = now;
        }
    } else if (usage.mode == UsageMode::replace && key != 0) {
        spent = replace(usage, key);
    } else if (key == 0 || !counted_before(key)) {
        spent = difference(usage.tokens, {});
    }
    if (usage.cost_microusd) {
        const std::uint64_t cost = *usage.cost_microusd;
        const bool running = usage.mode == UsageMode::cumulative && cost >= total_cost_;
        spent.cost_microusd = running ? cost - total_cost_ : cost;
        if (usage.mode == UsageMode::cumulative) total_cost_ = cost;
    }
    return spent;
}

Spent Spending::replace(const Usage& usage, std::uint64_t key) {
    const auto known = std::ranges::find(recent_, key, &Known::key);
    if (known != recent_.end()) {
        if (usage.tokens.total() <= known->tokens.total()) return {};
        const Spent more = difference(usage.tokens, known->tokens);
        known->tokens = usage.tokens;
        return more;
    }
    if (usage.tokens.total() == 0 || counted_before(key)) return {};
    recent_[next_++ % kWindow] = {key, usage.tokens};
    return difference(usage.tokens, {});
}

bool Spending::counted_before(std::uint64_t key) {
    return counted_.size() < kCounted ? !counted_.insert(key).second : counted_.contains(key);
}

void Spending::begin_session() {
    recent_ = {};
    total_ = {};
    total_cost_ = 0;
}

}  // namespace agent_audit::convert
