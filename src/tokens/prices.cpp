#include "support/ascii.hpp"

#include <agent_audit/tokens/prices.hpp>

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

namespace agent_audit {
namespace {

struct ModelRow {
    std::string_view id, provider;
    std::uint64_t context_window, max_output;
    TokenPrices prices;
    std::uint64_t tier_above;
    TokenPrices tier;
};

#include "tokens/model_table.inc"

bool all_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

// -20250929, -2025-09-29, @20250929 at the end.
std::string_view without_date(std::string_view id) {
    constexpr std::size_t kPlain = 9, kDashed = 11;
    const auto century = [](std::string_view year) { return year.starts_with("20"); };
    if (id.size() > kPlain) {
        const std::string_view tail = id.substr(id.size() - kPlain);
        if ((tail[0] == '-' || tail[0] == '@') && all_digits(tail.substr(1)) && century(tail.substr(1))) {
            return id.substr(0, id.size() - kPlain);
        }
    }
    if (id.size() > kDashed) {
        const std::string_view tail = id.substr(id.size() - kDashed);
        const bool dashes = tail[0] == '-' && tail[5] == '-' && tail[8] == '-';
        if (dashes && all_digits(tail.substr(1, 4)) && all_digits(tail.substr(6, 2)) && all_digits(tail.substr(9)) &&
            century(tail.substr(1))) {
            return id.substr(0, id.size() - kDashed);
        }
    }
    return id;
}

// "openrouter/anthropic/", "us.anthropic." before a model's own name. A dot inside a name is part of a version.
std::string_view without_provider(std::string_view id) {
    if (const std::size_t slash = id.rfind('/'); slash != id.npos) id.remove_prefix(slash + 1);
    constexpr std::array<std::string_view, 20> kPrefixes{"us.",     "eu.",     "apac.",     "global.", "jp.",
                                                         "au.",     "ca.",     "sa.",       "us-gov.", "anthropic.",
                                                         "amazon.", "meta.",   "mistral.",  "openai.", "deepseek.",
                                                         "google.", "cohere.", "moonshot.", "qwen.",   "zai."};
    // All end in their only dot, and most names have none.
    for (std::size_t dot = id.find('.'); dot != id.npos; dot = id.find('.')) {
        if (std::ranges::find(kPrefixes, id.substr(0, dot + 1)) == kPrefixes.end()) break;
        id.remove_prefix(dot + 1);
    }
    return id;
}

// What a deployment adds at the end: ":free", ":0", "@latest", "[1m]".
std::string_view without_deployment(std::string_view id) {
    if (const std::size_t bracket = id.find('['); bracket != id.npos && bracket > 0) id = id.substr(0, bracket);
    if (const std::size_t colon = id.find(':'); colon != id.npos && colon > 0) id = id.substr(0, colon);
    if (id.ends_with("@latest") || id.ends_with("@default")) id = id.substr(0, id.find('@'));
    return id;
}

// "-v1", of Bedrock. It may as well be a part of the name: the whole is looked for first.
std::string_view without_revision(std::string_view id) {
    const std::size_t v = id.rfind("-v");
    if (v != id.npos && v > 0 && v + 4 > id.size() && all_digits(id.substr(v + 2))) id = id.substr(0, v);
    return id;
}

// One spelling for the ids that differ in case only, or in how the parts of a version are joined: "Claude-Opus-4.5".
// Longer numbers are dates and sizes, which are written one way.
std::string folded(std::string_view id) {
    constexpr std::size_t kLongestPart = 2;
    std::string out(id);
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i] >= 'A' && out[i] <= 'Z') out[i] = static_cast<char>(out[i] - 'A' + 'a');
        if (out[i] != '.' || i == 0 || !is_digit(out[i - 1])) continue;
        std::size_t digits = 0;
        while (i + 1 + digits < id.size() && is_digit(id[i + 1 + digits])) ++digits;
        if (digits > 0 && digits <= kLongestPart) out[i] = '-';
    }
    return out;
}

// Faster and smaller ones have the name of their model, and a price of their own.
bool names_variant(std::string_view rest) {
    constexpr std::array<std::string_view, 8> kVariants{"fast", "flash", "highspeed", "lite",
                                                        "mini", "nano",  "pro",       "turbo"};
    while (!rest.empty()) {
        rest.remove_prefix(1);  // what joins the words
        const std::size_t end = std::min(rest.find_first_of("-_:@"), rest.size());
        if (std::ranges::find(kVariants, rest.substr(0, end)) != kVariants.end()) return true;
        rest.remove_prefix(end);
    }
    return false;
}

