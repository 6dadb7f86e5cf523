#include "detectors/speech/foreign_language.hpp"

#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"

#include <algorithm>

namespace agent_audit::detectors::foreign {
namespace {

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
                                                                          {"nutze", "use"},
                                                                          {"nutzen", "use"},
                                                                          {"rühre", "change"},
                                                                          {"rührst", "change"},
                                                                          {"merge", "merge"},
                                                                          {"mergen", "merge"},
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
                                                                            {"readme", "the README"}};
constexpr std::string_view kGermanFillers[] = {
    "bitte",         "aber",      "und",     "auch",     "also",         "jetzt",      "dann",        "du",
    "darfst",        "sollst",    "an",      "aus",      "hinzu",        "auf",        "fall",        "die",
    "der",           "das",       "den",     "im",       "in",           "datei",      "ordner",      "verzeichnis",
    "neue",          "neuen",     "weitere", "weiteren", "zusätzlichen", "bestehende", "bestehenden", "vorhandenen",
    "existierenden", "selbst",    "wichtig", "achtung",  "irgendwelche", "oder",       "danke",       "git",
    "machen",        "ausführen", "wieder",  "mehr",     "ab",           "sofort",     "hier"};
constexpr std::string_view kGermanForNow[] = {"noch", "erstmal", "vorerst"};
constexpr std::string_view kGermanConditions[] = {"wenn ", "falls ",      "bevor ",  "bis ",    "solange ", "außer",
                                                  "ohne ", "es sei denn", "sofern ", "obwohl ", "nachdem ", "sobald "};

// ---- French --------------------------------------------------------------------------------------------------------

constexpr std::string_view kFrenchNots[] = {"ne"};
constexpr std::string_view kFrenchOnlys[] = {"que", "seulement", "uniquement"};
constexpr std::string_view kFrenchNothing[] = {"rien"};
constexpr std::pair<std::string_view, std::string_view> kFrenchVerbs[] = {
    {"modifie", "change"},    {"modifiez", "change"},  {"modifier", "change"},  {"touche", "change"},
    {"touchez", "change"},    {"toucher", "change"},   {"change", "change"},    {"changez", "change"},
    {"changer", "change"},    {"édite", "change"},     {"éditez", "change"},    {"éditer", "change"},
    {"supprime", "delete"},   {"supprimez", "delete"}, {"supprimer", "delete"}, {"fais", "make"},
    {"faites", "make"},       {"faire", "make"},       {"pousse", "push"},      {"poussez", "push"},
    {"pousser", "push"},      {"commite", "commit"},   {"commit", "commit"},    {"commiter", "commit"},
    {"ajoute", "add"},        {"ajoutez", "add"},      {"ajouter", "add"},      {"crée", "create"},
    {"créez", "create"},      {"créer", "create"},     {"installe", "install"}, {"installez", "install"},
    {"installer", "install"}, {"fusionne", "merge"},   {"fusionnez", "merge"},  {"fusionner", "merge"},
    {"utilise", "use"},       {"utilisez", "use"},     {"utiliser", "use"}};
constexpr std::pair<std::string_view, std::string_view> kFrenchObjects[] = {
    {"tests", "the tests"},     {"fichiers", "any files"}, {"dépendances", "packages"},
    {"dépendance", "packages"}, {"paquets", "packages"},   {"commit", "commit"},
    {"commits", "commit"},      {"push", "push"},          {"code", "any code"}};
constexpr std::string_view kFrenchFillers[] = {
    "pas",   "jamais", "plus", "de",     "des",        "d'",        "les",       "le",       "la",       "l'",
    "aux",   "au",     "à",    "du",     "sur",        "dépôt",     "nouvelles", "nouvelle", "nouveaux", "s'il",
    "te",    "plaît",  "svp",  "stp",    "mais",       "et",        "ni",        "ou",       "fichier",  "dossier",
    "merci", "on",     "dans", "partir", "maintenant", "désormais", "rien",      "ici"};
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
    {"borrar", "delete"},     {"eliminar", "delete"}, {"hacer", "make"},       {"usar", "make"},
    {"uses", "use"},          {"utilices", "use"},    {"toca", "change"}};
