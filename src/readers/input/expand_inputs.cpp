#include "readers/input/archive.hpp"
#include "readers/input/byte_source.hpp"
#include "readers/input/directory.hpp"
#include "readers/input/find_files.hpp"
#include "readers/input/glob.hpp"
#include "readers/input/session_names.hpp"
#include "readers/input/store_plan.hpp"

#include <agent_audit/readers/input.hpp>
#include <agent_audit/readers/locations.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

namespace agent_audit {
namespace readers {
namespace {

constexpr std::string_view kEditorStore = ".vscdb";
constexpr int kDeepest = 64;  // each level holds a descriptor, and no agent nests its sessions like that

enum class Kind : std::uint8_t { file, link, directory, other };

struct Entry {
    std::string name;
    Kind kind;
};

/// A file with what it takes to see that two paths lead to it.
struct Found {
    InputPath input;
    bool is_link;
    dev_t device;
    ino_t inode;
    // A file in an archive: as long as the archive's own path, and the how manieth in it.
    std::size_t archive = std::string::npos;
    std::size_t place = 0;

    /// Files of an archive keep their order, wherever their names would put them.
    auto order() const { return std::tuple(std::string_view(input.path).substr(0, archive), place); }
};

/// Tells where files lie, without links and dots: by the path as it is given where nobody can tell.
class RealPaths {
public:
    std::string of(const Found& found) {
        const std::string_view path = found.input.path;
        const std::string_view file = path.substr(0, found.archive);
        if (file != file_ || real_.empty()) {
            std::error_code failed;
            file_ = file;
            real_ = std::filesystem::canonical(file_, failed).string();
            if (failed) real_ = file_;
        }
        return real_ + std::string(path.substr(file.size()));
    }

private:
    std::string file_, real_;  // the last one: many files lie in one archive
};

/// Databases of agents: what else has such an ending is mostly none.
bool is_agents_database(std::string_view name) {
    constexpr std::string_view kInProjects = "crush.db";  // lies in a project, and so in no place of the user's
    return name == kInProjects || std::ranges::any_of(all_locations(), [name](const Location& l) {
               return l.kind == LocationKind::store && l.glob.substr(l.glob.rfind('/') + 1) == name;
           });
}

/// Whether a file that was named may be an archive: sessions have endings of their own.
bool may_be_archive(const std::string& path) {
    const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
    return !session_name(name).wanted;
}

Kind kind_of(mode_t mode) {
    if (S_ISREG(mode)) return Kind::file;
    if (S_ISLNK(mode)) return Kind::link;
    return S_ISDIR(mode) ? Kind::directory : Kind::other;
}

Kind kind_of(int parent, const dirent& entry) {
    switch (entry.d_type) {
        case DT_REG: return Kind::file;
        case DT_LNK: return Kind::link;
        case DT_DIR: return Kind::directory;
        case DT_UNKNOWN: break;  // some file systems do not say
        default: return Kind::other;
    }
    struct stat status {};
    const int failed = ::fstatat(parent, entry.d_name, &status, AT_SYMLINK_NOFOLLOW);
    return failed ? Kind::other : kind_of(status.st_mode);
}

/// "./logs//today/" becomes "logs/today", so that one file named in two ways is one path.
std::string tidy(std::string_view path) {
    std::string out;
    for (const char c : path) {
        if (c == '/' && out.ends_with('/')) continue;
        out.push_back(c);
        if (out == "./") out.clear();
    }
    if (out.size() > 1 && out.ends_with('/')) out.pop_back();
    if (out.empty() && !path.empty()) out.push_back('.');
    return out;
}

std::string join(const std::string& folder, std::string_view name) {
    if (folder == ".") return std::string(name);
    std::string path;
    path.reserve(folder.size() + 1 + name.size());
    path.append(folder);
    if (!path.empty() && !path.ends_with('/')) path.push_back('/');
    path.append(name);
    return path;
}

class Expansion {
public:
    explicit Expansion(bool of_one) : of_one_(of_one) {}

