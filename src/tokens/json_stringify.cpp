#include <agent_audit/tokens/lengths.hpp>

#include "support/block64.hpp"
#include "support/find_near.hpp"
#include "support/json_number.hpp"
#include "tokens/stringified.hpp"
#include "tokens/wtf8.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <forward_list>
#include <string>
#include <unordered_map>
#include <vector>

namespace agent_audit {
namespace {

constexpr std::uint32_t kNoIndex = 0xFFFFFFFF;

// A key that JavaScript treats as an array index: such keys come first, in numeric order.
std::uint32_t index_of(std::string_view key) {
    if (key.empty() || key.size() > 10 || (key[0] == '0' && key.size() > 1)) return kNoIndex;
    std::uint64_t value = 0;
    for (const char c : key) {
        if (c < '0' || c > '9') return kNoIndex;
        value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return value < kNoIndex ? static_cast<std::uint32_t>(value) : kNoIndex;
}

enum class Kind : std::uint8_t { literal, number, string, array, object };

struct Node {
    Kind kind = Kind::literal;
    std::string_view raw;  // literals and numbers as they stand, strings without their quotes
    std::string_view key;  // decoded
    std::uint32_t index = kNoIndex;
    std::uint32_t first = 0;  // children: [first, first + count) in Document::order
    std::uint32_t count = 0;
};

// Reads one JSON value into a flat list of nodes. What repeats or must be reordered is settled while an object closes,
// so that measuring and writing are one walk each.
class Parser {
public:
    explicit Parser(std::string_view text) : p_(text.data()), end_(text.data() + text.size()) {}

    bool parse() {
        const bool read = value(0);
        blanks();
        return read && p_ == end_;
    }

    const Node& root() const { return nodes_.back(); }
    const Node& child(const Node& of, std::uint32_t i) const { return nodes_[order_[of.first + i]]; }

private:
    void blanks() {
        while (p_ < end_ && (*p_ == ' ' || *p_ == '\n' || *p_ == '\r' || *p_ == '\t')) ++p_;
    }
    bool take(char c) {
        if (p_ == end_ || *p_ != c) return false;
        ++p_;
        return true;
    }

    // Leaves the node of the value at the end of nodes_.
    bool value(std::size_t depth) {
        blanks();
        if (p_ == end_ || depth > kMaxJsonDepth || nodes_.size() >= kNoIndex) return false;
        switch (*p_) {
            case '{': return container(Kind::object, '}', depth);
            case '[': return container(Kind::array, ']', depth);
            case '"': return string_value();
            case 't': return literal("true");
            case 'f': return literal("false");
            case 'n': return literal("null");
            default: return number();
        }
    }

    bool literal(std::string_view word) {
        if (static_cast<std::size_t>(end_ - p_) < word.size() || std::string_view(p_, word.size()) != word)
            return false;
        p_ += word.size();
        nodes_.push_back({Kind::literal, word, {}, kNoIndex, 0, 0});
        return true;
    }

    bool number() {
        const char* const from = p_;
        const char* const after = json_number_end(from, end_);
        if (after == nullptr) return false;
        p_ = after;
        nodes_.push_back({Kind::number, {from, static_cast<std::size_t>(p_ - from)}, {}, kNoIndex, 0, 0});
        return true;
    }

    // The inside of a string whose quote is next.
    bool string(std::string_view& inside) {
        if (!take('"')) return false;
        const char* const from = p_;
        while (p_ < end_ && *p_ != '"') p_ += *p_ == '\\' && end_ - p_ > 1 ? 2 : 1;
        if (p_ >= end_) return false;
        inside = {from, static_cast<std::size_t>(p_ - from)};
        ++p_;
        return true;
    }

    bool string_value() {
        std::string_view inside;
        if (!string(inside)) return false;
        nodes_.push_back({Kind::string, inside, {}, kNoIndex, 0, 0});
        return true;
    }

    bool container(Kind kind, char close, std::size_t depth) {
        ++p_;
        const std::size_t base = open_.size();
        blanks();
        if (!take(close)) {
            do {
                std::string_view key;
                if (kind == Kind::object && !member_key(key)) return false;
                if (!value(depth + 1)) return false;
                nodes_.back().key = key;
                if (kind == Kind::object) nodes_.back().index = index_of(key);
                open_.push_back(static_cast<std::uint32_t>(nodes_.size() - 1));
                blanks();
            } while (take(','));
            if (!take(close)) return false;
        }
        if (kind == Kind::object) settle_members(base);
        Node node{kind, {}, {}, kNoIndex, static_cast<std::uint32_t>(order_.size()), 0};
        node.count = static_cast<std::uint32_t>(open_.size() - base);
        order_.insert(order_.end(), open_.begin() + static_cast<std::ptrdiff_t>(base), open_.end());
        open_.resize(base);
        nodes_.push_back(node);
        return true;
    }

    bool member_key(std::string_view& key) {
        blanks();
        if (!string(key)) return false;
        if (key.find('\\') != key.npos) key = decoded_.emplace_front(wtf8_of({key, TextForm::json_string}));
        blanks();
        return take(':');
    }

    // Members from open_[base] on: the last value of a repeated key takes the place of its first, indices go to the
    // front.
    void settle_members(std::size_t base) {
        const auto members = open_.begin() + static_cast<std::ptrdiff_t>(base);
        drop_repeated(base);
        const auto is_index = [this](std::uint32_t n) { return nodes_[n].index != kNoIndex; };
        if (std::none_of(members, open_.end(), is_index)) return;
        const auto names = std::stable_partition(members, open_.end(), is_index);
        std::sort(members, names,
                  [this](std::uint32_t a, std::uint32_t b) { return nodes_[a].index < nodes_[b].index; });
    }

    void drop_repeated(std::size_t base) {
        constexpr std::size_t kFew = 12;  // comparing all pairs is cheaper than a table
        std::size_t kept = base;
        if (open_.size() - base <= kFew) {
            for (std::size_t i = base; i < open_.size(); ++i) {
                std::size_t at = base;
                while (at < kept && nodes_[open_[at]].key != nodes_[open_[i]].key) ++at;
                open_[at] = open_[i];
                if (at == kept) ++kept;
            }
        } else {
            std::unordered_map<std::string_view, std::size_t> places;
            for (std::size_t i = base; i < open_.size(); ++i) {
                const auto [at, fresh] = places.try_emplace(nodes_[open_[i]].key, kept);
                open_[at->second] = open_[i];
                if (fresh) ++kept;
            }
        }
        open_.resize(kept);
    }

    const char* p_;
    const char* end_;
    std::vector<Node> nodes_;
    std::vector<std::uint32_t> order_;        // children of closed containers
    std::vector<std::uint32_t> open_;         // children met so far of those still open
    std::forward_list<std::string> decoded_;  // keys with escapes: few documents have one
};

// A number outside the range of a double: does it leave the range upwards? JSON.parse then gives infinity, which
// JSON.stringify writes as null; downwards it gives zero.
bool overflows(std::string_view raw) {
    if (raw[0] == '-') raw.remove_prefix(1);
    const std::size_t e = std::min(raw.find_first_of("eE"), raw.size());
    const std::string_view mantissa = raw.substr(0, e);
    const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
    const std::size_t first = mantissa.find_first_of("123456789");
    if (first == mantissa.npos) return false;
    // Power of ten of the first digit that counts. An exponent that does not fit is as large as they come.
    double power = first < point ? static_cast<double>(point - first) : -static_cast<double>(first - point);
    if (e < raw.size()) {
        std::string_view exponent = raw.substr(e + 1);
        const bool negative = exponent[0] == '-';
        if (exponent[0] == '-' || exponent[0] == '+') exponent.remove_prefix(1);
        std::int64_t value = 0;
        const auto read = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
        const double magnitude = read.ec == std::errc{} ? static_cast<double>(value) : 1e18;
        power += negative ? -magnitude : magnitude;
    }
    return power > 0;
}

std::string number_text(std::string_view raw) {
    const std::size_t digits = raw[0] == '-' ? 1 : 0;
    // Up to 15 digits without fraction are their own shortest form.
    if (raw.size() - digits <= 15 && raw.find_first_of(".eE") == raw.npos) return raw == "-0" ? "0" : std::string(raw);
    double value = 0;
    const auto read = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    if (read.ec == std::errc::result_out_of_range) return overflows(raw) ? "null" : "0";
    return js_number(value);
}

// Would JSON.stringify write this string as it is recorded? ASCII, and no escape but those of two characters that it
// uses itself: most strings of most arguments.
bool stands_as_stringified(std::string_view raw) {
    bool carried = false;  // the byte before the block escapes its first one
    for (std::size_t from = 0; from < raw.size(); from += Block64::kSize) {
        const std::string_view block = raw.substr(from, Block64::kSize);
        const Block64 bytes = Block64::of(block.data(), block.size());
        const std::uint64_t valid = low_bits(block.size());
        if (((bytes.high() | bytes.between('\0', '\x1f')) & valid) != 0) return false;
        std::uint64_t escaped = carried ? 1 : 0;
        carried = false;
        for (std::uint64_t slashes = bytes.equal('\\'); slashes != 0; slashes &= slashes - 1) {
            const auto at = static_cast<std::size_t>(std::countr_zero(slashes));
            if ((escaped >> at & 1) != 0) continue;
            const std::size_t next = from + at + 1;
            if (next >= raw.size() || raw[next] == '/' || simple_escape(raw[next]) == '\0') return false;
            if (at + 1 == Block64::kSize)
                carried = true;
            else
                escaped |= std::uint64_t{2} << at;
        }
        if ((bytes.equal('"') & ~escaped) != 0) return false;
    }
    return true;
}

// Walks over JSON as JSON.stringify writes it, up to the first sign of something else. Its strings are known to hold
// nothing that would be written otherwise.
class Stringified {
public:
    explicit Stringified(std::string_view text) : text_(text) {}

    bool all() { return value(0) && at_ == text_.size(); }

private:
    static constexpr std::size_t kDeepest = 32, kMostKeys = 32;

    char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    bool take(char c) {
        const bool there = next() == c;
        at_ += there ? 1 : 0;
        return there;
    }

    bool value(std::size_t depth) {
        switch (next()) {
            case '{': return depth < kDeepest && object(depth);
            case '[': return depth < kDeepest && array(depth);
            case '"': return string();
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            default: return number();
        }
    }

    bool word(std::string_view wanted) {
        if (text_.substr(at_, wanted.size()) != wanted) return false;
        at_ += wanted.size();
        return true;
    }

    // Whole, and its own shortest form.
    bool number() {
        constexpr std::size_t kDigits = 15;
        const bool negative = take('-'), zero = next() == '0';
        const std::size_t from = at_;
        while (next() >= '0' && next() <= '9') ++at_;
        const std::size_t digits = at_ - from;
        if (digits == 0 || digits > kDigits || (zero && (digits > 1 || negative))) return false;
        return next() != '.' && next() != 'e' && next() != 'E';
    }

    bool string() {
        if (!take('"')) return false;
        for (;;) {
            at_ = find_near(text_, at_, '"', '\\');
            if (at_ >= text_.size()) return false;
            if (take('"')) return true;
            at_ += 2;
        }
    }

    bool array(std::size_t depth) {
        ++at_;
        if (take(']')) return true;
        do {
            if (!value(depth + 1)) return false;
        } while (take(','));
        return take(']');
    }

    bool object(std::size_t depth) {
        ++at_;
        if (take('}')) return true;
        const std::size_t first = keys_;
        do {
            if (!key(first) || !take(':') || !value(depth + 1)) return false;
        } while (take(','));
        keys_ = first;
        return take('}');
    }

    // No other of the object, and none that would come before others.
    bool key(std::size_t first) {
        const std::size_t from = at_ + 1;
        if (!string() || keys_ == kMostKeys) return false;
        const std::string_view name = text_.substr(from, at_ - 1 - from);
        if (!name.empty() && name[0] >= '0' && name[0] <= '9') return false;
        for (std::size_t i = first; i < keys_; ++i) {
            if (names_[i] == name) return false;
        }
        names_[keys_++] = name;
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::array<std::string_view, kMostKeys> names_;  // of the objects that are open
    std::size_t keys_ = 0;
};

class Writer {
public:
    explicit Writer(const Parser& document) : document_(document) {}

    void write(const Node& node) {
        switch (node.kind) {
            case Kind::literal: out += node.raw; break;
            case Kind::number: out += number_text(node.raw); break;
            case Kind::string: write_string(node.raw); break;
            case Kind::array:
            case Kind::object: write_children(node); break;
        }
    }

    std::string out;

private:
    void write_string(std::string_view raw) {
        if (!stands_as_stringified(raw)) return append_json_string(out, wtf8_of({raw, TextForm::json_string}));
        out += '"';
        out += raw;
        out += '"';
    }

    void write_children(const Node& node) {
        const bool object = node.kind == Kind::object;
        out += object ? '{' : '[';
        for (std::uint32_t i = 0; i < node.count; ++i) {
            if (i > 0) out += ',';
            const Node& child = document_.child(node, i);
            if (object) {
                append_json_string(out, child.key);
                out += ':';
            }
            write(child);
        }
        out += object ? '}' : ']';
    }

    const Parser& document_;
};

class Measure {
public:
    explicit Measure(const Parser& document) : document_(document) {}

    std::size_t length(const Node& node) const {
        switch (node.kind) {
            case Kind::literal: return node.raw.size();
            case Kind::number: return number_text(node.raw).size();
            case Kind::string: return string_length(node.raw);
            case Kind::array:
            case Kind::object: return children_length(node);
        }
        return 0;
    }

private:
    static std::size_t string_length(std::string_view raw) {
        if (stands_as_stringified(raw)) return raw.size() + 2;
        if (raw.find('\\') == raw.npos) return json_string_length(raw);
        return json_string_length(wtf8_of({raw, TextForm::json_string}));
    }

    std::size_t children_length(const Node& node) const {
        std::size_t units = 2 + (node.count > 0 ? node.count - 1 : 0);
        for (std::uint32_t i = 0; i < node.count; ++i) {
            const Node& child = document_.child(node, i);
            if (node.kind == Kind::object) units += json_string_length(child.key) + 1;
            units += length(child);
        }
        return units;
    }

    const Parser& document_;
};

}  // namespace

std::string js_number(double value) {
    if (value == 0) return "0";
    std::array<char, 40> shortest;
    const auto done = std::to_chars(shortest.data(), shortest.data() + shortest.size(), std::fabs(value),
                                    std::chars_format::scientific);
    const std::string_view text(shortest.data(), static_cast<std::size_t>(done.ptr - shortest.data()));
    const std::size_t e = text.find('e');
    std::string digits;
    for (const char c : text.substr(0, e)) {
        if (c != '.') digits += c;
    }
    int exponent = 0;
    const std::size_t sign = text[e + 1] == '+' ? 1 : 0;  // from_chars takes no plus
    std::from_chars(text.data() + e + 1 + sign, text.data() + text.size(), exponent);

    const int point = exponent + 1;  // digits before the decimal point
    const int count = static_cast<int>(digits.size());
    std::string out = value < 0 ? "-" : "";
    if (point > 21 || point < -5) {
        out += digits[0];
        if (count > 1) out += '.' + digits.substr(1);
        return out + (exponent < 0 ? "e-" : "e+") + std::to_string(std::abs(exponent));
    }
    if (point <= 0) return out + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
    if (point >= count) return out + digits + std::string(static_cast<std::size_t>(point - count), '0');
    return out + digits.substr(0, static_cast<std::size_t>(point)) + '.' +
           digits.substr(static_cast<std::size_t>(point));
}

bool is_stringified(std::string_view json, const TextTally& counted) {
    return counted.sound && counted.bytes == json.size() && Stringified(json).all();
}

std::optional<std::string> json_stringify(std::string_view raw) {
    Parser document(raw);
    if (!document.parse()) return {};
    Writer writer(document);
    writer.write(document.root());
    return std::move(writer.out);
}

std::optional<std::size_t> json_stringify_length(std::string_view raw) {
    Parser document(raw);
    if (!document.parse()) return {};
    return Measure(document).length(document.root());
}

}  // namespace agent_audit
