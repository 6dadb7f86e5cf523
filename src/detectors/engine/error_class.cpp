#include "detectors/engine/error_class.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace agent_audit::detectors {
namespace {

constexpr std::array<std::string_view, 21> kPhrases{
    "timed out", "timeout", "etimedout", "econnrefused", "econnreset", "connection refused", "connection reset",
    "connection closed", "connection error", "rate limit", "rate_limit", "too many requests", "overloaded",
    "temporarily unavailable", "service unavailable", "bad gateway", "gateway timeout", "try again later",
    "eai_again", "socket hang up", "network is unreachable"};

constexpr std::array<std::string_view, 9> kCodes{"408", "425", "429", "500", "502", "503", "504", "522", "529"};
constexpr std::array<std::string_view, 5> kCodeWords{"http", "status", "code", "error", "response"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// A code counts only as a whole number with a word near it that makes it one: "line 500" is no HTTP 500.
bool has_code(const std::string& text) {
    for (const std::string_view code : kCodes) {
        for (auto at = text.find(code); at != text.npos; at = text.find(code, at + 1)) {
            const bool whole = (at == 0 || !is_digit(text[at - 1])) &&
                               (at + code.size() == text.size() || !is_digit(text[at + code.size()]));
            if (!whole) continue;
            const std::size_t from = at > 16 ? at - 16 : 0;
            const std::string_view before = std::string_view(text).substr(from, at - from);
            if (std::ranges::any_of(kCodeWords, [&](std::string_view w) { return before.find(w) != before.npos; })) return true;
        }
    }
    return false;
}

}  // namespace

bool is_transient_error(RawText text) {
    std::string lower(text.bytes.substr(0, 400));
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::any_of(kPhrases, [&](std::string_view p) { return lower.find(p) != lower.npos; }) || has_code(lower);
}

}  // namespace agent_audit::detectors
