#include "detectors/commands/shell_words.hpp"

#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

// A=1, PATH="$HOME/bin"
bool is_assignment(std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos || equals == 0 || is_digit(word[0])) return false;
    return std::ranges::all_of(word.substr(0, equals), is_word);
}

// 5, 30s, 0.5m: how long, or how nice.
bool is_amount(std::string_view word) {
    constexpr std::string_view kUnits = "smhd";
    if (!word.empty() && kUnits.find(word.back()) != kUnits.npos) word.remove_suffix(1);
    return !word.empty() && std::ranges::all_of(word, [](char c) { return is_digit(c) || c == '.'; });
}

}  // namespace

std::string_view without_runners(std::string_view command) {
    constexpr std::string_view kRunners[] = {"sudo",     "doas",  "env",     "time",    "timeout",
                                             "gtimeout", "nohup", "nice",    "ionice",  "stdbuf",
                                             "setsid",   "exec",  "command", "builtin", "xargs"};
    constexpr std::string_view kShell[] = {"then", "do", "else", "elif", "if", "while", "until", "!", "{", "("};
    // Flags of them that take a word of their own.
    constexpr std::string_view kTakeWord[] = {"-u", "-g", "-n", "-I", "-k", "-s", "-P", "-L", "-S", "-c"};
    bool behind_runner = false, takes_word = false;
    for (;;) {
        command = trimmed(command);
        if (command.empty()) return command;
        if (command[0] == '(' || command[0] == '{') {
            command.remove_prefix(1);
            continue;
        }
        // What is assigned may stand in quotes.
        std::size_t end = 0;
        for (char quote = 0; end < command.size(); ++end) {
            const char c = command[end];
            if (quote != 0 ? c == quote : c == '"' || c == '\'')
                quote = quote != 0 ? char{0} : c;
            else if (quote == 0 && is_space(c))
                break;
        }
        const std::string_view word = command.substr(0, end);
        const bool runner = std::ranges::find(kRunners, word) != std::end(kRunners);
        const bool flag = behind_runner && (takes_word || word.starts_with('-') || is_amount(word));
        if (!runner && !flag && !is_assignment(word) && std::ranges::find(kShell, word) == std::end(kShell))
            return command;
        takes_word = behind_runner && std::ranges::find(kTakeWord, word) != std::end(kTakeWord);
        behind_runner = behind_runner || runner;
        command.remove_prefix(end);
    }
}

std::string with_single_blanks(std::string_view line) {
    std::string out;
    out.reserve(line.size());
    for (std::size_t i = 0; i < line.size(); ++i) {
        char c = line[i];
        if (c == '\\' && i + 1 < line.size() && line[i + 1] == '\n') {
            c = ' ';
            ++i;
        } else if (c == '\t') {
            c = ' ';
        }
        if (c != ' ' || !out.ends_with(' ')) out.push_back(c);
    }
    return out;
}

}  // namespace agent_audit::detectors
