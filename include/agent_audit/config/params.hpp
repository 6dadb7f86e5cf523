#pragma once

#include <agent_audit/config/settings.hpp>
#include <agent_audit/support/result.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace agent_audit {

/// One typed parameter of a rule: its name, where it lives in the rule's Params, its range and when to change it.
template <class P, class T>
struct Param {
    std::string_view name;
    T P::*member;
    T min;
    T max;
    std::string_view doc;
};

/// A parameter as reference pages, schemas and `explain` show it.
struct ParamDoc {
    std::string name;
    std::string default_value;
    std::string min;
    std::string max;
    std::string doc;
    bool integer = true;
};

namespace detail {

/// True when the whole text is one number that T can hold; otherwise `out` is not to be used.
template <class T>
bool parse_number(std::string_view text, T& out) {
    const char* end = text.data() + text.size();
    const auto [ptr, ec] = std::from_chars(text.data(), end, out);
    return ec == std::errc{} && ptr == end;
}

}  // namespace detail

/// The parameters of a table, with the defaults of a default-constructed P.
template <class P, class... T>
std::vector<ParamDoc> describe(const std::tuple<Param<P, T>...>& table) {
    std::vector<ParamDoc> docs;
    const P defaults{};
    std::apply(
        [&](const auto&... row) {
            (docs.push_back({std::string(row.name), fmt::format("{}", defaults.*(row.member)),
                             fmt::format("{}", row.min), fmt::format("{}", row.max), std::string(row.doc),
                             std::is_integral_v<std::remove_cvref_t<decltype(row.min)>>}),
             ...);
        },
        table);
    return docs;
}

/// Fills a P from settings named "<rule>.<parameter>". Errors name the origin, the key, the value and the range.
template <class P, class... T>
Result<P> bind_params(std::string_view rule, const std::tuple<Param<P, T>...>& table, const Settings& settings) {
    P params{};
    if (settings.all().empty()) return params;  // most runs: sixty names need not be put together
    std::string problem;
    const auto bind = [&](const auto& row) {
        if (!problem.empty()) return;
        const Setting* setting = settings.find(fmt::format("{}.{}", rule, row.name));
        if (!setting) return;
        auto value = row.min;
        // What is no number at all is in no range.
        if (!detail::parse_number(setting->value, value) || !(value >= row.min && value <= row.max)) {
            problem =
                fmt::format("{}: {}.{} = \"{}\": expected a {}number from {} to {}", setting->origin, rule, row.name,
                            setting->value, std::is_integral_v<decltype(value)> ? "whole " : "", row.min, row.max);
            return;
        }
        params.*(row.member) = value;
    };
    std::apply([&](const auto&... row) { (bind(row), ...); }, table);
    if (!problem.empty()) return Error{problem};
    return params;
}

}  // namespace agent_audit
