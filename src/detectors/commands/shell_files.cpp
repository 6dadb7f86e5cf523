#include "detectors/commands/shell_files.hpp"

#include "detectors/commands/shell_line.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace agent_audit::detectors {
namespace {

struct Word {
    std::string text;
    bool certain = true;  // a shell makes nothing else of it
};

constexpr std::size_t kMostWords = 64;

// The words of a command, with what it is redirected to apart.
struct Command {
    std::vector<Word> words;
    std::vector<Word> into;
};

Command words_of(std::string_view text) {
    constexpr std::string_view kMagic = "$`*?[{~\\";
    enum class To : std::uint8_t { word, output, input };
    Command out;
    To to = To::word;
    for (std::size_t i = 0; i < text.size() && out.words.size() < kMostWords;) {
        const char c = text[i];
        if (c == ' ' || c == '\t' || c == '\n') {
            ++i;
            continue;
        }
        if (c == '>' || c == '<' || c == '&') {
            if (c != '&') to = c == '>' ? To::output : To::input;
            ++i;
            continue;
        }
        Word word;
        char quote = 0;
        for (; i < text.size(); ++i) {
            const char b = text[i];
            if (quote != 0) {
                if (b == quote) {
                    quote = 0;
                    continue;
                }
                word.certain = word.certain && (quote == '\'' || (b != '$' && b != '`' && b != '\\'));
            } else if (b == '\'' || b == '"') {
                quote = b;
                continue;
            } else if (b == ' ' || b == '\t' || b == '\n' || b == '>' || b == '<') {
                break;
            } else if (kMagic.find(b) != kMagic.npos) {
                word.certain = false;
            }
            word.text.push_back(b);
        }
        // "2>": of an output, and no word.
        const bool number =
            i < text.size() && text[i] == '>' && word.text.size() == 1 && word.text[0] >= '0' && word.text[0] <= '9';
        if (quote != 0) word.certain = false;
        if (number) continue;
        if (to != To::input) (to == To::output ? out.into : out.words).push_back(std::move(word));
        to = To::word;
    }
    return out;
}

using Words = std::span<const Word>;

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }  // npos + 1 = 0

// Everything but options.
std::vector<Word> operands(Words words) {
    std::vector<Word> out;
    bool options = true;
    for (const Word& word : words) {
        if (options && word.text == "--")
            options = false;
        else if (!options || !word.text.starts_with('-'))
            out.push_back(word);
    }
    return out;
}

bool has_option(Words words, std::string_view option) {
    return std::ranges::find(words, option, &Word::text) != words.end();
}

// sed -i.bak -E 's/a/b/' a.md, sed -i '' -e … -e … a.md, perl -0pi -e … a.md: the files, where they are changed in
// place.
std::vector<Word> edited_in_place(Words words, bool perl) {
    std::vector<Word> rest;
    bool in_place = false, script = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i].text;
        if (word.size() < 2 || word[0] != '-') {
            rest.push_back(words[i]);
            continue;
        }
        if (word.starts_with("--")) {
            in_place = in_place || word.starts_with("--in-place");
            script = script || word.starts_with("--expression=");
            if (word == "--expression" || word == "--file") {
                script = true;
                ++i;
            }
            continue;
        }
        if (perl && (word[1] == 'M' || word[1] == 'I' || word[1] == 'm')) continue;
        const std::size_t place = word.find('i'), code = word.find_first_of(perl ? "eE" : "ef");
        if (place < code) {  // behind the i stands what the old file is to be called
            in_place = true;
            const bool empty_suffix =
                !perl && place + 1 == word.size() && i + 1 < words.size() && words[i + 1].text.empty();
            if (empty_suffix) ++i;
        } else if (code != word.npos) {
            script = true;
            if (code + 1 == word.size()) ++i;
        }
    }
    if (!in_place) return {};
    if (!script && !rest.empty()) rest.erase(rest.begin());
    return rest;
}

struct Targets {
    std::vector<Word> files;
    bool edited = false;  // and not taken away
};

