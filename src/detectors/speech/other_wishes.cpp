#include "detectors/speech/other_wishes.hpp"

#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

// Orders, where they begin a clause. Those in Cyrillic lack the first letter, which may be a capital.
constexpr std::string_view kWaits[] = {"wait ",
                                       "hold off ",
                                       "hold on until",
                                       "give it a m",
                                       "give it some time",
                                       "give it time",
                                       "give it a few",
                                       "give it a while",
                                       "give it a sec",
                                       "sit tight",
                                       "be patient",
                                       "warte ",
                                       "warte, bis",
                                       "warten sie",
                                       "wart ",
                                       "attends ",
                                       "attendez ",
                                       "patiente",
                                       "espera ",
                                       "espere ",
                                       "aspetta ",
                                       "aspetti ",
                                       "attendi ",
                                       "aguarda ",
                                       "aguarde ",
                                       "wacht ",
                                       "vänta ",
                                       "poczekaj",
                                       "zaczekaj",
                                       "одожди",
                                       "ождись",
                                       "ождитесь",
                                       "жди ",
                                       "ждите ",
                                       "bekle ",
                                       "bleib dran bis",
                                       "bleib dran, b"};
// Whoever wants to be told when something has come has it watched.
constexpr std::string_view kTells[] = {"tell me when",
                                       "tell me once",
                                       "tell me as soon",
                                       "tell us when",
                                       "let me know when",
                                       "let me know once",
                                       "let us know when",
                                       "let us know once",
                                       "ping me when",
                                       "ping me once",
                                       "notify me when",
                                       "notify me once",
                                       "report back when",
                                       "report back once",
                                       "alert me when",
                                       "message me when",
                                       "shout when",
                                       "call me when",
                                       "send me a note when",
                                       "sag mir, wenn",
                                       "sag mir, sobald",
                                       "sag mir wenn",
                                       "sag mir sobald",
                                       "sag bescheid",
                                       "gib bescheid",
                                       "gib mir bescheid",
                                       "melde dich, wenn",
                                       "melde dich, sob",
                                       "melde dich wenn",
                                       "melde dich sob",
                                       "dis-moi quand",
                                       "dis-moi dès",
                                       "préviens-moi",
                                       "prévenez-moi",
                                       "avertis-moi",
                                       "avísame cuando",
                                       "avisame cuando",
                                       "avísame en cuan",
                                       "dime cuando",
                                       "dime cuándo",
                                       "avvisami quando",
                                       "avvisami appena",
                                       "dimmi quando",
                                       "fammi sapere quando",
                                       "me avise quando",
                                       "avise-me quando",
                                       "avisa-me quando",
                                       "avisa quando",
                                       "laat weten wanneer",
                                       "laat het weten",
                                       "laat me weten",
                                       "säg till när",
                                       "daj znać",
                                       "ообщи ",
                                       "ообщи,",
                                       "ообщите",
                                       "ай знать",
                                       "кажи, когда"};
// "Tell me when you are done" asks for the end of the work.
constexpr std::string_view kOwnEnd[] = {
    " you ",  " you're",   " you’re", " you've",     " du ",      " ihr ",      " sie fert",     " tu ",
    " vous ", " termines", " acabes", " hai finito", " je klaar", " закончишь", " this is done", " all is done"};
// The same where nothing else is named that may come: "let me know when done", "tell me when it's ready".
constexpr std::string_view kOwnBegin[] = {" done",       " finished", " ready", " complete",
                                          " everything", " that",     " fertig"};
constexpr std::string_view kOwnWork[] = {"done",  "finish",  "ready",     "complete", "fixed",
                                         "works", "working", "implement", "green",    "pass"};
// "Send me the link when it is finished", "deploy once the lock is free": what comes by itself, and the word that says
// it.
constexpr std::string_view kWhens[] = {
    "once he ", "once she ", "once they ",    "as soon as he ",  "as soon as she ", "when it",     "when the ",
    "once it",  "once the ", "as soon as it", "as soon as the ", "until it",        "until the ",  "until you see",
    "till it",  "till the ", "till you see",  "before it",       "before you see",  "before the ", "after it"};
