#include <agent_audit/simulator/regret.hpp>
#include <agent_audit/support/snake_case.hpp>

#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

// What calls do, and what they were told not to do.
namespace agent_audit::simulator {
namespace {

constexpr std::array<std::string_view, 12> kReads{"cat",       "fs_read",  "open_file",       "read",
                                                  "read_file", "readfile", "read_many_files", "view",
                                                  "view_file", "viewfile", "file_read",       "open"};
constexpr std::array<std::string_view, 22> kWrites{"apply_diff",
                                                   "apply_patch",
                                                   "applypatch",
                                                   "create",
                                                   "create_file",
                                                   "delete_file",
                                                   "edit",
                                                   "edit_file",
                                                   "file_write",
                                                   "fs_write",
                                                   "insert",
                                                   "multiedit",
                                                   "notebookedit",
                                                   "patch",
                                                   "replace",
                                                   "replace_in_file",
                                                   "str_replace",
                                                   "str_replace_editor",
                                                   "str_replace_based_edit_tool",
                                                   "write",
                                                   "write_file",
                                                   "write_to_file"};
constexpr std::array<std::string_view, 16> kCommands{
    "bash",        "exec",  "exec_command", "execute_bash",    "execute_command",   "local_shell",
    "power_shell", "run",   "run_command",  "run_in_terminal", "run_shell_command", "run_terminal_cmd",
    "sh",          "shell", "terminal",     "shell_command"};

// The number behind a JSON key, which is given as it stands there; the keys differ by agent.
std::optional<std::uint64_t> number_of(std::string_view json, std::span<const std::string_view> keys) {
    for (const std::string_view key : keys) {
        const std::size_t at = json.find(key);
        if (at == std::string_view::npos) continue;
        std::string_view rest = json.substr(at + key.size());
        while (!rest.empty() && (rest[0] == ' ' || rest[0] == '"')) rest.remove_prefix(1);
        std::uint64_t value = 0;
        if (std::from_chars(rest.data(), rest.data() + rest.size(), value).ec == std::errc{}) return value;
    }
    return {};
}

bool has_any(std::string_view text, std::span<const std::string_view> words) {
    return std::ranges::any_of(words, [text](std::string_view w) { return text.find(w) != std::string_view::npos; });
}

constexpr std::string_view kForbiddingWords[] = {"never ",    "do not ",  "don't ",      "dont ",
                                                 "must not ", "mustn't ", "not allowed", "without touching",
                                                 "不要",      "禁止",     "不得",        "别 "};
constexpr PhraseSet kForbidding(kForbiddingWords);
// A command that changes the files it names.
constexpr std::array<std::string_view, 8> kChanging{"rm ", "mv ",       "sed -i",       "tee ",
                                                    ">",   "truncate ", "git checkout", "git restore"};

bool is_path(std::string_view word) {
    return word.size() >= 4 && word.find(' ') == std::string_view::npos &&
           (word.find('/') != std::string_view::npos ||
            (word.find('.') != std::string_view::npos && word.find('.') > 0));
}

bool part_of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// `what` as a whole: not as part of a longer name.
bool mentions(std::string_view text, std::string_view what) {
    for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) {
        const std::size_t end = at + what.size();
        if ((at == 0 || !part_of_name(text[at - 1])) && (end == text.size() || !part_of_name(text[end]))) return true;
    }
    return false;
}

// Bytes of what ends a sentence here; 0: nothing does.
std::size_t sentence_end(std::string_view text) {
    constexpr std::array<std::string_view, 7> kEnds{"\n", ". ", "! ", "? ", "; ", "。", "；"};
    switch (text.front()) {
        case '\n':
        case '.':
        case '!':
        case '?':
        case ';':
        case '\xE3':
        case '\xEF': break;
        default: return 0;
    }
    const auto end = std::ranges::find_if(kEnds, [&](std::string_view mark) { return text.starts_with(mark); });
    return end == kEnds.end() ? 0 : end->size();
}

}  // namespace

CallKind call_kind(std::string_view tool) {
    if (tool.starts_with("mcp__")) tool.remove_prefix(tool.rfind("__") + 2);
    constexpr std::size_t kLongest = 40;
    if (tool.size() > kLongest) return CallKind::other;
    const auto is_one_of = [tool](std::span<const std::string_view> names) {
        return std::ranges::any_of(names, [tool](std::string_view name) { return same_name(name, tool); });
    };
    if (is_one_of(kReads)) return CallKind::read;
    if (is_one_of(kWrites)) return CallKind::write;
    return is_one_of(kCommands) ? CallKind::command : CallKind::other;
}

