#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// Whether two answers to one call say the same but for ids that somebody drew at random for each of them: of requests
/// and traces (4bf92f3577b34da6, req_011CWk…, a ULID), seconds since 1970, ports of a connection, numbers of threads.
/// An answer that is nothing but such an id is another answer: it takes three equal words beside it. Raw texts, either
/// escaped both or neither.
bool same_but_ids(std::string_view a, std::string_view b);

}  // namespace agent_audit::detectors
