#include "support/places.hpp"
#include "support/slurp.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

// Every ```console block of the README, the tutorial and the how-to pages is run, and must show what the program
// prints. AGENT_AUDIT_BLESS=1 rewrites the blocks.

namespace {

namespace fs = std::filesystem;
using agent_audit::test::slurp;

constexpr std::string_view kOpen = "```console\n", kClose = "\n```";

std::string output_of(const std::string& command) {
    std::string out;
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    pclose(pipe);
    return out;
}

std::string shell_word(std::string_view text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// An empty folder in which `testdata` is ours and `agent-audit` is the program.
class Desk {
public:
    Desk() {
        std::string name = (fs::temp_directory_path() / "agent-audit-docs-XXXXXX").string();
        REQUIRE(::mkdtemp(name.data()));
        path_ = name;
        fs::create_directory_symlink(fs::path(agent_audit::test::project_folder()) / "testdata", path_ / "testdata");
    }
    ~Desk() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Desk(const Desk&) = delete;
    Desk& operator=(const Desk&) = delete;

    /// What a person sees who types the commands of a block one after the other into an 80-column pipe.
    std::string transcript(std::string_view block) const {
        std::string script =
            "unset GITHUB_ACTIONS GITHUB_WORKSPACE CI_PROJECT_DIR BUILD_SOURCESDIRECTORY BITBUCKET_CLONE_DIR TF_BUILD "
            "TEAMCITY_VERSION NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR; exec 2>&1 </dev/null\n"
            "unset CLAUDE_CONFIG_DIR CODEX_HOME XDG_DATA_HOME XDG_CONFIG_HOME APPDATA\n"
            "export LC_ALL=C.UTF-8 COLUMNS=80 PATH=" +
            shell_word(fs::path(agent_audit::test::program_file()).parent_path().string()) + ":$PATH\ncd " +
            shell_word(path_.string()) + "\nstatus=0\n";
        for (std::size_t at = 0; at < block.size();) {
            const std::string_view line = block.substr(at, block.find('\n', at) - at);
            at += line.size() + 1;
            if (!line.starts_with("$ ")) continue;
            // $? must be that of the command before, not of the line that shows this one.
            script += "printf '%s\\n' " + shell_word(line) + "\n(exit $status)\n" + std::string(line.substr(2)) +
                      "\nstatus=$?\n";
        }
        std::string seen = output_of("sh -c " + shell_word(script));
        while (seen.ends_with('\n')) seen.pop_back();
        return seen;
    }

private:
    fs::path path_;
};

std::vector<fs::path> pages() {
    const fs::path root = agent_audit::test::project_folder();
    std::vector<fs::path> found{root / "README.md"};
    for (const char* folder : {"docs/tutorial", "docs/how-to"}) {
        for (const auto& entry : fs::directory_iterator(root / folder)) {
            if (entry.path().extension() == ".md") found.push_back(entry.path());
        }
    }
    std::ranges::sort(found);
    return found;
}

}  // namespace

TEST_CASE("every run shown in the documentation is what the program prints") {
    const bool bless = std::getenv("AGENT_AUDIT_BLESS") != nullptr;
    int runs = 0;
    for (const fs::path& page : pages()) {
        const std::string name = page.filename().string();
        CAPTURE(name);
        std::string text = slurp(page);
        const std::string before = text;
        for (std::size_t at = 0; (at = text.find(kOpen, at)) != text.npos; ++runs) {
            at += kOpen.size();
            REQUIRE(text.find(kClose, at) != text.npos);
            const std::size_t size = text.find(kClose, at) - at;
            const std::string shown = text.substr(at, size);
            const std::string seen = Desk{}.transcript(shown);
            if (bless) {
                text.replace(at, size, seen);
            } else {
                CHECK(shown == seen);
            }
            at += bless ? seen.size() : size;
        }
        if (bless && text != before) std::ofstream(page, std::ios::binary) << text;
    }
    CHECK(runs >= 5);
}
