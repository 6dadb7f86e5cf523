#pragma once

#include <agent_audit/model/money.hpp>
#include <agent_audit/support/hash_map.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

/// What a provider's prompt cache would have read and written.
namespace agent_audit::simulator {

/// A prompt as the provider sees it: tools, system, then the content of the messages in order. Prefixes have a hash and
/// a length that cost nothing to ask for; an edit cuts the prompt where it begins and what follows is pushed anew.
class PromptPrefixes {
public:
    void cut(std::size_t places);
    /// What stands behind was looked at anew, whether it changed or not: take_unchanged() goes no further.
    void touch(std::size_t places) { unchanged_ = std::min(unchanged_, places); }
    /// One place: content that is never parted, of so many blocks as the provider counts them.
    void push(std::uint64_t hash, std::uint64_t tokens, std::uint32_t blocks = 1);

    std::size_t size() const { return ends_.size(); }
    std::uint64_t hash(std::size_t places) const { return places == 0 ? 0 : ends_[places - 1].hash; }
    std::uint64_t tokens(std::size_t places) const { return places == 0 ? 0 : ends_[places - 1].tokens; }
    std::uint64_t blocks(std::size_t places) const { return places == 0 ? 0 : ends_[places - 1].blocks; }
    std::uint64_t tokens() const { return tokens(size()); }

    /// Places that no cut has touched since the last call of this.
    std::size_t take_unchanged() { return std::exchange(unchanged_, size()); }

private:
    struct End {
        std::uint64_t hash = 0, tokens = 0, blocks = 0;  // of all places up to and including this one
    };
    std::vector<End> ends_;
    std::size_t unchanged_ = 0;
};

/// Why a prefix that the request before had sent was not read.
enum class CacheMiss : std::uint8_t {
    none,          ///< it was read, or there is no request before
    ttl,           ///< too long ago
    edit,          ///< the prompt changed before its end
    lookback,      ///< alive, but more blocks ago than the provider looks back
    model_change,  ///< another model, or another setting that the cache depends on
    min_size,      ///< too short to be cached
    unknown,
};
inline constexpr std::size_t kCacheMisses = 7;
/// Empty for none.
std::string_view name(CacheMiss miss);

/// One request. read + write + input is the prompt.
struct CacheUse {
    std::uint64_t read = 0, write = 0, input = 0;
    CacheMiss miss = CacheMiss::none;

    std::uint64_t prompt() const { return read + write + input; }
};

/// What besides its words decides whether a prompt is in the cache.
struct CacheMoment {
    std::optional<double> now_ms;       ///< when it was sent; nothing: as the request before
    std::optional<double> answered_ms;  ///< when the answer came, which is when the cache was last in use; nothing: now
    std::uint64_t setting = 0;          ///< model, thinking … : prompts of different settings share nothing
    std::size_t fixed_places = 0;       ///< at the beginning, tools and system: the client marks the end of each
    bool long_life = false;             ///< entries are bought for the provider's longer life
};

/// The cache of one conversation. A request costs constant time, besides the places pushed for it.
class CacheModel {
public:
    CacheUse request(const CacheRules& rules, PromptPrefixes& prompt, const CacheMoment& moment);

    static constexpr std::size_t kMaxEntries = 4096;  ///< remembered at a time, the oldest give way

private:
    struct Sent {  // a request that may still be in the cache
        double touched_ms = 0;
        std::uint64_t setting = 0, hash = 0, tokens = 0;
        std::size_t places = 0, intact = 0;  // intact: places that no edit has touched since
    };
    struct Entry {
        double touched_ms = 0;  // when last written or read
        std::uint64_t use = 0;
    };
    struct Clock {
        double now_ms = 0, ttl_ms = 0;
        bool alive(double touched_ms) const { return now_ms - touched_ms <= ttl_ms; }
    };
    /// Places of the longest prefix that is read.
    std::size_t find_marked(const CacheRules& rules, const PromptPrefixes& prompt, std::span<const std::size_t> marks,
                            std::uint64_t setting, const Clock& clock) const;
    std::size_t find_common(const PromptPrefixes& prompt, std::uint64_t setting, const Clock& clock,
                            std::size_t unchanged);
    void prefetch(const PromptPrefixes& prompt, std::span<const std::size_t> marks, std::uint64_t setting) const;
    bool alive(std::uint64_t key, const Clock& clock) const;
    void renew(std::uint64_t key, double touched_ms);
    CacheMiss explain(const CacheRules& rules, const PromptPrefixes& prompt, const CacheMoment& moment, std::size_t hit,
                      const Clock& clock) const;

    HashMap<Entry> entries_;                                            // by prefix and setting
    std::deque<std::pair<std::uint64_t, std::uint64_t>> oldest_first_;  // with the use at which they were queued
    std::uint64_t uses_ = 0;
    std::deque<Sent> sent_;  // newest first; only where any prefix is found
    std::optional<Sent> before_;
};

// --- cost
// ---------------------------------------------------------------------------------------------------------------

/// The request as it is billed.
BilledTokens billed(const CacheUse& use, std::uint64_t output, bool long_life = false);

/// An edit that takes d tokens out of a prompt of C at prefix position c makes what stands behind it be written anew,
/// once, and saves reading d tokens in every later request.
struct BreakEven {
    Money extra;                            ///< paid now
    Money saved;                            ///< by every later request
    std::optional<std::uint64_t> requests;  ///< after so many later requests it has paid off; nothing: never
};
/// Of `removed` tokens at `position` of a prompt of `prompt` tokens. `long_life`: at the prices of the longer life.
BreakEven break_even(const TokenPrices& prices, std::uint64_t prompt, std::uint64_t position, std::uint64_t removed,
                     bool long_life = false);

// --- against the record
// -------------------------------------------------------------------------------------------------

/// How well simulated reads agree with recorded ones over a session.
struct CacheAgreement {
    std::uint64_t requests = 0, prompt = 0, recorded_read = 0, simulated_read = 0, difference = 0;

    void add(std::uint64_t prompt_tokens, std::uint64_t recorded, std::uint64_t simulated);
    CacheAgreement& operator+=(const CacheAgreement& more);
    /// Sum of |simulated - recorded| / sum of prompts; nothing without requests.
    std::optional<double> deviation() const;

    static constexpr double kContradiction = 0.08;
    /// The record contradicts the model, having read less than it says.
    bool contradicts() const { return recorded_read < simulated_read && deviation().value_or(0) > kContradiction; }
};
/// The same request when its prompt has so many tokens: parts in proportion, exact in sum.
CacheUse fitted(const CacheUse& use, std::uint64_t prompt);

/// What a recorded request read from the cache, beside what its time and size let expect.
struct RecordedRead {
    std::uint64_t expected = 0, read = 0;
    std::uint64_t fixed = 0;  ///< system prompt and tools, the beginning of every prompt
};
/// A request of another history at the same time, whose cache was no better than the recorded one: of the fixed
/// beginning it reads no more than the record did, of the rest no larger a share than the record read of what it could
/// have. What is not read is written where the provider bills writes, else it is input.
CacheUse held_to(CacheUse use, const RecordedRead& record, bool bills_writes);

}  // namespace agent_audit::simulator
