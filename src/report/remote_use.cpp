#include "report/remote_use.hpp"

#include "report/human.hpp"
#include "report/redact.hpp"
#include "report/sanitize.hpp"

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

std::string remote_use_words(const RemoteUse& use, Redactor& redact) {
    std::string out = count_of(use.questions, "question") + " to " + visible(use.model) + " at " +
                      visible(redact.text(use.endpoint)) + ", " + count_of(use.calls, "call");
    if (use.cached > 0) out += ", " + std::to_string(use.cached) + " answered from the cache";
    if (use.failed > 0) out += ", " + std::to_string(use.failed) + " without a usable answer";
    if (use.not_asked > 0) out += ", " + std::to_string(use.not_asked) + " not asked";
    if (use.prompt_tokens + use.output_tokens > 0) {
        out += ", " + short_count(use.prompt_tokens + use.output_tokens) + " tokens";
    }
    if (use.cost) out += ", " + money(use.cost->micro_dollars());
    if (!use.problem.empty()) out += " (" + visible(redact.text(use.problem)) + ")";
    return out;
}

}  // namespace agent_audit::report
