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
        std::string_view sentence = rest.substr(0, end);
        const bool asks = end < rest.size() && rest[end] == '?', headline = end < rest.size() && rest[end] == ':';
        // "Pushed, so CI should start soon", "pushed, please review": what follows from it is another thought.
        constexpr std::string_view kFollows[] = {", so ", ", please ", ", which "};
        for (const std::string_view follows : kFollows) sentence = sentence.substr(0, sentence.find(follows));
        if (!asks && reports(" " + std::string(sentence) + " ") && is(sentence, headline)) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

// What marks an item of a list, or cheers: "- [x] ", "✅ ", "**".
std::string_view without_bullets(std::string_view before) {
    constexpr std::string_view kTicked = "[x]";
    before = trimmed(before);
    for (bool again = true; again && !before.empty();) {
        again = before.starts_with(kTicked) || (!is_alnum(before[0]) && before[0] != '[');
        if (again) before.remove_prefix(before.starts_with(kTicked) ? kTicked.size() : 1);
    }
    return before;
}

// "Committed and pushed", "the fix is pushed": what stands before the word. "A tag is created and pushed" may tell of
// what a script does.
bool is_told_shortly(std::string_view before) {
    constexpr std::string_view kIs[] = {" is", " are", " is now", " are now"};
    constexpr std::string_view kWork[] = {"fix",  "change", "changes", "everything", "it",
                                          "work", "update", "commit",  "all"};
    constexpr std::string_view kJoints[] = {" and", ",", ", then", " and then"};
    constexpr std::string_view kSpeaks[] = {"i ", "i've ", "i’ve ", "we ", "done"};
    before = trimmed(before);
    const auto behind_noun = [&](std::string_view is) {
        if (!before.ends_with(is)) return false;
        const std::string_view subject = before.substr(0, before.size() - is.size());
        return std::ranges::any_of(kWork, [&](std::string_view noun) {
            return subject.ends_with(noun) &&
                   (subject.size() == noun.size() || !is_letter(subject[subject.size() - noun.size() - 1]));
        });
    };
    if (std::ranges::any_of(kIs, behind_noun)) return true;
    if (std::ranges::none_of(kJoints, [&](std::string_view joint) { return before.ends_with(joint); })) return false;
    const std::string_view opening = without_bullets(before);
    const std::string_view word = opening.substr(0, opening.find_first_of(" ,"));
    const bool work = std::ranges::any_of(kWork, [&](std::string_view noun) {
        return opening.starts_with(noun) || opening.starts_with("the " + std::string(noun));
    });
    return word.ends_with("ed") || starts_with_any(opening, kSpeaks) || before.find(" been ") != before.npos || work;
}

// Of another time, of what is left to do, or of what somebody else's doing leads to.
bool is_open(std::string_view sentence) {
    constexpr std::string_view kOpen[] = {" after ",    " left ",     " last ",  " since ",
                                          " elsewhere", " whenever ", " every ", " each time "};
    return contains_any(sentence, kOpen);
}

bool ends_or_begins(std::string_view behind, std::span<const std::string_view> objects) {
    constexpr std::string_view kMarks = ",)*_\"'-(", kOfTests[] = {" test", "s test"};
    behind = trimmed(behind);
    if (behind.empty() || kMarks.find(behind[0]) != kMarks.npos) return true;
    return std::ranges::any_of(objects, [&](std::string_view object) {
        if (!behind.starts_with(object)) return false;
        const std::string_view rest = behind.substr(object.size());
        return !starts_with_any(rest, kOfTests);
    });
}

}  // namespace

bool claims_done(std::string_view text, std::span<const std::string_view> done,
                 std::span<const std::string_view> objects, std::span<const std::string_view> nouns) {
    const bool no_noun = std::ranges::all_of(nouns, &std::string_view::empty);
    const auto named_before = [nouns](std::string_view before) {
        return std::ranges::any_of(nouns,
                                   [&](std::string_view noun) { return !noun.empty() && has_word(before, noun); });
    };
    return any_report(lowered(text), [&](std::string_view sentence, bool headline) {
        if (is_open(" " + std::string(sentence) + " ")) return false;
        return std::ranges::any_of(done, [&](std::string_view word) {
            return !word.empty() && any_whole(sentence, word, [&](std::size_t at, std::size_t end) {
                const std::string_view before = sentence.substr(0, at), behind = sentence.substr(end);
                if (tells_of_another(behind)) return false;
                const bool told = is_told(without_bullets(before), !headline) || is_told_shortly(before);
                if (!told || !ends_or_begins(behind, objects)) return false;
                // Alone it is said of what was spoken of before: "Pushed.", but hardly "Opened."
                return no_noun || !trimmed(behind).empty() || named_before(before);
            });
        });
    });
}

bool claims_success(std::string_view text, std::span<const std::string_view> nouns) {
    constexpr std::string_view kWell[] = {" succeeded", " went through",     " was successful",   " is up",
                                          " is live",   " ran successfully", " is open and ready"};
    return any_report(lowered(text), [&](std::string_view sentence, bool headline) {
        if (headline || is_open(" " + std::string(sentence) + " ")) return false;
        return std::ranges::any_of(nouns, [&](std::string_view noun) {
            return !noun.empty() && any_whole(sentence, noun, [&](std::size_t, std::size_t end) {
                return starts_with_any(sentence.substr(end), kWell);
            });
        });
    });
}

bool claims_abroad(std::string_view text, std::span<const std::string_view> done) {
    constexpr std::string_view kNots[] = {"nicht", "kein", "noch ", "n'ai pas", " pas ", "pas encore", " no ", "no he",
                                          "no se", "sin ", "non ",  "没",       "未",    "不",         "せん", "なか"};
    constexpr std::string_view kEnds[] = {". ", "! ", "\n", "。", "！", "，", "；"};
    const std::string lower = lowered(text);
    for (const std::string_view word : done) {
        if (word.empty()) continue;
        const std::size_t at = lower.find(word);
        if (at == lower.npos) continue;
        std::size_t begin = 0, end = lower.size();
        for (const std::string_view mark : kEnds) {
            if (const std::size_t before = lower.rfind(mark, at); before != lower.npos)
                begin = std::max(begin, before + mark.size());
            end = std::min(end, lower.find(mark, at));
        }
        const std::string_view sentence =
            std::string_view(lower).substr(std::min(begin, at), end - std::min(begin, at));
        if (!contains_any(sentence, kNots) && sentence.find('?') == sentence.npos) return true;
    }
    return false;
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

bool tells_of_trouble(std::string_view text) {
    constexpr std::string_view kTrouble[] = {
        " fail",  "error",     "declin", "unable",     "unfortunately", "reject",
        "refuse", "could not", "couldn", "cannot",     "not able",      "✘",
        "❌",      "✗",         "leider", "malheureus", "desafortunad",  "lamentable",
        "失败"};
    return contains_any(lowered(text), kTrouble);
}

bool denies_something(std::string_view text) {
    constexpr std::string_view kDenies[] = {"however", "sorry",   "was not",  "wasn",      "did not",
                                            "didn",    "problem", "not been", "issue with"};
    return contains_any(lowered(text), kDenies);
}

bool denies_command(std::string_view text) {
    constexpr std::string_view kDeeds[] = {"push",    "commit",  "pull request", " pr",   "deploy",
                                           "publish", "release", "migrat",       "merge", "remote"};
    return any_sentence(text, [&](std::string_view sentence) {
        return denies_something(sentence) && contains_any(lowered(sentence), kDeeds);
    });
}

}  // namespace agent_audit::detectors