constexpr std::string_view kComes[] = {
    " is back",      " are back",      " is up",        " are up",      " is online",      " is finished",
    " has finished", " is ready",      " are ready",    " is there",    " is free",        " is released",
    " is live",      " goes live",     " shows",        " appear",      " arrive",         " comes back",
    " come back",    " comes up",      " is available", " answered",    " replied",        " responded",
    " has approved", " have approved", " is reachable", " is resolved", " resolves",       " has landed",
    " is complete",  " has completed", "'s finished",   "'s ready",     "'s back",         "'s up",
    "'s there",      "'s live",        "'s free",       " you see",     " has propagated", " propagates",
    " is visible",   " is through",    " is rendered"};
// Nothing may be done before: "don't submit before you see it".
constexpr std::string_view kNotYet[] = {"don't ", "don’t ", "do not ", "not ", "never ", "nothing ", "only "};
// How long something else takes.
constexpr std::string_view kTakes[] = {"takes ",       "take ",        "may be ",    "can be ", "dauert ", "dauern",
                                       "braucht ",     "prend ",       "prendre ",   "tarda ",  "tardar",  "demora",
                                       "ci vogliono ", "ci mette ",    "richied",    "duurt ",  "duren",   "занимает",
                                       "занять",       "needs about ", "needs some "};
constexpr std::string_view kWhile[] = {
    "a while",  "some time", "a moment",   "a bit",      "minute",    "hour",
    "minuten",  "stunde",    "eine weile", "etwas zeit", "un moment", "un certain temps",
    "heure",    "un rato",   "hora",       "minuto",     "un po'",    "minuti",
    "um tempo", "uur",       "минут",      "час",        "een tijd"};
// The same in signs that part no words.
constexpr std::string_view kWideWaits[] = {
    "等一下",     "等一会",   "等它",       "等到",       "等待",     "耐心等", "好了告诉我", "好了叫我",
    "后告诉我",   "后通知我", "恢复后",     "需要几分钟", "大约需要", "待って", "まで待",     "まで見て",
    "になったら", "戻ったら", "復旧したら", "完了したら", "届いたら", "기다려", "될 때까지",  "끝나면 알려"};
// "I waited for it", "the client should wait": told, or of a program.
constexpr std::string_view kTold[] = {"i've ",   "i have ",  "we've ",  "we have ", "i waited", "we waited",
                                      "i tried", "we tried", "already", "i ran ",   "waited "};

// One thing again: each with what ends it in the same sentence.
constexpr std::string_view kAgain[] = {"keep trying",   "keep retry",
                                       "keep re-",      "keep running",
                                       "keep scanning", "keep polling",
                                       "keep checking", "keep pinging",
                                       "keep calling",  "keep listening",
                                       "keep refresh",  "keep reload",
                                       "keep sending",  "keep pressing",
                                       "keep clicking", "keep probing",
                                       "keep asking",   "keep dialing",
                                       "keep at it",    "retry ",
                                       "try again",     "try it again",
                                       "re-run",        "rerun",
                                       "repeat",        "again and again",
                                       "over and over", "in batches",
                                       "in chunks",     "in a loop",
                                       "drain",         "work through",
                                       "work off",      "versuch",
                                       "probier",       "wiederhol",
                                       "immer wieder",  "in blöcken",
                                       "stapelweise",   "réessa",
                                       "reessa",        "relance",
                                       "recommence",    "répète",
                                       "par lots",      "reintent",
                                       "sigue intent",  "sigue prob",
                                       "repite",        "una y otra vez",
                                       "por lotes",     "riprova",
                                       "continua a ",   "ripeti",
                                       "a blocchi",     "tente ",
                                       "tenta ",        "repita",
                                       "repete",        "continue tentando",
                                       "em lotes",      "probeer",
                                       "herhaal",       "blijf ",
                                       "овторяй",       "робуй",
                                       "ытайся",        "пачками",
                                       "一直试",        "一直重试",
                                       "反复",          "重试",
                                       "不断",          "分批",
                                       "繰り返",        "何度も",
                                       "再試行",        "계속",
                                       "다시 시도"};
constexpr std::string_view kUntil[] = {"until ",  "till ",       " bis ",       "solange ", "jusqu",     "tant qu",
                                       "hasta ",  "finch",       "fino a",      "até ",     "enquanto ", " tot ",
                                       "totdat ", "пока ",       "до тех",      "直到",     "为止",      "まで",
                                       "때까지",  "as long as ", "while there", "mientras "};

