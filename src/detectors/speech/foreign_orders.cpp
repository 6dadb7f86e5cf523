#include "detectors/speech/foreign_orders.hpp"

#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace agent_audit::detectors {
namespace {

using Words = std::span<const std::string_view>;
using Pairs = std::span<const std::pair<std::string_view, std::string_view>>;

// A language: what its words for a ban are, in lower case.
struct Language {
    Words negations;
    Words onlys;
    Pairs verbs;                  // of an order, and what they are in English
    Pairs objects;                // nouns, and what they are in English
    Words nothing;                // "nothing": everything is meant
    Words fillers;                // say nothing about what is ruled out
    Words for_now;                // until the person speaks again
    Words conditions;             // anywhere in the sentence: nobody here can tell whether they hold
    bool negation_first = false;  // "no toques …", where German says it anywhere
};

// ---- German --------------------------------------------------------------------------------------------------------

constexpr std::string_view kGermanNots[] = {"nicht", "nichts", "kein", "keine", "keinen", "keinerlei", "niemals"};
constexpr std::string_view kGermanOnlys[] = {"nur", "ausschließlich", "lediglich"};
constexpr std::string_view kGermanNothing[] = {"nichts"};
constexpr std::pair<std::string_view, std::string_view> kGermanVerbs[] = {{"ändere", "change"},
                                                                          {"änder", "change"},
                                                                          {"ändern", "change"},
                                                                          {"verändere", "change"},
                                                                          {"verändern", "change"},
                                                                          {"bearbeite", "change"},
                                                                          {"bearbeiten", "change"},
                                                                          {"editiere", "change"},
                                                                          {"editieren", "change"},
                                                                          {"modifiziere", "change"},
                                                                          {"modifizieren", "change"},
                                                                          {"fasse", "change"},
                                                                          {"fass", "change"},
                                                                          {"anfassen", "change"},
                                                                          {"anpassen", "change"},
                                                                          {"anrühren", "change"},
                                                                          {"berühre", "change"},
                                                                          {"überschreibe", "change"},
                                                                          {"überschreiben", "change"},
                                                                          {"lösche", "delete"},
                                                                          {"löschen", "delete"},
                                                                          {"entferne", "delete"},
                                                                          {"entfernen", "delete"},
                                                                          {"committe", "commit"},
                                                                          {"commite", "commit"},
                                                                          {"committen", "commit"},
                                                                          {"commiten", "commit"},
                                                                          {"commit", "commit"},
                                                                          {"pushe", "push"},
                                                                          {"pushen", "push"},
                                                                          {"push", "push"},
                                                                          {"führe", "run"},
                                                                          {"ausführen", "run"},
                                                                          {"starte", "start"},
                                                                          {"starten", "start"},
                                                                          {"benutze", "use"},
                                                                          {"benutzen", "use"},
                                                                          {"verwende", "use"},
                                                                          {"verwenden", "use"},
                                                                          {"installiere", "install"},
                                                                          {"installieren", "install"},
                                                                          {"erstelle", "create"},
                                                                          {"erstellen", "create"},
                                                                          {"lege", "create"},
                                                                          {"anlegen", "create"},
                                                                          {"füge", "add"},
                                                                          {"hinzufügen", "add"}};
constexpr std::pair<std::string_view, std::string_view> kGermanObjects[] = {{"tests", "the tests"},
                                                                            {"dateien", "any files"},
                                                                            {"code", "any code"},
                                                                            {"abhängigkeiten", "packages"},
                                                                            {"dependencies", "packages"},
                                                                            {"pakete", "packages"},
                                                                            {"migrationen", "the migrations"},
                                                                            {"server", "the server"},
                                                                            {"dev-server", "the server"},
                                                                            {"commits", "commits"},
                                                                            {"änderungen", "changes"},
                                                                            {"readme", "the README"},
                                                                            {"npm", "npm"},
                                                                            {"docker", "docker"},
                                                                            {"sudo", "sudo"}};
constexpr std::string_view kGermanFillers[] = {
    "bitte",        "aber",         "und",         "auch",        "also",          "jetzt",   "dann",
    "du",           "darfst",       "sollst",      "an",          "aus",           "hinzu",   "auf",
    "fall",         "die",          "der",         "das",         "den",           "im",      "in",
    "datei",        "ordner",       "verzeichnis", "neue",        "neuen",         "weitere", "weiteren",
    "zusätzlichen", "bestehende",   "bestehenden", "vorhandenen", "existierenden", "selbst",  "wichtig",
    "achtung",      "irgendwelche", "oder",        "danke",       "git",           "machen",  "ausführen"};
constexpr std::string_view kGermanForNow[] = {"noch", "erstmal", "vorerst"};
constexpr std::string_view kGermanConditions[] = {"wenn ", "falls ",      "bevor ",  "bis ",    "solange ", "außer",
                                                  "ohne ", "es sei denn", "sofern ", "obwohl ", "nachdem ", "sobald "};

// ---- French --------------------------------------------------------------------------------------------------------

constexpr std::string_view kFrenchNots[] = {"ne"};
constexpr std::string_view kFrenchOnlys[] = {"que", "seulement", "uniquement"};
constexpr std::string_view kFrenchNothing[] = {"rien"};
constexpr std::pair<std::string_view, std::string_view> kFrenchVerbs[] = {
    {"modifie", "change"},   {"modifiez", "change"},  {"modifier", "change"},  {"touche", "change"},
    {"touchez", "change"},   {"toucher", "change"},   {"change", "change"},    {"changez", "change"},
    {"changer", "change"},   {"édite", "change"},     {"éditez", "change"},    {"éditer", "change"},
    {"supprime", "delete"},  {"supprimez", "delete"}, {"supprimer", "delete"}, {"fais", "make"},
    {"faites", "make"},      {"faire", "make"},       {"pousse", "push"},      {"poussez", "push"},
    {"pousser", "push"},     {"commite", "commit"},   {"commit", "commit"},    {"commiter", "commit"},
    {"ajoute", "add"},       {"ajoutez", "add"},      {"ajouter", "add"},      {"crée", "create"},
    {"créez", "create"},     {"créer", "create"},     {"installe", "install"}, {"installez", "install"},
    {"installer", "install"}};
constexpr std::pair<std::string_view, std::string_view> kFrenchObjects[] = {
    {"tests", "the tests"},     {"fichiers", "any files"}, {"dépendances", "packages"},
    {"dépendance", "packages"}, {"paquets", "packages"},   {"commit", "commit"},
    {"commits", "commit"},      {"push", "push"},          {"code", "any code"}};
constexpr std::string_view kFrenchFillers[] = {
    "pas", "jamais", "plus", "de",  "des",   "d'",        "les",      "le",       "la",   "l'", "aux",
    "au",  "à",      "du",   "sur", "dépôt", "nouvelles", "nouvelle", "nouveaux", "s'il", "te", "plaît",
    "svp", "stp",    "mais", "et",  "ni",    "ou",        "fichier",  "dossier",  "merci"};
constexpr std::string_view kFrenchForNow[] = {"encore"};
constexpr std::string_view kFrenchConditions[] = {"si ",   "s'il y", "quand ",   "avant ",   "sans ",
                                                  "sauf ", "jusqu",  "tant que", "pourquoi", "lorsque"};

// ---- Spanish -------------------------------------------------------------------------------------------------------

constexpr std::string_view kSpanishNots[] = {"no"};
constexpr std::string_view kSpanishOnlys[] = {"solo", "sólo", "solamente", "únicamente"};
constexpr std::string_view kSpanishNothing[] = {"nada"};
constexpr std::pair<std::string_view, std::string_view> kSpanishVerbs[] = {
    {"modifiques", "change"}, {"toques", "change"},   {"cambies", "change"},   {"edites", "change"},
    {"modifica", "only"},     {"cambia", "only"},     {"edita", "only"},       {"borres", "delete"},
    {"elimines", "delete"},   {"hagas", "make"},      {"subas", "push"},       {"agregues", "add"},
    {"añadas", "add"},        {"crees", "create"},    {"instales", "install"}, {"ejecutes", "run"},
    {"modificar", "change"},  {"tocar", "change"},    {"cambiar", "change"},   {"editar", "change"},
    {"borrar", "delete"},     {"eliminar", "delete"}, {"hacer", "make"},       {"usar", "make"}};
constexpr std::pair<std::string_view, std::string_view> kSpanishObjects[] = {{"tests", "the tests"},
                                                                             {"pruebas", "the tests"},
                                                                             {"archivos", "any files"},
                                                                             {"ficheros", "any files"},
                                                                             {"dependencias", "packages"},
                                                                             {"paquetes", "packages"},
                                                                             {"commit", "commit"},
                                                                             {"commits", "commit"},
                                                                             {"push", "push"},
                                                                             {"código", "any code"},
                                                                             {"migraciones", "the migrations"}};
constexpr std::string_view kSpanishFillers[] = {
    "los",   "las",  "el", "la", "un", "ningún",  "ninguna", "nuevas",  "nueva", "nuevos", "por",
    "favor", "pero", "y",  "ni", "o",  "archivo", "carpeta", "gracias", "en",    "de",     "git"};
constexpr std::string_view kSpanishForNow[] = {"todavía", "aún"};
constexpr std::string_view kSpanishConditions[] = {"si ",      "cuando ", "antes ",    "sin ",    "salvo ",
                                                   "excepto ", "hasta ",  "mientras ", "por qué", "aunque "};

// ---- Portuguese ----------------------------------------------------------------------------------------------------

constexpr std::string_view kPortugueseNots[] = {"não", "nao"};
constexpr std::string_view kPortugueseOnlys[] = {"só", "somente", "apenas"};
constexpr std::string_view kNada[] = {"nada"};
constexpr std::pair<std::string_view, std::string_view> kPortugueseVerbs[] = {
    {"mexa", "change"},      {"mexas", "change"},      {"altere", "change"},    {"alteres", "change"},
    {"modifique", "change"}, {"modifiques", "change"}, {"edite", "change"},     {"toque", "change"},
    {"mude", "change"},      {"apague", "delete"},     {"remova", "delete"},    {"exclua", "delete"},
    {"faça", "make"},        {"faças", "make"},        {"commite", "commit"},   {"suba", "push"},
    {"adicione", "add"},     {"crie", "create"},       {"instale", "install"},  {"rode", "run"},
    {"execute", "run"},      {"alterar", "change"},    {"modificar", "change"}, {"mexer", "change"},
    {"editar", "change"},    {"apagar", "delete"},     {"fazer", "make"},       {"usar", "make"}};
constexpr std::pair<std::string_view, std::string_view> kPortugueseObjects[] = {
    {"testes", "the tests"}, {"arquivos", "any files"},      {"ficheiros", "any files"}, {"dependências", "packages"},
    {"pacotes", "packages"}, {"commit", "commit"},           {"commits", "commit"},      {"push", "push"},
    {"código", "any code"},  {"migrações", "the migrations"}};
constexpr std::string_view kPortugueseFillers[] = {
    "os",       "as",    "o",   "a",  "um",  "nenhum", "nenhuma", "novas",    "nova",  "novos",
    "por",      "favor", "mas", "e",  "nem", "ou",     "arquivo", "ficheiro", "pasta", "obrigado",
    "obrigada", "em",    "no",  "na", "nos", "nas",    "do",      "da"};
constexpr std::string_view kPortugueseForNow[] = {"ainda"};
constexpr std::string_view kPortugueseConditions[] = {"se ",  "quando ",   "antes ",  "sem ",    "salvo ", "exceto ",
                                                      "até ", "enquanto ", "por que", "porque ", "embora "};

// ---- Italian -------------------------------------------------------------------------------------------------------

// Of the verbs those that forbid: "non modifica" tells what something does.
constexpr std::string_view kItalianNots[] = {"non"};
constexpr std::string_view kItalianOnlys[] = {"solo", "soltanto", "solamente", "esclusivamente"};
constexpr std::string_view kNiente[] = {"niente", "nulla"};
constexpr std::pair<std::string_view, std::string_view> kItalianVerbs[] = {
    {"toccare", "change"}, {"modificare", "change"},  {"cambiare", "change"},   {"editare", "change"},
    {"modifica", "only"},  {"cambia", "only"},        {"cancellare", "delete"}, {"eliminare", "delete"},
    {"fare", "make"},      {"committare", "commit"},  {"pushare", "push"},      {"aggiungere", "add"},
    {"creare", "create"},  {"installare", "install"}, {"eseguire", "run"}};
constexpr std::pair<std::string_view, std::string_view> kItalianObjects[] = {
    {"test", "the tests"}, {"tests", "the tests"}, {"dipendenze", "packages"}, {"pacchetti", "packages"},
    {"commit", "commit"},  {"push", "push"},       {"codice", "any code"},     {"migrazioni", "the migrations"}};
constexpr std::string_view kItalianFillers[] = {
    "i",      "gli", "le", "il", "lo", "la",   "un",       "nessun", "nessuna", "nuove", "nuova", "nuovi", "per",
    "favore", "ma",  "e",  "né", "o",  "file", "cartella", "grazie", "in",      "nel",   "nella", "del"};
constexpr std::string_view kItalianForNow[] = {"ancora"};
constexpr std::string_view kItalianConditions[] = {"se ",      "quando ", "prima ",  "senza ",  "tranne ", "salvo ",
                                                   "eccetto ", "fino ",   "finché ", "perché ", "mentre "};

// ---- Russian -------------------------------------------------------------------------------------------------------

constexpr std::string_view kRussianNots[] = {"не", "Не", "НЕ"};
constexpr std::string_view kRussianOnlys[] = {"только", "Только"};
constexpr std::string_view kNichego[] = {"ничего"};
constexpr std::pair<std::string_view, std::string_view> kRussianVerbs[] = {
    {"трогай", "change"},    {"трогать", "change"},       {"трогайте", "change"}, {"меняй", "change"},
    {"менять", "change"},    {"меняйте", "change"},       {"изменяй", "change"},  {"изменять", "change"},
    {"изменяйте", "change"}, {"редактируй", "change"},    {"Меняй", "change"},    {"Изменяй", "change"},
    {"удаляй", "delete"},    {"удалять", "delete"},       {"удаляйте", "delete"}, {"коммить", "commit"},
    {"коммитить", "commit"}, {"коммитьте", "commit"},     {"пушь", "push"},       {"пушить", "push"},
    {"пушьте", "push"},      {"устанавливай", "install"}, {"создавай", "create"}, {"создавать", "create"},
    {"запускай", "run"},     {"запускать", "run"}};
constexpr std::pair<std::string_view, std::string_view> kRussianObjects[] = {{"тесты", "the tests"},
                                                                             {"файлы", "any files"},
                                                                             {"код", "any code"},
                                                                             {"миграции", "the migrations"},
                                                                             {"зависимости", "packages"}};
constexpr std::string_view kRussianFillers[] = {"пожалуйста", "Пожалуйста", "файл", "папку", "и",    "но",
                                                "а",          "или",        "в",    "новые", "новых"};
constexpr std::string_view kRussianForNow[] = {"пока", "ещё", "еще"};
constexpr std::string_view kRussianConditions[] = {"если ",  "Если ",   "когда ",  "до ",     "без ",
                                                   "кроме ", "почему ", "Почему ", "пока не "};

constexpr Language kLanguages[] = {{kGermanNots, kGermanOnlys, kGermanVerbs, kGermanObjects, kGermanNothing,
                                    kGermanFillers, kGermanForNow, kGermanConditions, false},
                                   {kFrenchNots, kFrenchOnlys, kFrenchVerbs, kFrenchObjects, kFrenchNothing,
                                    kFrenchFillers, kFrenchForNow, kFrenchConditions, true},
                                   {kSpanishNots, kSpanishOnlys, kSpanishVerbs, kSpanishObjects, kSpanishNothing,
                                    kSpanishFillers, kSpanishForNow, kSpanishConditions, true},
                                   {kPortugueseNots, kPortugueseOnlys, kPortugueseVerbs, kPortugueseObjects, kNada,
                                    kPortugueseFillers, kPortugueseForNow, kPortugueseConditions, true},
                                   {kItalianNots, kItalianOnlys, kItalianVerbs, kItalianObjects, kNiente,
                                    kItalianFillers, kItalianForNow, kItalianConditions, true},
                                   {kRussianNots, kRussianOnlys, kRussianVerbs, kRussianObjects, kNichego,
                                    kRussianFillers, kRussianForNow, kRussianConditions, true}};
// Said of what is new.
constexpr std::string_view kNew[] = {
    "neue",   "neuen", "weitere", "weiteren", "zusätzlichen", "nouvelles", "nouvelle", "nouveaux", "nuevas", "nueva",
    "nuevos", "novas", "nova",    "novos",    "nuove",        "nuova",     "nuovi",    "новые",    "новых"};

std::string_view translated(std::string_view word, Pairs pairs) {
    const auto pair = std::ranges::find(pairs, word, &std::pair<std::string_view, std::string_view>::first);
    return pair == pairs.end() ? std::string_view{} : pair->second;
}

/// Lower case, also of Ä, Ö, Ü and É; places are the same in both.
std::string small(std::string_view text) {
    std::string lower = lowered(text);
    for (std::size_t i = 1; i < lower.size(); ++i) {
        const auto byte = static_cast<unsigned char>(lower[i]);
        if (lower[i - 1] == '\xC3' && byte >= 0x80 && byte <= 0x9E && byte != 0x97)
            lower[i] = static_cast<char>(byte + 0x20);
    }
    return lower;
}

bool is_place(std::string_view word) {
    const std::size_t slash = word.find('/');
    return looks_like_path(word) ||
           (slash != word.npos && slash > 0 && word.size() > 2 && word.find("//") == word.npos);
}

/// The words of a clause, without the marks around them; "n'ajoute" is two.
std::vector<std::string_view> words_of(std::string_view clause) {
    constexpr std::string_view kMarks = "`'\",;:!?.()*";
    std::vector<std::string_view> words;
    while (!(clause = trimmed(clause)).empty()) {
        std::string_view word = clause.substr(0, clause.find_first_of(" \t\n"));
        clause.remove_prefix(word.size());
        for (const std::string_view elided : {"n'", "n’", "N'", "N’", "d'", "d’", "l'", "l’"}) {
            if (!word.starts_with(elided) || word.size() == elided.size()) continue;
            words.push_back(word.substr(0, 1));
            word.remove_prefix(elided.size());
            break;
        }
        while (!word.empty() && kMarks.find(word.front()) != kMarks.npos && !word.starts_with('.'))
            word.remove_prefix(1);
        while (!word.empty() && kMarks.find(word.back()) != kMarks.npos) word.remove_suffix(1);
        if (!word.empty()) words.push_back(word);
    }
    return words;
}

/// What is said in a clause of one language.
struct Said {
    std::string_view verb, object;
    std::string places;
    bool no = false, only = false, all = false, fresh = false, for_now = false;
};

/// Reads a clause; false = a word is not known, or they stand as no order has them.
bool read(std::string_view clause, const Language& language, Said& said) {
    const std::vector<std::string_view> words = words_of(clause);
    const bool german = !language.negation_first;
    bool denied = false;  // "ne modifie pas"
    const bool only =
        std::ranges::any_of(words, [&](std::string_view word) { return among(small(word), language.onlys); });
    for (const std::string_view written : words) {
        const std::string lower = small(written);
        const std::string word = lower == "n" ? "ne" : lower == "d" ? "de" : lower == "l" ? "la" : lower;
        if (is_place(written)) {
            said.places.append(said.places.empty() ? "" : ", ").append(written);
        } else if (among(word, language.negations)) {
            if (language.negation_first && (said.no || !said.verb.empty() || !said.places.empty())) return false;
            said.no = true;
            said.all = said.all || among(word, language.nothing);
        } else if (among(word, language.nothing)) {
            said.all = true;
        } else if (among(word, language.onlys)) {
            said.only = true;
            if (word == "que" && !denied) said.no = false;  // "ne modifie que a.py"
        } else if (const std::string_view verb = translated(word, language.verbs);
                   !verb.empty() && said.verb.empty() && (said.no || german || only || verb == "only")) {
            said.verb = verb;
        } else if (const std::string_view object = translated(word, language.objects);
                   !object.empty() && said.object.empty()) {
            said.object = object;
        } else if (among(word, language.for_now)) {
            said.for_now = true;
        } else if (!among(word, language.fillers)) {
            return false;
        }
        denied = denied || word == "pas" || word == "plus";
        said.fresh = said.fresh || among(word, kNew);
    }
    return true;
}

/// "do not change", with what it is about; empty = that is not known.
std::string order_of(const Said& said) {
    const bool changes = said.verb == "change" || said.verb == "only";
    if (said.only && !said.no)
        return changes && !said.places.empty() && said.object.empty() ? "only change " + said.places : std::string();
    if (!said.no || said.only || said.verb == "only") return {};
    const std::string now = said.for_now ? " for now" : "";
    if (said.verb == "commit" || said.verb == "push")
        return said.places.empty() && said.object.empty() ? "do not " + std::string(said.verb) + now : std::string();
    if (said.verb == "make")
        return said.places.empty() && (said.object == "commit" || said.object == "push")
                   ? "do not " + std::string(said.object) + now
                   : std::string();
    if (said.verb.empty()) {  // "keine neuen Abhängigkeiten", "keine Änderungen an a.py"
        if (said.object == "changes") return said.places.empty() ? std::string() : "do not change " + said.places + now;
        if (!said.places.empty()) return {};
        if (said.object == "commits") return "do not commit" + now;
        if (said.object == "packages" && said.fresh) return "do not add packages" + now;
        return said.object == "any files" && said.fresh ? "do not create new files" + now : std::string();
    }
    if (!said.places.empty())
        return said.object.empty() || said.object == "any files"
                   ? "do not " + std::string(said.verb) + " " + said.places + now
                   : std::string();
    if (said.object == "any files" && (said.verb == "create" || said.verb == "add"))
        return "do not create new files" + now;
    if (!said.object.empty()) return "do not " + std::string(said.verb) + " " + std::string(said.object) + now;
    const bool of_all = said.all && (said.verb == "change" || said.verb == "delete" || said.verb == "install");
    return of_all ? "do not " + std::string(said.verb) + " anything" + now : std::string();
}

/// "Está prohibido tocar a.py" as "no tocar a.py".
std::string with_plain_ban(std::string_view clause) {
    constexpr std::pair<std::string_view, std::string_view> kBans[] = {
        {"está prohibido ", "no "}, {"esta prohibido ", "no "}, {"queda prohibido ", "no "}, {"prohibido ", "no "},
        {"é proibido ", "não "},    {"está proibido ", "não "}, {"fica proibido ", "não "},  {"proibido ", "não "}};
    const std::string lower = small(clause);
    for (const auto& [ban, plain] : kBans) {
        if (lower.starts_with(ban)) return std::string(plain).append(clause.substr(ban.size()));
    }
    return std::string(clause);
}

/// "Lass config.yml unverändert", "Bitte src/a.py in Ruhe lassen", "Finger weg von src/auth/"
std::string kept_as_it_is(std::string_view clause) {
    constexpr std::string_view kLets[] = {" in ruhe lassen", " unverändert lassen", " unangetastet lassen"},
                               kPlease = "bitte ";
    constexpr std::string_view kKeeps[] = {"lass ", "lasse ", "bitte lass ", "laisse ", "deja "},
                               kStays[] = {" unverändert", " unangetastet", " in ruhe",     " tel quel",
                                           " intact",      " intacto",      " sin cambios", " como está"};
    constexpr std::string_view kHands[] = {"finger weg von ", "bitte finger weg von "};
    const std::string lower = small(clause);
    std::string_view object;
    if (const auto hands = std::ranges::find_if(kHands, [&](std::string_view h) { return lower.starts_with(h); });
        hands != std::end(kHands))
        object = clause.substr(hands->size());
    const auto keep = std::ranges::find_if(kKeeps, [&](std::string_view k) { return lower.starts_with(k); });
    const auto stay = std::ranges::find_if(kStays, [&](std::string_view s) { return lower.ends_with(s); });
    if (keep != std::end(kKeeps) && stay != std::end(kStays) && keep->size() + stay->size() < clause.size())
        object = clause.substr(keep->size(), clause.size() - keep->size() - stay->size());
    const auto let = std::ranges::find_if(kLets, [&](std::string_view l) { return lower.ends_with(l); });
    if (object.empty() && let != std::end(kLets)) {
        object = clause.substr(0, clause.size() - let->size());
        if (lower.starts_with(kPlease) && object.size() > kPlease.size()) object.remove_prefix(kPlease.size());
    }
    if (object.empty()) return {};
    for (const Language& language : kLanguages) {
        Said said;
        if (!read(object, language, said) || said.no || said.only || !said.verb.empty()) continue;
        if (!said.places.empty() && said.object.empty()) return "do not change " + said.places;
        if (said.object == "the tests" && said.places.empty()) return "do not change the tests";
    }
    return {};
}

/// The clauses of a sentence. A part that is nothing but places goes on with the list before it.
std::vector<std::string> clauses_of(std::string_view sentence) {
    constexpr std::string_view kCuts[] = {", ",    ": ",   " und ", " aber ", " et ", " mais ", " y ", " pero ",
                                          " mas ", " ma ", " e ",   " и ",    " но ", " - ",    " – "};
    std::vector<std::string> clauses;
    const auto add = [&](std::string_view part) {
        part = trimmed(part);
        while (!part.empty() && std::string_view(".!,;").find(part.back()) != std::string_view::npos)
            part.remove_suffix(1);
        const std::vector<std::string_view> words = words_of(part);
        const bool places = !words.empty() && std::ranges::all_of(words, is_place);
        if (places && !clauses.empty())
            clauses.back().append(" ").append(part);
        else if (!part.empty())
            clauses.emplace_back(part);
    };
    std::size_t begin = 0;
    for (std::size_t at = 0; at < sentence.size(); ++at) {
        if (sentence[at] != ' ' && sentence[at] != ',' && sentence[at] != ':') continue;
        const auto cut =
            std::ranges::find_if(kCuts, [&](std::string_view c) { return sentence.substr(at).starts_with(c); });
        if (cut == std::end(kCuts)) continue;
        // "nur a.py und b.py ändern"
        const std::vector<std::string_view> before = words_of(sentence.substr(begin, at - begin)),
                                            behind = words_of(sentence.substr(at + cut->size(), 200));
        if (!before.empty() && !behind.empty() && is_place(before.back()) && is_place(behind.front())) continue;
        add(sentence.substr(begin, at - begin));
        begin = at + cut->size();
        at = begin - 1;
    }
    add(sentence.substr(begin));
    return clauses;
}

// ---- Japanese
// --------------------------------------------------------------------------------------------------------

/// "src/api.py は変更しないでください", コミットしないで
std::string order_in_japanese(std::string_view sentence) {
    constexpr std::string_view kNots[] = {"しないで", "しないこと", "らないで", "えないで", "禁止"}, kBanned = "禁止",
                               kBehindBan[] = {"です", "だ", "で", "と", "。", "！", "、", " ", ",", "!"},
                               kConditions[] = {"場合", "まで", "なら", "たら", "れば", "前に",    "とき",
                                                "時は", "以外", "限り", "だけ", "のみ", "ユーザー"};
    constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
        {"git commit", "commit"}, {"git push", "push"}, {"コミット", "commit"},     {"プッシュ", "push"},
        {"変更", "change"},       {"編集", "change"},   {"修正", "change"},         {"削除", "delete"},
        {"触", "change"},         {"変", "change"},     {"インストール", "install"}};
    constexpr std::string_view kParticles[] = {"は", "を", "も", "に", "へ", "の"},
                               kWords[] = {"まだ",   "絶対に", "勝手に", "リモート", "ファイル",
                                           "コード", "変更",   "この",   "テスト",   " "};
    std::size_t at = sentence.npos;
    for (const std::string_view no : kNots) at = std::min(at, sentence.find(no));
    if (at == sentence.npos || contains_any(sentence, kConditions)) return {};
    std::string_view head = sentence.substr(0, at);
    if (sentence.substr(at).starts_with(kBanned)) {  // 変更禁止です, and not 禁止されていません
        const std::string_view behind = sentence.substr(at + kBanned.size());
        if (!behind.empty() && !starts_with_any(behind, kBehindBan)) return {};
        head = trimmed(head);
    }
    if (const std::size_t comma = head.rfind("、"); comma != head.npos)
        head.remove_prefix(comma + std::string_view("、").size());
    const auto ends_off = [&](std::string_view word) {
        if (!head.ends_with(word)) return false;
        head.remove_suffix(word.size());
        return true;
    };
    for (const std::string_view particle : {"は", "を"}) ends_off(particle);  // プッシュはしないで
    head = trimmed(head);
    const auto verb = std::ranges::find_if(kVerbs, [&](const auto& pair) { return ends_off(pair.first); });
    if (verb == std::end(kVerbs)) return {};
    head = trimmed(head);
    const bool now = head.find("まだ") != head.npos, tests = head.find("テスト") != head.npos;
    const std::vector<std::string> places = paths_in(head, 4);
    // Nothing else may stand there.
    std::string rest(head);
    const auto drop = [&](std::string_view word) {
        for (std::size_t found = rest.find(word); found != rest.npos; found = rest.find(word))
            rest.erase(found, word.size());
    };
    for (const std::string& place : places) drop(place);
    for (const std::string_view word : kWords) drop(word);
    for (const std::string_view particle : kParticles) drop(particle);
    for (const std::string_view mark : {"`", "と", "や", "、", "/"}) drop(mark);
    if (!rest.empty()) return {};
    std::string order = "do not " + std::string(verb->second);
    const bool ships = verb->second == "commit" || verb->second == "push";
    if (ships != places.empty() && !tests) return {};
    if (tests)
        order += ships ? "" : " the tests";
    else
        for (std::size_t i = 0; i < places.size(); ++i) order.append(i == 0 ? " " : ", ").append(places[i]);
    if (tests && ships) return {};
    return order + (now ? " for now" : "");
}

