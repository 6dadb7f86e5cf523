#include "detectors/speech/asked_again.hpp"

#include "detectors/words/number_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/find_near.hpp"
#include "support/joined.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kRead = 3072;  // bytes of a message: what is wanted stands in front

// What fails now and then, in words that say nothing else.
constexpr std::string_view kFlaky[] = {"flaky",        "flakes",   "flakiness",     "flakey",
                                       "intermittent", "sporadic", "nondeterminis", "non-determinis"};
// The same in other tongues, where it stands beside the word for failing or for running.
constexpr std::string_view kFlakyAbroad[] = {
    "manchmal fehl",    "ab und zu fehl",         "gelegentlich fehl",  "sporadisch",        "immer wieder laufen",
    "so oft laufen",    "mehrmals laufen",        "mehrfach laufen",    "de temps en temps", "échoue parfois",
    "parfois échoue",   "en boucle jusqu",        "par intermittence",  "a veces falla",     "falla a veces",
    "falla de vez en",  "de vez en cuando falla", "intermitente",       "às vezes falha",    "falha às vezes",
    "a volte fallisce", "fallisce a volte",       "ogni tanto fallisce"};
// The same where something fails or is to be run.
constexpr std::string_view kSometimes[] = {
    "sometimes", "now and then", "occasionally", "from time to time", "once in a while", "every now and again",
    "at random", "randomly",     "once in ",     "one in ",           "out of every"};
constexpr std::string_view kFails[] = {"fail",   "crash",    "hang",     "hung",      "is red",   "goes red", "break",
                                       "breaks", "segfault", "time out", "times out", "deadlock", "flak",     "race"};
constexpr std::string_view kSeveral[] = {"a few times",    "several times", "a couple of times",
                                         "multiple times", "many times",    "a number of times",
                                         "repeatedly",     "over and over", "again and again"};
constexpr std::string_view kRuns[] = {"run",    "rerun",   "re-run", "start", "restart", "try",
                                      "repeat", "execute", "launch", "test",  "call",    "measure"};
// "Every 30 min ping me to stretch"
constexpr std::string_view kReminds[] = {"ping", "remind", "notify", "send", "tell", "message", "text", "say", "post"};
constexpr std::string_view kWatches[] = {"keep an eye on", "keep watching", "keep checking",   "keep refreshing",
                                         "keep reloading", "keep polling",  "keep monitoring", "keep looking at",
                                         "me as soon as",  "me the moment", "know as soon as", "know the moment"};
// "Let me know as soon as you are done" asks for the end of the work.
constexpr std::string_view kWhenDone[] = {" you",         " it's done", " it is done", " this is done",
                                          " that's done", " done",      " finished"};
constexpr std::string_view kEvery[] = {"every minute", "every second",     "every hour",        "every day",
                                       "every few ",   "every couple of ", "every other minute"};
// "alle fünf Minuten", and how one looks.
constexpr std::string_view kEveryAbroad[] = {"jede minute",
                                             "jede stunde",
                                             "alle zwei minuten",
                                             "alle drei minuten",
                                             "alle fünf minuten",
                                             "alle zehn minuten",
                                             "alle 1",
                                             "alle 2",
                                             "alle 3",
                                             "alle 5",
                                             "cada minuto",
                                             "cada hora",
                                             "cada dos minutos",
                                             "cada tres minutos",
                                             "cada cinco minutos",
                                             "cada diez minutos",
                                             "cada 1",
                                             "cada 2",
                                             "cada 3",
                                             "cada 5",
                                             "toutes les minutes",
                                             "toutes les heures",
                                             "toutes les deux minutes",
                                             "toutes les cinq minutes",
                                             "toutes les dix minutes",
                                             "toutes les 1",
                                             "toutes les 2",
                                             "toutes les 3",
                                             "toutes les 5",
                                             "ogni minuto",
                                             "ogni cinque minuti",
                                             "ogni 5 minuti",
                                             "ogni 10 minuti"};
constexpr std::string_view kUnitsAbroad[] = {"minut",   "stunde", "sekunde", "hora",
                                             "segundo", "heure",  "seconde", "secondi"};
constexpr std::string_view kLooksAbroad[] = {"schau",    "prüf",     "sieh ",    "kontrollier", "beobacht",
                                             "überwach", "frag ",    "vigila",   "mira ",       "comprueb",
                                             "revisa",   "consulta", "verifica", "verifique",   "regarde",
                                             "vérifi",   "surveill", "consulte", "controll",    "guarda "};
constexpr std::string_view kRemindsAbroad[] = {"erinner",  "melde dich", "schick mir", "sag mir",
                                               "rappelle", "préviens",   "recuérda",   "avísame",
                                               "ricorda",  "avvisa",     "lembr",      "avise"};
constexpr std::string_view kAtTimes[] = {"from time to time", "now and then", "once in a while", "periodically",
                                         "at intervals"};
