#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>

namespace agent_audit::detectors {

/// Where a program could not be read and why, as Python and Node say it: the file, the line and the complaint
/// ("SyntaxError: invalid syntax"). What stands in that line, and is quoted in between, is no part of it; nor is in
/// which way its indentation is wrong ("TabError: …", "IndentationError: …"). 0 = it says no such thing.
std::uint64_t unparsed_place(RawText answer);

}  // namespace agent_audit::detectors
