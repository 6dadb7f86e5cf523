#include "report/html_writer.hpp"

#include "report/sanitize.hpp"

namespace agent_audit::report {

void append_html(std::string& out, std::string_view text) {
    const std::string shown = visible(text);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        switch (shown[i]) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\'': out += "&#39;"; break;
            case '[':  // "##[" is a command to some CI runners, wherever it stands in a line
                if (i >= 2 && shown[i - 1] == '#' && shown[i - 2] == '#')
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
