#include "detectors/speech/objection.hpp"

#include "detectors/speech/correction.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLooked = 256;  // bytes

constexpr std::string_view kNo[] = {"no", "non", "nein", "nee", "nope", "não", "нет", "nie", "hayır", "いいえ", "아니"};

constexpr std::string_view kNoMatter[] = {"no problem", "no worries", "no need", "no rush", "no hurry", "no thank"};

// What was changed did not help. What is not so yet ("aún no", 还是, まだ) says that of fault words alone: "don't
// commit yet".
constexpr std::string_view kSame[] = {"still not ",
                                      "still isn",
                                      "still doesn",
                                      "still does not",
                                      "still don't",
                                      "still broken",
                                      "still fail",
                                      "still the same",
                                      "still same",
                                      "still open",
                                      "still there",
                                      "still at the",
                                      "still show",
                                      "still get",
                                      "still see",
                                      "still crash",
                                      "still hang",
                                      "still red",
                                      "still wrong",
                                      "still happen",
                                      "still nothing",
                                      "still throw",
                                      "still error",
                                      "still does it",
                                      "still can't",
                                      "still cannot",
                                      "still won't",
                                      "still empty",
                                      "still blank",
                                      "still missing",
                                      "still stuck",
                                      "still loading",
                                      "still slow",
                                      "doesn't work",
                                      "doesnt work",
                                      "does not work",
                                      "not working",
                                      "isn't working",
                                      "isnt working",
                                      "didn't work",
                                      "didnt work",
                                      "did not work",
                                      "not fixed",
                                      "didn't fix",
                                      "didnt fix",
                                      "did not fix",
                                      "isn't fixed",
                                      "no change at",
                                      "no difference",
                                      "nothing changed",
                                      "nothing has chan",
                                      "nothing happened",
                                      "that did nothing",
                                      "it did nothing",
                                      "it does nothing",
                                      "had no effect",
                                      "has no effect",
                                      "same as before",
                                      "same error",
                                      "same problem",
                                      "same issue",
                                      "same result",
                                      "exactly the same",
                                      "didn't help",
                                      "did not help",
                                      "immer noch nicht",
                                      "noch immer nicht",
                                      "immer noch",
                                      "geht nicht",
                                      "geht's nicht",
                                      "funktioniert nic",
                                      "klappt nicht",
                                      "ändert nichts",
                                      "keine änderung",
                                      "nichts geändert",
                                      "gleicher fehler",
                                      "gleiche fehler",
                                      "gleiches problem",
                                      "hilft nicht",
                                      "toujours pas",
                                      "est toujours",
                                      "marche pas",
                                      "fonctionne pas",
                                      "rien changé",
                                      "rien n'a changé",
                                      "même erreur",
                                      "même problème",
                                      "sigue sin",
                                      "sigue igual",
                                      "sigue fall",
                                      "sigue abiert",
                                      "sigue roto",
                                      "sigue dando",
                                      "sigue en ",
                                      "sigue saliendo",
                                      "no funciona",
                                      "no ha cambiado",
                                      "mismo error",
                                      "mismo problema",
                                      "aún no funciona",
                                      "continua sem",
                                      "continua igual",
                                      "continua dando",
                                      "continua falh",
                                      "não funciona",
                                      "nao funciona",
                                      "ainda está",
                                      "ainda dá",
                                      "mesmo erro",
                                      "mesmo problema",
                                      "nada mudou",
                                      "ancora non si",
                                      "ancora non va",
                                      "non funziona",
                                      "stesso errore",
                                      "stesso problema",
                                      "nog steeds",
                                      "werkt niet",
                                      "zelfde fout",
                                      "nadal nie",
                                      "nadal jest",
                                      "wciąż nie",
                                      "nie działa",
                                      "bez zmian",
                                      "всё ещё",
                                      "все еще",
                                      "всё равно",
                                      "все равно",
                                      "не работает",
                                      "та же ошибка",
                                      "то же самое",
                                      "по-прежнему",
                                      "ничего не изменил",
                                      "还是不行",
                                      "还是没",
                                      "还是一样",
                                      "还是错",
                                      "还是老样子",
                                      "仍然不",
                                      "依然不",
                                      "没用",
                                      "没有变化",
                                      "没变",
                                      "没有解决",
                                      "没有效果",
                                      "不起作用",
                                      "まだ開い",
                                      "まだ直",
                                      "まだ同じ",
                                      "まだエラー",
                                      "まだ動か",
                                      "変わらない",
                                      "変わりません",
                                      "同じエラー",
                                      "直ってい",
                                      "動かない",
                                      "動きません",
                                      "여전히",
                                      "그대로",
                                      "안 돼",
                                      "안돼",
                                      "똑같"};
