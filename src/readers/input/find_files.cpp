#include "readers/input/find_files.hpp"

#include "readers/input/byte_source.hpp"
#include "readers/input/directory.hpp"
#include "readers/input/glob.hpp"
#include "readers/input/session_names.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace agent_audit::readers {
namespace {

constexpr std::size_t kProblemsKept = 100;

std::string join(const std::string& folder, std::string_view name) {
    std::string path = folder;
    if (!path.ends_with('/')) path.push_back('/');
    return path.append(name);
}

// "x.jsonl.zst" beside "x.jsonl", a context file beside the log that says more.
bool is_copy(const std::string& name, const std::vector<std::string>& siblings) {
    const SessionName known = session_name(name);
    return std::ranges::any_of(known.unless,
                               [&](const std::string& other) { return std::ranges::binary_search(siblings, other); });
}

bool is_checkpoint_copy(const std::string& name) { return name.ends_with(".jsonl") && !session_name(name).wanted; }

}  // namespace

std::int64_t modified_ms(const struct stat& status) {
#ifdef __APPLE__
    const timespec& time = status.st_mtimespec;
#else
    const timespec& time = status.st_mtim;
#endif
    return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

void FileSearch::find(const std::string& folder, std::string_view glob, bool folders, std::vector<FoundFile>& found) {
    const std::size_t slash = glob.find('/');
    const std::string_view part = glob.substr(0, slash);
    if (slash != glob.npos) {
        const std::string_view rest = glob.substr(slash + 1);
        if (!has_wildcards(part)) return find(join(folder, part), rest, folders, found);
        for (const std::string& name : names_in(folder)) {
            if (matches(part, name)) find(join(folder, name), rest, folders, found);
        }
        return;
    }
    // A name without wildcards is asked for and not looked for; its siblings decide whether it is a copy.
    const bool plain = !has_wildcards(part) && session_name(part).unless.empty();
    const std::vector<std::string> names = plain ? std::vector{std::string(part)} : names_in(folder);
    for (const std::string& name : names) {
        if (!matches(part, name) || (!folders && (is_checkpoint_copy(name) || is_copy(name, names)))) continue;
        struct stat status {};
        std::string path = join(folder, name);
        if (::stat(path.c_str(), &status) != 0) {
            if (errno != ENOENT && errno != ENOTDIR) complain(path, errno);
            continue;
        }
        if (folders ? !S_ISDIR(status.st_mode) : !S_ISREG(status.st_mode)) continue;
        const std::uint64_t size = folders ? 0 : static_cast<std::uint64_t>(status.st_size);
        found.push_back({std::move(path), size, modified_ms(status), status.st_dev, status.st_ino});
    }
}

std::vector<std::string> FileSearch::names_in(const std::string& folder) {
    std::vector<std::string> names;
    const Directory directory(::opendir(folder.c_str()));
    if (!directory) {
        // Most of the places do not exist on most machines, and a file may stand where some agent has a folder.
        if (errno != ENOENT && errno != ENOTDIR) complain(folder, errno);
        return names;
    }
    while (const dirent* entry = ::readdir(directory.get())) {
        if (left_ == 0) {
            stopped_ = true;
            break;
        }
        --left_;
        if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
    }
    std::ranges::sort(names);
    return names;
}

void FileSearch::complain(const std::string& folder, int failure) {
    if (unread_.size() < kProblemsKept)
        unread_.push_back(fmt::format("cannot read '{}': {}", folder, reason(failure)));
    else
        ++unread_more_;
}

std::vector<std::string> FileSearch::problems() const {
    std::vector<std::string> out = unread_;
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    if (unread_more_ > 0) out.push_back(fmt::format("{} more folders could not be read", unread_more_));
    if (stopped_) {
        out.push_back(
            fmt::format("the search stopped after {} directory entries: there may be more sessions", max_entries_));
    }
    return out;
}

}  // namespace agent_audit::readers
