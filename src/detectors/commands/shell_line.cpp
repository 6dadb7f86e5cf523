#include "detectors/commands/shell_line.hpp"

#include "detectors/commands/shell_words.hpp"
#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMost = 256;
constexpr int kDeepest = 8;
constexpr std::string_view kBlanks = " \t";

// Words that are no command, and what follows them is none either.
constexpr std::string_view kHeads[] = {"for", "select", "case", "function", "done", "fi", "esac", "}", "in"};

// sh -c, bash -lc
bool tells_shell(std::string_view head) {
    head = trimmed(head);
    const std::size_t blank = head.find_last_of(kBlanks);
    if (blank == head.npos) return false;
    const std::string_view option = head.substr(blank + 1);
    if (!option.starts_with('-') || option.starts_with("--") || !option.ends_with('c')) return false;
    const std::string_view program = trimmed(head.substr(0, blank));
    const std::string_view name = program.substr(program.find_last_of(" \t/") + 1);
    return name == "sh" || name == "bash" || name == "zsh" || name == "dash";
}

class Line {
public:
    Line(std::string_view text, std::vector<ShellCommand>& out, int depth) : s_(text), out_(out), depth_(depth) {}

    // Returns where it ended: at the end of the text, or behind the `until` that is not matched.
    std::size_t read(std::size_t at, char until) {
        start_ = at;
        for (at_ = at; at_ < s_.size();) {
            if (until != 0 && s_[at_] == until) {
                take();
                return at_ + 1;
            }
            step();
        }
        take();
        return at_;
    }

private:
    void step() {
        const char c = s_[at_];
        const char next = at_ + 1 < s_.size() ? s_[at_ + 1] : '\0';
        switch (c) {
            case '\\': at_ += 2; return;
            case '\'': return quoted(s_.find('\'', at_ + 1));
            case '"': return quoted(closing_quote());
            case '`': return nested(at_ + 1, '`');
            case '#': return begins_word() ? comment() : skip_to(at_ + 1);
            case '(': return opens_group() ? group() : skip_to(at_ + 1);
            case ')': return separate(1);
            case '<':
                if (next == '<') return here_document();
                return next == '(' ? nested(at_ + 2, ')') : skip_to(at_ + 1);
            case '>': return next == '(' ? nested(at_ + 2, ')') : skip_to(at_ + (next == '&' || next == '|' ? 2 : 1));
            case '$':
                if (s_.substr(at_, 3) == "$((") return skip_to(s_.find("))", at_));
                return next == '(' ? nested(at_ + 2, ')') : skip_to(at_ + 1);
            case '&': return next == '>' ? skip_to(at_ + 2) : separate(next == '&' ? 2 : 1);
            case '|': return separate(next == '|' || next == '&' ? 2 : 1);
            case '\n': return end_of_line();
            case ';': return separate(1);
            default: ++at_; return;
        }
    }

    void skip_to(std::size_t at) { at_ = std::min(at, s_.size()); }

    bool begins_word() const { return at_ == start_ || kBlanks.find(s_[at_ - 1]) != kBlanks.npos; }
    bool opens_group() const { return trimmed(s_.substr(start_, at_ - start_)).empty(); }

    void group() { start_ = ++at_; }

    void comment() {
        take();
        start_ = at_ = std::min(s_.find('\n', at_), s_.size());
    }

    void separate(std::size_t size) {
        take();
        start_ = at_ += size;
    }

    // What is substituted into a quoted text runs, and has quotes of its own.
    std::size_t closing_quote() {
        for (std::size_t at = at_ + 1; at < s_.size();) {
            if (s_[at] == '"') return at;
            if (s_.substr(at, 2) == "$(" && s_.substr(at, 3) != "$((" && depth_ < kDeepest) {
                at = Line(s_, out_, depth_ + 1).read(at + 2, ')');
            } else {
                at += s_[at] == '\\' ? 2 : 1;
            }
        }
        return s_.npos;
    }

    void quoted(std::size_t end) {
        if (end == s_.npos) {
            at_ = s_.size();
            return;
        }
        if (tells_shell(s_.substr(start_, at_ - start_)) && depth_ < kDeepest)
            Line(s_.substr(at_ + 1, end - at_ - 1), out_, depth_ + 1).read(0, 0);
        at_ = end + 1;
    }

    void nested(std::size_t begin, char until) {
        at_ = depth_ < kDeepest ? Line(s_, out_, depth_ + 1).read(begin, until) : s_.size();
    }

