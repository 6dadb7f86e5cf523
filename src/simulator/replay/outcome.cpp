#include <agent_audit/simulator/outcome.hpp>

#include <array>

namespace agent_audit::simulator {

std::string_view action_name(Action action) {
    static constexpr std::array<std::string_view, 6> kNames{"trim", "clear", "truncate", "drop", "summarise", "mask"};
    return kNames[static_cast<std::size_t>(action)];
}

}  // namespace agent_audit::simulator
