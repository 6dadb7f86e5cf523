#include <agent_audit/tokens/estimate.hpp>
#include <agent_audit/tokens/estimators.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include "tokens/cjk_weight.hpp"
#include "tokens/wtf8.hpp"

#include <algorithm>
#include <array>

namespace agent_audit {
namespace {

std::uint64_t char_units(std::string_view text) { return utf16_length(text); }
std::uint64_t byte_units(std::string_view text) { return text.size(); }

// Quarters of a token: an ASCII character is one, any other UTF-16 unit is 1.5 tokens. Long texts are only measured.
std::uint64_t gemini_units(std::string_view text) {
    constexpr std::uint64_t kLong = 100'000, kOther = 6;
    const std::uint64_t length = utf16_length(text);
    if (length > kLong) return length;
    const auto ascii = static_cast<std::uint64_t>(
        std::ranges::count_if(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
    return ascii + (length - ascii) * kOther;
}

// What a code point weighs beyond its UTF-16 length, in quarters of a token. Sorted; the gaps weigh nothing.
struct Weight {
    char32_t first, last;
    std::uint8_t more;
};
constexpr std::array kCjkWeights{
    Weight{0x00B7, 0x00B7, 3},    Weight{0x02C7, 0x02C7, 7},    Weight{0x02C9, 0x02CB, 7},
    Weight{0x02D9, 0x02D9, 7},    Weight{0x02EA, 0x02EB, 7},    Weight{0x0305, 0x0305, 7},
    Weight{0x0323, 0x0323, 7},    Weight{0x1100, 0x11FF, 11},   Weight{0x2E80, 0x2FFF, 11},
    Weight{0x3000, 0x319F, 3},    Weight{0x31A0, 0x4DFF, 11},   Weight{0x4E00, 0x9FA5, 3},
    Weight{0x9FA6, 0x9FFF, 11},   Weight{0xA000, 0xA4FF, 11},   Weight{0xA700, 0xA707, 11},
    Weight{0xA960, 0xA97F, 11},   Weight{0xAC00, 0xD7AF, 3},    Weight{0xD7B0, 0xD7FF, 11},
    Weight{0xF900, 0xFAFF, 11},   Weight{0xFE10, 0xFE4F, 7},    Weight{0xFF01, 0xFF60, 3},
    Weight{0xFF61, 0xFFDC, 7},    Weight{0xFFE0, 0xFFE6, 7},    Weight{0x16FE0, 0x16FFF, 14},
    Weight{0x1AFF0, 0x1B16F, 14}, Weight{0x1D360, 0x1D371, 10}, Weight{0x1F200, 0x1F2FF, 14},
    Weight{0x20000, 0x2FA1F, 14}, Weight{0x30000, 0x3347F, 14},
};
static_assert(std::ranges::is_sorted(kCjkWeights, {}, &Weight::first));

}  // namespace

std::uint64_t tokens::cjk_weight(char32_t c) {
    constexpr char32_t kHanFirst = 0x4E00, kHanLast = 0x9FA5, kNoneFirst = 0x1200, kNoneLast = 0x2E7F;
    constexpr std::uint64_t kHan = 3;
    if (c < kCjkWeights.front().first || (c >= kNoneFirst && c <= kNoneLast)) return 0;
    if (c >= kHanFirst && c <= kHanLast) return kHan;
    const auto after = std::ranges::upper_bound(kCjkWeights, c, {}, &Weight::first);
    const Weight& at = *(after - 1);
    return c <= at.last ? at.more : 0;
}

namespace {

std::uint64_t openclaw_units(std::string_view text) {
    std::uint64_t units = 0;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t run = tokens::ascii_run(text, i);
        units += run;
        i += run;
        if (i == text.size()) break;
        const tokens::CodePoint c = tokens::decode_wtf8(text, i);
        units += c.units() + tokens::cjk_weight(c.value);
        i += c.length;
    }
    return units;
}

std::uint64_t run_units(std::string_view text) { return estimate_tokens({text, TextForm::plain}); }

constexpr std::array kEstimators{
    Estimator{"chars4", "UTF-16 units / 4, rounded up", char_units, 4, true, 0, 0},
    Estimator{"bytes4", "UTF-8 bytes / 4, rounded up: Codex", byte_units, 4, true, 0, 0},
    Estimator{"pi", "UTF-16 units / 4, rounded up, an image 1200: pi", char_units, 4, true, 4800, 0},
    Estimator{"openclaw", "UTF-16 units, CJK weighted up, / 4, an image 2000: OpenClaw 2026.9", openclaw_units, 4, true,
              8000, 0},
    Estimator{"gemini", "ASCII 1/4, others 1.5; units / 4 above 100 000; an image 3000: Gemini CLI", gemini_units, 4,
              false, 12'000, 103'200},
    Estimator{"run", "runs of like characters: what scans use where nothing is recorded", run_units, 1, true, 0, 0},
};

}  // namespace

std::span<const Estimator> all_estimators() { return kEstimators; }

const Estimator* find_estimator(std::string_view name) {
    const auto found = std::ranges::find(kEstimators, name, &Estimator::name);
    return found == kEstimators.end() ? nullptr : &*found;
}

}  // namespace agent_audit
