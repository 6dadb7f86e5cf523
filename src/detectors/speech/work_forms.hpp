#pragma once

#include <string>
#include <string_view>

/// Sentences about commits, branches, packages and programs that state a rule in another form than an order, as the
/// order that they mean; empty = it is none of that form. `lower` = the sentence in lower case.
namespace agent_audit::detectors {

/// "I'll do the commits myself", "I push myself"
std::string done_myself(std::string_view sentence, std::string_view lower);
/// "Wait for my review before you commit", "ask me before pushing": not before the human has spoken again.
std::string only_when_asked(std::string_view sentence, std::string_view lower);
/// "no git stuff", "don't do any git operations": looking is not meant.
std::string nothing_of_git(std::string_view sentence, std::string_view lower);
/// "use npm not yarn"
std::string one_not_the_other(std::string_view sentence, std::string_view lower);
/// "stay on the current branch"
std::string on_this_branch(std::string_view sentence, std::string_view lower);
/// "no more pushes", "no pushing", "no git push", "no changes to Dockerfile", "no new deps", "no sudo".
std::string nothing_of(std::string_view sentence, std::string_view lower);
/// "please work without sudo", and "without pushing" as a sentence of its own.
std::string working_without(std::string_view sentence, std::string_view lower);

}  // namespace agent_audit::detectors
