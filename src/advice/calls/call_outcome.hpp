#pragma once

#include "advice/calls/open_call.hpp"
#include "detectors/outcomes/error_class.hpp"

#include <agent_audit/model/event.hpp>

#include <cstdint>
#include <optional>

namespace agent_audit::advice {

/// How a call ended, as far as progress is concerned.
struct Outcome {
    enum class Kind : std::uint8_t { ok, failed, denied, ignored, running, unclear } kind = Kind::ok;
    ErrorClass error = ErrorClass::none;
};

/// By the status of its result, whatever call that answers. `code` is its exit code.
Outcome outcome_of(const ToolResult& result, ResultStatus status, std::optional<int> code,
                   const detectors::ErrorClassifier& errors);

/// As the engine judges it: what counts as failed in a scan is no progress here. How a check ended must be asked of its
/// output besides.
Outcome outcome_of(const OpenCall& call, const ToolResult& result, const detectors::ErrorClassifier& errors);

}  // namespace agent_audit::advice
