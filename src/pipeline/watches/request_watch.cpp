#include "pipeline/watches/request_watch.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit {
namespace {

constexpr std::size_t kDearest = 3;
constexpr std::size_t kMostNames =
    4096;  // kept from session to session: a hostile log names a new model with every request

// Whose long models are used with a window of this size, too: by plan, by version of the program, by choice.
constexpr std::string_view kTwoWindows = "anthropic";
constexpr std::uint64_t kShortWindow = 200'000;

// So that requests of four billion tokens fit into 64 bits.
constexpr std::uint64_t kHighestPrice = 1'000'000'000;

// A price that is not given is that of input, as for cost().
void complete(TokenPrices& prices) {
    if (prices.cache_read == 0) prices.cache_read = prices.input;
    if (prices.cache_write == 0) prices.cache_write = prices.input;
    if (prices.cache_write_1h == 0) prices.cache_write_1h = prices.cache_write;
}

}  // namespace

// As cost() does it, without what most models do not have: every request of a run comes by here.
std::optional<Money> RequestWatch::Known::price(const RequestRecord& r) const {
    if (r.counts().lacks_prompt()) return std::nullopt;
    if (is_flat && r.cache_write_1h == 0)
        return Money(r.input * flat.input + r.cache_read * flat.cache_read + r.cache_write * flat.cache_write +
                     r.output * flat.output);
    return info ? cost(*info, billed(r.counts())) : std::nullopt;
}

// Sent anew a token is written where the client buys that, and input where it does not.
std::uint64_t RequestWatch::Known::resend_price(const RequestRecord& r) const {
    if (!info || !info->prices) return 0;
    TokenPrices p = flat;
    if (!is_flat) {
        p = *info->prices;
        for (const PriceTier& tier : info->tiers) {
            if (r.counts().prompt() > tier.above) p = tier.prices;
        }
        complete(p);
    }
    const std::uint64_t sent = r.cache_write == 0                     ? p.input
                               : r.cache_write_1h > r.cache_write / 2 ? p.cache_write_1h
                                                                      : p.cache_write;
    return sent > p.cache_read ? std::min(sent - p.cache_read, kHighestPrice) : 0;
}

const RequestWatch::Known& RequestWatch::learn(std::uint32_t model, const TokenLedger& ledger) {
    if (of_session_.size() <= model) of_session_.resize(model + 1u);
    const Known*& slot = of_session_[model];
    static const Known kNothing;
    if (!models_) return *(slot = &kNothing);
    const auto [at, fresh] = by_name_.try_emplace(ledger.model(model));
    if (fresh) {
        at->second.info = models_->find(at->first);
        if (at->second.info) learn(at->second);
    }
    return *(slot = &at->second);
}

void RequestWatch::learn(Known& known) {
    const ModelInfo& info = *known.info;
    known.cache = cache_rules(info);
    if (!info.prices || !info.tiers.empty()) return;
    known.flat = *info.prices;
    complete(known.flat);
    known.is_flat =
        std::max({known.flat.input, known.flat.output, known.flat.cache_read, known.flat.cache_write}) <= kHighestPrice;
}

std::optional<Money> RequestWatch::price_of_begun(const TokenLedger& ledger) {
    const RequestRecord& r = *begun_.record;
    return r.sum() == begun_.sum ? begun_.price : known(r.model, ledger).price(r);
}

std::optional<Money> RequestWatch::session_cost(const TokenLedger& ledger) {
    std::optional<Money> begun;
    if (open_ && begun_.price) begun = price_of_begun(ledger);
    if (!begun && !priced_) return std::nullopt;
    Money sum = cost_;
    if (begun) sum += *begun;
    return sum;
}

// The request is followed by another one, or by nothing: its counts are what they will be.
void RequestWatch::settle(const TokenLedger& ledger) {
    if (!open_) return;
    open_ = false;
    if (!begun_.price) return;
    const RequestRecord& r = *begun_.record;
    const auto price = price_of_begun(ledger);
    if (!price) return;
    priced_ = true;
    cost_ += *price;
    if (begun_.of_run) return;
    if (dearest_.size() == kDearest && price->parts() <= dearest_.back().cost.parts()) return;
    const auto at = std::ranges::upper_bound(dearest_, price->parts(), std::greater<>{},
                                             [](const DearRequest& dear) { return dear.cost.parts(); });
    dearest_.insert(at, {r.lane, begun_.line, r.counts(), *price});
    if (dearest_.size() > kDearest) dearest_.pop_back();
}