Targets targets(Words words) {
    if (words.empty()) return {};
    const std::string_view program = name_of(words[0].text);
    words = words.subspan(1);
    if (program == "git") {
        if (words.empty() || (words[0].text != "rm" && words[0].text != "mv")) return {};
        if (has_option(words, "--cached") || has_option(words, "-n") || has_option(words, "--dry-run")) return {};
        return targets(words);
    }
    if (program == "rm" || program == "unlink") return {operands(words)};
    if (program == "mv") {
        std::vector<Word> moved = operands(words);
        // Put aside it comes back.
        const bool aside = moved.empty() || is_scratch(moved.back().text) || moved.back().text.ends_with(".bak") ||
                           moved.back().text.ends_with(".orig");
        if (aside || has_option(words, "-t")) return {};
        moved.pop_back();
        return {std::move(moved)};
    }
    if (program == "sed" || program == "gsed") return {edited_in_place(words, false), true};
    if (program == "perl") return {edited_in_place(words, true), true};
    return {};
}

// The files that a command may have made.
std::vector<Word> products(const Command& command) {
    std::vector<Word> out = command.into;
    if (command.words.empty()) return out;
    const std::string_view program = name_of(command.words[0].text);
    const std::vector<Word> rest = operands(Words(command.words).subspan(1));
    if (program == "touch" || program == "tee") out.insert(out.end(), rest.begin(), rest.end());
    if ((program == "cp" || program == "mv" || program == "curl" || program == "wget" || program == "ln") &&
        !rest.empty())
        out.push_back(rest.back());
    return out;
}

// Somebody wrote it by hand, as far as a name can tell. What is edited was there; what is taken away may have been made
// by a program that ran.
bool is_of_project(std::string_view path, bool edited) {
    constexpr std::string_view kMade[] = {".log",  ".csv",  ".tsv", ".json",  ".jsonl", ".txt",  ".html",
                                          ".htm",  ".xml",  ".svg", ".pdf",   ".lock",  ".snap", ".parquet",
                                          ".xlsx", ".docx", ".dll", ".ipynb", ".sum",   ".po"};
    constexpr std::string_view kPassing[] = {"tmp",  "temp", "repro",   "scratch", "debug",  "backup",
                                             ".bak", "demo", "example", "test",    "sample", "output"};
    constexpr std::string_view kFolders[] = {"/build/",        "/dist/",     "/out/",         "/target/",
                                             "/node_modules/", "/coverage/", "/__pycache__/", "/tmp/",
                                             "/temp/",         "/.cache/",   "/.git/"};
    const std::string_view name = name_of(path);
    if (is_scratch(path) || !looks_like_path(name) || path.find("..") != path.npos) return false;
    if (contains_any(std::string("/").append(path), kFolders)) return false;
    if (edited) return true;
    if (std::ranges::any_of(kMade, [&](std::string_view ending) { return name.ends_with(ending); })) return false;
    return !contains_any(lowered(name), kPassing);
}

}  // namespace

void ShellFiles::clear() {
    made_.clear();
    just_made_.clear();
    changed_.clear();
    astray_ = false;
}

void ShellFiles::made(std::string_view path) {
    const std::string_view name = name_of(path);
    if (made_.size() == kMostMade || name.empty() || is_own(path)) return;
    made_.emplace_back(name);
    just_made_.emplace_back(name);
}

bool ShellFiles::is_own(std::string_view path) const { return std::ranges::find(made_, name_of(path)) != made_.end(); }

const std::vector<std::string>& ShellFiles::changed_by(std::string_view line) {
    changed_.clear();
    just_made_.clear();
    std::string folder;  // where the line has gone
    bool unknown = false;
    std::vector<std::string> found;
    for (const ShellCommand& command : shell_commands(line)) {
        const Command parts = words_of(command.text);
        if (parts.words.empty()) continue;
        const std::string_view program = parts.words[0].text;
        if (program == "cd" || program == "pushd" || program == "popd") {
            const Word* to = parts.words.size() == 2 ? &parts.words[1] : nullptr;
            unknown = !to || !to->certain || to->text.starts_with('-') || to->text.find("..") != to->text.npos;
            if (!unknown) folder = to->text.starts_with('/') || folder.empty() ? to->text : folder + "/" + to->text;
            astray_ = unknown || is_scratch(folder + "/");
            continue;
        }
        for (const Word& word : products(parts)) made(word.text);
        const Targets what = targets(parts.words);
        for (const Word& word : what.files) {
            const bool absolute = word.text.starts_with('/');
            if (!word.certain || (!absolute && (unknown || (astray_ && folder.empty())))) continue;
            std::string path = absolute || folder.empty() ? word.text : folder + "/" + word.text;
            if (is_of_project(path, what.edited)) found.push_back(std::move(path));
        }
    }
    for (std::string& path : found) {
        if (!is_own(path)) changed_.push_back(std::move(path));
    }
    return changed_;
}

}  // namespace agent_audit::detectors
