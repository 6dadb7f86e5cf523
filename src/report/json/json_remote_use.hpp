#pragma once

#include "report/json/json_writer.hpp"

#include <agent_audit/model/judgement.hpp>

namespace agent_audit::report {

class Redactor;

/// The fields of one endpoint's use; the object is the caller's.
void write_remote_use(JsonWriter& json, const RemoteUse& use, Redactor& redact);

}  // namespace agent_audit::report
