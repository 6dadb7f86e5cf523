#include "detectors/commands/edit_echo.hpp"

#include "support/ascii.hpp"
#include "support/find_near.hpp"

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <cstring>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestError = 2u << 10;  // looked at: behind a long piece stands what was wrong with it
constexpr std::size_t kEnough = 300;             // bytes that are left: more than an error is known by
constexpr std::size_t kStretch = 24;             // bytes that stand in the arguments by no chance
constexpr std::size_t kShortest = 4;             // of a whole value, or a whole line
constexpr char kMark = '\x03';

// A line break of the text, raw or escaped, or a tab: its length; 0 = there is none.
std::size_t blank_at(std::string_view text, std::size_t at) {
    if (at >= text.size()) return 0;
    if (text[at] == '\n' || text[at] == '\r' || text[at] == '\t' || text[at] == ' ') return 1;
    const bool escaped =
        text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == 'n' || text[at + 1] == 'r' || text[at + 1] == 't');
    return escaped ? 2 : 0;
}

bool breaks_at(std::string_view text, std::size_t at) {
    return blank_at(text, at) != 0 && text[at] != ' ' && text[at] != '\t' && text.substr(at, 2) != "\\t";
}

bool breaks_before(std::string_view text, std::size_t at) {
    return (at >= 1 && text[at - 1] == '\n') || (at >= 2 && text[at - 2] == '\\' && text[at - 1] == 'n');
}

// Without the blanks and line breaks at its end.
std::size_t without_blanks(std::string_view text) {
    for (;;) {
        const std::size_t size = text.size();
        if (size >= 2 && text[size - 2] == '\\' && blank_at(text, size - 2) != 0)
            text.remove_suffix(2);
        else if (size >= 1 && blank_at(text, size - 1) != 0)
            text.remove_suffix(1);
        else
            return size;
    }
}

bool has_blank(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (blank_at(text, at) != 0) return true;
    }
    return false;
}

class Echo {
public:
    Echo(std::string_view error, std::string_view args, std::string_view path)
        : error_(error.substr(0, kLongestError)), args_(args), path_(path) {
        for (std::size_t at = 0; at + kLook <= args_.size(); ++at) looks_.set(look(args_, at));
    }

    std::string rest() {
        for (std::size_t at = 0; at < error_.size() && out_.size() < kEnough;) {
            const std::size_t size = echoed(at);
            if (size == 0) {
                const std::size_t more = std::min(to_next_word(at), kEnough - out_.size());
                out_ += error_.substr(at, more);
                at += more;
                continue;
            }
            mark();
            at += size;
        }
        return std::move(out_);
    }

private:
    // Where a piece cannot stand in the arguments, these bytes do not: most words of an error are its own.
    static constexpr std::size_t kLook = 4, kLooks = 1u << 13;
    static_assert(kLook <= kShortest);
    static std::size_t look(std::string_view text, std::size_t at) {
        std::uint32_t bytes = 0;
        std::memcpy(&bytes, text.data() + at, kLook);
        return (bytes * 0x9e3779b1u) >> 19;
    }

    // Pieces with nothing but blanks between them are one, and how far one is indented is a part of it.
    void mark() {
        const std::size_t end = without_blanks(out_);
        const bool goes_on = end > 0 && out_[end - 1] == kMark;
        out_.resize(goes_on ? end : end + blank_at(out_, end));
        if (!goes_on) out_ += kMark;
        marked_ = true;
    }

    // Within a word no piece begins, but behind an escape.
    std::size_t to_next_word(std::size_t at) const {
        std::size_t next = at + 1;
        while (next < error_.size() && is_word(error_[next - 1]) && (next < 2 || error_[next - 2] != '\\')) ++next;
        return next - at;
    }

    std::size_t echoed(std::size_t at) const {
        if (blank_at(error_, at) != 0) return 0;
        const bool behind_escape = at >= 2 && blank_at(error_, at - 2) == 2;
        if (at > 0 && is_word(error_[at - 1]) && !behind_escape) return 0;
        // Behind one piece the short lines of the same text count as well.
        const bool goes_on = marked_ && begins_line(error_, at);
        const std::string_view begin = error_.substr(at, goes_on ? 1 : kShortest);
        if (!goes_on && (begin.size() < kShortest || !looks_[look(error_, at)])) return 0;
        std::size_t longest = 0;
        const auto next = [&](std::size_t from) { return goes_on ? find_near(args_, from, begin[0]) : find(from, at); };
        for (std::size_t found = next(0); found != args_.npos; found = next(found + 1)) {
            const std::size_t whole = common(at, found);
            for (const std::size_t size : {whole, without_blanks(error_.substr(at, whole))}) {
                if (size > longest && counts(at, found, size, goes_on)) longest = size;
            }
        }
        return longest;
    }

