#pragma once

#include <agent_audit/simulator/js_value.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace agent_audit::test {

/// Which program a case asks, and our stages in its place.
struct Answerer {
    std::string_view oracle;
    std::optional<simulator::JsValue> (*answer)(std::string_view variant, const simulator::JsValue& input);
};
std::span<const Answerer> answerers();

}  // namespace agent_audit::test
