#include "advice/calls/commands.hpp"

#include "advice/calls/checks.hpp"
#include "advice/calls/command_effects.hpp"
#include "advice/calls/command_line.hpp"
#include "advice/words/text.hpp"
#include "support/ascii.hpp"

#include <agent_audit/simulator/js_value.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>

namespace agent_audit::advice {
namespace {

// What only places, waits or prints.
bool only_places(std::string_view program) {
    constexpr std::array<std::string_view, 10> kPlaces{"cd",     "echo", "export", "set",  "sleep",
                                                       "source", "true", "pushd",  "popd", "printf"};
    return program.empty() || std::ranges::find(kPlaces, program) != kPlaces.end();
}

// What limits the time of a command, or takes it, is no part of it.
const std::string* begin_of_run(const Part& part) {
    const Words& words = part.words;
    std::size_t at = 0;
    while (at + 1 < words.size() && (words[at] == "time" || words[at] == "nohup" || words[at] == "command")) ++at;
    if (at + 2 >= words.size() || words[at] != "timeout") return words.data() + at;
    for (++at; at + 2 < words.size() && words[at].starts_with('-');)
        at += words[at] == "-k" || words[at] == "-s" ? 2 : 1;
    const bool duration = words[at].find_first_not_of("0123456789.smhd") == std::string::npos;
    return words.data() + at + (duration && at + 1 < words.size() ? 1 : 0);
}

std::string words_before_redirection(const Part& part) {
    const std::string* run = begin_of_run(part);
    std::string out;
    for (const std::string& word : part.words) {
        if (word == ">" || word == "2>") break;
        if (&word < run) continue;
        out += word + " ";
    }
    return out;
}

std::string without_quotes(std::string text) {
    std::erase_if(text, [](char c) { return c == ' ' || c == '\'' || c == '"' || c == '(' || c == ')' || c == '\\'; });
    return masked(text);
}

}  // namespace

std::string command_of(RawText primary) {
    constexpr std::size_t kLongest = 64u << 10;
    if (primary.form == TextForm::json_value && primary.bytes.starts_with('[') && primary.size() <= kLongest) {
        const auto value = simulator::JsValue::parse(primary.bytes);
        const auto* list = value ? value->array() : nullptr;
        if (list && !list->empty() && list->back().string()) return clean(*list->back().string());
    }
    return words_of(primary, kLongest);
}

bool is_prose(std::string_view path) {
    constexpr std::array<std::string_view, 13> kEndings{".md",  ".mdx", ".markdown", ".rst", ".adoc", ".txt", ".pdf",
                                                        ".png", ".jpg", ".jpeg",     ".gif", ".webp", ".log"};
    const std::string low =
        lowered(path.substr(path.find_last_of("/\\") == path.npos ? 0 : path.find_last_of("/\\") + 1));
    if (low == "cmakelists.txt" || low.starts_with("requirements") || low.starts_with("constraints")) return false;
    return std::ranges::any_of(kEndings, [&](std::string_view ending) { return low.ends_with(ending); });
}

std::string masked(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit) out += c;
        if (digit && (out.empty() || out.back() != '#')) out += '#';
    }
    return out;
}

CommandParts command_parts(std::string_view command) {
    constexpr std::size_t kMost = 16;
    CommandParts out;
    const std::vector<Part> parts = split(command);
    bool ends_first = false;  // set -e
    std::size_t sure_from = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string program = program_of(parts[i].words).name;
        ends_first = ends_first ||
                     (program == "set" && (has_letter(parts[i].words, 'e') || has_option(parts[i].words, "errexit")));
        out.either = out.either || parts[i].end == "||";
        if (parts[i].end == ";" && !ends_first) sure_from = i + 1;
    }
    bool piped = false;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool of_pipe = piped;
        piped = parts[i].end == "|";
        if (of_pipe || only_places(program_of(parts[i].words).name)) continue;
        if (out.all.size() == kMost) return {};  // too much to be told apart
        out.all.push_back(stable_hash(without_quotes(words_before_redirection(parts[i]))));
        if (i >= sure_from && !out.either) out.sure.push_back(out.all.back());
    }
    return out;
}

bool tells_failed_part(bool prints_code, std::string_view output) {
    if (end_told(output) == CheckEnd::failed) return true;
    if (!prints_code) return false;
    const std::size_t last = output.find_last_of("0123456789");
    if (last == output.npos) return true;
    std::size_t first = last;
    while (first > 0 && output[first - 1] >= '0' && output[first - 1] <= '9') --first;
    return output.substr(first, last + 1 - first).find_first_not_of('0') != output.npos;
}

// What runs behind the text, most often what was written, is more than writing.
Written written_by(std::string_view command) {
    if (command.starts_with("*** Begin Patch")) return Written::patch;
    const bool below = command.find("<<") != command.npos;
    Written out = Written::nothing;
    for (const Part& part : split(command)) {
        const std::string program = program_of(part.words).name;
        if (only_places(program) || program == "mkdir") continue;
        if (out != Written::nothing) return Written::nothing;
        const bool patch = program == "apply_patch" || program == "applypatch";
        const bool text = (program == "cat" || program == "tee") && below && part.text.find('<') != part.text.npos &&
                          changes_files(part);
        if (!patch && !text) return Written::nothing;
        out = patch ? Written::patch : Written::text;
    }
    return out;
}

std::string command_target(std::string_view command) {
    std::string target;
    bool piped = false;
    for (const Part& part : split(command)) {
        const bool of_pipe = piped;
        piped = part.end == "|";
        const auto [program, at] = program_of(part.words);
        if (of_pipe || only_places(program)) continue;
        if (const auto deed = deed_of(part)) {
            const Words rest = arguments(part.words, at + 1);
            target = program;
            for (std::size_t i = 0; i < std::min<std::size_t>(rest.size(), program == "git" ? 1 : 2); ++i)
                target += " " + rest[i];
            continue;
        }
        if (program == "git" && at + 1 < part.words.size() && part.words[at + 1] == "commit") {
            target = "git commit";
            continue;
        }
        if (target == "git commit" || target.starts_with("git push")) continue;
        target += words_before_redirection(part);
    }
    return without_quotes(target.empty() ? std::string(command) : std::move(target));
}

}  // namespace agent_audit::advice
