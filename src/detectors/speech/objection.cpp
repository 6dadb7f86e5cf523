#include "detectors/speech/objection.hpp"

#include "detectors/speech/correction.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLooked = 256;  // bytes

std::string plain(RawText said) { return lowered(decoded(said, kLooked)); }

bool is_of_word(char c) { return is_alnum(c) || static_cast<unsigned char>(c) >= 0x80; }

// As words of their own: "again" is none of "against".
template <class Words>
bool has_any_word(std::string_view text, const Words& words) {
    return std::ranges::any_of(words, [text](std::string_view word) {
        for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
            const std::size_t end = at + word.size();
            if ((at == 0 || !is_of_word(text[at - 1])) && (end == text.size() || !is_of_word(text[end]))) return true;
        }
        return false;
    });
}

template <class Words>
bool begins_with_word(std::string_view text, const Words& words) {
    return std::ranges::any_of(words, [text](std::string_view word) {
        return text.starts_with(word) && (text.size() == word.size() || !is_of_word(text[word.size()]));
    });
}

}  // namespace

bool objects(RawText said) {
    constexpr std::string_view kWords[] = {
        "again",        "still",      "already",      "wrong",    "same code",    "same error",    "same answer",
        "same result",  "same thing", "same problem", "same one", "same as",      "same mistake",  "is the same",
        "not work",     "encore",     "toujours",     "faux",     "pareil",       "immer noch",    "wieder",
        "falsch",       "bereits",    "geht nicht",   "otra vez", "sigue",        "de nuevo",      "igual",
        "de novo",      "ainda",      "errado",       "ancora",   "sbagliato",    "sbagliata",     "nog steeds",
        "schon gesagt", "снова",      "опять",        "ещё раз",  "doesn't work", "does not work", "ya dije"};
    constexpr std::string_view kWithoutBlanks[] = {"又", "还是", "还不", "不对", "错了", "已经", "まだ", "同じ"};
    constexpr std::string_view kNo[] = {"no", "non", "nein", "nee", "nope", "não", "нет", "nie", "いいえ", "아니"};
    // "No problem, go ahead", "say it again": nothing was wrong with what was said.
    constexpr std::string_view kFine[] = {"no problem", "no worries", "no need", "no rush", "no hurry", "no thank"};
    constexpr std::string_view kOnceMore[] = {"say ",  "tell ",     "repeat", "show ",  "read ", "explain",
                                              "sing ", "wiederhol", "répèt",  "repite", "ripeti"};
    const std::string text = plain(said);
    if (asks({text, TextForm::plain}) || starts_with_any(text, kFine)) return false;
    if (correction_in(text, false) != Correction::none) return true;
    if (begins_with_word(text, kNo) || text.starts_with("不") || contains_any(text, kWithoutBlanks)) return true;
    return has_any_word(text, kWords) && !contains_any(text, kOnceMore);
}

bool approves(RawText said) {
    constexpr std::string_view kFine[] = {"good",  "great", "thank",  "perfect",  "nice",    "fine",  "correct",
                                          "right", "gut",   "super",  "danke",    "prima",   "merci", "parfait",
                                          "bien",  "bueno", "gracia", "perfecto", "obrigad", "ótimo", "grazie",
                                          "很好",  "谢谢",  "好的",   "ありがと"};
    const std::string text = plain(said);
    return std::ranges::any_of(kFine, [&](std::string_view fine) { return text.starts_with(fine); });
}

bool asks(RawText said) {
    constexpr std::string_view kMarks[] = {"?", "？", "\\uff1f", "\\uFF1F"};
    return contains_any(said.bytes, kMarks);
}

bool declines_to_help(RawText said) {
    constexpr std::string_view kDeclines[] = {
        "t help with",         "not help with",    "t assist",       "not assist",     "help with that", "t provide",
        "cannot provide",      "t share",          "cannot share",   "not allowed to", "policy",         "nicht helfen",
        "peux pas vous aider", "peux pas t'aider", "no puedo ayudar"};
    return contains_any(plain(said), kDeclines);
}

}  // namespace agent_audit::detectors