constexpr std::string_view kLooks[] = {"check",   "watch",  "monitor", "poll",  "ping", "look",   "read",
                                       "refresh", "reload", "query",   "fetch", "see",  "observe"};
constexpr std::string_view kNotWatched[] = {"watch out", "watch mode", "watch your"};
constexpr std::string_view kTold[] = {"i've ",  "i have ",  "we've ",  "we have ", "i ran",  "i tried",
                                      "we ran", "we tried", "already", "don't",    "do not", "never"};

constexpr std::string_view kOrders[] = {"watch", "monitor", "überwache", "beobachte", "vigila", "surveille"};
// "every 5 minutes", "every ten seconds": what begins a number will do here.
constexpr std::string_view kEveryNumber[] = {
    "every 1",   "every 2",   "every 3",      "every 4",    "every 5",      "every 6",    "every 7",     "every 8",
    "every 9",   "every tw",  "every three",  "every four", "every five",   "every six",  "every seven", "every eight",
    "every nin", "every ten", "every eleven", "every fif",  "every thirty", "every forty"};

// To find nothing is what is hoped for: "check that none of these is used any more".
constexpr std::string_view kAbsent[] = {"none of these",  "none of those",    "none of them",        "none of the old",
                                        "find unused",    "any unused",       "are unused",          "there unused",
                                        "unused depend",  "dead depend",      "unused package",      "dead package",
                                        "no longer used", "no longer called", "no longer referenced"};
// "none of the deprecated functions is used any more"; "none of the tests pass" is a complaint.
constexpr std::string_view kNone[] = {"none of the "};
// "Make sure that no caller is left": what is to be made sure of stands behind.
constexpr std::string_view kNoMore[] = {"sure that no ", "sure no ", "check that no ", "verify that no "};
constexpr std::string_view kAnyMore[] = {"any more", "anymore", "any longer", " still ", " left", " remain"};
constexpr std::string_view kUses[] = {"call", "use", "refer", "import", "mention", "occur", "trace", "depend"};

// The end of a wait is named: "wait until Noor has read it".
constexpr std::string_view kWaits[] = {"wait until", "wait till", "wait for", "warte, bis", "warte bis", "warte auf"};
constexpr std::string_view kWaitsAbroad[] = {"espera a que", "espera hasta",    "attends que", "attends la fin",
                                             "attendez que", "attendez la fin", "aspetta che"};
constexpr std::string_view kWaitOrders[] = {"wait", "warte", "warte,", "espera", "attends", "attendez", "aspetta"};
// "Deploy once the build has finished".
constexpr std::string_view kOnce[] = {"once the "};
constexpr std::string_view kReady[] = {" has finished", " is finished", " is done",  " is green",   " has completed",
                                       " is complete",  " is ready",    " is up",    " is healthy", " has passed",
                                       " is through",   " is back",     " is online"};
constexpr std::string_view kForeignWaits[] = {"等待", "等到", "完成后再", "まで待って", "まで待ち", "完了を待"};

// That they fail is what is wanted of the things that are tried.
constexpr std::string_view kFailures[] = {
    "must fail",          "should fail",          "each fails",         "every one fails",  "all of them fail",
    "see it fail",        "see them fail",        "expected to fail",   "supposed to fail", "must be refused",
    "should be refused",  "must be rejected",     "should be rejected", "must be denied",   "should be denied",
    "expect 4",           "expect a 4",           "expect an error",    "expecting 4",      "expecting an error",
    "expect exit",        "expecting exit",       "have to fail",       "has to fail",      "have to be refused",
    "has to be refused",  "have to be rejected",  "has to be rejected", "have to time out", "must time out",
    "should time out",    "must not be able",     "should not be able", "must return 4",    "should return 4",
    "must answer with 4", "should answer with 4", "must exit with",     "should exit with"};
// "Test it with malformed bodies", "verify that it rejects bad addresses": in the order of a check.
constexpr std::string_view kNegative[] = {
    "rejects ",    "refuses ",    "malformed",   "reachable",   "reached from",  "is denied",     "are denied",
    "is refused",  "are refused", "is blocked",  "are blocked", "is forbidden",  "are forbidden", "denied access",
    "empty field", "empty form",  "blank field", "bad input",   "invalid input", "nonsense",      "garbage"};
// Whose purpose it is: "negative test of the sandbox", "pen test on our own staging login".
constexpr std::string_view kAttacks[] = {"negative test",    "pen test",       "pentest",          "pen-test",
                                         "penetration test", "injection test", "brute-force test", "chaos test",
                                         "fuzz the ",        "fuzz our ",      "fuzz it ",         "fuzz-test"};
constexpr std::string_view kNegativeAbroad[] = {"ungültig",     "kaputte",     "ablehnt",
                                                "zurückweist",  "leeren feld", "leere feld",
                                                "champs vides", "campos vac",  "campos vaz"};
