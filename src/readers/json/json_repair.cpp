#include "readers/json/json_repair.hpp"

#include <agent_audit/readers/input.hpp>

#include <simdjson.h>

namespace agent_audit::readers {

std::string repaired_copy(std::string_view text) {
    std::string out(text);
    out.resize(text.size() + kRecordPadding);
    for (std::size_t i = 0; i < text.size();) {
        const auto c = static_cast<unsigned char>(out[i]);
        if (c < 0x20 || c == 0x7F) {
            out[i++] = ' ';
            continue;
        }
        const std::size_t need = c < 0x80                ? 1
                                 : c >= 0xC2 && c < 0xE0 ? 2
                                 : c >= 0xE0 && c < 0xF0 ? 3
                                 : c >= 0xF0 && c < 0xF5 ? 4
                                                         : 0;
        if (need == 0 || i + need > text.size() || !simdjson::validate_utf8(out.data() + i, need)) {
            out[i++] = '?';
        } else {
            i += need;
        }
    }
    return out;
}

}  // namespace agent_audit::readers