// May `rest`, which follows a known id, belong to the same model? Not when it begins with a version number, or names a
// variant.
bool continues(std::string_view rest) {
    if (rest.empty()) return true;
    if (rest[0] != '-' && rest[0] != '_' && rest[0] != ':' && rest[0] != '@') return false;
    if (names_variant(rest)) return false;
    std::size_t digits = 1;
    while (digits < rest.size() && is_digit(rest[digits])) ++digits;
    constexpr std::size_t kLongestVersion = 2;
    return digits == 1 || digits - 1 > kLongestVersion;
}

void replace(std::uint64_t& into, const std::optional<std::uint64_t>& from) { into = from.value_or(into); }

TokenPrices changed(TokenPrices prices, const PriceFields& by) {
    replace(prices.input, by.input);
    replace(prices.output, by.output);
    replace(prices.cache_read, by.cache_read);
    replace(prices.cache_write, by.cache_write);
    replace(prices.cache_write_1h, by.cache_write_1h);
    return prices;
}

constexpr std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

}  // namespace

std::optional<CostParts> cost_parts(const ModelInfo& model, const BilledTokens& tokens) {
    if (!model.prices) return {};
    const TokenPrices* p = &*model.prices;
    for (const PriceTier& tier : model.tiers) {
        if (tokens.prompt() > tier.above) p = &tier.prices;
    }
    const auto or_input = [p](std::uint64_t price) { return price != 0 ? price : p->input; };
    CostParts parts;
    parts.input = Money(times(tokens.input, p->input));
    parts.cache_write = Money(times(tokens.cache_write, or_input(p->cache_write)));
    parts.cache_write +=
        Money(times(tokens.cache_write_1h, or_input(p->cache_write_1h != 0 ? p->cache_write_1h : p->cache_write)));
    parts.cache_read = Money(times(tokens.cache_read, or_input(p->cache_read)));
    parts.output = Money(times(tokens.output, p->output));
    return parts;
}

std::optional<Money> cost(const ModelInfo& model, const BilledTokens& tokens) {
    const auto parts = cost_parts(model, tokens);
    return parts ? std::optional(parts->sum()) : std::nullopt;
}

// Ids and aliases, folded.
struct ModelTable::Spellings {
    std::once_flag once;
    std::unordered_map<std::string, const ModelInfo*> by_name;  // null: of several models

    void add(const ModelInfo& info) {
        for (const std::string_view name :
             {std::string_view(info.id), without_date(info.id), without_provider(info.id)}) {
            put(folded(name), info);
        }
    }

    // Two models that only their spelling tells apart are none that another spelling could mean.
    void put(std::string name, const ModelInfo& info) {
        const auto [at, fresh] = by_name.emplace(std::move(name), &info);
        if (fresh || at->second == nullptr || at->second == &info) return;
        const bool versions = without_date(at->second->id) == without_date(info.id);
        if (!versions)
            at->second = nullptr;
        else if (at->second->id < info.id)
            at->second = &info;
    }
};

ModelTable::ModelTable() : spellings_(std::make_shared<Spellings>()) {}

std::string_view ModelTable::shipped_date() { return kModelTableDate; }

ModelTable ModelTable::shipped() {
    ModelTable table;
    table.by_id_.reserve(kModelTable.size());
    table.aliases_.reserve(kModelTable.size());
    for (const ModelRow& row : kModelTable) {
        ModelInfo& info = table.entry(std::string(row.id));
        info.provider = row.provider;
        info.context_window = row.context_window;
        info.max_output = row.max_output;
        if (row.prices.input != 0 || row.prices.output != 0) info.prices = row.prices;
        if (row.tier_above != 0) info.tiers.push_back({row.tier_above, row.tier});
    }
    return table;
}

ModelInfo& ModelTable::entry(const std::string& id) {
    if (const auto at = by_id_.find(id); at != by_id_.end()) return *at->second;
    ModelInfo& info = models_.emplace_back();
    info.id = id;
    by_id_.emplace(info.id, &info);
    add_alias(without_date(info.id), info);
    add_alias(without_provider(info.id), info);
    return info;
}

const ModelInfo* ModelTable::spelt(const std::string& folded_id) const {
    std::call_once(spellings_->once, [this] {
        for (const ModelInfo& info : models_) spellings_->add(info);
    });
    const auto at = spellings_->by_name.find(folded_id);
    return at == spellings_->by_name.end() ? nullptr : at->second;
}