    void add(const std::string& named) {
        if (named == "-") {
            found_.push_back({{named, 0, true, kNoTime}, false, 0, 0});
            return;
        }
        const std::string path = tidy(named);
        const std::size_t before = found_.size();
        std::size_t below = path == "." ? 0 : path.size() + (path.ends_with('/') ? 0 : 1);
        struct stat status {};
        if (::stat(path.c_str(), &status) == 0) {
            S_ISDIR(status.st_mode) ? add_directory(path) : add_named_file(path, status);
        } else if (const int failure = errno; failure == ENOENT && has_wildcards(path)) {
            add_glob(path);
            below = path.rfind('/', path.find_first_of(kWildcards)) + 1;
        } else if (const auto inside = failure == ENOTDIR ? path_in_archive(path) : std::nullopt) {
            add_inside(*inside, named);
        } else {
            problem("cannot open '{}': {}", named, reason(failure));
        }
        // What leads to nothing but itself was named: no pattern leaves it out.
        for (std::size_t i = before; i < found_.size(); ++i) {
            if (found_[i].input.path != path) found_[i].input.below = below;
        }
    }

    InputList finish() && {
        drop_repeats();
        drop_copies();
        drop_transcripts();
        InputList list;
        list.paths.reserve(found_.size());
        for (Found& found : found_) list.paths.push_back(std::move(found.input));
        std::ranges::sort(problems_);
        problems_.erase(std::unique(problems_.begin(), problems_.end()), problems_.end());
        list.problems = std::move(problems_);
        return list;
    }

private:
    template <class... Args>
    void problem(fmt::format_string<Args...> text, Args&&... args) {
        problems_.push_back(fmt::format(text, std::forward<Args>(args)...));
    }

    void add_named_file(const std::string& path, const struct stat& status) {
        if (S_ISREG(status.st_mode) && may_be_archive(path)) {
            if (const auto archived = files_in_archive(path, InputLimits{}))
                return add_archive(path, *archived, status);
        }
        add_file(path, status, true);
    }

    /// What looks like a session in a whole archive.
    void add_archive(const std::string& path, const ArchivedFiles& archived, const struct stat& status) {
        const std::size_t before = found_.size();
        add_archived(path, archived, status, {}, false);
        for (const std::string& words : archived.problems) problem("{}: {}", path, words);
        if (found_.size() == before && archived.problems.empty())
            problem("no session files in the archive '{}' (looked for {})", path, kSessionEndings);
    }

    /// A file in an archive, whatever its name, or what looks like a session in a folder of it.
    void add_inside(const PathInArchive& inside, const std::string& named) {
        struct stat status {};
        // Alone it needs no place among others, and the archive no list: that would cost as much as reading it.
        if (of_one_ && session_name(std::string_view(inside.name).substr(inside.name.rfind('/') + 1)).wanted) {
            found_.push_back(
                {{inside.archive + "/" + inside.name, 0, true, kNoTime}, false, 0, 0, inside.archive.size()});
            return;
        }
        const auto archived = ::stat(inside.archive.c_str(), &status) == 0
                                  ? files_in_archive(inside.archive, InputLimits{})
                                  : std::nullopt;
        if (!archived) return problem("cannot open '{}': {}", named, reason(ENOTDIR));
        const std::size_t before = found_.size();
        add_archived(inside.archive, *archived, status, inside.name, true);
        if (found_.size() == before)
            problem("cannot open '{}': there is no such file, and no folder with sessions, in the archive", named);
    }

