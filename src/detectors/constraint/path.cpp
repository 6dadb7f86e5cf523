#include "detectors/all.hpp"
#include "detectors/constraint/call_rule.hpp"

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "constraint/path";

constexpr std::string_view kDoc = R"(## What it finds
A change of a file that `constraints.forbidden-paths` names, or that lies outside of `constraints.allowed-paths`: edits,
patches, and shell commands that remove, move, or write to a file.

## Why it matters
Secrets, lock files and generated code are not an agent's to change.

## Example
`agent-audit scan --set "constraints.forbidden-paths=.env,migrations/,*.lock" session.jsonl`

## What is not flagged
- nothing unless one of the two lists is set
- reading; edits that failed in the asking (refused, cancelled)
- of shell commands, what lies outside of `allowed-paths`: where they write cannot be told well enough
- what a program does that a command starts

An entry is a file, a directory or a pattern with `*`. It matches at the end of a path, at a slash.

## What to do
Undo the change; make the file read-only where the agent runs.

## When it is wrong
The list is too strict. Change it, or `--ignore constraint/path`.
)";

class PathRule final : public CallRule {
public:
    using CallRule::CallRule;
    static bool wanted(const RunConstraints& a) { return !a.allowed_paths.empty() || !a.forbidden_paths.empty(); }

private:
    bool breaks(const CallTarget& call, Breach& breach) const override {
        const bool changes = call.tool_class == ToolClass::mutate;
        for (const std::string& entry : allowed_.forbidden_paths) {
            for (const std::string& path : call.paths) {
                if (changes && path_matches(path, entry)) return tell(path, entry, breach);
            }
            if (!call.command.empty() && changes_path(call.command, entry)) return tell(call.command, entry, breach);
        }
        if (!changes || allowed_.allowed_paths.empty()) return false;
        for (const std::string& path : call.paths) {
            const bool fine = std::ranges::any_of(allowed_.allowed_paths,
                                                  [&](const std::string& entry) { return path_matches(path, entry); });
            if (!fine) return tell(path, {}, breach);
        }
        return false;
    }

    static bool tell(const std::string& subject, const std::string& entry, Breach& breach) {
        breach.subject = subject;
        breach.entry = entry;
        return true;
    }

    DetectorSpec spec() const override { return constraint_path(); }
    std::string_view key(bool forbidden) const override { return forbidden ? "forbidden-paths" : "allowed-paths"; }
};

}  // namespace

DetectorSpec constraint_path() {
    return call_rule<PathRule>(kId, "AA803", "a file is changed that [constraints] rules out", kDoc);
}

}  // namespace agent_audit::detectors
