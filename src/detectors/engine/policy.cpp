#include <agent_audit/detectors/policy.hpp>

#include <agent_audit/detectors/detector.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit {
namespace {

// The name of the warn count that belongs to a fail count: "transient-fail" -> "transient-warn".
std::optional<std::string> warn_of(std::string_view name) {
    constexpr std::string_view kFail = "fail";
    for (std::size_t at = name.find(kFail); at != name.npos; at = name.find(kFail, at + 1)) {
        const std::size_t end = at + kFail.size();
        if ((at > 0 && name[at - 1] != '-') || (end < name.size() && name[end] != '-')) continue;
        return std::string(name.substr(0, at)).append("warn").append(name.substr(end));
    }
    return std::nullopt;
}

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

std::string value_of(const DetectorSpec& rule, const ParamDoc& param, const Settings& settings) {
    const Setting* set = settings.find(fmt::format("{}.{}", rule.id, param.name));
    return set ? set->value : param.default_value;
}

std::string doubled(const ParamDoc& param) {
    const double twice = std::min(2 * number(param.default_value), number(param.max));
    return param.integer ? fmt::format("{}", static_cast<long long>(twice)) : fmt::format("{}", twice);
}

void apply(Policy policy, const DetectorSpec& rule, Settings& settings) {
    const std::vector<ParamDoc> params = rule.params();
    for (const ParamDoc& param : params) {
        const auto warn_name = warn_of(param.name);
        const std::string key = fmt::format("{}.{}", rule.id, param.name);
        if (!warn_name || settings.find(key)) continue;
        const auto warn = std::ranges::find(params, *warn_name, &ParamDoc::name);
        if (warn == params.end()) continue;
        const std::string value = policy == Policy::strict ? value_of(rule, *warn, settings) : doubled(param);
        // A warn count that is no count at all is for its own parameter to complain about.
        if (!(number(value) >= number(param.min) && number(value) <= number(param.max))) continue;
        settings.set(key, {value, fmt::format("policy {}", name(policy))});
    }
}

}  // namespace

Settings with_policy(Policy policy, Settings settings) {
    if (policy == Policy::balanced) return settings;
    for (const DetectorSpec& rule : all_detectors()) apply(policy, rule, settings);
    return settings;
}

std::vector<OvertakenCount> overtaken_counts(const DetectorSpec& rule, const Settings& settings) {
    std::vector<OvertakenCount> out;
    const std::vector<ParamDoc> params = rule.params();
    for (const ParamDoc& param : params) {
        const auto warn_name = warn_of(param.name);
        if (!warn_name) continue;
        const auto warn = std::ranges::find(params, *warn_name, &ParamDoc::name);
        if (warn == params.end()) continue;
        const std::string fails_at = value_of(rule, param, settings), warns_at = value_of(rule, *warn, settings);
        if (number(warns_at) > number(fails_at)) out.push_back({*warn_name, warns_at, param.name, fails_at});
    }
    return out;
}

}  // namespace agent_audit
