#include "detectors/speech/sentence_parts.hpp"

#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <string>

namespace agent_audit::detectors {

bool ends_clause(std::string_view rest) {
    return rest.empty() || std::string_view(",.;:!?)").find(rest[0]) != std::string_view::npos;
}

bool closes(std::string_view rest) {
    constexpr std::string_view kTimes[] = {"from now on", "anymore", "any more", "today", "this time", "for now"};
    if (ends_clause(rest)) return true;
    for (const std::string_view time : kTimes) {
        if (!rest.starts_with(time)) continue;
        const std::string_view behind = trimmed(rest.substr(time.size()));
        return ends_clause(behind) || behind.starts_with('-') || closes(behind);
    }
    return starts_with_any(rest, kClosers);
}

std::string_view letters_of(std::string_view text) {
    return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter) - text.begin()));
}

std::string_view last_clause(std::string_view head) {
    for (const std::string_view cut : {", ", ": ", " - ", "! ", " and "}) {
        if (const std::size_t at = head.rfind(cut); at != head.npos) head.remove_prefix(at + cut.size());
    }
    return trimmed(head);
}

bool negated(std::string_view text) {
    constexpr std::string_view kNots[] = {"not ", "n't ", "n’t ", "never ", "cannot ", "dont ", "nothing "};
    return contains_any(std::string(text).append(" "), kNots);
}

bool begins_with_change(std::string_view lower) {
    constexpr std::string_view kChanges[] = {"change ", "edit ",    "modify ",        "touch ",       "update ",
                                             "fix ",    "rewrite ", "please change ", "please edit ", "please fix "};
    return starts_with_any(lower, kChanges);
}

namespace {

/// "Mend src/a.py, the tests", "change a.py and b.py": what an order begins is not what the verb behind is about.
std::string_view behind_order(std::string_view head) {
    constexpr std::string_view kWorks[] = {"add ",     "change ", "clean ",     "create ",   "debug ",  "edit ",
                                           "extend ",  "fix ",    "implement ", "improve ",  "make ",   "mend ",
                                           "modify ",  "move ",   "port ",      "refactor ", "rename ", "repair ",
                                           "rewrite ", "speed ",  "update ",    "write ",    "please ", "get ",
                                           "let ",     "bring ",  "replace ",   "adapt "};
    if (!starts_with_any(lowered(head.substr(0, 12)), kWorks)) return head;
    for (const std::string_view cut : {", ", " and "}) {
        if (const std::size_t found = head.rfind(cut); found != head.npos) return head.substr(found + cut.size());
    }
    return head;
}

/// "The tests themselves are correct and (must stay unchanged)": the tests, in both of its thoughts.
std::string_view own_subject(std::string_view head) {
    constexpr std::string_view kAnd = " and", kVerbs[] = {" is ", " are ", " was ", " were ", " has ", " have "},
                               kSelves[] = {" themselves", " itself"};
    if (head.ends_with(kAnd)) {
        head.remove_suffix(kAnd.size());
        head = head.substr(0, std::min(first_of(head, kVerbs).at, head.size()));
    }
    for (const std::string_view self : kSelves) {
        if (head.ends_with(self)) head.remove_suffix(self.size());
    }
    return head;
}

}  // namespace

std::string_view subject_before(std::string_view sentence, std::size_t at) {
    std::string_view head = sentence.substr(0, at);
    for (const std::string_view cut :
         {", and ", ", but ", "; ", ": ", ", so ", " - ", " – ", " — ", " but ", " while ", " because ", " since "}) {
        if (const std::size_t found = head.rfind(cut); found != head.npos) head.remove_prefix(found + cut.size());
    }
    return own_subject(behind_order(trimmed(head)));
}

bool leads_into_order(std::string_view said) {
    constexpr std::string_view kLeads[] = {"please", "and please", "but please", "and",        "but",
                                           "so",     "then",       "also",       "just",       "always",
                                           "first",  "you must",   "you should", "you have to"};
    return std::ranges::find(kLeads, said) != std::end(kLeads);
}

bool is_names_only(std::string_view said) {
    constexpr std::string_view kLeads[] = {"the",     "file",       "files",    "directory", "directories", "folder",
                                           "folders", "module",     "both",     "and",       "or",          "all",
                                           "of",      "everything", "anything", "in",        "under",       "note",
                                           "that",    "remember",   "please",   "also"};
    bool named = false;
    for (said = trimmed(said); !said.empty(); said = trimmed(said)) {
        std::string_view word = said.substr(0, said.find_first_of(" \t\n"));
        said.remove_prefix(word.size());
        while (!word.empty() && std::string_view("`'\",:").find(word.front()) != std::string_view::npos)
            word.remove_prefix(1);
        while (!word.empty() && std::string_view("`'\",:").find(word.back()) != std::string_view::npos)
            word.remove_suffix(1);
        const bool name =
            looks_like_path(word) || (word.find('/') != word.npos && word.size() > 2 && word.find("//") == word.npos);
        if (!name && std::ranges::find(kLeads, std::string_view(lowered(word))) == std::end(kLeads)) return false;
        named = named || name;
    }
    return named;
}

}  // namespace agent_audit::detectors
