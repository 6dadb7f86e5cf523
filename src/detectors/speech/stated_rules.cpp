#include "detectors/speech/stated_rules.hpp"

#include "detectors/speech/foreign_orders.hpp"
#include "detectors/speech/order_words.hpp"
#include "detectors/speech/own_words.hpp"
#include "detectors/speech/rule_forms.hpp"
#include "detectors/speech/rule_kept.hpp"
#include "detectors/speech/rule_lists.hpp"
#include "detectors/speech/rule_only.hpp"
#include "detectors/speech/rule_sentence.hpp"
#include "detectors/speech/unnamed_rules.hpp"
#include "detectors/speech/unusable.hpp"
#include "detectors/speech/word_rules.hpp"
#include "detectors/words/phrases.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestRule = 400;   // a longer sentence is prose
constexpr std::size_t kMostSentence = 160;  // kept of it

// Until the person speaks again.
constexpr std::string_view kForNow[] = {"for now", "for the moment", "at the moment", "right now", " yet",
                                        "暂时",    "先不要",         "先别",          "目前",      "hold off on "};

// "Why are we not allowed to touch a.py?", and not "can you fix it, but don't touch a.py?"
bool only_asks(std::string_view lower) {
    constexpr std::string_view kAsks[] = {
        "why ",       "what ",   "when ",   "where ",      "who ",     "which ",         "is ",       "are ",
        "am ",        "was ",    "were ",   "does ",       "did ",     "has ",           "have ",     "isn't ",
        "isn’t ",     "aren't ", "aren’t ", "not allowed", "do i ",    "do we ",         "do you ",   "should i ",
        "should we ", "may i ",  "must i ", "can i ",      "shall i ", "remember when ", "don't we ", "don’t we ",
        "don't i ",   "don’t i "};
    constexpr std::string_view kLeads[] = {"so ",  "and ",  "but ",   "ok ",    "ok, ",
                                           "hm, ", "hmm, ", "wait, ", "well, ", "btw "},
                               kMind = "do you mind ";  // "… not touching a.py?" is an order
    for (bool more = true; more;) {
        const auto lead = std::ranges::find_if(kLeads, [&](std::string_view l) { return lower.starts_with(l); });
        more = lead != std::end(kLeads);
        if (more) lower.remove_prefix(lead->size());
    }
    if (lower.starts_with(kMind)) return false;
    return starts_with_any(lower, kAsks) || (lower.starts_with("how ") && !lower.starts_with("how about"));
}

// "The rule that we don't touch legacy/ no longer applies", "Never edit a.py, they said. Not any more."
bool is_lifted(std::string_view lower, std::string_view behind) {
    constexpr std::string_view kRules[] = {"rule ",        "ban ",         "restriction ", "policy ",
                                           "instruction ", "prohibition ", "guideline ",   "constraint ",
                                           "convention ",  "agreement ",   "requirement "},
                               kOfBan[] = {"that ", "to ", "not to ", "of not ", "about ", "against ", "saying "},
                               kLifts[] = {" no longer", " n't apply", " not apply", "n't apply",  " lifted",
                                           " outdated",  " obsolete",  " is gone",   " is over",   " is history",
                                           " dropped",   " void",      " retired",   " not valid", " off the table"};
    for (const std::string_view rule : kRules) {
        const std::size_t at = lower.find(rule);
        if (at == lower.npos || !starts_with_any(lower.substr(at + rule.size()), kOfBan)) continue;
        if (contains_any(lower.substr(at), kLifts)) return true;
    }
    constexpr std::string_view kNotNow[] = {"not anymore",
                                            "not any more",
                                            "no longer.",
                                            "that rule is ",
                                            "that rule no longer ",
                                            "this rule no longer ",
                                            "the rule no longer ",
                                            "that no longer applies",
                                            "that no longer holds",
                                            "this no longer applies",
                                            "that doesn't apply any",
                                            "that rule was "};
    constexpr std::string_view kStays[] = {"that rule is important", "that rule is strict", "that rule is absolute",
                                           "that rule is a must"};
    constexpr std::size_t kBeginning = 40;
    const std::string next = lowered(trimmed(behind).substr(0, kBeginning));
    return starts_with_any(next, kNotNow) && !starts_with_any(next, kStays);
}

// "Write notes to NOTES.md, but don't commit it": that file, and not the work.
bool speaks_of_new_file(std::string_view sentence, std::string_view last) {
    constexpr std::string_view kIts[] = {"commit it",   "commit them", "commit that file", "commit this file",
                                         "commit that", "push it",     "push them"};
    constexpr std::string_view kMakes[] = {"save", "write",    "put ",  "create", "store",
                                           "dump", "generate", "keep ", "log "};
    const std::string lower = lowered(sentence);
    std::size_t at = lower.size();
    for (const std::string_view its : kIts) at = std::min(at, lower.find(its));
    if (at >= lower.size()) return false;
    // Not "write the endpoint in api.py, but don't commit it yet".
    constexpr std::string_view kAside[] = {".md",   ".txt",   ".json", ".log",  ".csv",   ".env",        ".patch",
                                           ".diff", " notes", " plan", "_plan", " file ", " directory ", " folder "};
    const auto makes_aside = [&](std::string_view text) {
        return contains_any(text, kMakes) && contains_any(text, kAside);
    };
    return makes_aside(std::string_view(lower).substr(0, at)) || makes_aside(lowered(last) + " ");
}

