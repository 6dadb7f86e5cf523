#pragma once

#include <agent_audit/report/renderer.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::report {

/// Text as it may stand between tags and in quoted attributes: nothing in it is markup, controls and direction changes
/// are visible escapes, broken UTF-8 too, and no CI runner finds a command in it.
void append_html(std::string& out, std::string_view text);

/// Writes markup as it goes, handing full pieces to the sink. What is given to raw() is ours, word for word; all that
/// could come from elsewhere goes through text() and attribute().
class Html {
public:
    explicit Html(const ByteSink& out) : out_(out) {}
    ~Html() { flush(); }
    Html(const Html&) = delete;
    Html& operator=(const Html&) = delete;

    Html& raw(std::string_view markup) {
        buffer_ += markup;
        return spill();
    }
    Html& text(std::string_view words) {
        append_html(buffer_, words);
        return spill();
    }
    /// ` name="value"`, inside a tag that raw() has opened.
    Html& attribute(std::string_view name, std::string_view value) {
        buffer_.append(" ").append(name).append("=\"");
        append_html(buffer_, value);
        buffer_ += '"';
        return *this;
    }
    Html& number(std::uint64_t value) { return raw(std::to_string(value)); }

    /// `<tag class="…">words</tag>`.
    Html& element(std::string_view tag, std::string_view words, std::string_view css_class = {}) {
        open(tag, css_class);
        return text(words).close(tag);
    }
    Html& open(std::string_view tag, std::string_view css_class = {}) {
        buffer_.append("<").append(tag);
        if (!css_class.empty()) attribute("class", css_class);
        buffer_ += '>';
        return *this;
    }
    Html& close(std::string_view tag) {
        buffer_.append("</").append(tag).append(">");
        return spill();
    }

    /// True once the sink refused: nothing more needs to be drawn.
    bool gone() const { return gone_; }
    void flush();

private:
    static constexpr std::size_t kPiece = 32u << 10;

    Html& spill() {
        if (buffer_.size() >= kPiece) flush();
        return *this;
    }

    const ByteSink& out_;
    std::string buffer_;
    bool gone_ = false;
};

}  // namespace agent_audit::report
