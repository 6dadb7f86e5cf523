#include "tokens/vocabulary.hpp"

#include "tokens/merge.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>

namespace agent_audit {
namespace {

using Impl = Vocabulary::Impl;

constexpr std::size_t kMaxTokens = 1u << 24;

struct Line {
    std::uint32_t rank = 0;
    std::uint32_t number = 0;            ///< in the file, from 1
    std::uint32_t offset = 0, size = 0;  ///< of the token, in Reader::bytes
};

constexpr auto kBase64 = [] {
    std::array<std::int8_t, 256> value{};
    value.fill(-1);
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < digits.size(); ++i)
        value[static_cast<unsigned char>(digits[i])] = static_cast<std::int8_t>(i);
    return value;
}();

// Appends the decoded bytes. Strict: padded, no other characters, at least one byte.
bool decode_base64(std::string_view text, std::string& out) {
    if (text.empty() || text.size() % 4 != 0) return false;
    const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
    std::uint32_t bits = 0;
    std::size_t digits = 0;
    for (const char c : text.substr(0, text.size() - padding)) {
        const int value = kBase64[static_cast<unsigned char>(c)];
        if (value < 0) return false;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        if (++digits % 4 == 0) {
            for (const int shift : {16, 8, 0}) out += static_cast<char>(bits >> shift & 0xFF);
            bits = 0;
        }
    }
    if (padding == 2) out += static_cast<char>(bits >> 4 & 0xFF);
    if (padding == 1) {
        out += static_cast<char>(bits >> 10 & 0xFF);
        out += static_cast<char>(bits >> 2 & 0xFF);
    }
    return true;
}

// A piece of the file fit for a message.
std::string shown(std::string_view text) {
    constexpr std::size_t kMost = 40;
    std::string out;
    for (const char c : text.substr(0, kMost)) out += c >= 0x20 && c < 0x7F ? c : '?';
    return text.size() > kMost ? out + "…" : out;
}

class Reader {
public:
    explicit Reader(std::string_view source) : source_(source) {}

    std::optional<Error> read(std::string_view text) {
        bytes.reserve(text.size() / 2);
        std::uint32_t number = 0;
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            std::string_view line = text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
            ++number;
            if (line.ends_with('\r')) line.remove_suffix(1);
            if (line.empty()) continue;
            if (auto error = read_line(line, number)) return error;
        }
        if (lines.empty()) return Error{fmt::format("{}: empty; a vocabulary has lines \"base64 rank\"", source_)};
        return {};
    }

    Error at(std::uint32_t line, std::string_view what) const {
        return {fmt::format("{}:{}: {}", source_, line, what)};
    }

    std::string bytes;
    std::vector<Line> lines;

private:
    std::optional<Error> read_line(std::string_view line, std::uint32_t number) {
        const std::size_t blank = line.find(' ');
        if (blank == line.npos) {
            return at(number, fmt::format("expected \"base64 rank\", as in a .tiktoken file, not \"{}\"", shown(line)));
        }
        const std::string_view base64 = line.substr(0, blank), rank = line.substr(blank + 1);
        Line token{0, number, static_cast<std::uint32_t>(bytes.size()), 0};
        if (!decode_base64(base64, bytes))
            return at(number, fmt::format("\"{}\" is not base64 of a token", shown(base64)));
        token.size = static_cast<std::uint32_t>(bytes.size()) - token.offset;
        const auto read = std::from_chars(rank.data(), rank.data() + rank.size(), token.rank);
        if (read.ec != std::errc{} || read.ptr != rank.data() + rank.size() || token.rank > 0x7FFFFFFF) {
            return at(number, fmt::format("rank \"{}\" is not a whole number below 2^31", shown(rank)));
        }
        if (lines.size() == kMaxTokens) return at(number, fmt::format("more than {} tokens", kMaxTokens));
        lines.push_back(token);
        return {};
    }

    std::string_view source_;
};

void number_by_rank(Impl& impl, const Reader& reader) {
    impl.bytes.reserve(reader.bytes.size());
    impl.offsets.reserve(reader.lines.size() + 1);
    impl.ranks.reserve(reader.lines.size());
    impl.offsets.push_back(0);
    for (const Line& line : reader.lines) {
        impl.bytes.append(reader.bytes, line.offset, line.size);
        impl.offsets.push_back(static_cast<std::uint32_t>(impl.bytes.size()));
        impl.ranks.push_back(line.rank);
    }
}