constexpr std::pair<std::string_view, std::string_view> kSpanishObjects[] = {
    {"tests", "the tests"},    {"pruebas", "the tests"},     {"archivos", "any files"},
    {"ficheros", "any files"}, {"dependencias", "packages"}, {"paquetes", "packages"},
    {"commit", "commit"},      {"commits", "commit"},        {"push", "push"},
    {"merge", "merge"},        {"código", "any code"},       {"migraciones", "the migrations"}};
constexpr std::string_view kSpanishFillers[] = {"los",    "las",   "el",      "la",      "un",      "ningún", "ninguna",
                                                "nuevas", "nueva", "nuevos",  "por",     "favor",   "pero",   "y",
                                                "ni",     "o",     "archivo", "carpeta", "gracias", "en",     "de",
                                                "git",    "a",     "partir",  "ahora",   "más",     "se",     "aquí"};
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
    {"editar", "change"},    {"apagar", "delete"},     {"fazer", "make"},       {"usar", "make"},
    {"use", "use"},          {"utilize", "use"}};
constexpr std::pair<std::string_view, std::string_view> kPortugueseObjects[] = {
    {"testes", "the tests"}, {"arquivos", "any files"}, {"ficheiros", "any files"},     {"dependências", "packages"},
    {"pacotes", "packages"}, {"commit", "commit"},      {"commits", "commit"},          {"push", "push"},
    {"merge", "merge"},      {"código", "any code"},    {"migrações", "the migrations"}};
constexpr std::string_view kPortugueseFillers[] = {
    "os",  "as",  "o",   "a",  "um",      "nenhum",   "nenhuma", "novas",    "nova",     "novos", "por",  "favor",
    "mas", "e",   "nem", "ou", "arquivo", "ficheiro", "pasta",   "obrigado", "obrigada", "em",    "no",   "na",
    "nos", "nas", "do",  "da", "mais",    "daqui",    "diante",  "partir",   "de",       "agora", "para", "aqui"};
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
    {"creare", "create"},  {"installare", "install"}, {"eseguire", "run"},      {"usare", "use"},
    {"utilizzare", "use"}, {"tocca", "change"}};
constexpr std::pair<std::string_view, std::string_view> kItalianObjects[] = {
    {"test", "the tests"},     {"tests", "the tests"}, {"dipendenze", "packages"},
    {"pacchetti", "packages"}, {"commit", "commit"},   {"push", "push"},
    {"merge", "merge"},        {"codice", "any code"}, {"migrazioni", "the migrations"}};
constexpr std::string_view kItalianFillers[] = {
    "i",     "gli",   "le",     "il",  "lo", "la",  "un",  "nessun", "nessuna",  "nuove",  "nuova",
    "nuovi", "per",   "favore", "ma",  "e",  "né",  "o",   "file",   "cartella", "grazie", "in",
    "nel",   "nella", "del",    "più", "de", "ora", "poi", "qui",    "su",       "si"};
constexpr std::string_view kItalianForNow[] = {"ancora"};
constexpr std::string_view kItalianConditions[] = {"se ",      "quando ", "prima ",  "senza ",  "tranne ", "salvo ",
                                                   "eccetto ", "fino ",   "finché ", "perché ", "mentre "};

// ---- Russian -------------------------------------------------------------------------------------------------------

