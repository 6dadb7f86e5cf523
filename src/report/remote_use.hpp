#pragma once

#include "report/json_writer.hpp"

#include <agent_audit/model/judgement.hpp>

#include <string>

namespace agent_audit::report {

class Redactor;

/// The fields of one endpoint's use; the object is the caller's.
void write_remote_use(JsonWriter& json, const RemoteUse& use, Redactor& redact);
/// The same as a sentence for people, without its subject: "4 questions to MODEL at URL, 1 answered from the cache".
std::string remote_use_words(const RemoteUse& use, Redactor& redact);

}  // namespace agent_audit::report
