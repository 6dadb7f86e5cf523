#include "cli/terminal/pager.hpp"

#include "cli/terminal/environment.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/print.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace agent_audit::cli {
namespace {

constexpr int kNotFound = 127, kNotRunnable = 126;  // the shell's words for a pager it could not start

bool on_path(const std::string& program) {
    const std::string path = environment("PATH");
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find(':', at), path.size());
        const std::string folder = path.substr(at, end - at);
        if (::access(((folder.empty() ? "." : folder) + "/" + program).c_str(), X_OK) == 0) return true;
        at = end + 1;
    }
    return false;
}

// While the pager has the terminal, its keys are for it: ^C there ends a search and not us.
class LeaveSignals {
public:
    LeaveSignals()
        : interrupt_(std::signal(SIGINT, SIG_IGN)),
          quit_(std::signal(SIGQUIT, SIG_IGN)),
          pipe_(std::signal(SIGPIPE, SIG_IGN)) {}
    ~LeaveSignals() {
        std::signal(SIGINT, interrupt_);
        std::signal(SIGQUIT, quit_);
        std::signal(SIGPIPE, pipe_);
    }
    LeaveSignals(const LeaveSignals&) = delete;
    LeaveSignals& operator=(const LeaveSignals&) = delete;

private:
    void (*interrupt_)(int);
    void (*quit_)(int);
    void (*pipe_)(int);
};

// False when the pager could not be started; nothing was shown then.
bool shown_by(const std::string& command, std::string_view text) {
    ::setenv("LESS", "FRX", 0);  // for PAGER=less: a text that fits the screen is simply written
    std::FILE* pager = ::popen(command.c_str(), "w");
    if (!pager) return false;
    const LeaveSignals leave;  // after the pager was started, so that it has the signals as we found them
    (void)write_all(::fileno(pager), text);
    const int status = ::pclose(pager);
    return !WIFEXITED(status) || (WEXITSTATUS(status) != kNotFound && WEXITSTATUS(status) != kNotRunnable);
}

}  // namespace

std::string pager_command() {
    const char* named = std::getenv("PAGER");
    if (named) return std::string_view(named) == "cat" ? "" : named;
    return on_path("less") ? "less -FRX" : on_path("more") ? "more" : "";
}

ExitStatus print_paged(std::string_view text, bool no_pager) {
    if (no_pager || ::isatty(STDOUT_FILENO) != 1 || environment("TERM") == "dumb") return print(text);
    const std::string command = pager_command();
    if (!command.empty() && shown_by(command, text)) return ExitStatus::clean;
    return print(text);
}

}  // namespace agent_audit::cli
