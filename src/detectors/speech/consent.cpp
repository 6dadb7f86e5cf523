#include "detectors/speech/consent.hpp"

#include "detectors/speech/order_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kPermits[] = {"you may ",  "you can ",   "feel free", "go ahead", "ship it", "allowed",
                                         "no longer", "never mind", "nevermind", "fine to ", "ok to ",  "okay to ",
                                         "free to ",  "可以",       "允许",      "不再",     "没关系"};
constexpr PhraseSet kPermitSet(kPermits);
// "You can see …" tells, and allows nothing.
constexpr std::string_view kTells[] = {"see ", "find ", "assume ", "look ", "tell ", "ignore "};

}  // namespace

std::size_t permission_in(std::string_view lower) {
    if (!kPermitSet.in(lower)) return lower.npos;
    if (lower.find("not allowed") != lower.npos || lower.find("n't allowed") != lower.npos ||
        lower.find("longer allowed") != lower.npos)
        return lower.npos;
    for (const std::string_view permit : kPermits) {
        for (std::size_t at = lower.find(permit); at != lower.npos; at = lower.find(permit, at + 1)) {
            const std::string_view before = lower.substr(0, at), after = lower.substr(at + permit.size());
            if (before.ends_with("不") || before.ends_with("not ") || before.ends_with("n't ") ||
                after.starts_with("not "))
                continue;
            if (at > 0 && is_letter(before.back()) && is_letter(permit[0])) continue;
            if (permit.starts_with("you ") && starts_with_any(after, kTells)) continue;
            return at + permit.size();
        }
    }
    return lower.npos;
}

bool proposes(std::string_view said) {
    constexpr std::string_view kProposes[] = {" would ",    "i'd ",       "i’d ",        " next ",
                                              "next, ",     "next i",     "i could ",    "shall i",
                                              "should i",   "want me to", "do you want", "would you like",
                                              "i can also", "i suggest",  "i propose",   "i recommend"};
    return contains_any(lowered(said), kProposes);
}

bool agrees(std::string_view answer) {
    constexpr std::string_view kYes[] = {"yes",
                                         "ok",
                                         "okay",
                                         "sure",
                                         "do it",
                                         "go ahead",
                                         "go on",
                                         "go for it",
                                         "continue",
                                         "fine",
                                         "alright",
                                         "all right",
                                         "yep",
                                         "yeah",
                                         "yup",
                                         "y",
                                         "k",
                                         "kk",
                                         "agreed",
                                         "please",
                                         "of course",
                                         "if you must",
                                         "if you have to",
                                         "if necessary",
                                         "if needed",
                                         "by all means",
                                         "absolutely",
                                         "definitely",
                                         "proceed",
                                         "approved",
                                         "confirmed",
                                         "lgtm",
                                         "looks good",
                                         "sounds good",
                                         "right",
                                         "good",
                                         "ja",
                                         "oui",
                                         "sí",
                                         "👍",
                                         "👌",
                                         "+1",
                                         "可以",
                                         "好",
                                         "是",
                                         "行",
                                         "同意"};
    constexpr std::string_view kSounds[] = {"hmm", "hm", "well", "oh", "ah", "uh", "um", "mh", ",", ".", "…", " "};
    const std::string lower = lowered(trimmed(answer));
    std::string_view said = lower;
    // "Yes", and not "yesterday".
    const auto begins = [&](std::string_view word) {
        return said.starts_with(word) &&
               (!is_letter(word.back()) || said.size() == word.size() || !is_letter(said[word.size()]));
    };
    for (bool more = true; more;) {  // "hm ok"
        const auto sound = std::ranges::find_if(kSounds, begins);
        more = sound != std::end(kSounds);
        if (more) said.remove_prefix(sound->size());
    }
    return std::ranges::any_of(kYes, begins);
}

std::string needs_in(std::string_view said) {
    constexpr std::string_view kNeeds[] = {"need",    "require",       "would have to", "has to ", "have to ", "must ",
                                           "should ", "would like to", "propose",       "suggest", "recommend"};
    std::string out;
    any_sentence(said, [&](std::string_view sentence) {
        const std::string lower = lowered(sentence);
        if (contains_any(lower, kNeeds) && !denied(lower)) out.append(sentence).append("\n");
        return false;
    });
    return out;
}

}  // namespace agent_audit::detectors
