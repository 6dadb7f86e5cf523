#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace agent_audit {

/// How bad a finding is: error (act now), warning, info. Ordered: a larger value is worse.
enum class Severity : std::uint8_t { info, warning, error };

constexpr std::string_view name(Severity severity) {
    switch (severity) {
        case Severity::info: return "info";
        case Severity::warning: return "warning";
        case Severity::error: return "error";
    }
    return "info";
}

constexpr std::optional<Severity> severity_from(std::string_view word) {
    for (const Severity s : {Severity::info, Severity::warning, Severity::error}) {
        if (word == name(s)) return s;
    }
    return std::nullopt;
}

}  // namespace agent_audit
