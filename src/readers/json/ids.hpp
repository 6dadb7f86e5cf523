#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

// What an id is worth for telling things apart.

namespace agent_audit::readers {

/// Whether capitals stand in the middle of a word more than once: "redactedId" has one, "kQvbTzRwXhLmPdNs" many.
inline bool is_spelt_at_random(std::string_view id) {
    int capitals = 0;
    for (std::size_t i = 1; i < id.size(); ++i) {
        const bool after_small = id[i - 1] >= 'a' && id[i - 1] <= 'z', capital = id[i] >= 'A' && id[i] <= 'Z';
        capitals += after_small && capital ? 1 : 0;
    }
    return capitals > 1;
}

/// Whether an id is nothing but a word that stands for all of them: what is published often has "[REDACTED]", "xxx" or
/// zeros in place of ids, and some gateways name none. An id of its own has a digit above zero, and others beside it,
/// or is spelt as no word is: one random id of sixteen letters and digits in twelve has no such digit.
inline bool is_stand_in(std::string_view id) {
    const auto first = std::ranges::find_if(id, [](char c) { return c >= '1' && c <= '9'; });
    if (first == id.end()) return !is_spelt_at_random(id);
    constexpr std::size_t kShortest = 8;  // characters: shorter ones are counters
    if (const auto prefix = id.rfind('_'); prefix != id.npos) id.remove_prefix(prefix + 1);
    return id.size() >= kShortest &&
           std::ranges::all_of(id, [digit = *first](char c) { return c == digit || c == '-'; });
}

/// Whether an id tells what it names from all others: short ones are counters. Agents clear old results to make room;
/// by such an id of a call it is the same result, whatever is left of it.
inline bool is_unique_id(std::string_view id) {
    constexpr std::size_t kUnique = 16;
    return id.size() >= kUnique && !is_stand_in(id);
}

}  // namespace agent_audit::readers
