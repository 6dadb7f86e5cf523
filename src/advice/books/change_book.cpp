#include "advice/books/change_book.hpp"

#include "advice/calls/file_names.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostChanges = 256, kMostReads = 256;

bool below(std::string_view path, std::string_view directory) {
    while (directory.size() > 1 && (directory.back() == '/' || directory.back() == '\\')) directory.remove_suffix(1);
    return path.size() > directory.size() + 1 && path.starts_with(directory) &&
           (path[directory.size()] == '/' || path[directory.size()] == '\\');
}

// Where at least one was recorded relative: it may begin further down.
bool may_be_same(std::string_view a, bool a_exact, std::string_view b, bool b_exact) {
    if (a_exact && b_exact) return false;
    if (a_exact != b_exact && (a_exact ? a : b).size() < (a_exact ? b : a).size()) return false;
    return same_file(a, b);
}

std::vector<Change> last_first(const std::vector<KnownChange>& list) { return {list.rbegin(), list.rend()}; }

}  // namespace

// As the file is called here already. Of two files of which one could be meant, the one whose path fits as a whole is.
FileName ChangeBook::known_as(FileName name) {
    for (const KnownChange& c : modified_) {
        if (same_path(c.path, name.path)) return {c.path, c.exact};
    }
    for (const KnownRead& read : reads_) {
        if (same_path(read.path, name.path)) return {read.path, read.exact};
    }
    FileName known;
    for (const KnownChange& c : modified_) {
        if (may_be_same(c.path, c.exact, name.path, name.exact)) known = {c.path, c.exact};
    }
    for (const KnownRead& read : reads_) {
        if (known.path.empty() && may_be_same(read.path, read.exact, name.path, name.exact))
            known = {read.path, read.exact};
    }
    if (known.path.empty()) return name;
    if (name.exact && !known.exact) {
        rename(known.path, name.path);
        return name;
    }
    return known;
}

void ChangeBook::rename(const std::string& from, const std::string& to) {
    const auto apply = [&](auto& list) {
        for (auto& entry : list) {
            if (entry.path != from) continue;
            entry.path = to;
            entry.exact = true;
        }
    };
    for (auto* list : {&open_, &verified_, &modified_, &stashed_, &stashed_modified_}) apply(*list);
    apply(reads_);
}

KnownChange& ChangeBook::note(std::vector<KnownChange>& list, const FileName& name, const Place& at, bool keep_fate) {
    const auto known = std::ranges::find(list, name.path, &KnownChange::path);
    KnownChange change;
    if (known != list.end()) {
        change = std::move(*known);
        list.erase(known);
    } else {
        change.path = name.path;
        change.exact = name.exact;
        change.first_line = at.line;
    }
    if (!keep_fate) {
        change.fate = FileFate::edited;
        change.moved_to.clear();
    }
    ++change.edits;
    change.last_line = at.line;
    change.turn = at.turn;
    change.ordered = at.ordered;
    if (list.size() == kMostChanges) list.erase(list.begin());
    return list.emplace_back(std::move(change));
}

void ChangeBook::edited(const FileName& told, const Place& at, bool whole) {
    const FileName name = known_as(told);
    const auto is_it = [&](const auto& known) { return known.path == name.path; };
    const bool made = whole && std::ranges::none_of(modified_, is_it) && std::ranges::none_of(reads_, is_it);
    for (auto* list : {&open_, &modified_}) {
        KnownChange& change = note(*list, name, at, false);
        change.made = change.made || made;
    }
    std::erase_if(reads_, [&](const FileRead& read) { return read.path == name.path; });
}

// What lay below a directory that is gone is gone with it.
void ChangeBook::forget_below(const std::string& path) {
    for (auto* list : {&open_, &verified_, &modified_}) {
        std::erase_if(*list, [&](const KnownChange& c) { return below(c.path, path); });
    }
    std::erase_if(reads_, [&](const FileRead& read) { return read.path == path || below(read.path, path); });
}

void ChangeBook::deleted(const FileName& told, const Place& at) {
    const FileName name = known_as(told);
    forget_below(name.path);
    const auto is_it = [&](const KnownChange& c) { return c.path == name.path; };
    std::erase_if(verified_, is_it);
    // What began and ended here, and is in no commit, leaves nothing to verify.
    const auto known = std::ranges::find_if(modified_, is_it);
    const bool is_over = known != modified_.end() && known->made && known->first_line > last_commit_line_;
    if (is_over)
        std::erase_if(open_, is_it);
    else
        note(open_, name, at, true).fate = FileFate::deleted;
    note(modified_, name, at, true).fate = FileFate::deleted;
}

void ChangeBook::moved(const FileName& told, const FileName& to, const Place& at) {
    const FileName from = known_as(told);
    const bool was_changed = std::ranges::any_of(
        modified_, [&](const KnownChange& c) { return c.path == from.path && c.fate == FileFate::edited; });
    forget_below(from.path);
    std::erase_if(verified_, [&](const KnownChange& c) { return c.path == from.path; });
    for (auto* list : {&open_, &modified_}) {
        KnownChange& change = note(*list, from, at, true);
        change.fate = FileFate::moved;
        change.moved_to = to.path;
    }
    std::erase_if(reads_, [&](const FileRead& read) { return same_path(read.path, to.path); });
    if (was_changed) edited(to, at);
}

