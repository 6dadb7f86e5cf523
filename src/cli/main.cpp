#include "cli/commands/command.hpp"
#include "cli/output.hpp"
#include "cli/terminal.hpp"

#include <csignal>
#include <exception>
#include <new>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace {

// A replay lets go of a hundred thousand messages, and glibc keeps small pieces apart only to join them all again
// whenever a large one comes free: 7 % of its time.
void prepare_heap() {
#if defined(__GLIBC__)
    mallopt(M_MXFAST, 0);
#endif
}

}  // namespace

int main(int argc, char** argv) {
    using namespace agent_audit::cli;
    prepare_heap();
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
