#include "report/html/html_writer.hpp"

#include "report/escape/sanitize.hpp"

namespace agent_audit::report {

namespace {

// "##[" and "##word[" are commands to some CI runners, wherever they stand in a line.
bool ends_in_command_word(std::string_view before) {
    while (!before.empty() && ((before.back() | 0x20) >= 'a' && (before.back() | 0x20) <= 'z')) before.remove_suffix(1);
    return before.ends_with("##");
}

}  // namespace

void append_html(std::string& out, std::string_view text) {
    const std::string shown = visible(text);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        switch (shown[i]) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            case '[':
                if (ends_in_command_word(std::string_view(shown).substr(0, i)))
                    out += "&#91;";
                else
                    out += '[';
                break;
            default: out += shown[i];
        }
    }
}

void Html::flush() {
    if (!gone_ && !buffer_.empty()) gone_ = !out_(buffer_);
    buffer_.clear();
}

}  // namespace agent_audit::report