// The same as that they fail.
constexpr std::string_view kFailuresAbroad[] = {
    "muss abgelehnt",   "müssen abgelehnt", "muss scheitern",  "müssen scheitern", "soll abgelehnt",
    "sollen abgelehnt", "debe fallar",      "deben fallar",    "debe rechaz",      "deben rechaz",
    "debe ser rechaz",  "doit échouer",     "doivent échouer", "doit être refus",  "doivent être refus",
    "deve falhar",      "devem falhar",     "deve fallire",    "必须失败",         "必须被拒绝",
    "应该被拒绝",       "拒否されること",   "失敗すること"};
constexpr std::string_view kCheckOrders[] = {"test",    "verify",    "check",   "harden",  "fuzz",   "probe",
                                             "prüfe",   "prüfe,",    "teste,",  "teste",   "prueba", "ensure",
                                             "confirm", "comprueba", "vérifie", "verifica"};
// Of what goes wrong, which is to be mended.
constexpr std::string_view kGoesWrong[] = {"crash", "why ", "not fail", "fails", "fix ", "stürzt", "warum"};
// Of tests alone: what is to make them green is not written yet.
constexpr std::string_view kRedTests[] = {"tests first", "tests for it first"};
// What is red may stay so: in a sentence that speaks of failing, an order to ignore it, or that it is not theirs.
constexpr std::string_view kLeft[] = {
    "ignor",           "not yours",         "not your job",     "not your problem", "not your concern",
    "not your task",   "not your business", "since ever",       "known to fail",    "fails on main",
    "failing on main", "fails on master",   "failing on master"};
constexpr std::string_view kIgnores[] = {"ignore",   "ignore-le", "ignore-la", "ignoriere",
                                         "ignorier", "ignora",    "ignorez",   "ignorá"};
constexpr std::string_view kRed[] = {"fail",   "is red", "red test", "are red", "be red", "red on ", "stay red",
                                     "broken", "fehl",   " rot ",    " rot,",   "falla",  "échou"};
// Not where it is an order to mend what is red, or to make it green.
constexpr std::string_view kMends[] = {"fix", "mend", "repair", "behebe", "repariere", "arregla", "corrige", "répare"};
constexpr std::string_view kMakes[] = {"make", "get", "bring", "mach", "mache"};
constexpr std::string_view kGreen[] = {"green", "pass", "grün"};
// "Until the queue is empty", "until none is left": what is worked off in parts.
constexpr std::string_view kUntil[] = {"until "};
constexpr std::string_view kWorkedOff[] = {
    "empty",      "none is left",     "none are left",  "nothing is left", "nothing left", "no more ", "none left",
    "are left",   "remain",           " is 0",          " reaches 0",      " is zero",     " drained", " exhausted",
    "until done", "until it is done", "until it's done"};
constexpr std::string_view kWorksOff[] = {"run",   "call",   "repeat",  "execute", "loop",  "process",
                                          "drain", "delete", "import",  "purge",   "apply", "migrate",
                                          "send",  "move",   "archive", "remove",  "clean", "invoke"};
// To find out of each of many things how it is with it, and no order to mend them.
constexpr std::string_view kSurveys[] = {
    "check each",     "check every",    "check all",   "check for each",  "check for every",  "check whether each",
    "verify each",    "verify every",   "verify all",  "verify that all", "verify that each", "verify that every",
    "probe each",     "probe every",    "probe all",   "try each",        "try every",        "try all",
    "look up each",   "look up every",  "look up all", "scan each",       "scan every",       "scan all",
    "is each of ",    "whether each ",  "triage each", "triage all",      "which of the ",    "which of these",
    "which of those", "is any of ",     "are any of ", "whether any of ", "prüfe jede",       "prüfe alle",
    "überprüfe jede", "überprüfe alle", "welche der ", "comprueba cada",  "verifica cada",    "vérifie chaque",
    "which of our ",  "which of my ",   "see if any",  "see whether any"};
constexpr std::string_view kSurveysAbroad[] = {"welche dieser",     "welcher dieser",    "welches dieser",
                                               "welche von diesen", "cuáles de est",     "cuál de est",
                                               "lesquels de ces",   "lesquelles de ces", "quali di quest"};
// "Check our ten packages one by one"
constexpr std::string_view kInTurn[] = {"one by one", "one after the other", "one at a time", "each in turn"};
constexpr std::string_view kLooksInTurn[] = {"check", "audit", "verify",  "scan",   "probe", "look", "test",
                                             "try",   "query", "inspect", "review", "ping",  "see"};
// "Check that all tests pass" asks for one run.
constexpr std::string_view kOneRun[] = {"test", "check"};

// The same wishes in Chinese and Japanese, as far as the words can mean nothing else; what is told of a program is put
// otherwise.
constexpr std::string_view kForeignTrials[] = {"失败为止",   "失敗するまで", "偶尔失败", "偶尔会失败",   "有时失败",
                                               "有时会失败", "时好时坏",     "多跑几次", "多运行几次",   "反复运行",
                                               "反复跑",     "たまに失敗",   "時々失敗", "ときどき失敗", "何度か実行",
                                               "何回か実行", "数回実行"};
