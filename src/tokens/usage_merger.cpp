#include "tokens/printed_runs.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/tokens/ledger.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace agent_audit {
namespace {

ModelTokens& model_row(std::vector<ModelTokens>& rows, const std::string& model) {
    const auto at = std::ranges::lower_bound(rows, model, {}, &ModelTokens::model);
    if (at != rows.end() && at->model == model) return *at;
    return *rows.insert(at, {model, {}, 0, {}});
}

LaneTokens& lane_row(std::vector<LaneTokens>& rows, std::uint32_t lane) {
    const auto at = std::ranges::lower_bound(rows, lane, {}, &LaneTokens::lane);
    if (at != rows.end() && at->lane == lane) return *at;
    return *rows.insert(at, {lane, {}, {}, 0});
}

void credit(TokenLedgerTotals& t, const std::string& model, std::uint32_t lane, const TokenCounts& counts,
            std::uint64_t requests, const RequestCost& cost, const CostParts& parts) {
    t.total += counts;
    t.requests += requests;
    t.cost += cost;
    t.cost_parts += parts;
    auto& m = model_row(t.by_model, model);
    m.tokens += counts;
    m.requests += requests;
    m.cost += cost;
    auto& l = lane_row(t.by_lane, lane);
    l.tokens += counts;
    l.requests += requests;
    l.cost += cost;
}

// Finds the prices of models; a run has few models and many sessions.
class Prices {
public:
    explicit Prices(const ModelTable* models) : models_(models) {}

    const ModelInfo* of(const std::string& model) {
        if (!models_) return nullptr;
        const auto [at, fresh] = known_.try_emplace(model, nullptr);
        if (fresh) at->second = models_->find(model);
        return at->second;
    }

private:
    const ModelTable* models_;
    std::unordered_map<std::string, const ModelInfo*> known_;
};

// Most of a price is that of the prompt: without it, the price is not known.
std::optional<CostParts> price_of(const ModelInfo* model, const TokenCounts& tokens) {
    return model && !tokens.lacks_prompt() ? cost_parts(*model, billed(tokens)) : std::nullopt;
}

std::optional<Money> sum_of(const std::optional<CostParts>& parts) {
    return parts ? std::optional(parts->sum()) : std::nullopt;
}

// Requests of one session mostly come from one model in one lane: they are added up before the rows are looked for.
class Credits {
public:
    Credits(TokenLedgerTotals& totals, const SessionUsage& usage, Prices& prices)
        : totals_(totals), models_(usage.models), told_models_(usage.told_models), prices_(prices) {}

    /// What the request costs. Part of what every request goes through.
    [[gnu::always_inline]] std::optional<Money> add(const RequestRecord& r, std::size_t number) {
        if (requests_ > 0 && (r.model != model_ || r.lane != lane_)) settle();
        if (requests_ == 0 && (!price_ || r.model != model_)) price_ = prices_.of(name(r.model));
        model_ = r.model;
        lane_ = r.lane;
        sum_ += r.counts();
        std::optional<CostParts> price = price_of(price_, r.counts());
        if (!price && !told_models_.empty()) price = price_of_output(r, number);
        const std::optional<Money> cost = sum_of(price);
        if (price) parts_ += *price;
        cost_.add(cost);
        ++requests_;
        return cost;
    }
    // Before anything else looks at the rows.
    void settle() {
        if (requests_ > 0) credit(totals_, name(model_), lane_, sum_, requests_, cost_, parts_);
        sum_ = {};
        cost_ = {};
        parts_ = {};
        requests_ = 0;
    }
    const std::string& name(std::uint32_t model) const {
        static const std::string kUnknown;
        return model < models_.size() ? models_[model] : kUnknown;
    }

private:
    std::optional<CostParts> price_of_output(const RequestRecord& r, std::size_t number) const {
        const bool told = std::ranges::any_of(told_models_, [&](const SessionUsage::ToldModel& of) {
            return number < of.requests && of.model == name(r.model);
        });
        return told && price_ ? cost_parts(*price_, billed(r.counts())) : std::nullopt;
    }