constexpr std::string_view kRussianNots[] = {"не"};
constexpr std::string_view kRussianOnlys[] = {"только"};
constexpr std::string_view kNichego[] = {"ничего"};
constexpr std::pair<std::string_view, std::string_view> kRussianVerbs[] = {
    {"трогай", "change"},    {"трогать", "change"},    {"трогайте", "change"},  {"меняй", "change"},
    {"менять", "change"},    {"меняйте", "change"},    {"изменяй", "change"},   {"изменять", "change"},
    {"изменяйте", "change"}, {"редактируй", "change"}, {"удаляй", "delete"},    {"удалять", "delete"},
    {"удаляйте", "delete"},  {"коммить", "commit"},    {"коммитить", "commit"}, {"коммитьте", "commit"},
    {"пушь", "push"},        {"пушить", "push"},       {"пушьте", "push"},      {"устанавливай", "install"},
    {"создавай", "create"},  {"создавать", "create"},  {"запускай", "run"},     {"запускать", "run"},
    {"трогаем", "change"},   {"используй", "use"},     {"используйте", "use"},  {"использовать", "use"},
    {"мержи", "merge"},      {"мержить", "merge"},     {"мерджи", "merge"},     {"мерджить", "merge"},
    {"сливай", "merge"},     {"сливать", "merge"}};
constexpr std::pair<std::string_view, std::string_view> kRussianObjects[] = {{"тесты", "the tests"},
                                                                             {"файлы", "any files"},
                                                                             {"код", "any code"},
                                                                             {"миграции", "the migrations"},
                                                                             {"зависимости", "packages"}};
constexpr std::string_view kRussianFillers[] = {"пожалуйста", "файл",   "папку",  "и",      "но",    "а",     "или",
                                                "в",          "новые",  "новых",  "больше", "снова", "опять", "этого",
                                                "момента",    "теперь", "отныне", "сейчас", "с",     "здесь"};
constexpr std::string_view kRussianForNow[] = {"пока", "ещё", "еще"};
constexpr std::string_view kRussianConditions[] = {"если ", "когда ", "до ", "без ", "кроме ", "почему ", "пока не "};

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

// Said of no one, and what is meant may stand before it: "config.yml no se toca".
constexpr std::string_view kImpersonals[] = {"toca", "tocca"}, kReflexives[] = {"se", "si"};
// The order of words is free there: "config.yml не трогай".
constexpr std::string_view kRussianChanges[] = {"трогаем", "трогай",  "трогать", "меняй",
                                                "менять",  "изменяй", "изменять"};
constexpr std::string_view kMainBranches[] = {"main", "master"},
                           kInto[] = {"in", "nach", "dans", "sur", "a", "en", "em", "na", "no", "su", "nel", "в"};

std::string_view object_in(std::string_view word, const Language& language) {
    if (const std::string_view object = translated(word, language.objects); !object.empty()) return object;
    const auto program = std::ranges::find(kPrograms, word);
    return program == std::end(kPrograms) ? std::string_view{} : *program;
}

}  // namespace

std::string_view translated(std::string_view word, Pairs pairs) {
    const auto pair = std::ranges::find(pairs, word, &std::pair<std::string_view, std::string_view>::first);
    return pair == pairs.end() ? std::string_view{} : pair->second;
}

std::span<const Language> languages() { return kLanguages; }

bool sets_condition(std::string_view lower, const Language& language, Without without) {
    constexpr std::string_view kWithout[] = {"ohne ", "sans ", "sin ", "sem ", "senza ", "без "};
    return std::ranges::any_of(language.conditions, [&](std::string_view c) {
        return (without == Without::is_condition || !among(c, kWithout)) &&
               lower.find(" " + std::string(c)) != lower.npos;
    });
}

std::string small(std::string_view text) {
    constexpr char kLatin = '\xC3', kCyrillic = '\xD0', kLaterCyrillic = '\xD1';
    std::string lower = lowered(text);
    for (std::size_t i = 1; i < lower.size(); ++i) {
        const auto byte = static_cast<unsigned char>(lower[i]);
        if (lower[i - 1] == kLatin && byte >= 0x80 && byte <= 0x9E && byte != 0x97) {
            lower[i] = static_cast<char>(byte + 0x20);
        } else if (lower[i - 1] == kCyrillic && byte >= 0x90 && byte <= 0x9F) {
            lower[i] = static_cast<char>(byte + 0x20);  // А to П
        } else if (lower[i - 1] == kCyrillic && (byte == 0x81 || (byte >= 0xA0 && byte <= 0xAF))) {
            lower[i - 1] = kLaterCyrillic;
            lower[i] = static_cast<char>(byte == 0x81 ? 0x91 : byte - 0x20);  // Ё, Р to Я
        }
    }
    return lower;
}