    // Where the next bytes of the arguments are those of the error at that place. Common letters are everywhere, two in
    // a row are not.
    std::size_t find(std::size_t from, std::size_t at) const {
        const char* const wanted = error_.data() + at;
        for (;; ++from) {
            from = find_pair_near(args_, from, wanted[0], wanted[1]);
            if (from >= args_.size() || from + kShortest > args_.size()) return args_.npos;
            if (std::memcmp(args_.data() + from, wanted, kShortest) == 0) return from;
        }
    }

    // A value ends at its quote.
    std::size_t common(std::size_t at, std::size_t found) const {
        std::size_t size = 0;
        while (at + size < error_.size() && found + size < args_.size() && error_[at + size] == args_[found + size]) {
            if (args_[found + size] == '"' && args_[found + size - 1] != '\\') break;
            ++size;
        }
        return size;
    }

    bool counts(std::size_t at, std::size_t found, std::size_t size, bool goes_on) const {
        const std::string_view piece = error_.substr(at, size);
        if (path_.find(piece) != path_.npos) return false;
        const bool line = is_line(error_, at, size) && is_line(args_, found, size);
        if (line && goes_on) return true;
        if (!has_blank(piece)) return false;
        const std::string_view front = args_.substr(0, without_blanks(args_.substr(0, found)));
        const bool value = front.ends_with('"') && found + size < args_.size() && args_[found + size] == '"';
        return size >= kStretch || (size >= kShortest && (line || value));
    }

    // Between two line breaks, but for the blanks and the marks of a patch before it.
    static bool begins_line(std::string_view text, std::size_t at) {
        while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '+' || text[at - 1] == '-')) --at;
        return breaks_before(text, at);
    }
    static bool is_line(std::string_view text, std::size_t at, std::size_t size) {
        const std::size_t end = at + size;
        return begins_line(text, at) && (end == text.size() || breaks_at(text, end) || text[end] == '"');
    }

    std::string_view error_, args_, path_;
    std::bitset<kLooks> looks_;
    std::string out_;
    bool marked_ = false;
};

}  // namespace

void EditOrders::keep(std::uint64_t seq, RawText args) {
    Order& order = orders_[next_++ % kOrders];
    order.seq = seq;
    order.args.assign(args.bytes.substr(0, kLongest));
}

std::string_view EditOrders::of(std::uint64_t seq) const {
    const auto known = std::ranges::find(orders_, seq, &Order::seq);
    return known == orders_.end() ? std::string_view{} : std::string_view(known->args);
}

namespace {

// Does the piece stand in the arguments as a whole string, raw or escaped?
bool is_argument(std::string_view args, std::string_view piece) {
    for (std::size_t at = args.find(piece); at != args.npos; at = args.find(piece, at + 1)) {
        const std::string_view behind = args.substr(at + piece.size());
        if (at > 0 && args[at - 1] == '"' && (behind.starts_with('"') || behind.starts_with("\\\""))) return true;
    }
    return false;
}

}  // namespace

std::string without_query(std::string_view answer, std::string_view args) {
    constexpr std::size_t kHead = 512, kLongestAnswer = 8u << 10;
    constexpr std::string_view kQuotes = "\"'`";
    std::string out;
    if (answer.size() > kLongestAnswer || args.empty()) return out;
    std::size_t copied = 0;
    for (std::size_t at = answer.find_first_of(kQuotes); at < kHead; at = answer.find_first_of(kQuotes, at + 1)) {
        const std::size_t end = answer.find(answer[at], at + 1);
        if (end == answer.npos) continue;
        std::string_view piece = answer.substr(at + 1, end - at - 1);
        while (piece.ends_with('\\')) piece.remove_suffix(1);
        if (piece.size() < kShortest || !is_argument(args, piece)) continue;
        out.append(answer, copied, at + 1 - copied);
        copied = at + 1 + piece.size();
        at = end;
    }
    return copied == 0 ? out : out.append(answer.substr(copied));
}

std::string without_echo(std::string_view error, std::string_view args, std::string_view path) {
    return Echo(error, args, path).rest();
}

}  // namespace agent_audit::detectors
