#include "readers/input/utf16.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace agent_audit::readers {
namespace {

constexpr std::size_t kPiece = 16u << 10;
constexpr std::uint32_t kReplacement = 0xfffd;

class Utf16Bytes final : public ByteSource {
public:
    Utf16Bytes(std::unique_ptr<ByteSource> units, std::string_view first)
        : units_(std::move(units)), big_endian_(first.starts_with('\xfe')), raw_(first.substr(2)) {
        decode();
    }

    std::size_t read(char* into, std::size_t size) override {
        while (given_ == text_.size() && !over_) refill();
        const std::size_t n = std::min(size, text_.size() - given_);
        if (n > 0) std::memcpy(into, text_.data() + given_, n);
        given_ += n;
        return n;
    }

private:
    void refill() {
        text_.clear();
        given_ = 0;
        const std::size_t rest = raw_.size();
        raw_.resize(rest + kPiece);
        const std::size_t got = units_->read(raw_.data() + rest, kPiece);
        raw_.resize(rest + got);
        decode();
        if (got > 0) return;
        over_ = true;
        if (!raw_.empty() || high_ != 0) append_utf8(text_, kReplacement);
        if (units_->error()) fail(*units_->error());
    }

    // All whole units; half of one stays.
    void decode() {
        std::size_t i = 0;
        for (; i + 1 < raw_.size(); i += 2) {
            const auto a = static_cast<unsigned char>(raw_[i]), b = static_cast<unsigned char>(raw_[i + 1]);
            add(big_endian_ ? static_cast<std::uint32_t>(a) << 8 | b : static_cast<std::uint32_t>(b) << 8 | a);
        }
        raw_.erase(0, i);
    }

    void add(std::uint32_t unit) {
        const bool low = unit >= 0xdc00 && unit < 0xe000;
        if (high_ != 0) {
            append_utf8(text_, low ? 0x10000 + ((high_ - 0xd800) << 10) + (unit - 0xdc00) : kReplacement);
            high_ = 0;
            if (low) return;
        }
        if (unit >= 0xd800 && unit < 0xdc00) {
            high_ = unit;
        } else {
            append_utf8(text_, low ? kReplacement : unit);
        }
    }

    std::unique_ptr<ByteSource> units_;
    bool big_endian_;
    std::string raw_;         // of the source, not yet decoded
    std::string text_;        // decoded
    std::size_t given_ = 0;   // of text_
    std::uint32_t high_ = 0;  // the first half of a pair
    bool over_ = false;
};

}  // namespace

bool is_utf16(std::string_view beginning) {
    const bool little = beginning.starts_with("\xff\xfe"), big = beginning.starts_with("\xfe\xff");
    if (!little && !big) return false;
    if (beginning.size() == 2) return true;
    if (beginning.size() < 4) return false;
    const auto high = static_cast<unsigned char>(beginning[little ? 3 : 2]);
    const auto low = static_cast<unsigned char>(beginning[little ? 2 : 3]);
    return high == 0 && low != 0 && low < 0x80;
}

std::unique_ptr<ByteSource> utf8_of_utf16(std::unique_ptr<ByteSource> units, std::string_view first) {
    return std::make_unique<Utf16Bytes>(std::move(units), first);
}

}  // namespace agent_audit::readers
