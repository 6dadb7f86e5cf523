#include "detectors/engine/correction.hpp"

#include "detectors/engine/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string>

namespace agent_audit::detectors {
namespace {

using Words = std::span<const std::string_view>;

// Does the text begin with one of these words? In English the word must end there; "edit" is not "editor".
bool begins_word(std::string_view text, Words words) {
    if (text.empty()) return false;
    return std::ranges::any_of(words, [&](std::string_view word) {
        if (word.front() != text.front() || !text.starts_with(word)) return false;
        if (text.size() == word.size() || !is_letter(word.back())) return true;
        const std::string_view behind = text.substr(word.size());
        return !is_letter(behind[0]) &&
               !(behind[0] == '.' && behind.size() > 1 && is_letter(behind[1]));  // and not undo.ts
    });
}

// Takes such a word off the front.
bool take_word(std::string_view& text, Words words) {
    for (const std::string_view word : words) {
        if (begins_word(text, Words(&word, 1))) {
            text.remove_prefix(word.size());
            return true;
        }
    }
    return false;
}

constexpr std::string_view kCurly = "’";
constexpr std::string_view kWithout[] = {"dont",  "didnt",  "thats",    "isnt", "wasnt",
                                         "youre", "doesnt", "shouldnt", "youve"};
constexpr PhraseSet kWithoutSet(kWithout);

constexpr std::string_view kMarks[] = {",", ".", "!",  "?",  ";",  ":",  "-",  "\n", ")", "…",
                                       "—", "–", "，", "。", "！", "？", "；", "、", "："};

bool ends_here(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    return text.empty() || (!is_letter(text.front()) && starts_with_any(text, kMarks));
}

std::string_view without_marks(std::string_view text) {
    for (bool more = true; more;) {
        more = false;
        while (text.starts_with(' ')) text.remove_prefix(1);
        if (text.empty() || is_letter(text.front())) return text;
        for (const std::string_view mark : kMarks) {
            if (!text.starts_with(mark)) continue;
            text.remove_prefix(mark.size());
            more = true;
        }
    }
    return text;
}

// "Hmm, …", "wait, …", "please …": what follows is what counts.
std::string_view without_leads(std::string_view lower) {
    static constexpr std::string_view kSounds[] = {"hmmm", "hmm", "hm",        "mmh",  "ugh",    "argh", "uh", "um",
                                                   "ah",   "hey", "sorry but", "等等", "等一下", "喂",   "哎", "嗯"};
    static constexpr std::string_view kWaits[] = {"wait", "hold on", "hang on", "hold up"};
    for (bool more = true; more;) {
        lower = without_marks(lower);
        more = take_word(lower, kSounds);
        // "Wait for CI" is an order.
        std::string_view rest = lower;
        static constexpr std::string_view kThen[] = {" no", " stop"};
        if (take_word(rest, kWaits) && !without_marks(rest).empty() && (ends_here(rest) || begins_word(rest, kThen))) {
            lower = rest;
            more = true;
        }
    }
    return lower;
}

std::string_view without_please(std::string_view lower) {
    static constexpr std::string_view kPlease[] = {"please", "pls", "can you", "could you", "just",
                                                   "请",     "先",  "赶紧",    "马上"};
    while (take_word(lower, kPlease)) lower = without_marks(lower);
    return lower;
}

// ---- "no" --------------------------------------------------------------------------------------------------------

bool is_no(std::string_view lower) {
    static constexpr std::string_view kNo[] = {"no"}, kNope[] = {"nope"};
    // What agrees, or needs nothing: "no problem", "no, that works".
    static constexpr std::string_view kFine[] = {
        "problem",      "need",           "worries",         "rush",         "hurry",         "thanks",
        "thank",        "idea",           "objection",       "objections",   "more",          "doubt",
        "matter",       "comment",        "sweat",           "biggie",       "all good",      "looks good",
        "that's all",   "that is all",    "that's fine",     "that is fine", "that's ok",     "that's good",
        "that's great", "that's perfect", "that's correct",  "that's right", "that's enough", "that works",
        "it's fine",    "it's ok",        "it's good",       "it is fine",   "it's great",    "you can",
        "nothing else", "nothing more",   "nothing for now", "that's it",    "that is it",    "that'll do",
        "works for me", "works fine",     "works great",     "works now",    "you may",       "keep it",
        "keep that",    "keep both",      "keep going",      "leave it",     "leave that",    "go ahead",
        "go on",        "continue",       "carry on",        "proceed",      "we're good",    "i'm good",
        "don't worry",  "don't bother",   "not yet",         "yes"};
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
    if (begins_word(rest, kFine) || begins_word(thought, kFine)) return false;
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

bool is_wrong(std::string_view lower) {
    static constexpr std::string_view kThat[] = {"that's", "that is",  "this is", "it's",
                                                 "it is",  "that was", "this was"};
    static constexpr std::string_view kNot[] = {"not", "isn't", "wasn't"};
    static constexpr std::string_view kThatNot[] = {"that isn't", "this isn't", "that wasn't", "its not"};
    static constexpr std::string_view kReally[] = {"really", "very", "quite", "at all", "even"};
    // Only where nothing follows: "it's not readable by others" may be what is wanted.
    static constexpr std::string_view kNotSo[] = {"well enough",   "written well",  "written well enough",
                                                  "user friendly", "user-friendly", "good enough"};
    static constexpr std::string_view kWay[] = {"all",  "so",     "completely", "totally",
                                                "just", "simply", "still",      "clearly"};
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
    static constexpr std::string_view kTheWrong[] = {"the wrong"}, kTooMuch[] = {"too much", "way too much"};
    // What one was after, as in "that's not what …"; "that's not a problem" and "that's not urgent" are fine.
    static constexpr std::string_view kWanted[] = {"what",  "it",         "right", "correct", "how",  "the",  "my",
                                                   "where", "acceptable", "true",  "ok",      "okay", "good", "asked"};
    static constexpr std::string_view kNothing[] = {"the end", "it yet", "how it was"};
    static constexpr std::string_view kThings[] = {
        "one",       "file",     "place",     "component", "branch", "repo",     "repository", "folder",
        "directory", "approach", "direction", "thing",     "class",  "function", "line",       "element",
        "page",      "version",  "way",       "project",   "module", "method"};
    static constexpr std::string_view kWrong[] = {"wrong", "incorrect"};
    // "Wrong branch! I was on main": whoever says it was wrong there. "It's wrong in Safari, but nobody uses that": no
    // matter.
    static constexpr std::string_view kMyFault[] = {
        "i was on",      "i was in",   "i was at", "i was still", "i was looking at", "i was using",
        "i was testing", "i am on",    "i am in",  "i'm on",      "i'm in",           "i forgot",
        "my bad",        "my mistake", "my fault", "sorry, i",    "sorry i"};
    static constexpr std::string_view kNoMatter[] = {
        " but nobody",     " but who cares", " but that's fine",  " but it's fine",   " but that's ok", " but it's ok",
        " but never mind", " but nevermind", " but don't bother", " but don't worry", " but leave it",  " but ignore"};
    std::string_view rest = lower;
    if (take_word(rest, kWrong)) {
        if (!ends_here(rest) && !(take_word(rest = without_marks(rest), kThings) && ends_here(rest))) return false;
        return !begins_word(without_marks(rest), kMyFault);
    }
    if (take_word(rest, kTooMuch)) return ends_here(rest);
    if (is_excess(lower)) return true;
    bool denies = take_word(rest, kThatNot);
    if (!denies && !take_word(rest, kThat)) return false;
    rest = without_marks(rest);
    while (take_word(rest, kWay)) rest = without_marks(rest);
    if (!denies && take_word(rest, kNot)) {
        denies = true;
        rest = without_marks(rest);
    }
    if (denies) {
        if (begins_word(rest, kWanted) && !begins_word(rest, kNothing)) return true;
        static constexpr std::string_view kMeant[] = {"what i", "how i"};
        while (take_word(rest, kReally)) rest = without_marks(rest);
        return begins_word(rest, kMeant) || ends_with_any(rest, kNotSo);
    }
    if (take_word(rest, kABit)) return ends_with_any(without_marks(rest), kExcess);
    if (take_word(rest, kTheWrong)) {
        rest = without_marks(rest);
        return ends_here(
            rest.substr(std::min(rest.find_first_of(" ,.!?;\n"), rest.size())));  // and not "the wrong place for …"
    }
    if (contains_any(rest.substr(0, rest.find_first_of(".!?\n")), kNoMatter)) return false;
    // "That's wrong in the docs too" is about the docs.
    static constexpr std::string_view kIn[] = {"in", "on"}, kToo[] = {" too", " as well"};
    std::string_view where = rest;
    if (take_word(where, kBad) && begins_word(without_marks(where), kIn) &&
        contains_any(where.substr(0, where.find_first_of(".:!?\n")), kToo))
        return false;
    return begins_word(rest, kBad);
}

// "Not the header, the footer", "not like that".
bool is_not_this(std::string_view lower) {
    static constexpr std::string_view kThis[] = {"not like that",    "not like this",     "not that",
                                                 "not this",         "not what i",        "not there",
                                                 "not quite what i", "not exactly what i"};
    static constexpr std::string_view kFine[] = {"not that i",      "not that it",        "not that bad",
                                                 "not that urgent", "not that important", "not this time"};
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

// ---- who said what -----------------------------------------------------------------------------------------------

bool is_reminder(std::string_view lower) {
    // "I told you about the invoice", "I didn't ask you that before, but can you …"
    static constexpr std::string_view kOther[] = {"i told you about", "i didn't ask you that before",
                                                  "i didn't ask that before", "i didn't ask before"};
    if (begins_word(lower, kOther)) return false;
    static constexpr std::string_view kNever[] = {
        "i never told you", "i never asked",      "i never said",       "i didn't ask",      "i did not ask",
        "i didn't say",     "i did not say",      "i told you",         "nobody asked",      "i was talking about",
        "not asked for",    "this was not asked", "that was not asked", "this wasn't asked", "that wasn't asked"};
    static constexpr std::string_view kAsked[] = {"i asked"}, kSaid[] = {"i said"}, kMeant[] = {"i meant"},
                                      kWanted[] = {"i wanted"};
    static constexpr std::string_view kFor[] = {"for", "you", "only", "about", "explicitly", "specifically", "to"};
    static constexpr std::string_view kYes[] = {"yes", "ok", "okay", "go", "sure", "it's fine", "thanks"};
    static constexpr std::string_view kTo[] = {"to"};
    static constexpr std::string_view kI[] = {"i"}, kOnly[] = {"only", "just"}, kThen[] = {"asked", "wanted"},
                                      kQuestion[] = {"i asked a question"};
    if (begins_word(lower, kNever) || begins_word(lower, kQuestion)) return true;
    std::string_view rest = lower;
    if (take_word(rest, kI) && take_word(rest = without_marks(rest), kOnly))
        return take_word(rest = without_marks(rest), kThen) && !begins_word(without_marks(rest), kTo);
    rest = lower;
    if (take_word(rest, kAsked)) return begins_word(without_marks(rest), kFor);
    static constexpr std::string_view kMyself[] = {"i'd",     "i'll", "i will",
                                                   "i would", "i",    "that i"};  // "I said I'd send the logo"
    if (take_word(rest, kSaid))
        return !begins_word(without_marks(rest), kYes) && !begins_word(without_marks(rest), kMyself);
    if (take_word(rest, kMeant) || take_word(rest, kWanted)) return !begins_word(without_marks(rest), kTo);
    return false;
}

// "You messed it all up": the verb, a few words and "up"; with the coarser ones the verb is enough.
bool is_mess(std::string_view said) {
    static constexpr std::string_view kCoarse[] = {"fucked", "screwed", "botched"}, kMessed[] = {"messed"};
    static constexpr std::string_view kWith[] = {"with"}, kUp[] = {"up"};
    constexpr std::size_t kMostWords = 4;
    if (take_word(said, kCoarse)) return true;
    if (!take_word(said, kMessed)) return false;
    std::string_view rest = said.substr(0, said.find_first_of(".,;!?\n"));
    if (begins_word(without_marks(rest), kWith)) return true;
    for (std::size_t n = 0; n <= kMostWords && rest.starts_with(' '); ++n) {
        rest.remove_prefix(1);
        if (begins_word(rest, kUp)) return true;
        rest.remove_prefix(std::min(rest.find(' '), rest.size()));
    }
    return false;
}

// "I undid your changes, try again": the person has taken the work back.
bool took_it_back(std::string_view lower) {
    static constexpr std::string_view kI[] = {"i've", "i have", "i had to", "i"},
                                      kJust[] = {"just", "now", "have", "simply", "already"};
    static constexpr std::string_view kUndid[] = {"undid",       "undone",      "undo",      "reverted",
                                                  "revert",      "rolled back", "roll back", "threw away",
                                                  "thrown away", "discarded",   "discard"};
    static constexpr std::string_view kWork[] = {"your",
                                                 "everything you",
                                                 "all you",
                                                 "all your",
                                                 "all of your",
                                                 "what you",
                                                 "the changes you",
                                                 "the stuff you",
                                                 "the code you",
                                                 "the edits you",
                                                 "all the changes you"};
    if (!take_word(lower, kI)) return false;
    lower = without_marks(lower);
    while (take_word(lower, kJust)) lower = without_marks(lower);
    return take_word(lower, kUndid) && begins_word(without_marks(lower), kWork);
}

// "Are you kidding me?", and not "are you blind to pictures?"
bool is_insult(std::string_view lower) {
    static constexpr std::string_view kAre[] = {"are you", "r u", "are u"};
    static constexpr std::string_view kSwears[] = {"fucking", "freaking", "really", "completely",
                                                   "totally", "just",     "even",   "actually"};
    static constexpr std::string_view kWhat[] = {"stupid", "dumb",     "blind",  "kidding me",      "kidding",
                                                 "insane", "an idiot", "joking", "out of your mind"};
    static constexpr std::string_view kOr[] = {" or what", " or something"};
    if (!take_word(lower, kAre)) return false;
    lower = without_marks(lower);
    while (take_word(lower, kSwears)) lower = without_marks(lower);
    return take_word(lower, kWhat) && (ends_here(lower) || begins_word(lower, kOr));
}

// What the agent did that it should not have done.
bool is_blame(std::string_view lower) {
    static constexpr std::string_view kYou[] = {"you've", "you're", "you are", "you have", "you"};
    static constexpr std::string_view kJust[] = {"just", "completely", "totally", "also", "again", "have", "now"};
    static constexpr std::string_view kFaults[] = {"misunderstood",
                                                   "misread",
                                                   "broke",
                                                   "ignored",
                                                   "missed the point",
                                                   "got it wrong",
                                                   "got this wrong",
                                                   "got it backwards",
                                                   "got that wrong",
                                                   "drifted",
                                                   "off track",
                                                   "going off",
                                                   "shouldn't have",
                                                   "should not have",
                                                   "were supposed",
                                                   "were only supposed",
                                                   "were not supposed",
                                                   "weren't supposed",
                                                   "overcomplicating",
                                                   "overengineering",
                                                   "over-engineering",
                                                   "overdoing",
                                                   "went off",
                                                   "off",
                                                   "overwrote",
                                                   "didn't follow",
                                                   "did not follow",
                                                   "didn't listen",
                                                   "didn't do what",
                                                   "did not do what"};
    static constexpr std::string_view kTook[] = {"deleted", "removed", "wiped", "destroyed", "lost", "dropped"};
    static constexpr std::string_view kMine[] = {"my", "the", "all", "everything", "our", "half", "a"};
    static constexpr std::string_view kWhy[] = {"why did you", "why have you", "why are you", "why would you",
                                                "why do you"};
    static constexpr std::string_view kActs[] = {
        "change",     "delete",   "remove",   "touch",    "edit",      "modify",    "rewrite",   "rename",   "move",
        "commit",     "push",     "drop",     "break",    "overwrite", "ignore",    "not",       "stop",     "revert",
        "replace",    "disable",  "skip",     "create",   "install",   "run",       "changed",   "deleted",  "removed",
        "changing",   "deleting", "removing", "touching", "editing",   "modifying", "rewriting", "renaming", "moving",
        "committing", "pushing",  "dropping", "ignoring", "reverting", "replacing", "disabling", "skipping", "creating",
        "installing", "running",  "doing",    "adding",   "keep"};
    static constexpr std::string_view kOutcry[] = {"wtf", "what are you doing", "what the hell", "what the f"};
    if (starts_with_any(lower, kOutcry) || took_it_back(lower) || is_insult(lower)) return true;
    std::string_view rest = lower;
    if (take_word(rest, kWhy)) {
        rest = without_marks(rest);
        while (take_word(rest, kJust)) rest = without_marks(rest);
        // "Why are you refactoring this?" and not "why are you using flex?"
        static constexpr std::string_view kAsks[] = {"using",   "choosing", "suggesting", "asking",  "saying",
                                                     "getting", "seeing",   "waiting",    "thinking"};
        const std::string_view word = rest.substr(0, rest.find_first_of(" ,.!?\n"));
        return begins_word(rest, kActs) ||
               (lower.starts_with("why are") && word.ends_with("ing") && !begins_word(word, kAsks));
    }
    if (!take_word(rest, kYou)) return false;
    rest = without_marks(rest);
    while (take_word(rest, kJust)) rest = without_marks(rest);
    if (begins_word(rest, kFaults) || is_mess(rest)) return true;
    // The clause alone: what follows may be a new wish.
    std::size_t end = rest.find_first_of(".!?\n");
    while (end != rest.npos && end + 1 < rest.size() && is_letter(rest[end + 1]))
        end = rest.find_first_of(".!?\n", end + 1);  // the dot in footer.css
    const std::string_view clause = rest.substr(0, end);
    if (clause.find(" the wrong ") != clause.npos || clause.find(" instead of ") != clause.npos) return true;
    return take_word(rest, kTook) && begins_word(without_marks(rest), kMine);
}

// Is there an excess at all? Few texts have a v, and no sentence need be looked at.
bool names_excess(std::string_view lower) {
    static constexpr std::string_view kKinds[] = {"complicating", "engineering", "doing"};
    for (std::size_t at = lower.find('v'); at != lower.npos; at = lower.find('v', at + 1)) {
        std::string_view rest = lower.substr(at + 1);
        if (!rest.starts_with("er")) continue;
        rest.remove_prefix(2);
        if (rest.starts_with('-') || rest.starts_with(' ')) rest.remove_prefix(1);
        if (starts_with_any(rest, kKinds)) return true;
    }
    return false;
}

// "I see the plan. You are overengineering this.", "a good start, but you're overcomplicating it": the verdict may
// stand behind another sentence where it can mean nothing else.
bool is_blame_later(std::string_view lower) {
    static constexpr std::string_view kLeads[] = {"but",  "and",     "still",       "however", "ok",       "okay",
                                                  "well", "i think", "i feel like", "i feel",  "it seems", "again"};
    static constexpr std::string_view kYou[] = {"you're", "you are", "this is you", "you keep"};
    static constexpr std::string_view kJust[] = {"just",  "completely", "totally", "really", "clearly", "way",
                                                 "again", "now",        "still",   "a bit",  "a little"};
    static constexpr std::string_view kExcesses[] = {"overcomplicating", "over-complicating", "over complicating",
                                                     "overengineering",  "over-engineering",  "over engineering",
                                                     "overdoing"};
    constexpr std::string_view kBut = " but ";
    const auto blames = [&](std::string_view clause) {
        while (take_word(clause, kLeads)) clause = without_marks(clause);
        if (!take_word(clause, kYou)) return false;
        clause = without_marks(clause);
        while (take_word(clause, kJust)) clause = without_marks(clause);
        return begins_word(clause, kExcesses);
    };
    if (!names_excess(lower)) return false;
    return any_sentence(lower, [&](std::string_view sentence) {
        const auto at = static_cast<std::size_t>(sentence.data() - lower.data());
        const bool asks = lower.substr(at + sentence.size()).starts_with('?');
        const std::size_t line = lower.substr(0, at).rfind('\n') + 1;  // npos + 1 = 0
        const bool quoted =
            trimmed(lower.substr(line)).starts_with('>') || std::ranges::count(lower.substr(0, at), '"') % 2 != 0;
        if (asks || quoted) return false;
        if (blames(sentence)) return true;
        const std::size_t but = sentence.find(kBut);
        return but != sentence.npos && std::ranges::count(sentence.substr(0, but), '"') % 2 == 0 &&
               blames(sentence.substr(but + 1));
    });
}

// ---- "take it back" ----------------------------------------------------------------------------------------------

bool is_taking_back(std::string_view lower, bool bare) {
    static constexpr std::string_view kUndo[] = {"undo", "revert", "roll back", "rollback", "restore"};
    static constexpr std::string_view kWork[] = {"that",        "this",         "it",       "your",      "those",
                                                 "these",       "everything",   "what you", "the last",  "the change",
                                                 "the changes", "the previous", "the edit", "the edits", "all of",
                                                 "all your",    "all that",     "back",     "please"};
    static constexpr std::string_view kThe[] = {"the", "to", "my", "all"};
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
    std::string_view thing = rest;
    if (take_word(thing, kLast) && begins_word(without_marks(thing), kThings)) return false;
    return begins_word(rest, kWork) || (bare && !lower.starts_with("restore") && begins_word(rest, kThe));
}

// ---- Chinese -----------------------------------------------------------------------------------------------------

// The word, with an end or one of these behind it: 停止 and not 停止按钮.
bool is_said(std::string_view text, std::string_view word, Words behind) {
    if (!text.starts_with(word)) return false;
    const std::string_view rest = text.substr(word.size());
    return ends_here(rest) || starts_with_any(rest, behind);
}

// 不对, 这样不对; and not 不对称.
bool is_not_right(std::string_view text) {
    static constexpr std::string_view kThis[] = {"这个", "这样", "这里", "这", "那"};
    static constexpr std::string_view kSoft[] = {"啊", "吧", "了", "的", "呀", "哦", "不对"};
    take_word(text, kThis);
    return is_said(text, "不对", kSoft);
}

bool is_chinese(std::string_view text) {
    static constexpr std::string_view kStarts[] = {
        "不是让你",   "不是叫你",  "不是这",     "我说的",     "我要的是",   "我要的不是", "我想要的是", "我想要的不是",
        "我是说",     "我是要",    "我指的",     "我让你",     "我是让你",   "我要你",     "错了",       "停下",
        "停一下",     "停手",      "你理解错",   "你搞错",     "你弄错",     "理解有误",   "跑题",       "跑偏",
        "偏题",       "偏了",      "别改",       "别动",       "别再",       "别乱",       "不要乱",     "谁让你",
        "为什么你",   "你为什么",  "为什么要改", "为什么要动", "为什么要删", "为什么要加", "我只是问",   "我只让你",
        "我只要",     "你删了我",  "你删掉了",   "你把我的",   "不要再",     "没按",       "没有按",     "你没按",
        "你没有按",   "说了不要",  "说了别",     "说过不要",   "我说过",     "我的要求是", "你在干什么", "你在干嘛",
        "你在做什么", "完全不对",  "都不对",     "方向不对",   "方向错",     "改回来",     "改回去",     "恢复原样",
        "恢复原来",   "没让你",    "没有让你",   "没叫你",     "没要求",     "没有要求",   "重新看我",   "重新读",
        "再读一遍",   "再看一遍我"};
    static constexpr std::string_view kSoft[] = {"啊", "吧", "了", "的", "呀", "哦"};
    static constexpr std::string_view kWork[] = {"刚",   "你", "这", "那",   "上", "所有", "全部", "改动",
                                                 "修改", "到", "吧", "一下", "掉", "之前", "回",   "操作"};
    static constexpr std::string_view kHalt[] = {"修改", "编辑", "操作", "现在", "这", "当前", "吧", "改"};
    // 我搞错了 is the speaker's own mistake.
    static constexpr std::string_view kMistakes[] = {"改错", "弄错", "搞错", "做错",  "写错",
                                                     "删错", "找错", "看错", "理解错"};
    static constexpr std::string_view kWhose[] = {"你", "又", "全", "都"};
    if (text.empty() || static_cast<unsigned char>(text.front()) < 0x80) return false;
    if (starts_with_any(text, kStarts)) return true;
    if (is_said(text, "停", kSoft) || is_said(text, "停止", kHalt) || is_not_right(text) ||
        is_said(text, "不是", kSoft))
        return true;
    for (const std::string_view word : {"撤销", "撤回", "回退", "回滚", "还原"}) {
        if (is_said(text, word, kWork)) return true;
    }
    std::string_view rest = text;
    while (take_word(rest, kWhose)) {
    }
    if (starts_with_any(rest, kMistakes)) return true;
    static constexpr std::string_view kNoGood[] = {"不行"};
    rest = text;
    return take_word(rest, kNoGood) && ends_here(rest) && starts_with_any(without_marks(rest), kStarts);
}

// ---- Korean ------------------------------------------------------------------------------------------------------

bool is_korean(std::string_view text) {
    static constexpr std::string_view kStarts[] = {"아니 그게 아니", "아니, 그게 아니", "그게 아니라", "그게 아니고",
                                                   "그거 말고",      "그것 말고",       "다시 되돌려", "되돌려줘",
                                                   "되돌려 줘",      "원래대로 되돌려", "잘못됐",      "잘못 이해했"};
    // "Besides that": more is wanted.
    static constexpr std::string_view kBesides[] = {"그거 말고도", "그것 말고도", "그거 말고 또"};
    if (text.empty() || static_cast<unsigned char>(text.front()) < 0x80 || !starts_with_any(text, kStarts))
        return false;
    const std::string_view sentence = text.substr(0, text.find_first_of(".!?\n"));
    const bool asks = text.substr(sentence.size()).starts_with('?');
    return !asks && !starts_with_any(text, kBesides);
}

// ---- German, French, Portuguese, Spanish, Japanese ---------------------------------------------------------------

bool is_in_other_language(std::string_view text) {
    static constexpr std::string_view kNo[] = {"nein", "nö", "non", "não"};
    static constexpr std::string_view kWrong[] = {
        "ich meinte",   "ich wollte",      "ich habe gesagt", "das ist falsch", "das war falsch", "das war nicht",
        "das sollte",   "so nicht",        "nicht so",        "nicht das",      "falsch",         "je voulais",
        "j'ai demandé", "je t'ai demandé", "je parlais",      "ce n'est pas",   "pas ça",         "pas comme ça",
        "eu queria",    "eu pedi",         "não era",         "não foi isso"};
    // Alone, or at the beginning.
    static constexpr std::string_view kVerdicts[] = {
        "falsch",     "das ist falsch", "das war falsch", "falsche datei", "falscher ordner", "annule ça",
        "deshaz eso", "te equivocaste", "違います",       "違う",          "違うよ"};
    static constexpr std::string_view kStarts[] = {"das habe ich nicht",
                                                   "das wollte ich nicht",
                                                   "das meinte ich nicht",
                                                   "so war das nicht gemeint",
                                                   "mach das rückgängig",
                                                   "mach das wieder rückgängig",
                                                   "nimm das zurück",
                                                   "ce n'est pas ce que j",
                                                   "c'est pas ce que j",
                                                   "ce n'était pas ce que j",
                                                   "no es lo que pedí",
                                                   "eso no es lo que pedí",
                                                   "não foi isso que eu pedi",
                                                   "そうじゃな",
                                                   "そうではな",
                                                   "元に戻して"};
    const std::string_view sentence = text.substr(0, text.find_first_of(".!?\n"));
    if (text.substr(sentence.size()).starts_with('?')) return false;
    std::string_view rest = text;
    if (take_word(rest, kNo) && ends_here(rest) && begins_word(without_marks(rest), kWrong)) return true;
    rest = text;
    return (take_word(rest, kVerdicts) && ends_here(rest)) || starts_with_any(text, kStarts);
}

// ---- anywhere ----------------------------------------------------------------------------------------------------

constexpr std::string_view kStrongInside[] = {"that's not what i",
                                              "that is not what i",
                                              "not what i asked",
                                              "not what i wanted",
                                              "not what i meant",
                                              "i asked for",
                                              "i asked you to",
                                              "i told you",
                                              "didn't do what i asked",
                                              "did not do what i asked",
                                              "often do i have to say",
                                              "often do i have to tell",
                                              "many times do i have to",
                                              "i did not ask",
                                              "i didn't ask",
                                              "i never asked",
                                              "you misunderstood",
                                              "you were supposed to",
                                              "went off track",
                                              "off topic",
                                              "off-topic",
                                              "you ignored",
                                              "why did you change",
                                              "why did you delete",
                                              "why did you remove",
                                              "why are you changing",
                                              "instead of what i",
                                              "stick to the",
                                              "stay on task",
                                              "read my request again",
                                              "read the task again",
                                              "read my message again",
                                              "re-read my",
                                              "re-read what i",
                                              "back to the task",
                                              "不是我要的",
                                              "不是我想要的",
                                              "我没让你",
                                              "我没有让你",
                                              "我没叫你",
                                              "我没有要求",
                                              "你跑题",
                                              "偏题",
                                              "不要再改",
                                              "不是我说的",
                                              "我要的不是",
                                              "重新看我的要求"};
constexpr std::string_view kWeakInside[] = {
    "you forgot",  "you didn't", "you did not", "doesn't work", "does not work", "didn't work",
    "it's broken", "is wrong",   "not correct", "incorrect",    "you missed",    "go back to",
    "还是不行",    "没用",       "不起作用",    "你忘了",       "有问题"};
constexpr std::string_view kPersistsInside[] = {
    "still broken",     "still doesn't work", "still not working",  "still the same",   "still fails",
    "still failing",    "still getting",      "still get the",      "still gives",      "still throws",
    "still crashes",    "still not fixed",    "still see the",      "still seeing",     "still happens",
    "still wrong",      "same error again",   "same problem again", "same issue again", "get the same",
    "getting the same", "gives the same",     "isn't fixed",        "is not fixed",     "wasn't fixed",
    "not fixed yet",    "nothing changed",    "还是一样",           "同样的错误"};
// Said about what is there now, whatever it is compared with.
constexpr std::string_view kPraise[] = {"much better", "even better", "better than", "i like it", "i like this",
                                        "love it",     "love this",   "works great", "great job", "great work",
                                        "but better",  "but nicer",   "nicely done", "well done", "looks great",
                                        "很好",        "不错",        "太棒",        "完美"};
constexpr std::string_view kDoubts[] = {"are you sure",
                                        "are u sure",
                                        "you sure?",
                                        "really?",
                                        "did you actually",
                                        "did you even",
                                        "did you really",
                                        "have you actually",
                                        "have you even",
                                        "did you test",
                                        "have you tested",
                                        "你确定",
                                        "确定吗",
                                        "真的吗",
                                        "真的修好",
                                        "你测试过",
                                        "你真的"};

// What stands anywhere is looked for all at once.
enum Inside : std::uint8_t { kSaysStrong = 1, kSaysWeak = 2, kSaysPersists = 4, kSaysPraise = 8 };
constexpr auto kInside = [] {
    std::array<std::string_view,
               std::size(kStrongInside) + std::size(kWeakInside) + std::size(kPersistsInside) + std::size(kPraise)>
        all{};
    auto at = std::ranges::copy(kStrongInside, all.begin()).out;
    at = std::ranges::copy(kWeakInside, at).out;
    at = std::ranges::copy(kPersistsInside, at).out;
    std::ranges::copy(kPraise, at);
    return all;
}();
constexpr PhraseSet kInsideSet(kInside);

Inside kind_of_phrase(std::size_t place) {
    if (place < std::size(kStrongInside)) return kSaysStrong;
    place -= std::size(kStrongInside);
    if (place < std::size(kWeakInside)) return kSaysWeak;
    return place - std::size(kWeakInside) < std::size(kPersistsInside) ? kSaysPersists : kSaysPraise;
}

// "Exactly what I asked for", "I told you about the invoice", "off topic: which model are you?"
bool is_content(std::string_view lower, std::size_t at, std::string_view phrase) {
    static constexpr std::string_view kAsked = "i asked for", kTold = "i told you",
                                      kDidnt[] = {"i didn't ask", "i did not ask"};
    static constexpr std::string_view kWhat[] = {"exactly what ", "just what ", "that's what ", "that is what ",
                                                 "this is what ", "all that ",  "everything ",  "everything that "};
    static constexpr std::string_view kOffs[] = {"off topic", "off-topic"},
                                      kAside[] = {":", " question", ", but", " but"},
                                      kBefore[] = {" you that before", " that before", " before", " yet", " earlier"};
    const std::string_view before = lower.substr(0, at), behind = lower.substr(at + phrase.size());
    if (phrase == kAsked)
        return std::ranges::any_of(kWhat, [&](std::string_view what) {
            return before.ends_with(what) && !before.substr(0, before.size() - what.size()).ends_with("not ");
        });
    if (phrase == kTold) return behind.starts_with(" about");
    if (std::ranges::find(kDidnt, phrase) != std::end(kDidnt)) return starts_with_any(behind, kBefore);
    return std::ranges::find(kOffs, phrase) != std::end(kOffs) && starts_with_any(behind, kAside);
}

// What the text has of it, as bits of Inside.
unsigned said_inside(std::string_view lower) {
    unsigned said = 0;
    kInsideSet.any(lower, [&](std::size_t at, std::string_view phrase) {
        if (is_content(lower, at, phrase)) return false;
        said |= kind_of_phrase(static_cast<std::size_t>(std::ranges::find(kInside, phrase) - kInside.begin()));
        return false;
    });
    return said;
}

// "No, the old one looks great" takes nothing back.
bool begins_with_no(std::string_view lower) {
    return lower.starts_with("no,") || lower.starts_with("no.") || lower.starts_with("no ");
}

// "The footer again. You edited the wrong file.": behind another sentence the verb must say that the agent did it.
bool is_wrong_place_later(std::string_view lower) {
    static constexpr std::string_view kLeads[] = {"but", "and", "again", "ok", "okay", "well"};
    static constexpr std::string_view kYou[] = {"you've", "you have", "you keep", "you are", "you're", "you"};
    static constexpr std::string_view kJust[] = {"just", "still", "again", "now", "also"};
    static constexpr std::string_view kDid[] = {"edited",    "changed",  "modified", "rewrote",  "touched",
                                                "fixed",     "updated",  "editing",  "changing", "modifying",
                                                "rewriting", "touching", "fixing",   "updating"};
    constexpr std::string_view kWrong = " the wrong ";
    if (lower.find(kWrong) == lower.npos) return false;
    return any_sentence(lower, [&](std::string_view sentence) {
        const auto at = static_cast<std::size_t>(sentence.data() - lower.data());
        const bool asks = lower.substr(at + sentence.size()).starts_with('?');
        const std::size_t line = lower.substr(0, at).rfind('\n') + 1;  // npos + 1 = 0
        const bool quoted =
            trimmed(lower.substr(line)).starts_with('>') || std::ranges::count(lower.substr(0, at), '"') % 2 != 0;
        if (asks || quoted) return false;
        while (take_word(sentence, kLeads)) sentence = without_marks(sentence);
        if (!take_word(sentence, kYou)) return false;
        sentence = without_marks(sentence);
        while (take_word(sentence, kJust)) sentence = without_marks(sentence);
        return take_word(sentence, kDid) && sentence.starts_with(kWrong);
    });
}

// Can what a person begins with be one of the verdicts below? Told by the first letter.
bool may_correct(std::string_view said) {
    static constexpr std::string_view kFirst =
        "acdefgimnprstuwy";  // abort, cancel, don't, go back, i said, no, put it back, …
    return !said.empty() &&
           (static_cast<unsigned char>(said.front()) >= 0x80 || kFirst.find(said.front()) != kFirst.npos);
}

// What a person begins with who is not content.
bool opens_with_correction(std::string_view lower, bool asked) {
    const std::string_view said = without_leads(lower), order = without_please(said);
    if (asked &&
        (said.starts_with("no") || said.starts_with("don't") || said.starts_with("stop") || said.starts_with("不是") ||
         said.starts_with("아니") || said.starts_with("그") || said.starts_with("nein") || said.starts_with("nö") ||
         said.starts_with("não") || said.starts_with("違")))
        return false;
    if (!may_correct(said) && !may_correct(order)) return is_blame_later(lower) || is_wrong_place_later(lower);
    return is_no(said) || is_stop(order) || is_wrong(said) || is_not_this(order) || is_reminder(said) ||
           is_blame(said) || is_taking_back(order, order.size() == said.size()) || is_chinese(order) ||
           is_korean(order) || is_in_other_language(order) || is_blame_later(lower) || is_wrong_place_later(lower);
}

}  // namespace

std::string plainly(std::string_view text) {
    std::string lower = lowered(text);
    if (!kWithoutSet.in(lower) && lower.find(kCurly) == lower.npos) return lower;
    std::string out;
    out.reserve(lower.size() + 8);
    for (std::string_view rest = lower; !rest.empty();) {
        const auto letters = static_cast<std::size_t>(std::ranges::find_if_not(rest, is_letter) - rest.begin());
        const std::string_view word = rest.substr(0, letters);
        rest.remove_prefix(letters);
        if (std::ranges::find(kWithout, word) != std::end(kWithout)) {
            const std::size_t tail =
                word.ends_with("re") || word.ends_with("ve") ? 2 : 1;  // you're, you've; don't, that's
            out.append(word.substr(0, word.size() - tail)).append("'").append(word.substr(word.size() - tail));
        } else {
            out.append(word);
        }
        if (rest.empty()) break;
        const bool curly = rest.front() == kCurly.front() && rest.starts_with(kCurly);
        out.push_back(curly ? '\'' : rest.front());
        rest.remove_prefix(curly ? kCurly.size() : 1);
    }
    return out;
}

bool declines(std::string_view text) {
    static constexpr std::string_view kLetsNot[] = {"let's not", "lets not", "let us not"};
    static constexpr std::string_view kNothing[] = {"worry", "forget", "lose", "stop"};
    const std::string lower = plainly(trimmed(text));
    std::string_view rest = without_please(without_leads(lower));
    return take_word(rest, kLetsNot) && !begins_word(without_marks(rest), kNothing);
}

bool settles_doubt(std::string_view text) {
    static constexpr std::string_view kLeads[] = {"ok",       "okay",    "ah",    "oh",    "aha",  "yes",  "yeah",
                                                  "yep",      "alright", "sorry", "great", "cool", "nice", "now",
                                                  "actually", "good",    "哦",    "好的",  "现在"};
    static constexpr std::string_view kWorks[] = {
        "it works",    "it worked",    "it does work", "it's working", "it is working", "that works", "works",
        "working now", "i see it now", "all good",     "false alarm",  "never mind",    "nevermind",  "nvm",
        "my mistake",  "my bad",       "my fault",     "i was wrong",  "you were right"};
    static constexpr std::string_view kHow[] = {"now",       "again",     "fine",        "well",  "great",
                                                "perfectly", "correctly", "as expected", "thanks"};
    static constexpr std::string_view kChinese[] = {"可以了",   "好了",     "没问题了", "我看错了",
                                                    "我搞错了", "我弄错了", "你是对的"};
    // "It works now, but …" keeps some of it, and "it works now?" asks.
    static constexpr std::string_view kLimits[] = {" but ", " except", " only ", " unless ", " if ",
                                                   " not ", "n't ",    "but ",   "但",       "不过"};
    constexpr std::size_t kStatement = 160;
    text = trimmed(text).substr(0, kStatement);
    const std::size_t end = text.find_first_of(".!?\n");
    if (end != text.npos && text[end] == '?') return false;
    const std::string lower = plainly(text.substr(0, end));
    std::string_view rest = without_leads(lower);
    if (contains_any(rest, kLimits) || rest.find("？") != rest.npos) return false;
    while (take_word(rest, kLeads)) rest = without_marks(rest);
    if (take_word(rest, kChinese)) return ends_here(rest);
    return take_word(rest, kWorks) && (ends_here(rest) || begins_word(without_marks(rest), kHow));
}

Correction correction_in(std::string_view text, bool asked) {
    // The verdict stands in front; what follows is the new instruction, or a pasted log.
    constexpr std::size_t kVerdict = 240;
    text = trimmed(text).substr(0, kVerdict);
    const std::string lower = plainly(text);
    const unsigned inside = said_inside(lower);
    if ((inside & kSaysPraise) != 0 && !begins_with_no(lower)) return Correction::none;
    if ((inside & kSaysStrong) != 0 || opens_with_correction(lower, asked)) return Correction::strong;
    if ((inside & kSaysPersists) != 0) return Correction::persists;
    if ((inside & kSaysWeak) != 0) return Correction::weak;
    return starts_with_any(lower, kDoubts) ? Correction::doubt : Correction::none;
}

}  // namespace agent_audit::detectors