    /// `below`: only this file, or what lies in the folder of this name.
    void add_archived(const std::string& path, const ArchivedFiles& archived, const struct stat& status,
                      const std::string& below, bool named) {
        std::set<std::string_view> names;
        for (const ArchivedFile& file : archived.files) names.insert(file.name);
        if (archived.in_order) ++archives_in_order_;
        bool any_event = false;
        std::size_t databases = 0;
        std::map<std::string, Found> folders;  // of sessions with a file for each event
        for (std::size_t place = 0; place < archived.files.size(); ++place) {
            const ArchivedFile& file = archived.files[place];
            const bool asked_for = file.name == below;
            if (!asked_for) {
                if (!below.empty() && !file.name.starts_with(below + "/")) continue;
                const std::size_t slash = file.name.rfind('/');
                databases += is_agents_database(file.name.substr(slash == file.name.npos ? 0 : slash + 1)) ? 1u : 0u;
                if (!is_session_in_archive(file.name, names)) continue;
                const bool event = slash != file.name.npos &&
                                   event_number(file.name.substr(0, slash), file.name.substr(slash + 1)).has_value();
                any_event = any_event || (event && archived.in_order);
                if (event && !archived.in_order)
                    add_event(folders, path, file, place, status).named |= named && file.name.substr(0, slash) == below;
                if (event) continue;
            }
            Found found{{path + "/" + file.name, file.size, named && asked_for, file.modified_ms},
                        false,
                        status.st_dev,
                        status.st_ino,
                        path.size(),
                        place};
            if (archived.in_order) found.input.in_order = archives_in_order_;
            found_.push_back(std::move(found));
        }
        for (auto& [name, folder] : folders) found_.push_back(std::move(folder));
        if (any_event)
            problem("{}: sessions with a file for each event are not read in a compressed tar archive: unpack it",
                    path);
        if (databases > 0)
            problem("{}: databases are not read in an archive: unpack it ({} that an agent may have written)", path,
                    databases);
    }

    static InputPath& add_event(std::map<std::string, Found>& folders, const std::string& archive,
                                const ArchivedFile& file, std::size_t place, const struct stat& status) {
        const std::string folder = archive + "/" + file.name.substr(0, file.name.rfind('/'));
        const auto [at, is_new] = folders.try_emplace(
            folder, Found{{folder, 0, false, kNoTime}, false, status.st_dev, status.st_ino, archive.size(), place});
        InputPath& input = at->second.input;
        input.size += file.size;
        input.modified_ms = std::max(input.modified_ms, file.modified_ms);
        return input;
    }

    static bool is_session_in_archive(std::string_view path, const std::set<std::string_view>& all) {
        std::string folder;
        for (std::string_view rest = path; rest.find('/') != rest.npos; rest.remove_prefix(rest.find('/') + 1)) {
            const std::string_view part = rest.substr(0, rest.find('/'));
            if (is_skipped_directory(part) || part == "__MACOSX") return false;
            const std::string_view original = repeated_directory(part);
            if (!original.empty() && has_copies_beside(folder, original) && holds(all, join(folder, original)))
                return false;
            folder = folder.empty() ? std::string(part) : folder + "/" + std::string(part);
        }
        const std::string_view name = path.substr(path.rfind('/') + 1);
        const SessionName session = session_name(name);
        if (!session.wanted || has_database_ending(name) || name.starts_with("._")) return false;
        return std::ranges::none_of(session.unless, [&](const std::string& other) {
            return holds(all, join(folder, other)) && has_copies_beside(folder, other);
        });
    }

    /// A file of this path, or one below it.
    static bool holds(const std::set<std::string_view>& all, const std::string& path) {
        const auto at = all.lower_bound(path);
        return at != all.end() && at->starts_with(path) && (at->size() == path.size() || (*at)[path.size()] == '/');
    }

    void add_file(std::string path, const struct stat& status, bool named) {
        struct stat self {};
        const bool is_link = named && ::lstat(path.c_str(), &self) == 0 && S_ISLNK(self.st_mode);
        add_found(std::move(path), status, named, is_link);
    }

