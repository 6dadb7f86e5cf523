#include "detectors/engine/sentence_parts.hpp"

#include "detectors/engine/path_words.hpp"
#include "detectors/engine/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace agent_audit::detectors {

bool ends_clause(std::string_view rest) {
    return rest.empty() || std::string_view(",.;:!?)").find(rest[0]) != std::string_view::npos;
}

std::string_view letters_of(std::string_view text) {
    return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter) - text.begin()));
}

std::string_view last_clause(std::string_view head) {
    for (const std::string_view cut : {", ", ": ", " - ", "! ", " and "}) {
        if (const std::size_t at = head.rfind(cut); at != head.npos) head.remove_prefix(at + cut.size());
    }
    return trimmed(head);
}

bool negated(std::string_view text) {
    constexpr std::string_view kNots[] = {"not ", "n't ", "n’t ", "never ", "cannot ", "dont ", "nothing "};
    return contains_any(std::string(text).append(" "), kNots);
}

}  // namespace agent_audit::detectors
