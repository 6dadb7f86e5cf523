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

}  // namespace

TextSizes measure(std::string_view wtf8) {
    const auto ascii = static_cast<std::uint64_t>(
        std::count_if(wtf8.begin(), wtf8.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
    const std::uint32_t bytes = narrow(wtf8.size());
    const std::uint32_t json = narrow(json_string_length(wtf8) - 2);
    if (ascii == wtf8.size()) return {bytes, bytes, bytes, bytes, json, wtf8.size()};
    return {bytes, narrow(utf16_length(wtf8)), narrow(code_points(wtf8)), narrow(ascii), json, weigh(wtf8)};
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
