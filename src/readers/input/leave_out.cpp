#include "readers/input/glob.hpp"

#include <agent_audit/readers/input.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit {
namespace {

using Parts = std::vector<std::string_view>;

constexpr std::size_t kMostAlternatives = 1000;
constexpr std::string_view kAnyFolders = "**";

/// "a//b/" becomes "a" and "b".
Parts parts_of(std::string_view path) {
    Parts parts;
    while (!path.empty()) {
        const std::size_t slash = std::min(path.find('/'), path.size());
        if (const std::string_view part = path.substr(0, slash); !part.empty() && part != ".") parts.push_back(part);
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return parts;
}

/// Behind the set that begins at `at`; npos when it is not closed.
std::size_t behind_set(std::string_view text, std::size_t at) {
    std::size_t first = at + 1;
    if (first < text.size() && (text[first] == '!' || text[first] == '^')) ++first;
    const std::size_t close = text.find(']', first + 1);  // a ] right after the opening is a member
    return close == text.npos ? text.npos : close + 1;
}

/// The next of these characters from `at` on that is in no set; npos when there is none.
std::size_t find_outside_sets(std::string_view text, std::string_view wanted, std::size_t at) {
    while (at < text.size()) {
        if (wanted.find(text[at]) != wanted.npos) return at;
        const std::size_t behind = text[at] == '[' ? behind_set(text, at) : text.npos;
        at = behind == text.npos ? at + 1 : behind;
    }
    return text.npos;
}

/// "{a,b{1,2}}" as it stands in a pattern: where it ends, and what it offers.
struct Braces {
    std::size_t end = std::string_view::npos;  // behind the last brace; npos: there is none
    std::vector<std::string_view> choices{};
};

Braces braces_at(std::string_view text, std::size_t open) {
    Braces braces;
    std::size_t begin = open + 1;
    int depth = 1;
    for (std::size_t at = begin; (at = find_outside_sets(text, "{,}", at)) != text.npos; ++at) {
        if (text[at] == '{') ++depth;
        if (text[at] == '}') --depth;
        if (depth > 1 || text[at] == '{' || (text[at] == '}' && depth == 1)) continue;
        braces.choices.push_back(text.substr(begin, at - begin));
        begin = at + 1;
        if (depth > 0) continue;
        braces.end = begin;
        break;
    }
    return braces;
}

/// Each pattern that one with braces stands for; false when there are too many.
bool add_alternatives(const std::string& pattern, std::vector<std::string>& out) {
    const std::size_t open = find_outside_sets(pattern, "{", 0);
    const Braces braces = open == pattern.npos ? Braces{} : braces_at(pattern, open);
    if (braces.end == pattern.npos) {
        out.push_back(pattern);
        return out.size() <= kMostAlternatives;
    }
    for (const std::string_view choice : braces.choices) {
        const std::string one = pattern.substr(0, open).append(choice).append(pattern, braces.end);
        if (!add_alternatives(one, out)) return false;
    }
    return true;
}

/// One pattern without braces.
class Exclusion {
public:
    explicit Exclusion(std::string_view pattern)
        : parts_(parts_of(pattern)), folders_only_(pattern.ends_with('/')), absolute_(pattern.starts_with('/')) {
        if (parts_.empty()) return;
        // As in .gitignore a slash ties it to where the path begins; one at the end does not.
        const std::size_t slash = pattern.find('/');
        if (slash == pattern.npos || slash + 1 == pattern.size()) parts_.insert(parts_.begin(), kAnyFolders);
        if (parts_.back() == kAnyFolders) parts_.push_back("*");  // "a/**" is what lies in a
    }

    /// Whether it means what lies below a folder that was named. "logs/old/**" means it as "old/**" does, for that is
    /// how paths are listed; a bare name is looked for below the folder alone: ".*" is not all of ~/.claude/projects.
    bool matches(std::string_view path, std::size_t below) const {
        const Parts folder = parts_of(path.substr(0, below)), found = parts_of(path.substr(below));
        if (parts_.empty()) return false;
        if (matches_from(found, 0)) return true;
        if (folder.empty() || parts_.front() == kAnyFolders || absolute_ != path.starts_with('/')) return false;
        return matches_from(parts_of(path), folder.size());
    }

private:
    /// A folder that matches takes with it all that lies below. The first `named` parts were asked for.
    bool matches_from(std::span<const std::string_view> path, std::size_t named) const {
        const std::size_t longest = path.size() - (folders_only_ && !path.empty() ? 1 : 0);
        for (std::size_t length = named + 1; length <= longest; ++length) {
            if (matches_all(path.first(length))) return true;
        }
        return false;
    }

    /// As matches() of glob.hpp, with ** over parts as * over bytes.
    bool matches_all(std::span<const std::string_view> path) const {
        std::size_t p = 0, n = 0;
        std::optional<std::size_t> any;
        std::size_t any_took_to = 0;
        while (n < path.size()) {
            if (p < parts_.size() && parts_[p] == kAnyFolders) {
                any = p++;
                any_took_to = n;
            } else if (p < parts_.size() && readers::matches_dotted(parts_[p], path[n])) {
                ++p;
                ++n;
            } else if (any) {
                p = *any + 1;
                n = ++any_took_to;
            } else {
                return false;
            }
        }
        return p == parts_.size();
    }

    Parts parts_;
    bool folders_only_, absolute_;
};

class Exclusions {
public:
    explicit Exclusions(std::span<const std::string> patterns) {
        for (const std::string& pattern : patterns) add_alternatives(pattern, texts_);
        for (const std::string& text : texts_) all_.emplace_back(text);
    }

    bool match(std::string_view path, std::size_t below) const {
        return std::ranges::any_of(all_, [=](const Exclusion& one) { return one.matches(path, below); });
    }

private:
    std::vector<std::string> texts_;  // all_ has views into it
    std::vector<Exclusion> all_;
};

/// "[z-a]" and "[ab": sets that match nothing, or are none.
std::string set_problem(std::string_view pattern) {
    for (std::size_t at = 0; (at = find_outside_sets(pattern, "[", at)) != pattern.npos;) {
        const std::size_t behind = behind_set(pattern, at);
        if (behind == pattern.npos) return "a [ is not closed";
        for (std::size_t dash = at + 2; dash + 2 < behind; ++dash) {
            const auto first = static_cast<unsigned char>(pattern[dash - 1]);
            const auto last = static_cast<unsigned char>(pattern[dash + 1]);
            if (pattern[dash] == '-' && first > last)
                return fmt::format("the range {} is empty", pattern.substr(dash - 1, 3));
        }
        at = behind;
    }
    return {};
}

std::string brace_problem(std::string_view pattern) {
    int depth = 0;
    for (std::size_t at = 0; (at = find_outside_sets(pattern, "{}", at)) != pattern.npos; ++at) {
        depth += pattern[at] == '{' ? 1 : -1;
        if (depth < 0) return "a } is not opened";
    }
    if (depth > 0) return "a { is not closed";
    std::vector<std::string> all;
    return add_alternatives(std::string(pattern), all) ? "" : "its braces stand for too many patterns";
}

}  // namespace

std::string exclusion_problem(std::string_view pattern) {
    if (pattern.starts_with('!')) return "what matches is left out, without a ! before it";
    if (parts_of(pattern).empty()) return "this one names nothing";
    const std::string problem = set_problem(pattern);
    return problem.empty() ? brace_problem(pattern) : problem;
}

bool is_left_out(std::string_view path, std::size_t below, std::span<const std::string> patterns) {
    return !patterns.empty() && below <= path.size() && Exclusions(patterns).match(path, below);
}

void leave_out(InputList& list, std::span<const std::string> patterns) {
    if (patterns.empty()) return;
    const Exclusions exclusions(patterns);
    const std::size_t gone = std::erase_if(list.paths, [&](const InputPath& input) {
        return input.below <= input.path.size() && exclusions.match(input.path, input.below);
    });
    if (gone > 0 && list.paths.empty())
        list.problems.push_back(fmt::format("nothing is left to read: exclude leaves out what was found ({} file{})",
                                            gone, gone == 1 ? "" : "s"));
}

}  // namespace agent_audit
