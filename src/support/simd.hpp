#pragma once

#include <array>
#include <cstdint>
#include <span>

#if defined(__x86_64__) && defined(__GNUC__)
#define AGENT_AUDIT_X86 1
#else
#define AGENT_AUDIT_X86 0
#endif

namespace agent_audit {

/// How wide our own kernels may go. Every level gives the same answers; only the speed differs.
enum class SimdLevel : std::uint8_t { portable, avx2, avx512bw };

/// The levels this machine has, narrowest first. `portable` is always there.
inline std::span<const SimdLevel> simd_levels() {
    static constexpr std::array kAll{SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512bw};
#if AGENT_AUDIT_X86
    static const bool middle = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    static const bool wide = middle && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
    static const std::size_t known = wide ? 3 : middle ? 2 : 1;
#else
    constexpr std::size_t known = 1;
#endif
    return std::span(kAll).first(known);
}

inline SimdLevel best_simd() { return simd_levels().back(); }

/// Of three versions of a function the one for a level.
template <class Function>
constexpr Function* at_level(SimdLevel level, Function* portable, Function* avx2, Function* wide) {
    return level == SimdLevel::avx512bw ? wide : level == SimdLevel::avx2 ? avx2 : portable;
}

}  // namespace agent_audit
