#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace agent_audit::detectors {

/// How a call ended. At most eight: three bits of what is remembered of it.
enum class Ending : std::uint8_t {
    answered,
    lost,       ///< the model went on without its result
    stopped,    ///< the turn was broken off, or a human spoke first
    compacted,  ///< the context was compacted while it ran
    at_end,     ///< the recording ends
};

/// The last calls whose response is over: a result may come late.
class CallEndings {
public:
    /// `id` 0 is none.
    void remember(std::uint32_t lane, IdHash id, Ending ending) {
        if (id == 0) return;
        known_[next_++ % kKept] = key_of(lane, id) | static_cast<std::uint64_t>(ending);
    }

    /// Its result came after all: how the call had ended until then. Nothing: it is not known (any more).
    std::optional<Ending> answer(std::uint32_t lane, IdHash id) {
        if (id == 0) return {};
        const std::uint64_t key = key_of(lane, id);
        for (std::uint64_t& known : known_) {
            if ((known & ~kEndingBits) != key) continue;
            const auto before = static_cast<Ending>(known & kEndingBits);
            known = key | static_cast<std::uint64_t>(Ending::answered);
            return before;
        }
        return {};
    }

    void clear() {
        std::fill_n(known_.begin(), std::min(next_, kKept), 0);
        next_ = 0;
    }

private:
    static constexpr std::size_t kKept = 512;
    static constexpr std::uint64_t kEndingBits = 7;

    static std::uint64_t key_of(std::uint32_t lane, IdHash id) { return mix_hash(id, lane + 1) & ~kEndingBits; }

    std::array<std::uint64_t, kKept> known_{};
    std::size_t next_ = 0;
};

}  // namespace agent_audit::detectors
