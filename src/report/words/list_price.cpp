#include "report/words/list_price.hpp"

#include "report/words/human.hpp"

namespace agent_audit::report {

std::string list_price(const RequestCost& cost) {
    const auto known = cost.micro_dollars();
    if (!known) return cost.unpriced_requests > 0 ? "unknown" : "";
    return money(*known) + (cost.unpriced_requests > 0 ? "+" : "");
}

}  // namespace agent_audit::report
