#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// Do two answers to one call that makes something say the same but for what it was named: {"id":"TCK-4410"} and
/// {"id":"TCK-4413"}, "Created event 3f2a…", …/issues/17 and …/issues/18? Times do not count. What is counted or
/// measured does: a balance, the number of rows. Raw texts, either escaped both or neither.
bool same_but_made_names(std::string_view a, std::string_view b);

/// A short answer with one mark for each name that it says was given to this call: {"reminder_id": "4f09c1d2"}, (offer
/// #417), "trace: 9ae01c…". As it is where there are none.
std::string without_made_names(std::string_view answer);

}  // namespace agent_audit::detectors
