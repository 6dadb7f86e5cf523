#pragma once

#include <agent_audit/model/text.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// What a person answered to a question that the agent asked with a tool. Texts on one line, cut.
struct PersonsAnswer {
    std::string question;  ///< empty = the call does not say it
    std::string answer;
};

/// Whether a tool puts a plan before the person: exit_plan_mode, …
bool offers_plan(std::string_view tool);

/// The questions in the arguments of such a call.
std::vector<std::string> questions_of(RawText arguments);

/// What its result says the person answered, in the forms of the agents: "Q"="A", {"answers":{…}}, <answer>…</answer>,
/// "User selected: …", or words alone.
std::vector<PersonsAnswer> answers_of(RawText arguments, std::string_view result);

/// The person's own words in the result of a call that was turned down; empty = there are none.
std::string words_of_refusal(std::string_view result);

/// The title or first line of a plan.
std::string plan_title(RawText arguments);
/// The same of its text.
std::string plan_title(std::string_view plan);

}  // namespace agent_audit::advice
