#include "report/text/layout.hpp"

#include "report/escape/sanitize.hpp"
#include "report/escape/utf8.hpp"

#include <algorithm>
#include <numeric>

namespace agent_audit::report {
namespace {

constexpr std::size_t kPiece = 16u << 10;
constexpr int kGap = 2;          // columns between cells and spans
constexpr int kNarrowName = 20;  // other columns give way before the first is narrower than this
constexpr int kLongWord = 32;    // or before a word in it is broken that is no longer than this

std::string_view code_of(Style style) {
    switch (style) {
        case Style::plain: return "";
        case Style::bold: return "\x1b[1m";
        case Style::dim: return "\x1b[2m";
        case Style::red: return "\x1b[1;31m";
        case Style::yellow: return "\x1b[1;33m";
        case Style::green: return "\x1b[1;32m";
        case Style::cyan: return "\x1b[36m";
    }
    return "";
}

std::string blanks(int n) { return std::string(static_cast<std::size_t>(std::max(n, 0)), ' '); }

std::string padded(std::string_view text, int width, bool right) {
    const std::string fill = blanks(width - column_width(text));
    return right ? fill + std::string(text) : std::string(text) + fill;
}

// The longest start of `text` that fits, at least one code point.
std::size_t fitting(std::string_view text, int width) {
    int columns = 0;
    std::size_t pos = 0;
    while (pos < text.size()) {
        const CodePoint next = decode_at(text, pos);
        const int wide = next.valid ? column_width(next.value) : 1;
        if (columns + wide > width && pos > 0) break;
        columns += wide;
        pos += next.length;
    }
    return pos;
}

std::string_view trim_start(std::string_view text) {
    const std::size_t start = text.find_first_not_of(' ');
    return start == text.npos ? std::string_view{} : text.substr(start);
}

// Is the blank one between a figure and its unit: "5 %", "12.6 M tokens", "40.9 kB"?
bool parts_figure(std::string_view text, std::size_t blank) {
    if (blank == 0 || blank + 1 >= text.size() || text[blank - 1] < '0' || text[blank - 1] > '9') return false;
    const char unit = text[blank + 1], behind = blank + 2 < text.size() ? text[blank + 2] : ' ';
    if (unit == '%') return true;
    const bool is_prefix = unit == 'k' || unit == 'M' || unit == 'G';
    return is_prefix && (behind == ' ' || behind == ',' || behind == ')' || behind == 'B');
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, int width) {
    std::vector<std::string> lines;
    if (width <= 0) return {std::string(text)};
    while (!text.empty()) {
        std::size_t end = fitting(text, width);
        std::size_t next = end;
        if (end < text.size()) {
            std::size_t blank = text[end] == ' ' ? end : text.substr(0, end).rfind(' ');
            if (blank != text.npos && parts_figure(text, blank)) {
                if (const std::size_t before = text.substr(0, blank).rfind(' '); before != text.npos) blank = before;
            }
            const bool leaves_little = blank == text.npos || blank == 0 || blank * 3 < end;  // better to break the word
            if (!leaves_little) end = next = blank;
        }
        std::string line(text.substr(0, end));
        while (!line.empty() && line.back() == ' ') line.pop_back();
        lines.push_back(std::move(line));
        text = trim_start(text.substr(next));
    }
    if (lines.empty()) lines.emplace_back();
    return lines;
}

std::string end_of(std::string_view text, int columns, std::string_view ellipsis) {
    int left = column_width(text);
    if (left <= columns) return std::string(text);
    const int room = columns - column_width(ellipsis);
    std::size_t pos = 0;
    while (pos < text.size() && left > room) {  // each character once: a hostile name may be long
        const CodePoint next = decode_at(text, pos);
        left -= next.valid ? column_width(next.value) : 1;
        pos += next.length;
    }
    return std::string(ellipsis).append(text.substr(pos));
}

std::string Page::styled(std::string_view text, Style style) const {
    if (!options_.color || style == Style::plain || text.empty()) return std::string(text);
    return std::string(code_of(style)).append(text).append("\x1b[0m");
}

void Page::put(std::string_view line) {
    if (gone_) return;
    if (options_.guard_ci) {
        buffer_ += without_ci_commands(line);
    } else {
        buffer_ += line;
    }
    buffer_ += '\n';
    if (buffer_.size() >= kPiece) flush();
}

void Page::flush() {
    if (!gone_ && !buffer_.empty()) gone_ = !out_(buffer_);
    buffer_.clear();
}

void Page::heading(const std::vector<Span>& spans) {
    std::string line;
    int used = 0;
    bool fresh = true;  // nothing on this line yet but its indent
    const auto append = [&](std::string_view text, Style style) {
        const std::string gap = blanks(fresh ? 0 : kGap);
        used += static_cast<int>(gap.size()) + column_width(text);
        line.append(gap).append(styled(text, style));
        fresh = false;
    };
    const auto next_line = [&] {
        put(line);
        line = blanks(kGap);
        used = kGap;
        fresh = true;
    };
    for (const Span& span : spans) {
        if (width() > 0 && !fresh && used + kGap + column_width(span.text) > width()) next_line();
        const bool whole = width() <= 0 || &span == spans.data();
        const std::vector<std::string> pieces =
            wrap(span.text, whole ? 0 : std::max(width() - std::max(used, kGap), 10));
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            if (i > 0) next_line();
            append(pieces[i], span.style);
        }
    }
    put(line);
}

void Page::paragraph(int indent, std::string_view text, Style style) {
    const int room = width() <= 0 ? 0 : std::max(width() - indent, 10);
    for (const std::string& line : wrap(text, room)) put(blanks(indent) + styled(line, style));
}

void Page::line(int indent, std::string_view text, Style style) { put(blanks(indent) + styled(text, style)); }

void Page::labelled(int indent, int label_width, std::string_view label, std::string_view text) {
    const int hang = indent + std::max(label_width, column_width(label)) + kGap;
    const int room = width() <= 0 ? 0 : std::max(width() - hang, 10);
    const std::vector<std::string> lines = wrap(text, room);
    put(blanks(indent) + styled(label, Style::dim) + blanks(hang - indent - column_width(label)) + lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i) put(blanks(hang) + lines[i]);
}

void Page::labelled_name(int indent, int label_width, std::string_view label, std::string_view before,
                         std::string_view name, std::string_view behind) {
    const int hang = indent + std::max(label_width, column_width(label)) + kGap;
    const std::string whole = std::string(before).append(name).append(behind);
    const int needed = hang + column_width(std::string(before).append(name));
    if (width() <= 0 || needed <= width()) return labelled(indent, label_width, label, whole);
    const std::string_view next = behind.substr(std::min(behind.find_first_not_of(", "), behind.size()));
    const std::string first(before.substr(0, before.find_last_not_of(' ') + 1));
    const std::string fitting = end_of(name, std::max(width() - hang, kNarrowName), symbol("\u2026", ".."));
    if (first.empty()) {
        put(blanks(indent) + styled(label, Style::dim) + blanks(hang - indent - column_width(label)) + fitting);
    } else {
        labelled(indent, label_width, label, first);
        line(hang, fitting);
    }
    if (!next.empty()) labelled(indent, label_width, "", next);
}

int Table::least_name() const {
    if (columns_[0].keeps_end) return kNarrowName;
    int longest = 0;
    for (const auto& cells : rows_) {
        std::string_view rest = cells[0];
        while (!rest.empty()) {
            const std::size_t end = std::min(rest.find(' '), rest.size());
            longest = std::max(longest, column_width(rest.substr(0, end)));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return longest <= kLongWord ? std::max(longest, kNarrowName) : kNarrowName;
}

std::vector<std::size_t> Table::shown(int room, const std::vector<int>& widths) const {
    const int least = std::min(widths[0], least_name());
    std::vector<std::size_t> kept(columns_.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    const auto too_wide = [&] {
        int sum = -kGap;
        for (const std::size_t c : kept) sum += kGap + (c == 0 ? least : widths[c]);
        return sum > room;
    };
    while (room > 0 && too_wide()) {
        const auto first_to_go = std::max_element(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) {
            return columns_[a].drop < columns_[b].drop;
        });
        if (columns_[*first_to_go].drop == 0) break;
        kept.erase(first_to_go);
    }
    return kept;
}

std::vector<int> Table::widest() const {
    std::vector<int> widths;
    for (const Column& column : columns_) widths.push_back(column_width(column.title));
    for (const auto& cells : rows_) {
        for (std::size_t c = 0; c < cells.size(); ++c) widths[c] = std::max(widths[c], column_width(cells[c]));
    }
    return widths;
}

bool Table::fits(const Page& page, int indent, int drop) const {
    if (page.width() <= 0) return true;
    const std::vector<std::size_t> kept = shown(page.width() - indent, widest());
    const auto needed = [&](const Column& column) { return column.drop <= drop; };
    return std::ranges::count_if(columns_, needed) ==
           std::ranges::count_if(kept, [&](std::size_t c) { return needed(columns_[c]); });
}

void Table::draw(Page& page, int indent) const {
    std::vector<int> widths = widest();
    const int room = page.width() <= 0 ? 0 : page.width() - indent;
    const std::vector<std::size_t> kept = shown(room, widths);
    int others = 0;
    for (const std::size_t c : kept) others += c == 0 ? 0 : kGap + widths[c];
    if (room > 0) widths[0] = std::min(widths[0], std::max(room - others, 8));

    const auto draw_row = [&](const auto& cell_of, Style style) {
        const std::string first = columns_[0].keeps_end ? end_of(cell_of(0), widths[0], page.symbol("\u2026", ".."))
                                                        : std::string(cell_of(0));
        const std::vector<std::string> name = wrap(first, widths[0]);
        for (std::size_t i = 0; i + 1 < name.size(); ++i) page.line(indent, name[i], style);
        std::string line = padded(name.back(), kept.size() > 1 ? widths[0] : 0, columns_[0].right);
        for (const std::size_t c : kept) {
            if (c != 0) line += blanks(kGap) + padded(cell_of(c), widths[c], columns_[c].right);
        }
        line.erase(line.find_last_not_of(' ') + 1);  // nothing is aligned behind the last cell
        page.line(indent, line, style);
    };
    draw_row([&](std::size_t c) -> std::string_view { return columns_[c].title; }, Style::dim);
    for (const auto& cells : rows_) draw_row([&](std::size_t c) -> std::string_view { return cells[c]; }, Style::plain);
}

}  // namespace agent_audit::report
