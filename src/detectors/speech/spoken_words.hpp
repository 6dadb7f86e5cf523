#pragma once

#include "support/ascii.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

/// How people begin what they say. Texts are as plainly() gives them.
namespace agent_audit::detectors {

using Words = std::span<const std::string_view>;

/// Lower case, and one spelling of what is written with an apostrophe or without: "doesnt" and "doesn’t" are "doesn't".
std::string plainly(std::string_view text);

/// The word with which the text begins ends there; in English "edit" is not "editor".
inline bool ends_word(std::string_view text, std::string_view word) {
    if (text.size() == word.size() || !is_letter(word.back())) return true;
    const std::string_view behind = text.substr(word.size());
    return !is_letter(behind[0]) &&
           !(behind[0] == '.' && behind.size() > 1 && is_letter(behind[1]));  // and not undo.ts
}

/// The size of the one of these words with which the text begins; 0 = none. Asked a lot: most words are settled by
/// their first letter.
inline std::size_t word_at_front(std::string_view text, Words words) {
    if (text.empty()) return 0;
    const char first = text.front();
    for (const std::string_view word : words) {
        if (word.front() == first && text.starts_with(word) && ends_word(text, word)) return word.size();
    }
    return 0;
}

/// Does the text begin with one of these words?
inline bool begins_word(std::string_view text, Words words) { return word_at_front(text, words) > 0; }

/// Takes such a word off the front.
inline bool take_word(std::string_view& text, Words words) {
    const std::size_t size = word_at_front(text, words);
    text.remove_prefix(size);
    return size > 0;
}

/// Nothing follows but the end of a thought.
bool ends_here(std::string_view text);
std::string_view without_marks(std::string_view text);

/// "Hmm, …", "wait, …", "please …": what follows is what counts.
std::string_view without_leads(std::string_view lower);
std::string_view without_please(std::string_view lower);

}  // namespace agent_audit::detectors