    TokenLedgerTotals& totals_;
    const std::vector<std::string>& models_;
    const std::vector<SessionUsage::ToldModel>& told_models_;
    Prices& prices_;
    const ModelInfo* price_ = nullptr;  // of model_
    TokenCounts sum_;
    RequestCost cost_;
    CostParts parts_;
    std::uint64_t requests_ = 0;
    std::uint32_t lane_ = 0;
    std::uint32_t model_ = 0;
};

// What a request costs counts for its turn, too. Requests come by their number.
void add_to_turn(std::vector<SessionUsage::Turn>& turns, std::size_t number, std::uint32_t lane,
                 const std::optional<Money>& cost) {
    for (SessionUsage::Turn& turn : turns) {
        if (number - turn.begin >= turn.end - turn.begin || lane != turn.lane) continue;
        turn.cost.add(cost);
        return;
    }
}

// The dearest turns where all have a price, else those with the most tokens, which stand first.
void choose_turns(TokenLedgerTotals& totals) noexcept {
    auto& turns = totals.top_turns;
    totals.turns_by_cost = !turns.empty() && std::ranges::all_of(turns, [](const TurnTokens& t) {
        return t.cost.priced_requests > 0 && t.cost.unpriced_requests == 0;
    });
    const auto order = [](const TurnTokens& t) {  // of equals the earlier
        return std::tuple(t.cost.micro_dollars(), ~t.first_line, ~t.lane, ~t.turn);
    };
    if (totals.turns_by_cost) std::ranges::sort(turns, std::greater<>{}, order);
    turns.erase(turns.begin() + static_cast<std::ptrdiff_t>(std::min(turns.size(), SessionUsage::kTopTurns)),
                turns.end());
}

void debit(TokenLedgerTotals& t, const std::string& model, std::uint32_t lane, const TokenCounts& counts,
           const std::optional<CostParts>& price) {
    const std::optional<Money> cost = sum_of(price);
    t.total = minus(t.total, counts);
    --t.requests;
    ++t.copied_requests;
    t.cost.remove(cost);
    if (price) t.cost_parts -= *price;
    auto& m = model_row(t.by_model, model);
    m.tokens = minus(m.tokens, counts);
    if (m.requests > 0) --m.requests;
    m.cost.remove(cost);
    auto& l = lane_row(t.by_lane, lane);
    l.tokens = minus(l.tokens, counts);
    if (l.requests > 0) --l.requests;
    l.cost.remove(cost);
}

// What is in a session's own running total although it counts elsewhere: a fork goes on with the total of its original,
// and what a run prints is recorded as well. The share of the copies follows from their prices.
class CostOfCopies {
public:
    void add(const std::optional<Money>& cost, bool counts_elsewhere) {
        if (!cost) return;
        all_ += *cost;
        if (counts_elsewhere) elsewhere_ += *cost;
    }
    /// Takes the copies out of what the session recorded. Some programs begin to count when a copy goes on: then their
    /// total is far less than all that is in it costs.
    void take_out(TokenLedgerTotals& t) const {
        constexpr double kMostOfIt = 0.95;  // prices change, and are rounded
        if (!t.cost_microusd || all_ == Money{}) return;
        Money whole = t.cost.known;
        whole += elsewhere_;
        if (static_cast<double>(*t.cost_microusd) < kMostOfIt * static_cast<double>(whole.micro_dollars())) return;
        *t.cost_microusd -= std::min(*t.cost_microusd, all_.micro_dollars());
    }

private:
    Money all_;        // of requests that another session had before
    Money elsewhere_;  // of those of them that count there
};

}  // namespace

struct UsageMerger::Impl {
    explicit Impl(const ModelTable* models) : prices(models) {}

    // Where a request is in `requests`, by the hash of its message. Most requests are new, and eight bytes tell so: the
    // requests, which no cache holds, are written in a row and hardly ever read.
    struct Slot {
        std::uint32_t tag = 0;  // half of the message's hash; chooses the slot as well
        std::uint32_t at = 0;   // 1 + its number; 0 = free
    };
    // A request that was met before.
    struct Known {
        Slot* slot = nullptr;
        RequestRecord request;

        std::uint32_t number() const { return slot->at - 1; }
    };

    std::vector<Slot> table;
    RequestList requests;                // that count, with models by `names`; those a better copy replaced stay behind
    std::vector<std::uint32_t> heard;    // before each of them
    TokenLedgerTotals open;              // of the session that is being added
    std::vector<std::size_t> with_cost;  // sessions before it that say themselves what all of them cost, in order
    std::deque<PackedTotals> packed;     // of those before it: a run may have millions, and few of them change any more
    std::vector<std::uint32_t> begins;   // by session: number of the first request that it added
    std::unordered_map<std::uint32_t, std::uint32_t> paid;  // micro-dollars of the few requests that say so, by number
    bool forgot = false;
    PrintedRuns printed;
    bool adds_printed = false;  // the session that is being added was printed
    std::size_t shared = 0;     // requests with which it begins and that others have, too
    Prices prices;
    std::vector<std::string> names;  // of models
    std::unordered_map<std::string, std::uint32_t> numbers;

