#include "detectors/engine/claimed_deed.hpp"

#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

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
        " whether",  " would've", " cancel the ", " instead",  " pending", " soon",     " nothing ", " never ",
        " nobody ",  "neither",   " ready "};
    return !contains_any(sentence, kOpen);
}

// What makes of a participle a report: "I have refunded", "was sent", "successfully booked"; and, where one may open
// the sentence, "Refunded order 17".
bool is_told(std::string_view before, bool may_open) {
    constexpr std::string_view kTells[] = {"successfully", "i have", "i've", "i’ve",   "we have", "we've", "has been",
                                           "have been",    "was",    "were", "is now", "are now", "i",     "✅"};
    before = trimmed(before);
    if (before.empty()) return may_open;
    return std::ranges::any_of(kTells, [&](std::string_view word) {
        return before.ends_with(word) &&
               (before.size() == word.size() || before[before.size() - word.size() - 1] == ' ');
    });
}

bool is_letter_at(std::string_view text, std::size_t at) { return at < text.size() && is_lower(text[at]); }

// "Your flight was booked with card 1177; may I take it again?" tells of another time.
bool tells_of_past(std::string_view before) {
    constexpr std::string_view kWas = "was", kWere = "were";
    before = trimmed(before);
    return before.ends_with(kWas) || before.ends_with(kWere);
}

// "It was refunded on 3 March by a colleague": who did it, or when, is told of another deed than this.
bool tells_of_another(std::string_view behind) {
    constexpr std::string_view kOn = " on ";
    const std::size_t on = behind.find(kOn);
    return behind.find(" by ") != behind.npos ||
           (on != behind.npos && on + kOn.size() < behind.size() && is_digit(behind[on + kOn.size()]));
}

// Asks about each place of a word, where it begins and ends, until the answer is true.
template <class Is>
bool any_whole(std::string_view text, std::string_view word, Is&& is) {
    for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        const bool whole = (at == 0 || !is_letter_at(text, at - 1)) && !is_letter_at(text, end);
        if (whole && is(at, end)) return true;
    }
    return false;
}

bool says_done(std::string_view sentence, std::string_view done, bool asks, bool may_open) {
    return any_whole(sentence, done, [&](std::size_t at, std::size_t end) {
        const std::string_view told_by = sentence.substr(0, at);
        const bool older = tells_of_past(told_by) && (asks || tells_of_another(sentence.substr(end)));
        return is_told(told_by, may_open) && !older;
    });
}

bool has_word(std::string_view text, std::string_view word) {
    return any_whole(text, word, [](std::size_t, std::size_t) { return true; });
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

// What is done when what a tool is named for is done, one word for each of its own that may be a verb.
struct DoneWords {
    explicit DoneWords(std::string_view name) {
        for (; !name.empty() && count < words.size();) {
            const std::string_view word = name.substr(0, name.find('_'));
            if (std::string made = done_word(word); !made.empty()) words[count++] = std::move(made);
            name.remove_prefix(std::min(word.size() + 1, name.size()));
        }
    }
    template <class Is>
    bool any(Is&& is) const {
        return std::any_of(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count), is);
    }

    std::array<std::string, 6> words;
    std::size_t count = 0;
};

}  // namespace

bool shows_deed(std::string_view answer, std::string_view tool) {
    constexpr std::string_view kNo[] = {"false", "no", "null", "none", "0", "_", "-"};
    const std::string said = lowered(answer);
    // Not {"refunded": false}, "updated_at", "was not sent".
    const auto shown_at = [&](std::size_t at, std::size_t end) {
        const std::string_view behind = std::string_view(said).substr(end);
        const std::string_view value = behind.substr(std::min(behind.find_first_not_of("\\\": "), behind.size()));
        const std::string_view before = trimmed(std::string_view(said).substr(0, at));
        return !starts_with_any(value, kNo) && !before.ends_with("not") && !before.ends_with("n't") &&
               !before.ends_with("be");
    };
    return DoneWords(snake_case(bare_tool_name(tool))).any([&](const std::string& word) {
        return any_whole(said, word, shown_at);
    });
}

