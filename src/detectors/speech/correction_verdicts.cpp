#include "detectors/speech/correction_verdicts.hpp"

#include "detectors/speech/spoken_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>

namespace agent_audit::detectors {

// ---- "no" --------------------------------------------------------------------------------------------------------

bool is_no(std::string_view lower) {
    static constexpr std::string_view kNo[] = {"no"}, kNope[] = {"nope"};
    // What agrees, or needs nothing: "no problem", "no, that works"; thanks also where "no" is said as in English.
    static constexpr std::string_view kFine[] = {
        "problem",         "need",           "worries",         "rush",         "hurry",         "thanks",
        "thank",           "idea",           "objection",       "objections",   "more",          "doubt",
        "matter",          "comment",        "sweat",           "biggie",       "all good",      "looks good",
        "that's all",      "that is all",    "that's fine",     "that is fine", "that's ok",     "that's good",
        "that's great",    "that's perfect", "that's correct",  "that's right", "that's enough", "that works",
        "it's fine",       "it's ok",        "it's good",       "it is fine",   "it's great",    "you can",
        "nothing else",    "nothing more",   "nothing for now", "that's it",    "that is it",    "that'll do",
        "works for me",    "works fine",     "works great",     "works now",    "you may",       "keep it",
        "keep that",       "keep both",      "keep going",      "leave it",     "leave that",    "go ahead",
        "go on",           "continue",       "carry on",        "proceed",      "we're good",    "i'm good",
        "don't worry",     "don't bother",   "not yet",         "yes",          "thx",           "ty",
        "gracias",         "muchas gracias", "grazie",          "obrigado",     "obrigada",      "todo bien",
        "está bien",       "i'll do",        "i will do",       "i'll take",    "i can do",      "así está bien",
        "really, this is", "really, that",   "really this is",  "really that",  "tutto ok",      "tutto bene",
        "alles gut",       "todo ok",        "tout va bien"};
    // Said of something else, or of what comes later.
    static constexpr std::string_view kAside[] = {
        "not my area",   "not my call",    "not my job",    "not my team",   "not my problem", "not my decision",
        "but good idea", "but good point", "but nice idea", "but nice work", "but thanks"};
    // Behind which "no" says what is wrong.
    static constexpr std::string_view kWrong[] = {"i",
                                                  "you",
                                                  "don't",
                                                  "not",
                                                  "no",
                                                  "nope",
                                                  "stop",
                                                  "wrong",
                                                  "undo",
                                                  "revert",
                                                  "please",
                                                  "that's not",
                                                  "that is not",
                                                  "that isn't",
                                                  "that's wrong",
                                                  "that is wrong",
                                                  "that's the wrong",
                                                  "it's not",
                                                  "it isn't"};
    const bool nope = take_word(lower, kNope);
    if (!nope && !take_word(lower, kNo)) return false;
    const bool mark = ends_here(lower);
    const std::string_view rest = without_marks(lower);
    // "No no, all good", "no I think that's enough"
    static constexpr std::string_view kThoughts[] = {"i think", "i guess", "i'd say", "actually"};
    std::string_view thought = rest;
    while (take_word(thought, kNo)) thought = without_marks(thought);
    if (take_word(thought, kThoughts)) thought = without_marks(thought);
    if (begins_word(rest, kFine) || begins_word(thought, kFine) || begins_word(rest, kAside)) return false;
    // Not "you're right, but you deleted the wrong file".
    static constexpr std::string_view kRight[] = {"you're right", "you are right"};
    constexpr std::string_view kBut = " but ";
    if (begins_word(thought, kRight) && thought.find(kBut) == thought.npos) return false;
    constexpr std::string_view kDigits = "0123456789";
    if (lower.starts_with('.') && !rest.empty() && kDigits.find(rest.front()) != kDigits.npos) return false;  // "No. 5"
    return nope || mark || begins_word(rest, kWrong);
}

// ---- "stop" ------------------------------------------------------------------------------------------------------

bool is_stop(std::string_view lower) {
    static constexpr std::string_view kStop[] = {"stop", "abort"};
    static constexpr std::string_view kNow[] = {"it",     "that",        "this",      "now",
                                                "please", "right there", "right now", "immediately"};
    static constexpr std::string_view kThis[] = {"cancel that", "cancel this", "cancel it"};
    if (begins_word(lower, kThis)) return true;
    if (!take_word(lower, kStop)) return false;
    // "Stop, wait for my review": the turn passes to the human, and nothing is said of the work.
    static constexpr std::string_view kMyTurn[] = {"wait for", "wait until",    "wait till",      "let me",
                                                   "i'll",     "i will",        "i want to",      "i need to",
                                                   "we'll",    "that's enough", "that is enough", "enough for",
                                                   "thanks",   "thank you",     "good enough",    "review first"};
    static constexpr std::string_view kNotMine[] = {"i will not", "i want to know"};
    if (ends_here(lower) && begins_word(without_marks(lower), kMyTurn) && !begins_word(without_marks(lower), kNotMine))
        return false;
    if (ends_here(lower)) return !lower.starts_with('-') && !lower.starts_with(':');
    lower = without_marks(lower);
    if (begins_word(lower, kNow)) return true;
    // "stop changing the header", and not "stop words"
    const std::string_view word = lower.substr(0, lower.find_first_of(" ,.!\n"));
    return word.size() > 5 && word.ends_with("ing") && word != "string";
}

// ---- "that is wrong" ---------------------------------------------------------------------------------------------

namespace {

constexpr std::string_view kABit[] = {"a little bit", "a little", "a bit",   "a tad",
                                      "slightly",     "far",      "kind of", "kinda"};
constexpr std::string_view kExcess[] = {"too much",       "overkill",        "overcomplicated", "over-complicated",
                                        "overengineered", "over-engineered", "too complicated", "too complex"};

// One of these, and nothing behind it in its sentence, which does not ask.
bool ends_with_any(std::string_view text, Words words) {
    return std::ranges::any_of(words, [&](std::string_view word) {
        std::string_view rest = text;
        if (!take_word(rest, Words(&word, 1)) || !ends_here(rest)) return false;
        rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
        return !rest.starts_with('?') && !rest.starts_with("？");
    });
}

// "The harness is too much."
bool is_excess(std::string_view lower) {
    static constexpr std::string_view kThe[] = {"the", "your", "all this", "all of this"}, kIs[] = {"is", "are"},
                                      kWay[] = {"just", "simply", "way"};
    constexpr std::size_t kMostWords = 3;
    if (!take_word(lower, kThe)) return false;
    for (std::size_t n = 0; n <= kMostWords && lower.starts_with(' '); ++n) {
        lower.remove_prefix(1);
        if (take_word(lower, kIs)) {
            lower = without_marks(lower);
            while (take_word(lower, kWay) || take_word(lower, kABit)) lower = without_marks(lower);
            return ends_with_any(lower, kExcess);
        }
        const auto letters = std::ranges::find_if_not(lower, is_letter) - lower.begin();
        if (letters == 0) return false;
        lower.remove_prefix(static_cast<std::size_t>(letters));
    }
    return false;
}

}  // namespace

bool is_of_another(std::string_view lower) {
    static constexpr std::string_view kExpected[] = {"what i expected from ", "what i would expect from ",
                                                     "what i'd expect from ", "what i would have expected from "};
    static constexpr std::string_view kOthers[] = {
        "library",  "api",      "docs", "vendor", "framework", "package", "sdk",    "service",  "manual", "tool",
        "upstream", "customer", "them", "him",    "her",       "backend", "linter", "compiler", "team"};
    static constexpr std::string_view kWhose[] = {"the ", "this ", "that ", "their ", "our ", "your "};
    return std::ranges::any_of(kExpected, [&](std::string_view expected) {
        if (!lower.starts_with(expected)) return false;
        std::string_view whom = lower.substr(expected.size());
        for (const std::string_view whose : kWhose) {
            if (whom.starts_with(whose)) whom.remove_prefix(whose.size());
        }
        return starts_with_any(whom, kOthers);
    });
}

namespace {

// "Wrong branch! I was on main": whoever says it was wrong there.
bool is_my_fault(std::string_view lower) {
    static constexpr std::string_view kMyFault[] = {
        "i was on",      "i was in",   "i was at", "i was still", "i was looking at", "i was using",
        "i was testing", "i am on",    "i am in",  "i'm on",      "i'm in",           "i forgot",
        "my bad",        "my mistake", "my fault", "sorry, i",    "sorry i"};
    return begins_word(lower, kMyFault);
}

// Behind "wrong": "Wrong.", "Wrong file!"
bool names_wrong_thing(std::string_view rest) {
    static constexpr std::string_view kThings[] = {
        "one",       "file",     "place",     "component", "branch", "repo",     "repository", "folder",
        "directory", "approach", "direction", "thing",     "class",  "function", "line",       "element",
        "page",      "version",  "way",       "project",   "module", "method"};
    if (!ends_here(rest) && !(take_word(rest = without_marks(rest), kThings) && ends_here(rest))) return false;
    return !is_my_fault(without_marks(rest));
}

// What makes a verdict stronger: "that's just completely …". True: by a degree, with which "off" alone is one.
bool take_ways(std::string_view& rest) {
    static constexpr std::string_view kWay[] = {"all",  "so",     "completely", "totally",
                                                "just", "simply", "still",      "clearly"};
    static constexpr std::string_view kDegrees[] = {"completely", "totally", "clearly", "so"};
    bool degree = false;
    for (bool more = true; more;) {
        const bool strong = begins_word(rest, kDegrees);
        more = take_word(rest, kWay);
        degree = degree || (more && strong);
        if (more) rest = without_marks(rest);
    }
    return degree;
}

// "This is completely off", and neither "it's completely off in the footer" nor "so off-brand".
bool is_off(std::string_view rest, bool degree) {
    static constexpr std::string_view kFar[] = {"way", "far"}, kOff[] = {"off"};
    if (!take_word(rest, kFar) && !degree) return false;
    rest = without_marks(rest);
    return !rest.starts_with("off-") && ends_with_any(rest, kOff);
}

// Behind "that's not": what one was after, as in "that's not what …"; "that's not a problem" and "that's not urgent"
// are fine.
bool is_not_wanted(std::string_view rest) {
    static constexpr std::string_view kWanted[] = {"what",  "it",         "right", "correct", "how",  "the",  "my",
                                                   "where", "acceptable", "true",  "ok",      "okay", "good", "asked"};
    static constexpr std::string_view kNothing[] = {"the end",        "it yet",      "how it was",
                                                    "the right time", "the time to", "the time for"};
    static constexpr std::string_view kReally[] = {"really", "very", "quite", "at all", "even"};
    static constexpr std::string_view kMeant[] = {"what i", "how i"};
    // Only where nothing follows: "it's not readable by others" may be what is wanted.
    static constexpr std::string_view kNotSo[] = {"well enough",   "written well",  "written well enough",
                                                  "user friendly", "user-friendly", "good enough"};
    if (is_of_another(rest)) return false;
    if (begins_word(rest, kWanted) && !begins_word(rest, kNothing)) return true;
    while (take_word(rest, kReally)) rest = without_marks(rest);
    return begins_word(rest, kMeant) || ends_with_any(rest, kNotSo);
}

// Behind "that's". "It's wrong in Safari, but nobody uses that": no matter. "That's wrong in the docs too" is about the
// docs.
bool is_bad(std::string_view rest) {
    static constexpr std::string_view kBad[] = {"wrong",
                                                "incorrect",
                                                "backwards",
                                                "out of scope",
                                                "off topic",
                                                "off-topic",
                                                "nonsense",
                                                "too much",
                                                "way too much",
                                                "overkill",
                                                "the opposite of what i",
                                                "the exact opposite of what i"};
    static constexpr std::string_view kNoMatter[] = {
        " but nobody",     " but who cares", " but that's fine",  " but it's fine",   " but that's ok", " but it's ok",
        " but never mind", " but nevermind", " but don't bother", " but don't worry", " but leave it",  " but ignore"};
    static constexpr std::string_view kIn[] = {"in", "on"}, kToo[] = {" too", " as well"};
    if (contains_any(rest.substr(0, rest.find_first_of(".!?\n")), kNoMatter)) return false;
    // "That's too much detail, shorten it": how it is to be instead.
    static constexpr std::string_view kMuch[] = {"too much", "way too much"},
                                      kOfIt[] = {"detail",  "details",  "text",  "information", "info",  "space",
                                                 "padding", "contrast", "color", "colour",      "noise", "prose"};
    std::string_view where = rest;
    if (take_word(where, kMuch) && begins_word(without_marks(where), kOfIt)) return false;
    where = rest;
    if (take_word(where, kBad) && begins_word(without_marks(where), kIn) &&
        contains_any(where.substr(0, where.find_first_of(".:!?\n")), kToo))
        return false;
    return begins_word(rest, kBad);
}

}  // namespace

bool is_wrong(std::string_view lower) {
    static constexpr std::string_view kThat[] = {"that's", "that is",  "this is", "it's",
                                                 "it is",  "that was", "this was"};
    static constexpr std::string_view kNot[] = {"not", "isn't", "wasn't"};
    static constexpr std::string_view kThatNot[] = {"that isn't", "this isn't", "that wasn't", "its not"};
    static constexpr std::string_view kWrong[] = {"wrong", "incorrect"}, kTheWrong[] = {"the wrong"},
                                      kTooMuch[] = {"too much", "way too much"};
    std::string_view rest = lower;
    if (take_word(rest, kWrong)) return names_wrong_thing(rest);
    if (take_word(rest, kTooMuch)) return ends_here(rest);
    if (is_excess(lower)) return true;
    bool denies = take_word(rest, kThatNot);
    if (!denies && !take_word(rest, kThat)) return false;
    rest = without_marks(rest);
    const bool degree = take_ways(rest);
    if (!denies && is_off(rest, degree)) return true;
    if (!denies && take_word(rest, kNot)) {
        denies = true;
        rest = without_marks(rest);
    }
    if (denies) return is_not_wanted(rest);
    if (take_word(rest, kABit)) return ends_with_any(without_marks(rest), kExcess);
    if (!take_word(rest, kTheWrong)) return is_bad(rest);
    // One word for what is wrong, and not "the wrong place for …".
    rest = without_marks(rest);
    return ends_here(rest.substr(std::min(rest.find_first_of(" ,.!?;\n"), rest.size())));
}

bool is_not_this(std::string_view lower) {
    static constexpr std::string_view kThis[] = {"not like that",    "not like this",     "not that",
                                                 "not this",         "not what i",        "not there",
                                                 "not quite what i", "not exactly what i"};
    static constexpr std::string_view kFine[] = {"not that i",       "not that it",        "not that bad",
                                                 "not that urgent",  "not that important", "not this time",
                                                 "not like this is", "not there yet"};
    static constexpr std::string_view kDont[] = {"don't do that", "don't do this", "do not do that"};
    if (begins_word(lower, kThis)) return !begins_word(lower, kFine);
    if (begins_word(lower, kDont)) return true;
    static constexpr std::string_view kThe[] = {"not the"};
    if (!take_word(lower, kThe)) return false;
    lower = without_marks(lower);
    const std::string_view word = lower.substr(0, lower.find_first_of(" ,.!\n;"));
    static constexpr std::string_view kDegrees[] = {"most", "only", "first", "last", "end", "same", "point"};
    return !word.ends_with("est") && !begins_word(word, kDegrees) && ends_here(lower.substr(word.size()));
}

// ---- "take it back" ----------------------------------------------------------------------------------------------

bool is_taking_back(std::string_view lower, bool bare) {
    static constexpr std::string_view kUndo[] = {"undo", "revert", "roll back", "rollback", "restore"};
    static constexpr std::string_view kWork[] = {"that",        "this",         "it",       "your",      "those",
                                                 "these",       "everything",   "what you", "the last",  "the change",
                                                 "the changes", "the previous", "the edit", "the edits", "all of",
                                                 "all your",    "all that",     "back",     "please"};
    static constexpr std::string_view kThe[] = {"the", "to", "all"};
    // "Undo my last commit" is about the speaker's own work, and "undo the stash pop" about git.
    static constexpr std::string_view kOwn[] = {"my", "the stash", "the merge", "the rebase", "the commit i"};
    static constexpr std::string_view kBack[] = {
        "put it back",    "put that back",  "put this back",  "put them back",    "roll it back",
        "roll that back", "roll this back", "change it back", "change that back", "switch it back"};
    static constexpr std::string_view kGo[] = {"go back"};
    if (begins_word(lower, kBack)) return true;
    std::string_view rest = lower;
    if (take_word(rest, kGo)) return ends_here(rest);
    if (lower.starts_with("put ")) {
        const std::string_view clause = lower.substr(0, lower.find_first_of(".!?\n"));
        return clause.find(" back how ") != clause.npos || clause.find(" back as ") != clause.npos ||
               clause.ends_with(" back");
    }
    if (!take_word(rest, kUndo)) return false;
    // "Undo stack", "revert strategy", "undo/redo" are things.
    if (ends_here(rest)) return !lower.starts_with("restore") && !rest.starts_with(':') && !rest.starts_with('-');
    if (!rest.starts_with(' ')) return false;
    rest = without_marks(rest);
    // "Roll back the last migration" is a task.
    static constexpr std::string_view kLast[] = {"the last", "the previous"},
                                      kThings[] = {"migration", "migrations", "deploy",   "deployment",
                                                   "release",   "backup",     "snapshot", "session",
                                                   "version",   "item",       "state"};
    if (begins_word(rest, kOwn)) return false;
    std::string_view thing = rest;
    if (take_word(thing, kLast) && begins_word(without_marks(thing), kThings)) return false;
    return begins_word(rest, kWork) || (bare && !lower.starts_with("restore") && begins_word(rest, kThe));
}

}  // namespace agent_audit::detectors
