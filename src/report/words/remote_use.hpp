#pragma once

#include <agent_audit/model/judgement.hpp>

#include <string>

namespace agent_audit::report {

class Redactor;

/// The use of one endpoint as a sentence for people, without its subject: "4 questions to MODEL at URL, 1 answered from
/// the cache".
std::string remote_use_words(const RemoteUse& use, Redactor& redact);

}  // namespace agent_audit::report