    void begin() {
        open = {};
        begins.push_back(static_cast<std::uint32_t>(requests.size()));
    }
    std::uint32_t end() {
        choose_turns(open);
        if (open.cost_microusd) with_cost.push_back(packed.size());
        packed.emplace_back(open);
        return static_cast<std::uint32_t>(packed.size() - 1);
    }
    // Hands the totals of the session that a request counts in to `change`. Each session adds its requests in a row,
    // better copies of older ones among them.
    void change_owner(std::uint32_t number, auto&& change) {
        const std::size_t session = owner(number);
        if (session == packed.size()) return change(open);
        TokenLedgerTotals totals = packed[session].unpack();
        change(totals);
        packed[session] = PackedTotals(totals);
    }

    // Whether a request counts in a session before this one, which says itself what all of it cost.
    bool has_cost_before(std::uint32_t number) const { return std::ranges::binary_search(with_cost, owner(number)); }

    std::size_t owner(std::uint32_t number) const {
        return static_cast<std::size_t>(std::ranges::upper_bound(begins, number) - begins.begin()) - 1;
    }

    // Whether a request of the session that is being added counts instead of the one that is known: one that an agent
    // stored does instead of one that was printed, others by what they hold.
    [[gnu::cold, gnu::noinline]] bool stored_first(bool better, const Known& known) {
        if (!printed.any()) return better;
        const std::size_t of_before = owner(known.number());
        if (printed.has(of_before) == adds_printed) return better;
        printed.shares(adds_printed ? packed.size() : of_before);
        return !adds_printed;
    }

    // Whether it is the same request after the same history, and not only one of the same name. What was printed is
    // another recording of the same, and a sub-agent's copy gives way to the main conversation.
    [[gnu::cold, gnu::noinline]] bool shares_history(const Known& known, const RequestRecord& r,
                                                     std::uint32_t heard_before) const {
        const std::size_t of_before = owner(known.number());
        if (of_before == packed.size() || heard_before == 0 || heard[known.number()] != heard_before) return false;
        if (known.request.sidechain && !r.sidechain) return false;
        return !printed.any() || printed.has(of_before) == adds_printed;
    }

    // Older versions of Claude Code store the id of a request and print it not.
    [[gnu::cold, gnu::noinline]] bool has_one_request_id(const Known& known, const RequestRecord& r) const {
        return (known.request.request_key == 0 || r.request_key == 0) && printed.any() &&
               printed.has(owner(known.number())) != adds_printed;
    }

    // A model's name is the same in all sessions, its index is each session's own.
    std::uint32_t number(const std::string& model) {
        const auto [at, fresh] = numbers.try_emplace(model, static_cast<std::uint32_t>(names.size()));
        if (fresh) names.push_back(model);
        return at->second;
    }

    // The slot of a request to come is asked for early: the table is larger than the caches.
    void prefetch(const RequestRecord& r) const {
        if (!table.empty()) __builtin_prefetch(&table[tag_of(r.message_key) & (table.size() - 1)]);
    }

    static std::uint32_t tag_of(std::uint64_t message) { return static_cast<std::uint32_t>(message >> 32); }

    // Message ids are hashes already; requests of one message id lie in a row.
    std::optional<Known> find(const RequestRecord& r) {
        if (table.empty()) return {};
        const std::size_t mask = table.size() - 1;
        const std::uint32_t tag = tag_of(r.message_key);
        for (std::size_t i = tag & mask; table[i].at != 0; i = (i + 1) & mask) {
            if (table[i].tag != tag) continue;
            Known known{&table[i], requests[table[i].at - 1]};
            if (known.request.message_key != r.message_key) continue;
            if (known.request.request_key == r.request_key || known.request.sidechain || r.sidechain) return known;
            if (has_one_request_id(known, r)) return known;
        }
        return {};
    }

    void forget() {
        table = {};
        requests = {};
        heard = {};
        std::ranges::fill(begins, 0);
        paid = {};
        forgot = true;
    }

    void insert(const RequestRecord& r, std::uint32_t heard_before, std::uint32_t paid_microusd) {
        if (requests.size() >= kMaxRemembered) forget();
        if ((requests.size() + 1) * 4 > table.size() * 3) grow();
        requests.push_back(r);
        heard.push_back(heard_before);
        const auto at = static_cast<std::uint32_t>(requests.size());
        place({tag_of(r.message_key), at});
        if (paid_microusd > 0) paid[at - 1] = paid_microusd;
    }