    void add_found(std::string path, const struct stat& status, bool named, bool is_link) {
        const bool file = S_ISREG(status.st_mode);
        const std::uint64_t size = file ? static_cast<std::uint64_t>(status.st_size) : 0;
        const std::int64_t time = file ? modified_ms(status) : kNoTime;
        found_.push_back({{std::move(path), size, named, time}, is_link, status.st_dev, status.st_ino});
    }

    void add_directory(const std::string& path) {
        const std::size_t files = found_.size();
        const std::size_t problems = problems_.size();
        const std::size_t links = links_to_folders_;
        walk(AT_FDCWD, path, path, 0);
        if (found_.size() == files && problems_.size() == problems) {
            const char* note = links_to_folders_ > links ? "; links to folders are not followed" : "";
            problem("no session files below '{}' (looked for {}{})", path, kSessionEndings, note);
        }
    }

    Directory open_directory(int parent, const std::string& name, const std::string& path) {
        const int fd = ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
        Directory directory(fd < 0 ? nullptr : ::fdopendir(fd));
        if (!directory) {
            problem("cannot read directory '{}': {}", path, reason(errno));
            if (fd >= 0) ::close(fd);
        }
        return directory;
    }

    static std::vector<Entry> entries_of(DIR* directory) {
        std::vector<Entry> entries;
        while (const dirent* entry = ::readdir(directory)) {
            const std::string_view name = entry->d_name;
            if (name != "." && name != "..")
                entries.push_back({std::string(name), kind_of(::dirfd(directory), *entry)});
        }
        std::ranges::sort(entries, {}, &Entry::name);
        return entries;
    }

    static bool has(const std::vector<Entry>& entries, const std::string& name) {
        return std::ranges::binary_search(entries, name, {}, &Entry::name);
    }

    static bool has_original(std::string_view folder, const std::vector<Entry>& entries, const std::string& original) {
        return has(entries, original) && has_copies_beside(folder, original);
    }

    /// Everything below a directory that looks like a session. Links to directories are not followed: they may
    /// lead out of the tree, or round in circles.
    void walk(int parent, const std::string& name, const std::string& path, int depth) {
        if (too_deep(path, depth)) return;
        const Directory directory = open_directory(parent, name, path);
        if (!directory) return;
        const int fd = ::dirfd(directory.get());
        const std::vector<Entry> entries = entries_of(directory.get());
        for (const Entry& entry : entries) {
            if (entry.kind == Kind::directory) {
                const std::string original(repeated_directory(entry.name));
                const bool copy = !original.empty() && has_original(path, entries, original);
                if (!is_skipped_directory(entry.name) && !copy) walk(fd, entry.name, join(path, entry.name), depth + 1);
            } else if (entry.kind != Kind::other && !event_number(path, entry.name)) {
                consider(fd, entry, path, entries);
            }
        }
        add_events(fd, path, entries);
    }

    /// The files that are a session together are one input: their folder.
    void add_events(int fd, const std::string& path, const std::vector<Entry>& entries) {
        InputPath folder{path, 0, false, kNoTime};
        bool any = false;
        for (const Entry& entry : entries) {
            struct stat status {};
            if (entry.kind == Kind::directory || entry.kind == Kind::other || !event_number(path, entry.name)) continue;
            if (::fstatat(fd, entry.name.c_str(), &status, 0) != 0 || !S_ISREG(status.st_mode)) continue;
            folder.size += static_cast<std::uint64_t>(status.st_size);
            folder.modified_ms = std::max(folder.modified_ms, modified_ms(status));
            any = true;
        }
        struct stat self {};
        if (any && ::fstat(fd, &self) == 0) found_.push_back({std::move(folder), false, self.st_dev, self.st_ino});
    }

