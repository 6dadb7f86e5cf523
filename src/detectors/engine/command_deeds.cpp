#include "detectors/engine/command_deeds.hpp"

#include "detectors/commands/activity.hpp"
#include "detectors/commands/idle_command.hpp"
#include "detectors/commands/shell_line.hpp"
#include "detectors/engine/claimed_deed.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/words/phrases.hpp"
#include "detectors/words/shipping_words.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/model/tool_name.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::detectors {
namespace {

// What is said of a deed that was done, and behind that word what it was done to: "pushed the footer" is of another
// kind. `noun`: what may stand before it instead, "the PR was opened".
struct DeedWords {
    CommandDeed deed;
    std::array<std::string_view, 4> done;
    std::span<const std::string_view> objects;
    std::array<std::string_view, 4> nouns = {};
};
constexpr std::string_view kChange[] = {"it",    "the change", "the fix",  "the commit", "everything", "all ",
                                        "your ", "my ",        "this",     "them",       "both",       "successfully",
                                        "and ",  "the update", "the work", "the branch", "changes",    "the new commit",
                                        "`"};
constexpr std::string_view kPlace[] = {"to ", "as ", "on the branch", "on main", "now", "locally", "origin", "branch"};
constexpr std::string_view kPackage[] = {
    "as ", "to npm", "to pypi", "to the registry", "it", "the package", "version", "v0", "v1",
    "v2",  "and ",   "`",       "successfully"};
constexpr std::string_view kApp[] = {"to ",        "it",      "the app",    "the service",  "the site",
                                     "the change", "the fix", "everything", "successfully", "and ",
                                     "your ",      "version", "the new",    "now"};
constexpr std::string_view kRequest[] = {"a pr",      "a pull",       "the pr",       "the pull",        "pr ",
                                         "pr #",      "pull request", "an mr",        "a merge request", "the mr",
                                         "a draft p", "mr ",          "merge request"};
constexpr std::string_view kMerged[] = {"the pr", "pr ", "pr #", "pull request", "the pull request", "#"};
constexpr std::string_view kMigration[] = {"the migration", "migration", "all migration", "the new migration",
                                           "the pending migration"};
constexpr std::string_view kDatabase[] = {"the database", "the db", "the schema"};
constexpr DeedWords kWords[] = {
    {CommandDeed::commit, {"committed"}, kChange},
    {CommandDeed::commit, {"committed"}, kPlace},
    {CommandDeed::push, {"pushed"}, kChange},
    {CommandDeed::push, {"pushed"}, kPlace},
    {CommandDeed::publish, {"published", "released"}, kPackage, {"package", "version"}},
    {CommandDeed::release, {"published", "released"}, kPackage, {"version"}},
    {CommandDeed::deploy, {"deployed", "rolled out"}, kApp},
    {CommandDeed::request,
     {"opened", "created", "submitted", "raised"},
     kRequest,
     {"pr", "pull request", "merge request"}},
    {CommandDeed::merge, {"merged"}, kMerged, {"pr", "pull request"}},
    {CommandDeed::migrate, {"applied", "ran", "executed", "run"}, kMigration, {"migration", "migrations"}},
    {CommandDeed::migrate, {"migrated"}, kDatabase, {"database", "schema"}},
};

// The deed as a thing that succeeds, and as done in other languages.
struct DeedNouns {
    CommandDeed deed;
    std::array<std::string_view, 3> nouns;
    std::array<std::string_view, 4> abroad = {};
};
constexpr DeedNouns kNouns[] = {
    {CommandDeed::commit, {"commit"}, {"committet", "已提交"}},
    {CommandDeed::push, {"push"}, {"gepusht", "已推送", "推送成功"}},
    {CommandDeed::publish, {"publish"}},
    {CommandDeed::deploy, {"deploy", "deployment", "rollout"}, {"deployt", "已部署"}},
    {CommandDeed::release, {"release"}},
    {CommandDeed::request, {"pr", "pull request"}},
    {CommandDeed::merge, {"merge"}},
    {CommandDeed::migrate, {"migration", "migrations"}},
};

CommandDeed of_shipping(Shipping how) {
    switch (how) {
        case Shipping::none: return CommandDeed::none;
        case Shipping::push: return CommandDeed::push;
        case Shipping::publish: return CommandDeed::publish;
        case Shipping::deploy: return CommandDeed::deploy;
        case Shipping::release: return CommandDeed::release;
        case Shipping::request: return CommandDeed::request;
        case Shipping::merge: return CommandDeed::merge;
    }
    return CommandDeed::none;
}

template <std::size_t N>
bool begins_with_one(std::string_view command, const std::string_view (&words)[N]) {
    return std::ranges::any_of(words, [&](std::string_view one) { return begins_with_words(command, one); });
}

CommandDeed deed_of(std::string_view command) {
    if (begins_with_words(command, "git commit")) return CommandDeed::commit;
    return begins_with_one(command, kMigrators) ? CommandDeed::migrate : CommandDeed::none;
}

// The message of a commit may be long: then the line ends inside its quotes, and the commit is the last that is known.
std::string_view behind_last_and(std::string_view line) {
    constexpr std::string_view kAnd = "&& ";
    const std::size_t quote = line.find_first_of("\"'");
    const std::size_t last = line.rfind(kAnd, quote);
    return last == line.npos ? line : line.substr(last + kAnd.size());
}

// What git does here and on the way in sends nothing out; so do installers.
bool stays_here(std::string_view command) {
    constexpr std::string_view kHere[] = {
        "git pull",     "git fetch",  "git rebase",  "git merge",  "git stash",       "git add",    "git commit",
        "git checkout", "git switch", "git branch",  "git remote", "git config",      "git reset",  "git tag",
        "git restore",  "git rm",     "git mv",      "git show",   "git cherry-pick", "git clean",  "git revert",
        "npm install",  "npm ci",     "pip install", "gh auth",    "gh pr view",      "gh pr list", "gh run",
        "npm whoami",   "npm login",  "ssh -T",      "ssh-add",    "ssh-keygen",      "chmod",      "mkdir"};
    return begins_with_one(command, kHere) || deed_of(command) != CommandDeed::none;
}

// Every deed but those that ship has one of these; most commands have none.
constexpr std::string_view kCommit = "commit";
constexpr std::string_view kMarks[] = {kCommit, "migrat", "upgrade", "goose up", "database update"};
constexpr PhraseSet kMarkSet(kMarks);

// What ends with a commit, whatever it is called.
bool makes_commits(std::string_view command) {
    constexpr std::string_view kMakers[] = {"git merge",  "git rebase", "git cherry-pick",
                                            "git revert", "git am",     "git pull"};
    return begins_with_one(command, kMakers);
}

// `make setup`, `tox`, `npm run prepare`: what that does stands in a file of the project. Tests, builds and linters are
// known by their names.
bool runs_own_script(std::string_view command) {
    constexpr std::string_view kRunners[] = {"make",   "just", "task",   "tox",       "nox",
                                             "invoke", "rake", "gradle", "./gradlew", "mvn"};
    constexpr std::string_view kChecks[] = {"test", "check", "lint", "build", "typecheck", "fmt", "format"};
    return begins_with_one(command, kRunners) && !contains_any(command, kChecks);
}

std::string line_of(const Step& step) { return decoded(step.text.argument(), StepText::kArgument); }

// Is nothing in the line that may have done what failed, under another name?
bool leaves_all_undone(const Step& step) {
    switch (step.tool_class) {
        case ToolClass::read:
        case ToolClass::search:
        case ToolClass::wait:
        case ToolClass::note: return true;
        case ToolClass::verify: return !any_command(line_of(step), runs_own_script);
        case ToolClass::mutate:
            return step.command_bytes == 0 || !any_command(line_of(step), [](std::string_view c) {
                       return !stays_here(c) && (c.starts_with("git ") || c.starts_with("gh "));
                   });
        case ToolClass::poll:
        case ToolClass::shell:
        case ToolClass::other: break;
    }
    if (step.command_bytes == 0)
        return !does_something(step) && !makes_something(step) && !delegates(bare_tool_name(step.text.tool()));
    if (work_effect(step.text.argument()) == WorkEffect::none) return true;
    const std::string line = line_of(step);
    const std::vector<ShellCommand> commands = shell_commands(line);
    return !commands.empty() && std::ranges::all_of(commands, [](const ShellCommand& command) {
        return stays_here(command.text) || only_tells(command.text) || command.text.starts_with("cd ");
    });
}

// Of several branches or tags one went through: "1a2b3c4..5d6e7f8  main -> main", without the mark of a refusal.
bool went_partly(std::string_view said) {
    constexpr std::string_view kArrow = " -> ";
    while (!said.empty()) {
        const std::string_view line = said.substr(0, said.find('\n'));
        if (line.find(kArrow) != line.npos && line.find('!') == line.npos) return true;
        said.remove_prefix(std::min(line.size() + 1, said.size()));
    }
    return false;
}

// Of a line that was cut at the message of a commit only this tells that it was the commit that failed.
bool tells_of_commit(std::string_view outcome) {
    constexpr std::string_view kTells[] = {"hook",  "husky",    "pre-commit", "lint-staged",        "commitlint",
                                           "fatal", "CONFLICT", "gpg",        "tell me who you are"};
    return contains_any(outcome, kTells);
}

// `git push 2>&1 | tail`: the pipe ends well whatever git says. Not where the line tries again.
bool shows_rejection(const Step& step) {
    constexpr std::string_view kRejected[] = {"failed to push some refs", "[rejected]", "[remote rejected]"},
                               kPush = "git push";
    const std::string line = line_of(step);
    const std::size_t first = line.find(kPush);
    if (line.find("||") != line.npos || first == line.npos || line.find(kPush, first + 1) != line.npos) return false;
    const std::string said = decoded(step.text.outcome(), StepText::kOutcome);
    return contains_any(said, kRejected) && !went_partly(said);
}

// What a command said that did it by other means: `make db-setup`, `tox`.
CommandDeed shown_deed(const Step& step) {
    constexpr std::pair<std::string_view, CommandDeed> kShown[] = {
        {"Running upgrade", CommandDeed::migrate}, {"Applying ", CommandDeed::migrate},
        {"igrated", CommandDeed::migrate},         {"igrations applied", CommandDeed::migrate},
        {"digest: sha256", CommandDeed::push},     {"pushing manifest", CommandDeed::push}};
    const std::string said = decoded(step.text.outcome(), StepText::kOutcome);
    const auto shown = std::ranges::find_if(kShown, [&](const auto& row) { return said.find(row.first) != said.npos; });
    return shown == std::end(kShown) ? CommandDeed::none : shown->second;
}

// It was done before, or in part, or nobody knows whether it was.
bool may_be_done(CommandDeed deed, std::string_view outcome) {
    constexpr std::string_view kMaybe[] = {"nothing to commit",
                                           "nothing added to commit",
                                           "up-to-date",
                                           "up to date",
                                           "lready",
                                           "reviously",
                                           "timed out",
                                           "imeout",
                                           "interrupted",
                                           "erged pull request",
                                           "would clobber"};
    constexpr std::string_view kCommitted[] = {"file changed", "files changed"};
    return contains_any(outcome, kMaybe) || (deed == CommandDeed::commit && contains_any(outcome, kCommitted)) ||
           (deed == CommandDeed::push && went_partly(outcome));
}

// The deed whose failure the failure of this step would be: the last one of its command line. Of a line that was cut,
// and of one that goes on with commands which may fail, none.
CommandDeed command_deed(const Step& step) {
    if (step.command_bytes == 0) return CommandDeed::none;
    if (step.ships != Shipping::none) return step.ships_at_end ? of_shipping(step.ships) : CommandDeed::none;
    const bool checks = step.tool_class == ToolClass::verify || step.tool_class == ToolClass::read ||
                        step.tool_class == ToolClass::search;
    if (checks || !kMarkSet.in(step.text.argument().bytes)) return CommandDeed::none;
    const std::string line = line_of(step);
    CommandDeed last = CommandDeed::none;
    const std::vector<ShellCommand> commands = shell_commands(line);
    for (const ShellCommand& command : commands) {
        if (!only_tells(command.text)) last = deed_of(command.text);
    }
    const bool cut = step.command_bytes > line.size() && step.text.argument_size == StepText::kArgument;
    if (!cut && !commands.empty()) return last;
    last = deed_of(behind_last_and(line));
    if (cut && step.failed && !tells_of_commit(decoded(step.text.outcome(), StepText::kOutcome)))
        return CommandDeed::none;
    return last;
}

}  // namespace

