#include "advice/calls/command_line.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostParts = 64;
constexpr int kMostShells = 3;  // one in the other

/// Where the line ends on which the bodies of here-documents end that begin at `at`, in the order of their delimiters.
std::size_t behind_bodies(std::string_view s, std::size_t at, const std::vector<std::string>& delimiters) {
    for (const std::string& delimiter : delimiters) {
        for (bool ended = false; !ended;) {
            if (at >= s.size()) return s.size();
            std::string_view line = s.substr(at, std::min(s.find('\n', at), s.size()) - at);
            at += line.size() + 1;
            line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
            ended = line == delimiter;
        }
    }
    return std::min(at, s.size());
}

/// Takes a line apart, character by character.
class LineSplitter {
public:
    explicit LineSplitter(std::string_view line) : line_(line) {}

    std::vector<Part> split() {
        for (; at_ < line_.size() && parts_.size() < kMostParts; ++at_) take(line_[at_]);
        end_word();
        if (parts_.back().words.empty()) parts_.pop_back();
        if (!parts_.empty() && parts_.back().end == ";") parts_.back().end.clear();
        return std::move(parts_);
    }

private:
    void take(char c) {
        if (c != '\n') text() += c;
        if (c == '\\' && at_ + 1 < line_.size())
            escaped();
        else if (c == '\'' || c == '"')
            quoted(c);
        else if ((c == '{' || c == '}') && in_word_)
            word_ += c;
        else if (c == ' ' || c == '\t' || c == '(' || c == ')' || c == '{' || c == '}')
            end_word();
        else if (c == '#' && !in_word_)
            comment();
        else if (c == '<' && next_is('<'))
            here();
        else if (c == '>')
            redirection();
        else if ((c == '&' || c == '|') && next_is(c))
            joined_by_two();
        else if (c == ';' || c == '|' || c == '\n')
            end_command(c);
        else
            add(c);
    }

    void escaped() {
        if (line_[++at_] == '\n') return;
        text() += line_[at_];
        add(line_[at_]);
    }

    void quoted(char quote) {
        in_word_ = true;
        while (++at_ < line_.size() && line_[at_] != quote) {
            text() += line_[at_];
            if (quote == '"' && line_[at_] == '\\' && at_ + 1 < line_.size()) text() += line_[++at_];
            word_ += line_[at_];
        }
        text() += quote;
    }

    void comment() {
        text().pop_back();
        while (at_ + 1 < line_.size() && line_[at_ + 1] != '\n') ++at_;
    }

    /// <<EOF, and <<< of a word.
    void here() {
        end_word();
        ++at_;
        if (next_is('<'))
            ++at_;
        else
            at_delimiter_ = true;
    }

    /// > file, 2> file, &> file; of 2>&1 nothing is kept.
    void redirection() {
        const bool to_stream = in_word_ && !word_.empty() && word_ != "1" && word_ != "&" &&
                               word_.find_first_not_of("0123456789&") == word_.npos;
        if (to_stream || word_ == "1" || word_ == "&") word_.clear(), in_word_ = false;
        end_word();
        if (next_is('>')) ++at_;
        if (next_is('&')) {
            ++at_;
            while (at_ + 1 < line_.size() && line_[at_ + 1] >= '0' && line_[at_ + 1] <= '9') ++at_;
            return;
        }
        parts_.back().words.push_back(to_stream ? "2>" : ">");
    }

    /// && and ||
    void joined_by_two() {
        text().pop_back();
        end_part(line_.substr(at_, 2));
        ++at_;
    }

    void end_command(char c) {
        if (c != '\n') text().pop_back();
        end_part(c == '|' ? "|" : ";");
        if (c == '\n' && !delimiters_.empty()) at_ = behind_bodies(line_, at_ + 1, std::exchange(delimiters_, {})) - 1;
    }

    void end_word() {
        if (in_word_ && at_delimiter_) delimiters_.push_back(word_.starts_with('-') ? word_.substr(1) : word_);
        if (in_word_) {
            at_delimiter_ = false;
            parts_.back().words.push_back(std::move(word_));
        }
        word_.clear();
        in_word_ = false;
    }

