#include "detectors/speech/correction.hpp"

#include "detectors/speech/correction_blame.hpp"
#include "detectors/speech/correction_tongues.hpp"
#include "detectors/speech/correction_verdicts.hpp"
#include "detectors/speech/objection.hpp"
#include "detectors/speech/spoken_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

namespace agent_audit::detectors {
namespace {

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

// "The customer says 'that's not what I ordered'": what somebody else said, of something else.
bool is_reported(std::string_view before) {
    static constexpr std::string_view kSays[] = {"say",  "said",    "write",    "wrote",
                                                 "mail", "told me", "complain", "quote"};
    // Anna in the PR: "This is not what I meant"
    static constexpr std::string_view kColons[] = {"wrote:", "writes:", "said:",   "says:", "replied:", "complained:",
                                                   "mail:",  "ticket:", "review:", ": \"",  ": '",      ": “"};
    constexpr std::size_t kLooked = 64, kInto = 16;  // bytes; of the quotation
    before = before.substr(before.size() - std::min(before.size(), kLooked));
    const auto leads_here = [&](std::string_view colon) {
        const std::size_t at = before.rfind(colon);
        return at != before.npos && before.find_first_of(".!?\n", at) == before.npos;
    };
    if (std::ranges::any_of(kColons, leads_here)) return true;
    const std::size_t mark = before.find_last_of("\"'");
    if (mark == before.npos || mark == 0 || before.size() - mark > kInto) return false;
    // An apostrophe stands behind a letter.
    return before[mark - 1] == ' ' && contains_any(before.substr(0, mark), kSays);
}

// "Exactly what I asked for", "I told you about the invoice", "off topic: which model are you?", "not what I expected
// from the library"
bool is_content(std::string_view lower, std::size_t at, std::string_view phrase) {
    static constexpr std::string_view kAsked = "i asked for", kTold = "i told you",
                                      kDidnt[] = {"i didn't ask", "i did not ask"};
    static constexpr std::string_view kWhat[] = {"exactly what ", "just what ", "that's what ", "that is what ",
                                                 "this is what ", "all that ",  "everything ",  "everything that "};
    // "I asked for a review from Mia"
    static constexpr std::string_view kOfOthers[] = {" review",     " a review", " feedback",  " access",
                                                     " permission", " approval", " clearance", " a quote"};
    static constexpr std::string_view kWhatI = "what i", kWrong = " the wrong ", kNot = " not ";
    static constexpr std::string_view kOffs[] = {"off topic", "off-topic"},
                                      kAside[] = {":", " question", ", but", " but"},
                                      kBefore[] = {" you that before", " that before", " before", " yet", " earlier"};
    const std::string_view before = lower.substr(0, at), behind = lower.substr(at + phrase.size());
    if (is_reported(before)) return true;
    if ((phrase == kAsked || phrase == kTold) && behind.starts_with(kWrong)) return true;  // their own mistake
    if (phrase == kAsked && starts_with_any(behind, kOfOthers) && behind.find(kNot) == behind.npos) return true;
    if (phrase == kAsked)
        return std::ranges::any_of(kWhat, [&](std::string_view what) {
            return before.ends_with(what) && !before.substr(0, before.size() - what.size()).ends_with("not ");
        });
    if (phrase.ends_with(kWhatI)) return is_of_another(lower.substr(at + phrase.size() - kWhatI.size()));
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

// "Back to 24", "zurück auf 2 rem": a value that stood there before is wanted again, and nothing else.
bool goes_back_to_value(std::string_view rest) {
    static constexpr std::string_view kBack[] = {"back to",   "zurück auf", "zurück zu", "wieder",  "retour à",
                                                 "reviens à", "remets",     "vuelve a",  "volta a", "torna a"};
    constexpr std::size_t kUnit = 4;  // bytes, and a blank
    if (!take_word(rest, kBack)) return false;
    rest = without_marks(rest);
    const std::size_t value = rest.find_first_not_of("0123456789.,");
    if (value == 0) return false;
    rest = rest.substr(std::min(value, rest.size()));
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    const std::size_t unit = std::min(rest.find_first_of(" .!,"), rest.size());
    return unit <= kUnit && ends_here(without_marks(rest.substr(unit)));
}

// "No, a bit lower": further the same way or back, as one does who tries what looks right. Nothing but the direction.
bool only_steers(std::string_view lower) {
    constexpr std::size_t kLongest = 40;  // bytes
    static constexpr std::string_view kNo[] = {"no", "nope", "hm, no", "hmm, no", "nein", "nee", "non", "não"};
    static constexpr std::string_view kHow[] = {
        "still", "even",    "much",  "far",     "slightly", "just", "a",   "bit", "tad",    "little",
        "some",  "make it", "to",    "further", "the",      "move", "it",  "un",  "poco",   "más",
        "aún",   "algo",    "mucho", "hacia",   "a la",     "po'",  "più", "in",  "ancora", "verso"};
    static constexpr std::string_view kWays[] = {
        "lower",   "higher", "smaller",  "bigger",    "larger",  "wider",   "taller",  "shorter",  "narrower",
        "lighter", "darker", "brighter", "softer",    "bolder",  "thinner", "thicker", "rounder",  "warmer",
        "colder",  "slower", "faster",   "louder",    "quieter", "more",    "less",    "left",     "up",
        "down",    "abajo",  "arriba",   "izquierda", "derecha", "pequeño", "grande",  "claro",    "oscuro",
        "ancho",   "alto",   "bajo",     "rápido",    "lento",   "menos",   "basso",   "sinistra", "destra",
        "piccolo", "chiaro", "scuro",    "largo",     "stretto", "veloce",  "meno"};
    static constexpr std::string_view kPlease[] = {"please", "por favor", "per favore"};
    std::string_view rest = lower;
    if (lower.size() > kLongest || !take_word(rest, kNo)) return false;
    rest = without_marks(rest);
    if (goes_back_to_value(rest)) return true;
    while (take_word(rest, kHow)) rest = without_marks(rest);
    if (!take_word(rest, kWays)) return false;
    rest = without_marks(rest);
    if (take_word(rest, kPlease)) rest = without_marks(rest);
    return ends_here(rest);
}

// What is said of the better of two.
constexpr std::string_view kBetter[] = {" was better",  " was nicer",   " looked better",  " war besser",
                                        " war schöner", " était mieux", " était mieux",    " era mejor",
                                        " era melhor",  " era meglio",  " sah besser aus", " fit better"};

// "The 4th was better", "die zweite war schöner": of several that were offered or tried, one is chosen.
bool prefers_one_of_several(std::string_view lower) {
    static constexpr std::string_view kOrdinals[] = {
        "first",   "second",   "third",    "fourth",    "last",    "previous", "earlier",   "one",    "version",
        "option",  "variant",  "erste",    "zweite",    "dritte",  "vierte",   "letzte",    "vorige", "vorherige",
        "premier", "première", "deuxième", "troisième", "dernier", "dernière", "précédent", "primer", "primera",
        "segund",  "tercer",   "últim",    "anterior",  "prim",    "second",   "terz"};
    constexpr std::size_t kNear = 24;  // bytes before it that name which
    for (const std::string_view better : kBetter) {
        const std::size_t at = lower.find(better);
        if (at == lower.npos) continue;
        const std::string_view which = lower.substr(at - std::min(at, kNear), std::min(at, kNear));
        if (std::ranges::any_of(which, is_digit) || contains_any(which, kOrdinals)) return true;
    }
    return false;
}

// "No, the large one after all": they said something else before. "No, the previous one was better" chooses among
// tries.
bool changes_mind(std::string_view lower) {
    static constexpr std::string_view kChanged[] = {"my fault",
                                                    "my mistake",
                                                    "my bad",
                                                    "i misread",
                                                    "i mistyped",
                                                    "i looked at the wrong",
                                                    "mein fehler",
                                                    "meine schuld",
                                                    "mi error",
                                                    "culpa mía",
                                                    "ma faute",
                                                    " after all",
                                                    "changed my mind",
                                                    "change my mind",
                                                    "on second thought",
                                                    "i reconsidered",
                                                    "come to think of it",
                                                    "doch lieber",
                                                    "mejor al final",
                                                    "finalement",
                                                    "one was better",
                                                    "version was better",
                                                    "wording was better",
                                                    "liked the previous",
                                                    "liked the first",
                                                    "prefer the previous",
                                                    "prefer the first",
                                                    "preferred the",
                                                    "fassung war besser",
                                                    "vorige war besser",
                                                    "vorherige war besser",
                                                    "erste war besser",
                                                    "gefiel mir besser",
                                                    "anterior era mejor",
                                                    "primero era mejor",
                                                    "primera era mejor",
                                                    "précédente était mieux",
                                                    "précédent était mieux",
                                                    "anterior era melhor",
                                                    "私のミス",
                                                    "私の間違い",
                                                    "我搞错",
                                                    "我弄错",
                                                    "我的错",
                                                    "제 실수",
                                                    "내 실수",
                                                    "之前的更好",
                                                    "前の方が"};
    return contains_any(lower, kChanged) || prefers_one_of_several(lower);
}

// "Multipart was better for the browser": what they had asked for instead is taken back. "It was better before" says
// that the work made it worse.
bool prefers_what_was(std::string_view lower) {
    static constexpr std::string_view kAllOfIt[] = {"it", "that", "this", "everything", "all",  "es",    "das",   "ça",
                                                    "c'", "eso",  "todo", "isso",       "tudo", "prima", "vorher"};
    static constexpr std::string_view kBefore[] = {" before", "vorher", " avant", " antes", " prima"};
    if (contains_any(lower, kBefore)) return false;
    return std::ranges::any_of(kBetter, [&](std::string_view better) {
        const std::size_t at = lower.find(better);
        if (at == lower.npos || at == 0) return false;
        const std::string_view which = lower.substr(0, at);
        return !begins_word(which.substr(which.find_last_of(" ,.") + 1), kAllOfIt);  // npos + 1 = 0
    });
}

// "Not that modern", "nicht so dunkel": less of what was tried. "Not that file" and "not that one" mean another thing.
bool wants_less(std::string_view lower) {
    constexpr std::ptrdiff_t kMostWords = 3;
    static constexpr std::string_view kNotSo[] = {
        "not that", "not so",        "not too",   "not quite so", "not quite as", "not quite that",
        "nicht so", "nicht ganz so", "nicht zu",  "pas si",       "pas aussi",    "pas trop",
        "no tan",   "não tão",       "nem tanto", "non così",     "non troppo",   "niet zo"};
    static constexpr std::string_view kThings[] = {"one",  "file", "place", "way",     "part",    "thing",   "function",
                                                   "line", "page", "test",  "branch",  "class",   "version", "fast",
                                                   "i",    "it",   "you",   "gemeint", "gedacht", "gewollt"};
    if (!take_word(lower, kNotSo)) return false;
    const std::string_view how = without_marks(lower);
    return !how.empty() && is_letter(how.front()) && !begins_word(how, kThings) &&
           std::ranges::count(how, ' ') < kMostWords;
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

bool says_instead(std::string_view text) {
    constexpr std::size_t kLongest = 40, kLongestChoice = 80;  // bytes
    static constexpr std::string_view kNo[] = {"no", "nope", "nah",  "hm no", "hm, no",   "hmm no", "hmm, no", "oh no",
                                               "ne", "nee",  "nein", "non",   "wait, no", "não",    "нет",     "不"};
    static constexpr std::string_view kFault[] = {
        " not ", "n't ",   "wrong",  "said",  "asked",  "told",   "why",     "stop",  "undo", "revert",
        "broke", "delete", "remove", "never", "nicht",  "falsch", "gesagt",  " pas ", "dit ", "dije",
        "mal ",  "errad",  "file",   " stay", " as is", " keep ", " leave ", "bleib", " lass"};
    text = trimmed(text);
    if (text.size() > kLongestChoice || complaint_in({text, TextForm::plain}) == Complaint::same) return false;
    const std::string words = lowered(text) + ' ';
    if (text.size() <= kLongest && wants_less(without_leads(words))) return true;
    // "Way too much", 再小一点
    static constexpr std::string_view kDegrees[] = {"too much ", "一点", "一些", "もう少し", "もっと"};
    if (text.size() <= kLongest && contains_any(words, kDegrees) && !contains_any(words, kFault)) return true;
    const bool choice = contains_any(words, kBetter) || text.size() > kLongest;
    if (contains_any(words, kFault) || (choice && !prefers_what_was(words))) return false;
    return std::ranges::any_of(kNo, [&](std::string_view no) {
        return words.starts_with(no) && text.size() > no.size() &&
               std::string_view(", .").find(words[no.size()]) != std::string_view::npos;
    });
}

bool says_untrue(std::string_view text) {
    constexpr std::size_t kStatement = 120;  // bytes
    static constexpr std::string_view kNo[] = {"no", "nope", "nein", "non", "não", "нет"};
    static constexpr std::string_view kUntrue[] = {"that's wrong",
                                                   "that is wrong",
                                                   "it's wrong",
                                                   "that's incorrect",
                                                   "that is incorrect",
                                                   "that's not true",
                                                   "that is not true",
                                                   "that's not right",
                                                   "that is not right",
                                                   "that's not correct",
                                                   "that's not it",
                                                   "that is not it",
                                                   "that isn't it",
                                                   "that isn't right",
                                                   "that isn't true",
                                                   "wrong",
                                                   "das stimmt nicht",
                                                   "das ist falsch",
                                                   "falsch",
                                                   "c'est faux",
                                                   "ce n'est pas vrai",
                                                   "eso no es cierto",
                                                   "es falso",
                                                   "isso está errado",
                                                   "è sbagliato",
                                                   "non è vero",
                                                   "不对",
                                                   "違います"};
    // What they had asked for, or do not want done, is about the work.
    static constexpr std::string_view kOfWork[] = {"i asked", "i said",  "i told",  "i want", "you were",
                                                   "stop",    "undo",    "revert",  "again",  "don't",
                                                   "gesagt",  "gefragt", "demandé", "pedí",   "pedi "};
    const std::string lower = plainly(trimmed(text).substr(0, kStatement));
    std::string_view rest = without_leads(lower);
    while (take_word(rest, kNo)) rest = without_marks(rest);
    return begins_word(rest, kUntrue) && !contains_any(rest, kOfWork);
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
    if (only_steers(lower)) return Correction::weak;
    if ((inside & kSaysStrong) != 0) return Correction::strong;
    if (opens_with_correction(lower, asked))
        return inside == 0 && changes_mind(lower) ? Correction::none : Correction::strong;
    if ((inside & kSaysPersists) != 0) return Correction::persists;
    if ((inside & kSaysWeak) != 0) return Correction::weak;
    return starts_with_any(lower, kDoubts) ? Correction::doubt : Correction::none;
}

}  // namespace agent_audit::detectors