// Where nothing has failed yet it is enough to know what may have been done.
void CommandDeeds::note_done(const Step& step) {
    const auto done = [this](CommandDeed deed) { done_[static_cast<std::size_t>(deed)] = true; };
    if (step.ships != Shipping::none) {
        done(of_shipping(step.ships));
        if (step.ships == Shipping::push) done(CommandDeed::commit);
        return;
    }
    if (step.text.argument().bytes.find(kCommit) != std::string_view::npos) done(CommandDeed::commit);
}

// Asked about many steps, of which few are worth it.
void CommandDeeds::look(const Step& step) {
    const std::string_view command = step.text.argument().bytes;
    const bool tells =
        step.failed || step.ships != Shipping::none || command.starts_with("git ") || command.starts_with("cd ");
    if (open_ > 0 || (step.command_bytes > 0 && tells)) look_closely(step);
}

void CommandDeeds::look_closely(const Step& step) {
    if (!step.failed && open_ == 0 && step.ships != Shipping::push) return note_done(step);
    const CommandDeed deed = command_deed(step);
    const bool failed = step.failed || (deed == CommandDeed::push && shows_rejection(step));
    if (!failed) return step.opaque ? forget_all() : went_well(step, deed);
    const auto at = static_cast<std::size_t>(deed);
    if (deed == CommandDeed::none || step.opaque || done_[at] ||
        may_be_done(deed, decoded(step.text.outcome(), StepText::kOutcome)))
        return;
    forget(deed);
    failed_[at] = Failed{step.call_at, step.text, step.error == ErrorClass::user_denied};
    ++open_;
}

