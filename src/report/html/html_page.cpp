#include "report/html/html_page.hpp"

#include "report/html/html_assets.hpp"

namespace agent_audit::report {

void open_page(Html& html, const std::string& title, bool charts) {
    const HtmlAssets& assets = html_assets();
    const bool library = charts && !assets.chart_script.text.empty();
    html.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    // Where hashes are understood they replace 'unsafe-inline': a script that is not one of ours does not run.
    html.raw(R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; )");
    html.raw("script-src 'unsafe-inline' 'sha256-").raw(assets.script.sha256).raw("'");
    if (library) html.raw(" 'sha256-").raw(assets.chart_script.sha256).raw("'");
    html.raw("; img-src data:; base-uri 'none'; form-action 'none'\">\n");
    html.raw(R"(<meta name="viewport" content="width=device-width, initial-scale=1">)").raw("\n");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n");
    html.raw("<link rel=\"icon\" href=\"data:,\">\n");
    html.element("title", title);
    if (library) html.raw("\n<style>\n").raw(assets.chart_style).raw("</style>");
    html.raw("\n<style>\n").raw(assets.style).raw("</style>\n</head>\n<body>\n<main>\n");
}

void close_page(Html& html, const std::vector<const Chart*>& charts, bool with_library, std::string_view tool_version) {
    const HtmlAssets& assets = html_assets();
    const bool library = with_library && !assets.chart_script.text.empty();
    html.raw("<footer><p>").text("Written by agent-audit").text(tool_version.empty() ? "" : " ").text(tool_version);
    html.raw(". This file loads nothing and sends nothing.</p></footer>\n</main>\n");
    if (library) {
        html.raw(R"(<script type="application/json" id="charts">[)");
        std::string_view comma = "\n";
        for (const Chart* chart : charts) {
            html.raw(comma);
            write_chart_data(html, *chart);
            comma = ",\n";
        }
        html.raw("\n]</script>\n");
        html.raw("<!-- dygraphs, the chart library in the next element:\n\n").raw(assets.chart_licence).raw("\n-->\n");
        html.raw("<script>").raw(assets.chart_script.text).raw("</script>\n");
    }
    html.raw("<script>").raw(assets.script.text).raw("</script>\n</body>\n</html>\n");
}

}  // namespace agent_audit::report
