#include "detectors/speech/rule_places.hpp"

#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

// Behind these a word with one slash is a folder; elsewhere it may be an alternative: "client/server".
constexpr std::string_view kPrepositions[] = {"in", "inside", "under", "within", "folder", "directory"};
// "the folder", "this directory", "the folder structure": no names.
constexpr std::string_view kNoNames[] = {
    "a",       "an",     "all",   "another", "any",    "current", "each",     "every",   "existing", "my",
    "new",     "no",     "other", "our",     "own",    "root",    "same",     "some",    "that",     "the",
    "their",   "these",  "this",  "those",   "top",    "user",    "whole",    "working", "your",     "test",
    "project", "parent", "home",  "tests",   "source", "base",    "following"};
// Words with a slash that name no place.
constexpr std::string_view kAlternatives[] = {
    "and/or",     "client/server",  "server/client", "read/write", "input/output", "yes/no",
    "true/false", "on/off",         "tcp/ip",        "ui/ux",      "ci/cd",        "request/response",
    "key/value",  "public/private", "start/stop",    "get/set",    "him/her",      "he/she",
    "pass/fail",  "before/after",   "light/dark",    "add/remove"};
// Words that close a sentence: what stands before them is over.
constexpr std::string_view kClosings[] = {"tho",    "though", "thanks",   "thx",   "ty",     "pls",
                                          "please", "ok",     "okay",     "yet",   "either", "anymore",
                                          "ever",   "again",  "yourself", "today", "now"};
constexpr std::string_view kFolders[] = {"folder", "directory", "dir", "folders", "directories"};

bool is_name_char(char c) { return is_alnum(c) || std::string_view("._-/@+*").find(c) != std::string_view::npos; }

// The words of a text, without the marks around them. `ended` = something other than a blank stands behind the word.
struct Word {
    std::string_view text;
    bool ended = false;
};
std::vector<Word> words_of(std::string_view said) {
    std::vector<Word> words;
    for (std::size_t begin = 0, end = 0; begin < said.size(); begin = end) {
        while (begin < said.size() && !is_name_char(said[begin])) ++begin;
        for (end = begin; end < said.size() && is_name_char(said[end]);) ++end;
        std::string_view word = said.substr(begin, end - begin);
        const std::size_t next = said.find_first_not_of(" `'\"", end);
        bool ended = next == said.npos || !is_name_char(said[next]);
        while (word.ends_with('.')) {
            word.remove_suffix(1);
            ended = true;
        }
        if (!word.empty()) words.push_back({word, ended});
    }
    return words;
}

bool has_one_slash(std::string_view word) {
    const std::size_t slash = word.find('/');
    return slash != word.npos && slash > 1 && slash + 2 < word.size() && word.find('/', slash + 1) == word.npos;
}

bool is_ending(std::string_view word) {
    constexpr std::size_t kLongest = 8;
    return word.size() > 1 && word.size() <= kLongest && word[0] == '.' &&
           std::ranges::all_of(word.substr(1), [](char c) { return is_alnum(c); });
}

// .github, .vscode
bool is_hidden_folder(std::string_view word) {
    return word.size() > 3 && word[0] == '.' &&
           std::ranges::all_of(word.substr(1), [](char c) { return (c >= 'a' && c <= 'z') || c == '-' || c == '_'; });
}

std::vector<std::string> places(std::string_view said, std::size_t most, bool bare_names) {
    std::vector<std::string> found = paths_in(said, most);
    const auto add = [&](std::string place) {
        if (found.size() < most && std::ranges::find(found, place) == found.end()) found.push_back(std::move(place));
    };
    const std::vector<Word> words = words_of(said);
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i].text;
        const std::string before = i > 0 ? lowered(words[i - 1].text) : std::string();
        std::string next = i + 1 < words.size() && !words[i].ended ? lowered(words[i + 1].text) : std::string();
        if (among(std::string_view(next), kClosings)) next.clear();
        if (is_ending(word) && (next == "files" || next == "file"))
            add("*" + std::string(word));
        else if (bare_names && is_hidden_folder(word))
            add(std::string(word));
        const bool names_folder = among(std::string_view(next), kFolders);
        const bool whole = bare_names && !looks_like_path(word) &&
                           !among(std::string_view(lowered(word)), kAlternatives);  // "do not touch web/legacy"
        if (has_one_slash(word) &&
            (names_folder || (next.empty() && (whole || among(std::string_view(before), kPrepositions)))))
            add(std::string(word) + "/");
        const bool structure = i + 2 < words.size() && !words[i + 1].ended && names_folder &&
                               lowered(words[i + 2].text).starts_with("structure");
        if (bare_names && names_folder && !structure && word.find('/') == word.npos &&
            !among(std::string_view(lowered(word)), kNoNames))
            add(std::string(word) + "/");
    }
    return found;
}

}  // namespace

std::vector<std::string> rule_places(std::string_view said, std::size_t most) { return places(said, most, false); }
std::vector<std::string> forbidden_places(std::string_view said, std::size_t most) { return places(said, most, true); }

}  // namespace agent_audit::detectors
