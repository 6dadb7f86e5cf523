#include "cli/terminal/print.hpp"

#include "cli/terminal/output.hpp"
#include "cli/terminal/terminal.hpp"

namespace agent_audit::cli {

ExitStatus print(std::string_view text, Printed what) {
    Output out = Output::to_stdout();
    out.write(harmless_for_ci(text, what == Printed::document));
    const auto problem = out.finish();
    if (!problem) return ExitStatus::clean;
    if (out.broken_pipe()) return ExitStatus::broken_pipe;
    complain(problem->message);
    return ExitStatus::internal;
}

}  // namespace agent_audit::cli
