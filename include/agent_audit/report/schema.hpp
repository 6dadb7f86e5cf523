#pragma once

#include <span>
#include <string>
#include <string_view>

namespace agent_audit {

/// A published form of our output.
struct SchemaSpec {
    std::string_view name;  ///< operand of `agent-audit schema`
    std::string_view summary;
    std::string (*text)();  ///< JSON Schema, draft 2020-12
};

/// All of them, in the order of lists.
std::span<const SchemaSpec> all_schemas();
const SchemaSpec* find_schema(std::string_view name);

}  // namespace agent_audit
