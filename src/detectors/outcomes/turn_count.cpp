#include "detectors/outcomes/turn_count.hpp"

#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongest = 2048;  // bytes

// Told at once: most answers have none of them.
constexpr std::string_view kTurns[] = {"ove", "tep", "urn", "ick"};
constexpr PhraseSet kTurnSet(kTurns);

// Behind "move", "moves: ", "turn #", where the number of the turn may stand; npos = the line begins with another word.
std::size_t number_at(std::string_view line) {
    constexpr std::array<std::string_view, 4> kWords{"move", "step", "turn", "tick"};
    constexpr std::string_view kMarks = ": #";
    const auto word = std::ranges::find_if(kWords, [line](std::string_view w) {
        return line.size() > w.size() && lower(line[0]) == w[0] && line.substr(1).starts_with(w.substr(1));
    });
    if (word == kWords.end()) return line.npos;
    std::size_t at = word->size();
    at += at < line.size() && line[at] == 's';
    const std::size_t number = std::min(line.find_first_not_of(kMarks, at), line.size());
    return number > at && number < line.size() && is_digit(line[number]) ? number : line.npos;
}

// "Hall   Score: 0   Moves: 7", "[Turn 3/60]": of games alone, for the steps of other work are progress.
std::size_t number_within(std::string_view line) {
    constexpr std::string_view kBefore[] = {"[", "(", "  ", ". ", ", ", "| "};
    for (std::size_t at = 1; at < line.size(); ++at) {
        const char c = lower(line[at]);
        if (c != 'm' && c != 't') continue;
        const std::string_view word = line.substr(at, 4);
        const bool turn = word == "Move" || word == "move" || word == "Turn" || word == "turn";
        const bool begins = turn && std::ranges::any_of(kBefore, [&](std::string_view before) {
                                return line.substr(0, at).ends_with(before);
                            });
        if (!begins) continue;
        if (const std::size_t number = number_at(line.substr(at)); number != line.npos) return at + number;
    }
    return line.npos;
}

// What may stand behind it: the end of the line, or of what is said of the turn.
bool ends_count(std::string_view behind, bool within) {
    constexpr std::string_view kEnds = ":.,;\n\r\\\"", kWithin = "])|/";
    return behind.empty() || kEnds.find(behind.front()) != kEnds.npos ||
           (within && kWithin.find(behind.front()) != kWithin.npos);
}

}  // namespace

std::string without_turn_count(std::string_view answer) {
    if (answer.size() > kLongest || !kTurnSet.in(answer)) return {};
    std::string rest;
    std::size_t done = 0;
    for (std::size_t begin = 0; begin < answer.size();) {
        const std::size_t line_size = std::min(answer.find('\n', begin), answer.find("\\n", begin)) - begin;
        std::size_t number = number_at(answer.substr(begin));
        const bool within = number == answer.npos;
        if (within) number = number_within(answer.substr(begin, line_size));
        if (number != answer.npos) {
            std::size_t end = begin + number;
            while (end < answer.size() && is_digit(answer[end])) ++end;
            if (ends_count(answer.substr(end), within)) {
                rest.append(answer, done, begin + number - done);
                done = end;
            }
        }
        const std::size_t line = answer.find('\n', begin), spelt = answer.find("\\n", begin);
        begin = std::min(line == answer.npos ? line : line + 1, spelt == answer.npos ? spelt : spelt + 2);
    }
    return done == 0 ? rest : rest.append(answer, done);
}

}  // namespace agent_audit::detectors
