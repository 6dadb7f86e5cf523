#pragma once

#include <agent_audit/model/text.hpp>

#include "support/block64.hpp"
#include "support/find_near.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// Lines of raw text. In JSON strings that were not decoded a line ends with the two bytes \n, and a backslash may
/// itself be escaped; in plain text it ends with a line feed.
enum class Spelling : std::uint8_t { plain, escaped };
inline Spelling spelling_of(RawText text) { return text.form == TextForm::plain ? Spelling::plain : Spelling::escaped; }

/// True when the number of backslashes directly before `at` is odd: what stands there is the rest of an escape.
inline bool inside_escape(std::string_view text, std::size_t at) {
    std::size_t run = 0;
    while (run < at && text[at - 1 - run] == '\\') ++run;
    return run % 2 == 1;
}

/// Where the line ends that `from` is in (npos: at the end of the text). `from` must not be inside an escape.
inline std::size_t line_end(std::string_view text, std::size_t from, Spelling spelling) {
    if (spelling == Spelling::plain) return find_near(text, from, '\n');
    std::size_t at = find_pair_near(text, from, '\\', 'n');
    while (at != text.npos && inside_escape(text.substr(from), at - from)) at = find_pair_near(text, at + 1, '\\', 'n');
    return at;
}

inline std::size_t line_end_size(Spelling spelling) { return spelling == Spelling::plain ? 1 : 2; }

inline bool is_line_end(std::string_view text, std::size_t at, Spelling spelling) {
    if (at >= text.size()) return false;
    if (spelling == Spelling::plain) return text[at] == '\n';
    return text.substr(at, 2) == "\\n" && !inside_escape(text, at);
}

/// The last line end before `at`; npos when there is none.
inline std::size_t line_end_before(std::string_view text, std::size_t at, Spelling spelling) {
    if (at == 0) return text.npos;
    if (spelling == Spelling::plain) return text.rfind('\n', at - 1);
    for (std::size_t end = text.substr(0, at).rfind("\\n"); end != text.npos; end = text.substr(0, end).rfind("\\n")) {
        if (!inside_escape(text, end)) return end;
        if (end == 0) break;
    }
    return text.npos;
}

/// Lines in the text; the end of the last one need not be there.
inline std::uint32_t count_lines(std::string_view text, Spelling spelling) {
    if (text.empty()) return 0;
    std::uint32_t ends = 0;
    std::size_t behind = 0;  // the last of them
    if (spelling == Spelling::plain) {
        for (std::size_t at = find_near(text, 0, '\n'); at != text.npos; at = find_near(text, behind, '\n')) {
            ++ends;
            behind = at + 1;
        }
    } else {
        each_pair_near(text, '\\', 'n', [&](std::size_t at) {
            if (inside_escape(text, at)) return;
            ++ends;
            behind = at + 2;
        });
    }
    return ends + (behind < text.size() ? 1 : 0);
}

/// Hands out one line after the other, without their ends. Lines are short: their ends are looked for 64 bytes at a
/// time.
class RawLines {
public:
    RawLines(std::string_view text, Spelling spelling) : text_(text), spelling_(spelling) {}

    bool next(std::string_view& line) {
        if (at_ >= text_.size()) return false;
        const std::size_t end = next_end();
        line = text_.substr(at_, end == text_.npos ? text_.npos : end - at_);
        begin_ = at_;
        at_ = end == text_.npos ? text_.size() : end + line_end_size(spelling_);
        if (spelling_ == Spelling::plain && line.ends_with('\r')) line.remove_suffix(1);
        if (spelling_ == Spelling::escaped && line.ends_with("\\r")) line.remove_suffix(2);
        return true;
    }

    /// Where the line handed out last begins, and where the next one does.
    std::size_t begin() const { return begin_; }
    std::size_t position() const { return at_; }

private:
    std::size_t next_end() {
        for (;;) {
            for (; ends_ != 0; ends_ &= ends_ - 1) {
                const std::size_t at = block_ + static_cast<std::size_t>(std::countr_zero(ends_));
                if (spelling_ == Spelling::escaped && inside_escape(text_.substr(at_), at - at_)) continue;
                ends_ &= ends_ - 1;
                return at;
            }
            if (seen_ >= text_.size()) return text_.npos;
            block_ = seen_;
            ends_ = ends_from(block_);
            seen_ += Block64::kSize;
        }
    }

    // Where ends stand among the 64 bytes from there on, as bits.
    std::uint64_t ends_from(std::size_t from) const {
        const Block64 bytes = Block64::of(text_.data() + from, std::min(Block64::kSize, text_.size() - from));
        if (spelling_ == Spelling::plain) return bytes.equal('\n');
        const std::uint64_t beyond =
            text_.substr(from).size() > Block64::kSize && text_[from + Block64::kSize] == 'n' ? 1 : 0;
        return bytes.equal('\\') & (bytes.equal('n') >> 1 | beyond << 63);
    }

    std::string_view text_;
    Spelling spelling_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;
    std::uint64_t ends_ = 0;  // of the block at hand, those ahead
    std::size_t block_ = 0;   // where it begins
    std::size_t seen_ = 0;    // where the next one does
};

}  // namespace agent_audit::detectors
