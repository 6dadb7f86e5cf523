#include "detectors/outcomes/unparsed_place.hpp"

#include "detectors/words/phrases.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLooked = 2048;  // bytes, at the end
constexpr std::string_view kUnparsed[] = {"syntaxerror: ", "taberror: ", "indentationerror: "};
constexpr PhraseSet kUnparsedSet(kUnparsed);

// pytest sets "E" in front of each line of an error.
std::string_view without_mark(std::string_view line) {
    constexpr std::string_view kBlank = " \t";
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    if (!line.starts_with("E ")) return line;
    line.remove_prefix(1);
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    return line;
}

// `File "/app/a.py", line 4`, "/app/a.js:4".
bool is_place(std::string_view line) {
    if (line.starts_with("File ")) return line.find(", line ") != line.npos;
    const std::size_t colon = line.rfind(':');
    return colon != line.npos && colon > 0 && colon + 1 < line.size() && line.find(' ') == line.npos &&
           std::ranges::all_of(line.substr(colon + 1), is_digit);
}

// `File "<string>", line 1` is the place of whatever `python3 -c` is given: there the code itself tells which it is.
bool is_unnamed(std::string_view place) { return place.find("\"<") != place.npos; }

}  // namespace

std::uint64_t unparsed_place(RawText answer) {
    constexpr std::string_view kIndent[] = {"TabError: ", "IndentationError: "}, kSyntax = "SyntaxError: ";
    const std::string_view text = answer.bytes.substr(answer.size() - std::min(answer.size(), kLooked));
    if (text.find(kSyntax.substr(kSyntax.size() - 7)) == text.npos || !kUnparsedSet.in(text)) return 0;  // "Error: "
    RawLines lines(text, spelling_of(answer));
    std::string_view place, code;
    for (std::string_view line; lines.next(line);) {
        line = without_mark(line);
        if (is_place(line)) {
            place = line;
            code = {};
        } else if (code.empty() && is_unnamed(place)) {
            code = line;
        }
        const bool indent = starts_with_any(line, kIndent);
        if (place.empty() || (!indent && !line.starts_with(kSyntax))) continue;
        return mix_hash(mix_hash(stable_hash(place), stable_hash(code)), stable_hash(indent ? kIndent[0] : line)) | 1;
    }
    return 0;
}

}  // namespace agent_audit::detectors