// Of several models with one alias the newest counts: dates sort.
void ModelTable::add_alias(std::string_view alias, const ModelInfo& info) {
    if (alias.size() == info.id.size()) return;
    const auto [at, fresh] = aliases_.emplace(alias, &info);
    if (!fresh && at->second->id < info.id) at->second = &info;
}

void ModelTable::overlay(std::span<const PriceEntry> entries) {
    spellings_ = std::make_shared<Spellings>();
    for (const PriceEntry& given : entries) {
        ModelInfo& info = entry(given.model);
        if (given.provider) info.provider = *given.provider;
        replace(info.context_window, given.context_window);
        info.window_given = info.window_given || given.context_window.has_value();
        replace(info.max_output, given.max_output);
        if (info.prices || (given.prices.input && given.prices.output)) {
            info.prices = changed(info.prices.value_or(TokenPrices{}), given.prices);
        }
        if (!given.tiers) continue;
        info.tiers.clear();
        for (const PriceEntry::Tier& tier : *given.tiers) {
            info.tiers.push_back({tier.above, changed(info.prices.value_or(TokenPrices{}), tier.prices)});
        }
        std::ranges::stable_sort(info.tiers, {}, &PriceTier::above);
    }
}

const ModelInfo* ModelTable::known(std::string_view id, Spelling spelling) const {
    if (spelling == Spelling::any) return spelt(std::string(id));
    if (const auto at = by_id_.find(id); at != by_id_.end()) return at->second;
    const auto at = aliases_.find(id);
    return at == aliases_.end() ? nullptr : at->second;
}

const ModelInfo* ModelTable::find(std::string_view model) const {
    constexpr std::size_t kLongest = 200;  // no model is called more
    if (model.empty() || model.size() > kLongest) return nullptr;
    if (const ModelInfo* found = find(model, Spelling::exact)) return found;
    return find(folded(model), Spelling::any);
}

const ModelInfo* ModelTable::find(std::string_view model, Spelling spelling) const {
    if (const ModelInfo* found = known(model, spelling)) return found;
    if (const ModelInfo* found = known(without_date(model), spelling)) return found;
    const std::string_view whole = without_deployment(without_provider(model));
    if (const ModelInfo* found = known(whole, spelling)) return found;
    const std::string_view bare = without_revision(whole);
    if (const ModelInfo* found = known(bare, spelling)) return found;
    if (const ModelInfo* found = known(without_date(bare), spelling)) return found;
    for (std::size_t end = bare.size(); end-- > 1;) {
        if (!continues(bare.substr(end))) continue;
        if (const ModelInfo* found = known(bare.substr(0, end), spelling)) return found;
    }
    return nullptr;
}

std::vector<const ModelInfo*> ModelTable::all() const {
    std::vector<const ModelInfo*> out;
    for (const ModelInfo& info : models_) out.push_back(&info);
    std::ranges::sort(out, {}, [](const ModelInfo* info) -> const std::string& { return info->id; });
    return out;
}

CacheRules cache_rules(const ModelInfo& model) {
    constexpr std::uint32_t kMinute = 60, kHour = 3600, kDay = 24 * kHour;
    if (model.provider == "anthropic") {
        constexpr std::array<std::pair<std::string_view, std::uint64_t>, 6> kMinimum{{{"claude-opus-4-5", 4096},
                                                                                      {"claude-opus-4-6", 4096},
                                                                                      {"claude-opus-4-7", 4096},
                                                                                      {"claude-haiku-4-5", 4096},
                                                                                      {"claude-3-5-haiku", 2048},
                                                                                      {"claude-3-haiku", 2048}}};
        CacheRules rules{true, 4, 20, 1024, 1, 5 * kMinute, kHour};
        for (const auto& [prefix, tokens] : kMinimum) {
            if (model.id.starts_with(prefix)) rules.min_tokens = tokens;
        }
        return rules;
    }
    if (model.provider == "openai" && model.prices && model.prices->cache_write != 0) {
        return {true, 4, 0, 1024, 128, 30 * kMinute, 0};
    }
    if (model.provider == "openai") return {false, 0, 0, 1024, 128, 10 * kMinute, kDay};
    if (model.provider == "google") return {false, 0, 0, 1024, 1, 5 * kMinute, 0};
    if (model.provider == "deepseek") return {false, 0, 0, 64, 64, kHour, 0};
    return {false, 0, 0, 1024, 128, 5 * kMinute, 0};
}

}  // namespace agent_audit
