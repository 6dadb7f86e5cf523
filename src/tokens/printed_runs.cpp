#include "tokens/printed_runs.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace agent_audit {
namespace {

TokenCounts& of_model(std::vector<std::pair<std::string, TokenCounts>>& rows, const std::string& model) {
    const auto at = std::ranges::find(rows, model, &std::pair<std::string, TokenCounts>::first);
    return at != rows.end() ? at->second : rows.emplace_back(model, TokenCounts{}).second;
}

constexpr std::uint64_t kAllPaid = std::numeric_limits<std::uint64_t>::max();

// Another recording of the session counts.
void take_all(TokenLedgerTotals& t) {
    t.copied_requests += std::exchange(t.requests, 0);
    t.total = {};
    t.cost = {};
    t.cost_parts = {};
    t.by_model.clear();
    for (LaneTokens& lane : t.by_lane) lane = {lane.lane, lane.label, {}, 0};
    t.top_turns.clear();
    t.turns_by_cost = false;
}

// What earlier runs of the session took, in the first of the turns.
void take_earlier(TokenLedgerTotals& t, const TokenCounts& earlier) {
    t.total = minus(t.total, earlier);
    const auto less = [](const auto& a, const auto& b) { return a.tokens.total() < b.tokens.total(); };
    const auto model = std::ranges::max_element(t.by_model, less);
    if (model != t.by_model.end()) model->tokens = minus(model->tokens, earlier);
    const auto lane = std::ranges::max_element(t.by_lane, less);
    if (lane != t.by_lane.end()) lane->tokens = minus(lane->tokens, earlier);
    const auto first = std::ranges::min_element(t.top_turns, {}, &TurnTokens::turn);
    if (first == t.top_turns.end()) return;
    first->tokens = minus(first->tokens, earlier);
    if (t.turns_by_cost) return;
    std::ranges::stable_sort(
        t.top_turns, [](const TurnTokens& a, const TurnTokens& b) { return a.tokens.total() > b.tokens.total(); });
}

// In one expression with ?: it would be shorter, and g++ 12 would hold the inside of an empty one for read.
std::optional<Money> sum_of(const std::optional<CostParts>& price) {
    std::optional<Money> sum;
    if (price) sum = price->sum();
    return sum;
}

// A request, in the run's sums or in one row of them.
template <class Sums>
void take_request(Sums& sums, const std::optional<Money>& cost) {
    if (sums.requests > 0) --sums.requests;
    sums.cost.remove(cost);
}

void take_request(TokenLedgerTotals& t, const PrintedRuns::Change& change, const std::optional<CostParts>& price) {
    const std::optional<Money> cost = sum_of(price);
    t.total = minus(t.total, change.tokens);
    if (price) t.cost_parts -= *price;
    take_request(t, cost);
    ++t.copied_requests;
    const auto model = std::ranges::find(t.by_model, change.model, &ModelTokens::model);
    if (model != t.by_model.end()) {
        model->tokens = minus(model->tokens, change.tokens);
        take_request(*model, cost);
    }
    const auto lane = std::ranges::find(t.by_lane, change.lane, &LaneTokens::lane);
    if (lane == t.by_lane.end()) return;
    lane->tokens = minus(lane->tokens, change.tokens);
    take_request(*lane, cost);
}

// Tokens of no request that is listed.
void add_unlisted(TokenLedgerTotals& t, const PrintedRuns::Change& change, const std::optional<CostParts>& price) {
    const std::optional<Money> cost = sum_of(price);
    t.total += change.tokens;
    t.cost.add(cost);
    if (price) t.cost_parts += *price;
    auto model = std::ranges::lower_bound(t.by_model, change.model, {}, &ModelTokens::model);
    if (model == t.by_model.end() || model->model != change.model)
        model = t.by_model.insert(model, {change.model, {}, 0, {}});
    model->tokens += change.tokens;
    model->cost.add(cost);
    auto lane = std::ranges::lower_bound(t.by_lane, change.lane, {}, &LaneTokens::lane);
    if (lane == t.by_lane.end() || lane->lane != change.lane) lane = t.by_lane.insert(lane, {change.lane, {}, {}, 0});
    lane->tokens += change.tokens;
    lane->cost.add(cost);
}

}  // namespace

void PrintedRuns::Change::apply(TokenLedgerTotals& bill, const std::optional<CostParts>& price) const {
    if (bill.cost_microusd) *bill.cost_microusd -= std::min(*bill.cost_microusd, paid_microusd);
    switch (kind) {
        case Kind::all_elsewhere: return take_all(bill);
        case Kind::request_elsewhere: return take_request(bill, *this, price);
        case Kind::earlier: return take_earlier(bill, tokens);
        case Kind::more: return add_unlisted(bill, *this, price);
    }
}

void PrintedRuns::add(std::size_t session, const SessionUsage& usage) {
    if (usage.printed) {
        read(printed_.emplace_back(Printed{session, usage.session_key, false, usage.running_total, {}}), usage);
    } else if (usage.session_key != 0 && !usage.requests.empty()) {
        stored_.push_back({usage.session_key, session});
    }
}

