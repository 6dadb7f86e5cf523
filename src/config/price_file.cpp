#include <agent_audit/config/price_file.hpp>

#include <agent_audit/support/suggest.hpp>

#include "config/json_place.hpp"
#include "support/byte_order_mark.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace agent_audit {
namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kFields[] = {
    "input",          "output",     "cache_read", "cache_write", "cache_write_1h",
    "context_window", "max_output", "provider",   "tiers",       "input_tokens_above"};
constexpr std::string_view kNotes[] = {"note", "src", "tiers_src", "cache_ttl_s"};  // are not read

// Six decimals are exact: a double holds such a number below a million with room to spare.
std::optional<std::uint64_t> price(double usd) {
    constexpr double kMost = 1e6;
    if (!(usd >= 0) || usd > kMost) return {};
    return static_cast<std::uint64_t>(std::llround(usd * 1e6));
}

std::optional<std::uint64_t>* price_field(PriceFields& fields, std::string_view key) {
    if (key == "input") return &fields.input;
    if (key == "output") return &fields.output;
    if (key == "cache_read") return &fields.cache_read;
    if (key == "cache_write") return &fields.cache_write;
    if (key == "cache_write_1h") return &fields.cache_write_1h;
    return nullptr;
}

class Reader {
public:
    explicit Reader(std::string_view source) : source_(source) {}

    std::optional<Error> read(dom::object models) {
        for (const auto& [key, value] : models) {
            PriceEntry entry;
            entry.model = key;
            dom::object fields;
            if (entry.model.empty() || value.get(fields)) return fault(entry.model, "expected an object");
            if (auto error = read_model(fields, entry)) return error;
            entries.push_back(std::move(entry));
        }
        return {};
    }

    std::vector<PriceEntry> entries;

private:
    Error fault(std::string_view model, std::string_view what) const {
        return {fmt::format("{}: models[\"{}\"]: {}", source_, model.substr(0, 80), what)};
    }

    std::optional<Error> read_model(dom::object fields, PriceEntry& entry) const {
        for (const auto& [key, value] : fields) {
            if (auto error = read_field(entry, key, value)) return error;
        }
        return {};
    }

    std::optional<Error> read_field(PriceEntry& entry, std::string_view key, dom::element value) const {
        if (key == "context_window") return read_count(entry, key, value, entry.context_window);
        if (key == "max_output") return read_count(entry, key, value, entry.max_output);
        if (key == "tiers") return read_tiers(entry, value);
        if (key != "provider") return read_price(entry, key, value, entry.prices);
        std::string_view provider;
        if (value.get(provider)) return fault(entry.model, "provider: expected a string");
        entry.provider = provider;
        return {};
    }

    std::optional<Error> read_count(const PriceEntry& entry, std::string_view key, dom::element value,
                                    std::optional<std::uint64_t>& into) const {
        constexpr std::uint64_t kMost = 1'000'000'000;
        std::uint64_t number = 0;
        if (value.get(number) || number > kMost)
            return fault(entry.model, fmt::format("{}: expected a number of tokens", key));
        into = number;
        return {};
    }

    std::optional<Error> read_price(const PriceEntry& entry, std::string_view key, dom::element value,
                                    PriceFields& into) const {
        std::optional<std::uint64_t>* const field = price_field(into, key);
        if (!field) {
            if (std::ranges::find(kNotes, key) != std::end(kNotes)) return {};
            const std::string_view near = nearest(key, kFields);
            return fault(entry.model, fmt::format("unknown key \"{}\"; {}", key.substr(0, 80),
                                                  near.empty() ? fmt::format("known: {}", fmt::join(kFields, ", "))
                                                               : fmt::format("did you mean {}?", near)));
        }
        double usd = 0;
        if (!value.get(usd)) *field = price(usd);
        if (*field) return {};
        return fault(entry.model, fmt::format("{}: expected USD per million tokens, from 0 to 1000000", key));
    }

    std::optional<Error> read_tiers(PriceEntry& entry, dom::element value) const {
        dom::array tiers;
        if (value.get(tiers)) return fault(entry.model, "tiers: expected an array");
        auto& into = entry.tiers.emplace();
        for (const dom::element element : tiers) {
            dom::object fields;
            if (element.get(fields)) return fault(entry.model, "tiers: expected objects");
            if (auto error = read_tier(entry, fields, into.emplace_back())) return error;
        }
        return {};
    }

    std::optional<Error> read_tier(const PriceEntry& entry, dom::object fields, PriceEntry::Tier& tier) const {
        std::optional<std::uint64_t> above;
        for (const auto& [key, value] : fields) {
            auto error = key == "input_tokens_above" ? read_count(entry, key, value, above)
                                                     : read_price(entry, key, value, tier.prices);
            if (error) return error;
        }
        if (!above) return fault(entry.model, "tiers: input_tokens_above is missing");
        tier.above = *above;
        return {};
    }

    std::string_view source_;
};

}  // namespace

Result<std::vector<PriceEntry>> parse_price_file(std::string_view text, std::string_view source) {
    text = without_byte_order_mark(text);
    dom::parser parser;
    dom::element document;
    if (const auto error = parser.parse(text.data(), text.size()).get(document)) {
        return Error{not_json(source, text, simdjson::error_message(error))};
    }
    dom::object models;
    if (document["models"].get(models)) {
        return Error{fmt::format("{}: expected an object \"models\" with an entry for each model", source)};
    }
    Reader reader(source);
    if (auto error = reader.read(models)) return *std::move(error);
    return std::move(reader.entries);
}

}  // namespace agent_audit
