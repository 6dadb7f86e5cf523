#include "advice/session_memory_impl.hpp"

#include "advice/calls/commands.hpp"
#include "advice/calls/file_names.hpp"
#include "advice/calls/work_files.hpp"
#include "advice/words/text.hpp"
#include "detectors/outcomes/exit_code.hpp"

#include <algorithm>

namespace agent_audit::advice {
namespace {

const std::string kUnnamedFile = "(a file that the call does not name)";

}  // namespace

// The code of a mixed command is another's, whatever it is: there the output must tell.
CheckEnd SessionMemory::Impl::end_of(const CheckPart& check, const ToolResult& result, bool ok) const {
    if (check.kind != CheckCommand::mixed)
        return ok && !detectors::says_failure(result.text) ? CheckEnd::passed : CheckEnd::failed;
    const CheckEnd told = end_told(words(result.text));
    if (!ok) return told;
    if (detectors::check_failed(result.text)) return CheckEnd::failed;
    return told == CheckEnd::passed ? told : CheckEnd::unclear;
}

Outcome SessionMemory::Impl::checked(const EventHeader& head, const OpenCall& call, const ToolResult& result,
                                     Outcome outcome, std::string& second) {
    using Kind = Outcome::Kind;
    if (outcome.kind != Kind::ok && outcome.kind != Kind::failed) return outcome;
    const CheckPart& check = call.facts.check;
    const CheckEnd end = end_of(check, result, outcome.kind == Kind::ok);
    const CheckRun run{check.words, end, head.where.line, head.turn, check.directory};
    state.last_check = run;
    second = second_name(check.words, words(result.text, 16u << 10));
    failures.check_ended(run, second);
    if (end == CheckEnd::unclear) return {Kind::unclear, ErrorClass::none};
    if (end == CheckEnd::failed)
        return {Kind::failed, outcome.kind == Kind::failed ? outcome.error : errors.classify(result.text)};
    if (outcome.kind == Kind::failed) outcome = {Kind::unclear, ErrorClass::none};  // of what else ran with it
    const std::string& directory = check.directory;
    const bool cwd_known = !state.cwd.empty();
    changes.verify({check.words, directory, false, check_rank(check.words), head.where.line,
                    call.ordered + (check.edits_after ? 0 : 1), [&](const Change& change) {
                        if (change.path == kUnnamedFile) return true;
                        const std::string path = slashed(change.path);
                        return !is_prose(path) && is_about(directory, path, cwd_known) &&
                               reaches_from(directory, path) && check_reaches(check.words, below(path, directory));
                    }});
    return outcome;
}

// Empty for the session's own directory, relative to it for what lies below.
std::string SessionMemory::Impl::check_place(const std::string& told) const {
    const bool unknown = told.find_first_of("$`*%") != told.npos || told == "-" || told.ends_with("/-");
    if (told.empty() || unknown) return {};
    std::string whole = joined_path(slashed(state.cwd), slashed(told));
    while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
    if (!lies_below(whole, state.cwd)) return whole;
    return whole.size() <= state.cwd.size() + 1 ? std::string() : whole.substr(state.cwd.size() + 1);
}

FileName SessionMemory::Impl::name_of(const std::string& path) const {
    return {hidden_cwd(path, state.cwd), is_exact(path, state.cwd)};
}

void SessionMemory::Impl::files_changed(const EventHeader& head, const OpenCall& call, const CommandEffects& effects) {
    const ChangeBook::Place place{head.where.line, head.turn, call.ordered};
    for (const std::string& path : effects.changed) {
        const bool whole = std::ranges::find(effects.created, path) != effects.created.end();
        if (!is_temporary(path, state.cwd)) changes.edited(name_of(path), place, whole);
    }
    for (const std::string& path : effects.deleted) {
        if (!is_temporary(path, state.cwd)) changes.deleted(name_of(path), place);
    }
    for (const CommandEffects::Move& move : effects.moved) {
        if (!is_temporary(move.to, state.cwd)) changes.moved(name_of(move.from), name_of(move.to), place);
    }
}

void SessionMemory::Impl::changed(const EventHeader& head, const OpenCall& call, const ToolResult& result) {
    const CommandEffects& effects = call.facts.effects;
    files_changed(head, call, effects);
    const ChangeBook::Place place{head.where.line, head.turn, call.ordered};
    if (call.facts.tool_class == ToolClass::mutate) {
        repeats.changed();
        if (effects.empty() && !call.facts.shell) {
            changes.edited({kUnnamedFile, true}, place);
            changes.doubt(head.where.line);
        }
    }
    std::vector<FileName> undone;
    for (const std::string& path : effects.undone) undone.push_back(name_of(path));
    if (effects.uncommits > 0) {
        commits.take_back(effects.uncommits, deeds.last_sent_line());
        changes.uncommitted(commits.last_line());
    }
    if (effects.reverts_last && !commits.empty()) changes.reverted(commits.line_before_last());
    if (effects.undoes) changes.undo(undone);
    bool of_files = false;
    for (const std::string& path : effects.perhaps_undone) of_files |= changes.undo_known(name_of(path));
    if (effects.stashes) changes.stash();
    if ((effects.undoes || effects.stashes || of_files) && changes.unverified().empty()) failures.taken_back();
    if (effects.unstashes) changes.unstash();
    for (const std::string& name : effects.dropped) drop_branch(name, effects.drops_commits);
    if (!effects.branch.empty() && !of_files) commits.went_to(one_line(clean(effects.branch), 120));
    if (is_temporary(effects.makes_repository, state.cwd)) commits.made_scratch(effects.makes_repository);
    if (effects.commits) committed(head, effects, words(result.text, 64u << 10), true);
    for (const CommandEffects::Done& done : effects.done) {
        const bool has_address =
            done.kind == DeedKind::pull_request || done.kind == DeedKind::issue || done.kind == DeedKind::released;
        deeds.note({done.kind, done.words, head.where.line, head.turn,
                    has_address ? address_in(words(result.text, 64u << 10)) : std::string()});
    }
    if (effects.read.empty() || head.lane != 0) return;
    const std::string shown = call.facts.shell ? words(result.text, 64u << 10) : std::string();
    for (const std::string& path : effects.read) {
        if (!call.facts.shell || shows_file(shown, path)) changes.read(name_of(path), place);
    }
}

void SessionMemory::Impl::committed(const EventHeader& head, const CommandEffects& effects, const std::string& output,
                                    bool worked) {
    if (commits.committed(effects, output, worked, {head.where.line, head.turn})) changes.committed(head.where.line);
}

// A branch that was not merged takes its commits with it unless others have them.
void SessionMemory::Impl::drop_branch(const std::string& name, bool unmerged) {
    if (name.empty()) return;
    deeds.drop_branch(name);
    if (unmerged) commits.drop_branch(name, deeds.last_sent_line());
}

void SessionMemory::Impl::update_plan(const EventHeader& head, PlanUpdate update) {
    for (PlanItem& item : update.items) {
        if (filter) item.text = one_line(clean(filter(item.text)), 200);
    }
    for (const std::string& words : plan.update(update, {head.where.line, head.turn}))
        deeds.note({DeedKind::item, words, head.where.line, head.turn, {}});
}

}  // namespace agent_audit::advice