// ---- Korean
// ----------------------------------------------------------------------------------------------------------

/// "config.yml은 수정하지 마세요", 커밋하지 마
std::string order_in_korean(std::string_view sentence) {
    constexpr std::string_view kNots[] = {"지 마", "지 말"}, kConditions[] = {"면 ",  "까지", "전에", "때 ",    "없이",
                                                                              "외에", "제외", "만 ",  "사용자", "왜 "};
    constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
        {"수정하", "change"}, {"변경하", "change"}, {"건드리", "change"}, {"고치", "change"}, {"편집하", "change"},
        {"삭제하", "delete"}, {"지우", "delete"},   {"커밋하", "commit"}, {"푸시하", "push"}};
    constexpr std::string_view kWords[] = {"절대", "아직", "제발", "파일", "코드", "테스트", "은", "는",
                                           "을",   "를",   "도",   "와",   "과",   ",",      "`",  " "};
    std::size_t at = sentence.npos;
    for (const std::string_view no : kNots) at = std::min(at, sentence.find(no));
    if (at == sentence.npos || contains_any(sentence, kConditions)) return {};
    std::string_view head = sentence.substr(0, at);
    if (const std::size_t comma = head.rfind(", "); comma != head.npos) head.remove_prefix(comma + 2);
    const auto verb = std::ranges::find_if(kVerbs, [&](const auto& pair) { return head.ends_with(pair.first); });
    if (verb == std::end(kVerbs)) return {};
    head.remove_suffix(verb->first.size());
    const std::vector<std::string> places = paths_in(head, 4);
    const bool tests = head.find("테스트") != head.npos, ships = verb->second == "commit" || verb->second == "push";
    // Nothing else may stand there.
    std::string rest(head);
    const auto drop = [&](std::string_view word) {
        for (std::size_t found = rest.find(word); found != rest.npos; found = rest.find(word))
            rest.erase(found, word.size());
    };
    for (const std::string& place : places) drop(place);
    for (const std::string_view word : kWords) drop(word);
    if (!rest.empty() || ships != (places.empty() && !tests)) return {};
    std::string order = "do not " + std::string(verb->second);
    if (places.empty() && tests) order += " the tests";
    for (std::size_t i = 0; i < places.size(); ++i) order.append(i == 0 ? " " : ", ").append(places[i]);
    return order + (head.find("아직") != head.npos ? " for now" : "");
}

