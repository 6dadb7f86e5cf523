#pragma once

#include <agent_audit/model/report.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace agent_audit::report {

/// "372 errors, lines 77 to 1,327: 429 (365 times), terminated": as recorded, for the caller to redact and make
/// visible.
std::string provider_error_words(const SessionReport& session);

/// The sessions in which a provider refused requests, most first, as indices into Report::sessions.
std::vector<std::size_t> with_provider_errors(const Report& report);

}  // namespace agent_audit::report