// "One by one, stop when empty": the end of what is worked off.
constexpr std::string_view kStops[] = {"stop when",        "stop once",      "stop if",        "stop as soon",
                                       "quit when",        "end when",       "done when",      "hör auf",
                                       "aufhören",         "para cuando",    "termina cuando", "arrête quand",
                                       "arrête-toi quand", "fermati quando", "pare quando"};
constexpr std::string_view kUsedUp[] = {"empty",       "nothing",   " none",    "no more",  "drained",
                                        "exhausted",   "all gone",  "runs out", "leer ",    "leer,",
                                        "nichts mehr", "keine ",    "vací",     "no quede", "nada más",
                                        "vide",        "plus rien", "vuot",     "vazi",     "não houver"};
constexpr PhraseSet kStopSet(kStops);

// To be made sure of: that there is none, of what may still be used or be left.
constexpr std::string_view kProves[] = {"make sure",     "be sure",      "ensure",       "verify",       "check that",
                                        "check whether", "confirm",      "double-check", "prove",        "see that",
                                        "see to it",     "stell sicher", "prüf",         "vergewisser",  "asegúrate",
                                        "verifica",      "comprueba",    "assure-toi",   "assurez-vous", "vérifie",
                                        "certifique",    "assicurati",   "确保",         "確認"};
constexpr std::string_view kNoneOfIt[] = {"nothing", "nobody", "no one", "nowhere", " none ",  " no ",
                                          "any ",    "isn't",  "is not", "aren't",  "are not", "nichts",
                                          "nirgend", "kein",   "nada ",  "ningun",  "ningún",  "plus rien",
                                          "aucun",   "nenhum", "nessun", "niente",  "没有",    "ない"};
constexpr std::string_view kUsed[] = {"uses ",    " use ",     "used",     "usage",     "using ", "refer", "import",
                                      "mention",  "calls ",    "call to",  "spelling",  "occurr", "trace", "depend",
                                      "leftover", "left over", " is left", " are left", "remain", "leak",  "secret",
                                      "verwend",  "benutz",    "übrig",    "utiliza",   "usa ",   "queda", "utilise",
                                      "reste",    "usado",     "utilizz",  "引用",      "使用",   "残って"};
constexpr PhraseSet kProveSet(kProves);

// "Fix it and re-run until it passes": what is to be done in between is the work.
constexpr std::string_view kMends[] = {"fix",       "debug",    "repair",  "solve",  "implement", "make it work",
                                       "get it to", "find out", "behebe",  "beheb ", "reparier",  "korrigier",
                                       "corrige",   "répare",   "arregla", "corrig", "исправ",    "почини",
                                       "修复",      "修正",     "解决",    "直して", "고쳐"};

// Two ways in turn, and what is to be learnt of them.
constexpr std::string_view kInTurn[] = {
    "toggle",       "toggling",      "on and off",   "off and on",     "on/off",         "with and without",
    "a/b",          "ab test",       "alternat",     "back and forth", "switch between", "both ways",
    "both setting", "both value",    "both variant", "either way",     "flip ",          "an und aus",
    "ein und aus",  "ein- und aus",  "an- und aus",  "mit und ohne",   "abwechselnd",    "hin und her",
    "beide einst",  "beide werte",   "avec et sans", "active et dés",  "les deux régl",  "alterne",
    "con y sin",    "activa y des",  "las dos ",     "con e senza",    "attiva e dis",   "com e sem",
    "aan en uit",   "met en zonder", "включ",        "с и без",        "开和关",         "开关",
    "有无",         "来回切换",      "オンとオフ",   "オン/オフ",      "オンオフ",       "ありとなし",
    "交互に",       "켜고 끄"};
constexpr std::string_view kLearns[] = {
    "measure",      "compar",     "bench",       "timing", "latency",   "throughput",
    "faster",       "slower",     "speed",       "p99",    "profil",    "which is better",
    "does it help", " help?",     "vergleich",   "miss ",  "messe",     "messung",
    "schneller",    "mesur",      "plus rapide", "mide",   "medir",     "más rápid",
    "misura",       "più veloce", "mede",        "meça",   "vergelijk", "meet ",
    "измер",        "сравн",      "быстрее",     "测",     "比较",      "对比",
    "測",           "計測",       "比較",        "비교",   "측정"};

