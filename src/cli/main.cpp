#include "cli/commands/command.hpp"
#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"

#include <csignal>
#include <exception>
#include <new>

int main(int argc, char** argv) {
    using namespace agent_audit::cli;
    std::signal(SIGPIPE, SIG_DFL);  // some parents ignore it: we end quietly when the reader goes away
    occupy_standard_streams();
    try {
        return static_cast<int>(run({argv + (argc > 0 ? 1 : 0), argv + argc}));
    } catch (const std::bad_alloc&) {
        complain("out of memory");
    } catch (const std::exception& error) {
        complain(std::string("internal error: ") + error.what());
    }
    return static_cast<int>(ExitStatus::internal);
}