constexpr std::string_view kForeignAbsent[] = {"不再使用",           "没有再使用",       "没有被使用",  "未被使用",
                                               "もう使われていない", "使われていないか", "残っていない"};
constexpr std::string_view kForeignSurveys[] = {"逐个检查", "逐一检查",     "逐个确认",
                                                "逐一确认", "一つずつ確認", "1つずつ確認"};
constexpr std::string_view kForeignWatches[] = {"盯着",     "盯一下",       "每分钟检查",   "每分钟看", "定期检查",
                                                "定期查看", "持续关注",     "持续监控",     "見張って", "監視して",
                                                "見守って", "定期的に確認", "分ごとに確認", "毎分確認"};

// How often, which is a wish to watch only beside a look.
constexpr std::string_view kForeignOften[] = {"分おきに", "分ごとに", "時間おきに", "時間ごとに",
                                              "每隔",     "每五分钟", "每十分钟"};

// What a wish is told by, as bits: where no phrase of it stands, a message need not be read for it.
enum Hint : unsigned {
    kTrialHint = 1,
    kWatchHint = 2,
    kAbsenceHint = 4,
    kWaitHint = 8,
    kFailureHint = 16,
    kSurveyHint = 32,
    kKnownHint = 64,
    kUntilHint = 128
};

constexpr auto kTrialPhrases = joined(kFlaky, kSometimes, kSeveral);
constexpr auto kWatchPhrases = joined(kWatches, kEvery, kEveryNumber, kAtTimes, kOrders);
constexpr auto kAbsencePhrases = joined(kAbsent, kNone, kNoMore);

// Two dozen phrases that begin with one word would be compared wherever it stands.
constexpr std::string_view kEveryWord[] = {"every "};
constexpr PhraseSet kHintSet(joined(kFlaky, kSometimes, kSeveral, kWatches, kEveryWord, kAtTimes, kOrders, kAbsent,
                                    kNone, kNoMore, kWaits, kOnce, kFailures, kNegative, kAttacks, kRedTests, kLeft,
                                    kSurveys, kInTurn, kUntil));
constexpr PhraseSet kAbroadSet(joined(kFlakyAbroad, kEveryAbroad, kWaitsAbroad, kNegativeAbroad, kFailuresAbroad,
                                      kSurveysAbroad));
constexpr PhraseSet kFlakyAbroadSet(kFlakyAbroad);
constexpr PhraseSet kEveryAbroadSet(kEveryAbroad);
constexpr PhraseSet kOrderSet(kOrders);
constexpr PhraseSet kFlakySet(kFlaky);
constexpr PhraseSet kSometimesSet(kSometimes);
constexpr PhraseSet kSeveralSet(kSeveral);
constexpr PhraseSet kWatchSet(kWatches);
constexpr PhraseSet kAtTimesSet(kAtTimes);
constexpr PhraseSet kAbsentSet(kAbsent);
constexpr PhraseSet kNoneSet(kNone);
constexpr PhraseSet kNoMoreSet(kNoMore);
constexpr PhraseSet kWaitSet(joined(kWaits, kWaitsAbroad));
constexpr PhraseSet kOnceSet(kOnce);
constexpr PhraseSet kNegativeSet(joined(kNegative, kNegativeAbroad));
constexpr PhraseSet kForeignWaitsSet(kForeignWaits);
constexpr PhraseSet kFailureSet(joined(kFailures, kAttacks, kFailuresAbroad));
constexpr PhraseSet kRedTestSet(kRedTests);
constexpr PhraseSet kLeftSet(kLeft);
constexpr PhraseSet kSurveySet(joined(kSurveys, kSurveysAbroad));
constexpr PhraseSet kInTurnSet(kInTurn);
constexpr PhraseSet kUntilSet(kUntil);
constexpr PhraseSet kForeignSet(joined(kForeignTrials, kForeignWatches, kForeignAbsent, kForeignSurveys, kForeignOften,
                                       kForeignWaits));
constexpr PhraseSet kForeignAbsentSet(kForeignAbsent);
constexpr PhraseSet kForeignSurveysSet(kForeignSurveys);
constexpr PhraseSet kForeignTrialsSet(kForeignTrials);
constexpr PhraseSet kForeignWatchesSet(kForeignWatches);

// Whether a message is written in such characters: then one of them stands near its beginning.
bool is_foreign(std::string_view text) {
    constexpr std::size_t kBeginning = 256;
    return std::ranges::any_of(text.substr(0, kBeginning), [](char c) {
        return static_cast<unsigned char>(c) >= 0xe3 && static_cast<unsigned char>(c) <= 0xe9;
    });
}

