#include "readers/input/jsonb.hpp"

#include <cstdint>

// An element is its type (low half of the first byte), the size of what follows (the high half, or the 1, 2, 4 or 8
// bytes behind it, most significant first), and that: text as it stands in JSON, or the elements of an array or object.

namespace agent_audit::readers {
namespace {

enum Type : unsigned char {
    kNull,
    kTrue,
    kFalse,
    kInt,
    kInt5,
    kFloat,
    kFloat5,
    kText,
    kTextJson,
    kText5,
    kTextRaw,
    kArray,
    kObject
};

constexpr int kDeepest = 512;

struct Element {
    unsigned char type = 0;
    std::string_view payload;
};

unsigned char byte_of(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

/// Takes an element off `bytes`; false when it is cut off.
bool take_element(std::string_view& bytes, Element& element) {
    if (bytes.empty()) return false;
    element.type = byte_of(bytes, 0) & 15;
    std::uint64_t size = byte_of(bytes, 0) >> 4;
    bytes.remove_prefix(1);
    if (size >= 12) {
        const std::size_t width = std::size_t{1} << (size - 12);
        if (bytes.size() < width) return false;
        size = 0;
        for (std::size_t i = 0; i < width; ++i) size = size << 8 | byte_of(bytes, i);
        bytes.remove_prefix(width);
    }
    if (size > bytes.size()) return false;
    element.payload = bytes.substr(0, static_cast<std::size_t>(size));
    bytes.remove_prefix(element.payload.size());
    return true;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789+-.eE") == text.npos;
}

/// Text without escapes of its own, and control characters in any: hostile bytes end no string.
void write_text(std::string_view text, bool escaped, std::string& out) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const unsigned char c = byte_of(text, i);
        if (escaped && c == '\\' && i + 1 < text.size()) {
            out.append(text.substr(i++, 2));
        } else if (c == '"' || c == '\\') {
            out.append("\\").append(1, text[i]);
        } else if (c < 0x20) {
            out.append("\\u00").append(1, kDigits[c >> 4]).append(1, kDigits[c & 15]);
        } else {
            out += text[i];
        }
    }
    out += '"';
}

bool write_element(const Element& element, std::string& out, int depth);

bool write_members(std::string_view members, bool object, std::string& out, int depth) {
    out += object ? '{' : '[';
    Element element;
    for (std::size_t i = 0; !members.empty(); ++i) {
        const bool key = object && i % 2 == 0;
        if (!take_element(members, element) || (key && (element.type < kText || element.type > kTextRaw))) return false;
        if (i > 0) out += object && !key ? ':' : ',';
        if (!write_element(element, out, depth + 1)) return false;
        if (key && members.empty()) return false;
    }
    out += object ? '}' : ']';
    return true;
}

bool write_element(const Element& element, std::string& out, int depth) {
    if (depth > kDeepest) return false;
    switch (element.type) {
        case kNull: out += "null"; return true;
        case kTrue: out += "true"; return true;
        case kFalse: out += "false"; return true;
        case kInt5:
        case kFloat5: out += "null"; return true;  // as only people write them: 0x10, .5
        case kInt:
        case kFloat: out += is_number(element.payload) ? element.payload : "null"; return true;
        case kText:
        case kTextRaw: write_text(element.payload, false, out); return true;
        case kTextJson:
        case kText5: write_text(element.payload, true, out); return true;
        case kArray:
        case kObject: return write_members(element.payload, element.type == kObject, out, depth);
        default: return false;
    }
}

}  // namespace

bool append_jsonb(std::string_view blob, std::string& out) {
    const std::size_t before = out.size();
    Element element;
    if (take_element(blob, element) && blob.empty() && write_element(element, out, 0)) return true;
    out.resize(before);
    return false;
}

}  // namespace agent_audit::readers
