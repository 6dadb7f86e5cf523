#include "detectors/outcomes/refusal.hpp"

#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

// All in lower case. Rules whose words name the user who set them.
constexpr std::array<std::string_view, 6> kRulesOfUser{
    "approval settings",        // Codex, where the policy rejects what a person would be asked about
    "rule which prevents you",  // opencode
    "could not request",        // Copilot CLI: a permission, from the user
    "by-rule",                  // Copilot CLI: denied-by-rules
    "pretooluse",               // Claude Code, Codex: a hook, in words of its own
    "tool execution blocked",   // Gemini CLI: the same
};

// What is told of a person, who may give any reason behind it.
constexpr std::array<std::string_view, 19> kByPerson{
    "user doesn't", "user does not",  "user didn't",  "user did not",      "user rejected",
    "user denied",  "user declined",  "user refused", "user has ",         "user chose",
    "user cancel",  "interrupted by", "by the user",  "by user",           "by human",
    "by a human",   "by the human",   "by operator",  "rejection message",
};

// What agents answer in place of a person.
constexpr std::array<std::string_view, 25> kByRule{
    "policy",
    "requires approval",  // Claude Code, of a part of a command, where nobody can be asked
    " rule",
    "hook",
    "plugin",
    "administrator",
    "askforapproval",       // Codex
    "are not permitted",    // Codex, of commands that no policy lets through
    "haven't granted it",   // Claude Code, where nobody can be asked
    "don't ask mode",       // Claude Code
    "permission settings",  // Claude Code
    "permission for this",  // Claude Code's automatic mode
    "auto mode is un",      // the same, where it is not to be had
    "needs approval",       // Claude Code, of what a command writes, where nobody can be asked
    "while in plan mode",   // Claude Code
    "unable to request",
    "no one to ask",
    "nobody to ask",
    "no approval mechanism",
    "non-interactive",
    "noninteractive",
    "headless",
    "unattended",
    "auto-denied",
    "automatically",
};

// How a refusal opens, and what it is about: the call.
constexpr std::array<std::string_view, 17> kRefuses{
    "user rejected",     "user denied",          "user declined",        "user refused",       "user has rejected",
    "user has denied",   "user has declined",    "user doesn't want",    "user does not want", "user didn't want",
    "user did not want", "user chose not to",    "rejected by the user", "rejected by user",   "denied by the user",
    "denied by user",    "declined by the user",
};
constexpr std::array<std::string_view, 11> kOfCall{"tool",      "command",  "permission", "to proceed",
                                                   "operation", "execut",   "this call",  "this action",
                                                   "this edit", "the edit", "the change"};

// "Permission to use Bash with command git push has been denied."
bool is_forbidden_use(std::string_view said) {
    const auto at = said.find("permission to use ");
    if (at == said.npos) return false;
    return said.find(" has been denied", at) != said.npos || said.find(" was denied", at) != said.npos;
}

}  // namespace

Refusal refusal_of(std::string_view said) {
    constexpr std::size_t kBeginning = 600;  // bytes: further down agents are told what to do instead
    const std::string text = lowered(said.substr(0, kBeginning));
    if (contains_any(text, kRulesOfUser)) return Refusal::by_rule;
    if (contains_any(text, kByPerson)) return Refusal::by_person;
    return contains_any(text, kByRule) || is_forbidden_use(text) ? Refusal::by_rule : Refusal::by_person;
}

Refusal refusal_of(const ToolResult& result) {
    if (result.refused_by == Refuser::unknown) return refusal_of(result.text.bytes);
    return result.refused_by == Refuser::rule ? Refusal::by_rule : Refusal::by_person;
}

bool refuses_call(RawText said) {
    constexpr std::size_t kLongest = 1000, kOpening = 160, kInFront = 40;  // bytes
    if (said.size() > kLongest) return false;
    const std::string_view opening = said.bytes.substr(0, kOpening);
    constexpr std::string_view kSigns[] = {"user", "User", "ermission to use "};
    if (!contains_any(opening, kSigns)) return false;
    const std::string text = lowered(opening);
    if (text.starts_with("permission to use ") && is_forbidden_use(text)) return true;
    const std::size_t line = std::min(text.find('\n'), text.find("\\n"));
    const auto opens = [&](std::string_view words) { return text.find(words) < std::min(kInFront, line); };
    return std::ranges::any_of(kRefuses, opens) && contains_any(text, kOfCall);
}

}  // namespace agent_audit::detectors
