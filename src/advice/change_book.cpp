#include "advice/change_book.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostChanges = 256, kMostReads = 256;

bool below(std::string_view path, std::string_view directory) {
    while (directory.size() > 1 && (directory.back() == '/' || directory.back() == '\\')) directory.remove_suffix(1);
    return path.size() > directory.size() + 1 && path.starts_with(directory) && (path[directory.size()] == '/' || path[directory.size()] == '\\');
}

std::vector<Change> last_first(const std::vector<KnownChange>& list) { return {list.rbegin(), list.rend()}; }

}  // namespace

std::string slashed(std::string_view path) {
    std::string out(path);
    std::ranges::replace(out, '\\', '/');
    const bool drive = out.size() > 2 && out[1] == ':' && out[2] == '/';
    if (drive) out = std::string("/") + static_cast<char>(out[0] >= 'A' && out[0] <= 'Z' ? out[0] - 'A' + 'a' : out[0]) + out.substr(2);
    return out;
}

bool same_file(std::string_view a, std::string_view b) {
    if (a == b) return true;
    const auto has_drive = [](std::string_view path) { return path.size() > 2 && path[1] == ':'; };
    if (has_drive(a) != has_drive(b) && (a.starts_with('/') || b.starts_with('/'))) return slashed(a) == slashed(b);
    const std::string_view& shorter = a.size() < b.size() ? a : b;
    const std::string_view& longer = a.size() < b.size() ? b : a;
    if (shorter.find_first_of("/\\") == shorter.npos || longer.size() <= shorter.size()) return false;
    const std::size_t from = longer.size() - shorter.size();
    if (longer[from - 1] != '/' && longer[from - 1] != '\\') return false;
    const auto equal = [](char x, char y) { return x == y || ((x == '/' || x == '\\') && (y == '/' || y == '\\')); };
    return std::ranges::equal(longer.substr(from), shorter, equal);
}

KnownChange& ChangeBook::note(std::vector<KnownChange>& list, const std::string& path, const Place& at, bool keep_fate) {
    const auto known = std::ranges::find_if(list, [&](const KnownChange& c) { return same_file(c.path, path); });
    KnownChange change;
    if (known != list.end()) {
        change = std::move(*known);
        list.erase(known);
    } else {
        change.path = path;
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

void ChangeBook::edited(const std::string& path, const Place& at) {
    note(open_, path, at, false);
    note(modified_, path, at, false);
    std::erase_if(reads_, [&](const FileRead& read) { return same_file(read.path, path); });
}

// What lay below a directory that is gone is gone with it.
void ChangeBook::forget_below(const std::string& path) {
    for (auto* list : {&open_, &verified_, &modified_}) {
        std::erase_if(*list, [&](const KnownChange& c) { return below(c.path, path); });
    }
    std::erase_if(reads_, [&](const FileRead& read) { return same_file(read.path, path) || below(read.path, path); });
}

void ChangeBook::deleted(const std::string& path, const Place& at) {
    forget_below(path);
    std::erase_if(verified_, [&](const KnownChange& c) { return same_file(c.path, path); });
    for (auto* list : {&open_, &modified_}) note(*list, path, at, true).fate = FileFate::deleted;
}

void ChangeBook::moved(const std::string& from, const std::string& to, const Place& at) {
    const bool was_changed = std::ranges::any_of(modified_, [&](const KnownChange& c) { return same_file(c.path, from) && c.fate == FileFate::edited; });
    forget_below(from);
    std::erase_if(verified_, [&](const KnownChange& c) { return same_file(c.path, from); });
    for (auto* list : {&open_, &modified_}) {
        KnownChange& change = note(*list, from, at, true);
        change.fate = FileFate::moved;
        change.moved_to = to;
    }
    std::erase_if(reads_, [&](const FileRead& read) { return same_file(read.path, to); });
    if (was_changed) edited(to, at);
}

void ChangeBook::read(const std::string& path, const Place& at) {
    FileRead read{path, 0, 0, 0};
    if (const auto known = std::ranges::find(reads_, path, &FileRead::path); known != reads_.end()) {
        read = std::move(*known);
        reads_.erase(known);
    }
    ++read.reads;
    read.line = at.line;
    read.turn = at.turn;
    if (reads_.size() == kMostReads) reads_.erase(reads_.begin());
    reads_.push_back(std::move(read));
}

// What was changed before, and what the verdict can speak for. What is verified already gets the wider check.
void ChangeBook::verify(const Verdict& verdict) {
    const auto speaks_for = [&](const KnownChange& change) { return change.ordered < verdict.ordered && verdict.covers(change); };
    const auto stamp = [&](KnownChange& change) {
        change.check = verdict.by;
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
            if (!same_file(old.path, change.path)) return false;
            change.edits += old.edits;
            change.first_line = std::min(change.first_line, old.first_line);
            return true;
        });
        if (verified_.size() == kMostChanges) verified_.erase(verified_.begin());
        verified_.push_back(std::move(change));
    }
    open_ = std::move(still_open);
}

void ChangeBook::undo(const std::vector<std::string>& paths) {
    const auto undone = [&](const KnownChange& change) {
        if (change.last_line <= last_commit_line_) return false;
        return paths.empty() || std::ranges::any_of(paths, [&](const std::string& path) { return same_file(change.path, path) || below(change.path, path); });
    };
    for (auto* list : {&open_, &verified_, &modified_}) std::erase_if(*list, undone);
}

void ChangeBook::stash() {
    const auto keep = [](const std::vector<KnownChange>& now, std::vector<KnownChange>& kept) {
        // What a stash takes lies on what the one before it took.
        for (const KnownChange& change : now) {
            std::erase_if(kept, [&](const KnownChange& old) { return same_file(old.path, change.path); });
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
            const bool there = std::ranges::any_of(list, [&](const KnownChange& c) { return same_file(c.path, change.path); });
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