    void end_part(std::string_view how) {
        end_word();
        if (parts_.back().words.empty()) {
            text().clear();
            return;
        }
        parts_.back().end = how;
        parts_.emplace_back();
    }

    void add(char c) {
        word_ += c;
        in_word_ = true;
    }

    bool next_is(char c) const { return at_ + 1 < line_.size() && line_[at_ + 1] == c; }
    std::string& text() { return parts_.back().text; }

    std::string_view line_;
    std::size_t at_ = 0;
    std::vector<Part> parts_{1};
    std::string word_;
    bool in_word_ = false, at_delimiter_ = false;
    std::vector<std::string> delimiters_;  // of here-documents that begin on the next line
};

std::vector<Part> split_line(std::string_view line) { return LineSplitter(line).split(); }

/// What a shell is told to run: bash -lc '…'.
const std::string* told(const Part& part) {
    const Program shell = program_of(part.words);
    if (shell.name != "bash" && shell.name != "sh" && shell.name != "zsh") return nullptr;
    for (std::size_t i = shell.at + 1; i + 1 < part.words.size() && part.words[i].starts_with('-'); ++i) {
        if (!part.words[i].starts_with("--") && part.words[i].ends_with('c')) return &part.words[i + 1];
    }
    return nullptr;
}

void open_shells(std::vector<Part>& parts, int deep) {
    for (std::size_t i = 0; i < parts.size() && parts.size() < kMostParts; ++i) {
        const std::string* line = told(parts[i]);
        if (line == nullptr) continue;
        std::vector<Part> inner = split_line(*line);
        if (deep > 1) open_shells(inner, deep - 1);
        if (inner.empty()) continue;
        inner.back().end = std::move(parts[i].end);
        const std::size_t count = inner.size();
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
        parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i), std::move_iterator(inner.begin()),
                     std::move_iterator(inner.end()));
        i += count - 1;
    }
}

}  // namespace

std::vector<Part> split(std::string_view command) {
    std::vector<Part> parts = split_line(command);
    open_shells(parts, kMostShells);
    return parts;
}

Program program_of(const Words& words) {
    constexpr std::string_view kLeads[] = {"sudo", "env", "command", "exec", "time", "nohup"};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& w = words[i];
        if (std::ranges::find(kLeads, w) != std::end(kLeads)) continue;
        if (w.find('=') != w.npos && w.find('/') > w.find('=')) continue;
        const std::size_t slash = w.rfind('/');
        return {slash == w.npos ? w : w.substr(slash + 1), i};
    }
    return {};
}

Words arguments(const Words& words, std::size_t from) {
    Words out;
    for (std::size_t i = from; i < words.size() && words[i] != ">" && words[i] != "2>"; ++i) {
        if (!words[i].empty() && words[i][0] != '-') out.push_back(words[i]);
    }
    return out;
}

bool has_option(const Words& words, std::string_view option) {
    return std::ranges::any_of(
        words, [&](const std::string& w) { return w == option || w.starts_with(std::string(option) + "="); });
}

bool has_letter(const Words& words, char letter) {
    return std::ranges::any_of(words, [&](const std::string& w) {
        return w.size() > 1 && w[0] == '-' && w[1] != '-' && w.find(letter) != w.npos;
    });
}

std::string_view unredirected(std::string_view text) {
    return text.substr(0, std::min(text.find(" 2>"), text.find(" >")));
}

bool goes_elsewhere(const Part& part) { return part.words.size() == 2 && part.words[0] == "cd"; }

bool is_path(std::string_view w) {
    if (w.empty() || w.size() > kLongestPath || w[0] == '-' || w[0] == '&' || w.starts_with("/dev/")) return false;
    return w.find_first_of("$*`?<>|\"'\n{}") == w.npos;
}

bool is_file(std::string_view w) {
    if (!is_path(w) || w.find_first_of("./") == w.npos) return false;
    return w.find_first_not_of("0123456789.,p$") != w.npos && w != "." && w != "..";
}

}  // namespace agent_audit::advice
