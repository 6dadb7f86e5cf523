#pragma once

#include "report/html/html_writer.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::report {

/// A table with a caption and headers, in a frame that scrolls where the page is narrower. Cells are words: they are
/// escaped as they are written.
class HtmlTable {
public:
    struct Column {
        std::string title;
        bool figures = true;  ///< set to the right, in figures of equal width
    };
    struct Cell {
        std::string words;
        std::string link = {};  ///< an anchor of this page, without #
        double bar = -1;        ///< a share from 0 to 1 drawn behind the words; below 0 = none
    };

    HtmlTable(std::string caption, std::vector<Column> columns)
        : caption_(std::move(caption)), columns_(std::move(columns)) {}

    void row(std::vector<std::string> cells) {
        std::vector<Cell>& row = rows_.emplace_back();
        for (std::string& words : cells) row.push_back({std::move(words)});
    }
    void row_of(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.empty(); }
    void draw(Html& html) const;

private:
    void cell(Html& html, std::size_t column, const Cell& cell) const;
    static void lines(Html& html, std::string_view words);

    std::string caption_;
    std::vector<Column> columns_;
    std::vector<std::vector<Cell>> rows_;
};

/// Words of facts, name and value, as a definition list; facts without a value are left out.
void draw_facts(Html& html, const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace agent_audit::report
