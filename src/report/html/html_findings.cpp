#include "report/html/html_findings.hpp"

#include "report/html/html_table.hpp"
#include "report/words/finding_place.hpp"
#include "report/words/human.hpp"
#include "report/words/line_words.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace agent_audit::report {
namespace {

constexpr std::size_t kDrawnSteps = 24;  // of a round; the words of the finding have the rest

std::string times_words(const Finding& f) {
    if (f.repeats == 0) return "once around";
    std::string words = f.period > 1 ? fmt::format("{} of {}", count_of(f.repeats, "round"), count_of(f.period, "step"))
                                     : count_of(f.repeats, "time");
    return words + (f.contiguous ? "" : ", other steps in between");
}

}  // namespace

void HtmlFindings::full(const Finding& f) {
    html_.raw(fmt::format(R"(<article class="finding {}" id="finding-{}")", name(f.severity), ++drawn_));
    html_.attribute("data-fingerprint", identity(f, words_.report())).raw(">");
    head(f);
    round(f);
    std::vector<std::pair<std::string, std::string>> facts;
    for (FactWords& fact : words_.facts(f)) {
        if (fact.label == "round" || fact.label == "in" || fact.evidence) continue;
        facts.emplace_back(std::move(fact.label), std::move(fact.text));
    }
    facts.emplace_back("silence", "--ignore " + f.rule);
    draw_facts(html_, facts);
    evidence(f);
    html_.raw("</article>\n");
}

void HtmlFindings::head(const Finding& f) {
    html_.raw("<h3>").element("span", name(f.severity), fmt::format("badge {}", name(f.severity))).raw(" ");
    rule(f.rule);
    html_.raw(" ").element("span", join({f.code, percent(f.confidence) + " sure"}, " \u00B7 "), "dim").raw("</h3>");
    html_.element("p", words_.message(f), "message");
    html_.element("p", join({words_.place(f), words_.lane_name(f)}, ", "), "place").raw("\n");
}

void HtmlFindings::rule(const std::string& rule) {
    const std::string anchor = rule_anchor_(rule);
    if (anchor.empty()) {
        html_.element("code", rule);
    } else {
        html_.raw("<a").attribute("href", "#" + anchor).raw(">").element("code", rule).raw("</a>");
    }
}

void HtmlFindings::round(const Finding& f) {
    if (f.round.empty()) return;
    html_.raw(R"(<figure class="cycle"><ol>)");
    const std::size_t drawn = std::min(f.round.size(), kDrawnSteps);
    for (std::size_t i = 0; i < drawn; ++i) html_.raw("<li>").element("code", words_.line(f.round[i])).raw("</li>");
    if (drawn < f.round.size()) html_.element("li", fmt::format("and {} more", f.round.size() - drawn));
    html_.raw(R"(</ol><figcaption><span aria-hidden="true">)").raw("\u21BB ").raw("</span>");
    html_.element("span", times_words(f)).raw("</figcaption></figure>\n");
}

void HtmlFindings::evidence(const Finding& f) {
    if (f.evidence.empty()) return;
    const std::string_view noun = LineWords(place_of(f, words_.report()).counted).noun();
    html_.raw("<details><summary>").text("Evidence: " + count_of(f.evidence.size(), noun)).raw("</summary>");
    HtmlTable table("Evidence in " + words_.path_of(f),
                    {{std::string(noun)}, {"part", false}, {"what is recorded there", false}});
    for (const Evidence& e : f.evidence) table.row({thousands(e.line), words_.line(e.role), words_.line(e.text)});
    table.draw(html_);
    html_.raw("</details>");
}

void HtmlFindings::brief(const std::string& caption, const std::vector<const Finding*>& findings) {
    if (findings.empty()) return;
    html_.raw(R"(<div class="scroll" role="group" tabindex="0")").attribute("aria-label", caption).raw("><table>");
    html_.element("caption", caption);
    html_.raw(R"(<thead><tr><th scope="col">severity</th><th scope="col">rule</th><th scope="col">where</th>)"
              R"(<th scope="col">what</th></tr></thead><tbody>)");
    for (const Finding* f : findings) {
        if (html_.gone()) return;
        html_.raw("<tr").attribute("data-fingerprint", identity(*f, words_.report())).raw(R"(><th scope="row">)");
        html_.element("span", name(f->severity), fmt::format("badge {}", name(f->severity))).raw("</th><td>");
        rule(f->rule);
        html_.raw("</td>").element("td", join({words_.place(*f), words_.lane_name(*f)}, ", "));
        html_.element("td", words_.message(*f)).raw("</tr>\n");
    }
    html_.raw("</tbody></table></div>\n");
}

}  // namespace agent_audit::report
