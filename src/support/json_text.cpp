#include <agent_audit/support/json_text.hpp>

#include "support/ascii.hpp"
#include "support/json_number.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace agent_audit {
namespace {

unsigned char byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// Bytes of the sequence that starts at `at`, 0 when it is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
    const unsigned char lead = byte_at(text, at);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xC2 && lead < 0xE0   ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(text, at + i) & 0xC0) != 0x80) return 0;
    }
    const unsigned char second = byte_at(text, at + 1);
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool outside = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
    return overlong || outside ? 0 : length;
}

bool is_gap(char c) { return c == ' ' || c == '\t'; }

// Bytes of the escape at `at`, 0 when JSON knows none like it.
std::size_t escape_length(std::string_view text, std::size_t at) {
    if (at + 1 >= text.size()) return 0;
    if (text[at + 1] != 'u') return std::string_view("\"\\/bfnrt").find(text[at + 1]) != std::string_view::npos ? 2 : 0;
    if (at + 6 > text.size()) return 0;
    for (std::size_t i = at + 2; i < at + 6; ++i) {
        if (!is_hex(text[i])) return 0;
    }
    return 6;
}

// Where the run of characters that may stand in a JSON string ends.
std::size_t string_end(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const unsigned char c = byte_at(text, at);
        std::size_t length = 1;
        if (c == '"' || c < 0x20) return at;
        if (c == '\\')
            length = escape_length(text, at);
        else if (c >= 0x80)
            length = utf8_length(text, at);
        if (length == 0) return at;
        at += length;
    }
    return at;
}

// A checker without recursion: hostile nesting must not reach our stack.
class ValueCheck {
public:
    ValueCheck(std::string_view text, std::size_t max_depth) : text_(text), max_depth_(max_depth) {}

    bool passes() {
        if (text_.empty() || is_gap(text_.front()) || is_gap(text_.back())) return false;
        if (!value()) return false;
        while (!open_.empty()) {
            if (!next_in_bracket()) return false;
        }
        return at_ == text_.size();
    }

private:
    bool at_end() const { return at_ == text_.size(); }
    void skip_gaps() {
        while (!at_end() && is_gap(text_[at_])) ++at_;
    }
    bool take(char c) {
        skip_gaps();
        if (at_end() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    // After a value inside a bracket, or after the opening one.
    bool next_in_bracket() {
        const char open = open_.back();
        const bool first = fresh_;
        fresh_ = false;
        if (take(open == '{' ? '}' : ']')) {
            open_.pop_back();
            return true;
        }
        if (!first && !take(',')) return false;
        if (open == '{' && !(skip_gaps(), string() && take(':'))) return false;
        return value();
    }

    bool value() {
        skip_gaps();
        if (at_end()) return false;
        switch (text_[at_]) {
            case '{':
            case '[':
                if (open_.size() >= max_depth_) return false;
                open_ += text_[at_++];
                return fresh_ = true;
            case '"': return string();
            case 't': return word("true");
            case 'f': return word("false");
            case 'n': return word("null");
            default: return number();
        }
    }

    bool word(std::string_view literal) {
        if (!text_.substr(at_).starts_with(literal)) return false;
        at_ += literal.size();
        return true;
    }

    bool string() {
        if (at_end() || text_[at_] != '"') return false;
        at_ = string_end(text_, at_ + 1);
        if (at_end() || text_[at_] != '"') return false;
        ++at_;
        return true;
    }

    bool number() {
        const char* const after = json_number_end(text_.data() + at_, text_.data() + text_.size());
        if (after == nullptr) return false;
        at_ = static_cast<std::size_t>(after - text_.data());
        return true;
    }

    std::string_view text_;
    std::size_t max_depth_;
    std::size_t at_ = 0;
    std::string open_;
    bool fresh_ = false;
};

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_digit(char c) {
    const std::size_t at = kBase64.find(c);
    return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

bool is_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = utf8_length(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

bool is_json_string(std::string_view inside) { return string_end(inside, 0) == inside.size(); }

bool is_json_on_one_line(std::string_view text, std::size_t max_depth) { return ValueCheck(text, max_depth).passes(); }

void append_json_escaped(std::string& out, std::string_view text) {
    static constexpr std::string_view kHex = "0123456789abcdef";
    std::size_t copied = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const unsigned char c = byte_at(text, i);
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        out.append(text, copied, i - copied);
        copied = i + 1;
        switch (c) {
            case '"': out += "\\\""; break;
            case '\\': out += "\\\\"; break;
            case '\n': out += "\\n"; break;
            case '\r': out += "\\r"; break;
            case '\t': out += "\\t"; break;
            default:
                out += "\\u00";
                out += kHex[c >> 4];
                out += kHex[c & 15];
        }
    }
    out.append(text, copied);
}

std::string base64(std::string_view bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) group = group << 8 | (k < count ? byte_at(bytes, i + k) : 0u);
        for (std::size_t k = 0; k < 4; ++k) out += k <= count ? kBase64[group >> (18 - 6 * k) & 63] : '=';
    }
    return out;
}

bool from_base64(std::string_view text, std::string& out) {
    out.clear();
    if (text.size() % 4 != 0) return false;
    for (std::size_t i = 0; i < text.size(); i += 4) {
        const std::size_t padding =
            i + 4 < text.size() ? 0 : (text[i + 3] == '=') + (text[i + 3] == '=' && text[i + 2] == '=');
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const int digit = k < 4 - padding ? base64_digit(text[i + k]) : 0;
            if (digit < 0) return false;
            group = group << 6 | static_cast<std::uint32_t>(digit);
        }
        for (std::size_t k = 0; k + padding < 3; ++k) out += static_cast<char>(group >> (16 - 8 * k) & 0xFF);
    }
    return true;
}

}  // namespace agent_audit
