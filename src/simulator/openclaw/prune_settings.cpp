#include <agent_audit/simulator/openclaw.hpp>

#include "simulator/js_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

namespace agent_audit::simulator::openclaw {
namespace {

std::string normal(std::string_view name) { return js_lower(js_trim(name)); }

// `*` stands for any run of characters; nothing else is special.
bool glob(std::string_view pattern, std::string_view text) {
    std::size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool any(const std::vector<std::string>& patterns, std::string_view name) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& one) { return glob(one, name); });
}

std::vector<std::string> compiled(const std::vector<std::string>& raw) {
    std::vector<std::string> out;
    for (const std::string& one : raw) {
        if (std::string pattern = normal(one); !pattern.empty()) out.push_back(std::move(pattern));
    }
    return out;
}

std::vector<std::string> names(const JsValue& list) {
    std::vector<std::string> out;
    if (!list.array()) return out;
    for (const JsValue& item : *list.array()) {
        if (item.string()) out.push_back(*item.string());
    }
    return out;
}

std::size_t digits(std::string_view text) { return std::min(text.find_first_not_of("0123456789"), text.size()); }

/// "12" or "1.5" at the front, which is taken off; no sign, no exponent, no bare point.
std::optional<double> take_amount(std::string_view& text) {
    std::size_t length = digits(text);
    if (length == 0) return std::nullopt;
    if (text.substr(length).starts_with('.')) {
        if (const std::size_t behind = digits(text.substr(length + 1)); behind > 0) length += 1 + behind;
    }
    const double amount = std::strtod(std::string(text.substr(0, length)).c_str(), nullptr);
    text.remove_prefix(length);
    return amount;
}

/// The milliseconds of a unit at the front, which is taken off.
std::optional<double> take_unit(std::string_view& text) {
    struct Unit {
        std::string_view name;
        double ms;
    };
    static constexpr std::array<Unit, 5> kUnits{{{"ms", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}, {"d", 8.64e7}}};
    for (const Unit& unit : kUnits) {
        if (!text.starts_with(unit.name)) continue;
        text.remove_prefix(unit.name.size());
        return unit.ms;
    }
    return std::nullopt;
}

// "90s", "5m", "1h30m"; a single number without a unit is minutes.
std::optional<double> duration_ms(std::string_view text) {
    const std::string words = normal(text);
    std::string_view rest = words;
    if (rest.empty()) return std::nullopt;
    double total = 0;
    for (bool first = true; !rest.empty(); first = false) {
        const auto amount = take_amount(rest);
        if (!amount) return std::nullopt;
        if (first && rest.empty()) return std::round(*amount * 6e4);
        const auto unit = take_unit(rest);
        if (!unit) return std::nullopt;
        total += *amount * *unit;
    }
    return std::round(total);
}

void read_share(const JsValue& value, double& out) {
    if (value.number() && std::isfinite(*value.number())) out = std::clamp(*value.number(), 0.0, 1.0);
}
void read_count(const JsValue& value, double& out) {
    if (value.number() && std::isfinite(*value.number())) out = std::max(0.0, std::floor(*value.number()));
}

void read_common(const JsValue& configured, PruneSettings& out) {
    if (const auto* ttl = configured["ttl"].string()) out.ttl_ms = duration_ms(*ttl).value_or(out.ttl_ms);
    const JsValue& tools = configured["tools"];
    out.tools = ToolFilter(names(tools["allow"]), names(tools["deny"]));
    const JsValue& hard = configured["hardClear"];
    if (const auto* enabled = hard["enabled"].boolean()) out.hard_clear = *enabled;
    if (const auto* placeholder = hard["placeholder"].string()) {
        if (const std::string_view words = js_trim(*placeholder); !words.empty()) out.placeholder = words;
    }
}

}  // namespace

ToolFilter::ToolFilter(const std::vector<std::string>& allow, const std::vector<std::string>& deny)
    : allow_(compiled(allow)), deny_(compiled(deny)) {}

bool ToolFilter::allows(std::string_view tool) const {
    if (allow_.empty() && deny_.empty()) return true;
    const std::string name = normal(tool);
    return !any(deny_, name) && (allow_.empty() || any(allow_, name));
}

PruneSettings prune_settings(const JsValue& configured) {
    PruneSettings out;
    read_common(configured, out);
    return out;
}

PruneSettings prune_settings_2026_3(const JsValue& configured) {
    PruneSettings out;
    read_common(configured, out);
    read_count(configured["keepLastAssistants"], out.keep_last_assistants);
    read_share(configured["softTrimRatio"], out.soft_ratio);
    read_share(configured["hardClearRatio"], out.hard_ratio);
    read_count(configured["minPrunableToolChars"], out.min_prunable);
    const JsValue& soft = configured["softTrim"];
    read_count(soft["maxChars"], out.soft_max);
    read_count(soft["headChars"], out.head);
    read_count(soft["tailChars"], out.tail);
    return out;
}

}  // namespace agent_audit::simulator::openclaw
