#pragma once

#include <agent_audit/model/text.hpp>

namespace agent_audit::detectors {

/// Does an answer that is one JSON object say at its top that the call failed: {"error": "…"}, {"ok": false},
/// {"success": false}, {"isError": true}, {"status": "error"}, {"statusCode": 422, "message": "…"}? Servers of tools
/// often answer so and leave the flag for errors unset. That a thing is not there ({"error": "not found"}) is an answer
/// about it and no failure. What stands behind the first object or list within it is data and not looked at; nor is
/// anything behind the first 600 bytes.
bool reports_failure(RawText text);

/// Does such an object say at its top that the service is there and cannot answer now: {"status": 503}, {"code": 429}?
bool reports_busy(RawText text);

}  // namespace agent_audit::detectors
