#include <agent_audit/support/hash.hpp>
#include <agent_audit/tokens/ledger.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <algorithm>
#include <deque>
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
            std::uint64_t requests, const RequestCost& cost) {
    t.total += counts;
    t.requests += requests;
    t.cost += cost;
    auto& m = model_row(t.by_model, model);
    m.tokens += counts;
    m.requests += requests;
    m.cost += cost;
    auto& l = lane_row(t.by_lane, lane);
    l.tokens += counts;
    l.requests += requests;
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

std::optional<Money> price_of(const ModelInfo* model, const TokenCounts& tokens) {
    return model ? cost(*model, billed(tokens)) : std::nullopt;
}

// Requests of one session mostly come from one model in one lane: they are added up before the rows are looked for.
class Credits {
public:
    Credits(TokenLedgerTotals& totals, const std::vector<std::string>& models, Prices& prices)
        : totals_(totals), models_(models), prices_(prices) {}

    void add(const RequestRecord& r) {
        if (requests_ > 0 && (r.model != model_ || r.lane != lane_)) settle();
        if (requests_ == 0 && (!price_ || r.model != model_)) price_ = prices_.of(name(r.model));
        model_ = r.model;
        lane_ = r.lane;
        sum_ += r.counts();
        cost_.add(price_of(price_, r.counts()));
        ++requests_;
    }
    // Before anything else looks at the rows.
    void settle() {
        if (requests_ > 0) credit(totals_, name(model_), lane_, sum_, requests_, cost_);
        sum_ = {};
        cost_ = {};
        requests_ = 0;
    }
    const std::string& name(std::uint16_t model) const {
        static const std::string kUnknown;
        return model < models_.size() ? models_[model] : kUnknown;
    }

private:
    TokenLedgerTotals& totals_;
    const std::vector<std::string>& models_;
    Prices& prices_;
    const ModelInfo* price_ = nullptr;  // of model_
    TokenCounts sum_;
    RequestCost cost_;
    std::uint64_t requests_ = 0;
    std::uint32_t lane_ = 0;
    std::uint16_t model_ = 0;
};

void debit(TokenLedgerTotals& t, const std::string& model, std::uint32_t lane, const TokenCounts& counts,
           const std::optional<Money>& cost) {
    t.total = minus(t.total, counts);
    --t.requests;
    ++t.copied_requests;
    t.cost.remove(cost);
    auto& m = model_row(t.by_model, model);
    m.tokens = minus(m.tokens, counts);
    if (m.requests > 0) --m.requests;
    m.cost.remove(cost);
    auto& l = lane_row(t.by_lane, lane);
    l.tokens = minus(l.tokens, counts);
    if (l.requests > 0) --l.requests;
}

}  // namespace

struct UsageMerger::Impl {
    explicit Impl(const ModelTable* models) : prices(models) {}

    // A request that counts, and where. Packed, because a run remembers every request: 40 bytes each.
    struct Entry {
        std::uint64_t message = 0;
        std::uint32_t request : 24 = 0;  // folded request key: tells requests of one message apart
        std::uint32_t lane : 8 = 0;      // lanes beyond 255 share the last number
        std::uint32_t session : 31 = 0;
        std::uint32_t sidechain : 1 = 0;
        std::uint32_t input = 0, cache_write = 0, cache_read = 0, output = 0;
        std::uint32_t cache_write_1h = 0;
        std::uint32_t model = 0;  // by `names`

        std::uint64_t sum() const { return std::uint64_t{input} + cache_write + cache_read + output; }
    };
    static_assert(sizeof(Entry) == 40);

    // Where an entry is, by the hash of its message. Most requests are new, and eight bytes tell so: the entries, which
    // no cache holds, are written in a row and hardly ever read.
    struct Slot {
        std::uint32_t tag = 0;  // half of the message's hash; chooses the slot as well
        std::uint32_t at = 0;   // 1 + its number; 0 = free
    };

