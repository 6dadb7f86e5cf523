#include "detectors/outcomes/error_tally.hpp"

#include "detectors/words/phrases.hpp"
#include "detectors/words/raw_lines.hpp"

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

bool is_digit(char c) { return c >= '0' && c <= '9'; }

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
    return !kinds.empty() && kinds == kinds_in(before);
}

}  // namespace agent_audit::detectors
