#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Clauses in other languages than English, read word by word.
namespace agent_audit::detectors::foreign {

using Words = std::span<const std::string_view>;
using Pairs = std::span<const std::pair<std::string_view, std::string_view>>;
/// What stands beside the word; empty when it is not there.
std::string_view translated(std::string_view word, Pairs pairs);

/// A language: what its words for a ban are, in lower case.
struct Language {
    Words negations;
    Words onlys;
    Pairs verbs;                  ///< of an order, and what they are in English
    Pairs objects;                ///< nouns, and what they are in English
    Words nothing;                ///< "nothing": everything is meant
    Words fillers;                ///< say nothing about what is ruled out
    Words for_now;                ///< until the person speaks again
    Words conditions;             ///< anywhere in the sentence: nobody here can tell whether they hold
    bool negation_first = false;  ///< "no toques …", where German says it anywhere
};

/// What is said in a clause of one language. Views are of the clause, or of the tables of words.
struct Said {
    std::string_view verb, object;
    std::string_view branch;  ///< main or master
    std::string places;
    bool no = false, only = false, all = false, fresh = false, for_now = false;
};

/// German, French, Spanish, Portuguese, Italian and Russian.
std::span<const Language> languages();

/// Reads a clause; false = a word is not known, or they stand as no order has them.
bool read(std::string_view clause, const Language& language, Said& said);

/// What "without" is: "ohne die Tests" sets a condition, "sin cambios" says how something is left.
enum class Without : std::uint8_t { is_condition, is_none };

/// Does a sentence, in lower case and between blanks, say that what it wants depends on something?
bool sets_condition(std::string_view lower, const Language& language, Without without = Without::is_condition);

/// Lower case, also of Ä, Ö, É and of Cyrillic; places are the same in both.
std::string small(std::string_view text);

/// The words of a clause, without the marks around them; "n'ajoute" is two.
std::vector<std::string_view> words_of(std::string_view clause);

/// A word that names a file or a folder: also "web/legacy", which may be an alternative elsewhere.
bool is_place(std::string_view word);

}  // namespace agent_audit::detectors::foreign
