#include "readers/input/tar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

namespace agent_audit::readers {
namespace {

using namespace std::string_view_literals;

/// A stretch of a header block. Numbers are octal, or, beyond what fits, base 256 with the highest bit set.
struct Field {
    std::size_t at, size;
};
constexpr Field kName{0, 100}, kSize{124, 12}, kTime{136, 12}, kSum{148, 8}, kPrefix{345, 155};
constexpr std::size_t kType = 156, kMagic = 257;

/// No path is longer, and extended headers hold a few lines.
constexpr std::uint64_t kLongestExtra = 1u << 20;
constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max() / 2;

std::string_view text_in(std::string_view block, Field field) {
    const std::string_view text = block.substr(field.at, field.size);
    return text.substr(0, std::min(text.find('\0'), text.size()));
}

std::optional<std::uint64_t> number_in(std::string_view block, Field field) {
    std::string_view text = block.substr(field.at, field.size);
    std::uint64_t value = 0;
    if ((static_cast<unsigned char>(text[0]) & 0x80u) != 0) {
        value = static_cast<unsigned char>(text[0]) & 0x7fu;
        for (const char c : text.substr(1)) {
            if (value >> 55 != 0) return std::nullopt;
            value = value << 8 | static_cast<unsigned char>(c);
        }
        return value <= kLargest ? std::optional(value) : std::nullopt;
    }
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    for (; !text.empty() && text.front() >= '0' && text.front() <= '7'; text.remove_prefix(1))
        value = value << 3 | static_cast<unsigned>(text.front() - '0');
    const bool over = text.empty() || text.front() == '\0' || text.front() == ' ';
    return over && value <= kLargest ? std::optional(value) : std::nullopt;
}

// The sum of all bytes, with blanks in the place of the sum itself. Some programs of old took bytes as signed.
bool has_right_sum(std::string_view block) {
    const auto told = number_in(block, kSum);
    std::int64_t as_unsigned = 0, as_signed = 0;
    for (std::size_t i = 0; i < kTarBlock; ++i) {
        const char c = i >= kSum.at && i < kSum.at + kSum.size ? ' ' : block[i];
        as_unsigned += static_cast<unsigned char>(c);
        as_signed += static_cast<signed char>(c);
    }
    return told && (static_cast<std::int64_t>(*told) == as_unsigned || static_cast<std::int64_t>(*told) == as_signed);
}

bool is_empty(std::string_view block) { return block.find_first_not_of('\0') == block.npos; }

/// What an extended header tells that matters here: records "LENGTH KEY=VALUE\n".
struct Extended {
    std::string_view path;
    std::optional<std::uint64_t> size;
    std::optional<std::int64_t> modified_ms;
    bool sparse = false;
};

Extended extended(std::string_view text) {
    Extended out;
    while (!text.empty()) {
        std::size_t length = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
        const auto digits = static_cast<std::size_t>(end - text.data());
        if (error != std::errc{} || length > text.size() || length < digits + 2) return out;
        std::string_view record = text.substr(digits + 1, length - digits - 2);
        text.remove_prefix(length);
        const std::size_t equals = record.find('=');
        if (equals == record.npos) continue;
        const std::string_view key = record.substr(0, equals), value = record.substr(equals + 1);
        if (key == "path") out.path = value;
        out.sparse = out.sparse || key.starts_with("GNU.sparse.");
        std::uint64_t number = 0;
        if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc{} || number > kLargest)
            continue;
        if (key == "size") out.size = number;
        constexpr std::uint64_t kLatest = 1ULL << 40;  // seconds
        if (key == "mtime" && number < kLatest) out.modified_ms = static_cast<std::int64_t>(number) * 1000;
    }
    return out;
}

std::string whole_name(std::string_view block) {
    const std::string_view prefix = text_in(block, kPrefix);
    const bool posix = block.substr(kMagic, 6) == "ustar\0"sv;  // GNU's own headers have times there
    std::string name(posix ? prefix : std::string_view());
    if (!name.empty()) name += '/';
    return name.append(text_in(block, kName));
}

}  // namespace

bool is_tar(std::string_view first_bytes) {
    return first_bytes.size() >= kTarBlock && first_bytes.substr(kMagic, 5) == "ustar" && has_right_sum(first_bytes);
}

TarStream::TarStream(std::unique_ptr<ByteSource> bytes) : bytes_(std::move(bytes)), random_(bytes_->random()) {}

