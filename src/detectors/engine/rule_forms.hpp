#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// A sentence of the forms below has one of these, or one of the words of a plain prohibition ("never "). Few, and of
/// letters that are rare together: most texts are settled by them at once.
inline constexpr std::string_view kRuleMarks[] = {"limits",   "unchanged", "untouched", "allowed",    "forbidden", "prohibited", "avoid ",   "refrain ",  "pushing", "mmitting",  "ploying",
                                                  "talling ", "nothing ",  ", not ",    "instead of", "no commit", "no push",    "no force", "no new ",   "no edits", "no changes", "never** ", "not** ", "no code ch",
                                                  " intact",  "as is",     "as it is",  "as they are", "不变",    "别改",       "别动",    "别碰",      "别删",
                                                  "no more ", "no further ", "no git ", "no sudo", "no npm", "no deps", "no docker", "no deploy", "no merging", "no rebas", "without sudo", "out adding ", "out creating ",
                                                  "out deleting ", "without docker", "read-only for you", "unmodified", "rather than ", "on this branch", "current branch", "read-only", "read only", "readonly", "frozen", " only", "only ",
                                                  "out of scope:", "allowed files:", "files:", "no web", "no code changes", "subagents", "sub-agents", "implement", "outside ",
                                                  "before you", "before commit", "before push", "before merg", "before deploy", "before delet", "before install", "before chang", "before edit", "before touch", "before runn", " myself", "git operations", "git commands", "git stuff", "git actions",
                                                  " not npm", " not yarn", " not pnpm", " not pip", " not bun", " not docker", "but me", "except me", "only i ", "mine to ", "my job", " to me", "hold off on ",
                                                  "do not:", "don't:", "don’t:", "dont:", "do not\n", "don't\n", "don’t\n", "don'ts", "don’ts", "donts", "must not:", "not to do", "never:", "avoid:",
                                                  "hands off", "no modifications", "is not ok", "not an option", "no-go", "read-only:", "nothing else", "everything else", "stop using", "stop running", "take care of ", "other files", "taboo", "sacred", "untouchable", "no fixes", "no code yet", "code changed", "code touched", "files changed",
                                                  "anything ", "whatever you", "everything may", "handle "};

/// The rule of a sentence that has another form than an order, as the order that it means: "src/api is off limits" is
/// "do not change src/api", "`make deploy` must never be run" is "do not run `make deploy`", "avoid git push" and "use
/// pnpm, not npm" are "do not use …", "change a.py and nothing else" is "only change a.py". `before` is the sentence
/// before it, which says what "never edit it" is about. Empty = none of these forms.
std::string plain_rule(std::string_view sentence, std::string_view before);

/// "Don't change anything else" behind the one sentence that says what to change: "only change …", with what that names. Empty =
/// it is none, or no file was named.
std::string nothing_beside(std::string_view sentence, std::string_view before);

/// What is said of files that cannot be written ("it fails: a.yml is read-only") is a fault to be mended where the rest of the
/// message speaks of such faults.
bool tells_of_file_modes(std::string_view sentence, std::string_view text);

/// "using docker" as "use docker"; empty when it begins with no gerund.
std::string as_order(std::string_view words);

}  // namespace agent_audit::detectors
