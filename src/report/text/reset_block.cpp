#include "report/text/reset_block.hpp"

#include "report/words/human.hpp"
#include "report/words/reset_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace agent_audit::report {
namespace {

constexpr std::size_t kShown = 5;

}  // namespace

void draw_resets(Page& page, const Report& report, TextWords& words, bool all) {
    const std::vector<SessionReset> resets = surest_resets(report);
    if (resets.empty()) return;
    const std::size_t shown = all ? resets.size() : std::min(resets.size(), kShown);
    page.blank();
    page.heading({{"Resets", Style::bold}, {"where a fresh session with a summary would pay; estimated", Style::dim}});
    for (std::size_t i = 0; i < shown && !page.gone(); ++i) {
        const auto& [session, reset] = resets[i];
        const SessionReport of = report.sessions[session];
        const std::string whose = report.sessions.size() > 1 ? words.session(of) + ", " : "";
        page.labelled(2, 8, "reset", whose + reset_place(reset, LineWords(of)));
        page.labelled(2, 8, "why", reset_reason(reset, LineWords(of)));
        page.labelled(2, 8, "gain", reset_gain(reset));
    }
    if (shown < resets.size()) {
        page.paragraph(2, fmt::format("the {} surest of {} (all with -v)", shown, thousands(resets.size())),
                       Style::dim);
    }
    page.paragraph(2, "agent-audit reset SESSION writes the prompt of the fresh session", Style::dim);
}

}  // namespace agent_audit::report
