#include "detectors/speech/foreign_orders.hpp"

#include "detectors/speech/eastern_orders.hpp"
#include "detectors/speech/foreign_language.hpp"
#include "detectors/speech/foreign_states.hpp"
#include "detectors/speech/rule_sentence.hpp"
#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit::detectors {
namespace {

using foreign::is_place;
using foreign::Language;
using foreign::read;
using foreign::Said;
using foreign::small;
using foreign::words_of;

/// "do not change", with what it is about; empty = that is not known.
std::string order_of(const Said& said) {
    const bool changes = said.verb == "change" || said.verb == "only";
    if (said.only && !said.no)
        return changes && !said.places.empty() && said.object.empty() ? "only change " + said.places : std::string();
    if (!said.no || said.only || said.verb == "only") return {};
    const std::string now = said.for_now ? " for now" : "";
    if (said.verb == "merge" || (said.verb == "make" && said.object == "merge"))
        return said.places.empty()
                   ? "do not merge" + (said.branch.empty() ? "" : " into " + std::string(said.branch)) + now
                   : std::string();
    if (!said.branch.empty()) return {};
    if (said.verb == "commit" || said.verb == "push")
        return said.places.empty() && said.object.empty() ? "do not " + std::string(said.verb) + now : std::string();
    if (said.verb == "make") {
        if (!said.places.empty()) return {};
        if (among(said.object, kPrograms)) return "do not use " + std::string(said.object) + now;
        return said.object == "commit" || said.object == "push" ? "do not " + std::string(said.object) + now
                                                                : std::string();
    }
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
    constexpr std::pair<std::string_view, std::string_view> kBans[] = {{"está prohibido ", "no "},
                                                                       {"esta prohibido ", "no "},
                                                                       {"queda prohibido ", "no "},
                                                                       {"prohibido ", "no "},
                                                                       {"é proibido ", "não "},
                                                                       {"está proibido ", "não "},
                                                                       {"fica proibido ", "não "},
                                                                       {"proibido ", "não "},
                                                                       {"il est interdit de ", "ne pas "},
                                                                       {"interdit de ", "ne pas "},
                                                                       {"interdiction de ", "ne pas "},
                                                                       {"défense de ", "ne pas "},
                                                                       {"è vietato ", "non "},
                                                                       {"vietato ", "non "},
                                                                       {"запрещено ", "не "}};
    const std::string lower = small(clause);
    for (const auto& [ban, plain] : kBans) {
        if (lower.starts_with(ban)) return std::string(plain).append(clause.substr(ban.size()));
    }
    return std::string(clause);
}

/// "Behebe den Fehler, aber …": an order goes before, and not what the person saw.
bool begins_with_order(std::string_view lower) {
    constexpr std::string_view kOrders[] = {
        "bitte ",    "behebe ", "beheb ",   "erhöhe ",   "korrigiere ", "repariere ", "ändere ",   "mach ",
        "mache ",    "baue ",   "füge ",    "schreib ",  "schreibe ",   "passe ",     "setze ",    "räum ",
        "fixe ",     "fix ",    "corrige ", "corrigez ", "répare ",     "ajoute ",    "augmente ", "change ",
        "mets ",     "fais ",   "écris ",   "arregla ",  "añade ",      "agrega ",    "sube ",     "cambia ",
        "haz ",      "pon ",    "crea ",    "por favor", "corrija ",    "conserte ",  "adicione ", "aumente ",
        "mude ",     "faça ",   "crie ",    "correggi ", "aggiungi ",   "sistema ",   "alza ",     "ripara ",
        "исправь ",  "почини ", "добавь ",  "подними ",  "сделай ",     "измени ",    "поменяй ",  "обнови ",
        "пожалуйста"};
    return starts_with_any(trimmed(lower), kOrders);
}

/// "config.yml bleibt, wie sie ist" is one clause.
std::string with_state_joined(std::string_view sentence) {
    constexpr std::string_view kComma = ", wie ";
    std::string out(sentence);
    for (std::size_t at = out.find(kComma); at != out.npos; at = out.find(kComma, at)) out.erase(at, 1);
    return out;
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
        constexpr std::string_view kMore = " mais ", kPortugueseNot = "ão ";  // French "but"
        if (*cut == kMore && sentence.find(kPortugueseNot) != sentence.npos) continue;
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

std::vector<std::string> orders_in_english(std::string_view sentence, std::string_view behind) {
    // Most sentences are English: told at once.
    static constexpr PhraseSet marks(kForeignMarks);
    std::vector<std::string> orders;
    if (!marks.in(sentence) && !tells_state(sentence)) return orders;
    const auto keep = [&](std::string order) {
        if (!order.empty()) orders.push_back(std::move(order));
    };
    keep(order_in_japanese(sentence));
    keep(order_in_korean(sentence));
    if (!orders.empty()) return orders;
    const std::string lower = " " + small(sentence) + " ";
    const std::vector<std::string> clauses = clauses_of(with_state_joined(sentence));
    for (std::size_t i = 0; i < clauses.size(); ++i) {
        const std::string clause = with_plain_ban(clauses[i]);
        bool may_report = false;
        std::string kept = kept_off_by_hand(clause);
        if (kept.empty()) kept = kept_in_state(clause, lower, may_report);
        if (!kept.empty()) {
            // "Al guardar, a.py se queda como está: arréglalo"
            const bool seen =
                may_report && ((i > 0 && !begins_with_order(lower)) || tells_what_was_seen(sentence, behind));
            if (!seen) keep(std::move(kept));
            continue;
        }
        for (const Language& language : foreign::languages()) {
            Said said;
            const bool open = foreign::sets_condition(lower, language);
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
