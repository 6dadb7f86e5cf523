#include "report/json/json_resets.hpp"

#include "report/json/json_parts.hpp"

namespace agent_audit::report {

void JsonParts::resets(const std::vector<ResetSuggestion>& resets) { write_resets(json_, resets); }

void write_resets(JsonWriter& json, const std::vector<ResetSuggestion>& resets) {
    if (resets.empty()) return;
    json.key("resets").begin_array();
    for (const ResetSuggestion& reset : resets) {
        json.begin_object();
        json.text("trigger", name(reset.trigger));
        json.known_text("rule", reset.rule);
        json.number("line", reset.line);
        json.flag("verified", reset.verified);
        json.known_number("turn", reset.turn);
        json.number("first_line", reset.first_line);
        json.number("known_line", reset.known_line);
        json.number("tokens_before", reset.tokens_before);
        json.number("tokens_after", reset.tokens_after);
        json.text("tokens_source", name(reset.source));
        json.number("saving_per_turn", reset.saving_per_turn());
        if (reset.saved_money) json.number("saving_per_turn_micro_dollars", reset.saved_money->micro_dollars());
        json.number("break_even_turns", reset.break_even_turns);
        json.real("confidence", reset.confidence);
        json.end_object();
    }
    json.end_array();
}

std::string_view reset_schema() {
    return R"json(
    "reset": {
      "type": "object",
      "description": "where a fresh session with a summary would have paid; agent-audit reset writes the summary",
      "required": ["trigger", "line", "verified", "first_line", "known_line", "tokens_before", "tokens_after",
        "tokens_source", "saving_per_turn", "break_even_turns", "confidence"],
      "properties": {
        "trigger": {"enum": ["loop", "post-compaction", "thrash", "stale-window", "drift"], "description": "why a fresh session would have paid"},
        "rule": {"type": "string", "description": "whose finding it was; absent: the course of the context tells"},
        "line": {"$ref": "#/$defs/count", "description": "last record worth keeping; 0: none"},
        "verified": {"type": "boolean", "description": "a check had passed on all that was changed up to line"},
        "turn": {"$ref": "#/$defs/count", "description": "of the person, at the onset"},
        "first_line": {"$ref": "#/$defs/line", "description": "of the evidence"},
        "known_line": {"$ref": "#/$defs/line", "description": "where the evidence is complete: --at of agent-audit reset"},
        "tokens_before": {"$ref": "#/$defs/count", "description": "prompt at known_line"},
        "tokens_after": {"$ref": "#/$defs/count", "description": "estimated prompt of a fresh session"},
        "tokens_source": {"$ref": "#/$defs/source", "description": "of tokens_before"},
        "saving_per_turn": {"$ref": "#/$defs/count", "description": "tokens of each later request"},
        "saving_per_turn_micro_dollars": {"$ref": "#/$defs/count", "description": "at cache prices; absent: unknown"},
        "break_even_turns": {"type": "integer", "minimum": 1, "description": "requests after which it costs no more"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1, "description": "how sure the suggestion is"}
      }
    })json";
}

}  // namespace agent_audit::report
