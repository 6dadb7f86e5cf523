#include "detectors/speech/unusable.hpp"

#include "detectors/speech/foreign_language.hpp"
#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace agent_audit::detectors {
namespace {

using foreign::Pairs;
using foreign::translated;
using foreign::Words;

constexpr std::string_view kCannots[] = {"can't ", "can’t ", "cannot ", "can not ", "cant "};
constexpr std::string_view kVerbs[] = {"use ", "run ", "touch ", "change ", "edit ", "modify "};

// ---- other languages, in the order of foreign::languages()
// -----------------------------------------------------------

struct UseWords {
    Words cans;     // may, can
    Words cannots;  // the same with "not" in it
    Pairs verbs;    // beside those of an order
    Words fillers;
};

constexpr std::string_view kGermanCans[] = {"können", "dürfen", "kann", "darf", "kannst", "darfst", "könnt", "dürft"},
                           kGermanFillers[] = {"wir",    "hier",     "in",  "diesem",  "dieser", "projekt", "repo",
                                               "werden", "umgebung", "auf", "rechner", "leider", "bei",     "uns"};
constexpr std::pair<std::string_view, std::string_view> kGermanUses[] = {
    {"benutzt", "use"},      {"verwendet", "use"},    {"genutzt", "use"},     {"nutzen", "use"},
    {"einsetzen", "use"},    {"eingesetzt", "use"},   {"geändert", "change"}, {"verändert", "change"},
    {"angefasst", "change"}, {"bearbeitet", "change"}};
constexpr std::string_view kFrenchCans[] = {"peut", "pouvons", "peux", "pouvez", "faut", "doit"},
                           kFrenchFillers[] = {"nous",   "ici",     "ce", "cette", "dans",
                                               "projet", "machine", "il", "tu",    "vous"};
constexpr std::string_view kSpanishCans[] = {"puede", "podemos", "puedes", "pueden", "debe"},
                           kSpanishFillers[] = {"nosotros", "este",    "esta", "proyecto",
                                                "máquina",  "entorno", "repo", "que"};
constexpr std::string_view kPortugueseCans[] = {"pode", "podemos", "podes", "deve"},
                           kPortugueseFillers[] = {"nós",     "se",      "neste",    "nesta", "este",
                                                   "projeto", "máquina", "ambiente", "que"};
constexpr std::string_view kItalianCans[] = {"può", "possiamo", "puoi", "deve"},
                           kItalianFillers[] = {"questo", "questa", "progetto", "macchina", "ambiente", "noi", "che"};
constexpr std::string_view kRussianCans[] = {"можем", "можно", "можешь"}, kRussianCannots[] = {"нельзя"},
                           kRussianFillers[] = {"мы", "тут", "этом", "проекте", "машине", "на", "нам"};

constexpr UseWords kUseWords[] = {
    {kGermanCans, {}, kGermanUses, kGermanFillers}, {kFrenchCans, {}, {}, kFrenchFillers},
    {kSpanishCans, {}, {}, kSpanishFillers},        {kPortugueseCans, {}, {}, kPortugueseFillers},
    {kItalianCans, {}, {}, kItalianFillers},        {kRussianCans, kRussianCannots, {}, kRussianFillers}};

/// The order of a clause in one language; empty = a word is not known, or nothing is ruled out.
std::string order_of(std::string_view clause, const foreign::Language& language, const UseWords& known) {
    std::string places;
    std::string_view program, verb;
    bool can = false, no = false;
    for (const std::string_view written : foreign::words_of(clause)) {
        const std::string lower = foreign::small(written);
        const std::string word = lower == "n" ? "ne" : lower == "d" ? "de" : lower == "l" ? "la" : lower;
        const auto named = std::ranges::find(kPrograms, std::string_view(word));
        std::string_view does = translated(word, known.verbs);
        if (does.empty()) does = translated(word, language.verbs);
        if (foreign::is_place(written)) {
            places.append(places.empty() ? "" : ", ").append(written);
        } else if (named != std::end(kPrograms) && program.empty()) {
            program = *named;
        } else if (among(word, known.cannots)) {
            can = no = true;
        } else if (among(word, known.cans)) {
            can = true;
        } else if (among(word, language.negations)) {
            no = true;
        } else if (!does.empty() && verb.empty()) {
            verb = does;
        } else if (!among(word, known.fillers) && !among(word, language.fillers)) {
            return {};
        }
    }
    if (!can || !no) return {};
    constexpr std::string_view kMake = "make", kUse = "use", kRun = "run", kChange = "change";  // Spanish "usar" makes
    if (!program.empty() && places.empty() && (verb == kUse || verb == kMake || verb == kRun))
        return "do not use " + std::string(program);
    return program.empty() && !places.empty() && verb == kChange ? "do not change " + places : std::string();
}

std::string in_other_languages(std::string_view sentence, std::string_view behind) {
    constexpr std::string_view kReasons[] = {" weil ",    " denn ",    " da ",   " car ",    " parce ",
                                             " puisque ", " porque",   " pues ", " perché ", " poiché ",
                                             " потому ",  " так как ", " pois "};
    // Most sentences say none of these, and are told at once.
    static constexpr std::string_view kAnyCan[] = {
        "können",   "dürf",  "kann",  "darf",    "könnt",  "peut ",  "peux ",  "pouv",   "l faut ",
        "e faut ",  "doit ", "pued",  "podemos", "debe ",  "pode ",  "podes ", "deve ",  "può ",
        "possiamo", "puoi ", "можем", "можно",   "можешь", "нельзя", "Нельзя", "Können", "Dürf"};
    static constexpr PhraseSet cans(kAnyCan);
    if (!cans.in(sentence)) return {};
    const std::string lower = " " + foreign::small(sentence) + " ";
    if (contains_any(lower, kReasons)) return {};
    for (std::size_t i = 0; i < std::size(kUseWords); ++i) {
        const foreign::Language& language = foreign::languages()[i];
        // "Wir können hier kein Docker verwenden, nimm Podman"
        const std::string_view clause = sentence.substr(0, sentence.find(", "));
        const std::string order = order_of(clause, language, kUseWords[i]);
        if (order.empty() || foreign::sets_condition(lower, language)) continue;
        const std::string thing = order.substr(order.rfind(' ') + 1);
        const std::string rest = std::string(sentence.substr(clause.size())).append(" ").append(behind);
        return tells_of_trouble(rest, thing) ? std::string() : order;
    }
    return {};
}

// "On this host we", "note that you", and not "users" or "the reason why we".
bool is_of_us(std::string_view before) {
    constexpr std::string_view kUs[] = {"we", "you"};
    constexpr std::string_view kLeads[] = {
        "on",      "in",      "this",        "our",      "the",           "here", "and",  "but",
        "so",      "also",    "note",        "that",     "please",        "host", "repo", "machine",
        "sandbox", "project", "environment", "remember", "unfortunately", "as",   "said"};
    std::string_view head = last_clause(before);
    const std::size_t blank = head.rfind(' ');
    if (!among(head.substr(blank == head.npos ? 0 : blank + 1), kUs)) return false;
    head = blank == head.npos ? std::string_view{} : head.substr(0, blank);
    for (head = trimmed(head); !head.empty(); head = trimmed(head)) {
        const std::string_view word = letters_of(head);
        if (word.empty() || !among(word, kLeads)) return false;
        head.remove_prefix(word.size());
    }
    return true;
}

// "src/a.py here"
std::string_view without_closers(std::string_view object) {
    constexpr std::string_view kClose[] = {" here", " at all", " ourselves", " yourself", " today"};
    for (const std::string_view word : kClose) {
        if (object.ends_with(word)) object.remove_suffix(word.size());
    }
    return object;
}

}  // namespace