// The same, of a message that begins so.
constexpr std::string_view kSameFirst[] = {
    "still ",     "it still ", "it is still",    "it's still", "its still", "no it doesn", "no, it doesn",
    "it doesn't", "it doesn ", "it does not",    "it doesnt",  "it didn",   "it did not",  "no change.",
    "no change,", "same.",     "no change here", "same again", "nothing.",  "did nothing", "does nothing"};
// It came nearer: words of their own.
constexpr std::string_view kNearer[] = {"too",    "a bit",   "slightly", "a little",  "prefer",  "instead",   "almost",
                                        "closer", "better",  "but now",  "now it",    "now i",   "different", "fewer",
                                        "less",   "half",    "zu",       "etwas",     "besser",  "fast",      "weniger",
                                        "un peu", "presque", "mieux",    "demasiado", "un poco", "um pouco",  "un po",
                                        "mejor",  "casi",    "quase",    "melhor",    "meglio",  "quasi"};
constexpr std::string_view kNearerWide[] = {"почти", "лучше", "有点", "好多了", "もう少し", "조금"};
// What is to be done next, or some day: nothing is said of what was done.
constexpr std::string_view kOrders[] = {
    "make sure",  "add ",    "should", "please", "rename",   "need",   "have to", "so use", "use the",
    "let's",      "for now", "remove", "put ",   "bitte",    "soll",   "muss",    "s'il",   "por favor",
    "per favore", "请",      "别",     "吧",     "ください", "ないで", "하지 마", "마세요", "пожалуйста"};
constexpr PhraseSet kSameSet(kSame);

// "É", "Н" and the like, in UTF-8: the small letter stands in the same block, or begins the next one.
void lower_wide(std::string& text) {
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        auto lead = static_cast<unsigned char>(text[i]), next = static_cast<unsigned char>(text[i + 1]);
        if ((lead == 0xC3 && next >= 0x80 && next <= 0x9E) || (lead == 0xD0 && next >= 0x90 && next <= 0x9F)) {
            text[i + 1] = static_cast<char>(next + 0x20);
        } else if (lead == 0xD0 && next >= 0xA0 && next <= 0xAF) {
            text[i] = static_cast<char>(0xD1);
            text[i + 1] = static_cast<char>(next - 0x20);
        }
    }
}

std::string plain(RawText said, std::size_t looked = kLooked) {
    std::string text = lowered(decoded(said, looked));
    if (has_wide_letter(text)) lower_wide(text);
    return text;
}

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

template <class Words>
bool ends_with_word(std::string_view text, const Words& words) {
    text = text.substr(0, text.find_last_not_of(" .!") + 1);  // npos + 1 is 0
    return std::ranges::any_of(words, [text](std::string_view word) {
        return text.ends_with(word) && (text.size() == word.size() || !is_of_word(text[text.size() - word.size() - 1]));
    });
}

// "It is there already. Why is it not used?": what stands beside the question counts.
void drop_questions(std::string& text) {
    constexpr std::string_view kEnds = ".!?\n";
    std::string told;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find_first_of(kEnds, begin), text.size());
        const std::size_t next = std::min(text.find_first_not_of(kEnds, end), text.size());
        const std::string_view sentence = std::string_view(text).substr(begin, next - begin);
        if (!asks({sentence, TextForm::plain})) told += sentence;
        begin = next;
    }
    text = trimmed(told);
}

// "Wow. No."
bool says_no_alone(std::string_view text) {
    constexpr std::string_view kEnds = ".!";
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of(kEnds), text.size());
        const bool no = std::ranges::find(kNo, trimmed(text.substr(0, end))) != std::end(kNo);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::string_view behind = trimmed(text);
        if (no && (behind.empty() || !is_digit(behind[0]))) return true;  // "No. 7 please" is a number
    }
    return false;
}

}  // namespace

