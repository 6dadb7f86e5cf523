#pragma once

#include <agent_audit/detectors/step.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace agent_audit::detectors {

/// What a step does, by names under which a later one counts as the same again: the tool, of an edit also the file, of
/// a command its program and what it is told to do (`npm run build` of `cd web && npm run build 2>&1 | tail`). 0 = no
/// name.
using DeedNames = std::array<std::uint64_t, 2>;
DeedNames deeds_of(const Step& step);

/// Remembers which deeds failed, and which of them worked again later. Bounded: the last kMost that failed.
class FailedDeeds {
public:
    void see(const Step& step);
    /// True when all that is known says that none of these deeds worked behind the step with this ordinal.
    bool never_again(const DeedNames& deeds, std::uint64_t ordinal) const;

private:
    static constexpr std::size_t kMost = 48;

    struct Deed {
        std::uint64_t name = 0;
        std::uint64_t worked = 0;  // ordinal; 0 = never since it failed
    };
    static std::size_t slot(std::uint64_t name) { return name >> 8 & (kSlots - 1); }
    std::size_t place_of(std::uint64_t name) const;  // deeds_.size() = it never failed
    void failed(std::uint64_t name);

    static constexpr std::size_t kSlots = 256;
    std::vector<Deed> deeds_;                   // the one that failed last at the end
    std::array<std::uint8_t, kSlots> named_{};  // how many have these bits: most steps do what never failed
};

}  // namespace agent_audit::detectors
