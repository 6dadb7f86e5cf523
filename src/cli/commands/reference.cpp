#include "cli/commands/command.hpp"
#include "cli/pages/reference_pages.hpp"
#include "cli/terminal/terminal.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace agent_audit::cli {
namespace {

namespace fs = std::filesystem;

constexpr FlagSpec kFlags[] = {
    {"--out", "DIR", "where docs/reference is", false, kOfferFolder},
    {"--check", "", "write nothing; exit 1 when a page differs from what the program would write", false},
};

constexpr Example kExamples[] = {
    {"agent-audit reference --out docs/reference", "rewrite the reference pages"},
    {"agent-audit reference --out docs/reference --check", "in CI: are they up to date?"},
};

std::string slurp(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

ExitStatus check(const fs::path& dir, const ReferencePages& pages) {
    ExitStatus status = ExitStatus::clean;
    for (const auto& [file, text] : pages) {
        if (slurp(dir / file) == text) continue;
        complain((dir / file).string() + " is not what the program would write");
        status = ExitStatus::findings;
    }
    return status;
}

ExitStatus write(const fs::path& dir, const ReferencePages& pages) {
    for (const auto& [file, text] : pages) {
        const fs::path path = dir / file;
        std::error_code ignored;
        fs::create_directories(path.parent_path(), ignored);
        std::ofstream out(path, std::ios::binary);
        out << text;
        out.close();
        if (out) continue;
        complain("cannot write " + path.string());
        return ExitStatus::internal;
    }
    return ExitStatus::clean;
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.flags[0].empty()) return usage_error(self, "reference needs --out DIR");
    const fs::path dir = arguments.flags[0].back().text;
    return arguments.flags[1].empty() ? write(dir, reference_pages()) : check(dir, reference_pages());
}

}  // namespace

CommandSpec reference_command() {
    return {"reference",
            "",
            "write the reference pages",
            "Writes docs/reference from the program's own tables.",
            kExamples,
            kFlags,
            run,
            true,
            Offer{},
            Offer{}};
}

}  // namespace agent_audit::cli
