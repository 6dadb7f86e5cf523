#include "report/json/json_remote_use.hpp"

#include "report/redaction/redact.hpp"

namespace agent_audit::report {

void write_remote_use(JsonWriter& json, const RemoteUse& use, Redactor& redact) {
    json.text("purpose", use.purpose);
    json.text("endpoint", redact.text(use.endpoint));
    json.text("model", use.model);
    json.number("questions", use.questions);
    json.number("calls", use.calls);
    json.known_number("cached", use.cached);
    json.known_number("failed", use.failed);
    json.known_number("not_asked", use.not_asked);
    json.known_number("prompt_tokens", use.prompt_tokens);
    json.known_number("output_tokens", use.output_tokens);
    if (use.cost) json.number("cost_microusd", use.cost->micro_dollars());
    if (!use.problem.empty()) json.text("problem", redact.text(use.problem));
}

}  // namespace agent_audit::report
