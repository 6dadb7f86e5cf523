#pragma once

#include "support/places.hpp"
#include "support/slurp.hpp"

#include <doctest/doctest.h>

#include <pty.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

// The program as a person has it: in a folder of its own, behind a shell.

namespace agent_audit::test {

inline bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

inline bool has_program(const std::string& name) {
    return std::system(("command -v " + name + " >/dev/null 2>&1").c_str()) == 0;
}

struct Finished {
    int status = -1;
    std::string out;
    std::string err;
};

/// A folder with the sessions of some golden cases, gone afterwards. HOME is in it, so nothing of the machine is seen.
class Scratch {
public:
    Scratch() {
        std::string name = (std::filesystem::temp_directory_path() / "agent-audit-test-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        folder_ = name;
        std::filesystem::create_directory(folder_ / "home");
        for (const char* session : {"clean", "exact-repeat", "malformed-line"}) {
            std::filesystem::copy_file(
                std::filesystem::path(project_folder()) / "testdata/golden" / session / "session.jsonl",
                folder_ / (std::string(session) + ".jsonl"));
        }
    }
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    /// Lines of bash in which `aa` is the program; `source_dir` is ours.
    Finished run(const std::string& lines) const {
        const std::filesystem::path script = script_of(lines);
        const std::string command = "bash '" + script.string() + "' >'" + (folder_ / ".out").string() + "' 2>'" +
                                    (folder_ / ".err").string() + "' </dev/null";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder_ / ".out"), slurp(folder_ / ".err")};
    }

    /// The same at a terminal: all three streams are one. `out` is what the terminal got, with \n for \r\n.
    Finished run_at_terminal(const std::string& lines, unsigned short columns = 80) const {
        const std::filesystem::path script = script_of("export TERM=xterm\n" + lines);
        const winsize size{24, columns, 0, 0};
        int fd = -1;
        const pid_t child = ::forkpty(&fd, nullptr, nullptr, &size);
        REQUIRE(child >= 0);
        if (child == 0) {
            ::execlp("bash", "bash", script.c_str(), static_cast<char*>(nullptr));
            ::_exit(127);
        }
        Finished outcome;
        char buffer[4096];
        for (ssize_t n = 0; (n = ::read(fd, buffer, sizeof buffer)) > 0;)
            outcome.out.append(buffer, static_cast<std::size_t>(n));
        int status = 0;
        ::waitpid(child, &status, 0);
        ::close(fd);
        outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        for (std::size_t at = 0; (at = outcome.out.find("\r\n", at)) != std::string::npos; ++at)
            outcome.out.erase(at, 1);
        return outcome;
    }
    int status(const std::string& lines) const { return run(lines).status; }
    std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }

private:
    std::filesystem::path script_of(const std::string& lines) const {
        const std::filesystem::path script = folder_ / ".script";
        std::ofstream(script)
            << "unset GITHUB_ACTIONS GITHUB_WORKSPACE CI_PROJECT_DIR BUILD_SOURCESDIRECTORY BITBUCKET_CLONE_DIR "
               "TF_BUILD TEAMCITY_VERSION NO_COLOR CLICOLOR CLICOLOR_FORCE FORCE_COLOR TERM COLUMNS PAGER MANPAGER\n"
            << "unset XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_DATA_HOME CLAUDE_CONFIG_DIR CODEX_HOME "
               "PI_CODING_AGENT_DIR OPENCLAW_STATE_DIR\nexport "
               "LC_ALL=C.UTF-8 HOME='"
            << (folder_ / "home").string() << "'\nset -o pipefail\nprogram='" << program_file()
            << "'\naa() { \"$program\" \"$@\"; }\nsource_dir='" << project_folder() << "'\ncd '" << folder_.string()
            << "'\n"
            << lines << "\n";
        return script;
    }

    std::filesystem::path folder_;
};

}  // namespace agent_audit::test