// "Rules: no commits, config/prod.yml stays untouched, ask when unsure": each clause is one.
std::vector<Constraint> rules_of_list(std::string_view sentence, std::string& orders) {
    constexpr std::string_view kHeads[] = {
        "rules: ",        "rule: ",      "ground rules: ", "house rules: ", "the rules: ", "constraints: ",
        "restrictions: ", "important: ", "note: ",         "please note: ", "remember: "};
    constexpr std::string_view kOpens[] = {"unless", "if ", "until ", "except", "when "};
    std::vector<Constraint> rules;
    const std::string lower = lowered(sentence);
    const auto head = std::ranges::find_if(kHeads, [&](std::string_view h) { return lower.starts_with(h); });
    if (head == std::end(kHeads) || lower.find(", ") == lower.npos) return rules;
    for (std::size_t begin = head->size(), end = 0; begin < sentence.size(); begin = end + 2) {
        end = std::min(sentence.find(", ", begin), sentence.size());
        const std::string_view clause = trimmed(sentence.substr(begin, end - begin));
        if (starts_with_any(lowered(clause), kOpens)) return {};
        std::vector<Constraint> stated = rules_of(clause);
        if (stated.empty() && tells_rule(clause)) {
            const std::string order = plain_rule(clause, {});
            stated = rules_of(order);
            orders.append(order).push_back('\n');
        }
        append(rules, std::move(stated));
    }
    return rules;
}

// What a text orders beside what it rules out: "Add tests for a.py. Don't change any code", "only src/a.py; update the
// tests accordingly", "…, and mention it in the CHANGELOG".
bool orders_aside(std::string_view lower, std::span<const std::string_view> phrases) {
    return any_sentence(lower, [&](std::string_view sentence) {
        return std::ranges::any_of(phrases, [&](std::string_view phrase) {
            const std::size_t at = sentence.find(phrase);
            if (at == sentence.npos) return false;
            const std::string_view before = sentence.substr(0, at);
            const std::size_t clause = before.rfind(", ");
            return !denied(clause == before.npos ? before : before.substr(clause));
        });
    });
}

bool orders_tests(std::string_view lower) {
    constexpr std::string_view kTests[] = {
        "add tests",     "add a test",       "add unit tests",   "add test",      "write tests",
        "write a test",  "write the test",   "write unit tests", "more tests",    "adding a test",
        "adding tests",  "update the tests", "update its test",  "failing test",  "test too",
        "tests too",     "(+ tests)",        "(+ test)",         "(and its test", "(and the test",
        "plus a test",   "except tests",     "except the tests", "except test",   "extend the tests",
        "cover it with", "with tests",       "test coverage",    "tests you need"};
    return orders_aside(lower, kTests);
}

// Files known by half a name that are to be written, and that no rule is about. "See README.md for the layout" orders
// nothing.
std::vector<std::string> ordered_files(std::string_view lower, const std::vector<Constraint>& rules) {
    constexpr std::string_view kKnown[] = {"changelog", "readme", "dockerfile", "makefile"};
    constexpr std::string_view kWrites[] = {"update", "mention",  "add ",  "write",  "document",
                                            "note ",  "describe", "entry", "adjust", "extend"};
    std::vector<std::string> files;
    for (const std::string_view& known : kKnown) {
        const bool ruled = std::ranges::any_of(
            rules, [&](const Constraint& c) { return lowered(c.target).find(known) != std::string::npos; });
        const bool ordered = !ruled && any_sentence(lower, [&](std::string_view sentence) {
            return contains_any(sentence, kWrites) && orders_aside(sentence, std::span(&known, 1));
        });
        if (ordered) files.emplace_back(file_known_as(known));
    }
    return files;
}

