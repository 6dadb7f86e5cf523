#include "report/escape/xml_text.hpp"

#include "report/escape/sanitize.hpp"
#include "report/escape/utf8.hpp"

namespace agent_audit::report {
std::string xml_text(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t pos = 0; pos < text.size();) {
        const CodePoint next = decode_at(text, pos);
        const std::string_view bytes = text.substr(pos, next.length);
        const bool blank = next.value == '\t' || next.value == '\n' || next.value == '\r';
        if (!next.valid || (is_treacherous(next.value) && !blank)) {
            append_visible(out, bytes);
        } else {
            out += bytes;
        }
        pos += next.length;
    }
    return out;
}

}  // namespace agent_audit::report
