#pragma once

#include <agent_audit/model/money.hpp>
#include <agent_audit/tokens/ledger.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <cstdint>
#include <optional>

namespace agent_audit {

/// What `wasted`, the difference of two sums of a lane's requests, costs by list price: the price of the requests between
/// them. Where no such requests are found (a figure was corrected in between), the price of the lane's only model, unless a
/// request of the lane is long enough for another tier. Nothing: unknown.
std::optional<Money> waste_cost(const SessionUsage& usage, std::uint32_t lane, const TokenCounts& wasted, const ModelTable& models);

}  // namespace agent_audit
