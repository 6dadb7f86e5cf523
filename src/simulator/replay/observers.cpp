#include "simulator/cache/observer.hpp"
#include "simulator/regret/observer.hpp"

#include <vector>

namespace agent_audit::simulator {

// The one list. An observer's figures appear in the rows and totals of every policy.
std::span<const ObserverFactory> all_observers() {
    static const std::vector<ObserverFactory> table{make_cache_observer, make_regret_observer};
    return table;
}

}  // namespace agent_audit::simulator