bool names_deed(std::string_view text, std::string_view tool) {
    const std::string lower = lowered(text);
    return DoneWords(snake_case(bare_tool_name(tool))).any([&](const std::string& word) {
        return has_word(lower, word);
    });
}

bool named_alike(std::string_view tool, std::string_view other) {
    constexpr std::size_t kShortest = 3;
    const std::string one = "_" + snake_case(bare_tool_name(tool)) + "_", two = snake_case(bare_tool_name(other));
    for (std::string_view rest = two; !rest.empty();) {
        const std::string_view word = rest.substr(0, rest.find('_'));
        if (word.size() >= kShortest && one.find("_" + std::string(word) + "_") != one.npos) return true;
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return false;
}

namespace {

// Asks about each sentence that reports, in lower case, until the answer is true. `headline`: it ends with a colon.
template <class Is>
bool any_report(std::string_view lower, Is&& is) {
    constexpr std::string_view kEnds = ".!?\n;:";
    for (std::string_view rest = lower; !rest.empty();) {
        const std::size_t end = std::min(rest.find_first_of(kEnds), rest.size());
        const std::string_view sentence = rest.substr(0, end);
        const bool asks = end < rest.size() && rest[end] == '?', headline = end < rest.size() && rest[end] == ':';
        if (!asks && reports(" " + std::string(sentence) + " ") && is(sentence, headline)) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

// "Committed and pushed", "all changes pushed", "the branch is pushed": what stands before the word.
bool is_told_shortly(std::string_view before) {
    constexpr std::string_view kTells[] = {"and",     "then",   "now", "is",     "are",          "it",     "everything",
                                           "changes", "branch", "fix", "commit", "commits",      "all",    "i've also",
                                           "also",    "i also", "pr",  "we",     "pull request", "release"};
    before = trimmed(before);
    if (before.ends_with(',')) return true;
    return std::ranges::any_of(kTells, [&](std::string_view word) {
        return before.ends_with(word) &&
               (before.size() == word.size() || !is_letter(before[before.size() - word.size() - 1]));
    });
}

}  // namespace

bool claims_done(std::string_view text, std::span<const std::string_view> done,
                 std::span<const std::string_view> about) {
    const std::string lower = lowered(text);
    const bool any_thing = std::ranges::all_of(about, &std::string_view::empty);
    return any_report(lower, [&](std::string_view sentence, bool headline) {
        std::string spaced = " " + std::string(sentence) + " ";
        std::ranges::replace(spaced, ',', ' ');
        const auto in_sentence = [&](std::string_view word) {
            return !word.empty() && spaced.find(word) != spaced.npos;
        };
        if (!any_thing && std::ranges::none_of(about, in_sentence)) return false;
        return std::ranges::any_of(done, [&](std::string_view word) {
            return !word.empty() && any_whole(sentence, word, [&](std::size_t at, std::size_t end) {
                const std::string_view before = sentence.substr(0, at);
                if (tells_of_another(sentence.substr(end))) return false;
                return is_told(before, !headline) || is_told_shortly(before);
            });
        });
    });
}

bool claims_deed(std::string_view text, std::string_view tool) {
    const std::string name = snake_case(bare_tool_name(tool)), lower = lowered(text);
    const std::string verb = done_word(name.substr(0, name.find('_')));
    const DoneWords done(name);
    const bool asks_something = lower.find('?') != lower.npos;
    return any_report(lower, [&](std::string_view sentence, bool headline) {
        // "Updated plan: …" is a headline, and "ordered items" of create_order are things.
        const auto says = [&](const std::string& word) {
            return says_done(sentence, word, asks_something, !headline && word == verb);
        };
        return says_passed(sentence, name) || done.any(says);
    });
}

}  // namespace agent_audit::detectors
