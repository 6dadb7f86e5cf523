#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// What kinds of sentences a reset prompt looks for. All take one sentence as sentences() gives it.

/// Letters low, typographic apostrophes straight, and those that were left out put in: "dont" is "don't".
std::string folded(std::string_view sentence);

/// A person says how the work must or must not be done: "Never touch the schema.", "must be", "不要…". Not what the
/// person thinks, knows or is free not to do, no question, no pasted record.
bool is_constraint(std::string_view sentence);

/// The agent says that it chose something, in the first person.
bool is_decision(std::string_view sentence);

/// The agent puts something before the person: "If you want, I can …", "Use A instead of B".
bool is_proposal(std::string_view sentence);

/// The agent asks something that bears on the work, and not how it may help.
bool is_open_question(std::string_view sentence);

/// A reply that only asks in return: "what do others use?", not "yes, but why?" nor "by date, ok?".
bool asks_back(std::string_view reply);

/// The agent asks for leave to do what it has just spoken of, whatever that is: "Want me to fix this?" A yes to it is
/// spent as soon as that is done.
bool asks_leave(std::string_view question);

/// The last numbered or lettered list of a text, as "2. Pool" each; empty = there is none.
std::vector<std::string> options_in(std::string_view text);
/// Which of such options a short reply chooses: "2", "the first one", "option b, please"; empty = it says something
/// else.
std::vector<std::string> chosen_of(std::string_view reply, std::span<const std::string> options);

/// What the last sentences of a text ask, all of it: one of several questions is not what "yes" answers. Empty =
/// nothing.
std::string closing_questions(std::span<const std::string_view> sentences);

/// The agent says what it is about to do, and not what it would do if it were told to.
bool is_intention(std::string_view sentence);

/// The agent says that something is open, fails or is blocked.
bool is_unsolved(std::string_view sentence);

/// A message without what was pasted into it: records, logs, errors and differences, each up to the next empty line.
std::string without_pasted(std::string_view message);

/// The agent says that something is done.
bool is_report(std::string_view sentence);

}  // namespace agent_audit::advice