    // A better copy of it, of the session that is being added.
    void replace(const Known& known, const RequestRecord& r, std::uint32_t heard_before) {
        const auto payment = paid.find(known.number());
        const std::uint32_t microusd = payment == paid.end() ? 0 : payment->second;
        if (requests.size() >= kMaxRemembered) return insert(r, heard_before, microusd);
        requests.push_back(r);
        heard.push_back(heard_before);
        known.slot->at = static_cast<std::uint32_t>(requests.size());
        if (microusd > 0) paid[known.number()] = microusd;
    }

    // A request that stands in several sessions was paid once: where it counts. Of what its copies say the most is
    // taken. The session that is being added has a copy, and has added up `microusd` for it; `better`: it counts here
    // from now on.
    void pay_once(std::uint32_t known, std::uint32_t microusd, bool better) {
        const auto at = paid.find(known);
        const std::uint32_t before = at == paid.end() ? 0 : at->second, most = std::max(before, microusd);
        if (most == 0) return;
        take_payment(open, microusd);
        change_owner(known, [&](TokenLedgerTotals& t) {
            take_payment(t, before);
            if (!better) add_payment(t, most);
        });
        if (better) add_payment(open, most);
        paid[known] = most;
    }
    static void add_payment(TokenLedgerTotals& t, std::uint32_t microusd) {
        t.cost_microusd = t.cost_microusd.value_or(0) + microusd;
    }
    static void take_payment(TokenLedgerTotals& t, std::uint32_t microusd) {
        if (t.cost_microusd) *t.cost_microusd -= std::min<std::uint64_t>(*t.cost_microusd, microusd);
    }

    void place(Slot slot) {
        const std::size_t mask = table.size() - 1;
        std::size_t i = slot.tag & mask;
        while (table[i].at != 0) i = (i + 1) & mask;
        table[i] = slot;
    }

    void grow() {
        const std::vector<Slot> before =
            std::exchange(table, std::vector<Slot>(std::max<std::size_t>(1024, table.size() * 2)));
        for (const Slot& slot : before) {
            if (slot.at != 0) place(slot);
        }
    }
};

UsageMerger::UsageMerger(const ModelTable* models) : impl_(std::make_unique<Impl>(models)) {}
UsageMerger::~UsageMerger() = default;
bool UsageMerger::forgot() const { return impl_->forgot; }

std::size_t UsageMerger::shared_beginning() const { return impl_->shared; }

void UsageMerger::keep_own_turns(std::uint32_t session, SessionUsage own) {
    Impl& run = *impl_;
    TokenLedgerTotals costs;  // of no interest beyond those of turns
    Credits credits(costs, own, run.prices);
    for (auto next = own.requests.begin(); next != own.requests.end(); ++next)
        add_to_turn(own.top_turns, next.number(), next->lane, credits.add(*next, next.number()));
    TokenLedgerTotals totals = run.packed[session].unpack();
    totals.top_turns.assign(own.top_turns.begin(), own.top_turns.end());
    totals.peak_context = own.peak_context;
    totals.peak_context_line = own.peak_context_line;
    choose_turns(totals);
    run.packed[session] = PackedTotals(totals);
}

std::uint64_t UsageMerger::printed_copies() const { return impl_->printed.copies(); }

std::deque<PackedTotals> UsageMerger::finish() {
    Impl& run = *impl_;
    for (const PrintedRuns::Change& change : run.printed.settle(run.packed)) {
        TokenLedgerTotals totals = run.packed[change.session].unpack();
        const ModelInfo* const model = run.prices.of(change.model);
        // What was put out besides is the rest of requests whose prompts are known.
        const bool is_rest = model && change.kind == PrintedRuns::Change::Kind::more;
        change.apply(totals, is_rest ? cost_parts(*model, billed(change.tokens)) : price_of(model, change.tokens));
        run.packed[change.session] = PackedTotals(totals);
    }
    return std::move(run.packed);
}

