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
    if (usage.mode == UsageMode::cumulative) return running(usage, copied);
    const std::uint64_t key = usage.message_key == 0 ? 0 : mix_hash(usage.message_key, usage.request_key) | 1;
    if (usage.mode == UsageMode::replace && key != 0) return replace(usage, key);
    if (key != 0 && counted_before(key)) return {};
    Spent spent = difference(usage.tokens, {});
    spent.cost_microusd = usage.cost_microusd.value_or(0);
    return spent;
}

// The sums as the ledger takes them: a smaller total began anew, and one part never counts below zero.
Spent Spending::running(const Usage& usage, bool copied) {
    Spent spent;
    const TokenCounts& now = usage.tokens;
    if (now.total() > 0) {
        // Totals of copied history are the base of later ones.
        if (!copied) spent = difference(now.total() < total_.total() ? now : minus(now, total_), {});
        total_ = now;
    }
    if (usage.cost_microusd) {
        const std::uint64_t cost = *usage.cost_microusd;
        spent.cost_microusd = cost >= total_cost_ ? cost - total_cost_ : cost;
        total_cost_ = cost;
    }
    return spent;
}

// A response that is recorded several times was paid once, however often its price stands there.
Spent Spending::replace(const Usage& usage, std::uint64_t key) {
    const std::uint64_t cost = usage.cost_microusd.value_or(0);
    Spent more;
    const auto known = std::ranges::find(recent_, key, &Known::key);
    if (known != recent_.end()) {
        if (usage.tokens.total() > known->tokens.total()) {
            more = difference(usage.tokens, known->tokens);
            known->tokens = usage.tokens;
        }
        more.cost_microusd = cost - std::min(cost, known->cost_microusd);
        known->cost_microusd = std::max(cost, known->cost_microusd);
        return more;
    }
    if (usage.tokens.total() > 0) {
        if (counted_before(key)) return {};
        recent_[next_++ % kWindow] = {key, usage.tokens, cost};
        more = difference(usage.tokens, {});
    }
    more.cost_microusd = cost;
    return more;
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
