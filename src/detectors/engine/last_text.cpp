#include "detectors/engine/last_text.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <cstddef>

namespace agent_audit::detectors {

std::string LastText::words() const { return escaped_ ? decode_json_string(raw_, raw_.size()) : raw_; }

std::string_view LastText::raw_end() const {
    constexpr std::size_t kEnd = 300;  // bytes, of which `asks` looks at the last 200
    return std::string_view(raw_).substr(raw_.size() - std::min(raw_.size(), kEnd));
}

std::string LastText::end() const {
    const std::string_view tail = raw_end();
    return escaped_ ? decode_json_string(tail, tail.size()) : std::string(tail);
}

}  // namespace agent_audit::detectors
