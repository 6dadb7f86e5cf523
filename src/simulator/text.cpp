#include <agent_audit/simulator/text.hpp>

#include <agent_audit/tokens/lengths.hpp>

#include "simulator/weight.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace agent_audit::simulator {
namespace {

std::uint32_t narrow(std::uint64_t value) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, std::numeric_limits<std::uint32_t>::max()));
}

// How many bytes are so. Counts of a piece fit into a byte, so that the compiler counts many of them at once.
template <class Is>
std::uint64_t count_bytes(std::string_view text, Is&& is) {
    constexpr std::size_t kPiece = 240;
    std::uint64_t sum = 0;
    for (std::size_t from = 0; from < text.size(); from += kPiece) {
        std::uint8_t piece = 0;
        for (const char c : text.substr(from, kPiece)) piece = static_cast<std::uint8_t>(piece + (is(c) ? 1 : 0));
        sum += piece;
    }
    return sum;
}

}  // namespace

TextSizes measure(std::string_view wtf8) {
    const auto count = [wtf8](auto&& is) { return count_bytes(wtf8, is); };
    const std::uint64_t ascii = count([](char c) { return static_cast<unsigned char>(c) < 0x80; });
    const std::uint32_t bytes = narrow(wtf8.size());
    if (ascii < wtf8.size()) {
        const std::uint32_t json = narrow(json_string_length(wtf8) - 2);
        return {bytes, narrow(utf16_length(wtf8)), narrow(code_points(wtf8)), narrow(ascii), json, weigh(wtf8)};
    }
    const std::uint64_t escaped = count([](char c) { return (c == '"') | (c == '\\'); });
    const std::uint64_t control = count([](char c) { return static_cast<unsigned char>(c) < 0x20; });
    const std::uint64_t named =
        count([](char c) { return (c == '\b') | (c == '\t') | (c == '\n') | (c == '\f') | (c == '\r'); });
    const std::uint64_t json = wtf8.size() + escaped + 5 * control - 4 * named;
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
