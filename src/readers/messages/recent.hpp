#pragma once

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace agent_audit::readers {

/// Remembers the last N hashes with a value each: bounded whatever the file does.
template <class Value, std::size_t N>
class Recent {
public:
    void put(IdHash key, Value value) {
        slots_[next_] = {key, value};
        filled_ = std::max(filled_, next_ + 1);
        next_ = (next_ + 1) % N;
    }
    /// The value last put under `key`, which is forgotten.
    std::optional<Value> take(IdHash key) {
        for (Slot& slot : std::span(slots_).first(filled_)) {
            if (slot.key != key || key == 0) continue;
            slot.key = 0;
            return slot.value;
        }
        return std::nullopt;
    }
    bool contains(IdHash key) const {
        return key != 0 && std::ranges::any_of(slots_, [key](const Slot& slot) { return slot.key == key; });
    }

private:
    struct Slot {
        IdHash key = 0;
        Value value{};
    };
    std::array<Slot, N> slots_{};
    std::size_t next_ = 0, filled_ = 0;  // most of them hold little: only what was put is looked at
};

}  // namespace agent_audit::readers