// Words that begin so ("the", "that", "this", "then") are English, and near the beginning of most that is written in
// it.
bool is_english(std::string_view text) {
    constexpr std::size_t kBeginning = 512;
    constexpr std::string_view kNext = "aei";
    const std::string_view head = text.substr(0, kBeginning);
    for (std::size_t at = find_pair_near(head, 0, 't', 'h'); at != head.npos;
         at = find_pair_near(head, at + 1, 't', 'h')) {
        const bool begins = at == 0 || head[at - 1] == ' ';
        if (begins && at + 2 < head.size() && kNext.find(head[at + 2]) != kNext.npos) return true;
    }
    return false;
}

// In ./drain.sh, 10:30 and 1,000 such a mark ends nothing.
bool ends_clause(std::string_view text, std::size_t mark) {
    return text[mark] == '\n' || mark + 1 == text.size() || !(is_alnum(text[mark + 1]) || text[mark + 1] == '/');
}

// From the mark that ends the clause before to the one that ends this.
std::string_view clause_around(std::string_view text, std::size_t at, std::string_view marks) {
    std::size_t begin = at, end = at;
    while (begin > 0 && !(marks.find(text[begin - 1]) != marks.npos && ends_clause(text, begin - 1))) --begin;
    while (end < text.size() && !(marks.find(text[end]) != marks.npos && ends_clause(text, end))) ++end;
    return text.substr(begin, end - begin);
}
constexpr std::string_view kSentence = ".!?\n", kClause = ".!?\n,;:";

// The word that says what is to be done: the first one behind "please", "and" and the like.
std::string_view order_of(std::string_view clause) {
    constexpr std::string_view kFillers[] = {"please", "and", "then",   "now",  "could",  "can", "you", "would", "just",
                                             "also",   "so",  "kindly", "must", "should", "-",   "*",   "bitte", "but"};
    for (;;) {
        clause.remove_prefix(std::min(clause.find_first_not_of(" \t\\"), clause.size()));
        const std::string_view word = clause.substr(0, clause.find(' '));
        if (word.empty() || std::ranges::find(kFillers, word) == std::end(kFillers)) return word;
        clause.remove_prefix(word.size());
    }
}

template <std::size_t N>
bool orders(std::string_view clause, const std::string_view (&words)[N]) {
    return std::ranges::find(words, order_of(clause)) != std::end(words);
}

// "Run it", "and then run it a few times": the order may stand in any clause of the sentence.
template <std::size_t N>
bool sentence_orders(std::string_view sentence, const std::string_view (&words)[N]) {
    while (true) {
        if (orders(sentence, words)) return true;
        const std::size_t mark = std::min(sentence.find_first_of(",;:"), sentence.find(" and "));
        if (mark == sentence.npos) return false;
        sentence.remove_prefix(mark + 1);
    }
}

bool wants_trials(std::string_view text) {
    if (kFlakySet.said_in(text) || kFlakyAbroadSet.in(text) || (is_foreign(text) && kForeignTrialsSet.in(text)))
        return true;
    const bool fails = kSometimesSet.any(text, [&](std::size_t at, std::string_view) {
        return (at == 0 || !is_lower(text[at - 1])) && contains_any(clause_around(text, at, kSentence), kFails);
    });
    return fails || kSeveralSet.any(text, [&](std::size_t at, std::string_view) {
        const std::string_view sentence = clause_around(text, at, kSentence);
        return sentence_orders(sentence, kRuns) && !contains_any(sentence, kTold);
    });
}

// "every 5 minutes", "every minute"
bool is_interval(std::string_view from) {
    if (std::ranges::any_of(kEvery, [&](std::string_view every) { return from.starts_with(every); })) return true;
    from.remove_prefix(std::string_view("every ").size());
    const std::size_t blank = from.find(' ');
    std::string_view number = from.substr(0, blank);
    if (blank == from.npos || !number_before(number)) return false;
    constexpr std::string_view kUnits[] = {"second", "sec", "minute", "min", "hour"};
    return std::ranges::any_of(kUnits, [&](std::string_view unit) { return from.substr(blank + 1).starts_with(unit); });
}

// "Every 30 min ping me", "every hour check": the order may stand behind the time, which then stands in front.
template <std::size_t N>
bool orders_behind_interval(std::string_view from, const std::string_view (&words)[N]) {
    constexpr std::size_t kMostWords = 4;  // of an interval: "every couple of minutes"
    for (std::size_t i = 0; i < kMostWords; ++i) {
        from.remove_prefix(std::min(from.find(' '), from.size()));
        if (from.empty()) return false;
        from.remove_prefix(1);
        if (i > 0 && orders(from, words)) return true;
    }
    return false;
}

// Does a clause begin with the wish to watch: "watch the queue", "and monitor it"?
bool orders_to_watch(std::string_view text) {
    return kOrderSet.any(text, [&](std::size_t at, std::string_view) {
        const std::size_t other = text.rfind(" and ", at);
        std::string_view clause = clause_around(text, at, kClause);
        if (other != text.npos && text.data() + other > clause.data())
            clause.remove_prefix(static_cast<std::size_t>(text.data() + other + 1 - clause.data()));
        const std::string_view word = order_of(clause);
        return std::ranges::find(kOrders, word) != std::end(kOrders) &&
               !contains_any(clause.substr(0, clause.find(" and ", 1)), kNotWatched);
    });
}

