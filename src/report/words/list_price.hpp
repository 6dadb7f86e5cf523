#pragma once

#include <agent_audit/model/money.hpp>

#include <string>

namespace agent_audit::report {

/// What requests cost by list price: "$3.20", "$3.20+" where some have no known price and the sum is a lower bound,
/// "unknown" where none has one; nothing without requests.
std::string list_price(const RequestCost& cost);

}  // namespace agent_audit::report