const RequestFigures* RequestWatch::on_usage(const Event& event, const Usage& usage, const TokenLedger& ledger) {
    const bool running = usage.mode == UsageMode::cumulative;
    const bool sum = running ? responses_ > 1 : usage.scope == UsageScope::session;
    const bool of_run = sum && !usage.context_tokens;
    responses_ = 0;
    const RequestRecord* now = ledger.newest_request();
    if (now == seen_) {
        // It stands for others, too, from now on.
        if (sum && !running && open_ && begun_.record->sum() != begun_.sum) begun_.of_run = true;
        return nullptr;
    }
    seen_ = now;
    settle(ledger);
    if ((event.head.flags & kCopied) != 0) return nullptr;
    open_ = true;
    const RequestRecord& r = *now;
    const Known& model = known(r.model, ledger);
    figures_.tokens = r.counts();
    figures_.context = usage.context_tokens.value_or(figures_.tokens.prompt());
    figures_.model = r.model + 1u;
    figures_.cache_ttl_s = model.info ? model.cache.ttl_s : 0;
    if (r.cache_write_1h > r.cache_write / 2 && model.cache.long_ttl_s > 0)
        figures_.cache_ttl_s = model.cache.long_ttl_s;
    const bool recorded = usage.window_tokens > 0 || ledger.window_tokens() > 0;
    figures_.window = recorded ? recorded_window(model, usage, ledger) : window_of(model);
    constexpr std::uint64_t kFew = 1024;  // tokens: nobody calls so little a miss
    figures_.resend_price = figures_.tokens.prompt() - r.cache_read < kFew ? 0 : model.resend_price(r);
    newest_ = model.info;
    const auto price = model.price(r);
    begun_ = {now, event.head.where.line, r.sum(), price, of_run};
    // Without a branch: the recorded profile of this function stays the right one.
    const auto billed = static_cast<unsigned>(r.sum() > 0);
    unknown_.unpriced += billed & static_cast<unsigned>(!price.has_value());
    unknown_.windowless += billed & (static_cast<unsigned>(of_run) | static_cast<unsigned>(figures_.window == 0));
    figures_.session_cost.reset();
    if (price || priced_) figures_.session_cost = cost_;
    if (price) *figures_.session_cost += *price;
    return of_run ? nullptr : &figures_;
}

// What is recorded is the window of the main conversation. A helper has it, too, unless its model is known for another
// one, or it says so itself.
std::uint64_t RequestWatch::recorded_window(const Known& model, const Usage& usage, const TokenLedger& ledger) {
    const bool main = ledger.newest_request()->lane == 0;
    if (main) main_ = &model;
    if (usage.window_tokens > 0) return usage.window_tokens;
    const bool other = !main && main_ && main_ != &model && model.info;
    const std::uint64_t own = other ? model.info->context_window : 0;
    return own > 0 && figures_.context <= own ? own : ledger.window_tokens();
}

// A prompt that is longer than the window shows that the window is another one. What is only likely gives way to what
// the user says of the model.
std::uint64_t RequestWatch::window_of(const Known& model) {
    if (figures_.context > window_) window_ = 0;
    const std::uint64_t of_model =
        model.info && figures_.context <= model.info->context_window ? model.info->context_window : 0;
    const bool said = of_model > 0 && model.info->window_given && !window_recorded_;
    return window_ > 0 && !said ? window_ : of_model;
}

// A history that is compacted by itself before it fills the short window had no other one.
void RequestWatch::on_compaction(const Compaction& compaction) {
    const std::uint64_t before = compaction.tokens_before.value_or(0);
    if (compaction.trigger != CompactionTrigger::automatic || before == 0 || before > kShortWindow) return;
    if (window_ == 0 && newest_ && newest_->provider == kTwoWindows && newest_->context_window > kShortWindow)
        window_ = kShortWindow;
}

// A helper for which the same was supposed has the same model, or one of the same kind.
void RequestWatch::see_late_window(std::vector<LaneContext>& lanes, const TokenLedger& ledger) const {
    const std::uint64_t told = ledger.window_tokens();
    const auto main = std::ranges::find(lanes, 0u, &LaneContext::lane);
    if (told == 0 || main_ || main == lanes.end() || main->peak > told) return;
    const std::uint64_t supposed = main->window;
    for (LaneContext& lane : lanes) {
        if (lane.window == supposed && lane.peak <= told) lane.window = told;
    }
}

std::vector<DearRequest> RequestWatch::finish(const TokenLedger& ledger) {
    settle(ledger);
    std::vector<DearRequest> dearest = std::move(dearest_);
    dearest_.clear();
    of_session_.clear();
    if (by_name_.size() > kMostNames)
        by_name_.clear();  // all at once: which sessions came before must not tell a price
    cost_ = {};
    finished_ = std::exchange(unknown_, {});
    priced_ = open_ = false;
    seen_ = nullptr;
    window_ = 0;
    window_recorded_ = false;
    newest_ = nullptr;
    main_ = nullptr;
    responses_ = 0;
    asked_ = true;
    return dearest;
}

}  // namespace agent_audit
