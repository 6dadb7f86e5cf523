#pragma once

#include <agent_audit/model/text.hpp>
#include <agent_audit/support/unescape.hpp>

#include <string>
#include <string_view>

namespace agent_audit {

/// The name of a tool or of a model without JSON escapes: "functions\/search" and "functions/search" are one tool,
/// whoever wrote it. Nearly always the bytes as they stand, which are only referred to; at most 1,024 bytes of a name
/// with escapes.
class PlainName {
public:
    explicit PlainName(RawText name) : text_(name) {
        if (name.form == TextForm::plain || name.bytes.find('\\') == name.bytes.npos) return;
        decoded_ = decode_json_string(name.bytes, 1024);
        text_ = {decoded_, TextForm::plain};
    }
    PlainName(const PlainName&) = delete;
    PlainName& operator=(const PlainName&) = delete;

    std::string_view view() const { return text_.bytes; }
    RawText text() const { return text_; }

private:
    RawText text_;
    std::string decoded_;
};

}  // namespace agent_audit
