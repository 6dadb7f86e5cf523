#include "advice/books/commit_book.hpp"

#include "advice/calls/work_files.hpp"
#include "advice/words/text.hpp"

#include <algorithm>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostCommits = 16;
constexpr std::size_t kMostScratch = 16, kLongestDirectory = 400;

}  // namespace

void CommitBook::made_scratch(const std::string& directory) {
    if (directory.size() < kLongestDirectory && scratch_.size() < kMostScratch) scratch_.push_back(directory);
}

bool CommitBook::committed(const CommandEffects& effects, const std::string& output, bool worked, const Place& at) {
    // A work tree or a clone in a temporary directory is one of the project's; a repository that was made there is not.
    const auto lies_there = [&](const std::string& made) { return lies_below(effects.repository, made); };
    if (effects.scratch || std::ranges::any_of(scratch_, lies_there)) return false;
    std::vector<ToldCommit> told = commits_told(output);
    if (told.empty() && (!worked || says_nothing_to_commit(output))) return false;
    std::string subject = effects.message;
    // An amended commit has the words of the one that it replaces, where it is given none.
    if (effects.amends && !known_.empty()) {
        if (subject.empty()) subject = known_.back().said.text;
        known_.pop_back();
    }
    if (told.empty()) told.push_back({branch_, "git commit"});
    if (told.size() == 1 && !subject.empty()) told[0].subject = std::move(subject);
    for (ToldCommit& commit : told) {
        if (known_.size() == kMostCommits) known_.erase(known_.begin());
        known_.push_back({{one_line(clean(commit.subject), 120), at.line, at.turn}, std::move(commit.branch)});
    }
    return true;
}

void CommitBook::take_back(std::size_t count, std::uint64_t sent) {
    for (; count > 0 && last_line() > sent; --count) known_.pop_back();
}

void CommitBook::drop_branch(std::string_view name, std::uint64_t sent) {
    std::erase_if(known_, [&](const Known& commit) { return commit.branch == name && commit.said.line > sent; });
}

std::uint64_t CommitBook::line_of_last(std::size_t ago) const {
    return ago < known_.size() ? known_[known_.size() - 1 - ago].said.line : 0;
}

void CommitBook::tell(Checkpoint& out) const {
    for (auto commit = known_.rbegin(); commit != known_.rend(); ++commit) out.commits.push_back(commit->said);
}

}  // namespace agent_audit::advice
