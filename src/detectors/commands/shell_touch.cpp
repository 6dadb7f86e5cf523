#include "detectors/commands/shell_touch.hpp"

#include "detectors/commands/text_change.hpp"
#include "detectors/words/raw_lines.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestCommand = 512;
constexpr std::size_t kMaxWords = 32;
constexpr std::uint32_t kToTheEnd = 0x7fffffff;

enum class Op : std::uint8_t { none, then, pipe, into, heredoc };  // what stands before a word

struct Word {
    std::string_view text;
    Op op;
};

/// What a byte is in a word: part of it, the end of it, or something that only a shell can work out.
enum class Kind : std::uint8_t { plain, end, magic };

constexpr auto kKinds = [] {
    std::array<Kind, 256> kinds{};
    for (const char c : std::string_view(" \t\n;|&<>'\"\\()")) kinds[static_cast<unsigned char>(c)] = Kind::end;
    for (const char c : std::string_view("$`*?{")) kinds[static_cast<unsigned char>(c)] = Kind::magic;
    return kinds;
}();

Kind kind(char c) { return kKinds[static_cast<unsigned char>(c)]; }

// Splits a command into words and the operators before them. Gives up on what only a shell could understand.
class Words {
public:
    Words(std::string_view text, Spelling spelling) : s_(text), spelling_(spelling) {}

    bool split() {
        while (i_ < s_.size()) {
            if (!step()) return false;
        }
        return true;
    }

    const Word* begin() const { return words_.data(); }
    const Word* end() const { return words_.data() + count_; }
    /// Where the here-document begins; npos without one.
    std::size_t body() const { return body_; }

private:
    bool step() {
        const char c = s_[i_];
        if (c == ' ' || c == '\t') return skip(1);
        if (is_line_end(s_, i_, spelling_)) return end_of_line();
        if (c == ';') return operate(Op::then, 1);
        if (s_.substr(i_, 2) == "&&" || s_.substr(i_, 2) == "||") return operate(Op::then, 2);
        if (c == '|') return operate(Op::pipe, 1);
        if (c == '>' || c == '<' || (c == '2' && s_.substr(i_, 2) == "2>")) return redirect();
        if (c == '\'') return quoted("'", 1);
        if (c == '"') return quoted("\"", 1);
        if (spelling_ == Spelling::escaped && s_.substr(i_, 2) == "\\\"") return quoted("\\\"", 2);
        if (c == '&' || c == '(' || c == ')' || c == '\\') return false;
        std::size_t end = i_;
        while (end < s_.size() && kind(s_[end]) == Kind::plain) ++end;
        if (end < s_.size() && (kind(s_[end]) == Kind::magic || at_quote(end))) return false;
        const std::string_view word = s_.substr(i_, end - i_);
        i_ = end;
        return add(word);
    }

    // A word that goes on in quotes is rare; so is what it means.
    bool at_quote(std::size_t at) const {
        if (at >= s_.size()) return false;
        return s_[at] == '\'' || s_[at] == '"' || s_.substr(at, 2) == "\\\"" ||
               (s_[at] == '\\' && !is_line_end(s_, at, spelling_));
    }

    bool skip(std::size_t n) {
        i_ += n;
        return true;
    }

    bool end_of_line() {
        i_ += line_end_size(spelling_);
        if (!heredoc_) {
            next_ = Op::then;
            return true;
        }
        body_ = i_;
        i_ = s_.size();
        return true;
    }

    bool operate(Op op, std::size_t size) {
        next_ = op;
        return skip(size);
    }

    bool redirect() {
        const std::string_view rest = s_.substr(i_);
        for (const std::string_view quiet : {"2>&1", "2>/dev/null", "2> /dev/null", ">/dev/null", "> /dev/null"}) {
            if (rest.starts_with(quiet)) return skip(quiet.size());
        }
        if (rest.starts_with("<<")) {
            heredoc_ = true;
            return operate(Op::heredoc, rest.starts_with("<<-") ? 3 : 2);
        }
        if (rest.starts_with(">>") || rest.front() != '>') return false;
        return operate(Op::into, 1);
    }

    static constexpr std::string_view kBreaks = " \t;|&<>";

    bool quoted(std::string_view mark, std::size_t size) {
        const std::size_t begin = i_ + size;
        const std::size_t end = s_.find(mark, begin);
        if (end == s_.npos) return false;
        const std::string_view word = s_.substr(begin, end - begin);
        i_ = end + size;
        const bool alone = i_ >= s_.size() || kBreaks.find(s_[i_]) != kBreaks.npos || is_line_end(s_, i_, spelling_);
        return alone && add(word);
    }