/// Behind the only places: "sonst nichts". Anything else may be one more of them.
bool ends_only(std::string_view clause) {
    constexpr std::string_view kNothingElse[] = {"alles andere bleibt wie es ist",
                                                 "alles andere bleibt unverändert",
                                                 "alles andere bleibt so",
                                                 "der rest bleibt wie er ist",
                                                 "der rest bleibt unverändert",
                                                 "s'il te plaît",
                                                 "merci",
                                                 "por favor",
                                                 "per favore",
                                                 "больше ничего",
                                                 "nada mais",
                                                 "sonst nichts",
                                                 "nichts anderes",
                                                 "nichts sonst",
                                                 "mehr nicht",
                                                 "bitte",
                                                 "danke",
                                                 "rien d'autre",
                                                 "nada más"};
    return std::ranges::find(kNothingElse, std::string_view(small(clause))) != std::end(kNothingElse);
}

}  // namespace

std::vector<std::string> orders_in_english(std::string_view sentence) {
    // Most sentences are English: told at once.
    static constexpr PhraseSet marks(kForeignMarks);
    std::vector<std::string> orders;
    if (!marks.in(sentence)) return orders;
    const auto keep = [&](std::string order) {
        if (!order.empty()) orders.push_back(std::move(order));
    };
    keep(order_in_japanese(sentence));
    keep(order_in_korean(sentence));
    if (!orders.empty()) return orders;
    const std::string lower = " " + small(sentence) + " ";
    const std::vector<std::string> clauses = clauses_of(sentence);
    for (std::size_t i = 0; i < clauses.size(); ++i) {
        const std::string clause = with_plain_ban(clauses[i]);
        if (std::string kept = kept_as_it_is(clause); !kept.empty()) {
            keep(std::move(kept));
            continue;
        }
        for (const Language& language : kLanguages) {
            Said said;
            const bool open = std::ranges::any_of(language.conditions, [&](std::string_view c) {
                return lower.find(" " + std::string(c)) != lower.npos;
            });
            if (open || !read(clause, language, said) ||
                (said.only && i + 1 < clauses.size() && !ends_only(clauses[i + 1])))
                continue;
            if (std::string order = order_of(said); !order.empty()) {
                keep(std::move(order));
                break;
            }
        }
    }
    return orders;
}

}  // namespace agent_audit::detectors
