#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace agent_audit::profiles {

/// JavaScript counts text in UTF-16 units, and so do the thresholds of those who are written in it. Bytes that are no
/// UTF-8 become U+FFFD.
std::u16string utf16(std::string_view utf8);

bool is_js_space(char16_t c);
std::u16string_view js_trim(std::u16string_view text);

/// What gemini-cli and qwen-code look for in a piece of text before they let it count as prose.
struct Markdown {
    std::size_t fences = 0;
    bool structure = false;  ///< a table row, list item, heading or quote
    bool divider = false;    ///< nothing but divider characters
};

/// The two differ in which bullets and which divider characters they know.
struct MarkdownHabits {
    bool dash_is_bullet = true;
    bool wide_divider = false;  ///< every character from + to _ divides (gemini-cli's slip)
};
Markdown look_at_markdown(std::u16string_view text, MarkdownHabits habits);

/// The last few thousand characters of what was said, cut into overlapping chunks; remembers where each chunk stood.
class ChunkHistory {
public:
    static constexpr std::size_t kChunk = 50;

    void clear();
    void append(std::u16string_view text) { text_ += text; }
    /// Forgets everything but the last `keep` characters.
    void keep_last(std::size_t keep);

    std::size_t size() const { return text_.size(); }
    bool has_chunk() const { return next_ + kChunk <= text_.size(); }
    std::size_t here() const { return next_; }
    void step() { ++next_; }
    /// Places of the chunk that stands here, without this one.
    std::vector<std::uint32_t>& places();
    std::u16string_view between(std::size_t from, std::size_t to) const {
        return std::u16string_view(text_).substr(from, to - from);
    }
    /// True when the text repeats itself exactly at this distance.
    bool is_periodic(std::size_t from, std::size_t to, std::size_t distance) const;

private:
    std::u16string text_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> places_;
    std::size_t next_ = 0;
};

}  // namespace agent_audit::profiles
