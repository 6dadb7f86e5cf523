#pragma once

#include "detectors/words/act_words.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// An entry of a plan or to-do list.
struct PlanItem {
    enum class State : std::uint8_t { open, active, done, cancelled };
    std::uint64_t id = 0;  ///< hash of its text
    State state = State::open;
    ActWords words;
    std::string text;
};

/// The entries of the JSON of a note: its objects with a text and a status, whatever the product calls these. At most
/// 64; those without a status are none.
std::vector<PlanItem> plan_items(std::string_view json);

}  // namespace agent_audit::detectors