// To have something run so often by something else is work.
constexpr std::string_view kPlanned[] = {"cron",     "timer",   "schedul", "job",   "workflow",
                                         "pipeline", "systemd", "skript",  "script"};

// "10分おきに温度を確認して", 每隔五分钟看一下: how often, and in the same sentence a look; no task, script or timer is
// to be made.
bool looks_at_intervals(std::string_view text) {
    constexpr std::string_view kSeen[] = {"確認", "見て", "チェック", "看", "检查", "查"};
    constexpr std::string_view kMade[] = {"ジョブ", "スクリプト", "タスク", "定时", "脚本",
                                          "任务",   "写",         "作って", "cron"};
    constexpr std::size_t kClauseBytes = 96;
    return std::ranges::any_of(kForeignOften, [&](std::string_view often) {
        const std::size_t at = text.find(often);
        if (at == text.npos) return false;
        const std::string_view said = text.substr(at, kClauseBytes);
        return contains_any(said, kSeen) && !contains_any(text.substr(0, at + kClauseBytes), kMade);
    });
}

// "Schau alle fünf Minuten nach der Warteschlange"
bool looks_abroad(std::string_view text) {
    return kEveryAbroadSet.any(text, [&](std::size_t at, std::string_view) {
        constexpr std::size_t kUnit = 24;  // bytes: of "toutes les 10 minutes"
        const std::string_view sentence = clause_around(text, at, kSentence);
        return contains_any(text.substr(at, kUnit), kUnitsAbroad) &&
               (contains_any(sentence, kLooksAbroad) || contains_any(sentence, kRemindsAbroad)) &&
               !contains_any(sentence, kPlanned);
    });
}

bool wants_watching(std::string_view text) {
    if (looks_abroad(text)) return true;
    const auto told = [&](std::size_t at) { return contains_any(clause_around(text, at, kSentence), kTold); };
    if (is_foreign(text) && (kForeignWatchesSet.in(text) || looks_at_intervals(text))) return true;
    const auto when_done = [&](std::string_view rest) {
        return std::ranges::any_of(kWhenDone, [&](std::string_view end) { return rest.starts_with(end); });
    };
    if (kWatchSet.any(text, [&](std::size_t at, std::string_view words) {
            return !told(at) && !when_done(text.substr(at + words.size()));
        }))
        return true;
    const auto looks = [&](std::size_t at, std::string_view marks) {
        return sentence_orders(clause_around(text, at, marks), kLooks) && !told(at);
    };
    // "Run the suite every ten minutes"; to have it run so by something else is work.
    const auto runs = [&](std::size_t at) {
        const std::string_view sentence = clause_around(text, at, kSentence);
        return (sentence_orders(sentence, kRuns) || sentence_orders(sentence, kReminds)) && !told(at) &&
               !contains_any(sentence, kPlanned);
    };
    const auto behind = [&](std::size_t at) {
        const std::string_view from = text.substr(at, text.find_first_of(kSentence, at) - at);
        return (orders_behind_interval(from, kLooks) || orders_behind_interval(from, kReminds) ||
                orders_behind_interval(from, kRuns)) &&
               !told(at) && !contains_any(clause_around(text, at, kSentence), kPlanned);
    };
    if (kAtTimesSet.any(text, [&](std::size_t at, std::string_view) { return looks(at, kClause); })) return true;
    for (std::size_t at = text.find("every "); at != text.npos; at = text.find("every ", at + 1)) {
        if (is_interval(text.substr(at)) && (looks(at, kSentence) || runs(at) || behind(at))) return true;
    }
    return orders_to_watch(text);
}

bool wants_absence(std::string_view text) {
    if (kAbsentSet.said_in(text) || (is_foreign(text) && kForeignAbsentSet.in(text))) return true;
    const auto more = [&](std::size_t at) {
        return contains_any(std::string(clause_around(text, at, kClause)) + ' ', kAnyMore);
    };
    if (kNoneSet.any(text, [&](std::size_t at, std::string_view) { return more(at); })) return true;
    return kNoMoreSet.any(text, [&](std::size_t at, std::string_view phrase) {
        const std::string_view behind = text.substr(at + phrase.size());
        return more(at) && contains_any(behind.substr(0, behind.find_first_of(kClause)), kUses);
    });
}

bool wants_waiting(std::string_view text) {
    constexpr std::size_t kLongestClause = 256;  // bytes
    if (is_foreign(text) && kForeignWaitsSet.in(text)) return true;
    const bool once = kOnceSet.any(text, [&](std::size_t at, std::string_view) {
        const std::string_view clause = clause_around(text, at, kClause);
        return clause.size() <= kLongestClause &&
               contains_any(clause.substr(static_cast<std::size_t>(text.data() + at - clause.data())), kReady) &&
               !contains_any(clause, kTold);
    });
    return once || kWaitSet.any(text, [&](std::size_t at, std::string_view) {
        const std::string_view sentence = clause_around(text, at, kSentence);
        return sentence_orders(sentence, kWaitOrders) && !contains_any(sentence, kTold);
    });
}