    std::vector<Slot> table;
    std::deque<Entry> entries;
    std::vector<TokenLedgerTotals*> owners;  // by Entry::session
    std::unordered_map<const Entry*, std::uint32_t> paid;  // micro-dollars of the few that say so
    bool forgot = false;
    Prices prices;
    std::vector<std::string> names;  // of models
    std::unordered_map<std::string, std::uint32_t> numbers;

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

    static std::uint32_t fold(std::uint64_t key) { return static_cast<std::uint32_t>(key ^ key >> 32) & 0xffffff; }
    static std::uint32_t small_lane(std::uint32_t lane) { return lane < 255 ? lane : 255; }

    static std::uint32_t tag_of(std::uint64_t message) { return static_cast<std::uint32_t>(message >> 32); }

    // Message ids are hashes already; sessions of one message id with several requests lie in a row.
    Entry* find(const RequestRecord& r) {
        if (table.empty()) return nullptr;
        const std::size_t mask = table.size() - 1;
        const std::uint32_t tag = tag_of(r.message_key);
        for (std::size_t i = tag & mask; table[i].at != 0; i = (i + 1) & mask) {
            if (table[i].tag != tag) continue;
            Entry& e = entries[table[i].at - 1];
            if (e.message != r.message_key) continue;
            if (e.request == fold(r.request_key) || e.sidechain != 0 || r.sidechain) return &e;
        }
        return nullptr;
    }

    const Entry& insert(const RequestRecord& r, std::uint32_t session, std::uint32_t model) {
        if (entries.size() >= kMaxRemembered) {
            table = {};
            entries = {};
            paid = {};
            forgot = true;
        }
        if ((entries.size() + 1) * 4 > table.size() * 3) grow();
        fill(entries.emplace_back(), r, session, model);
        place({tag_of(r.message_key), static_cast<std::uint32_t>(entries.size())});
        return entries.back();
    }

    // A request that stands in several sessions was paid once: where it counts. Of what its copies say the most is taken.
    // `copy`: the session with the copy, which has added up `microusd` for it; `keeper`: the session it counts in from now on.
    void pay_once(const Entry& known, TokenLedgerTotals& copy, std::uint32_t microusd, TokenLedgerTotals& keeper) {
        const auto at = paid.find(&known);
        const std::uint32_t before = at == paid.end() ? 0 : at->second, most = std::max(before, microusd);
        if (most == 0) return;
        take_payment(copy, microusd);
        take_payment(*owners[known.session], before);
        keeper.cost_microusd = keeper.cost_microusd.value_or(0) + most;
        paid[&known] = most;
    }
    static void take_payment(TokenLedgerTotals& t, std::uint32_t microusd) {
        if (t.cost_microusd) *t.cost_microusd -= std::min<std::uint64_t>(*t.cost_microusd, microusd);
    }

    static void fill(Entry& e, const RequestRecord& r, std::uint32_t session, std::uint32_t model) {
        e.message = r.message_key;
        e.request = fold(r.request_key) & 0xffffff;
        e.lane = small_lane(r.lane) & 0xff;
        e.session = session & 0x7fffffff;
        e.input = r.input;
        e.cache_write = r.cache_write;
        e.cache_read = r.cache_read;
        e.output = r.output;
        e.cache_write_1h = r.cache_write_1h;
        e.model = model;
        e.sidechain = r.sidechain;
    }

    void place(Slot slot) {
        const std::size_t mask = table.size() - 1;
        std::size_t i = slot.tag & mask;
        while (table[i].at != 0) i = (i + 1) & mask;
        table[i] = slot;
    }

    void grow() {
        const std::vector<Slot> before = std::exchange(table, std::vector<Slot>(std::max<std::size_t>(1024, table.size() * 2)));
        for (const Slot& slot : before) {
            if (slot.at != 0) place(slot);
        }
    }
};

UsageMerger::UsageMerger(const ModelTable* models) : impl_(std::make_unique<Impl>(models)) {}
UsageMerger::~UsageMerger() = default;
bool UsageMerger::forgot() const { return impl_->forgot; }

