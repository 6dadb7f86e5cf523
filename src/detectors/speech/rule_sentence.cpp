#include "detectors/speech/rule_sentence.hpp"

#include "detectors/speech/foreign_orders.hpp"
#include "detectors/speech/prohibitions.hpp"
#include "detectors/speech/rule_beside.hpp"
#include "detectors/speech/rule_forms.hpp"
#include "detectors/speech/rule_object.hpp"
#include "detectors/speech/rule_places.hpp"
#include "detectors/speech/rule_subject.hpp"
#include "detectors/speech/sentence_parts.hpp"
#include "detectors/speech/unnamed_rules.hpp"
#include "detectors/speech/word_rules.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace agent_audit::detectors {
namespace {

// Prohibitions. What stands behind them up to the end of the clause is forbidden.
constexpr std::string_view kForbids[] = {"do not ",
                                         "don't ",
                                         "don’t ",
                                         "dont ",
                                         "never ",
                                         "must not ",
                                         "mustn't ",
                                         "mustn’t ",
                                         "may not ",
                                         "not allowed to ",
                                         "you shall not ",
                                         "should not ",
                                         "shouldn't ",
                                         "shouldn’t ",
                                         "不要",
                                         "禁止",
                                         "不得",
                                         "不能",
                                         "切勿",
                                         "不准",
                                         "不可以",
                                         "千万别",
                                         "请别",
                                         "不许",
                                         "请勿",
                                         "，别",
                                         ",别",
                                         " 别",
                                         "也别",
                                         "under no circumstances ",
                                         "do not, under any circumstances, ",
                                         "don't, under any circumstances, ",
                                         "don’t, under any circumstances, ",
                                         "never, under any circumstances, ",
                                         "never, ever, ",
                                         "never, ever ",
                                         "do not ever ",
                                         "don't ever ",
                                         "don’t ever ",
                                         "do not under any circumstances ",
                                         "let's not ",
                                         "let’s not ",
                                         "lets not ",
                                         "we won't ",
                                         "we won’t ",
                                         "we will not ",
                                         "are not to ",
                                         "is not to ",
                                         "'re not to ",
                                         "rather you didn't ",
                                         "rather you didn’t ",
                                         "rather you did not "};
// The same said without a verb of its own; what stands behind them is not to be changed.
constexpr std::string_view kKeepOff[] = {"avoid changes to ",
                                         "avoid any changes to ",
                                         "avoid edits to ",
                                         "without touching ",
                                         "without changing ",
                                         "without modifying ",
                                         "without editing ",
                                         "without altering ",
                                         "avoid touching ",
                                         "avoid changing ",
                                         "avoid modifying ",
                                         "avoid editing ",
                                         "refrain from changing ",
                                         "refrain from modifying ",
                                         "refrain from touching ",
                                         "refrain from editing ",
                                         "stay out of ",
                                         "keep out of ",
                                         "stay away from ",
                                         "hands off ",
                                         "steer clear of ",
                                         "stay clear of ",
                                         "keep clear of ",
                                         "keep away from ",
                                         "keep off ",
                                         "stay off ",
                                         "fingers off ",
                                         "fingers out of ",
                                         "hands out of "};
// "leave src/api alone": what stands between.
constexpr std::string_view kLeave = "leave ";
constexpr std::string_view kAlone[] = {" alone",
                                       " as is",
                                       " as it is",
                                       " as they are",
                                       " untouched",
                                       " unchanged",
                                       " unmodified",
                                       " the way it is",
                                       " the way they are",
                                       " how it is",
                                       " how they are",
                                       " as-is",
                                       " in peace",
                                       " be"};
// "src/api must not be changed": behind the prohibition, and what stands before it is meant.
constexpr std::string_view kPassive[] = {"be changed",   "be modified", "be touched", "be edited",
                                         "be altered",   "be deleted",  "be removed", "be overwritten",
                                         "be rewritten", "be renamed",  "be moved",   "be updated"};
// A prohibition with a condition cannot be checked: "do not commit until the tests pass".
constexpr std::string_view kConditions[] = {
    " unless",      " until",       " without ",    " except",    " before ", " if ",   " when ", " besides ",
    " apart from ", " other than ", " yet another", " more than", " too ",    " again", " twice", " from scratch",
    "除非",         "之前",         "直到",         "如果",       "之外",     "以外"};
constexpr std::string_view kOnlyVerbs[] = {"only change ",
                                           "only edit ",
                                           "only modify ",
                                           "only touch ",
                                           "only update ",
                                           "only write to ",
                                           "change only ",
                                           "edit only ",
                                           "modify only ",
                                           "touch only ",
                                           "update only ",
                                           "be confined to ",
                                           "be limited to ",
                                           "be restricted to ",
                                           "only work in ",
                                           "work only in ",
                                           "stay in ",
                                           "stay inside ",
                                           "stay within ",
                                           "only fix ",
                                           "restrict yourself to ",
                                           "restrict your changes to ",
                                           "limit your changes to ",
                                           "limit all changes to ",
                                           "limit changes to ",
                                           "confine your changes to ",
                                           "keep your changes to ",
                                           "keep your changes in ",
                                           "keep all changes in ",
                                           "keep all changes inside ",
                                           "keep all changes within ",
                                           "keep all edits in ",
                                           "keep all edits inside ",
                                           "keep all edits within ",
                                           "keep your edits in ",
                                           "keep your edits inside ",
                                           "keep the changes in ",
                                           "keep the changes inside ",
                                           "keep the changes within ",
                                           "keep your changes within ",
                                           "keep changes within ",
                                           "stick to ",
                                           "limit yourself to ",
                                           "only allowed to edit ",
                                           "only allowed to change ",
                                           "only allowed to modify ",
                                           "only allowed to touch ",
                                           "restrict edits to ",
                                           "restrict your edits to ",
                                           "restrict changes to ",
                                           "restrict all changes to ",
                                           "limit edits to ",
                                           "limit your edits to ",
                                           "changes only in ",
                                           "only make changes in ",
                                           "only make changes to ",
                                           "只修改",
                                           "只改",
                                           "只能修改",
                                           "只能改",
                                           "只编辑",
                                           "只动",
                                           "只能动",
                                           "仅修改",
                                           "只更新",
                                           "只允许修改",
                                           "只需要修改",
                                           "只需修改",
                                           "只要改"};

// Where the rules of a sentence begin: "only edit " and the like first, then the prohibitions, in the order of their
// lists.
struct RulePhrase {
    std::size_t rank = 0;  // in kRulePhrases
    std::size_t at = 0;
};

constexpr std::size_t kOnlys = std::size(kOnlyVerbs);
constexpr std::size_t kKeepOffs = kOnlys + std::size(kForbids);  // rank of the first phrase without a verb
constexpr std::size_t kLeaves = kKeepOffs + std::size(kKeepOff);
constexpr auto kRulePhrases = [] {
    std::array<std::string_view, kLeaves + 1> all{};
    auto end = std::copy(std::begin(kOnlyVerbs), std::end(kOnlyVerbs), all.begin());
    end = std::copy(std::begin(kForbids), std::end(kForbids), end);
    end = std::copy(std::begin(kKeepOff), std::end(kKeepOff), end);
    *end = kLeave;
    return all;
}();

const auto& rule_phrases() {
    static constexpr PhraseSet phrases(kRulePhrases);
    return phrases;
}

std::vector<RulePhrase> rule_phrases_in(std::string_view sentence) {
    std::vector<RulePhrase> found;
    rule_phrases().any(sentence, [&](std::size_t at, std::string_view phrase) {
        const auto rank = static_cast<std::size_t>(std::ranges::find(kRulePhrases, phrase) - kRulePhrases.begin());
        if (std::ranges::find(found, rank, &RulePhrase::rank) == found.end()) found.push_back({rank, at});
        return false;
    });
    std::ranges::sort(found, {}, &RulePhrase::rank);
    return found;
}

std::vector<Constraint> left_alone(std::string_view said, std::string_view lower) {
    // "Leave a comment in a.py, as is customary"
    constexpr std::string_view kBehind[] = {" please", " for ",     " and ",    " or ",   " but ",
                                            " since ", " because ", " in this", " today", " pls",
                                            " thanks", " -",        " –",       " —",     " again"};
    std::size_t end = lower.npos;
    for (const std::string_view alone : kAlone) {
        const std::size_t at = lower.find(alone);
        const std::string_view behind = at == lower.npos ? std::string_view{" "} : lower.substr(at + alone.size());
        if (behind.empty() || behind[0] != ' ' || starts_with_any(behind, kBehind)) end = std::min(end, at);
    }
    constexpr std::size_t kLongestName = 120;
    if (end == lower.npos || end > kLongestName) return {};
    constexpr std::string_view kJust[] = {" exactly", " just", " precisely"};
    for (const std::string_view just : kJust) {
        if (lower.substr(0, end).ends_with(just)) end -= just.size();
    }
    return kept_off(said.substr(0, end), lower.substr(0, end));
}

// "I'd avoid touching it", "to avoid changing the API, …" and "the tool should stay out of /etc" ask the agent for
// nothing.
bool orders_to_avoid(std::string_view before) {
    constexpr std::string_view kThoughts[] = {"i'd", "i’d", "we'd", "we’d", "would", "will", "can", "could", "to"};
    before = trimmed(before);
    if (before.ends_with("try to") || before.ends_with("want you to")) return true;
    const auto ends_so = [&](std::string_view word) {
        return before.ends_with(word) &&
               (before.size() == word.size() || before[before.size() - word.size() - 1] == ' ');
    };
    return std::ranges::none_of(kThoughts, ends_so) && speaks_to_agent(before, "avoid ");
}

// "be changed", and nothing that says by whom or when.
bool ends_at_verb(std::string_view passive) {
    std::size_t end = 3;  // behind "be "
    while (end < passive.size() && is_letter(passive[end])) ++end;
    const std::string_view rest = trimmed(passive.substr(end));
    return rest.empty() || std::string_view(",.;:!)").find(rest[0]) != std::string_view::npos ||
           rest.starts_with("at all") || rest.starts_with("in any way") || rest.starts_with("under any");
}

constexpr std::string_view kWideChanges[] = {"修改", "改动", "更改", "改变", "编辑", "删除",
                                             "移动", "改",   "动",   "碰",   "删"};

// 不能动，看看 a.py: what stands behind the comma is not what must not be done.
bool ends_behind_verb(std::string_view clause_text) {
    constexpr std::string_view kComma = "，";
    return std::ranges::any_of(kWideChanges, [&](std::string_view verb) {
        return clause_text.starts_with(verb) && clause_text.substr(verb.size()).starts_with(kComma);
    });
}

// "core.py 不要动": in Chinese what is meant may stand in front.
bool says_behind(std::string_view before, std::string_view clause_text) {
    const auto verb =
        std::ranges::find_if(kWideChanges, [&](std::string_view v) { return clause_text.starts_with(v); });
    if (verb == std::end(kWideChanges)) return false;
    const std::vector<std::string> places = forbidden_places(before, 8);
    if (places.empty() || names_less(before, places)) return false;
    const std::string_view rest = trimmed(clause_text.substr(verb->size()));
    constexpr std::string_view kIts = "它的", kTheirs = "它们的";  // a part of it
    if (rest.starts_with(kIts) || rest.starts_with(kTheirs)) return false;
    constexpr std::string_view kEnds[] = {",", ".", "!", ";", ")", "，", "。", "！", "；", "）", "的", "它", "、"};
    return rest.empty() || starts_with_any(rest, kEnds);
}

// "All of web/ may be changed, api/ must not be touched": where the thought begins that the prohibition is about.
std::size_t subject_of_passive(std::string_view before) {
    constexpr std::string_view kCuts[] = {", ", " but ", " and "},
                               kVerbs[] = {" may ", " can ",  " is ",    " are ", " will ", " should ",
                                           " has ", " have ", " needs ", " was ", " were "};
    std::size_t begin = 0;
    for (const std::string_view cut : kCuts) {
        const std::size_t at = before.rfind(cut);
        if (at != before.npos && at + cut.size() > begin && contains_any(before.substr(0, at), kVerbs))
            begin = at + cut.size();
    }
    return begin;
}

// "Don't push again": a rule that was taken back holds once more. "Don't run the slow tests again" may mean this time.
std::string without_again(std::string_view clause_text) {
    constexpr std::string_view kShips[] = {"push",  "commit", "merge", "deploy", "publish",
                                           "touch", "change", "edit",  "modify"},
                               kAgain = " again";
    std::string text = std::string(" ").append(clause_text);
    const bool ships = std::ranges::any_of(kShips, [&](std::string_view verb) {
        return clause_text.starts_with(verb) &&
               (clause_text.size() == verb.size() || !is_letter(clause_text[verb.size()]));
    });
    const std::size_t at = text.find(kAgain);
    if (ships && at != text.npos && closes(trimmed(std::string_view(text).substr(at + kAgain.size()))))
        text.erase(at, kAgain.size());
    return text;
}

// "Never push and don't touch a.py": what is ruled out before the phrase that was read first.
std::vector<Constraint> rules_before(std::string_view head) {
    constexpr std::string_view kJoints[] = {",", " and", " but", " also"};
    head = trimmed(head);
    for (const std::string_view joint : kJoints) {
        if (lowered(head).ends_with(joint)) head = trimmed(head.substr(0, head.size() - joint.size()));
    }
    return rules_of(head);
}

// "Do not commit, do not push": what is ruled out behind the end of a clause.
std::vector<Constraint> rules_behind(std::string_view rest) {
    constexpr std::string_view kGoesOn[] = {", do not ", ", but ", " but "};
    const std::string lower = lowered(rest);
    const auto joint = std::ranges::find_if(kGoesOn, [&](std::string_view word) { return lower.starts_with(word); });
    if (joint == std::end(kGoesOn)) return {};
    return rules_of(trimmed(rest.substr(joint->ends_with("but ") ? joint->size() : 1)));
}

// "Do not touch src/api/ except src/api/types.ts": what is named behind and lies in there is free. Other exceptions
// cannot be checked.
std::vector<Constraint> rules_but_for(std::string_view sentence, std::size_t from, std::string_view lower_clause) {
    constexpr std::string_view kExcepts[] = {
        " except ",      " (except ",    " other than ",  " (other than ",           " apart from ",
        " (apart from ", " aside from ", " (aside from ", " with the exception of ", " (with the exception of "};
    constexpr std::string_view kWhen[] = {" unless", " until", " if ", " when ", " before ", " where "};
    std::size_t at = lower_clause.size();
    for (const std::string_view word : kExcepts) at = std::min(at, lower_clause.find(word));
    if (at >= lower_clause.size() || contains_any(lower_clause, kWhen)) return {};
    const std::vector<std::string> allowed = paths_in(sentence.substr(from + at, lower_clause.size() - at), 8);
    std::string_view head = trimmed(sentence.substr(0, from + at));
    if (head.ends_with(',')) head.remove_suffix(1);
    if (allowed.empty()) return {};
    std::vector<Constraint> rules = rules_of(head);
    const auto lies_in_one = [&](const std::string& path) {
        return std::ranges::any_of(rules,
                                   [&](const Constraint& c) { return path != c.target && is_path_of(path, c.target); });
    };
    const auto is_named = [](const Constraint& c) {
        return c.kind == Constraint::Kind::forbid_path && c.which == Constraint::Which::named && !c.adds;
    };
    if (!std::ranges::all_of(rules, is_named) || !std::ranges::all_of(allowed, lies_in_one)) return {};
    for (Constraint& c : rules) c.allowed = allowed;
    return rules;
}

// "Only change a.py, don't touch b.py": where the ban behind the only places begins; b.py is none of them.
std::size_t end_of_only(std::string_view lower, std::size_t from) {
    constexpr std::string_view kBans[] = {", do not ",    ", don't ",    ", don’t ",    ", dont ",    ", never ",
                                          " and do not ", " and don't ", " and don’t ", " and dont ", " and never ",
                                          "，不要",       "，别",        "，也不要",    "，也别",     "，请勿",
                                          "，不得",       "，禁止"};
    constexpr std::string_view kAnd = " and ", kWide = "，";
    std::size_t end = lower.size();
    for (const std::string_view ban : kBans) {
        const std::size_t at = lower.find(ban, from);
        if (at < end) end = at + (ban.starts_with(kWide) ? kWide.size() : ban.starts_with(kAnd) ? kAnd.size() : 1);
    }
    return end;
}

// A sentence with a phrase in it that states rules.
struct Said {
    std::string_view sentence, lower;  // the same, in lower case
    std::string_view phrase, before;   // the phrase, and what stands in front of it, in lower case
    std::size_t from = 0;              // behind the phrase
    std::string_view clause;           // what stands there, to the end of the clause, in lower case

