#include "report/html/html_comparison.hpp"

#include "report/html/html_page.hpp"

#include <algorithm>

namespace agent_audit::report {
namespace {

constexpr std::size_t kOpenCharts = 4;  // more than these are folded

std::string_view tone_class(ComparisonPage::Tone tone) {
    switch (tone) {
        case ComparisonPage::Tone::fine: return "fine";
        case ComparisonPage::Tone::warning: return "warning";
        case ComparisonPage::Tone::error: return "error";
    }
    return "fine";
}

std::string_view tone_mark(ComparisonPage::Tone tone) {
    switch (tone) {
        case ComparisonPage::Tone::fine: return "\u2713";
        case ComparisonPage::Tone::warning: return "!";
        case ComparisonPage::Tone::error: return "\u2717";
    }
    return "";
}

class Drawing {
public:
    Drawing(const ComparisonPage& page, std::string_view version, const ByteSink& out)
        : page_(page), version_(version), html_(out) {
        for (const ComparisonSection& section : page.sections) {
            for (const NamedChart& named : section.charts) charts_.push_back(&named.chart);
        }
    }

    void draw() {
        const bool curves = std::ranges::any_of(charts_, &Chart::has_curve);
        open_page(html_, page_.title, curves);
        head();
        for (const ComparisonSection& one : page_.sections) {
            if (html_.gone()) return;
            section(one);
        }
        html_.element("p", page_.closing, "dim").raw("\n");
        close_page(html_, charts_, curves, version_);
    }

private:
    void head() {
        html_.raw("<header>").element("h1", page_.title).raw("\n");
        html_.raw(R"(<p class="verdict )").raw(tone_class(page_.tone)).raw(R"("><span aria-hidden="true">)");
        html_.raw(tone_mark(page_.tone)).raw("</span> ").element("strong", page_.sentence).raw("</p>\n");
        html_.raw(R"(<ul class="tiles">)");
        for (const auto& [figure, what] : page_.tiles) {
            if (figure.empty()) continue;
            html_.raw("<li>").element("b", figure).raw(" ").element("span", what).raw("</li>");
        }
        html_.raw("</ul></header>\n");
    }

    void section(const ComparisonSection& one) {
        html_.raw("<section>").element("h2", one.heading).raw("\n");
        if (!one.facts.empty()) html_.element("p", one.facts, "dim").raw("\n");
        draw_facts(html_, one.details);
        html_.raw("<div class=\"wide compared\">");
        for (const HtmlTable& table : one.tables) table.draw(html_);
        html_.raw("</div>\n");
        for (const std::string& note : one.notes) html_.element("p", note, "dim").raw("\n");
        charts(one.charts);
        for (const FoldedTables& fold : one.folded) {
            html_.raw("<details><summary>").text(fold.summary).raw("</summary><div class=\"prose\">");
            for (const HtmlTable& table : fold.tables) table.draw(html_);
            html_.raw("</div></details>\n");
        }
        html_.raw("</section>\n");
    }

    void charts(const std::vector<NamedChart>& charts) {
        if (charts.empty()) return;
        const bool fold = charts.size() > kOpenCharts;
        if (fold) html_.raw("<details open><summary>Over the session</summary>");
        html_.raw(R"(<div class="columns">)");
        for (const NamedChart& named : charts) {
            html_.raw("<div>").element("h3", named.name);
            draw_chart(html_, named.chart, drawn_++);
            html_.raw("</div>");
        }
        html_.raw(fold ? "</div></details>\n" : "</div>\n");
    }

    const ComparisonPage& page_;
    std::string_view version_;
    Html html_;
    std::vector<const Chart*> charts_;
    std::size_t drawn_ = 0;
};

}  // namespace

void draw_comparison(const ComparisonPage& page, std::string_view tool_version, const ByteSink& out) {
    Drawing(page, tool_version, out).draw();
}

}  // namespace agent_audit::report
