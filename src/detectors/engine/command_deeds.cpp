#include "detectors/engine/command_deeds.hpp"

#include "detectors/commands/activity.hpp"
#include "detectors/commands/idle_command.hpp"
#include "detectors/commands/shell_line.hpp"
#include "detectors/engine/claimed_deed.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/words/phrases.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/model/tool_name.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::detectors {
namespace {

// What is said of a deed that was done, and what it is said about, where the word is one of many uses.
struct DeedWords {
    CommandDeed deed;
    std::array<std::string_view, 4> done;
    std::array<std::string_view, 4> about;
};
constexpr DeedWords kWords[] = {
    {CommandDeed::commit, {"committed"}, {}},
    {CommandDeed::push, {"pushed"}, {}},
    {CommandDeed::publish, {"published", "released", "uploaded"}, {}},
    {CommandDeed::deploy, {"deployed", "rolled out"}, {}},
    {CommandDeed::deploy, {"applied"}, {"terraform", "manifest", "cluster", "infrastructure"}},
    {CommandDeed::release, {"released", "published"}, {}},
    {CommandDeed::request,
     {"opened", "created", "submitted", "raised"},
     {"pull request", " pr ", "merge request", " mr "}},
    {CommandDeed::merge, {"merged"}, {}},
    {CommandDeed::migrate, {"migrated"}, {}},
    {CommandDeed::migrate, {"applied", "ran", "executed"}, {"migration"}},
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
    constexpr std::string_view kMigrates[] = {"alembic upgrade",
                                              "flask db upgrade",
                                              "python manage.py migrate",
                                              "python3 manage.py migrate",
                                              "./manage.py migrate",
                                              "prisma migrate",
                                              "npx prisma migrate",
                                              "rails db:migrate",
                                              "bin/rails db:migrate",
                                              "bundle exec rails db:migrate",
                                              "rake db:migrate",
                                              "php artisan migrate",
                                              "knex migrate:latest",
                                              "npx knex migrate:latest",
                                              "sequelize db:migrate",
                                              "npx sequelize db:migrate",
                                              "npm run migrate",
                                              "npm run db:migrate",
                                              "yarn migrate",
                                              "pnpm migrate",
                                              "make migrate",
                                              "diesel migration run",
                                              "sqlx migrate run",
                                              "goose up",
                                              "flyway migrate",
                                              "dotnet ef database update"};
    if (begins_with_words(command, "git commit")) return CommandDeed::commit;
    return begins_with_one(command, kMigrates) ? CommandDeed::migrate : CommandDeed::none;
}

// The message of a commit may be long: then the line ends inside its quotes, and the commit is the last that is known.
std::string_view behind_last_and(std::string_view line) {
    constexpr std::string_view kAnd = "&& ";
    const std::size_t quote = line.find_first_of("\"'");
    const std::size_t last = line.rfind(kAnd, quote);
    return last == line.npos ? line : line.substr(last + kAnd.size());
}

bool only_tells(std::string_view command) {
    constexpr std::string_view kTells[] = {"tail", "head", "cat", "tee", "grep", "echo", "printf", "true"};
    return begins_with_one(command, kTells);
}

// What git does here and on the way in sends nothing out; so do installers.
bool stays_here(std::string_view command) {
    constexpr std::string_view kHere[] = {
        "git pull",     "git fetch",  "git rebase",  "git merge",  "git stash",       "git add",    "git commit",
        "git checkout", "git switch", "git branch",  "git remote", "git config",      "git reset",  "git tag",
        "git restore",  "git rm",     "git mv",      "git show",   "git cherry-pick", "git clean",  "git revert",
        "npm install",  "npm ci",     "pip install", "gh auth",    "gh pr view",      "gh pr list", "gh run",
        "npm whoami",   "npm login",  "ssh",         "ssh-add",    "ssh-keygen",      "chmod",      "mkdir"};
    return begins_with_one(command, kHere) || deed_of(command) != CommandDeed::none;
}

// Every deed but those that ship has one of these; most commands have none.
bool may_be_deed(std::string_view command) {
    static constexpr std::string_view kMarks[] = {"commit", "migrat", "upgrade", "goose up", "database update"};
    static constexpr PhraseSet marks(kMarks);
    return marks.in(command);
}

std::string line_of(const Step& step) { return decoded(step.text.argument(), StepText::kArgument); }

// Is nothing in the line that may have done what failed, under another name?
bool leaves_all_undone(const Step& step) {
    switch (step.tool_class) {
        case ToolClass::read:
        case ToolClass::search:
        case ToolClass::verify:
        case ToolClass::wait:
        case ToolClass::note: return true;
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
    const std::vector<ShellCommand> commands = shell_commands(line_of(step));
    return !commands.empty() && std::ranges::all_of(commands, [](const ShellCommand& command) {
        return stays_here(command.text) || only_tells(command.text) || command.text.starts_with("cd ");
    });
}

// Of a line that was cut at the message of a commit only this tells that it was the commit that failed.
bool tells_of_commit(std::string_view outcome) {
    constexpr std::string_view kTells[] = {"hook",  "husky",    "pre-commit", "lint-staged",        "commitlint",
                                           "fatal", "CONFLICT", "gpg",        "tell me who you are"};
    return contains_any(outcome, kTells);
}

// `git push 2>&1 | tail`: the pipe ends well whatever git says.
bool shows_rejection(const Step& step) {
    constexpr std::string_view kRejected[] = {"failed to push some refs", "[rejected]", "[remote rejected]"};
    return contains_any(decoded(step.text.outcome(), StepText::kOutcome), kRejected);
}

// It was done before, or nobody knows whether it was.
bool may_be_done(std::string_view outcome) {
    constexpr std::string_view kMaybe[] = {"nothing to commit",
                                           "nothing added to commit",
                                           "up-to-date",
                                           "up to date",
                                           "lready",
                                           "reviously",
                                           "timed out",
                                           "imeout",
                                           "interrupted"};
    return contains_any(outcome, kMaybe);
}

}  // namespace

CommandDeed command_deed(const Step& step) {
    if (step.command_bytes == 0) return CommandDeed::none;
    if (step.ships != Shipping::none) return step.ships_at_end ? of_shipping(step.ships) : CommandDeed::none;
    if (!may_be_deed(step.text.argument().bytes)) return CommandDeed::none;
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

void CommandDeeds::look(const Step& step) {
    const CommandDeed deed = command_deed(step);
    const bool failed = step.failed || (deed == CommandDeed::push && shows_rejection(step));
    if (!failed) return step.opaque ? forget_all() : went_well(step, deed);
    const auto at = static_cast<std::size_t>(deed);
    if (deed == CommandDeed::none || step.opaque || done_[at] ||
        may_be_done(decoded(step.text.outcome(), StepText::kOutcome)))
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
        if (!leaves_all_undone(step)) forget_all();
        return;
    }
    if (deed == CommandDeed::none) return forget_all();  // of a line of several nobody knows which
    forget(deed);
    // A pull request pushes its branch, and a push what was committed.
    if (deed == CommandDeed::request || deed == CommandDeed::merge) forget(CommandDeed::push);
    if (deed == CommandDeed::push) forget(CommandDeed::commit);
    // A workflow that starts with a push, or a release, may do the rest.
    if (deed == CommandDeed::push || deed == CommandDeed::release) {
        forget(CommandDeed::publish);
        forget(CommandDeed::deploy);
    }
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
    for (const DeedWords& words : kWords) {
        const auto& failed = failed_[static_cast<std::size_t>(words.deed)];
        if (!failed || (last && last->at.seq > failed->at.seq)) continue;
        if (claims_done(text, words.done, words.about)) last = &*failed;
    }
    return last;
}

}  // namespace agent_audit::detectors