std::size_t TarStream::take(char* into, std::size_t size) {
    const std::size_t got = random_ ? random_->read_at(place_, into, size) : bytes_->read(into, size);
    place_ += got;
    return got;
}

// False at the end of the bytes.
bool TarStream::read_block(char* into) {
    std::size_t have = 0;
    while (have < kTarBlock) {
        const std::size_t got = take(into + have, kTarBlock - have);
        if (got == 0) break;
        have += got;
    }
    const bool broken = bytes_ && bytes_->error();
    if (broken || (have > 0 && have < kTarBlock)) fail_at_end();
    return have == kTarBlock && !broken;
}

bool TarStream::skip(std::uint64_t bytes) {
    if (random_) {
        place_ += bytes;
        if (place_ <= random_->size()) return true;
        fail_at_end();
        return false;
    }
    std::array<char, 16u << 10> waste;
    while (bytes > 0) {
        const std::size_t got =
            take(waste.data(), static_cast<std::size_t>(std::min<std::uint64_t>(bytes, waste.size())));
        if (got == 0) {
            fail_at_end();
            return false;
        }
        bytes -= got;
    }
    return true;
}

bool TarStream::finish_entry() {
    const std::uint64_t rest = std::exchange(left_, 0) + std::exchange(padding_, 0);
    return rest == 0 || skip(rest);
}

// The words that an extra header holds.
bool TarStream::take_long(std::uint64_t size, std::string& text) {
    if (size > kLongestExtra) {
        fail(fmt::format("the tar archive has a header of {} bytes", size));
        return false;
    }
    text.assign(static_cast<std::size_t>(size), '\0');
    std::size_t have = 0;
    while (have < text.size()) {
        const std::size_t got = read(text.data() + have, text.size() - have);
        if (got == 0) return false;
        have += got;
    }
    return true;
}

TarStream::Header TarStream::header(TarEntry& entry) {
    std::array<char, kTarBlock> bytes{};
    if (!finish_entry() || !read_block(bytes.data())) return Header::end;
    const std::string_view block(bytes.data(), bytes.size());
    if (is_empty(block)) return Header::end;
    const auto size = number_in(block, kSize);
    if (!size || !has_right_sum(block)) {
        fail(fmt::format("the tar archive is damaged at byte {}", place_ - kTarBlock));
        return Header::end;
    }
    const char type = block[kType];
    const auto holds = [&](std::uint64_t n) {
        left_ = n;
        padding_ = (kTarBlock - n % kTarBlock) % kTarBlock;
    };
    holds(*size);
    if (type == 'L' || type == 'x') return take_long(*size, type == 'L' ? name_ : pax_) ? Header::none : Header::end;
    if (type == 'g' || type == 'K' || type == 'X') return Header::none;
    const Extended more = extended(pax_);
    if (more.size) holds(*more.size);
    // Links, folders and devices have no bytes, whatever their size says.
    const bool regular = type == '0' || type == '\0' || type == '7';
    if (type >= '1' && type <= '6') holds(0);
    const std::string_view longer = std::string_view(name_).substr(0, std::min(name_.find('\0'), name_.size()));
    entry.name = !more.path.empty() ? std::string(more.path)
                 : !longer.empty()  ? std::string(longer)
                                    : whole_name(block);
    while (entry.name.starts_with("./")) entry.name.erase(0, 2);
    entry.place = place_;
    entry.size = left_;
    const auto seconds = number_in(block, kTime);
    constexpr std::uint64_t kLatest = 1ULL << 40;
    entry.modified_ms = more.modified_ms                ? *more.modified_ms
                        : seconds && *seconds < kLatest ? static_cast<std::int64_t>(*seconds) * 1000
                                                        : kNoTime;
    const bool wanted = regular && !more.sparse && !entry.name.ends_with('/');
    name_.clear();
    pax_.clear();
    return wanted ? Header::file : Header::none;
}

std::optional<TarEntry> TarStream::next() {
    TarEntry entry;
    while (!over_) {
        switch (header(entry)) {
            case Header::file: return entry;
            case Header::none: continue;
            case Header::end: over_ = true; break;
        }
    }
    return std::nullopt;
}

std::size_t TarStream::read(char* into, std::size_t size) {
    if (left_ == 0) return 0;
    const std::size_t got = take(into, static_cast<std::size_t>(std::min<std::uint64_t>(size, left_)));
    left_ -= got;
    if (got == 0) {
        left_ = padding_ = 0;
        fail_at_end();
    }
    return got;
}

}  // namespace agent_audit::readers