    bool add(std::string_view word) {
        if (count_ == kMaxWords) return false;
        words_[count_++] = {word, next_};
        next_ = Op::none;
        return true;
    }

    std::string_view s_;
    Spelling spelling_;
    std::array<Word, kMaxWords> words_;  // the first count_ of them
    std::size_t count_ = 0;
    std::size_t i_ = 0;
    std::size_t body_ = std::string_view::npos;
    Op next_ = Op::then;
    bool heredoc_ = false;
};

std::optional<std::uint32_t> number(std::string_view text) {
    if (text.empty() || text.size() > 8) return std::nullopt;
    std::uint32_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return value;
}

struct Range {
    std::uint32_t first = 1;
    std::uint32_t count = kToTheEnd;
};

// "10,20p", "10p", "10,$p", "10,+5p", each perhaps with ";20q".
std::optional<Range> sed_range(std::string_view script) {
    script = script.substr(0, script.find(';'));
    while (script.ends_with(' ')) script.remove_suffix(1);
    if (!script.ends_with('p')) return std::nullopt;
    script.remove_suffix(1);
    const std::size_t comma = script.find(',');
    const auto first = number(script.substr(0, comma));
    if (!first || *first == 0) return std::nullopt;
    if (comma == script.npos) return Range{*first, 1};
    const std::string_view to = script.substr(comma + 1);
    if (to == "$") return Range{*first, kToTheEnd};
    if (to.starts_with('+')) {
        const auto more = number(to.substr(1));
        return more ? std::optional(Range{*first, *more + 1}) : std::nullopt;
    }
    const auto last = number(to);
    if (!last || *last < *first) return std::nullopt;
    return Range{*first, *last - *first + 1};
}

// Follows a pipeline of programs that show a file or a part of what they are given.
class Pager {
public:
    FileTouch read(const Words& words) {
        for (const Word* w = words.begin(); w != words.end();) {
            const Word* end = std::find_if(w + 1, words.end(), [](const Word& next) { return next.op != Op::none; });
            if (w->op == Op::into || w->op == Op::heredoc || !segment(w, end)) return {};
            w = end;
        }
        FileTouch touch;
        if (file_ == 0) return touch;
        touch.file = relative_ && dir_ != 0 ? mix_hash(file_, dir_) : file_;
        touch.whole_file = !ranged_;
        if (ranged_ && known_) {
            touch.first_line = range_.first;
            touch.line_count = range_.count >= kToTheEnd ? 0 : range_.count;
        }
        return touch;
    }

private:
    bool segment(const Word* w, const Word* end) {
        std::string_view program = w->text;
        if (const auto slash = program.rfind('/'); slash != program.npos) program.remove_prefix(slash + 1);
        piped_ = w->op == Op::pipe;
        ++w;
        if (program == "cd") return !piped_ && end - w == 1 && enter(w->text);
        if (program == "echo" || program == "true" || program == "pwd") return !piped_;
        if (program == "cat" || program == "nl" || program == "less" || program == "more") return plain(w, end);
        if (program == "sed") return sed(w, end);
        if (program == "head") return head(w, end);
        if (program == "tail") return tail(w, end);
        return false;
    }

    bool enter(std::string_view dir) {
        dir_ = mix_hash(dir_, file_hash(dir));
        return true;
    }

    bool plain(const Word* w, const Word* end) {
        std::string_view path;
        for (; w != end; ++w) {
            if (w->text.starts_with('-')) continue;
            if (!path.empty()) return false;
            path = w->text;
        }
        return input(path);
    }

    bool sed(const Word* w, const Word* end) {
        std::optional<Range> range;
        std::string_view path;
        bool quiet = false;
        for (; w != end; ++w) {
            if (w->text == "-n")
                quiet = true;
            else if (w->text == "-e")
                continue;
            else if (w->text.starts_with('-'))
                return false;
            else if (!range) {
                range = sed_range(w->text);
                if (!range) return false;
            } else if (path.empty())
                path = w->text;
            else
                return false;
        }
        return quiet && range && input(path) && narrow(*range);
    }

    bool head(const Word* w, const Word* end) {
        std::uint32_t lines = 10;
        std::string_view path;
        for (; w != end; ++w) {
            std::string_view text = w->text;
            if (text == "-n") {
                if (++w == end) return false;
                text = w->text;
            } else if (text.starts_with("-n")) {
                text.remove_prefix(2);
            } else if (text.starts_with('-')) {
                text.remove_prefix(1);
            } else {
                if (!path.empty()) return false;
                path = text;
                continue;
            }
            const auto n = number(text);
            if (!n) return false;
            lines = *n;
        }
        return input(path) && narrow({1, lines});
    }