// A part at a time.
constexpr std::string_view kBatches[] = {"in batches", "batches of", "chunks of", "in blöcken", "stapelweise",
                                         "par lots",   "por lotes",  "em lotes",  "a blocchi",  "a lotti",
                                         "пачками",    "分批",       "バッチ"};

// What comes of too many tries, and that it is to be seen.
constexpr std::string_view kTurnsAway[] = {"lockout",
                                           "lock-out",
                                           "locks an account",
                                           "locks the account",
                                           "locks the user",
                                           "locks me out",
                                           "locks out",
                                           "locked out",
                                           "locked after",
                                           "lock after",
                                           "rate limit",
                                           "rate-limit",
                                           "throttl",
                                           "too many attempts",
                                           "too many logins",
                                           "too many wrong",
                                           "gesperrt",
                                           "sperrt",
                                           "aussperr",
                                           "bloquea",
                                           "verrouill",
                                           "blocca",
                                           "锁定",
                                           "限流",
                                           "ロック"};
constexpr std::string_view kSees[] = {"check",       "test",    "verify",   "prove",       "make sure", "confirm",
                                      "try whether", "see if",  "see that", "see whether", "prüf",      "teste",
                                      "comprueb",    "verific", "vérifi",   "确认",        "测试",      "確認"};

// What most messages have none of is looked for at once.
constexpr PhraseSet kUntilSet(kUntil);
constexpr PhraseSet kInTurnSet(kInTurn);
constexpr PhraseSet kBatchSet(kBatches);
constexpr PhraseSet kTurnsAwaySet(kTurnsAway);

constexpr std::size_t kLongest = 512;  // bytes that are said in one breath

bool ends_with_word(std::string_view text, std::string_view word) {
    return text.ends_with(word) && (text.size() == word.size() || !is_letter(text[text.size() - word.size() - 1]));
}

// "…, and wait for it": an order begins its clause; "the worker must wait for it" is no order.
bool begins_clause(std::string_view before) {
    constexpr std::string_view kMarks = ",:;-(*",
                               kLead[] = {"and",        "then", "please", "just",     "now",         "also",
                                          "so",         "but",  "you",    "you must", "you have to", "you need to",
                                          "you should", "und",  "dann",   "bitte",    "et",          "puis",
                                          "y",          "e",    "poi",    "luego",    "en",          "и"};
    before = trimmed(before);
    return before.empty() || kMarks.find(before.back()) != kMarks.npos ||
           std::ranges::any_of(kLead, [&](std::string_view word) { return ends_with_word(before, word); });
}

bool orders_to_wait(std::string_view sentence) {
    return std::ranges::any_of(kWaits, [&](std::string_view wait) {
        const std::size_t at = sentence.find(wait);
        return at != sentence.npos && (has_wide_letter(wait) || begins_clause(sentence.substr(0, at)));
    });
}

bool ends_own_work(std::string_view behind) {
    constexpr std::size_t kNear = 32;  // bytes
    const bool it = behind.starts_with(" it") && contains_any(behind.substr(0, kNear), kOwnWork);
    return it || starts_with_any(behind, kOwnBegin) || contains_any(behind, kOwnEnd);
}

bool wants_to_be_told(std::string_view sentence) {
    return std::ranges::any_of(kTells, [&](std::string_view tell) {
        const std::size_t at = sentence.find(tell);
        return at != sentence.npos && !ends_own_work(sentence.substr(at + tell.size()));
    });
}

// "when it is finished": both in one clause.
bool names_what_comes(std::string_view sentence) {
    constexpr std::size_t kNear = 64;  // bytes
    // "The list is empty when the page is ready" tells of a fault.
    constexpr std::string_view kDoes[] = {"send",   "deploy", "merge",  "tag",      "push",    "post",    "publish",
                                          "upload", "start",  "run",    "continue", "proceed", "restart", "give",
                                          "mail",   "email",  "write",  "book",     "buy",     "submit",  "open",
                                          "close",  "switch", "move",   "release",  "then",    "please",  "only",
                                          "don't",  "don’t",  "do not", "once",     "as soon", "and then"};
    if (!starts_with_any(sentence, kDoes)) return false;
    return std::ranges::any_of(kWhens, [&](std::string_view when) {
        const std::size_t at = sentence.find(when);
        if (at == sentence.npos || (at > 0 && is_letter(sentence[at - 1]))) return false;
        const std::string_view clause = sentence.substr(at, kNear);
        return contains_any(clause.substr(0, clause.find_first_of(",;:")), kComes);
    });
}

