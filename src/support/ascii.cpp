#include "support/ascii.hpp"

namespace agent_audit {

std::string lowered(std::string_view text) {
    std::string out(text);
    // Every byte is written, changed or not: so many are done at once.
    for (char& c : out) c = static_cast<char>(c | (c >= 'A' && c <= 'Z' ? 0x20 : 0));
    return out;
}

}  // namespace agent_audit
