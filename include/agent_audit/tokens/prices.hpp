#pragma once

#include <agent_audit/config/price_file.hpp>
#include <agent_audit/model/money.hpp>
#include <agent_audit/model/tokens.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace agent_audit {

/// Prices of one token, in millionths of a micro-dollar (what a model costs in USD per million tokens, times a
/// million), so that sums of requests are exact. A cache price of 0 means: no price of its own, billed like input.
struct TokenPrices {
    std::uint64_t input = 0, output = 0, cache_read = 0, cache_write = 0, cache_write_1h = 0;
};

/// Applies to the whole of a request whose prompt is longer than `above`.
struct PriceTier {
    std::uint64_t above = 0;
    TokenPrices prices;
};

/// What is known of a model.
struct ModelInfo {
    std::string id;
    std::string provider;
    std::uint64_t context_window = 0;   ///< 0: unknown
    bool window_given = false;          ///< it is that of a price file
    std::uint64_t max_output = 0;       ///< 0: unknown
    std::optional<TokenPrices> prices;  ///< nothing: unknown, never free
    std::vector<PriceTier> tiers;       ///< by `above`, ascending
};

/// Tokens of one request by how they are billed. The parts do not overlap.
struct BilledTokens {
    std::uint64_t input = 0, cache_read = 0, cache_write = 0, cache_write_1h = 0, output = 0;

    constexpr std::uint64_t prompt() const { return input + cache_read + cache_write + cache_write_1h; }
};
/// Cache writes are parted by how long they last; a count of those for an hour that is larger than all is cut.
constexpr BilledTokens billed(const TokenCounts& t) {
    const std::uint64_t for_an_hour = t.cache_write_1h < t.cache_write ? t.cache_write_1h : t.cache_write;
    return {t.input, t.cache_read, t.cache_write - for_an_hour, for_an_hour, t.output};
}

/// What a request costs, by what is paid for; nothing when the model has no known price.
std::optional<CostParts> cost_parts(const ModelInfo& model, const BilledTokens& tokens);
/// Their sum.
std::optional<Money> cost(const ModelInfo& model, const BilledTokens& tokens);

/// The models this program knows, and what a price file adds or changes.
class ModelTable {
public:
    ModelTable();
    /// What the program ships.
    static ModelTable shipped();
    /// When the shipped prices were collected, as YYYY-MM-DD.
    static std::string_view shipped_date();

    /// Fields that an entry gives replace the known ones. A new model needs input and output to have a price.
    void overlay(std::span<const PriceEntry> entries);

    /// nullptr: unknown. Tried in this order: the id itself; without date; without provider, region and deployment
    /// marks around it; the longest known id that it continues after a '-', '_', ':' or '@' (but not as another
    /// version: what follows "gpt-5" in "gpt-5-2" or "gpt-5.2" is one; nor as a variant: "gpt-5-mini"). Then the same
    /// again for ids that are spelt otherwise: in other case, or as "4.5" for "4-5". Pointers stay valid until the next
    /// overlay().
    const ModelInfo* find(std::string_view model) const;

    /// By id.
    std::vector<const ModelInfo*> all() const;

private:
    enum class Spelling : std::uint8_t { exact, any };
    struct Spellings;  // made when the first id is not found as it is: most runs never ask

    ModelInfo& entry(const std::string& id);
    void add_alias(std::string_view alias, const ModelInfo& info);
    const ModelInfo* spelt(const std::string& folded_id) const;
    const ModelInfo* known(std::string_view id, Spelling spelling) const;
    const ModelInfo* find(std::string_view model, Spelling spelling) const;

    std::deque<ModelInfo> models_;  // a deque: pointers stay
    // Names are those in `models_`, or parts of them.
    std::unordered_map<std::string_view, ModelInfo*> by_id_;
    std::unordered_map<std::string_view, const ModelInfo*> aliases_;  // ids without date or provider
    std::shared_ptr<Spellings> spellings_;
};

/// How a provider's prompt cache works, as far as it can be simulated.
struct CacheRules {
    bool breakpoints = false;  ///< written at marked places; otherwise any common prefix is found
    unsigned max_breakpoints = 0;
    unsigned lookback_blocks = 0;     ///< blocks before a breakpoint among which a live entry is looked for
    std::uint64_t min_tokens = 1024;  ///< shorter prefixes are not cached
    std::uint64_t granularity = 1;    ///< beyond the minimum, hits come in steps of so many tokens
    std::uint32_t ttl_s = 300;        ///< life of an entry
    std::uint32_t long_ttl_s = 0;     ///< where a longer one can be bought; 0: no such
};
/// As the provider documents them; of one that is not known what most have in common.
CacheRules cache_rules(const ModelInfo& model);

}  // namespace agent_audit
