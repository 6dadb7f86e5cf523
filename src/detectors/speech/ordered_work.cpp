#include "detectors/speech/ordered_work.hpp"

#include "detectors/speech/consent.hpp"
#include "detectors/speech/order_words.hpp"
#include "detectors/speech/stated_rules.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace agent_audit::detectors {

bool is_wide_order(std::string_view lower) {
    constexpr std::string_view kWide[] = {" all ",      " every ",    " everywhere",   " whole ",
                                          " entire ",   " the rest ", " the others ",  " the other ",
                                          " whatever ", " any file",  " anything you "};
    constexpr std::string_view kWork[] = {"adapt",    "adjust", "apply",  "change",    "clean",   "convert", "do",
                                          "edit",     "extend", "fix",    "implement", "migrate", "modify",  "port",
                                          "refactor", "remove", "rename", "replace",   "rewrite", "roll",    "update"};
    constexpr std::string_view kNewTask[] = {"next task",  "new task",   "another task", "different task",
                                             "next topic", "new topic",  "next:",        "next up",
                                             "next bug",   "next issue", "next thing"};
    if (starts_with_any(lower, kNewTask)) return true;
    if (denied(lower) || !contains_any(std::string(" ").append(lower).append(" "), kWide)) return false;
    return among(verb_of_order(lower), kWork) || permission_in(lower) != lower.npos;
}

bool orders_anything(std::string_view lower) {
    return !denied(lower) && any_word(lower, [](std::string_view word, std::size_t) { return among(word, kOrders); });
}

bool orders_widely(std::string_view message) {
    return any_sentence(
        message, [](std::string_view said) { return is_wide_order(lowered(said)) && stated_rules(said).empty(); });
}