bool objects(RawText said, bool asked) {
    // Whoever says so finds fault, however short it is.
    constexpr std::string_view kWrong[] = {"wrong",
                                           "incorrect",
                                           "not right",
                                           "already",
                                           "same code",
                                           "same error",
                                           "same answer",
                                           "same result",
                                           "same thing",
                                           "same problem",
                                           "same one",
                                           "same mistake",
                                           "is the same",
                                           "not work",
                                           "doesn't work",
                                           "does not work",
                                           "didn't help",
                                           "did not help",
                                           "doesn't help",
                                           "no such",
                                           "not there",
                                           "just said",
                                           "i said",
                                           "told you",
                                           "have told",
                                           "keep repeating",
                                           "repeat yourself",
                                           "you repeat",
                                           "faux",
                                           "pareil",
                                           "marche pas",
                                           "toujours pas",
                                           "toujours",
                                           "déjà dit",
                                           "pas ça",
                                           "falsch",
                                           "bereits",
                                           "geht nicht",
                                           "immer noch",
                                           "dieselbe",
                                           "dasselbe",
                                           "schon gesagt",
                                           "hab ich gesagt",
                                           "hilft nicht",
                                           "errado",
                                           "não funciona",
                                           "ainda",
                                           "já disse",
                                           "sbagliato",
                                           "sbagliata",
                                           "ancora",
                                           "già detto",
                                           "sigue",
                                           "ya dije",
                                           "ya te dije",
                                           "no funciona",
                                           "incorrecto",
                                           "igual",
                                           "nog steeds",
                                           "снова",
                                           "опять",
                                           "не то",
                                           "не работает",
                                           "yanlış",
                                           "olmadı",
                                           "hâlâ",
                                           "i answered",
                                           "have answered",
                                           "saying the same",
                                           "keep saying",
                                           "keep asking",
                                           "keep telling",
                                           "wie gesagt",
                                           "habe ich gesagt",
                                           "schon geschrieben",
                                           "hab ich geschrieben",
                                           "ya lo dije",
                                           "ya he dicho",
                                           "ya lo escribí",
                                           "l'ai dit",
                                           "ai déjà",
                                           "já falei",
                                           "gliel'ho detto",
                                           "già scritto",
                                           "я сказал",
                                           "я писал"};
    // "Again!" wishes for the same, "still" and "again" within a sentence find fault with it.
    constexpr std::string_view kStill[] = {"again",    "still",    "encore",  "wieder",
                                           "otra vez", "de nuevo", "de novo", "yine"};
    constexpr std::string_view kWithoutBlanks[] = {"又",   "还是", "还不",     "不对",       "错了",
                                                   "已经", "没用", "太贵",     "まだ",       "同じ",
                                                   "違う", "違い", "違います", "できません", "直って"};
    // "Are you reading what I write?"
    constexpr std::string_view kUnheard[] = {"are you reading",    "are you even reading",
                                             "do you even read",   "do you read what",
                                             "did you read what",  "are you listening",
                                             "liest du überhaupt", "lesen sie überhaupt",
                                             "hörst du mir",       "hören sie mir",
                                             "vous me lisez",      "tu me lis",
                                             "vous m'écoutez",     "tu m'écoutes",
                                             "me estás leyendo",   "me estás escuchando",
                                             "lee lo que",         "leu o que",
                                             "está lendo o que",   "mi stai ascoltando",
                                             "leggi quello che",   "ты читаешь",
                                             "вы читаете"};
    std::string text = plain(said);
    const bool asks_too = asks({text, TextForm::plain});
    if (asks_too && contains_any(text, kUnheard)) return true;
    if (asks_too) drop_questions(text);
    if (text.empty() || starts_with_any(text, kNoMatter)) return false;
    if (!asked && says_no_alone(text)) return true;
    if (has_any_word(text, kWrong) || contains_any(text, kWithoutBlanks)) return true;
    const Correction correction = correction_in(text, asked);
    if (correction != Correction::none && correction != Correction::doubt) return true;
    if (!asked && (begins_with_word(text, kNo) || text.starts_with("不"))) return true;
    // "Which size?" – "Large again."
    return has_any_word(text, kStill) && !wishes_again(said) && !(asked && ends_with_word(text, kStill));
}

