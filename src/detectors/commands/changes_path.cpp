#include "detectors/commands/changes_path.hpp"

#include "detectors/commands/shell_line.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace agent_audit::detectors {
namespace {

// `cd deploy && rm prod.env`: words of a command that stand for files below the folder that the line went to.
bool changes_below(std::string_view line, std::string_view target) {
    constexpr std::string_view kChangers[] = {"rm ",     "mv ",    "cp ",     "tee ",     "truncate ",
                                              "touch ",  "sed -i", "perl -i", "perl -pi", "git rm ",
                                              "git mv ", "rmdir ", "unlink "};
    if (line.find("cd ") == line.npos) return false;
    std::string folder;
    return any_command(line, [&](std::string_view part) {
        if (part.starts_with("cd ")) {
            folder = trimmed(part.substr(3));
            while (folder.ends_with('/')) folder.pop_back();
            if (folder.find_first_of(" '\"$~-") != folder.npos || folder.starts_with("..")) folder.clear();
            return false;
        }
        if (folder.empty()) return false;
        const std::string shown = with_quotes_hidden(part);
        const std::size_t goes = shown.find('>');
        const bool changer = std::ranges::any_of(kChangers, [&](std::string_view c) { return part.starts_with(c); });
        if (!changer && goes == shown.npos) return false;
        std::string_view words = std::string_view(shown).substr(changer ? 0 : goes);
        if (part.starts_with("cp ")) words = words.substr(words.find_last_of(' '));
        words.remove_prefix(std::min(words.find(' '), words.size()));
        for (words = trimmed(words); !words.empty(); words = trimmed(words)) {
            std::string_view word = words.substr(0, words.find_first_of(" \t"));
            words.remove_prefix(word.size());
            if (word.starts_with("./")) word.remove_prefix(2);
            // Only a name is certain to be one: no pattern of sed, no variable, no way up.
            const bool name = !word.empty() && std::ranges::all_of(word, [](char c) {
                return is_alnum(c) || std::string_view("._-").find(c) != std::string_view::npos;
            });
            if (name && word[0] != '-' && word != "." && word != ".." &&
                path_matches(folder + "/" + std::string(word), target))
                return true;
            if (!changer) return false;
        }
        return false;
    });
}

}  // namespace

bool changes_path(std::string_view line, std::string_view target, bool copies) {
    if (changes_below(line, target)) return true;
    constexpr std::string_view kChangers[] = {
        "rm ",     "mv ",      "cp ",           "tee ",         "truncate ", "chmod ",  "touch ", "sed -i",
        "perl -i", "perl -pi", "git checkout ", "git restore ", "git rm ",   "git mv ", "rmdir ", "mkdir ",
        "patch ",  "unlink ",  "ln ",           "rsync ",       "install -", "dd "};
    // Only where it goes.
    constexpr std::string_view kCopiers[] = {"cp ", "ln ", "rsync ", "install -"};
    return any_command(line, [&](std::string_view part) {
        const bool changer = std::ranges::any_of(kChangers, [&](std::string_view c) { return part.starts_with(c); });
        if (starts_with_any(part, kCopiers)) part = part.substr(part.find_last_of(' ') + 1);
        if (part.starts_with("dd ")) part = part.substr(std::min(part.find("of="), part.size()));
        if (changer && names_path(part, target, copies)) return true;
        const std::string shown = with_quotes_hidden(part);
        for (std::size_t at = shown.find('>'); at != shown.npos; at = shown.find('>', at + 1)) {
            if (at > 0 && (part[at - 1] == '-' || part[at - 1] == '=')) continue;
            std::string_view rest = trimmed(part.substr(at + 1));
            if (rest.starts_with('>')) rest = trimmed(rest.substr(1));
            if (names_path(rest.substr(0, rest.find(' ')), target, copies)) return true;
        }
        return false;
    });
}

}  // namespace agent_audit::detectors
