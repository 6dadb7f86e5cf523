#include "detectors/speech/correction_blame.hpp"

#include "detectors/speech/spoken_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>

namespace agent_audit::detectors {

bool is_reminder(std::string_view lower) {
    // "I told you about the invoice", "I didn't ask you that before, but can you …"
    static constexpr std::string_view kOther[] = {
        "i told you about",     "i didn't ask you that before", "i didn't ask that before", "i didn't ask before",
        "i told you the wrong", "i asked for the wrong",        "i told you wrong",         "i asked the wrong"};
    // Of others; not "I asked for a review, not for a rewrite".
    static constexpr std::string_view kOfOthers[] = {"i asked for review", "i asked for a review",
                                                     "i asked for feedback", "i asked for access",
                                                     "i asked for approval"};
    constexpr std::string_view kNot = " not ";
    if (begins_word(lower, kOther) || (begins_word(lower, kOfOthers) && lower.find(kNot) == lower.npos)) return false;
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

namespace {

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
    static constexpr std::string_view kGlad[] = {"it works", "brilliant", "amazing", "awesome", "great", "so good"};
    return take_word(lower, kWhat) && (ends_here(lower) || begins_word(lower, kOr)) &&
           !contains_any(lower.substr(0, 80), kGlad);
}

}  // namespace

bool is_blame(std::string_view lower) {
    static constexpr std::string_view kYou[] = {"you've", "you're", "you are", "you have", "you"};
    static constexpr std::string_view kJust[] = {"just", "completely", "totally", "also", "again", "have", "now"};
    static constexpr std::string_view kFaults[] = {"misunderstood",
                                                   "going in circles",
                                                   "made it worse",
                                                   "made it up",
                                                   "made that up",
                                                   "fixed something completely different",
                                                   "did something completely different",
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
                                                   "went too far",
                                                   "took it too far",
                                                   "took this too far",
                                                   "went overboard",
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

namespace {

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

}  // namespace

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

bool is_wrong_place_later(std::string_view lower) {
    static constexpr std::string_view kLeads[] = {"but", "and", "again", "ok", "okay", "well"};
    static constexpr std::string_view kYou[] = {"you've", "you have", "you keep", "you are", "you're", "you"};
    static constexpr std::string_view kJust[] = {"just", "still", "again", "now", "also"};
    static constexpr std::string_view kDid[] = {"edited",    "changed",  "modified", "rewrote",  "touched",
                                                "fixed",     "updated",  "editing",  "changing", "modifying",
                                                "rewriting", "touching", "fixing",   "updating"};
    constexpr std::string_view kWrong = " the wrong ", kRare = "wrong ";  // blanks are everywhere
    if (lower.find(kRare) == lower.npos || lower.find(kWrong) == lower.npos) return false;
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

}  // namespace agent_audit::detectors