void free_what_is_ordered(std::string_view text, std::vector<Constraint>& rules) {
    constexpr std::string_view kComments[] = {"docstring", "comments", "a comment", "type hints"};
    const auto is_only = [](const Constraint& c) { return c.kind == Constraint::Kind::only_path; };
    const auto is_code = [](const Constraint& c) { return c.which == Constraint::Which::code; };
    if (std::ranges::none_of(rules, is_only) && std::ranges::none_of(rules, is_code)) return;
    const std::string lower = lowered(text);
    if (orders_aside(lower, kComments)) std::erase_if(rules, is_code);
    const bool tests = orders_tests(lower);
    const std::vector<std::string> files = ordered_files(lower, rules);
    std::vector<Constraint> more;
    const auto also_only = [&](Constraint c, const Constraint& beside) {
        c.sentence = beside.sentence;
        c.cut = beside.cut;
        c.for_now = beside.for_now;
        more.push_back(std::move(c));
    };
    for (Constraint& c : rules) {
        if (is_code(c)) {
            c.spares_tests = tests;
            c.allowed = files;
        } else if (is_only(c) && more.empty()) {
            if (tests) also_only(only_the_tests(), c);
            for (const std::string& file : files) also_only(make_rule(Constraint::Kind::only_path, file), c);
        }
    }
    append(rules, std::move(more));
}

}  // namespace

bool waits_for_review(std::string_view sentence) {
    constexpr std::string_view kWho[] = {"i want to ",   "i wanna ",     "i'll ",   "i’ll ",      "i will ",
                                         "i'd like to ", "i’d like to ", "let me ", "i need to ", "i have to "},
                               kReviews[] = {"review",      "look at",      "look over", "look it",
                                             "have a look", "take a look",  "check it",  "check the",
                                             "see it",      "see the diff", "read it",   "test it"};
    const std::string lower = lowered(sentence);
    return std::ranges::any_of(kWho, [&](std::string_view who) {
        const std::size_t at = lower.find(who);
        return at != lower.npos && starts_with_any(std::string_view(lower).substr(at + who.size()), kReviews);
    });
}

std::vector<Constraint> stated_rules(std::string_view said) {
    std::vector<Constraint> rules;
    // Most of what humans write rules out nothing: told at once, and without taking the text apart.
    if (!tells_rule(said)) return rules;
    const std::string text = unquoted(
        with_lists_joined(with_bans_spelled(without_options(unfenced(said)), tells_rule), tells_rule), tells_rule);
    std::string_view before;
    any_sentence(text, [&](std::string_view sentence) {
        for (const std::string_view mark : {"- ", "* ", "• ", "– "}) {
            if (sentence.starts_with(mark)) sentence = trimmed(sentence.substr(mark.size()));
        }
        const std::string_view last = std::exchange(before, sentence);
        if (sentence.size() > kLongestRule) return false;
        const std::size_t end = static_cast<std::size_t>(sentence.data() - text.data()) + sentence.size();
        const std::string_view mark = std::string_view(text).substr(end),
                               behind = mark.substr(std::min<std::size_t>(1, mark.size()));
        const bool asks = mark.starts_with('?') || mark.starts_with("？");
        std::string order;
        std::vector<Constraint> stated = asks ? std::vector<Constraint>{} : rules_of_list(sentence, order);
        if (stated.empty()) stated = rules_of(sentence);
        if (asks && !stated.empty() && only_asks(lowered(sentence))) stated.clear();
        if (stated.empty() && tells_rule(sentence)) {
            // "Read-only investigation please: why is the queue growing?"
            const std::string_view told =
                asks ? sentence.substr(0, sentence.find(": ") == sentence.npos ? 0 : sentence.find(": ")) : sentence;
            if (!told.empty() && !tells_of_file_modes(sentence, text)) order = plain_rule(told, last);
            if (!asks && order.empty() && !last.empty() && trimmed(text).starts_with(last))
                order = nothing_beside(sentence, last);
            if (order.empty() && !asks) order = ruled_out_use(sentence, behind);
            stated = rules_of(order);
            if (stated.empty() && !asks) allow_only_person(sentence, last, stated);
            if (stated.empty() && !asks) {
                for (const std::string& english : orders_in_english(sentence, behind)) {
                    append(stated, rules_of(english));
                    order.append(english).push_back('\n');
                }
            }
        }
        if (!stated.empty()) {
            // 我这里不能用 docker，报错了
            constexpr std::string_view kWideCannots[] = {"不能用", "不能使用"};
            if (contains_any(sentence, kWideCannots) && tells_of_trouble(std::string(sentence).append(behind), {}))
                stated.clear();
            if (is_lifted(lowered(sentence), behind)) stated.clear();
        }
        if (!stated.empty() && speaks_of_new_file(sentence, last))
            std::erase_if(stated,
                          [](const Constraint& c) { return c.target == "git commit" || c.target == "git push"; });
        const bool for_now = !stated.empty() && (contains_any(lowered(sentence), kForNow) ||
                                                 contains_any(order, kForNow) || waits_for_review(sentence));
        for (Constraint& c : stated) {
            c.for_now = c.for_now || for_now;
            c.sentence = std::string(cut_utf8(sentence, kMostSentence));
            c.cut = c.sentence.size() < sentence.size();
            rules.push_back(std::move(c));
        }
        return false;
    });
    free_what_is_ordered(text, rules);
    return rules;
}

}  // namespace agent_audit::detectors
