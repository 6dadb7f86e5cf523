#include "support/places.hpp"
#include "support/slurp.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using agent_audit::test::slurp;

std::string output_of(const std::string& command) {
    std::string out;
    FILE* pipe = popen(command.c_str(), "r");
    REQUIRE(pipe);
    for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    pclose(pipe);
    return out;
}

// What a person would see in a pipe 80 columns wide: both streams, then the exit code.
std::string transcript(const fs::path& folder) {
    std::ifstream file(folder / "args");
    std::string args;  // first line only: the rest may explain the case
    std::getline(file, args);
    return output_of(
        "unset GITHUB_ACTIONS GITHUB_WORKSPACE CI_PROJECT_DIR BUILD_SOURCESDIRECTORY BITBUCKET_CLONE_DIR TF_BUILD "
        "TEAMCITY_VERSION NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR; export LC_ALL=C.UTF-8 COLUMNS=80; cd '" +
        folder.string() + "' && '" + agent_audit::test::program_file() + "' " + args + " 2>&1; echo \"[exit $?]\"");
}

std::vector<fs::path> cases() {
    std::vector<fs::path> folders;
    for (const auto& entry :
         fs::directory_iterator(fs::path(agent_audit::test::project_folder()) / "testdata/golden")) {
        if (fs::exists(entry.path() / "args")) folders.push_back(entry.path());
    }
    std::ranges::sort(folders);
    return folders;
}

}  // namespace

TEST_CASE("golden: the whole program, as seen from outside") {
    const bool bless = std::getenv("AGENT_AUDIT_BLESS") != nullptr;
    const std::vector<fs::path> folders = cases();
    REQUIRE(folders.size() >= 10);
    for (const fs::path& folder : folders) {
        const std::string name = folder.filename().string();
        CAPTURE(name);
        const std::string seen = transcript(folder);
        if (bless) std::ofstream(folder / "expected.txt", std::ios::binary) << seen;
        CHECK(seen == slurp(folder / "expected.txt"));
    }
}