    bool tail(const Word* w, const Word* end) {
        std::uint32_t from = 0;
        std::string_view path;
        for (; w != end; ++w) {
            std::string_view text = w->text;
            if (text == "-n") {
                if (++w == end) return false;
                text = w->text;
            } else if (text.starts_with("-n")) {
                text.remove_prefix(2);
            } else if (text.starts_with('-') && number(text.substr(1))) {
                continue;  // counted from the end
            } else if (!text.starts_with('+')) {
                if (!path.empty() || text.starts_with('-')) return false;
                path = text;
                continue;
            }
            if (!text.starts_with('+')) continue;
            const auto n = number(text.substr(1));
            if (!n || *n == 0) return false;
            from = *n;
        }
        if (!input(path)) return false;
        if (from > 0) return narrow({from, kToTheEnd});
        ranged_ = true;
        known_ = false;
        return true;
    }

    // A program at the head of a pipeline names its file; one further on takes what it is given.
    bool input(std::string_view path) {
        if (piped_) return path.empty() && file_ != 0;
        if (path.empty() || file_ != 0) return false;
        file_ = file_hash(path);
        relative_ = !path.starts_with('/') && !path.starts_with('~');
        return file_ != 0;
    }

    bool narrow(Range part) {
        ranged_ = true;
        range_.first += part.first - 1;
        const std::uint32_t left = range_.count > part.first - 1 ? range_.count - (part.first - 1) : 0;
        range_.count = range_.count >= kToTheEnd ? part.count : std::min(left, part.count);
        if (range_.count == 0 || range_.first > 100'000'000) known_ = false;
        return true;
    }

    std::uint64_t file_ = 0, dir_ = 0;
    Range range_;
    bool relative_ = false, ranged_ = false, known_ = true, piped_ = false;
};

// ["bash","-lc","…"]: the last element is the command.
RawText command_line(RawText command) {
    if (command.form != TextForm::json_value || !command.bytes.starts_with('[')) return command;
    const std::size_t last = command.bytes.substr(0, kLongestCommand).rfind(",\"");
    if (last == command.bytes.npos || !command.bytes.ends_with("\"]")) return {};
    return {command.bytes.substr(last + 2, command.bytes.size() - last - 4), TextForm::json_string};
}

}  // namespace

FileTouch shell_read(RawText command) {
    command = command_line(command);
    if (command.bytes.size() > kLongestCommand) return {};
    Words words(command.bytes, spelling_of(command));
    return words.split() ? Pager().read(words) : FileTouch{};
}

FileTouch shell_write(RawText command) {
    FileTouch touch;
    const std::string_view head = command.bytes.substr(0, kLongestCommand);
    if (const std::size_t patch = head.find("*** Begin Patch"); patch != head.npos) {
        add_patch(touch, command.bytes.substr(patch), spelling_of(command));
        return touch;
    }
    if (head.find("<<") == head.npos || command.form == TextForm::json_value) return touch;
    const Spelling spelling = spelling_of(command);
    const std::size_t line = line_end(head, 0, spelling);
    if (line == head.npos) return touch;
    // The line with the here-document, whatever commands follow it.
    Words words(head.substr(0, line + line_end_size(spelling)), spelling);
    if (!words.split() || words.body() == head.npos) return touch;
    std::uint64_t dir = 0;
    const Word* w = words.begin();
    if (w != words.end() && w->text == "cd" && w + 1 != words.end()) dir = file_hash((++w)++->text);
    if (w == words.end() || (w->text != "cat" && w->text != "tee")) return touch;
    const bool tee = w->text == "tee";
    std::string_view path;
    for (++w; w != words.end(); ++w) {
        if (w->op == Op::heredoc) continue;
        const bool target = w->op == Op::into || (tee && w->op == Op::none && !w->text.starts_with('-'));
        if (!target || !path.empty()) return touch;
        path = w->text;
    }
    touch.file = file_hash(path);
    if (touch.file == 0) return touch;
    if (dir != 0 && !path.starts_with('/')) touch.file = mix_hash(touch.file, dir);
    touch.whole_file = true;
    touch.after = stable_hash(command.bytes.substr(words.body()));
    return touch;
}

}  // namespace agent_audit::detectors
