#include "detectors/outcomes/error_tally.hpp"

#include "detectors/words/phrases.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kVerdict = 200;  // bytes, at the end
constexpr int kFewest = 3;             // errors: who mends one after the other has one each time

// "Found 6 errors in 3 files.", "4 problems (4 errors, 0 warnings)", "due to 5 previous errors"; 0 = none is told.
int tally(std::string_view text) {
    constexpr std::string_view kCounted[] = {" error", " problem", " previous error"};
    const std::string_view end = text.substr(text.size() - std::min(text.size(), kVerdict));
    int most = 0;
    for (const std::string_view word : kCounted) {
        for (std::size_t at = end.find(word); at != end.npos; at = end.find(word, at + 1)) {
            std::size_t begin = at;
            while (begin > 0 && is_digit(end[begin - 1])) --begin;
            int count = 0;
            std::from_chars(end.data() + begin, end.data() + at, count);
            most = std::max(most, count);
        }
    }
    return most;
}

// TS2345, E0308, F401 within a word; empty = none.
std::string_view code_in(std::string_view word) {
    constexpr std::size_t kFewestDigits = 2, kMostLetters = 6;
    for (std::size_t i = 0; i < word.size(); ++i) {
        if (!is_digit(word[i])) continue;
        std::size_t begin = i, end = i;
        while (begin > 0 && word[begin - 1] >= 'A' && word[begin - 1] <= 'Z') --begin;
        while (end < word.size() && is_digit(word[end])) ++end;
        const bool code = begin < i && i - begin <= kMostLetters && end - i >= kFewestDigits;
        if (code) return word.substr(begin, end - begin);
        i = end;
    }
    return {};
}

// What a line says is wrong: its words without places, names and numbers. A code counts as it is.
std::string kind_of(std::string_view line) {
    constexpr std::string_view kNamed = "/\\.(){}'\"`_=";
    std::string kind;
    while (!line.empty()) {
        std::string_view word = line.substr(0, line.find(' '));
        line.remove_prefix(std::min(word.size() + 1, line.size()));
        const std::string_view code = code_in(word);
        const bool named = word.find_first_of(kNamed) != word.npos || std::ranges::any_of(word, is_digit);
        if (!code.empty())
            kind.append(code) += ' ';
        else if (!named && !word.empty())
            kind.append(word) += ' ';
    }
    return kind;
}

// "src/a.ts" of src/a.ts:12:5, C:\\a.cs(12,5) and A.java:[12,5]; empty = no place in a file.
std::string_view file_of_place(std::string_view word) {
    constexpr std::size_t kLongestEnd = 6;  // bytes: .swift
    const std::size_t drive = word.size() > 1 && word[1] == ':' ? 2 : 0;
    const std::size_t end = word.find_first_of(":(", drive);
    if (end == word.npos || end + 1 >= word.size()) return {};
    const char next = word[end + 1];
    const std::size_t dot = word.substr(0, end).rfind('.');
    if (dot == word.npos || end - dot < 2 || end - dot > kLongestEnd || (!is_digit(next) && next != '[')) return {};
    return word.substr(0, end);
}

// A linter that groups by file names it in a line of its own.
std::string_view file_alone(std::string_view line) {
    const bool path = line.find_first_of("/\\") != line.npos && line.rfind('.') != line.npos;
    return path && line.find_first_of(" :()") == line.npos ? line : std::string_view{};
}

// The files that a text names as places, sorted, each once.
std::vector<std::string_view> files_in(RawText text) {
    std::vector<std::string_view> files;
    RawLines lines(text.bytes, text.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    for (std::string_view line; lines.next(line);) {
        if (const std::string_view file = file_alone(line); !file.empty()) files.push_back(file);
        while (!line.empty()) {
            const std::string_view word = line.substr(0, line.find(' '));
            line.remove_prefix(std::min(word.size() + 1, line.size()));
            if (const std::string_view file = file_of_place(word); !file.empty()) files.push_back(file);
        }
    }
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

// One that goes through all files says in how many it found some; one that stops at the first says nothing of the
// others.
bool counts_files(std::string_view text) {
    const std::string_view end = text.substr(text.size() - std::min(text.size(), kVerdict));
    const std::size_t at = end.rfind(" files");
    return end.find(" problems (") != end.npos || (at != end.npos && at > 0 && is_digit(end[at - 1]));
}

// Do errors stand in a file that had some before, or in any of many? Else they may be the next ones of a kind that goes
// through a program. Where no file is named nobody can tell.
bool stand_where_looked(RawText before, RawText now) {
    const std::vector<std::string_view> files = files_in(now), known = files_in(before);
    const auto is_known = [&](std::string_view file) { return std::ranges::binary_search(known, file); };
    const bool many = files.size() > 1 && known.size() > 1 && counts_files(now.bytes);
    return many || (files.empty() && known.empty()) || std::ranges::any_of(files, is_known);
}

// The kinds of the errors in a text, sorted, each once; empty = one of them says no more than that it is one.
std::vector<std::string> kinds_in(RawText text) {
    constexpr std::size_t kShortest = 16;  // bytes
    std::vector<std::string> kinds;
    RawLines lines(text.bytes, text.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    for (std::string_view line; lines.next(line);) {
        if (line.find("error") == line.npos || tally(line) > 0) continue;
        kinds.push_back(kind_of(line));
        if (kinds.back().size() < kShortest) return {};
    }
    std::ranges::sort(kinds);
    kinds.erase(std::unique(kinds.begin(), kinds.end()), kinds.end());
    return kinds;
}

}  // namespace

bool counts_alike(RawText before, RawText now) {
    // Who stops counting counts the same as long as there are more.
    constexpr std::string_view kCapped[] = {"too many errors", "only showing the first", "error limit"};
    const int count = tally(now.bytes);
    if (count < kFewest || count != tally(before.bytes) || contains_any(now.bytes, kCapped)) return false;
    const std::vector<std::string> kinds = kinds_in(now);
    if (kinds.empty() || kinds != kinds_in(before)) return false;
    return stand_where_looked(before, now);
}

}  // namespace agent_audit::detectors
