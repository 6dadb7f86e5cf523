#include <agent_audit/simulator/text.hpp>

#include <agent_audit/tokens/lengths.hpp>

#include "simulator/text_levels.hpp"
#include "simulator/weight.hpp"
#include "support/wide_block64.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace agent_audit::simulator {
namespace {

std::uint32_t narrow(std::uint64_t value) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

struct ByteCounts {
    std::uint64_t high = 0;     // not ASCII
    std::uint64_t escaped = 0;  // quotes and backslashes
    std::uint64_t control = 0;  // below a blank
    std::uint64_t named = 0;    // those of them that JSON has a letter for
};

namespace portable {
using Block = Block64;
#include "simulator/measure_kernel.inc"
}  // namespace portable

#if AGENT_AUDIT_X86
AGENT_AUDIT_WIDE_BEGIN
namespace wide {
using Block = WideBlock64;
#include "simulator/measure_kernel.inc"
}  // namespace wide
AGENT_AUDIT_WIDE_END
#endif

}  // namespace

TextSizes measure(std::string_view wtf8) {
    static const SimdLevel level = best_simd();
    return measure_at(level, wtf8);
}

TextSizes measure_at(SimdLevel level, std::string_view wtf8) {
    ByteCounts counts;
#if AGENT_AUDIT_X86
    counts = level == SimdLevel::avx512bw ? wide::count_bytes(wtf8) : portable::count_bytes(wtf8);
#else
    (void)level;
    counts = portable::count_bytes(wtf8);
#endif
    const std::uint32_t bytes = narrow(wtf8.size());
    if (counts.high > 0) {
        const std::uint32_t json = narrow(json_string_length(wtf8) - 2);
        return {bytes, narrow(utf16_length(wtf8)), narrow(code_points(wtf8)), narrow(wtf8.size() - counts.high), json,
                weigh(wtf8)};
    }
    const std::uint64_t json = wtf8.size() + counts.escaped + 5 * counts.control - 4 * counts.named;
    return {bytes, bytes, bytes, bytes, narrow(json), wtf8.size()};
}

struct Text::Body {
    TextSizes sizes;
    std::string words;
    std::shared_ptr<const TextSource> source;
    std::uint64_t place = 0, length = 0;
};

Text::Text(std::string wtf8) {
    if (wtf8.empty()) return;
    const TextSizes sizes = measure(wtf8);
    body_ = std::make_shared<const Body>(Body{sizes, std::move(wtf8), nullptr, 0, 0});
}

Text::Text(std::shared_ptr<const TextSource> source, std::uint64_t place, std::uint64_t length, TextSizes sizes)
    : body_(std::make_shared<const Body>(Body{sizes, {}, std::move(source), place, length})) {}

const TextSizes& Text::sizes() const {
    static const TextSizes nothing;
    return body_ ? body_->sizes : nothing;
}

std::string_view Text::read(std::string& scratch) const {
    if (!body_) return {};
    if (!body_->source) return body_->words;
    scratch = body_->source->read(body_->place, body_->length);
    return scratch;
}

std::string Text::copy() const {
    std::string scratch;
    return std::string(read(scratch));
}

}  // namespace agent_audit::simulator
