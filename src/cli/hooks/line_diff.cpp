#include "cli/hooks/line_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace agent_audit::cli {
namespace {

constexpr std::size_t kMost = 5000, kAround = 2;

struct Row {
    char mark;
    std::string_view line;
};

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        text = end == text.npos ? std::string_view() : text.substr(end + 1);
    }
    return lines;
}

// Of two texts the longest common lines, by the table of all beginnings of what is between their equal ends.
std::vector<Row> rows_of(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b) {
    std::size_t head = 0, tail = 0;
    while (head < a.size() && head < b.size() && a[head] == b[head]) ++head;
    while (tail + head < a.size() && tail + head < b.size() && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
    const std::size_t rows = a.size() - head - tail, columns = b.size() - head - tail;
    const bool whole = rows > kMost || columns > kMost;
    std::vector<std::uint16_t> common(whole ? 0 : (rows + 1) * (columns + 1));
    const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& { return common[i * (columns + 1) + j]; };
    for (std::size_t i = whole ? 0 : rows; i-- > 0;) {
        for (std::size_t j = columns; j-- > 0;) {
            at(i, j) = a[head + i] == b[head + j] ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                                  : std::max(at(i + 1, j), at(i, j + 1));
        }
    }
    std::vector<Row> out;
    for (std::size_t i = 0; i < head; ++i) out.push_back({' ', a[i]});
    std::size_t i = 0, j = 0;
    while (i < rows || j < columns) {
        if (!whole && i < rows && j < columns && a[head + i] == b[head + j]) {
            out.push_back({' ', a[head + i]});
            ++i;
            ++j;
        } else if (j == columns || (i < rows && (whole || at(i + 1, j) >= at(i, j + 1)))) {
            out.push_back({'-', a[head + i++]});
        } else {
            out.push_back({'+', b[head + j++]});
        }
    }
    for (std::size_t k = a.size() - tail; k < a.size(); ++k) out.push_back({' ', a[k]});
    return out;
}

}  // namespace

std::string line_diff(std::string_view before, std::string_view after) {
    const std::vector<Row> rows = rows_of(lines_of(before), lines_of(after));
    std::vector<bool> shown(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].mark == ' ') continue;
        for (std::size_t k = i - std::min(i, kAround); k < std::min(rows.size(), i + kAround + 1); ++k) shown[k] = true;
    }
    std::string out;
    bool gap = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!shown[i]) {
            gap = true;
            continue;
        }
        if (gap && !out.empty()) out += "...\n";
        gap = false;
        out.append({rows[i].mark, ' '}).append(rows[i].line).append("\n");
    }
    return out;
}

}  // namespace agent_audit::cli
