#include "report/html/html_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::report {

void HtmlTable::draw(Html& html) const {
    if (rows_.empty()) return;
    html.raw(R"(<div class="scroll" role="group" tabindex="0")").attribute("aria-label", caption_).raw("><table>");
    html.element("caption", caption_).raw("<thead><tr>");
    for (const Column& column : columns_) {
        html.raw(column.figures ? R"(<th scope="col" class="figures">)" : R"(<th scope="col">)")
            .text(column.title)
            .raw("</th>");
    }
    html.raw("</tr></thead><tbody>\n");
    for (const std::vector<Cell>& row : rows_) {
        html.raw("<tr>");
        for (std::size_t i = 0; i < row.size() && i < columns_.size(); ++i) cell(html, i, row[i]);
        html.raw("</tr>\n");
    }
    html.raw("</tbody></table></div>\n");
}

// Lines of the words are told apart; a text of a recording must not bring elements of its own.
void HtmlTable::lines(Html& html, std::string_view words) {
    for (std::size_t begin = 0; begin <= words.size();) {
        const std::size_t end = std::min(words.find('\n', begin), words.size());
        if (begin > 0) html.text(" / ");
        html.text(words.substr(begin, end - begin));
        begin = end + 1;
    }
}

void HtmlTable::cell(Html& html, std::size_t column, const Cell& cell) const {
    const std::string_view tag = column == 0 ? "th" : "td";
    html.raw("<").raw(tag).raw(column == 0 ? R"( scope="row")" : "");
    if (columns_[column].figures) html.raw(R"( class="figures")");
    html.raw(">");
    if (!cell.link.empty()) html.raw("<a").attribute("href", "#" + cell.link).raw(">");
    if (cell.bar >= 0) {
        html.raw(fmt::format(R"(<span class="bar"><span style="width:{:.1f}%"></span></span>)",
                             100 * std::min(cell.bar, 1.0)));
    }
    if (cell.bar >= 0)
        html.element("span", cell.words, "value");
    else
        lines(html, cell.words);
    if (!cell.link.empty()) html.raw("</a>");
    html.close(tag);
}

void draw_facts(Html& html, const std::vector<std::pair<std::string, std::string>>& facts) {
    const auto said = [](const auto& fact) { return !fact.second.empty(); };
    if (std::ranges::none_of(facts, said)) return;
    html.raw("<dl>");
    for (const auto& [label, words] : facts) {
        if (!words.empty()) html.raw("<div>").element("dt", label).element("dd", words).raw("</div>");
    }
    html.raw("</dl>\n");
}

}  // namespace agent_audit::report
