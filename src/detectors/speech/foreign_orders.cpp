#include "detectors/speech/foreign_orders.hpp"

#include "detectors/speech/eastern_orders.hpp"
#include "detectors/speech/foreign_language.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
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
    for (const Language& language : foreign::languages()) {
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
        for (const Language& language : foreign::languages()) {
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
