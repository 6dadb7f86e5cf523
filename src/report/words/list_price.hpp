#pragma once

#include <agent_audit/model/money.hpp>

#include <string>
#include <vector>

namespace agent_audit::report {

/// What requests cost by list price: "$3.20", "$3.20+" where some have no known price and the sum is a lower bound,
/// "unknown" where none has one; nothing without requests.
std::string list_price(const RequestCost& cost);

/// What a price of a dollar or more was paid for, dearest first, with its share: "cache reads $88.11 (64 %)". Nothing
/// is said of what is under half a percent, and nothing at all where one thing is all.
std::vector<std::string> cost_parts(const CostParts& parts);

}  // namespace agent_audit::report
