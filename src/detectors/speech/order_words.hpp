#pragma once

#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <cstddef>
#include <string_view>

/// How a human orders and denies, in sentences in lower case.
namespace agent_audit::detectors {

inline constexpr std::size_t kTellingWord = 4;  // letters of a word by which a target is known

inline constexpr std::string_view kOrders[] = {"adapt",  "add",    "adjust", "bring",  "bump",      "change",  "commit",
                                               "delete", "edit",   "extend", "fix",    "implement", "install", "make",
                                               "modify", "push",   "rebase", "remove", "rename",    "rewrite", "run",
                                               "touch",  "update", "use",    "write"};
// Verbs that look, run or keep, and change nothing.
inline constexpr std::string_view kLooks[] = {
    "look",   "read",     "check",    "see",     "open",    "show",       "explain", "compare", "leave",
    "keep",   "remember", "note",     "run",     "rerun",   "execute",    "ignore",  "use",     "view",
    "review", "tell",     "describe", "analyse", "analyze", "understand", "follow",  "mind",    "skip",
    "find",   "search",   "list",     "print",   "watch",   "consider",   "verify",  "inspect", "test"};
// What such a thing needs is wanted.
inline constexpr std::string_view kWants[] = {" needs ",   " need ",     " should ", " must ",  " has to ",
                                              " have to ", " ought to ", " still ",  " lacks ", " misses "};
// Before the verb of an order.
inline constexpr std::string_view kFillers[] = {"please", "pls",   "now",     "then",  "and",   "also",  "ok",
                                                "okay",   "great", "good",    "next",  "just",  "can",   "could",
                                                "would",  "will",  "you",     "we",    "let's", "lets",  "but",
                                                "so",     "first", "finally", "next:", "yes",   "thanks"};
// The rule is gone.
inline constexpr std::string_view kForgets[] = {"forget what i",  "forget about ",   "ignore what i",
                                                "scratch what i", "forget the rule", "changed my mind"};
// Behind a name: the rule once more.
inline constexpr std::string_view kStillNot[] = {" is not",
                                                 " are not",
                                                 " isn't",
                                                 " aren't",
                                                 " must not",
                                                 " should not",
                                                 " may not",
                                                 " is still not",
                                                 " are still not",
                                                 " stays",
                                                 " stay ",
                                                 " remains",
                                                 " remain ",
                                                 " is off",
                                                 " are off",
                                                 " is forbidden",
                                                 " is still forbidden",
                                                 " is banned",
                                                 " is frozen",
                                                 " is out of",
                                                 " is mine",
                                                 " is my "};

/// Whether one of the words of a text, of letters alone, is as asked for.
template <class F>
bool any_word(std::string_view text, F&& is) {
    for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
        while (begin < text.size() && !is_letter(text[begin])) ++begin;
        for (end = begin; end < text.size() && is_letter(text[end]);) ++end;
        if (end > begin && is(text.substr(begin, end - begin), begin)) return true;
    }
    return false;
}

std::string_view last_word(std::string_view text);

/// The size of what parts two thoughts and stands at the beginning of `rest`; 0 = nothing does.
std::size_t clause_mark(std::string_view rest);

/// The parts of a sentence in lower case, each with one thought.
template <class Is>
bool any_clause(std::string_view sentence, Is&& is) {
    std::size_t begin = 0;
    for (std::size_t at = 1; at < sentence.size(); ++at) {
        const char c = sentence[at];
        if (c != ' ' && c != ',' && c != ';' && static_cast<unsigned char>(c) < 0x80) continue;
        const std::size_t size = clause_mark(sentence.substr(at));
        if (size == 0) continue;
        if (is(trimmed(sentence.substr(begin, at - begin)))) return true;
        begin = at + size;
        at = begin;
    }
    return begin < sentence.size() && is(trimmed(sentence.substr(begin)));
}

/// Does it say "no" or "not" in one of many forms, and none that asks for the thing ("why not …")?
bool denied(std::string_view before);

/// "I'll push", "I have changed it", "let me": what stands before the name tells what the human does.
bool is_first_person(std::string_view before);

/// The first word of an order, behind "ok, now please".
std::string_view verb_of_order(std::string_view sentence);

/// A sentence in lower case tells the agent to do something.
bool orders(std::string_view lower);

/// Whether what stands before a mention makes an order of it.
bool leads_in(std::string_view before);

}  // namespace agent_audit::detectors
