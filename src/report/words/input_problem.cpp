#include "report/words/input_problem.hpp"

#include "report/words/human.hpp"

#include <fmt/format.h>

namespace agent_audit::report {
namespace {

std::string_view shown(std::string_view name) { return name == "-" ? "standard input" : name; }

}  // namespace

std::string input_problem(std::string_view name, std::string_view why) {
    constexpr std::string_view kCannotOpen = "cannot open: ";
    if (name == "-" || !why.starts_with(kCannotOpen)) return fmt::format("{}: {}", shown(name), why);
    return fmt::format("cannot open '{}': {}", name, why.substr(kCannotOpen.size()));
}

std::string no_session_words(std::span<const std::string> inputs, std::uint64_t skipped) {
    const std::uint64_t files = inputs.size() + skipped;
    if (files == 0) return "no session was recognised in the input";
    const std::string where =
        inputs.size() == 1 && files == 1 ? std::string(shown(inputs.front())) : count_of(files, "file");
    return fmt::format("no session was recognised in {}{}", where,
                       skipped > 0 ? " (agent-audit formats lists what can be read; --input-format forces one)" : "");
}

}  // namespace agent_audit::report
