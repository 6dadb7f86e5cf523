#pragma once

#include <string>
#include <string_view>

namespace agent_audit {

/// Where and why a text is not JSON, to stand behind the name of its file: "file.json:3: not JSON: expected …". Asked
/// only of a text that another parser did not take; `reason` is what that one said.
std::string not_json(std::string_view source, std::string_view text, std::string_view reason);

/// "written by another version of agent-audit: …" where `schema` is one of `known` of another number, as
/// agent-audit/baseline/2 is of agent-audit/baseline/1; else empty.
std::string other_version(std::string_view schema, std::string_view known);

}  // namespace agent_audit