bool works_in_files(std::string_view message) {
    constexpr std::string_view kRepairs[] = {"adjust",   "change",  "clean",    "correct",  "debug",  "document",
                                             "edit",     "fix",     "format",   "improve",  "modify", "optimise",
                                             "optimize", "polish",  "refactor", "reformat", "repair", "replace",
                                             "rewrite",  "shorten", "simplify", "tidy",     "touch",  "update"};
    constexpr std::string_view kFaults[] = {
        "wrong",        "broken",       "buggy",     " bug",     "typo",       "off-by",       "off by",
        "outdated",     "incorrect",    "expected",  "chokes",   "crashes",    "throws",       "fails",
        "hangs",        "leaks",        "breaks",    "too slow", "is slow",    " should ",     " must ",
        " needs ",      "doesn't",      "doesn’t",   "does not", "isn't",      "isn’t",        " is not ",
        " is off",      "hard to read", "missing",   "lacks",    "fix needed", "needs fixing", "small thing",
        "small change", "minor change", "correction"};
    // What is pointed at is no place of work: "use the logger from lib/log.ts", "our rounding is in round.ts".
    constexpr std::string_view kPoints[] = {
        "see",       "like",         "like in",  "as in",     "from",         "with",  "use",    "using",
        "to",        "follow-up to", "based on", "on top of", "described in", "is in", "are in", "lives in",
        "stands in", "according to", "such as",  "by",        "than",         "("};
    constexpr std::string_view kMake = "make", kIn = "in", kOf = "of", kMarks = "`'\"@*";
    return any_sentence(message, [&](std::string_view said) {
        const std::vector<std::string> paths = paths_in(said, 1);
        if (paths.empty()) return false;
        if (std::ranges::any_of(said, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
            return true;  // in words that are not known here
        const std::string lower = lowered(said);
        const std::size_t at = std::min(lower.find(lowered(paths.front())), lower.size());
        std::string_view before = trimmed(std::string_view(lower).substr(0, at)),
                         behind = std::string_view(lower).substr(std::min(at + paths.front().size(), lower.size()));
        while (!before.empty() && kMarks.find(before.back()) != kMarks.npos)
            before = trimmed(before.substr(0, before.size() - 1));
        while (!behind.empty() && kMarks.find(behind.front()) != kMarks.npos) behind.remove_prefix(1);
        const auto ends_so = [&](std::string_view word) {
            return before.ends_with(word) && (before.size() == word.size() || !is_letter(word[0]) ||
                                              !is_letter(before[before.size() - word.size() - 1]));
        };
        const bool of_trace = behind.size() > 1 && behind[0] == ':' && is_digit(behind[1]);
        if (of_trace || std::ranges::any_of(kPoints, ends_so)) return false;
        if (before == kIn || contains_any(lower, kFaults)) return true;
        const std::string_view verb = verb_of_order(lower);
        return among(verb, kRepairs) || (verb == kMake && (before.ends_with(kMake) || ends_so(kIn) || ends_so(kOf)));
    });
}

namespace {

constexpr std::string_view kEachWords[] = {"each ", "every ", "all "};
constexpr std::string_view kEveryFile[] = {
    "jede datei",         "jeder datei",       "alle dateien",  "allen dateien",     "jedes modul",  "alle module",
    "chaque fichier",     "tous les fichiers", "chaque module", "tous les modules",  "cada archivo", "cada fichero",
    "todos los archivos", "cada arquivo",      "cada módulo",   "todos os arquivos", "каждый файл",  "все файлы",
    "каждый модуль",      "所有文件",          "每个文件",      "所有模块",          "每个模块",     "すべてのファイル",
    "全ファイル",         "各ファイル",        "모든 파일"};
// A list that is kept somewhere: what stands on it may be about anything.
constexpr std::string_view kLists[] = {
    "tasks in ", "tasks from ",    "items in ",    "items on ",     "todos in ",  "todo.md",
    "todo.txt",  "open issues",    "open tickets", "ticket queue",  "issue list", "list of tasks",
    "backlog",   "list of issues", "aufgaben in ", "aufgaben aus ", "tareas de ", "tâches de "};
constexpr std::string_view kWorksOff[] = {"do",      "work",  "go",       "finish",    "complete", "implement",
                                          "process", "clear", "handle",   "tackle",    "solve",    "fix",
                                          "resolve", "start", "erledige", "bearbeite", "haz",      "fais"};
constexpr PhraseSet kListSet(kLists);
constexpr PhraseSet kEachSet(kEachWords);
constexpr PhraseSet kEveryFileSet(kEveryFile);

bool works_off_list(std::string_view message) {
    return kListSet.in(message) && any_sentence(message, [](std::string_view said) {
               const std::string lower = lowered(said);
               return kListSet.in(lower) && among(verb_of_order(lower), kWorksOff);
           });
}

}  // namespace

bool works_in_every_file(std::string_view message) {
    constexpr std::string_view kFiles[] = {"file",      "files",      "module",  "modules",  "package", "packages",
                                           "component", "components", "class",   "classes",  "script",  "scripts",
                                           "page",      "pages",      "service", "services", "crate",   "crates",
                                           "header",    "headers",    "source",  "sources"};
    constexpr std::string_view kSmall[] = {"of", "the",  "our",  "my", "these", "those",
                                           "in", "from", "with", "to", "on"};
    constexpr std::string_view kTime = "time";
    constexpr int kWords = 3;            // "every single React component"
    constexpr std::size_t kLooked = 64;  // bytes
    if (kEveryFileSet.in(message) || works_off_list(message)) return true;
    return kEachSet.any(message, [&](std::size_t at, std::string_view each) {
        if (at > 0 && is_letter(message[at - 1])) return false;
        int left = kWords;
        return any_word(lowered(message.substr(at + each.size(), kLooked)), [&](std::string_view word, std::size_t) {
            // "all of the old modules", but not "all tests of the module" or "every time the page is opened".
            if (among(word, kSmall) && left == kWords) return false;
            if (among(word, kSmall) || word == kTime) left = 0;
            return left-- > 0 && among(word, kFiles);
        });
    });
}

bool orders_elsewhere(std::string_view message) {
    constexpr std::string_view kBuilds[] = {
        "add",       "apply",     "build", "change",  "convert", "create",  "do",      "extend", "implement", "improve",
        "integrate", "introduce", "make",  "migrate", "port",    "replace", "support", "update", "write"};
    constexpr std::string_view kAlso[] = {"also ",          "besides ",      "besides, ",
                                          "in addition ",   "in addition, ", "additionally ",
                                          "additionally, ", "plus ",         "furthermore "};
    // The file that was named before, or nothing that is changed: "make it strict", "make sure that", "add a comment".
    constexpr std::string_view kSame[] = {"it",   "its",   "this", "that", "them", "these", "those",
                                          "sure", "there", "so",   "not",  "no",   "what",  "nothing"};
    constexpr std::string_view kBeside[] = {"test",   "spec",   "doc",  "comment",    "changelog",
                                            "readme", "commit", "note", "correction", "release"};
    return any_sentence(message, [&](std::string_view said) {
        const std::string lower = lowered(said);
        std::string_view sentence = lower;
        if (contains_any(sentence, kBeside) || !paths_in(said, 1).empty() || !stated_rules(said).empty()) return false;
        if (starts_with_any(sentence, kAlso) && contains_any(sentence, kWants)) return true;
        const std::string_view verb = verb_of_order(sentence);
        if (!among(verb, kBuilds)) return false;
        const std::string_view object =
            trimmed(sentence.substr(static_cast<std::size_t>(verb.data() - sentence.data()) + verb.size()));
        return !object.empty() && !among(letters_of(object), kSame);
    });
}

bool goes_elsewhere(std::string_view message) {
    constexpr std::string_view kElsewhere[] = {"the same ",     "ci is ",     "ci fails",  "build is ",
                                               "build fails",   "type error", "compile",   "tests fail",
                                               "tests are red", "the rest",   "the others"};
    return contains_any(lowered(message), kElsewhere) || orders_elsewhere(message) || orders_widely(message);
}

}  // namespace agent_audit::detectors
