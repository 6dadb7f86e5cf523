#pragma once

#include <agent_audit/report/renderer.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::report {

/// `text` cut into lines of at most `width` columns, at blanks where possible; 0 = one line. The text is valid
/// UTF-8 without controls (see visible()). At least one line.
std::vector<std::string> wrap(std::string_view text, int width);

enum class Style : std::uint8_t { plain, bold, dim, red, yellow, green, cyan };

struct Span {
    std::string text;
    Style style = Style::plain;
};

/// Writes lines of the text form: wraps them to the page, colours whole spans, keeps CI runners from reading
/// commands out of them, and hands them over piece by piece. All text given to it is already visible().
class Page {
public:
    Page(const RenderOptions& options, const ByteSink& out) : options_(options), out_(out) {}
    ~Page() { flush(); }
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;

    void blank() { put(""); }
    /// Spans separated by two blanks; goes on the next line, indented, where the width ends. The first is a name and
    /// is never broken: it runs over the border.
    void heading(const std::vector<Span>& spans);
    void paragraph(int indent, std::string_view text, Style style = Style::plain);
    /// A line that is already as wide as it should be: no wrapping.
    void line(int indent, std::string_view text, Style style = Style::plain);
    /// A dim label of `label_width` columns and a text wrapped beside it.
    void labelled(int indent, int label_width, std::string_view label, std::string_view text);
    /// The same for a text of which `name`, a path or the like, is a part that stays in one piece: where the whole is
    /// too long, what stands before it, the name and what stands behind it have lines of their own. A name that is too
    /// long for a line loses its beginning.
    void labelled_name(int indent, int label_width, std::string_view label, std::string_view before,
                       std::string_view name, std::string_view behind);

    const RenderOptions& options() const { return options_; }
    int width() const { return options_.width; }
    bool narrow() const { return options_.width > 0 && options_.width < 60; }
    std::string_view symbol(std::string_view unicode, std::string_view ascii) const {
        return options_.unicode ? unicode : ascii;
    }
    /// Between facts that stand in one line.
    std::string_view dot() const { return symbol(" \u00B7 ", "; "); }
    /// True once the sink refused: nothing more needs to be drawn.
    bool gone() const { return gone_; }
    void flush();

private:
    void put(std::string_view line);
    std::string styled(std::string_view text, Style style) const;

    const RenderOptions& options_;
    const ByteSink& out_;
    std::string buffer_;
    bool gone_ = false;
};

/// The last `columns` columns: the end of a path tells more than its beginning.
std::string end_of(std::string_view text, int columns, std::string_view ellipsis);

/// A table that shrinks: columns with the highest `drop` go first, then the first column wraps, or loses its beginning.
/// Columns also go before a name is broken that is not very long.
struct Column {
    std::string title;
    int drop = 0;  ///< 0 = never dropped
    bool right = true;
    bool keeps_end = false;  ///< of the first: what is too long is cut in front instead of wrapped
};

class Table {
public:
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    /// Whether all columns fit that go no earlier than those of this `drop`, none of them left out.
    bool fits(const Page& page, int indent, int drop) const;
    /// The same columns, to be dropped in another order.
    void rank(std::vector<Column> columns) { columns_ = std::move(columns); }
    void draw(Page& page, int indent) const;

private:
    int least_name() const;
    std::vector<int> widest() const;
    std::vector<std::size_t> shown(int room, const std::vector<int>& widths) const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace agent_audit::report