    Said(std::string_view of, std::string_view lowered_of, const RulePhrase& found)
        : sentence(of),
          lower(lowered_of),
          phrase(kRulePhrases[found.rank]),
          before(lower.substr(0, found.at)),
          from(found.at + phrase.size()),
          clause(detectors::clause(lower, from)) {}

    std::size_t at() const { return before.size(); }
    std::string_view rest() const { return lower.substr(from); }
    std::string_view clause_as_said() const { return sentence.substr(from, clause.size()); }
};

using Rules = std::vector<Constraint>;

// "Only change a.py". Nothing: the phrase says something else, and the next one is asked.
std::optional<Rules> only_these_places(const Said& said) {
    if (contains_any(said.lower, kConditions) || !speaks_to_agent(said.before, said.phrase)) return std::nullopt;
    // "You should not only change a.py but also b.py"
    constexpr std::string_view kNotOnly[] = {"not", "n't", "n’t", "dont", "不"};
    if (std::ranges::any_of(kNotOnly, [&](std::string_view word) { return trimmed(said.before).ends_with(word); }))
        return std::nullopt;
    const std::string_view scope = said.rest();
    if (scope.starts_with("what ") || scope.starts_with("how ")) return Rules{};  // "only edit what is needed in a.py"
    // "stick to the plan in docs/plan.md", "be limited to a minimum, edit a.py"
    const std::string_view first = trimmed(said.sentence.substr(said.from));
    const bool of_work = said.phrase == "stick to " || said.phrase.starts_with("be ");
    if (of_work && !looks_like_path(first.substr(first.starts_with('`') ? 1 : 0, first.find_first_of(" `", 1))))
        return std::nullopt;
    Rules rules;
    const std::size_t end = end_of_only(said.lower, said.at());
    std::vector<std::string> places = rule_places(clause(said.sentence.substr(0, end), said.at()), 8);
    Beside beside = beside_places(scope, places);
    if (beside.unnamed) return rules;
    if (places.empty()) allow_only_thing(said.sentence.substr(said.from), rules);
    for (std::string& path : places) rules.push_back(make_rule(Constraint::Kind::only_path, std::move(path)));
    append(rules, std::move(beside.rules));
    append(rules, rules_of(trimmed(said.sentence.substr(end))));
    return rules;
}

// "Without touching the API", "avoid changes to a.py"
Rules kept_off_without_verb(const Said& said) {
    // "Without changing the tests, nothing works": said first it may be the reason of something else. "I'd avoid
    // touching it" is a thought.
    constexpr std::string_view kApproach = "approach";  // a "hands off approach"
    if (said.clause.starts_with(kApproach)) return {};
    const bool without = said.phrase.starts_with("without ");
    if (without ? said.at() == 0 : !orders_to_avoid(said.before)) return {};
    if (names_less(std::string("change ").append(said.clause), paths_in(said.clause, 8))) return {};
    return kept_off(said.clause_as_said(), said.clause);
}

// "src/api.d.ts must not change"
bool subject_must_not_change(const Said& said) {
    constexpr std::string_view kChange = "change";
    const std::string_view changes = trimmed(said.clause);
    if (!changes.starts_with(kChange) || said.before.empty() || paths_in(said.before, 1).empty()) return false;
    return changes.size() == kChange.size() ||
           std::string_view(",.;:!)").find(changes[kChange.size()]) != std::string_view::npos;
}

// What stands before the phrase is meant: "src/api must not be changed", "core.py: do not edit!". Nothing: it is not.
std::optional<Rules> about_subject(const Said& said) {
    const bool changes = subject_must_not_change(said);
    if (changes || begins_any_verb(said.clause, kPassive)) {
        const std::size_t subject = subject_of_passive(said.before);
        const std::string_view named = said.before.substr(subject);
        // "The output of a.py must not be changed"
        if (names_less(std::string("change ").append(named), paths_in(named, 8))) return Rules{};
        if (!changes && !ends_at_verb(said.clause)) return Rules{};
        return kept_off(said.sentence.substr(subject, named.size()), named);
    }
    const bool marked = trimmed(said.before).ends_with(':') && verb_of(said.clause) == Verb::change;
    if (says_behind(said.before, said.clause) || (marked && ends_at_verb(said.clause)))
        return kept_off(said.sentence.substr(0, said.at()), said.before);
    return std::nullopt;
}

// "In tests/main.py don't touch anything": of all files those that are named before.
void only_within(const Said& said, Rules& rules) {
    constexpr std::string_view kIn[] = {"in ", "inside ", "within ", "under ", "below "};
    const std::string_view place = said.sentence.substr(0, said.at());
    const auto in = std::ranges::find_if(kIn, [&](std::string_view word) { return said.before.starts_with(word); });
    if (in == std::end(kIn) || !is_names_only(place.substr(in->size()))) return;
    const auto all = std::ranges::find(rules, Constraint::Which::all_files, &Constraint::which);
    if (all == rules.end() || all->adds) return;
    const bool deletes = all->deletes;
    rules.erase(all);
    for (std::string& path : paths_in(place, 8)) {
        rules.push_back(make_rule(Constraint::Kind::forbid_path, std::move(path)));
        rules.back().deletes = deletes;
    }
}

// The rules that the sentence states by this phrase, which none of the only places begins with.
Rules prohibited(const Said& said, const RulePhrase& found, std::span<const RulePhrase> phrases) {
    if (Rules limited = rules_but_for(said.sentence, said.from, said.clause); !limited.empty()) return limited;
    // "I can't leave src/a.py as it is"
    constexpr std::string_view kNots[] = {"n't", "n’t", " not", "cannot", "never"};
    if (found.rank == kLeaves) {
        const std::string_view before = trimmed(said.before);
        const bool denied = std::ranges::any_of(kNots, [&](std::string_view no) { return before.ends_with(no); });
        // "Leave src/a.py alone again": as before it was allowed.
        constexpr std::string_view kOnceMore = " alone again";
        const bool again = said.clause.find(kOnceMore) != said.clause.npos;
        const std::string_view told = again ? said.clause.substr(0, said.clause.find(kOnceMore)) : said.clause;
        return denied || contains_any(told, kConditions) ? Rules{} : left_alone(said.clause_as_said(), said.clause);
    }
    Rules rules;
    if (keeps_inside(said.sentence.substr(said.from), said.rest(), rules)) return rules;
    if (contains_any(without_again(said.clause), kConditions)) return rules;
    // "do not commit anything but the fix"
    constexpr std::string_view kButs[] = {"anything but ", "nothing but ", "any files but ", "any code but ",
                                          "anything, but only "};
    if (contains_any(said.rest(), kButs)) return rules;
    if (found.rank >= kKeepOffs) return kept_off_without_verb(said);
    if (under_condition(said.before)) return rules;
    if (std::optional<Rules> about = about_subject(said)) return *std::move(about);
    if (ends_behind_verb(said.clause)) return rules;
    if (!said.clause.starts_with("want you to ") && !speaks_to_agent(said.before, said.phrase)) return rules;
    const auto is_earlier = [&](const RulePhrase& other) { return other.rank >= kOnlys && other.at < found.at; };
    if (std::ranges::any_of(phrases, is_earlier)) rules = rules_before(said.sentence.substr(0, said.at()));
    append(rules, all_prohibitions(said.clause_as_said(), said.clause));
    // "The page is stale because we don't deploy" tells of something.
    constexpr std::string_view kLeads[] = {"please", "and", "but", ",", "-", "then", "also", "so", ":"};
    const std::string_view lead = trimmed(said.before);
    constexpr std::string_view kShipping[] = {"deploy", "publish"};
    if (begins_any_verb(said.clause, kShipping) && !lead.empty() &&
        std::ranges::none_of(kLeads, [&](std::string_view word) { return lead.ends_with(word); }))
        std::erase_if(rules, is_about_shipping);
    only_within(said, rules);
    append(rules, rules_behind(said.sentence.substr(said.from + said.clause.size())));
    return rules;
}

}  // namespace

bool tells_state(std::string_view text) {
    static constexpr PhraseSet marks(kStateMarks);
    static constexpr PhraseSet wide_marks(kWideStateMarks);
    return marks.in(text) || (has_wide_letter(text) && wide_marks.in(text));
}

bool tells_rule(std::string_view text) {
    static constexpr PhraseSet marks([] {
        std::array<std::string_view, std::size(kRuleMarks) + std::size(kForeignMarks)> all{};
        std::ranges::copy(kForeignMarks, std::ranges::copy(kRuleMarks, all.begin()).out);
        return all;
    }());
    return rule_phrases().in(text) || marks.in(text) || tells_state(text);
}

std::vector<Constraint> rules_of(std::string_view sentence) {
    const std::vector<RulePhrase> phrases = rule_phrases_in(sentence);
    if (phrases.empty()) return {};
    const std::string lower = lowered(sentence);
    for (const RulePhrase& found : phrases) {
        const Said said(sentence, lower, found);
        if (found.rank >= kOnlys) return prohibited(said, found, phrases);
        if (std::optional<Rules> only = only_these_places(said)) return *std::move(only);
    }
    return {};
}

}  // namespace agent_audit::detectors
