#include "report/words/remote_use.hpp"

#include "report/escape/sanitize.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/human.hpp"

namespace agent_audit::report {

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
