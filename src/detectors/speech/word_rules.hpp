#pragma once

#include "detectors/speech/stated_rules.hpp"

#include <string_view>
#include <vector>

// Rules that no name of a tool tells of: what is done with one thing may not be done with another. Their target is what
// a step does that breaks one, in words, and Constraint::onto what its arguments are asked for. They hold until the
// person speaks again.

namespace agent_audit::detectors {

/// What Constraint::onto of such a rule begins with; behind it stands the person, in lower case, or the thing.
inline constexpr std::string_view kOntoSql = "sql", kOntoPerson = "to ", kOntoOnly = "only ", kOntoNobodyBut = "but ";

/// "change any data", "write to the database": SQL that does so, by a tool. A clause of a prohibition, in lower case.
void forbid_data_changes(std::string_view clause, std::vector<Constraint>& rules);

/// "send it to Rosa Tran": letters and messages to her. As said.
void forbid_recipient(std::string_view clause, std::vector<Constraint>& rules);

/// "AC-1204" behind "only touch ": changes of AC-1377. As said.
void allow_only_thing(std::string_view clause, std::vector<Constraint>& rules);

/// "Only this contact, nothing else" behind "Correct the street of Rosa Tran": changes of anybody else. As said.
void allow_only_person(std::string_view sentence, std::string_view before, std::vector<Constraint>& rules);

/// Are there such rules? Then the arguments of calls are asked for words.
bool asks_for_words(const std::vector<Constraint>& rules);

}  // namespace agent_audit::detectors
