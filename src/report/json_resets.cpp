#include "report/json_parts.hpp"

namespace agent_audit::report {

void JsonParts::resets(const std::vector<ResetSuggestion>& resets) {
    if (resets.empty()) return;
    json_.key("resets").begin_array();
    for (const ResetSuggestion& reset : resets) {
        json_.begin_object();
        json_.text("trigger", name(reset.trigger));
        json_.known_text("rule", reset.rule);
        json_.number("line", reset.line);
        json_.flag("verified", reset.verified);
        json_.known_number("turn", reset.turn);
        json_.number("first_line", reset.first_line);
        json_.number("known_line", reset.known_line);
        json_.number("tokens_before", reset.tokens_before);
        json_.number("tokens_after", reset.tokens_after);
        json_.text("tokens_source", name(reset.source));
        json_.number("saving_per_turn", reset.saving_per_turn());
        if (reset.saved_money) json_.number("saving_per_turn_micro_dollars", reset.saved_money->micro_dollars());
        json_.number("break_even_turns", reset.break_even_turns);
        json_.real("confidence", reset.confidence);
        json_.end_object();
    }
    json_.end_array();
}

}  // namespace agent_audit::report
