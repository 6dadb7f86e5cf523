#include "detectors/outcomes/status_code.hpp"

#include "support/ascii.hpp"
#include "support/find_near.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

bool equal(std::string_view text, std::string_view lower_word) {
    return std::ranges::equal(text, lower_word, {}, lower);
}
template <std::size_t N>
bool among(std::string_view text, const std::array<std::string_view, N>& words) {
    return std::ranges::any_of(words, [&](std::string_view w) { return equal(text, w); });
}

// What makes the number after it a code, with nothing but marks and small words in between.
constexpr std::array<std::string_view, 6> kStrong{"http",        "https",     "httpstatus",
                                                  "http_status", "http_code", "httpcode"};
constexpr std::array<std::string_view, 13> kWeak{
    "status", "statuscode", "status_code",   "code",           "error",    "error_code", "errorcode",
    "err",    "response",   "response_code", "responsestatus", "apierror", "api_error"};
constexpr std::array<std::string_view, 6> kFill{"of", "is", "was", "with", "a", "an"};
// What may follow a code that is known by a weak word only: "error 404 on /api", but not "error 404 files".
constexpr std::array<std::string_view, 42> kAfter{
    "on",       "at",       "from",       "for",          "while",         "when",     "in",      "during",   "with",
    "received", "occurred", "returned",   "error",        "errors",        "response", "status",  "internal", "bad",
    "service",  "gateway",  "not",        "unauthorized", "forbidden",     "too",      "request", "conflict", "gone",
    "method",   "server",   "page",       "rate",         "unprocessable", "payment",  "proxy",   "and",      "but",
    "because",  "client",   "overloaded", "timeout",      "precondition",  "slow"};
constexpr std::array<std::string_view, 12> kUnits{"ms", "s",  "sec",   "seconds", "msec", "bytes",
                                                  "kb", "mb", "items", "lines",   "rows", "files"};

/// Looks around one number of three digits.
class Surroundings {
public:
    Surroundings(std::string_view text, std::size_t at) : text_(text), begin_(at), end_(at + 3) {}

    bool make_a_code() const {
        if (!is_whole()) return false;
        const Context context = before();
        return context != Context::none && after(context);
    }

private:
    enum class Context { none, weak, strong };

    char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    // Letters, digits, paths and decimals glued to it make it part of something else.
    bool is_whole() const {
        if (begin_ > 0) {
            const char left = text_[begin_ - 1];
            if (is_digit(left) || is_letter(left) || left == '_' || left == '.' || left == '-' || left == '$')
                return false;
            if ((left == ',' || left == ':') && begin_ > 1 && is_digit(text_[begin_ - 2])) return false;
        }
        const char right = at(end_), next = at(end_ + 1);
        if (is_digit(right) || is_letter(right) || right == '_' || right == '%' || right == '/') return false;
        return !((right == '.' || right == ':' || right == ',' || right == '-') && is_digit(next));
    }

    static bool is_mark(char c) {
        return c == ' ' || c == ':' || c == '=' || c == '(' || c == '[' || c == '#' || c == '"' || c == '\'' ||
               c == '\\' || c == '<' || c == '*' || c == '`';
    }

    /// The word that ends before `end`, which moves to its beginning; marks are passed over.
    std::string_view word_before(std::size_t& end) const {
        for (int marks = 0; end > 0 && is_mark(text_[end - 1]) && marks < 8; ++marks) --end;
        const std::size_t stop = end;
        while (end > 0 && stop - end < 20 && (is_letter(text_[end - 1]) || text_[end - 1] == '_')) --end;
        // The n of an escaped line break belongs to no word.
        const bool escape = end > 0 && stop > end && text_[end - 1] == '\\' && (text_[end] == 'n' || text_[end] == 't');
        return escape ? text_.substr(end + 1, stop - end - 1) : text_.substr(end, stop - end);
    }

    /// "HTTP/1.1 503": steps over the version.
    void skip_version(std::size_t& end) const {
        std::size_t i = end;
        while (i > 0 && text_[i - 1] == ' ') --i;
        while (i > 0 && (is_digit(text_[i - 1]) || text_[i - 1] == '.')) --i;
        if (i > 4 && i != end && text_[i - 1] == '/' && equal(text_.substr(i - 5, 4), "http")) end = i - 1;
    }

    Context before() const {
        std::size_t end = begin_;
        skip_version(end);
        std::string_view word = word_before(end);
        for (int fills = 0; fills < 2 && !word.empty() && among(word, kFill); ++fills) word = word_before(end);
        if (word.empty()) return Context::none;
        if (among(word, kStrong)) return Context::strong;
        if (equal(word, "responded")) return Context::weak;
        if (!among(word, kWeak)) return Context::none;
        std::string_view whose = word_before(end);
        if (among(whose, kFill)) whose = word_before(end);
        if (equal(whose, "exit") || equal(whose, "exited") || equal(whose, "return"))
            return Context::none;  // a program's
        if (equal(whose, "http") || equal(whose, "api")) return Context::strong;
        return Context::weak;
    }

    bool begins_hump(std::size_t i) const { return is_upper(text_[i]) && is_lower(text_[i - 1]); }

    bool after(Context context) const {
        std::size_t i = end_;
        while (at(i) == ' ') ++i;
        const std::size_t begin = i;
        // The first word of ServiceUnavailable.
        while (i < text_.size() && is_letter(text_[i]) && (i == begin || !begins_hump(i))) ++i;
        const std::string_view word = text_.substr(begin, i - begin);
        if (word.empty() || begin == end_) return true;  // an end, a mark
        return context == Context::strong ? !among(word, kUnits) : among(word, kAfter);
    }

    std::string_view text_;
    std::size_t begin_, end_;
};

}  // namespace

std::uint16_t next_status_code(std::string_view text, std::size_t& from) {
    for (std::size_t i = find_digit_near(text, from); i != text.npos; i = find_digit_near(text, i)) {
        std::size_t end = i;
        while (end < text.size() && is_digit(text[end])) ++end;
        if (end - i == 3 && text[i] != '0' && Surroundings(text, i).make_a_code()) {
            from = end;
            return static_cast<std::uint16_t>((text[i] - '0') * 100 + (text[i + 1] - '0') * 10 + (text[i + 2] - '0'));
        }
        i = end;
    }
    from = text.size();
    return 0;
}

}  // namespace agent_audit::detectors