bool tells_of_trouble(std::string_view text, std::string_view thing) {
    static constexpr std::string_view kTroubles[] = {
        "fix that",   "fix this",   "fix it",  "find out",    "look into",  "what's wrong", "error",      "permission",
        "daemon",     "why ",       "fails",   "failing",     "broken",     "crash",        "denied",     "not work",
        "n't work",   "n’t work",   "working", "get it",      "any more",   "anymore",      "any longer", "because",
        "warum",      "woran",      "wieso",   "fehler",      "repar",      "pourquoi",     "répar",      "erreur",
        "marche pas", "por qué",    "por que", "arregl",      "falla",      "perché",       "errore",     "funziona",
        "funciona",   "почему",     "почин",   "исправь это", "ошибк",      "работает",     "看看",       "为什么",
        "原因",       "报错",       "出错",    "修一下",      "怎么",       "なぜ",         "直して",     "エラー",
        "調べて",     "install it", "bug",     "fehlt",       "installier", "missing",      "manque",     "falta",
        "manca",      "erro ",      "permiss", "conserte",    "instal",     "устан",        "因为",       "由于",
        "没装",       "装一下"};
    static constexpr PhraseSet troubles(kTroubles);
    if (troubles.in(text)) return true;
    if (thing.empty()) return false;
    const std::string lower = lowered(text), name = lowered(thing);
    const auto joins = [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-'; };
    for (std::size_t at = lower.find(name); at != lower.npos; at = lower.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !joins(lower[at - 1])) && (end == lower.size() || !joins(lower[end]))) return true;
    }
    return false;
}

std::string ruled_out_use(std::string_view sentence, std::string_view behind) {
    const std::string lower = lowered(sentence);
    if (starts_with_any(lower, kOpenings)) return {};
    const Hit cannot = first_of(lower, kCannots);
    if (!cannot) return in_other_languages(sentence, behind);
    const std::string_view rest = std::string_view(lower).substr(cannot.end);
    const auto verb = std::ranges::find_if(kVerbs, [&](std::string_view v) { return rest.starts_with(v); });
    // "yet" and "right now" tell of a state that passes, and what is behind a comma or "because" of a reason.
    constexpr std::string_view kPasses[] = {" yet", " right now", " at the moment", " until",  " unless", " without ",
                                            " if ", " when ",     " while ",        " since ", " so ",    " either"},
                               kOn = " on ", kOnThis[] = {"this ", "our ", "the ", "my ", "that "};
    if (verb == std::end(kVerbs) || !is_of_us(std::string_view(lower).substr(0, cannot.at))) return {};
    std::string_view object = sentence.substr(cannot.end + verb->size());
    object = object.substr(0, std::min(object.find(", "), object.find(" - ")));
    const std::string_view named = trimmed(object);
    if (named.empty() || contains_any(lowered(object), kPasses)) return {};
    // "You can't use npm on old versions"
    const std::string where = lowered(object);
    const std::size_t on = where.find(kOn);
    if (on != where.npos && !starts_with_any(std::string_view(where).substr(on + kOn.size()), kOnThis)) return {};
    const std::string_view thing = named.substr(0, named.find(' '));
    const std::string goes_on = std::string(rest.substr(verb->size() + thing.size())).append(" ").append(behind);
    if (tells_of_trouble(goes_on, thing)) return {};
    // "We can't edit a.py in the browser"
    constexpr std::string_view kUse = "use ", kRun = "run ";
    if (*verb != kUse && *verb != kRun && !is_names_only(without_closers(object))) return {};
    return "do not " + std::string(*verb).append(object);
}

}  // namespace agent_audit::detectors
