#include "detectors/engine/rule_object.hpp"

#include "detectors/engine/phrases.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

// "the signature of run() in core.py", "the comments in main.c": about a part of the file, of which a step tells nothing.
bool names_a_part(std::string_view lower, std::string_view path) {
    constexpr std::string_view kOf[] = {" of", " in", " from", " within", " inside", " to"};
    constexpr std::string_view kWholes[] = {"any",   "anything", "file",  "files", "code",     "the",      "all",  "something", "everything", "things",
                                            "stuff", "of",       "a",     "single", "line",    "lines",    "byte", "content",   "contents",
                                            "tests", "existing", "source", "sources", "what",  "whatever", "is",   "that",      "generated",  "other",
                                            "my",    "our",      "this",  "these", "those",    "at",   "one",       "it",         "in",
                                            "to",    "change",   "changes", "edits", "modifications", "directory", "folder"};
    const std::string low_path = lowered(path);
    std::string_view head = trimmed(lower.substr(0, std::min(lower.find(low_path), lower.size())));
    while (!head.empty() && std::string_view("`'\" ").find(head.back()) != std::string_view::npos) head.remove_suffix(1);
    constexpr std::string_view kPlaces[] = {" the file", " file", " the module", " the", " module"};
    for (const std::string_view place : kPlaces) {
        if (head.ends_with(place)) head.remove_suffix(place.size());
    }
    const auto of = std::ranges::find_if(kOf, [&](std::string_view word) { return head.ends_with(word); });
    if (of == std::end(kOf)) return false;
    head.remove_suffix(of->size());
    head.remove_prefix(std::min(head.find(' '), head.size()));  // the verb
    if (head.find(" else") != head.npos) return true;
    for (head = trimmed(head); !head.empty(); head = trimmed(head)) {
        const std::string_view word = head.substr(0, head.find(' '));
        if (std::ranges::find(kWholes, word) == std::end(kWholes)) return true;
        head.remove_prefix(word.size());
    }
    return false;
}

// "how a.py parses dates"
bool names_a_behaviour(std::string_view lower) {
    constexpr std::string_view kQuestions[] = {"how ", "what ", "the way ", "where ", "why ", "whether "};
    return starts_with_any(trimmed(lower.substr(std::min(lower.find(' '), lower.size()))), kQuestions);
}

// What stands behind the last of the files: "with sed", "in one commit", "first".
bool names_a_way(std::string_view lower, std::string_view last) {
    constexpr std::string_view kWays[] = {"with ", "in place", "in one ", "in a single ", "in the same ", "only", "alone", "first", "while the ", "while it ", "while there ", "at the same ", "together", "using ", "via "};
    const std::size_t at = lower.rfind(lowered(last));
    if (at == lower.npos) return false;
    std::string_view rest = lower.substr(at + last.size());
    while (!rest.empty() && std::string_view("`'\" /").find(rest.front()) != std::string_view::npos) rest.remove_prefix(1);
    return starts_with_any(rest, kWays);
}

}  // namespace

bool names_less(std::string_view lower, const std::vector<std::string>& paths) {
    if (paths.empty()) return false;
    return names_a_part(lower, paths.front()) || names_a_behaviour(lower) || names_a_way(lower, paths.back());
}

}  // namespace agent_audit::detectors
