#include "cli/arguments/offers.hpp"
#include "cli/commands/command.hpp"
#include "cli/pages/man_page.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"

#include <agent_audit/support/suggest.hpp>

#include <algorithm>
#include <filesystem>
#include <string>

namespace agent_audit::cli {
namespace {

constexpr FlagSpec kFlags[] = {
    {"--out", "DIR", "write all pages there, one file each, instead of one to standard output", false, kOfferFolder},
};

constexpr Example kExamples[] = {
    {"agent-audit man | man -l -", "read the manual of a program that is not installed"},
    {"agent-audit man replay | man -l -", "that of one command"},
    {"agent-audit man --out ~/.local/share/man/man1", "install all of them for yourself"},
};

std::optional<Error> write_page(const std::filesystem::path& file, const std::string& text) {
    Result<Output> out = Output::to_file(file.string());
    if (!out) return out.error();
    out.value().write(text);
    return out.value().finish();
}

ExitStatus write_pages(const std::filesystem::path& folder) {
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    std::optional<Error> problem = write_page(folder / "agent-audit.1", program_man_page());
    for (const CommandSpec& command : all_commands()) {
        if (command.hidden || problem) continue;
        problem = write_page(folder / ("agent-audit-" + std::string(command.name) + ".1"), command_man_page(command));
    }
    if (!problem) return ExitStatus::clean;
    complain(problem->message);
    return ExitStatus::internal;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.operands.size() > 1) return usage_error(self, "man takes one command");
    if (!arguments.flags[0].empty()) {
        if (!arguments.operands.empty())
            return usage_error(self, "--out writes all pages; which command does not matter");
        return write_pages(arguments.flags[0].back().text);
    }
    if (arguments.operands.empty()) return print(program_man_page());
    const std::string& word = arguments.operands[0];
    for (const CommandSpec& command : all_commands()) {
        if (!command.hidden && command.name == word) return print(command_man_page(command));
    }
    const std::string_view near = nearest(word, command_words());
    return usage_error(self,
                       "no command '" + word + "'" + (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
}

}  // namespace

CommandSpec man_command() {
    return {"man",
            "[COMMAND]",
            "print the manual page of the program or of a command",
            "The page is written for man(1), from the same tables as the help. A package installs the pages, so this "
            "is for programs that were put in place by hand.",
            kExamples,
            kFlags,
            run,
            false,
            offer_word(command_words),
            Offer{}};
}

}  // namespace agent_audit::cli