void PrintedRuns::read(Printed& run, const SessionUsage& usage) {
    std::size_t number = 0;
    for (const RequestRecord& r : usage.requests) {
        const std::uint64_t paid = number < usage.paid.size() ? usage.paid[number] : 0;
        ++number;
        const std::string& model = usage.models[r.model];
        of_model(run.told, model) += r.counts();
        if (r.message_key == 0)
            without_id_.push_back({run.session, Change::Kind::request_elsewhere, r.counts(), model, r.lane, paid});
    }
}

PrintedRuns::Printed* PrintedRuns::find(std::size_t session) {
    const auto at = std::ranges::lower_bound(printed_, session, {}, &Printed::session);
    return at != printed_.end() && at->session == session ? &*at : nullptr;
}

bool PrintedRuns::has(std::size_t session) const {
    return std::ranges::binary_search(printed_, session, {}, &Printed::session);
}

void PrintedRuns::shares(std::size_t session) {
    if (Printed* run = find(session)) run->shares = true;
}

std::span<const PrintedRuns::Stored> PrintedRuns::stored_as(std::uint64_t key) const {
    if (key == 0) return {};
    const auto begin = std::ranges::lower_bound(stored_, key, {}, &Stored::key);
    const auto end = std::ranges::upper_bound(stored_, key, {}, &Stored::key);
    return {begin, end};
}

// Where the ids of one run are those of the stored session, a run that has none of them asked for something else: to be
// compacted, for one.
std::vector<std::uint64_t> PrintedRuns::keys_that_share() const {
    std::vector<std::uint64_t> keys;
    for (const Printed& run : printed_) {
        if (run.shares) keys.push_back(run.key);
    }
    std::ranges::sort(keys);
    return keys;
}

// Each run begins with what those before it took. A copy of what was printed adds nothing.
void PrintedRuns::take_runs_apart(std::vector<const Printed*> runs, std::vector<Change>& changes) const {
    const auto order = [](const Printed* run) {
        return std::tuple(run->key, run->running_total.total(), run->session);
    };
    std::ranges::sort(runs, {}, order);
    for (std::size_t i = 1; i < runs.size(); ++i) {
        const Printed &before = *runs[i - 1], &run = *runs[i];
        if (before.key != run.key) continue;
        Change change{run.session, Change::Kind::earlier, before.running_total};
        if (before.running_total == run.running_total) {
            change.kind = Change::Kind::all_elsewhere;
            change.paid_microusd = kAllPaid;
        }
        changes.push_back(std::move(change));
    }
}

// Some versions store what a response took only in part, or not all requests; what all runs of the session printed in
// the end tells how much it was. The last of them gets the rest.
void PrintedRuns::add_untold(std::vector<const Printed*> runs, const std::deque<PackedTotals>& bills,
                             std::vector<Change>& changes) const {
    std::ranges::sort(runs, {}, [](const Printed* run) { return std::pair(run->key, run->session); });
    for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
        ByModel told, known;
        const auto count = [&known, &bills](std::size_t session) {
            for (const ModelTokens& row : bills[session].unpack().by_model) of_model(known, row.model) += row.tokens;
        };
        for (; end < runs.size() && runs[end]->key == runs[begin]->key; ++end) {
            for (const auto& [model, tokens] : runs[end]->told) of_model(told, model) += tokens;
            count(runs[end]->session);
        }
        for (const Stored& stored : stored_as(runs[begin]->key)) count(stored.session);
        for (const auto& [model, tokens] : told) {
            const TokenCounts more = minus(tokens, of_model(known, model));
            if (more.total() > 0) changes.push_back({runs[end - 1]->session, Change::Kind::more, more, model});
        }
    }
}

std::vector<PrintedRuns::Change> PrintedRuns::settle(const std::deque<PackedTotals>& bills) {
    std::vector<Change> changes;
    if (printed_.empty()) return changes;
    std::ranges::sort(stored_, {}, [](const Stored& stored) { return std::pair(stored.key, stored.session); });
    const std::vector<std::uint64_t> sharing = keys_that_share();
    std::vector<const Printed*> alone, shared;
    const auto says_cost = [&bills](const Stored& one) {
        return bills[one.session].unpack().cost_microusd.has_value();
    };
    for (const Printed& run : printed_) {
        const std::span<const Stored> same = stored_as(run.key);
        const bool stored = !same.empty();
        const bool shares = run.shares || (stored && std::ranges::binary_search(sharing, run.key));
        if (stored || shares) ++copies_;
        if (stored && shares)
            shared.push_back(&run);
        else if (stored)
            changes.push_back({run.session,
                               Change::Kind::all_elsewhere,
                               {},
                               {},
                               0,
                               std::ranges::any_of(same, says_cost) ? kAllPaid : 0});
        else if (!shares && run.key != 0 && run.running_total.total() > 0)
            alone.push_back(&run);
    }
    take_runs_apart(std::move(alone), changes);
    add_untold(std::move(shared), bills, changes);
    for (const Change& request : without_id_) {
        if (find(request.session)->shares) changes.push_back(request);
    }
    std::ranges::stable_sort(changes, {}, &Change::session);
    return changes;
}

}  // namespace agent_audit
