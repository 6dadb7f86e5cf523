#include <agent_audit/simulator/cache.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>

namespace agent_audit::simulator {
namespace {

constexpr std::size_t kMaxSent = 64;  // requests compared with where any common prefix is read

// Ends of the tools and of the system prompt, the end of the request before and of this one: the four that clients set.
class Marks {
public:
    void add(std::size_t place) {
        if (place == 0 || (count_ > 0 && places_[count_ - 1] >= place)) return;
        places_[count_++] = place;
    }
    std::span<const std::size_t> all() const { return {places_.data(), count_}; }

private:
    std::array<std::size_t, 4> places_{};
    std::size_t count_ = 0;
};

Marks marks_of(const CacheRules& rules, const CacheMoment& moment, std::size_t before, std::size_t end) {
    Marks marks;
    const std::size_t fixed = std::min(moment.fixed_places, end);
    if (rules.max_breakpoints >= 3 && fixed > 1) marks.add(fixed - 1);
    if (rules.max_breakpoints >= 2) marks.add(fixed);
    if (rules.max_breakpoints >= 4) marks.add(std::min(before, end));
    marks.add(end);
    return marks;
}

// A common prefix is only found in whole steps.
std::uint64_t in_steps(const CacheRules& rules, std::uint64_t tokens) {
    if (tokens < rules.min_tokens) return 0;
    const std::uint64_t step = std::max<std::uint64_t>(rules.granularity, 1);
    return rules.min_tokens + (tokens - rules.min_tokens) / step * step;
}

bool looks_back(const CacheRules& rules) { return rules.breakpoints && rules.lookback_blocks > 0; }

}  // namespace

void PromptPrefixes::cut(std::size_t places) {
    if (places >= ends_.size()) return;
    ends_.resize(places);
    unchanged_ = std::min(unchanged_, places);
}

void PromptPrefixes::push(std::uint64_t hash, std::uint64_t tokens, std::uint32_t blocks) {
    const End last = ends_.empty() ? End{} : ends_.back();
    ends_.push_back({mix_hash(last.hash, hash), last.tokens + tokens, last.blocks + std::max(blocks, 1U)});
}

std::string_view name(CacheMiss miss) {
    constexpr std::array<std::string_view, kCacheMisses> kNames{
        "", "ttl", "edit", "lookback", "model_change", "min_size", "unknown"};
    return kNames[static_cast<std::size_t>(miss)];
}

bool CacheModel::alive(std::uint64_t key, const Clock& clock) const {
    const Entry* entry = entries_.find(key);
    return entry && clock.alive(entry->touched_ms);
}

void CacheModel::renew(std::uint64_t key, double touched_ms) {
    const auto [entry, fresh] = entries_.try_emplace(key);
    *entry = {touched_ms, ++uses_};
    if (!fresh) return;
    oldest_first_.emplace_back(key, uses_);
    while (entries_.size() > kMaxEntries) {
        const auto [oldest, use] = oldest_first_.front();
        oldest_first_.pop_front();
        const std::uint64_t last_use = entries_.find(oldest)->use;
        if (last_use > use) {  // in use since (the end of the system prompt): young again
            oldest_first_.emplace_back(oldest, last_use);
        } else {
            entries_.erase(oldest);
        }
    }
}

// The tables of many policies are larger than any cache: what is looked up next is fetched all at once. Most requests
// have grown by few places.
void CacheModel::prefetch(const PromptPrefixes& prompt, std::span<const std::size_t> marks,
                          std::uint64_t setting) const {
    constexpr std::size_t kGrown = 3;
    for (const std::size_t mark : marks) entries_.prefetch(mix_hash(setting, prompt.hash(mark)));
    for (std::size_t i = 1; i < std::min(kGrown, prompt.size()); ++i) {
        entries_.prefetch(mix_hash(setting, prompt.hash(prompt.size() - i)));
    }
}

std::size_t CacheModel::find_marked(const CacheRules& rules, const PromptPrefixes& prompt,
                                    std::span<const std::size_t> marks, std::uint64_t setting,
                                    const Clock& clock) const {
    for (std::size_t m = marks.size(); m-- > 0;) {
        const std::uint64_t end = prompt.blocks(marks[m]);
        for (std::size_t place = marks[m]; place > 0 && end - prompt.blocks(place) <= rules.lookback_blocks; --place) {
            if (alive(mix_hash(setting, prompt.hash(place)), clock)) return place;
        }
    }
    return 0;
}

// The request before shares all that was not edited since; one further back shares no more, unless an edit was taken
// back: then all of it may stand there again.
std::size_t CacheModel::find_common(const PromptPrefixes& prompt, std::uint64_t setting, const Clock& clock,
                                    std::size_t unchanged) {
    std::size_t best = 0;
    for (Sent& sent : sent_) {
        sent.intact = std::min(sent.intact, unchanged);
        if (sent.setting != setting || !clock.alive(sent.touched_ms)) continue;
        if (sent.intact < sent.places && sent.places > best && sent.places <= prompt.size() &&
            prompt.hash(sent.places) == sent.hash) {
            sent.intact = sent.places;
        }
        best = std::max(best, sent.intact);
    }
    return best;
}

CacheMiss CacheModel::explain(const CacheRules& rules, const PromptPrefixes& prompt, const CacheMoment& moment,
                              std::size_t hit, const Clock& clock) const {
    if (!before_) return CacheMiss::none;
    const bool same_setting = before_->setting == moment.setting;
    const bool edited = before_->places > prompt.size() || prompt.hash(before_->places) != before_->hash;
    const bool too_short = std::min(before_->tokens, prompt.tokens()) < rules.min_tokens;
    if (too_short) return CacheMiss::min_size;
    if (same_setting && !edited && hit >= before_->places) return CacheMiss::none;
    if (!clock.alive(before_->touched_ms)) return CacheMiss::ttl;
    if (!same_setting) return CacheMiss::model_change;
    if (edited) return CacheMiss::edit;
    return alive(mix_hash(before_->setting, before_->hash), clock) ? CacheMiss::lookback : CacheMiss::unknown;
}

CacheUse CacheModel::request(const CacheRules& rules, PromptPrefixes& prompt, const CacheMoment& moment) {
    Clock clock;
    clock.now_ms = moment.now_ms.value_or(before_ ? before_->touched_ms : 0);
    clock.ttl_ms = 1000.0 * (moment.long_life && rules.long_ttl_s > 0 ? rules.long_ttl_s : rules.ttl_s);
    const double touched_ms = std::max(clock.now_ms, moment.answered_ms.value_or(clock.now_ms));
    const std::size_t end = prompt.size(), unchanged = prompt.take_unchanged();
    const std::uint64_t tokens = prompt.tokens();
    const Marks marks = marks_of(rules, moment, before_ ? before_->places : 0, end);

    if (looks_back(rules)) prefetch(prompt, marks.all(), moment.setting);
    const std::size_t hit = looks_back(rules) ? find_marked(rules, prompt, marks.all(), moment.setting, clock)
                                              : find_common(prompt, moment.setting, clock, unchanged);
    CacheUse use;
    use.miss = explain(rules, prompt, moment, hit, clock);
    if (!looks_back(rules)) {
        use.read = in_steps(rules, prompt.tokens(hit));
        if (rules.breakpoints) use.write = in_steps(rules, tokens) - use.read;
    } else if (tokens >= rules.min_tokens) {
        use.read = prompt.tokens(hit);
        use.write = tokens - use.read;
        if (hit > 0) renew(mix_hash(moment.setting, prompt.hash(hit)), touched_ms);
        for (const std::size_t mark : marks.all()) {
            if (prompt.tokens(mark) < rules.min_tokens) continue;
            renew(mix_hash(moment.setting, prompt.hash(mark)), touched_ms);
        }
    }
    use.input = tokens - use.read - use.write;

    before_ = Sent{touched_ms, moment.setting, prompt.hash(end), tokens, end, end};
    if (!looks_back(rules)) {
        sent_.push_front(*before_);
        if (sent_.size() > kMaxSent) sent_.pop_back();
    }
    return use;
}

BilledTokens billed(const CacheUse& use, std::uint64_t output, bool long_life) {
    BilledTokens tokens{use.input, use.read, 0, 0, output};
    (long_life ? tokens.cache_write_1h : tokens.cache_write) = use.write;
    return tokens;
}

BreakEven break_even(const TokenPrices& prices, std::uint64_t prompt, std::uint64_t position, std::uint64_t removed,
                     bool long_life) {
    const auto or_else = [](std::uint64_t price, std::uint64_t otherwise) { return price != 0 ? price : otherwise; };
    const auto times = [](std::uint64_t tokens, std::uint64_t price) {
        return price != 0 && tokens > UINT64_MAX / price ? UINT64_MAX : tokens * price;
    };
    const std::uint64_t read = or_else(prices.cache_read, prices.input);
    const std::uint64_t short_write = or_else(prices.cache_write, prices.input);
    const std::uint64_t write = long_life ? or_else(prices.cache_write_1h, short_write) : short_write;
    const std::uint64_t before = std::min(position, prompt), gone = std::min(removed, prompt - before);
    BreakEven out{Money(times(prompt - before - gone, write > read ? write - read : 0)), Money(times(gone, read)), {}};
    if (out.extra.parts() == 0) {
        out.requests = 0;
    } else if (out.saved.parts() > 0) {
        out.requests = (out.extra.parts() - 1) / out.saved.parts() + 1;
    }
    return out;
}

void CacheAgreement::add(std::uint64_t prompt_tokens, std::uint64_t recorded, std::uint64_t simulated) {
    ++requests;
    prompt += prompt_tokens;
    recorded_read += recorded;
    simulated_read += simulated;
    difference += recorded > simulated ? recorded - simulated : simulated - recorded;
}

CacheAgreement& CacheAgreement::operator+=(const CacheAgreement& more) {
    requests += more.requests;
    prompt += more.prompt;
    recorded_read += more.recorded_read;
    simulated_read += more.simulated_read;
    difference += more.difference;
    return *this;
}

std::optional<double> CacheAgreement::deviation() const {
    if (prompt == 0) return {};
    return static_cast<double>(difference) / static_cast<double>(prompt);
}

CacheUse fitted(const CacheUse& use, std::uint64_t prompt) {
    const std::uint64_t was = use.prompt();
    if (was == prompt || was == 0) return {use.read, use.write, was == 0 ? prompt : use.input, use.miss};
    const auto part = [&](std::uint64_t tokens) {
        const double share = static_cast<double>(tokens) / static_cast<double>(was);
        return std::min(prompt, static_cast<std::uint64_t>(share * static_cast<double>(prompt) + 0.5));
    };
    CacheUse out;
    out.miss = use.miss;
    out.read = part(use.read);
    out.write = use.input == 0 ? prompt - out.read : std::min(part(use.write), prompt - out.read);
    out.input = prompt - out.read - out.write;
    return out;
}

CacheUse held_to(CacheUse use, const RecordedRead& record, bool bills_writes) {
    if (record.read >= record.expected) return use;
    std::uint64_t read = std::min(use.read, record.read);
    const std::uint64_t fixed = std::min(record.fixed, record.expected);
    if (record.read > fixed && use.read > fixed) {
        const double share = static_cast<double>(record.read - fixed) / static_cast<double>(record.expected - fixed);
        read = fixed + static_cast<std::uint64_t>(share * static_cast<double>(use.read - fixed));
    }
    (bills_writes ? use.write : use.input) += use.read - read;
    use.read = read;
    return use;
}

}  // namespace agent_audit::simulator
