#pragma once

#include "readers/json/json_util.hpp"

#include <agent_audit/model/event.hpp>

#include <cstdint>
#include <optional>

namespace agent_audit::readers {

/// What a function returned, as libraries for agents keep it: any JSON. They record whether it threw; whether it failed
/// stands in what it returned, as its author or the protocol behind it has it.
struct ToolOutput {
    RawText text;
    ResultStatus status = ResultStatus::unknown;  ///< unknown: nothing in it says so
    std::optional<int> exit_code;
    std::uint32_t media = 0;
};

/// Words are the text. Of an object it is what was returned under the one name that a library or protocol gave it
/// (result, output, content, error), else all of the object. Consumes `v`; false for broken JSON.
bool read_tool_output(json::value& v, ToolOutput& out);

}  // namespace agent_audit::readers