bool is_place(std::string_view word) {
    const std::size_t slash = word.find('/');
    return looks_like_path(word) ||
           (slash != word.npos && slash > 0 && word.size() > 2 && word.find("//") == word.npos);
}

namespace {

// "n'ajoute", "l’API", "d'un": how long what stands in front is; 0 = there is none.
std::size_t elision(std::string_view word) {
    constexpr std::string_view kElided = "nNdDlL", kPlain = "'", kCurved = "’";
    if (kElided.find(word.front()) == kElided.npos) return 0;
    for (const std::string_view mark : {kPlain, kCurved}) {
        if (word.substr(1).starts_with(mark)) return 1 + mark.size();
    }
    return 0;
}

}  // namespace

std::vector<std::string_view> words_of(std::string_view clause) {
    constexpr std::string_view kMarks = "`'\",;:!?.()*";
    std::vector<std::string_view> words;
    while (!(clause = trimmed(clause)).empty()) {
        std::string_view word = clause.substr(0, clause.find_first_of(" \t\n"));
        clause.remove_prefix(word.size());
        if (const std::size_t elided = elision(word); elided > 0 && elided < word.size()) {
            words.push_back(word.substr(0, 1));
            word.remove_prefix(elided);
        }
        while (!word.empty() && kMarks.find(word.front()) != kMarks.npos && !word.starts_with('.'))
            word.remove_prefix(1);
        while (!word.empty() && kMarks.find(word.back()) != kMarks.npos) word.remove_suffix(1);
        if (!word.empty()) words.push_back(word);
    }
    return words;
}

bool read(std::string_view clause, const Language& language, Said& said) {
    const std::vector<std::string_view> words = words_of(clause);
    const bool german = !language.negation_first;
    bool denied = false;                            // "ne modifie pas"
    bool behind_place = false, free_order = false;  // "config.yml no se toca"
    std::string before;
    const bool only =
        std::ranges::any_of(words, [&](std::string_view word) { return among(small(word), language.onlys); });
    for (const std::string_view written : words) {
        const std::string lower = small(written);
        const std::string word = lower == "n" ? "ne" : lower == "d" ? "de" : lower == "l" ? "la" : lower;
        if (is_place(written)) {
            said.places.append(said.places.empty() ? "" : ", ").append(written);
        } else if (among(word, language.negations)) {
            if (language.negation_first && (said.no || !said.verb.empty())) return false;
            said.no = true;
            behind_place = !said.places.empty();
            said.all = said.all || among(word, language.nothing);
        } else if (among(word, language.nothing)) {
            said.all = true;
        } else if (among(word, language.onlys)) {
            said.only = true;
            if (word == "que" && !denied) said.no = false;  // "ne modifie que a.py"
        } else if (const std::string_view verb = translated(word, language.verbs);
                   !verb.empty() && said.verb.empty() && (said.no || german || only || verb == "only")) {
            said.verb = verb;
        } else if (const std::string_view object = object_in(word, language); !object.empty() && said.object.empty()) {
            said.object = object;
        } else if (among(word, kMainBranches) && among(before, kInto) && said.branch.empty()) {
            said.branch = written;
        } else if (among(word, language.for_now)) {
            said.for_now = true;
        } else if (!among(word, language.fillers)) {
            return false;
        }
        denied = denied || word == "pas" || word == "plus";
        const bool impersonal = among(word, kImpersonals);
        if (impersonal && !among(before, kReflexives)) return false;  // "el script no toca config.yml"
        free_order = free_order || impersonal || among(word, kRussianChanges);
        before = word;
        said.fresh = said.fresh || among(word, kNew);
    }
    return !language.negation_first || !behind_place || free_order;
}

}  // namespace agent_audit::detectors::foreign