void CommandDeeds::went_well(const Step& step, CommandDeed deed) {
    const bool shipped = step.ships != Shipping::none;
    const CommandDeed did = shipped ? of_shipping(step.ships) : deed;
    if (did != CommandDeed::none) done_[static_cast<std::size_t>(did)] = true;
    if (did == CommandDeed::push) done_[static_cast<std::size_t>(CommandDeed::commit)] = true;
    if (open_ == 0) return;
    if (!shipped && deed == CommandDeed::none) {
        forget(shown_deed(step));
        if (any_command(line_of(step), makes_commits)) {
            forget(CommandDeed::commit);
            forget(CommandDeed::merge);
        }
        if (!leaves_all_undone(step)) forget_all();
        return;
    }
    if (deed == CommandDeed::none) return forget_all();  // of a line of several nobody knows which
    forget(deed);
    // A pull request pushes its branch. A push sends what was committed and merged, and may start what does the rest.
    if (deed == CommandDeed::request || deed == CommandDeed::merge) forget(CommandDeed::push);
    if (deed == CommandDeed::release) {
        forget(CommandDeed::publish);
        forget(CommandDeed::push);
    }
    if (deed == CommandDeed::push) forget_all();
}

void CommandDeeds::forget(CommandDeed deed) {
    auto& failed = failed_[static_cast<std::size_t>(deed)];
    open_ -= failed.has_value();
    failed.reset();
}

void CommandDeeds::forget_all() {
    if (open_ == 0) return;
    for (auto& failed : failed_) failed.reset();
    open_ = 0;
}

void CommandDeeds::clear() {
    forget_all();
    done_.fill(false);
}

const CommandDeeds::Failed* CommandDeeds::claimed(std::string_view text) const {
    const Failed* last = nullptr;
    const auto open = [&](CommandDeed deed) {
        const auto& failed = failed_[static_cast<std::size_t>(deed)];
        return failed && !(last && last->at.seq > failed->at.seq) ? &*failed : nullptr;
    };
    for (const DeedWords& words : kWords) {
        const Failed* failed = open(words.deed);
        if (failed && claims_done(text, words.done, words.objects, words.nouns)) last = failed;
    }
    for (const DeedNouns& words : kNouns) {
        const Failed* failed = open(words.deed);
        if (failed && (claims_success(text, words.nouns) || claims_abroad(text, words.abroad))) last = failed;
    }
    return last;
}

}  // namespace agent_audit::detectors
