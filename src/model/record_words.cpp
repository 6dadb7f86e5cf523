#include "model/record_words.hpp"

#include "support/ascii.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace agent_audit {
namespace {

// "lines 9-12" at the beginning of a text: how much of it is the word. 0 = something else stands there.
std::size_t word_for_lines(std::string_view text) {
    constexpr std::string_view kWords[] = {"lines ", "line "};
    const auto word = std::ranges::find_if(kWords, [text](std::string_view w) { return text.starts_with(w); });
    const bool numbered = word != std::end(kWords) && text.size() > word->size() && is_digit(text[word->size()]);
    return numbered ? word->size() : 0;
}

}  // namespace

std::string with_records(std::string_view message) {
    std::string out;
    bool quoted = false, within_word = false;
    for (std::string_view rest = message; !rest.empty();) {
        const std::size_t word = quoted || within_word ? 0 : word_for_lines(rest);
        if (word > 0)
            out += rest.starts_with("lines") ? "records " : "record ";
        else
            out += rest.front();
        quoted ^= rest.front() == '`';
        within_word = word == 0 && is_letter(rest.front());
        rest.remove_prefix(std::max<std::size_t>(word, 1));
    }
    return out;
}

}  // namespace agent_audit
