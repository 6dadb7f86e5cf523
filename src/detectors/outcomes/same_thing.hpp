#pragma once

// Whether two calls ask of the same thing, however much else they say.

#include <string_view>

namespace agent_audit::detectors {

/// True where every text value of one call's arguments stands in the other's, under whatever name, or as part of a
/// longer one: {"fileKey":"aZ1"}, {"file_key":"aZ1","nodeId":"0:1"} and https://figma.example/aZ1. Switches and how
/// much is asked for ("depth", "limit") are trimmings; another number under another key is another thing. False where
/// there is no text value.
bool ask_of_same_thing(std::string_view one, std::string_view other);

}  // namespace agent_audit::detectors
