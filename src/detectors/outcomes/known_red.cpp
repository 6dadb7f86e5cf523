#include "detectors/outcomes/known_red.hpp"

#include "detectors/words/phrases.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kShortest = 4;  // letters and digits of a name

std::string bare(std::string_view name) {
    std::string letters;
    for (const char c : name) {
        if (is_alnum(c) || static_cast<unsigned char>(c) >= 0x80) letters += lower(c);
    }
    return letters;
}

bool is_path(std::string_view word) {
    const std::size_t dot = word.rfind('.');
    const bool ends = dot != word.npos && word.size() - dot <= 5 && dot + 1 < word.size() && is_letter(word[dot + 1]);
    return word.find("::") == word.npos && (ends || word.find('/') != word.npos);
}

bool speaks_of_tests(std::string_view bare_word) {
    return bare_word.find("test") != bare_word.npos || bare_word.find("spec") != bare_word.npos;
}

// "test_export", "exports_sacks", "TestExport", "src/export.spec.ts": no word of a language.
bool is_written_name(std::string_view word) {
    if (word.find('_') != word.npos) return true;
    const bool inner = std::any_of(word.begin() + 1, word.end(), is_upper) && std::ranges::any_of(word, is_lower);
    return speaks_of_tests(bare(word)) && (inner || is_path(word) || word.find("::") != word.npos);
}

// A sentence that says of something red that it may stay so.
bool leaves_something(std::string_view sentence) {
    constexpr std::string_view kLeaves[] = {"gnor",    "not your", "as well", "already",
                                            "on main", "leave",    "ever",    "known"};
    return contains_any(sentence, kLeaves);
}

void names_in(std::string_view sentence, std::vector<std::string_view>& names) {
    constexpr std::string_view kEnds = " \t\n,;()\"'`*";
    while (!sentence.empty()) {
        sentence.remove_prefix(std::min(sentence.find_first_not_of(kEnds), sentence.size()));
        std::string_view word = sentence.substr(0, sentence.find_first_of(kEnds));
        sentence.remove_prefix(word.size());
        while (word.ends_with('.') || word.ends_with(':') || word.ends_with('!') || word.ends_with('?'))
            word.remove_suffix(1);
        if (word.size() >= kShortest && is_written_name(word)) names.push_back(word);
    }
}

// Up to what a runner says of the failure behind the name, and how long it took.
std::string_view name_of(std::string_view rest) {
    constexpr std::string_view kBehind[] = {" - ", ": ", " (", " [", " in "};
    for (const std::string_view end : kBehind) rest = rest.substr(0, rest.find(end));
    return trimmed(rest);
}

// One line of a runner; empty = it names no single test that failed.
std::string_view failed_test(std::string_view line) {
    constexpr std::string_view kBullets[] = {"\xe2\x97\x8f ", "\\u25cf ",     "\xe2\x9c\x95 ", "\\u2715 ",
                                             "\xe2\x9c\x97 ", "\xc3\x97 ",    "--- FAIL: ",    "[  FAILED  ] ",
                                             "FAIL: ",        "FAILED test ", "FAILED "};
    constexpr std::string_view kRun = "test ", kFailed = " FAILED", kDots = " ... FAILED", kNot = "not ok ";
    line = trimmed(line);
    for (const std::string_view bullet : kBullets) {
        if (!line.starts_with(bullet)) continue;
        std::string_view name = name_of(line.substr(bullet.size()));
        return name.starts_with('(') || name.starts_with('[') ? std::string_view{} : name;
    }
    if (line.starts_with("FAIL ")) {  // of jest the name of the file
        const std::string_view name = name_of(line.substr(5));
        return is_path(name.substr(0, name.find(' '))) ? std::string_view{} : name;
    }
    if (line.starts_with(kNot)) {
        const std::size_t dash = line.find(" - ");
        return dash == line.npos ? std::string_view{} : name_of(line.substr(dash + 3));
    }
    if (line.starts_with(kRun) && line.ends_with(kDots))
        return line.substr(kRun.size(), line.size() - kRun.size() - kDots.size());
    const std::size_t at = line.find(kFailed);
    const bool verbose = at != line.npos && line.substr(0, at).find("::") != line.npos && line.find(' ') == at;
    return verbose ? line.substr(0, at) : std::string_view{};
}

}  // namespace

std::vector<std::string_view> failed_tests(RawText printed) {
    constexpr std::size_t kLooked = 64u << 10, kMost = 64;  // bytes, at the end
    const std::string_view text = printed.bytes.substr(printed.size() - std::min(printed.size(), kLooked));
    RawLines lines(text, printed.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    std::vector<std::string_view> tests;
    for (std::string_view line; tests.size() < kMost && lines.next(line);) {
        if (const std::string_view name = failed_test(line); name.size() >= kShortest) tests.push_back(name);
    }
    return tests;
}

KnownRed::KnownRed(RawText request, std::uint32_t epoch) : epoch_(epoch) {
    constexpr std::size_t kRead = 4096;  // bytes
    const std::string text = decoded(request, kRead);
    std::vector<std::string_view> names;
    any_sentence(text, [&](std::string_view sentence) {
        if (leaves_something(sentence)) names_in(sentence, names);
        return false;
    });
    for (const std::string_view name : names) {
        of_file_ = of_file_ || is_path(name);
        names_.push_back(bare(name));
        confirmed_ = confirmed_ || speaks_of_tests(names_.back());
    }
}

bool KnownRed::is_named(std::string_view test) const {
    const std::string whole = bare(test);
    return std::ranges::any_of(names_, [&](const std::string& name) {
        return whole.find(name) != whole.npos || (whole.size() >= kShortest && name.find(whole) != name.npos);
    });
}

void KnownRed::see(std::uint64_t line, RawText printed, std::uint32_t epoch) {
    constexpr std::size_t kMost = 256;
    bool others = false;
    for (const std::string_view test : failed_tests(printed)) {
        const std::uint64_t key = stable_hash(bare(test));
        if (names_.empty() && epoch == epoch_) {
            confirmed_ = true;
            if (before_.size() < kMost) before_.push_back(key);
        } else if (names_.empty()) {
            others = others || std::ranges::find(before_, key) == before_.end();
        } else if (is_named(test)) {
            confirmed_ = true;
        } else {
            // What runs a file by its name need not print it with the test.
            others = others || !of_file_ || test.find("::") != test.npos || test.find('/') != test.npos;
        }
    }
    if (!others) return;
    if (other_lines_.size() == kMost) other_lines_.erase(other_lines_.begin());
    other_lines_.push_back(line);
}

bool KnownRed::others_between(std::uint64_t first, std::uint64_t last) const {
    return confirmed_ && std::ranges::any_of(other_lines_, [=](std::uint64_t l) { return l >= first && l <= last; });
}

}  // namespace agent_audit::detectors