bool shouts(std::string_view text, std::string_view before) {
    constexpr std::size_t kLetters = 4;
    const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
    const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    const std::string_view said = trimmed(text.substr(0, kLooked));
    if (std::ranges::any_of(said, is_small) || std::ranges::none_of(before, is_small)) return false;
    const auto capitals = static_cast<std::size_t>(std::ranges::count_if(said, is_capital));
    if (capitals < kLetters) return false;
    const std::string small = lowered(before);
    for (auto begin = std::ranges::find_if(said, is_capital); begin != said.end();) {
        const auto end = std::find_if_not(begin, said.end(), is_capital);
        const std::string_view word(begin, end);
        if (word.size() >= kLetters && before.find(word) == before.npos && small.find(lowered(word)) != small.npos)
            return true;
        begin = std::find_if(end, said.end(), is_capital);
    }
    return false;
}

bool denies(RawText said) {
    constexpr std::string_view kDenies[] = {"not",    "nothing", "never",  "nicht", "kein",   "keine", "keinen",
                                            "nichts", "nie",     "pas",    "rien",  "jamais", "não",   "nada",
                                            "nunca",  "non",     "niente", "mai",   "niet",   "geen",  "не",
                                            "нет",    "ничего",  "nie ma", "değil", "yok"};
    constexpr std::string_view kPartOfWord[] = {"n't", "n’t", "不", "没", "ない", "ません", "안 ", "없"};
    const std::string text = plain(said);
    if (starts_with_any(text, kNoMatter)) return false;
    if (contains_any(text, kPartOfWord)) return true;
    // A bare "no" is an answer like any other.
    const bool alone = trimmed(text).find(' ') == std::string_view::npos;
    return !alone && (has_any_word(text, kDenies) || begins_with_word(text, kNo));
}

bool wishes_again(RawText said) {
    constexpr std::string_view kOnceMore[] = {"again",     "once more",   "one more", "encore",   "wieder",  "nochmal",
                                              "noch mal",  "noch einmal", "otra vez", "de nuevo", "de novo", "repeat",
                                              "say ",      "tell ",       "show ",    "read ",    "explain", "sing ",
                                              "wiederhol", "répèt",       "repite",   "ripeti",   "もう一度"};
    return starts_with_any(plain(said), kOnceMore);
}

bool affirms(RawText said) {
    constexpr std::size_t kLongest = 40;  // bytes
    constexpr std::string_view kYes[] = {"yes",     "yeah",      "yep", "ok",  "okay",  "sure",     "please do",
                                         "confirm", "i confirm", "sí",  "si",  "claro", "confirmo", "oui",
                                         "ja",      "genau",     "sim", "da",  "да",    "evet",     "tak",
                                         "はい",    "是",        "对",  "确认"};
    const std::string text = plain(said);
    return text.size() <= kLongest && begins_with_word(text, kYes);
}