void UsageMerger::add(SessionUsage usage, TokenLedgerTotals& totals) {
    const auto index = static_cast<std::uint32_t>(impl_->owners.size());
    impl_->owners.push_back(&totals);
    Credits credits(totals, usage.models, impl_->prices);
    const bool recorded = !usage.requests.empty();
    totals.cost_microusd = usage.cost_microusd;
    std::vector<std::uint32_t> numbers;
    numbers.reserve(usage.models.size());
    for (const std::string& model : usage.models) numbers.push_back(impl_->number(model));
    const auto number_of = [&](std::uint16_t model) {
        return model < numbers.size() ? numbers[model] : impl_->number(credits.name(model));
    };
    // Taken from the front and let go at once: the table grows while the session's own list shrinks.
    for (std::size_t number = 0; !usage.requests.empty(); usage.requests.pop_front(), ++number) {
        constexpr std::size_t kAhead = 6;
        if (usage.requests.size() > kAhead) impl_->prefetch(usage.requests[kAhead]);
        const RequestRecord& r = usage.requests.front();
        const std::uint32_t paid = number < usage.paid.size() ? usage.paid[number] : 0;
        Impl::Entry* known = r.message_key != 0 ? impl_->find(r) : nullptr;
        if (!known) {
            credits.add(r);
            if (r.message_key == 0) continue;
            const Impl::Entry& fresh = impl_->insert(r, index, number_of(r.model));
            if (paid > 0) impl_->paid[&fresh] = paid;
            continue;
        }
        const bool better = (known->sidechain != 0) != r.sidechain ? known->sidechain != 0 : r.sum() > known->sum();
        TokenLedgerTotals& owner = *impl_->owners[known->session];
        impl_->pay_once(*known, totals, paid, better ? totals : owner);
        if (!better) {
            ++totals.copied_requests;
            continue;
        }
        // Reasoning is not remembered: it is the same in all copies of a request.
        const TokenCounts before{known->input,  known->cache_write, known->cache_read,
                                 known->output, r.reasoning,        known->cache_write_1h};
        credits.settle();  // the owner may be this session
        const std::string& model = impl_->names[known->model];
        debit(owner, model, known->lane, before, price_of(impl_->prices.of(model), before));
        credits.add(r);
        Impl::fill(*known, r, index, number_of(r.model));
    }
    credits.settle();
    for (const LaneTokens& named : usage.lanes) {
        const auto at = std::ranges::find(totals.by_lane, named.lane, &LaneTokens::lane);
        if (at != totals.by_lane.end()) at->label = named.label;
    }
    totals.top_turns = usage.top_turns;
    totals.peak_context = usage.peak_context;
    totals.peak_context_line = usage.peak_context_line;
    totals.window_tokens = usage.window_tokens;
    if (recorded) {
        totals.source = TokensSource::reported;
    } else if (usage.estimated.total() > 0) {
        totals.source = TokensSource::estimated;
        totals.total = usage.estimated;
    }
}

void add_totals(TokenLedgerTotals& into, const TokenLedgerTotals& from) {
    // Reported and estimated figures are never added up silently: the stronger source names the sum, estimates are
    // listed by session only.
    if (from.source == TokensSource::none) return;
    if (into.source == TokensSource::reported && from.source == TokensSource::estimated) return;
    if (into.source == TokensSource::estimated && from.source == TokensSource::reported) into = {};
    into.source = from.source;
    into.total += from.total;
    into.requests += from.requests;
    into.copied_requests += from.copied_requests;
    into.cost += from.cost;
    if (from.cost_microusd) into.cost_microusd = into.cost_microusd.value_or(0) + *from.cost_microusd;
    for (const ModelTokens& m : from.by_model) {
        if (m.requests == 0) continue;
        auto& row = model_row(into.by_model, m.model);
        row.tokens += m.tokens;
        row.requests += m.requests;
        row.cost += m.cost;
    }
}

}  // namespace agent_audit