LineRange line_range(std::string_view arguments) {
    constexpr std::array<std::string_view, 5> kFrom{R"("offset":)", R"("start_line":)", R"("startLine":)",
                                                    R"("line_start":)", R"("start":)"};
    constexpr std::array<std::string_view, 4> kTo{R"("end_line":)", R"("endLine":)", R"("line_end":)", R"("end":)"};
    constexpr std::array<std::string_view, 3> kCount{R"("limit":)", R"("max_lines":)", R"("num_lines":)"};
    LineRange range;
    if (const auto from = number_of(arguments, kFrom)) range.from = *from;
    if (const auto to = number_of(arguments, kTo)) {
        range.to = *to == UINT64_MAX ? *to : *to + 1;
    } else if (const auto count = number_of(arguments, kCount)) {
        range.to = range.from > UINT64_MAX - *count ? UINT64_MAX : range.from + *count;
    }
    return range;
}

// An escape may stand for any character.
bool may_prohibit(std::string_view words) { return words.find("\\u") != words.npos || kForbidding.in(words); }

void RegretTracker::instructs(std::uint32_t message, std::string_view words) {
    constexpr std::size_t kMostWords = 64 * 1024;
    words = words.substr(0, kMostWords);
    if (!kForbidding.in(words)) return;
    for (std::size_t at = 0; at < words.size();) {
        const std::size_t mark = sentence_end(words.substr(at));
        if (mark == 0) {
            ++at;
            continue;
        }
        add_prohibitions(message, words.substr(0, at));
        words.remove_prefix(at + mark);
        at = 0;
    }
    if (!words.empty()) add_prohibitions(message, words);
}

// What stands in backticks or looks like a path, behind the words that forbid.
void RegretTracker::add_prohibitions(std::uint32_t message, std::string_view sentence) {
    std::string_view rest;
    const auto first = [&](std::size_t at, std::string_view) {
        rest = sentence.substr(at);
        return true;
    };
    if (!kForbidding.any(sentence, first)) return;
    const auto add = [&](std::string_view what) {
        constexpr std::size_t kLongest = 120, kShortest = 3;
        if (what.size() < kShortest || what.size() > kLongest || prohibitions_.size() >= kMaxProhibitions) return;
        prohibitions_.push_back({message, 0, is_path(what), false, std::string(what)});
    };
    while (!rest.empty()) {
        if (rest[0] == '`') {
            const std::size_t end = rest.find('`', 1);
            if (end == std::string_view::npos) return;
            add(rest.substr(1, end - 1));
            rest.remove_prefix(end + 1);
            continue;
        }
        std::size_t end = std::min(rest.find_first_of(" \t`\"'(),:"), rest.size());
        std::string_view word = rest.substr(0, end);
        while (!word.empty() && word.back() == '.') word.remove_suffix(1);
        if (is_path(word)) add(word);
        if (end < rest.size() && rest[end] != '`') ++end;
        rest.remove_prefix(end);
    }
}

bool RegretTracker::forgotten(const Prohibition& prohibition) const {
    return !prohibition.broken && !visible(prohibition.message) && !summary_lives(prohibition.summary);
}

bool RegretTracker::minds_calls() const {
    return std::ranges::any_of(prohibitions_, [this](const Prohibition& p) { return forgotten(p); });
}

// A path must not be written to, a command not be run. Reading what must not be changed is no breach.
void RegretTracker::check_prohibitions(const CallFacts& call, std::uint32_t turn) {
    if (call.kind != CallKind::write && call.kind != CallKind::command) return;
    for (Prohibition& p : prohibitions_) {
        if (!forgotten(p)) continue;
        const bool applies = p.path ? call.kind == CallKind::write || has_any(call.arguments, kChanging)
                                    : call.kind == CallKind::command;
        constexpr std::size_t kWhere = 512;  // of a write: which file, not what is written into it
        const std::string_view said = call.kind == CallKind::write ? call.arguments.substr(0, kWhere) : call.arguments;
        if (!applies || !mentions(said, p.what)) continue;
        p.broken = true;
        ++totals_.lost_instructions;
        find({RegretKind::instruction_lost, p.message, {}, 0}, turn);
    }
}

}  // namespace agent_audit::simulator