// Where the sentence tells what was done it wishes for nothing.
template <std::size_t N>
bool wishes(std::string_view text, const PhraseSet<N>& phrases) {
    return phrases.any(text, [&](std::size_t at, std::string_view phrase) {
        if (at > 0 && is_lower(text[at - 1])) return false;
        constexpr std::size_t kNoun = 24;  // bytes
        std::string_view behind = text.substr(at + phrase.size(), kNoun);
        behind = behind.substr(0, behind.find_first_of(kSentence));
        // "Which of these do not exist any more?" asks; "do not check all of them" forbids.
        const std::string_view sentence = clause_around(text, at, kSentence);
        const std::string_view told = sentence.substr(0, static_cast<std::size_t>(text.data() + at - sentence.data()));
        return !contains_any(behind, kOneRun) && !contains_any(told, kTold);
    });
}

// Of what nobody says in one breath nothing is wished.
std::string_view sentence_at(std::string_view text, std::size_t at) {
    constexpr std::size_t kLongest = 512;  // bytes
    const std::string_view sentence = clause_around(text, at, kSentence);
    return sentence.size() > kLongest ? std::string_view{} : sentence;
}

// "None of them may be reachable", "must not be reached from outside".
bool is_denied_before(std::string_view sentence, std::size_t at) {
    constexpr std::size_t kNear = 48;  // bytes
    constexpr std::string_view kNots[] = {" none ", " not ", " nobody ", " no one ", " nothing "};
    const std::size_t from = at - std::min(at, kNear);
    return contains_any(std::string(" ").append(sentence.substr(from, at - from)), kNots);
}

bool wants_refusals(std::string_view text) {
    if (wishes(text, kFailureSet)) return true;
    return kNegativeSet.any(text, [&](std::size_t at, std::string_view phrase) {
        const std::string_view sentence = sentence_at(text, at);
        if (sentence.empty() || contains_any(sentence, kTold) || contains_any(sentence, kGoesWrong)) return false;
        const bool reach = phrase.starts_with("reach");
        const auto within = static_cast<std::size_t>(text.data() + at - sentence.data());
        return sentence_orders(sentence, kCheckOrders) && (!reach || is_denied_before(sentence, within));
    });
}

bool wants_survey(std::string_view text) {
    if (wishes(text, kSurveySet) || (is_foreign(text) && kForeignSurveysSet.in(text))) return true;
    return kInTurnSet.any(text, [&](std::size_t at, std::string_view) {
        const std::string_view sentence = sentence_at(text, at);
        return !contains_any(sentence, kTold) && sentence_orders(sentence, kLooksInTurn);
    });
}

bool wants_work_until_done(std::string_view text) {
    return kUntilSet.any(text, [&](std::size_t at, std::string_view) {
        const std::string_view sentence = sentence_at(text, at);
        if (sentence.empty()) return false;
        const std::string_view end = sentence.substr(static_cast<std::size_t>(text.data() + at - sentence.data()));
        constexpr std::string_view kThrough[] = {"work through", "work off"};
        return contains_any(end, kWorkedOff) && !contains_any(sentence, kTold) &&
               (sentence_orders(sentence, kWorksOff) ||
                starts_with_any(sentence.substr(std::min(sentence.find_first_not_of(" \t\n"), sentence.size())),
                                kThrough));
    });
}

// "Ignore the export test, it fails on main as well"; "tests that fail are ignored" tells of something else.
bool leaves_red(std::string_view text) {
    const bool mends = any_sentence(text, [](std::string_view sentence) {
        const bool of_checks = sentence.find("test") != sentence.npos || contains_any(sentence, kRed);
        return (of_checks && sentence_orders(sentence, kMends)) ||
               (contains_any(sentence, kGreen) && sentence_orders(sentence, kMakes));
    });
    return !mends && kLeftSet.any(text, [&](std::size_t at, std::string_view phrase) {
        constexpr std::string_view kTest = "test";  // "ignore test_legacy"
        const std::string_view sentence = clause_around(text, at, kSentence);
        if (!contains_any(sentence, kRed) && (phrase != kLeft[0] || sentence.find(kTest) == sentence.npos))
            return false;
        return phrase != kLeft[0] || orders(clause_around(text, at, kClause), kIgnores);
    });
}

template <class Phrases>
bool has_phrase(const Phrases& phrases, std::string_view phrase) {
    return std::ranges::find(phrases, phrase) != std::end(phrases);
}