    void consider(int parent, const Entry& entry, const std::string& folder, const std::vector<Entry>& siblings) {
        const SessionName name = session_name(entry.name);
        if (!name.wanted) {
            struct stat status {};
            const bool to_folder = entry.kind == Kind::link && ::fstatat(parent, entry.name.c_str(), &status, 0) == 0 &&
                                   S_ISDIR(status.st_mode);
            links_to_folders_ += to_folder ? 1 : 0;
            return;
        }
        const auto copied_from = [&](const std::string& other) { return has_original(folder, siblings, other); };
        if (std::ranges::any_of(name.unless, copied_from)) return;
        struct stat status {};
        if (::fstatat(parent, entry.name.c_str(), &status, 0) != 0) {
            const int failure = errno;  // gone since it was listed, or a link that leads nowhere
            problem("cannot open '{}': {}", join(folder, entry.name), reason(failure));
        } else if (S_ISREG(status.st_mode)) {
            add_found(join(folder, entry.name), status, false, entry.kind == Kind::link);
        }
    }

    void add_glob(const std::string& pattern) {
        const std::size_t files = found_.size();
        const std::size_t problems = problems_.size();
        const bool absolute = pattern.starts_with('/');
        expand(absolute ? "/" : ".", std::string_view(pattern).substr(absolute ? 1 : 0), 0);
        if (found_.size() == files && problems_.size() == problems) problem("nothing matches '{}'", pattern);
    }

    /// Matches `pattern` below `folder`.
    void expand(const std::string& folder, std::string_view pattern, int depth) {
        if (too_deep(folder, depth)) return;
        const std::size_t slash = pattern.find('/');
        const std::string_view part = pattern.substr(0, slash);
        const bool last = slash == pattern.npos;
        const std::string_view rest = last ? std::string_view{} : pattern.substr(slash + 1);
        if (part == "**") return expand_any_depth(folder, last ? "*" : rest, last, depth);
        if (!has_wildcards(part)) {
            const std::string path = join(folder, part);
            return last ? add_match(path, true) : expand(path, rest, depth + 1);
        }
        for (const Entry& entry : list(folder)) {
            if (!matches(part, entry.name)) continue;
            const std::string path = join(folder, entry.name);
            if (last) {
                add_match(path, true);
            } else if (entry.kind == Kind::directory || entry.kind == Kind::link) {
                expand(path, rest, depth + 1);
            }
        }
    }

    void expand_any_depth(const std::string& folder, std::string_view rest, bool files_only, int depth) {
        if (too_deep(folder, depth)) return;
        while (rest.starts_with("**/")) rest.remove_prefix(3);  // "**/**/" says nothing more, only slower
        if (files_only) {
            for (const Entry& entry : list(folder)) {
                if (matches("*", entry.name)) add_match(join(folder, entry.name), false);
            }
        } else {
            expand(folder, rest, depth);
        }
        for (const Entry& entry : list(folder)) {
            if (entry.kind != Kind::directory || entry.name.starts_with('.') || is_skipped_directory(entry.name))
                continue;
            expand_any_depth(join(folder, entry.name), rest, files_only, depth + 1);
        }
    }

    std::vector<Entry> list(const std::string& folder) {
        const Directory directory(::opendir(folder.c_str()));
        if (directory) return entries_of(directory.get());
        // What is no folder, or is not there, does not match. What may not be read might.
        if (const int failure = errno; failure != ENOENT && failure != ENOTDIR) {
            problem("cannot read directory '{}': {}", folder, reason(failure));
        }
        return {};
    }

    bool too_deep(const std::string& path, int depth) {
        if (depth <= kDeepest) return false;
        problem("directory '{}' is nested more than {} levels deep: not read", path, kDeepest);
        return true;
    }

    void add_match(const std::string& path, bool enter_directories) {
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0) return;
        if (S_ISREG(status.st_mode)) {
            add_named_file(path, status);
        } else if (S_ISDIR(status.st_mode) && enter_directories) {
            walk(AT_FDCWD, path, path, 0);
        }
    }

