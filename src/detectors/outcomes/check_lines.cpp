#include "detectors/outcomes/check_lines.hpp"

#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/retry_names.hpp"
#include "detectors/words/phrases.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {
namespace {

struct Line {
    std::string text;
    std::vector<std::uint32_t> places;
    auto operator<=>(const Line&) const = default;
};

// "....", "..*..": how far a runner came, a mark for each test that is done.
bool marks_progress(std::string_view line) { return line.find_first_not_of(".* ") == line.npos; }

// "2026-03-04 09:12:28 INFO 4711 --- [main] started on port 41234": what the program under test has to say.
bool is_log(std::string_view line) {
    constexpr std::string_view kLevels[] = {" INFO ",  " DEBUG ",    " TRACE ",    "[info]",
                                            "[debug]", "level=info", "level=debug"};
    constexpr std::size_t kFront = 64;  // bytes in which time and level stand
    const std::string_view front = line.substr(0, kFront);
    const std::size_t colon = front.find(':');
    const auto digit_at = [front](std::size_t at) { return at < front.size() && is_digit(front[at]); };
    if (colon == front.npos || colon == 0 || !digit_at(colon - 1) || !digit_at(colon + 1)) return false;
    return contains_any(front, kLevels) && !says_refusal(line);
}

// "tests/mill.py::test_grinds PASSED", and not "830 PASSED", which sums up.
bool ends_in_passed(std::string_view line) {
    constexpr std::string_view kPassed = " PASSED";
    const std::size_t at = line.find(kPassed);
    if (at == line.npos) return false;
    const std::string_view before = trimmed(line.substr(0, at));
    return !before.empty() && !std::ranges::all_of(before.substr(before.rfind(' ') + 1), is_digit) &&
           !before.ends_with(" tests");
}

// "test grinds ... ok", "--- PASS: TestGrind (0.02s)", "  ✓ grinds rye 3 ms". "=== 2 failed, 9 passed ===" and
// "PASSWORD is wrong" begin as some of these do.
bool tells_pass(std::string_view line) {
    constexpr std::string_view kMarks[] = {"--- PASS: ",   "ok ",          "ok\t",           "ok\\t",
                                           "\\u2713",      "\\u2714",      "\\u221a",        "\xe2\x9c\x93",
                                           "\xe2\x9c\x94", "\xe2\x88\x9a", "[INFO] Running "};
    constexpr std::string_view kBegins[] = {"=== ", "PASS ", "PASS:", "PASS\t", "PASS\\t", "Passed "};
    constexpr std::string_view kFails[] = {"fail", "Fail", "FAIL"};
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (starts_with_any(line, kMarks) || line.ends_with(" ... ok") || line == "PASS") return true;
    if (line.starts_with("[INFO] Tests run:")) return line.find("Failures: 0, Errors: 0") != line.npos;
    return (starts_with_any(line, kBegins) || ends_in_passed(line)) && !contains_any(line, kFails);
}

// " ✓  3 grinds rye", "ok 3 - grinds rye": what stands in front of the number that says whose turn it was. Empty =
// there is none; behind no mark a number may count what failed.
std::string_view mark_of_turn(std::string_view line) {
    constexpr std::string_view kMarks[] = {"not ok ", "ok "};
    std::size_t at = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t begin = at;
    if (line.substr(at).starts_with("\\u")) {
        at += 6;
    } else {
        while (at < line.size() && static_cast<unsigned char>(line[at]) >= 0x80) ++at;
    }
    for (const std::string_view mark : kMarks) {
        if (at == begin && line.substr(at).starts_with(mark)) at += mark.size();
    }
    if (at == begin || at >= line.size()) return {};
    at = std::min(line.find_first_not_of(' ', at), line.size());
    const std::size_t end = std::min(line.find_first_not_of("0123456789", at), line.size());
    return end > at && line.substr(end).starts_with(' ') ? line.substr(0, at) : std::string_view{};
}

std::vector<Line> lines_of(RawText text, Rerun rerun) {
    std::vector<Line> out;
    RawLines lines(text.bytes, text.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    for (std::string_view line; lines.next(line);) {
        if (marks_progress(line) || is_log(line)) continue;
        Line& kept = out.emplace_back();
        const std::string_view mark = mark_of_turn(line);
        if (!mark.empty()) line.remove_prefix(line.find(' ', mark.size()));
        kept.text =
            rerun == Rerun::undisturbed ? masked(line, true) : unplaced(settled(line), PlacesOf::all, &kept.places);
        kept.text.insert(0, mark);
    }
    std::ranges::sort(out);
    return out;
}

// As if they stood one below the other, from where the text was.
bool near(const std::vector<std::uint32_t>& from, const std::vector<std::uint32_t>& to, std::uint64_t moved) {
    constexpr std::uint64_t kSlack = 3;
    return std::ranges::equal(
        from, to, [&](std::uint32_t a, std::uint32_t b) { return (a > b ? a - b : b - a) <= moved + kSlack; });
}

// The letters of a text, whatever their order. Those of hexadecimal numbers and of units of time may be others each
// time.
std::uint64_t letters_of(std::string_view text) {
    static constexpr auto kWeights = [] {
        std::array<std::uint64_t, 256> weights{};
        for (const char c : std::string_view("gijklopqrtvwxyz"))
            weights[static_cast<unsigned char>(c)] = mix_hash(static_cast<unsigned char>(c), 1);
        return weights;
    }();
    std::uint64_t sum = 0;
    for (const char c : text) sum += kWeights[static_cast<unsigned char>(c)];
    return sum;
}

}  // namespace

std::string without_passes(RawText text) {
    constexpr std::size_t kLongest = 256u << 10;  // bytes: more is no output that a person reads
    const Spelling spelling = text.form == TextForm::plain ? Spelling::plain : Spelling::escaped;
    std::string out;
    if (text.size() > kLongest) return out;
    RawLines lines(text.bytes, spelling);
    for (std::string_view line; lines.next(line);) {
        if (tells_pass(line) || marks_progress(line) || is_log(line)) continue;
        out.append(line).append(spelling == Spelling::plain ? "\n" : "\\n");
    }
    return out;
}

bool same_in_any_order(RawText before, RawText now, Rerun rerun, std::uint64_t moved) {
    constexpr std::size_t kFewest = 4;           // lines: of fewer the order tells
    constexpr std::size_t kLongest = 16u << 10;  // bytes
    const std::size_t longer = std::max(before.size(), now.size()), shorter = std::min(before.size(), now.size());
    if (longer > kLongest || longer - shorter > longer / 8) return false;
    if (letters_of(before.bytes) != letters_of(now.bytes)) return false;  // most texts that differ do so in a word
    const std::vector<Line> a = lines_of(before, rerun), b = lines_of(now, rerun);
    if (a.size() != b.size() || a.size() < kFewest) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i].text != b[i].text) return false;
        if (rerun == Rerun::changed && !near(a[i].places, b[i].places, moved)) return false;
    }
    return true;
}

}  // namespace agent_audit::detectors