// "now and then" and its like tell of trials and of watching.
unsigned hints_of(std::string_view phrase) {
    return (has_phrase(kTrialPhrases, phrase) ? kTrialHint : 0U) |
           (has_phrase(kWatchPhrases, phrase) ? kWatchHint : 0U) |
           (has_phrase(kAbsencePhrases, phrase) ? kAbsenceHint : 0U) |
           (has_phrase(kWaits, phrase) || has_phrase(kOnce, phrase) ? kWaitHint : 0U) |
           (has_phrase(kFailures, phrase) || has_phrase(kNegative, phrase) || has_phrase(kAttacks, phrase) ||
                    has_phrase(kRedTests, phrase)
                ? kFailureHint
                : 0U) |
           (has_phrase(kLeft, phrase) ? kKnownHint : 0U) |
           (has_phrase(kSurveys, phrase) || has_phrase(kInTurn, phrase) ? kSurveyHint : 0U) |
           (has_phrase(kUntil, phrase) ? kUntilHint : 0U);
}

// Three letters of a word that may follow: "every 5 minutes", "every hour"; not "every file".
constexpr std::uint32_t three_letters(std::string_view text) {
    std::uint32_t letters = 0;
    for (std::size_t i = 0; i < 3; ++i) letters = letters << 8 | static_cast<unsigned char>(text[i] | 0x20);
    return letters;
}
constexpr auto kEveryNext = [] {
    std::array<std::uint32_t, std::size(kEvery) + std::size(kEveryNumber)> next{};
    std::size_t n = 0;
    const auto add = [&](std::string_view phrase) {
        const std::string_view word = phrase.substr(kEveryWord[0].size());
        next[n++] = word.size() < 3 ? 0 : three_letters(word);
    };
    for (const std::string_view phrase : kEvery) add(phrase);
    for (const std::string_view phrase : kEveryNumber) add(phrase);
    return next;
}();

unsigned hints_of_every(std::string_view from) {
    constexpr std::size_t kLongest = 24;  // bytes
    if (from.size() < kEveryWord[0].size() + 3) return 0;
    const std::string_view word = from.substr(kEveryWord[0].size());
    const bool number = (word[0] >= '0' && word[0] <= '9') || ((word[0] | 0x20) == 't' && (word[1] | 0x20) == 'w');
    const std::uint32_t letters = three_letters(word);
    bool any = number;
    for (const std::uint32_t next : kEveryNext) any |= next == letters;
    if (!any) return 0;
    const std::string words = lowered(from.substr(0, kLongest));
    return starts_with_any(words, kEvery) || starts_with_any(words, kEveryNumber) ? kWatchHint : 0U;
}

constexpr unsigned kAbroadHints = kTrialHint | kWatchHint | kWaitHint | kFailureHint | kSurveyHint;
constexpr unsigned kForeignHints = kTrialHint | kWatchHint | kAbsenceHint | kSurveyHint | kWaitHint;

// Of nearly all messages none.
unsigned hints_in(std::string_view text) {
    unsigned hints = 0;
    kHintSet.any(text, [&](std::size_t at, std::string_view phrase) {
        hints |= phrase == kEveryWord[0] ? hints_of_every(text.substr(at)) : hints_of(phrase);
        return false;
    });
    if (!is_english(text) && kAbroadSet.in(text)) hints |= kAbroadHints;
    if (is_foreign(text) && kForeignSet.in(text)) hints |= kForeignHints;
    return hints;
}

AskedAgain asked_with(unsigned hints, std::string_view text) {
    const std::string words = lowered(text.substr(0, kRead));
    if ((hints & kWatchHint) && wants_watching(words)) return AskedAgain::watch;
    if ((hints & kTrialHint) && wants_trials(words)) return AskedAgain::trials;
    if ((hints & kAbsenceHint) && wants_absence(words)) return AskedAgain::absence;
    if ((hints & kWaitHint) && wants_waiting(words)) return AskedAgain::waiting;
    if ((hints & kUntilHint) && wants_work_until_done(words)) return AskedAgain::until_done;
    if ((hints & kFailureHint) && wishes(words, kRedTestSet)) return AskedAgain::red_tests;
    if ((hints & kFailureHint) && wants_refusals(words)) return AskedAgain::failures;
    if ((hints & kKnownHint) && leaves_red(words)) return AskedAgain::known_red;
    return (hints & kSurveyHint) && wants_survey(words) ? AskedAgain::survey : AskedAgain::no;
}

}  // namespace

AskedAgain asked_again(std::string_view text) {
    const std::string_view head = text.substr(0, kRead);
    return asked_with(hints_in(head), head);
}

AskedAgain asked_again(RawText text) {
    const std::string_view head = text.bytes.substr(0, kRead);
    const unsigned hints = hints_in(head);
    if (hints == 0) return AskedAgain::no;
    if (text.form == TextForm::plain || head.find('\\') == head.npos) return asked_with(hints, head);
    return asked_with(hints, decode_json_string(without_torn_escape(head), kRead));
}

bool may_leave_red(RawText text) { return kLeftSet.in(text.bytes.substr(0, kRead)); }

}  // namespace agent_audit::detectors