    /// Sorts by path; drops paths that came twice, however they are spelled, and links to files that are there
    /// themselves.
    void drop_repeats() {
        std::ranges::stable_sort(found_, [](const Found& a, const Found& b) {
            // Named before found: which of two entries of one path stays must not depend on the order of arguments.
            const auto order = a.order() <=> b.order();
            if (order != 0) return order < 0;
            return std::tuple(a.input.named, a.input.below) > std::tuple(b.input.named, b.input.below);
        });
        const auto same_path = [](const Found& a, const Found& b) { return a.input.path == b.input.path; };
        found_.erase(std::unique(found_.begin(), found_.end(), same_path), found_.end());

        // The real file stays, or the first of several links to one that is not in the list.
        using Identity = std::tuple<dev_t, ino_t, bool, std::size_t>;
        std::vector<Identity> by_file;
        for (std::size_t i = 0; i < found_.size(); ++i) {
            by_file.emplace_back(found_[i].device, found_[i].inode, found_[i].is_link, i);
        }
        std::ranges::sort(by_file);
        std::vector<bool> drop(found_.size());
        RealPaths real;
        std::set<std::string> places;  // of the file at hand: hard links are files of their own
        for (std::size_t i = 1; i < by_file.size(); ++i) {
            const auto& [device, inode, is_link, index] = by_file[i];
            const auto& [device_before, inode_before, link_before, index_before] = by_file[i - 1];
            if (device != device_before || inode != inode_before) {
                places.clear();
            } else if (is_link) {
                drop[index] = true;
            } else {
                if (places.empty()) places.insert(real.of(found_[index_before]));
                drop[index] = !places.insert(real.of(found_[index])).second;
            }
        }
        std::size_t i = 0;
        std::erase_if(found_, [&](const Found&) { return drop[i++]; });
    }

    /// A list or a glob names both records that an agent keeps of a session, as a folder has both: one of them counts.
    void drop_copies() {
        std::set<std::string_view> all;
        for (const Found& found : found_) all.insert(found.input.path);
        std::vector<bool> drop;
        for (const Found& found : found_) {
            const std::string_view path = found.input.path;
            const std::size_t slash = path.rfind('/');
            const std::string folder(path.substr(0, slash == path.npos ? 0 : slash));
            const SessionName name = session_name(path.substr(slash == path.npos ? 0 : slash + 1));
            drop.push_back(std::ranges::any_of(name.unless, [&](const std::string& other) {
                return holds(all, slash == 0 ? "/" + other : join(folder, other)) && has_copies_beside(folder, other);
            }));
        }
        std::size_t i = 0;
        std::erase_if(found_, [&](const Found&) { return drop[i++]; });
    }

    /// Of chats that a database keeps whole: one of its own, or one of many chats.
    void drop_transcripts() {
        std::set<std::string, std::less<>> stored, transcribed;
        for (const Found& found : found_) {
            if (const auto chat = stored_chat(found.input.path); !chat.empty()) stored.emplace(chat);
            if (const auto chat = transcribed_chat(found.input.path); !chat.empty() && !found.input.named)
                transcribed.emplace(chat);
        }
        if (transcribed.empty()) return;
        for (const Found& found : found_) {
            if (!found.input.path.ends_with(kEditorStore) || found.archive != std::string::npos) continue;
            std::vector<std::string> chats(transcribed.begin(), transcribed.end());
            for (std::string& chat : stored_chats(found.input.path, std::move(chats))) stored.insert(std::move(chat));
        }
        if (stored.empty()) return;
        std::erase_if(found_, [&stored](const Found& found) {
            return !found.input.named && stored.contains(transcribed_chat(found.input.path));
        });
    }

    std::vector<Found> found_;
    std::vector<std::string> problems_;
    std::size_t links_to_folders_ = 0;  // that were passed by
    std::uint32_t archives_in_order_ = 0;
    bool of_one_;
};

}  // namespace
}  // namespace readers

InputList expand_inputs(const std::vector<std::string>& named) {
    readers::Expansion expansion(named.size() == 1);
    for (const std::string& name : named) expansion.add(name);
    return std::move(expansion).finish();
}

}  // namespace agent_audit
