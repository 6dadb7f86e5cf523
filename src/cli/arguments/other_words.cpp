#include "cli/arguments/other_words.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace agent_audit::cli {
namespace {

struct OtherFlag {
    std::string_view word;
    std::string_view flag;  // ours, without which there is nothing to be typed
    std::string_view typed;
};

constexpr OtherFlag kFlags[] = {
    {"--csv", "--format", "-f csv"},
    {"--days", "--since", "--since 7d"},
    {"--debug", "--verbose", "--verbose"},
    {"--disable", "--ignore", "--ignore"},
    {"--enable", "--select", "--select"},
    {"--exit-code", "--fail-on", "--fail-on"},
    {"--fail-on", "--timeline", "fail-on in a file for --policy"},  // of replay: policies say what fails
    {"--format", "--to", "--to"},
    {"--html", "--format", "-f html"},
    {"--json", "--format", "-f json"},
    {"--junit", "--format", "-f junit"},
    {"--ignore-pattern", "--exclude", "--exclude"},
    {"--last", "--latest", "--latest"},
    {"--markdown", "--format", "-f markdown"},
    {"--max-warnings", "--fail-on", "--fail-on warning"},
    {"--ndjson", "--format", "-f ndjson"},
    {"--no-color", "--color", "--color never"},
    {"--no-colour", "--color", "--color never"},
    {"--only", "--select", "--select"},
    {"--output-format", "--format", "--format"},
    {"--report-format", "--format", "--format"},
    {"--reporter", "--format", "--format"},
    {"--sarif", "--format", "-f sarif"},
    {"--severity", "--min-severity", "--min-severity"},
    {"--silent", "--quiet", "--quiet"},
    {"--skip", "--ignore", "--ignore"},
    {"--threads", "--jobs", "--jobs"},
    {"--workers", "--jobs", "--jobs"},
    {"-f", "--to", "--to"},
};

struct OtherCommand {
    std::string_view word, typed;
};

constexpr OtherCommand kCommands[] = {
    {"analyse", "scan"},      {"analyze", "scan"},   {"audit", "scan"},        {"check", "scan"},
    {"compare", "diff"},      {"export", "convert"}, {"follow", "watch"},      {"lint", "scan"},
    {"list", "discover"},     {"ls", "discover"},    {"merge", "report"},      {"run", "scan"},
    {"sessions", "discover"}, {"tail", "watch"},     {"version", "--version"},
};

// Whether the flag takes the value that is typed with it ("-f csv"). Flags that name no values take any.
bool takes(const FlagSpec& flag, std::string_view typed) {
    constexpr std::string_view kFormat = "-f ";
    const std::vector<std::string_view> words = flag.offer.words();
    return !typed.starts_with(kFormat) || words.empty() ||
           std::ranges::find(words, typed.substr(kFormat.size())) != words.end();
}

}  // namespace

std::string_view instead_of_flag(std::string_view word, std::span<const FlagSpec> flags) {
    const auto* const other = std::ranges::find(kFlags, word, &OtherFlag::word);
    if (other == std::end(kFlags)) return {};
    const auto ours = std::ranges::find(flags, other->flag, &FlagSpec::long_name);
    if (ours == flags.end()) return {};
    return takes(*ours, other->typed) ? other->typed : other->flag;
}

std::string_view instead_of_command(std::string_view word) {
    const auto* const other = std::ranges::find(kCommands, word, &OtherCommand::word);
    return other == std::end(kCommands) ? std::string_view() : other->typed;
}

}  // namespace agent_audit::cli