Complaint complaint_in(RawText said) {
    constexpr std::size_t kLongest = 200;  // bytes: beyond that something is told, such as a new error
    if (said.size() > kLongest) return Complaint::unclear;
    const std::string text = plain(said);
    if (!kSameSet.in(text) && !starts_with_any(text + '.', kSameFirst))
        return asks(said) ? Complaint::unclear : Complaint::none;
    if (has_any_word(text, kNearer) || contains_any(text, kNearerWide)) return Complaint::none;
    if (contains_any(text, kOrders)) return Complaint::unclear;
    // "Is it still running?", "why does it still not close?"
    constexpr std::string_view kWhy[] = {"why", "warum", "wieso", "pourquoi", "por qu", "perch", "почему", "为什么"};
    return asks(said) && !contains_any(text, kWhy) ? Complaint::unclear : Complaint::same;
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

bool wants_input(RawText said) {
    constexpr std::string_view kWants[] = {"describe",
                                           "tell me",
                                           "let me know",
                                           "send me",
                                           "provide",
                                           "please enter",
                                           "give me",
                                           "please share",
                                           "beschreib",
                                           "nennen",
                                           "schick mir",
                                           "schicken",
                                           "geben sie",
                                           "sag mir",
                                           "teilen sie",
                                           "indiquez",
                                           "décriv",
                                           "dites-moi",
                                           "envoyez",
                                           "dime",
                                           "envía",
                                           "describa",
                                           "indique",
                                           "descreva",
                                           "informe",
                                           "descriv",
                                           "dimmi",
                                           "请告诉",
                                           "请输入",
                                           "请描述",
                                           "教えて",
                                           "入力して",
                                           "please confirm",
                                           "yes/no",
                                           "(y/n)",
                                           "bitte bestätig",
                                           "bestätigen sie",
                                           "ja/nein",
                                           "confirme por favor",
                                           "por favor, confirm",
                                           "por favor confirm",
                                           "sí/no",
                                           "veuillez confirmer",
                                           "oui/non",
                                           "sim/não",
                                           "need to know",
                                           "muss ich wissen",
                                           "necesito saber",
                                           "besoin de savoir",
                                           "preciso saber"};
    return contains_any(plain(said), kWants);
}

bool has_not_understood(RawText said) {
    constexpr std::string_view kNotUnderstood[] = {"didn't understand",
                                                   "did not understand",
                                                   "don't understand",
                                                   "do not understand",
                                                   "didn't get that",
                                                   "didn't catch that",
                                                   "not sure i follow",
                                                   "nicht verstanden",
                                                   "verstehe nicht",
                                                   "verstehe ich nicht",
                                                   "n'ai pas compris",
                                                   "ne comprends pas",
                                                   "no entendí",
                                                   "no he entendido",
                                                   "no entiendo",
                                                   "não entendi",
                                                   "não compreendi",
                                                   "non ho capito",
                                                   "non capisco",
                                                   "niet begrepen",
                                                   "begrijp ik niet",
                                                   "nie rozumiem",
                                                   "nie zrozumia",
                                                   "не понял",
                                                   "не понимаю",
                                                   "anlayamadım",
                                                   "anlamadım",
                                                   "没听懂",
                                                   "没有理解",
                                                   "没听清",
                                                   "听不懂",
                                                   "无法理解",
                                                   "分かりません",
                                                   "わかりません",
                                                   "理解できません",
                                                   "이해하지 못"};
    return contains_any(plain(said), kNotUnderstood);
}

bool announces_work(RawText said) {
    constexpr std::size_t kLongest = 480;  // bytes: what is longer may be the work
    constexpr std::string_view kCode = "```";
    static constexpr std::string_view kBegins[] = {
        "one moment",    "just a moment", "a moment please", "please hold",    "hold on",         "please wait",
        "bear with me",  "checking",      "let me check",    "let me look",    "let me pull",     "let me start",
        "start by",      "start with",    "i'll start",      "i will start",   "i'll begin",      "i will begin",
        "i'll now",      "i will now",    "i'm now",         "i am now",       "i'll proceed",    "i will proceed",
        "going to",      "right away",    "about to",        "immediately",    "do it now",       "get started",
        "working on it", "retrieving",    "looking into",    "looking up",     "pulling up",      "get back to you",
        "begin the",     "einen moment",  "ich beginne",     "werde jetzt",    "fange jetzt",     "ich prüfe",
        "umgehend",      "un instant",    "je commence",     "vais commencer", "vais maintenant", "tout de suite",
        "un momento",    "voy a empezar", "voy a comenzar",  "voy a proceder", "ahora mismo",     "enseguida",
        "um momento",    "vou começar",   "vou iniciar",     "agora mesmo",    "un attimo",       "inizio subito",
        "минут",         "сейчас",        "请稍等",          "我马上",         "我现在就",        "正在为您",
        "少々お待ち",    "今から",        "これから",        "ただいま"};
    // "I'll create the file now"
    constexpr std::string_view kI[] = {"i'll ", "i will ", "i'm ", "i am ", "let me ", "i’ll ", "i’m "};
    constexpr std::string_view kNow[] = {" now.", " now!", " now,", " now and ", " right now"};
    if (said.size() > kLongest || asks(said) || said.bytes.find(kCode) != std::string_view::npos) return false;
    const std::string text = plain(said, kLongest);
    static constexpr PhraseSet begins(kBegins);
    return begins.in(text) || (contains_any(text, kI) && contains_any(text, kNow));
}

bool asks_only_for_more(RawText said) {
    constexpr std::string_view kMore[] = {"anything else", "something else", "sonst noch",   "algo más",
                                          "autre chose",   "mais alguma",    "qualcos'altro"};
    return contains_any(plain(said), kMore);
}

bool declines_to_help(RawText said) {
    constexpr std::string_view kDeclines[] = {
        "t help with",      "not help with",         "t assist",        "not assist",     "help with that",
        "t provide",        "can only help",         "can only assist", "can only talk",  "can only discuss",
        "can only answer",  "only answer questions", "nur bei fragen",  "cannot provide", "t share",
        "cannot share",     "not allowed to",        "policy",          "nicht helfen",   "peux pas vous aider",
        "peux pas t'aider", "no puedo ayudar"};
    return contains_any(plain(said), kDeclines);
}

}  // namespace agent_audit::detectors
