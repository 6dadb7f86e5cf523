#include "detectors/speech/word_rules.hpp"

#include "detectors/words/phrases.hpp"
#include "support/among.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace agent_audit::detectors {
namespace {

void add_rule(std::string target, std::string onto, std::vector<Constraint>& rules) {
    Constraint rule;
    rule.kind = Constraint::Kind::forbid_tool;
    rule.target = std::move(target);
    rule.onto = std::move(onto);
    rule.for_now = true;
    rules.push_back(std::move(rule));
}

std::string_view without_end(std::string_view text) {
    text = trimmed(text);
    while (!text.empty() && std::string_view(".!;,)").find(text.back()) != std::string_view::npos)
        text.remove_suffix(1);
    return trimmed(text);
}

bool is_name_byte(char c) { return is_letter(c) || c == '-' || static_cast<unsigned char>(c) >= 0x80; }

// "Rosa Tran", "Ben": one to three words that begin with a capital.
bool is_name(std::string_view text) {
    constexpr std::size_t kMost = 3, kShortest = 3;
    std::size_t words = 0;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        const bool capital = !word.empty() && (is_upper(word[0]) || static_cast<unsigned char>(word[0]) >= 0x80);
        if (!capital || word.size() < kShortest || !std::ranges::all_of(word, is_name_byte)) return false;
        text.remove_prefix(std::min(word.size() + 1, text.size()));
        ++words;
    }
    return words > 0 && words <= kMost;
}

// AC-1204, T17, inv_2291: letters, perhaps a mark, and digits to the end.
bool is_numbered_thing(std::string_view text) {
    const auto digits = static_cast<std::size_t>(std::ranges::find_if(text, is_digit) - text.begin());
    constexpr std::size_t kFewestDigits = 2, kMostLetters = 8;
    if (digits == 0 || digits > kMostLetters || text.size() - digits < kFewestDigits || !is_letter(text[0]))
        return false;
    const bool head = std::ranges::all_of(text.substr(0, digits),
                                          [](char c) { return is_letter(c) || c == '-' || c == '_' || c == '#'; });
    return head && std::ranges::all_of(text.substr(digits), is_digit);
}

// The one full name in a sentence, which does not begin with it; none where there are several.
std::string_view only_full_name(std::string_view sentence) {
    std::string_view found;
    std::size_t at = std::min(sentence.find(' '), sentence.size());
    while (at < sentence.size()) {
        std::size_t end = ++at;
        std::size_t words = 0;
        for (std::size_t from = at; from < sentence.size() && is_upper(sentence[from]); ++words) {
            std::size_t stop = from;
            while (stop < sentence.size() && is_name_byte(sentence[stop])) ++stop;
            end = stop;
            if (stop >= sentence.size() || sentence[stop] != ' ') {
                ++words;
                break;
            }
            from = stop + 1;
        }
        if (words >= 2 && is_name(trimmed(sentence.substr(at, end - at)))) {
            if (!found.empty()) return {};
            found = trimmed(sentence.substr(at, end - at));
        }
        at = std::min(sentence.find(' ', std::max(end, at)), sentence.size());
    }
    return found;
}

}  // namespace

void forbid_data_changes(std::string_view clause, std::vector<Constraint>& rules) {
    constexpr std::string_view kVerbs[] = {"change ", "modify ", "alter ", "update ", "write to ", "write into ",
                                           "write ",  "edit ",   "touch ", "delete ", "mutate "};
    constexpr std::string_view kWhose[] = {"any ",        "the ",  "our ",      "this ",
                                           "production ", "live ", "customer ", "existing "};
    constexpr std::string_view kData[] = {
        "data", "database", "db", "records", "rows", "tables", "data in the database"};
    const auto verb = std::ranges::find_if(kVerbs, [&](std::string_view v) { return clause.starts_with(v); });
    if (verb == std::end(kVerbs)) return;
    std::string_view object = without_end(clause.substr(verb->size()));
    for (bool again = true; again;) {
        const auto whose = std::ranges::find_if(kWhose, [&](std::string_view w) { return object.starts_with(w); });
        again = whose != std::end(kWhose);
        if (again) object.remove_prefix(whose->size());
    }
    if (among(object, kData)) add_rule("changes data by SQL", std::string(kOntoSql), rules);
}

void forbid_recipient(std::string_view clause, std::vector<Constraint>& rules) {
    constexpr std::string_view kVerbs[] = {"send ", "mail ", "email ", "forward ", "share ", "write ", "show "};
    constexpr std::string_view kPreposition[] = {" to ", " with "};
    const std::string lower = lowered(clause);
    if (!starts_with_any(lower, kVerbs)) return;
    for (const std::string_view preposition : kPreposition) {
        const std::size_t at = lower.rfind(preposition);
        if (at == lower.npos) continue;
        const std::string_view name = without_end(clause.substr(at + preposition.size()));
        if (!is_name(name)) continue;
        add_rule("writes to " + std::string(name), std::string(kOntoPerson) + lowered(name), rules);
        return;
    }
}

void allow_only_thing(std::string_view clause, std::vector<Constraint>& rules) {
    const std::string_view thing = without_end(clause);
    if (is_numbered_thing(thing))
        add_rule("changes another than " + std::string(thing), std::string(kOntoOnly) + std::string(thing), rules);
}

void allow_only_person(std::string_view sentence, std::string_view before, std::vector<Constraint>& rules) {
    constexpr std::string_view kOnlys[] = {"only this ", "only that ", "just this ",  "just that ", "this one only",
                                           "only him",   "only her",   "nobody else", "no one else"};
    constexpr std::string_view kPeople[] = {"contact", "customer", "client",   "person",  "patient", "member",
                                            "user",    "lead",     "guest",    "one",     "him",     "her",
                                            "nobody",  "no one",   "employee", "account", "record"};
    const std::string lower = lowered(sentence);
    if (!starts_with_any(lower, kOnlys) || !contains_any(lower, kPeople)) return;
    const std::string_view name = only_full_name(before);
    if (!name.empty())
        add_rule("changes somebody else than " + std::string(name), std::string(kOntoNobodyBut) + lowered(name), rules);
}

bool asks_for_words(const std::vector<Constraint>& rules) {
    return std::ranges::any_of(
        rules, [](const Constraint& c) { return c.kind == Constraint::Kind::forbid_tool && !c.onto.empty(); });
}

}  // namespace agent_audit::detectors
