#include "report/escape/roff.hpp"

#include "report/escape/utf8.hpp"

#include <fmt/format.h>

namespace agent_audit::report {
namespace {

// What typesetters print differently from what a shell has to be given.
std::string_view escape_of(char c) {
    switch (c) {
        case '\\': return "\\e";
        case '-': return "\\-";
        case '\'': return "\\(aq";
        case '`': return "\\(ga";
        case '^': return "\\(ha";
        case '~': return "\\(ti";
        case '"': return "\\(dq";
        default: return {};
    }
}

}  // namespace

std::string roff_text(std::string_view text) {
    std::string out;
    bool begins = true;
    while (!text.empty()) {
        const char c = text[0];
        if (c == '\n') {
            if (!begins) out += '\n';
            begins = true;
            text.remove_prefix(1);
            continue;
        }
        if (begins && (c == '.' || c == ' ')) out += "\\&";
        begins = false;
        if (static_cast<unsigned char>(c) < 0x80) {
            const std::string_view escape = escape_of(c);
            if (!escape.empty())
                out += escape;
            else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t')
                out += c;
            text.remove_prefix(1);
            continue;
        }
        const CodePoint point = decode_at(text, 0);
        out += point.valid ? fmt::format("\\[u{:04X}]", static_cast<std::uint32_t>(point.value)) : "?";
        text.remove_prefix(point.length);
    }
    return out;
}

}  // namespace agent_audit::report
