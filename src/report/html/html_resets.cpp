#include "report/html/html_resets.hpp"

#include "report/words/human.hpp"
#include "report/words/reset_words.hpp"

#include <utility>

namespace agent_audit::report {

HtmlTable reset_table(std::string caption) {
    return {std::move(caption),
            {{"go back to", false},
             {"because of", false},
             {"tokens before"},
             {"after"},
             {"less in each request"},
             {"cost of that"},
             {"pays after requests"},
             {"sure"}}};
}

void add_reset(HtmlTable& table, const ResetSuggestion& reset, const LineWords& lines, const std::string& whose,
               std::string reason) {
    const bool priced = reset.saved_money && reset.saved_money->micro_dollars() > 0;
    const std::string about = reset.source == TokensSource::estimated ? "about " : "";
    table.row({whose + reset_place(reset, lines), std::move(reason), about + thousands(reset.tokens_before),
               "about " + thousands(reset.tokens_after), thousands(reset.saving_per_turn()),
               priced ? money(reset.saved_money->micro_dollars()) : "unknown", thousands(reset.break_even_turns),
               percent(reset.confidence)});
}

}  // namespace agent_audit::report
