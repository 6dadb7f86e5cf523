#include "detectors/engine/claimed_deed.hpp"

#include "detectors/words/phrases.hpp"
#include "support/among.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace agent_audit::detectors {
namespace {

struct Irregular {
    std::string_view verb, done;
};
constexpr std::array<Irregular, 7> kIrregular{{{"buy", "bought"},
                                               {"make", "made"},
                                               {"pay", "paid"},
                                               {"reset", "reset"},
                                               {"sell", "sold"},
                                               {"send", "sent"},
                                               {"withdraw", "withdrawn"}}};

// "refunded" of refund, "issued" of issue, "cancelled" of cancel, "applied" of apply; empty = it is too short to tell.
std::string done_word(std::string_view word) {
    constexpr std::size_t kShortest = 4;
    for (const Irregular& row : kIrregular) {
        if (row.verb == word) return std::string(row.done);
    }
    if (word.size() < kShortest) return {};
    std::string done(word);
    if (done.ends_with('y')) done.back() = 'i';
    return done += done.ends_with('e') ? "d" : "ed";
}

// A sentence that reports: neither a question nor a wish, and nothing that is said of another time.
bool reports(std::string_view sentence) {
    constexpr std::string_view kOpen[] = {
        " not ",     "n't ",      "n’t ",         " no ",      "unable",   "cannot",    " could ",   " would ",
        " will ",    "'ll ",      " shall ",      " should ",  " must ",   " need",     " if ",      " when ",
        " once ",    " until ",   " unless ",     " can ",     " may ",    " might ",   "to be ",    " to pass",
        " have to ", " has to ",  " please ",     " already ", " earlier", " previous", " before ",  " ago",
        " try ",     " tried ",   " trying ",     " attempt",  " fail",    "error",     " declined", " reject",
        " whether",  " would've", " cancel the ", " instead",  " pending", " soon"};
    return !contains_any(sentence, kOpen);
}

// What makes of a participle a report: "I have refunded", "was sent", "successfully booked", "Refunded order 17".
bool is_told(std::string_view before) {
    constexpr std::string_view kTells[] = {"successfully", "i have", "i've", "i’ve",   "we have", "we've", "has been",
                                           "have been",    "was",    "were", "is now", "are now", "i",     "✅"};
    before = trimmed(before);
    return before.empty() || std::ranges::any_of(kTells, [&](std::string_view word) {
               return before.ends_with(word) &&
                      (before.size() == word.size() || before[before.size() - word.size() - 1] == ' ');
           });
}

bool is_letter_at(std::string_view text, std::size_t at) {
    return at < text.size() && text[at] >= 'a' && text[at] <= 'z';
}

// "Your flight was booked with card 1177; may I take it again?" tells of another time.
bool tells_of_past(std::string_view before) {
    constexpr std::string_view kWas = "was", kWere = "were";
    before = trimmed(before);
    return before.ends_with(kWas) || before.ends_with(kWere);
}

bool says_done(std::string_view sentence, std::string_view done, bool asks) {
    for (std::size_t at = sentence.find(done); at != sentence.npos; at = sentence.find(done, at + 1)) {
        const bool whole = (at == 0 || !is_letter_at(sentence, at - 1)) && !is_letter_at(sentence, at + done.size());
        const std::string_view told_by = sentence.substr(0, at);
        if (whole && is_told(told_by) && !(asks && tells_of_past(told_by))) return true;
    }
    return false;
}

bool has_word(std::string_view text, std::string_view word) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        if ((at == 0 || !is_letter_at(text, at - 1)) && !is_letter_at(text, at + word.size())) return true;
    }
    return false;
}

// "The test alert passes on every cluster" of run_alert_test.
bool says_passed(std::string_view sentence, std::string_view name) {
    constexpr std::string_view kChecks[] = {"test", "tests", "check", "checks"},
                               kPassed[] = {"tests pass", "checks pass", "all pass", "passes",
                                            "passed",     "green",       "succeeds", "succeeded"};
    constexpr std::size_t kShortest = 4;
    const auto in_sentence = [sentence](std::string_view word) { return has_word(sentence, word); };
    bool checks = false, named = false;
    while (!name.empty()) {
        const std::string_view word = name.substr(0, name.find('_'));
        checks = checks || among(word, kChecks);
        named = named || (word.size() >= kShortest && in_sentence(word));
        name.remove_prefix(std::min(word.size() + 1, name.size()));
    }
    return checks && named && std::ranges::any_of(kPassed, in_sentence);
}

}  // namespace

bool claims_deed(std::string_view text, std::string_view tool) {
    constexpr std::string_view kEnds = ".!?\n;:";
    const std::string name = snake_case(bare_tool_name(tool)), lower = lowered(text);
    std::array<std::string, 6> done;
    std::size_t count = 0;
    for (std::string_view rest = name; !rest.empty() && count < done.size();) {
        const std::string_view word = rest.substr(0, rest.find('_'));
        if (std::string made = done_word(word); !made.empty()) done[count++] = std::move(made);
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    const bool asks_something = lower.find('?') != lower.npos;
    for (std::string_view rest = lower; !rest.empty();) {
        const std::size_t end = std::min(rest.find_first_of(kEnds), rest.size());
        const std::string_view sentence = rest.substr(0, end);
        const bool asks = end < rest.size() && rest[end] == '?';
        if (!asks && reports(" " + std::string(sentence) + " ") &&
            (says_passed(sentence, name) ||
             std::any_of(done.begin(), done.begin() + static_cast<std::ptrdiff_t>(count),
                         [&](const std::string& word) { return says_done(sentence, word, asks_something); })))
            return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

}  // namespace agent_audit::detectors
