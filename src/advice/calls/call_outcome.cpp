#include "advice/calls/call_outcome.hpp"

#include "detectors/engine/result_status.hpp"
#include "detectors/outcomes/exit_code.hpp"

#include <agent_audit/detectors/step.hpp>

#include <algorithm>
#include <string_view>

namespace agent_audit::advice {
namespace {

// What the engine looks at of a call when it judges its answer.
Step step_of(const OpenCall& call) {
    Step step;
    step.tool_class = call.facts.tool_class;
    step.command_bytes = call.facts.shell ? 1 : 0;
    const auto copy = [](std::string_view from, auto& to, std::uint8_t& size) {
        size = static_cast<std::uint8_t>(std::min(from.size(), to.size()));
        std::copy_n(from.begin(), size, to.begin());
    };
    copy(call.facts.tool, step.text.tool_bytes, step.text.tool_size);
    copy(call.argument, step.text.argument_bytes, step.text.argument_size);
    step.text.argument_form = call.argument_form;
    return step;
}

}  // namespace

Outcome outcome_of(const ToolResult& result, ResultStatus status, std::optional<int> code,
                   const detectors::ErrorClassifier& errors) {
    using Kind = Outcome::Kind;
    switch (status) {
        case ResultStatus::denied: return {Kind::denied, ErrorClass::user_denied};
        case ResultStatus::cancelled: return {Kind::ignored, ErrorClass::none};
        case ResultStatus::running: return {Kind::running, ErrorClass::none};
        case ResultStatus::error: break;
        default: return {Kind::ok, ErrorClass::none};
    }
    const ErrorClass error = errors.classify(result.text);
    return {error == ErrorClass::user_denied && !code ? Kind::denied : Kind::failed, error};
}

Outcome outcome_of(const OpenCall& call, const ToolResult& result, const detectors::ErrorClassifier& errors) {
    const auto code = detectors::exit_code_of(result);
    return outcome_of(result, detectors::status_of(step_of(call), false, result, code), code, errors);
}

}  // namespace agent_audit::advice
