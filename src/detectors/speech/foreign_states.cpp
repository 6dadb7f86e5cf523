#include "detectors/speech/foreign_states.hpp"

#include "detectors/speech/foreign_language.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"

#include <algorithm>
#include <vector>

namespace agent_audit::detectors {
namespace {

using foreign::Words;

// The words of a language for what stays, or is left, as it is. All in lower case.
struct StateWords {
    Words stays;   // "bleibt": what is named is the subject
    Words keeps;   // "lass": an order
    Words musts;   // make an order of what stays
    Words strong;  // "wie" in "wie sie ist": hardly said of what somebody saw
    Words weak;    // "unverändert": is
    Words taboos;
    Words fillers;
};

constexpr std::string_view kGermanStays[] = {"bleibt", "bleiben"},
                           kGermanKeeps[] = {"lass", "lasse", "lassen", "lasst", "belass", "belasse", "belassen"},
                           kGermanMusts[] = {"soll", "sollen", "sollte", "sollten", "muss", "müssen", "bitte"},
                           kGermanStrong[] = {"wie", "so"},
                           kGermanWeak[] = {"unverändert", "unangetastet", "unberührt", "ruhe"},
                           kGermanTaboos[] = {"tabu", "unantastbar", "off-limits"},
                           kGermanFillers[] = {"sie", "er", "es", "ist", "sind", "für", "dich", "uns", "genau"};
constexpr std::string_view kFrenchStays[] = {"reste", "restent", "rester"},
                           kFrenchKeeps[] = {"laisse", "laissez", "laisser", "garde", "gardez"},
                           kFrenchMusts[] = {"doit", "doivent"},
                           kFrenchStrong[] = {"tel", "telle", "tels", "telles", "comme"},
                           kFrenchWeak[] = {"intact",    "intacte",   "intacts",   "inchangé",
                                            "inchangée", "inchangés", "tranquille"},
                           kFrenchTaboos[] = {"intouchable", "intouchables", "tabou"},
                           kFrenchFillers[] = {"quel", "quelle", "quels", "quelles", "il",
                                               "elle", "ils",    "elles", "est",     "sont"};
constexpr std::string_view kSpanishStays[] = {"queda", "quedan", "quedar", "quedarse", "permanece", "permanecer"},
                           kSpanishKeeps[] = {"deja", "dejá", "dejad", "dejar", "mantén"},
                           kSpanishMusts[] = {"debe", "deben", "tiene", "tienen"}, kSpanishStrong[] = {"como", "tal"},
                           kSpanishWeak[] = {"igual", "intacto", "intacta", "intactos", "cambios", "paz"},
                           kSpanishTaboos[] = {"intocable", "intocables", "tabú"},
                           kSpanishFillers[] = {"se", "está", "están", "cual", "sin", "que", "es", "son", "así"};
constexpr std::string_view kPortugueseStays[] = {"fica",       "ficam",    "ficar",    "permanece",
                                                 "permanecer", "continua", "continuar"},
                           kPortugueseKeeps[] = {"deixe", "deixa", "deixem", "deixar", "mantenha", "mantém"},
                           kPortugueseMusts[] = {"deve", "devem", "tem", "precisa"}, kPortugueseStrong[] = {"como"},
                           kPortugueseWeak[] = {"igual",      "intacto",    "intacta", "inalterado",
                                                "inalterada", "alterações", "paz"},
                           kPortugueseTaboos[] = {"intocável", "intocáveis", "tabu"},
                           kPortugueseFillers[] = {"está", "estão", "sem", "que", "é", "são", "tal", "assim"};
constexpr std::string_view kItalianStays[] = {"resta", "restano", "restare", "rimane", "rimangono", "rimanere"},
                           kItalianKeeps[] = {"lascia", "lasciate", "lasciare", "mantieni"},
                           kItalianMusts[] = {"deve", "devono"}, kItalianStrong[] = {"com'è", "com’è", "come", "stare"},
                           kItalianWeak[] = {"invariato", "invariata", "invariati", "intatto", "intatta", "pace"},
                           kItalianTaboos[] = {"intoccabile", "intoccabili", "tabù", "off-limits"},
                           kItalianFillers[] = {"così", "sono", "è", "si"};
constexpr std::string_view kRussianStays[] = {"остаётся", "остается", "остаются", "остаться", "оставаться"},
                           kRussianKeeps[] = {"оставь", "оставьте", "оставить", "оставляем", "сохрани"},
                           kRussianMusts[] = {"должен", "должна", "должны", "должно", "пусть"},
                           kRussianStrong[] = {"как"},
                           kRussianWeak[] = {"изменений", "неизменным", "нетронутым", "покое"},
                           kRussianTaboos[] = {"табу", "неприкосновенен", "неприкосновенна"},
                           kRussianFillers[] = {"есть", "без", "это", "он", "она"};

// In the order of foreign::languages().
constexpr StateWords kStateWords[] = {
    {kGermanStays, kGermanKeeps, kGermanMusts, kGermanStrong, kGermanWeak, kGermanTaboos, kGermanFillers},
    {kFrenchStays, kFrenchKeeps, kFrenchMusts, kFrenchStrong, kFrenchWeak, kFrenchTaboos, kFrenchFillers},
    {kSpanishStays, kSpanishKeeps, kSpanishMusts, kSpanishStrong, kSpanishWeak, kSpanishTaboos, kSpanishFillers},
    {kPortugueseStays, kPortugueseKeeps, kPortugueseMusts, kPortugueseStrong, kPortugueseWeak, kPortugueseTaboos,
     kPortugueseFillers},
    {kItalianStays, kItalianKeeps, kItalianMusts, kItalianStrong, kItalianWeak, kItalianTaboos, kItalianFillers},
    {kRussianStays, kRussianKeeps, kRussianMusts, kRussianStrong, kRussianWeak, kRussianTaboos, kRussianFillers}};

struct State {
    std::string places;
    bool before_state = false;  // a place stands before the word for it
    bool tests = false, stays = false, keeps = false, must = false, strong = false, weak = false, taboo = false;
};

/// False = a word is not known.
bool read_state(std::string_view clause, const foreign::Language& language, const StateWords& known, State& state) {
    constexpr std::string_view kTests = "the tests";
    for (const std::string_view written : foreign::words_of(clause)) {
        const std::string lower = foreign::small(written);
        const std::string word = lower == "d" ? "de" : lower == "l" ? "la" : lower;
        const auto object = std::ranges::find(language.objects, std::string_view(word),
                                              &std::pair<std::string_view, std::string_view>::first);
        if (foreign::is_place(written)) {
            // "Deja a.py como b.py"
            const bool said = state.strong || state.weak;
            if (said && state.before_state) return false;
            state.before_state = state.before_state || !said;
            state.places.append(state.places.empty() ? "" : ", ").append(written);
        } else if (object != language.objects.end() && object->second == kTests) {
            state.tests = true;
        } else if (among(word, known.stays)) {
            state.stays = true;
        } else if (among(word, known.keeps)) {
            state.keeps = true;
        } else if (among(word, known.strong)) {
            state.strong = true;
        } else if (among(word, known.weak)) {
            state.weak = true;
        } else if (among(word, known.taboos)) {
            state.taboo = true;
        } else if (among(word, known.musts)) {
            state.must = true;
        } else if (!among(word, known.fillers) && !among(word, language.fillers)) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::string kept_in_state(std::string_view clause, std::string_view lower, bool& may_report) {
    for (std::size_t i = 0; i < std::size(kStateWords); ++i) {
        State state;
        if (!read_state(clause, foreign::languages()[i], kStateWords[i], state)) continue;
        if (state.places.empty() != state.tests) continue;  // one of them
        if (foreign::sets_condition(lower, foreign::languages()[i], foreign::Without::is_none)) continue;
        const bool said = state.strong || state.weak;
        const bool told = state.stays && (state.strong || (state.weak && state.must));
        if (!state.taboo && !(state.keeps && said) && !told) continue;
        may_report = may_report || (told && !state.must && !state.keeps);
        return "do not change " + (state.tests ? std::string("the tests") : state.places);
    }
    return {};
}

std::string kept_off_by_hand(std::string_view clause) {
    constexpr std::string_view kHands[] = {
        "finger weg von ",    "bitte finger weg von ", "hände weg von ",     "bitte hände weg von ",
        "pas touche à ",      "pas touche au ",        "pas touche aux ",    "bas les pattes de ",
        "manos fuera de ",    "las manos fuera de ",   "tire as mãos de ",   "tira as mãos de ",
        "mãos longe de ",     "giù le mani da ",       "giù le mani dal ",   "giù le mani dai ",
        "giù le mani dalla ", "руки прочь от ",        "руками не трогать ", "не лезь в ",
        "не лезьте в "};
    const std::string lower = foreign::small(clause);
    const auto hands = std::ranges::find_if(kHands, [&](std::string_view h) { return lower.starts_with(h); });
    if (hands == std::end(kHands)) return {};
    const std::string_view object = clause.substr(hands->size());
    for (const foreign::Language& language : foreign::languages()) {
        foreign::Said said;
        if (!foreign::read(object, language, said) || said.no || said.only || !said.verb.empty()) continue;
        if (!said.places.empty() && said.object.empty()) return "do not change " + said.places;
        if (said.object == "the tests" && said.places.empty()) return "do not change the tests";
    }
    return {};
}

bool tells_what_was_seen(std::string_view sentence, std::string_view behind) {
    constexpr std::string_view kSeers[] = {" ich ",      " man ",    " je ",     " j'",        " j’",
                                           " yo ",       " eu ",     " io ",     " я ",        " obwohl ",
                                           " bien que ", " aunque ", " embora ", " anche se ", " хотя "};
    constexpr std::string_view kWonders[] = {"warum",    "wieso",   "weshalb", "woran",   "wie kommt",
                                             "pourquoi", "por qué", "por que", "perché",  "come mai",
                                             "почему",   "отчего",  "why",     "how come"};
    if (contains_any(" " + foreign::small(sentence) + " ", kSeers)) return true;
    constexpr std::string_view kMends[] = {"arréglal",   "corrígel",   "répare-l",    "répare ça", "corrige-l",
                                           "corrige ça", "behebe das", "behebe es",   "beheb das", "beheb es",
                                           "reparier",   "fix it",     "fix that",    "conserte",  "corrija is",
                                           "sistemal",   "correggil",  "исправь это", "почини"};
    if (contains_any(foreign::small(std::string(sentence).append(" ").append(behind)), kMends)) return true;
    constexpr std::string_view kMarks = ".!?;¿, \n";
    behind.remove_prefix(std::min(behind.find_first_not_of(kMarks), behind.size()));
    constexpr std::size_t kBeginning = 32;
    while (behind.starts_with("¿")) behind.remove_prefix(std::string_view("¿").size());
    return starts_with_any(foreign::small(cut_utf8(behind, kBeginning)), kWonders);
}

}  // namespace agent_audit::detectors
