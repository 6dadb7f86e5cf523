#pragma once

#include <agent_audit/model/text.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// The agent's last message, its beginning and its end, as recorded: it is decoded when somebody asks.
class LastText {
public:
    void keep(RawText text) {
        const std::string_view bytes = text.bytes;
        escaped_ = text.form == TextForm::json_string;
        if (bytes.size() <= kKept) {
            raw_.assign(bytes);
            return;
        }
        raw_.assign(bytes.substr(0, kKept / 2));
        raw_.append(" … ").append(bytes.substr(bytes.size() - kKept / 2));
    }
    void clear() { raw_.clear(); }
    std::string words() const;
    std::string end() const;           ///< the last of it
    std::string_view raw_end() const;  ///< the same as recorded

private:
    static constexpr std::size_t kKept = 700;  // bytes

    std::string raw_;
    bool escaped_ = false;
};

}  // namespace agent_audit::detectors
