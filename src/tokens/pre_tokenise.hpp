#pragma once

#include "tokens/unicode_classes.hpp"
#include "tokens/wtf8.hpp"

#include <agent_audit/tokens/bpe.hpp>

#include <string_view>

namespace agent_audit::tokens {

/// Cuts a text into the pieces that are merged on their own, as the regular expressions of o200k_base and cl100k_base
/// do. Each alternative is a function below; they are tried in the order of the expression. No position is looked at
/// more than a fixed number of times.
class PreTokens {
public:
    PreTokens(std::string_view text, PreTokeniser kind) : text_(text), kind_(kind) {}

    /// The next piece; empty at the end.
    std::string_view next() {
        if (pos_ == text_.size()) return {};
        const std::size_t from = pos_;
        pos_ = end_of_piece(from);
        return text_.substr(from, pos_ - from);
    }

private:
    static constexpr unsigned kLetters = kUpper | kLower | kOtherLetter;
    static constexpr unsigned kBlank = kSpace | kLineBreak;
    static constexpr unsigned kPunctuation = kOtherChar | kMark;
    static constexpr unsigned kNoPrefix = kLetters | kNumber | kLineBreak;  // what may not stand before a word
    // A word of o200k is capitals, then small letters; letters without case and marks are both.
    static constexpr unsigned kBoth = kOtherLetter | kMark;
    static constexpr unsigned kHead = kUpper | kBoth;
    static constexpr unsigned kTail = kLower | kBoth;

    struct Char {
        unsigned cls = 0;  // 0 at the end of the text
        std::size_t length = 0;
    };
    Char at(std::size_t pos) const {
        if (pos >= text_.size()) return {};
        const auto c = static_cast<unsigned char>(text_[pos]);
        if (c < 0x80) return {kAsciiClass[c], 1};
        const CodePoint point = decode_wtf8(text_, pos);
        return {class_of(point.value), point.length};
    }
    char byte(std::size_t pos) const { return pos < text_.size() ? text_[pos] : '\0'; }

    /// End of the run of characters of these classes.
    std::size_t run(std::size_t pos, unsigned classes) const {
        for (;;) {
            const Char c = at(pos);
            if ((c.cls & classes) == 0) return pos;
            pos += c.length;
        }
    }

    std::size_t end_of_piece(std::size_t pos) const {
        const Char first = at(pos);
        if (const std::size_t end = kind_ == PreTokeniser::o200k ? word_o200k(pos, first) : word_cl100k(pos, first))
            return end;
        if (first.cls == kNumber) return number(pos);
        if (const std::size_t end = punctuation(pos)) return end;
        return white_space(pos);
    }

    // 's 't 're 've 'm 'll 'd, in either case; 0 when there is none.
    std::size_t contraction(std::size_t pos) const {
        if (byte(pos) != '\'') return 0;
        const auto lower = [this](std::size_t i) { return static_cast<char>(byte(i) | 0x20); };
        switch (lower(pos + 1)) {
            case 's':
            case 't':
            case 'm':
            case 'd': return pos + 2;
            case 'r':
            case 'v': return lower(pos + 2) == 'e' ? pos + 3 : 0;
            case 'l': return lower(pos + 2) == 'l' ? pos + 3 : 0;
            default: return 0;
        }
    }
    std::size_t with_contraction(std::size_t end) const {
        const std::size_t longer = contraction(end);
        return longer != 0 ? longer : end;
    }

    std::size_t word_cl100k(std::size_t pos, Char first) const {
        if (const std::size_t end = contraction(pos)) return end;
        const std::size_t letters = (first.cls & kNoPrefix) == 0 ? pos + first.length : pos;
        const std::size_t end = run(letters, kLetters);
        return end > letters ? end : 0;
    }

    struct CasedRun {
        std::size_t word = 0;      // end of head* tail+; 0 when nothing can be its tail
        std::size_t head_end = 0;  // end of head*
    };
    CasedRun cased_run(std::size_t pos) const {
        CasedRun found;
        Char c = at(pos);
        for (; (c.cls & kHead) != 0; c = at(pos)) {
            pos += c.length;
            if ((c.cls & kBoth) != 0) found.word = pos;  // the head may end before it: then it is the tail
        }
        found.head_end = pos;
        if (c.cls == kLower) found.word = run(pos, kTail);
        return found;
    }

    std::size_t word_o200k(std::size_t pos, Char first) const {
        const bool prefix = (first.cls & kNoPrefix) == 0;
        if (!prefix && (first.cls & kLetters) == 0) return 0;
        const std::size_t letters = prefix ? pos + first.length : pos;
        const CasedRun found = cased_run(letters);
        if (found.word != 0) return with_contraction(found.word);
        // A mark may be the word itself instead of what stands before it.
        if (first.cls == kMark) return with_contraction(cased_run(pos).word);
        return found.head_end > letters ? with_contraction(found.head_end) : 0;
    }

    std::size_t number(std::size_t pos) const {
        for (int digits = 0; digits < 3; ++digits) {
            const Char c = at(pos);
            if (c.cls != kNumber) break;
            pos += c.length;
        }
        return pos;
    }

    // One blank, then what is neither white space, letter nor number, then line breaks.
    std::size_t punctuation(std::size_t pos) const {
        const std::size_t from = byte(pos) == ' ' ? pos + 1 : pos;
        std::size_t end = run(from, kPunctuation);
        if (end == from) return 0;
        const bool slashes = kind_ == PreTokeniser::o200k;
        while (byte(end) == '\n' || byte(end) == '\r' || (slashes && byte(end) == '/')) ++end;
        return end;
    }

    // Up to the last line break of the run; without one all of it at the end of the text, else all but the last, which
    // belongs to what follows.
    std::size_t white_space(std::size_t pos) const {
        std::size_t end = pos, last = pos, after_break = 0;
        for (Char c = at(end); (c.cls & kBlank) != 0; c = at(end)) {
            last = end;
            end += c.length;
            if (c.cls == kLineBreak) after_break = end;
        }
        if (after_break != 0) return after_break;
        return end == text_.size() || last == pos ? end : last;
    }

    std::string_view text_;
    PreTokeniser kind_;
    std::size_t pos_ = 0;
};

}  // namespace agent_audit::tokens
