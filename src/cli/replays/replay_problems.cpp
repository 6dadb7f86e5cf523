#include "cli/replays/replay_problems.hpp"

#include "cli/terminal/terminal.hpp"
#include "report/escape/sanitize.hpp"
#include "report/redaction/redact.hpp"
#include "report/words/human.hpp"
#include "report/words/input_problem.hpp"
#include "report/words/lost_records.hpp"

#include <algorithm>
#include <vector>

namespace agent_audit::cli {
namespace {

// True when that is worth exit code 3.
bool complain_of_lost(const report::LostRecords& lost, InputManners manners) {
    if (!lost.any()) return false;
    complain(report::visible(
        lost.words(manners.strict ? ", and --strict-input was given" : "; the replay is without them")));
    for (const std::string& line : manners.verbose ? lost.list() : std::vector<std::string>()) hint(line);
    return manners.strict;
}

// Where all that was read is left out, it was recognised.
void complain_of_nothing(const PolicyReplay& replay, report::Redactor& redactor) {
    std::uint64_t left_out = 0;
    std::vector<std::string> names;
    for (const ReplayedInput& input : replay.inputs) {
        left_out += input.housekeeping;
        names.push_back(redactor.input(input.path));
    }
    if (left_out == 0) return complain(report::no_session_words(names, replay.skipped_inputs));
    complain("nothing was replayed: " + report::count_of(left_out, "conversation") +
             " of the client's own housekeeping (a summary, a suggestion) " + (left_out == 1 ? "is" : "are") +
             " left out, which a scan reads");
}

// What went wrong with the inputs, on standard error. True when it is worth exit code 3.
bool report_problems(const PolicyReplay& replay, report::Redactor& redactor, InputManners manners) {
    bool trouble = !replay.problems.empty();
    for (const std::string& problem : replay.problems) complain(redactor.input(problem));
    report::LostRecords lost;
    for (const ReplayedInput& input : replay.inputs) {
        const std::string name = redactor.input(input.path);
        lost.add(name, input.lost_records + (manners.strict ? input.unfinished_records : 0), input.bad,
                 input.counts_records);
        if (input.problem.empty()) continue;
        trouble = true;
        complain(report::input_problem(name, redactor.text(input.problem)));
    }
    const bool refused = complain_of_lost(lost, manners);
    if (replay.sessions.empty() && !trouble) complain_of_nothing(replay, redactor);
    return trouble || refused || replay.sessions.empty();
}

}  // namespace

ExitStatus judge(const ReplayOutcome& outcome, const std::string& input, InputManners manners, ExitStatus status) {
    if (!outcome.problem.empty()) complain(report::input_problem(input, outcome.problem));
    report::LostRecords lost;
    lost.add(input, outcome.lost_records + (manners.strict ? outcome.unfinished_records : 0), outcome.bad,
             outcome.counts_records);
    const bool refused = complain_of_lost(lost, manners);
    if (status != ExitStatus::clean) return status;
    if (outcome.sessions.empty() && outcome.problem.empty()) complain(report::no_session_words({&input, 1}, 0));
    return outcome.sessions.empty() || !outcome.problem.empty() || refused ? ExitStatus::input : ExitStatus::clean;
}

ExitStatus judge(const PolicyReplay& replay, Redact redact, InputManners manners, bool runs_may_fail) {
    report::Redactor redactor(redact);
    const bool input_problem = report_problems(replay, redactor, manners);
    const auto failed = [](const ReplayedSession& session) {
        return std::ranges::any_of(session.runs, &SupervisedRun::failed);
    };
    const bool found = runs_may_fail && std::ranges::any_of(replay.sessions, failed);
    if (found && !(input_problem && manners.strict)) return ExitStatus::findings;
    return input_problem ? ExitStatus::input : ExitStatus::clean;
}

}  // namespace agent_audit::cli