void ChangeBook::read(const FileName& told, const Place& at) {
    const FileName name = known_as(told);
    KnownRead read{{name.path, 0, 0, 0, 0}, name.exact};
    if (const auto known = std::ranges::find(reads_, name.path, &KnownRead::path); known != reads_.end()) {
        read = std::move(*known);
        reads_.erase(known);
    }
    ++read.reads;
    read.line = at.line;
    read.turn = at.turn;
    read.unsure_since = 0;
    if (reads_.size() == kMostReads) reads_.erase(reads_.begin());
    reads_.push_back(std::move(read));
}

void ChangeBook::doubt(std::uint64_t line) {
    for (KnownRead& read : reads_) {
        if (read.unsure_since == 0 && read.line < line) read.unsure_since = line;
    }
}

void ChangeBook::doubt(const FileName& told, std::uint64_t line) {
    const FileName name = known_as(told);
    for (KnownRead& read : reads_) {
        if (read.path == name.path && read.unsure_since == 0) read.unsure_since = line;
    }
}

// What was changed before, and what the verdict can speak for. What is verified already gets the wider check.
void ChangeBook::verify(const Verdict& verdict) {
    const auto speaks_for = [&](const KnownChange& change) {
        return change.ordered < verdict.ordered && verdict.covers(change);
    };
    const auto stamp = [&](KnownChange& change) {
        change.check = verdict.by;
        change.check_directory = verdict.directory;
        change.approved = verdict.approved;
        change.check_line = verdict.line;
        change.rank = verdict.rank;
    };
    for (KnownChange& change : verified_) {
        if (!verdict.approved && verdict.rank >= change.rank && speaks_for(change)) stamp(change);
    }
    std::vector<KnownChange> still_open;
    for (KnownChange& change : open_) {
        if (!speaks_for(change)) {
            still_open.push_back(std::move(change));
            continue;
        }
        stamp(change);
        std::erase_if(verified_, [&](const KnownChange& old) {
            if (old.path != change.path) return false;
            change.edits += old.edits;
            change.first_line = std::min(change.first_line, old.first_line);
            return true;
        });
        if (verified_.size() == kMostChanges) verified_.erase(verified_.begin());
        verified_.push_back(std::move(change));
    }
    open_ = std::move(still_open);
}

void ChangeBook::undo(const std::vector<FileName>& names) {
    std::vector<std::string> paths;
    for (const FileName& name : names) paths.push_back(known_as(name).path);
    const auto undone = [&](const KnownChange& change) {
        if (change.last_line <= last_commit_line_) return false;
        return paths.empty() || std::ranges::any_of(paths, [&](const std::string& path) {
                   return change.path == path || below(change.path, path);
               });
    };
    for (auto* list : {&open_, &verified_, &modified_}) std::erase_if(*list, undone);
}

void ChangeBook::reverted(std::uint64_t line) {
    for (auto* list : {&open_, &verified_, &modified_}) {
        std::erase_if(*list, [&](const KnownChange& change) {
            return change.first_line > line && change.last_line <= last_commit_line_;
        });
    }
}

bool ChangeBook::undo_known(const FileName& told) {
    const FileName name = known_as(told);
    const bool known = std::ranges::any_of(modified_, [&](const KnownChange& c) { return c.path == name.path; });
    if (known) undo({name});
    return known;
}

void ChangeBook::stash() {
    const auto keep = [](const std::vector<KnownChange>& now, std::vector<KnownChange>& kept) {
        // What a stash takes lies on what the one before it took.
        for (const KnownChange& change : now) {
            std::erase_if(kept, [&](const KnownChange& old) { return old.path == change.path; });
            if (kept.size() < kMostChanges) kept.push_back(change);
        }
    };
    keep(open_, stashed_);
    keep(modified_, stashed_modified_);
    undo({});
}

void ChangeBook::unstash() {
    const auto restore = [](std::vector<KnownChange>& kept, std::vector<KnownChange>& list) {
        for (KnownChange& change : kept) {
            const bool there = std::ranges::any_of(list, [&](const KnownChange& c) { return c.path == change.path; });
            if (!there && list.size() < kMostChanges) list.push_back(std::move(change));
        }
        kept.clear();
    };
    restore(stashed_, open_);
    restore(stashed_modified_, modified_);
}

std::vector<Change> ChangeBook::unverified() const { return last_first(open_); }
std::vector<Change> ChangeBook::modified() const { return last_first(modified_); }
std::vector<Change> ChangeBook::verified() const {
    std::vector<Change> out = last_first(verified_);
    std::ranges::stable_sort(out, std::greater<>{}, &Change::check_line);
    return out;
}
std::vector<FileRead> ChangeBook::reads() const { return {reads_.rbegin(), reads_.rend()}; }

}  // namespace agent_audit::advice