    // Its body begins on the next line and ends at a line of the mark alone.
    void here_document() {
        if (s_.substr(at_, 3) == "<<<") return skip_to(at_ + 3);
        std::size_t begin = at_ + 2;
        while (begin < s_.size() && std::string_view("- '\"\\").find(s_[begin]) != std::string_view::npos) ++begin;
        const std::size_t end = std::min(s_.find_first_of(" \t\n'\";|&)<>", begin), s_.size());
        mark_ = s_.substr(begin, end - begin);
        at_ = end < s_.size() && (s_[end] == '\'' || s_[end] == '"') ? end + 1 : end;
    }

    void end_of_line() {
        take();
        ++at_;
        if (!mark_.empty()) {
            while (at_ < s_.size()) {
                const std::size_t end = std::min(s_.find('\n', at_), s_.size());
                const std::string_view line = trimmed(s_.substr(at_, end - at_));
                at_ = std::min(end + 1, s_.size());
                if (line == mark_) break;
            }
            mark_ = {};
        }
        start_ = at_;
    }

    void take() {
        const std::string_view whole = trimmed(s_.substr(start_, at_ - start_));
        start_ = at_;
        const std::string_view command = without_runners(whole);
        const std::string_view word = command.substr(0, command.find_first_of(" \t\n"));
        const bool runs = !word.empty() && std::ranges::find(kHeads, word) == std::end(kHeads);
        if (runs && out_.size() < kMost) out_.push_back({command, whole});
    }

    std::string_view s_;
    std::vector<ShellCommand>& out_;
    int depth_;
    std::size_t at_ = 0, start_ = 0;
    std::string_view mark_;  // of the here-document that begins on the next line
};

// Behind the word that begins a text, and the blanks that follow; what is quoted in it may have blanks.
std::string_view past_word(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && kBlanks.find(text[end]) == kBlanks.npos) {
        const bool quoted = text[end] == '"' || text[end] == '\'';
        end = quoted ? std::min(text.find(text[end], end + 1), text.size() - 1) + 1 : end + 1;
    }
    return text.substr(std::min(text.find_first_not_of(kBlanks, end), text.size()));
}

}  // namespace

std::vector<ShellCommand> shell_commands(std::string_view line) {
    std::vector<ShellCommand> out;
    Line(line, out, 0).read(0, 0);
    return out;
}

std::string with_quotes_hidden(std::string_view command) {
    std::string out(command);
    for (std::size_t at = 0; at < out.size(); ++at) {
        if (out[at] == '\\') {
            ++at;
        } else if (out[at] == '"' || out[at] == '\'') {
            const char quote = out[at];
            for (++at; at < out.size() && out[at] != quote; ++at) {
                if (out[at] == '\\' && quote == '"' && at + 1 < out.size()) out[at++] = '_';
                out[at] = '_';
            }
        }
    }
    return out;
}

std::string_view past_git_options(std::string_view text, GitOptions which) {
    constexpr std::string_view kOfPlace[] = {"--no-pager", "-P", "-C", "--git-dir", "--work-tree"},
                               kTwoWords[] = {"-C", "-c", "--git-dir", "--work-tree"};
    while (text.starts_with('-')) {
        const std::string_view name = text.substr(0, text.find_first_of(" \t="));
        if (which == GitOptions::of_place && std::ranges::find(kOfPlace, name) == std::end(kOfPlace)) break;
        const bool two =
            std::ranges::find(kTwoWords, name) != std::end(kTwoWords) && !text.substr(name.size()).starts_with('=');
        text = two ? past_word(past_word(text)) : past_word(text);
    }
    return text;
}

std::string_view without_folder(std::string_view command) {
    if (command.starts_with('/')) command.remove_prefix(command.substr(0, command.find(' ')).rfind('/') + 1);
    return command;
}

bool begins_with_words(std::string_view command, std::string_view words) {
    command = without_folder(command);
    constexpr std::string_view kGit = "git ";
    if (command.starts_with(kGit) && words.starts_with(kGit) && !words.starts_with("git -")) {
        command = past_git_options(command.substr(kGit.size()), GitOptions::of_place);
        words.remove_prefix(kGit.size());
    }
    if (!command.starts_with(words)) return false;
    return command.size() == words.size() ||
           std::string_view(" \t\n<>").find(command[words.size()]) != std::string_view::npos;
}

}  // namespace agent_audit::detectors
