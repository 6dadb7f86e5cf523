#include "report/saved/report_totals.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace agent_audit::report {
namespace {

template <class T, class Same, class Add>
void merge(std::vector<T>& into, std::vector<T> more, const Same& same, const Add& add) {
    for (T& entry : more) {
        const auto found = std::ranges::find_if(into, [&](const T& other) { return same(other, entry); });
        if (found == into.end())
            into.push_back(std::move(entry));
        else
            add(*found, entry);
    }
}

// Counted and estimated figures together are an estimate.
TokensSource together(TokensSource a, TokensSource b) {
    if (a == TokensSource::none || a == b) return b;
    return b == TokensSource::none ? a : TokensSource::estimated;
}

}  // namespace

void add_totals(TokenLedgerTotals& into, TokenLedgerTotals more) {
    into.source = together(into.source, more.source);
    into.total += more.total;
    into.requests += more.requests;
    into.copied_requests += more.copied_requests;
    into.cost += more.cost;
    into.cost_parts += more.cost_parts;
    if (more.cost_microusd) into.cost_microusd = into.cost_microusd.value_or(0) + *more.cost_microusd;
    if (more.peak_context > into.peak_context) {
        into.peak_context = more.peak_context;
        into.peak_context_line = more.peak_context_line;
    }
    into.window_tokens = std::max(into.window_tokens, more.window_tokens);
    merge(
        into.by_model, std::move(more.by_model), [](auto& a, auto& b) { return a.model == b.model; },
        [](auto& a, auto& b) {
            a.tokens += b.tokens;
            a.requests += b.requests;
            a.cost += b.cost;
        });
    std::ranges::sort(into.by_model, {}, &ModelTokens::model);
}

void add_totals(std::vector<ToolStats>& into, std::vector<ToolStats> more) {
    merge(
        into, std::move(more), [](auto& a, auto& b) { return a.tool == b.tool; },
        [](auto& a, auto& b) {
            a.calls += b.calls;
            for (std::size_t i = 0; i < kErrorClassCount; ++i) a.failures[i] += b.failures[i];
            a.longest_failure_streak = std::max(a.longest_failure_streak, b.longest_failure_streak);
        });
    std::ranges::stable_sort(into, [](auto& a, auto& b) { return a.calls > b.calls; });
}

void add_totals(std::vector<RuleRun>& into, std::vector<RuleRun> more) {
    merge(
        into, std::move(more), [](auto& a, auto& b) { return a.id == b.id; },
        [](auto& a, auto& b) {
            a.findings += b.findings;
            a.not_shown += b.not_shown;
        });
    std::ranges::sort(into, {}, &RuleRun::id);
}

void add_totals(std::vector<PeerTotals>& into, std::vector<PeerTotals> more) {
    merge(
        into, std::move(more), [](auto& a, auto& b) { return a.profile == b.profile; },
        [](auto& a, auto& b) {
            a.sessions += b.sessions;
            a.warned += b.warned;
            a.stopped += b.stopped;
            a.right += b.right;
            a.false_alarms += b.false_alarms;
            a.missed += b.missed;
            a.silent_right += b.silent_right;
        });
}

}  // namespace agent_audit::report