bool is_held_back(std::string_view sentence) {
    constexpr std::string_view kUntilThen[] = {"before you see", "until you see", "bevor du siehst", "bis du siehst"};
    constexpr std::string_view kUntilIt[] = {"before it", "until it", "before the ", "until the "};
    constexpr std::string_view kGoesOn[] = {" stop", "give up", "quit"};  // "don't stop until it works" bids to work
    const bool comes = contains_any(sentence, kUntilIt) && contains_any(sentence, kComes);
    return contains_any(sentence, kNotYet) && (comes || contains_any(sentence, kUntilThen)) &&
           !contains_any(sentence, kGoesOn);
}

// Whether one of the words begins there: "uur" is in no "duurt".
template <std::size_t N>
bool has_begin_of_word(std::string_view text, const std::string_view (&words)[N]) {
    return std::ranges::any_of(words, [text](std::string_view word) {
        for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
            const char before = at == 0 ? ' ' : text[at - 1];
            if (!is_letter(before) && static_cast<unsigned char>(before) < 0x80) return true;
        }
        return false;
    });
}

// Not where it is to be made to take less.
bool tells_how_long(std::string_view sentence) {
    constexpr std::string_view kTooLong[] = {"faster",    "speed",   "slow",    "too long", "reduce", "optimi",
                                             "schneller", "zu lang", "te lang", "sneller",  "trop ",  "demasiado",
                                             "más rápid", "troppo",  "быстрее", "shorten",  "why "};
    return has_begin_of_word(sentence, kTakes) && has_begin_of_word(sentence, kWhile) &&
           !contains_any(sentence, kTooLong);
}

template <class Is>
bool any_wish(std::string_view words, Is&& is) {
    return any_sentence(words, [&](std::string_view sentence) {
        return sentence.size() <= kLongest && !contains_any(sentence, kTold) && is(sentence);
    });
}

// "Keep trying until it installs."
bool says_to_go_on(std::string_view words) {
    return kUntilSet.in(words) && !contains_any(words, kMends) && any_wish(words, [](std::string_view sentence) {
               return kUntilSet.in(sentence) && contains_any(sentence, kAgain);
           });
}

}  // namespace

bool says_to_wait(std::string_view words) {
    return contains_any(words, kWideWaits) || any_wish(words, [](std::string_view sentence) {
               return orders_to_wait(sentence) || wants_to_be_told(sentence) || names_what_comes(sentence) ||
                      is_held_back(sentence) || tells_how_long(sentence);
           });
}

bool says_to_repeat(std::string_view words) {
    const bool ends =
        kStopSet.in(words) && !contains_any(words, kMends) && any_wish(words, [](std::string_view sentence) {
            return kStopSet.in(sentence) && contains_any(std::string(sentence) + ' ', kUsedUp);
        });
    return ends || says_to_go_on(words);
}

bool says_to_find_none(std::string_view words) {
    return kProveSet.in(words) && any_wish(words, [](std::string_view sentence) {
               return kProveSet.in(sentence) && contains_any(sentence, kNoneOfIt) && contains_any(sentence, kUsed);
           });
}

bool says_to_batch(std::string_view words) {
    return kBatchSet.in(words) && any_wish(words, [](std::string_view sentence) { return kBatchSet.in(sentence); });
}

bool says_to_provoke(std::string_view words) {
    return kTurnsAwaySet.said_in(words) && !contains_any(words, kMends) &&
           any_wish(words, [](std::string_view sentence) {
               return kTurnsAwaySet.said_in(sentence) && contains_any(sentence, kSees);
           });
}

bool says_to_compare(std::string_view words) {
    return kInTurnSet.in(words) && any_sentence(words, [](std::string_view sentence) {
               return kInTurnSet.in(sentence) && contains_any(sentence, kLearns);
           });
}

}  // namespace agent_audit::detectors