// Finds tokens by their text; the line of a token that another has already.
std::optional<Error> index_texts(Impl& impl, const Reader& reader) {
    const std::size_t slots = std::bit_ceil(impl.size() * 2);
    impl.by_text.resize(slots);
    impl.by_text_mask = slots - 1;
    for (Impl::Token t = 0; t < impl.size(); ++t) {
        const std::uint64_t hash = stable_hash(impl.text(t));
        if (const Impl::Token same = impl.find(impl.text(t), hash); same != Impl::kNone) {
            const auto [first, second] = std::minmax(reader.lines[same].number, reader.lines[t].number);
            return reader.at(second, fmt::format("the token of line {} again", first));
        }
        std::size_t i = hash & impl.by_text_mask;
        while (impl.by_text[i].token != Impl::kNone) i = (i + 1) & impl.by_text_mask;
        impl.by_text[i] = {static_cast<std::uint32_t>(hash >> 32), t};
    }
    return {};
}

std::optional<Error> index_bytes(Impl& impl, std::string_view source) {
    for (std::size_t b = 0; b < 256; ++b) {
        const char byte = static_cast<char>(b);
        const std::string_view text(&byte, 1);
        impl.byte_token[b] = impl.find(text, stable_hash(text));
        if (impl.byte_token[b] == Impl::kNone) {
            return Error{fmt::format(
                "{}: no token for byte 0x{:02x}; a byte-pair vocabulary has one for each of the 256", source, b)};
        }
    }
    return {};
}

void add_pair(Impl& impl, Impl::Token left, Impl::Token right, Impl::Token merged) {
    std::size_t i = impl.pair_slot(left, right);
    while (impl.by_pair[i].merged != Impl::kNone) i = (i + 1) & impl.by_pair_mask;
    impl.by_pair[i] = {left, right, merged};
}

// The last two parts of each token, found by merging its bytes with the pairs of all shorter tokens. A token whose
// bytes never become two parts is never made by merging.
void index_pairs(Impl& impl) {
    const std::size_t slots = std::bit_ceil(impl.size() * 2);
    impl.by_pair.resize(slots);
    impl.by_pair_mask = slots - 1;
    std::vector<Impl::Token> by_length(impl.size());
    std::iota(by_length.begin(), by_length.end(), Impl::Token{0});
    std::ranges::stable_sort(by_length, {}, [&impl](Impl::Token t) { return impl.text(t).size(); });
    tokens::Merger merger;
    for (const Impl::Token t : by_length) {
        const std::string_view text = impl.text(t);
        if (text.size() < 2 || merger.merge(impl, text) != 2) continue;
        add_pair(impl, merger.parts()[0], merger.parts()[1], t);
    }
}

}  // namespace

Result<Vocabulary> Vocabulary::parse(std::string_view text, std::string_view source) {
    if (text.size() > (std::size_t{1} << 30)) return Error{fmt::format("{}: larger than 1 GiB", source)};
    Reader reader(source);
    if (auto error = reader.read(text)) return *std::move(error);
    std::ranges::stable_sort(reader.lines, {}, &Line::rank);
    const auto same = std::ranges::adjacent_find(reader.lines, {}, &Line::rank);
    if (same != reader.lines.end()) {
        return reader.at((same + 1)->number,
                         fmt::format("rank {} again, it is that of line {}", same->rank, same->number));
    }
    auto impl = std::make_shared<Impl>();
    number_by_rank(*impl, reader);
    if (auto error = index_texts(*impl, reader)) return *std::move(error);
    if (auto error = index_bytes(*impl, source)) return *std::move(error);
    index_pairs(*impl);
    Vocabulary vocabulary;
    vocabulary.impl_ = std::move(impl);
    return vocabulary;
}

std::size_t Vocabulary::size() const { return impl_->size(); }

PreTokeniser Vocabulary::pre_tokeniser() const {
    constexpr std::size_t kBetween = 150'000;
    return size() > kBetween ? PreTokeniser::o200k : PreTokeniser::cl100k;
}

}  // namespace agent_audit