std::uint32_t UsageMerger::add(SessionUsage usage) {
    Impl& run = *impl_;
    run.begin();
    TokenLedgerTotals& totals = run.open;
    Credits credits(totals, usage, run.prices);
    const bool recorded = !usage.requests.empty();
    run.printed.add(run.packed.size(), usage);
    run.adds_printed = usage.printed;
    run.shared = 0;
    totals.cost_microusd = usage.cost_microusd;
    const bool runs_on = usage.cost_microusd && usage.paid.empty();
    CostOfCopies copies;
    std::vector<std::uint32_t> numbers;
    numbers.reserve(usage.models.size());
    for (const std::string& model : usage.models) numbers.push_back(run.number(model));
    const auto merge = [&](const RequestRecord& r, std::size_t number, std::uint32_t paid) -> std::optional<Money> {
        auto known = r.message_key != 0 ? run.find(r) : std::nullopt;
        RequestRecord kept = r;
        const std::uint32_t heard = number < usage.heard.size() ? usage.heard[number] : 0;
        kept.model = r.model < numbers.size() ? numbers[r.model] : run.number(credits.name(r.model));
        if (known && run.shares_history(*known, r, heard)) run.shared = number + 1;
        if (!known) {
            if (r.message_key != 0) run.insert(kept, heard, paid);
            return credits.add(r, number);
        }
        const RequestRecord& before = known->request;
        const bool better =
            run.stored_first(before.sidechain != r.sidechain ? before.sidechain : r.sum() > before.sum(), *known);
        run.pay_once(known->number(), paid, better);
        if (runs_on && run.has_cost_before(known->number()))
            copies.add(sum_of(price_of(run.prices.of(credits.name(r.model)), r.counts())), !better);
        if (!better) {
            ++totals.copied_requests;
            return sum_of(price_of(run.prices.of(credits.name(r.model)), r.counts()));
        }
        credits.settle();  // the owner may be this session
        const std::string& model = run.names[before.model];
        run.change_owner(known->number(), [&](TokenLedgerTotals& owner) {
            debit(owner, model, before.lane, before.counts(), price_of(run.prices.of(model), before.counts()));
        });
        run.replace(*known, kept, heard);
        return credits.add(r, number);
    };
    // Let go of as they are taken: the run's list grows while the session's own shrinks.
    constexpr std::size_t kTogether = 16;
    std::array<RequestRecord, kTogether> batch;
    for (auto next = usage.requests.begin(); next != usage.requests.end();) {
        const std::size_t first = next.number();
        std::size_t taken = 0;
        for (; taken < kTogether && next != usage.requests.end(); ++next) {
            run.prefetch(*next);
            batch[taken++] = *next;
        }
        usage.requests.drop_before(next.number());
        for (std::size_t i = 0; i < taken; ++i) {
            const auto cost = merge(batch[i], first + i, first + i < usage.paid.size() ? usage.paid[first + i] : 0);
            add_to_turn(usage.top_turns, first + i, batch[i].lane, cost);
        }
    }
    credits.settle();
    copies.take_out(totals);
    for (const LaneTokens& named : usage.lanes) {
        const auto at = std::ranges::find(totals.by_lane, named.lane, &LaneTokens::lane);
        if (at != totals.by_lane.end()) at->label = named.label;
    }
    totals.top_turns.assign(usage.top_turns.begin(), usage.top_turns.end());
    totals.peak_context = usage.peak_context;
    totals.peak_context_line = usage.peak_context_line;
    totals.window_tokens = usage.window_tokens;
    if (recorded) {
        totals.source = TokensSource::reported;
    } else if (usage.estimated.total() > 0) {
        totals.source = TokensSource::estimated;
        totals.total = usage.estimated;
    }
    return run.end();
}

void add_totals(TokenLedgerTotals& into, const TokenLedgerTotals& from) {
    // Reported and estimated figures are never added up silently: the stronger source names the sum, estimates are
    // listed by session only.
    // What was recorded as paid was paid, however many tokens that were.
    if (from.cost_microusd) into.cost_microusd = into.cost_microusd.value_or(0) + *from.cost_microusd;
    if (from.source == TokensSource::none) return;
    if (into.source == TokensSource::reported && from.source == TokensSource::estimated) return;
    if (into.source == TokensSource::estimated && from.source == TokensSource::reported) {
        const auto paid = into.cost_microusd;
        into = {};
        into.cost_microusd = paid;
    }
    into.source = from.source;
    into.total += from.total;
    into.requests += from.requests;
    into.copied_requests += from.copied_requests;
    into.cost += from.cost;
    into.cost_parts += from.cost_parts;
    for (const ModelTokens& m : from.by_model) {
        if (m.requests + m.tokens.total() == 0) continue;
        auto& row = model_row(into.by_model, m.model);
        row.tokens += m.tokens;
        row.requests += m.requests;
        row.cost += m.cost;
    }
}

}  // namespace agent_audit
