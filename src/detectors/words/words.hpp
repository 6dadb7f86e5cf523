#pragma once

#include <agent_audit/model/text.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// A word of a text. Runs of letters and digits are words, and so is each character of a script that writes without
/// blanks, and each emoji. Words without blanks that never end ("aaaa…", "!!!!…") come in pieces. Punctuation, blanks
/// and everything one draws with (rules, boxes, arrows) only separates.
struct Word {
    std::uint32_t hash = 0;   ///< of its letters in lower case; the same whether they were escaped or not
    std::uint32_t gap = 0;    ///< hash of the punctuation before it, blanks left out; 0 = none
    std::uint32_t begin = 0;  ///< first byte in the text as recorded
    std::uint32_t end = 0;    ///< behind its last byte
    bool speaks = false;      ///< more than a single letter or a number
    bool framed = false;      ///< in a code fence or a table
};

/// Takes a text apart from left to right. Escapes are read where the form has them.
class Words {
public:
    explicit Words(RawText text) : text_(text.bytes), escaped_(text.form != TextForm::plain) {}

    bool next(Word& word);

private:
    struct Glyph {
        char32_t code = 0;
        std::size_t size = 1;
    };

    Glyph glyph(std::size_t at) const;
    Glyph escape(std::size_t at) const;

    std::string_view text_;
    std::size_t at_ = 0;
    bool escaped_ = false;
};

/// All words of a text, with `framed` filled in: those between fences of three backticks or tildes, and those in lines
/// that are rows of a table.
std::vector<Word> framed_words(RawText text);

/// The different words of a text, as sorted hashes.
void word_set(RawText text, std::vector<std::uint32_t>& set);

/// Words that both sets have, divided by words that any of them has; 0 when both are empty.
double jaccard(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b);

}  // namespace agent_audit::detectors
