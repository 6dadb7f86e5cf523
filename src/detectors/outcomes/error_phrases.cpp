#include "detectors/outcomes/error_phrases.hpp"

#include "detectors/words/raw_lines.hpp"
#include "support/ascii.hpp"
#include "support/simd.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#if AGENT_AUDIT_X86
#include <emmintrin.h>
#endif

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kTransient[] = {
    // These say only that the time was up, of whatever it was waited for.
    "timed out",
    "timeouterror",
    "timeoutexception",
    "timeoutexpired",
    "error timeout",
    "timeout of #",
    "timeout after #",
    "timeout exceeded",
    "timeout expired",
    "timeout reached",
    "timeout while",
    "timeout waiting",
    "timeout occurred",
    // These say what was not reached.
    "etimedout",
    "esockettimedout",
    "connect timeout",
    "connection timeout",
    "read timeout",
    "write timeout",
    "request timeout",
    "gateway timeout",
    "gateway time out",
    "network timeout",
    "socket timeout",
    "operation timeout",
    "response timeout",
    "navigation timeout",
    "handshake timeout",
    "idle timeout",
    "upstream timeout",
    "lock timeout",
    "lock wait timeout",
    "query timeout",
    "statement timeout",
    "deadline exceeded",
    "deadline has been exceeded",
    "connection refused",
    "connection reset",
    "connection aborted",
    "connection closed",
    "connection lost",
    "connection dropped",
    "connection interrupted",
    "connection terminated",
    "connection error",
    "connection was refused",
    "connection was reset",
    "connection was closed",
    "connection was lost",
    "failed to connect",
    "couldn't connect to",
    "could not connect to",
    "unable to connect",
    "cannot connect to",
    "can't connect to",
    "connection has been closed",
    "connection is closed",
    "connection to * refused",
    "connection to * was refused",
    "connection to * closed",
    "connection to * lost",
    "connection to * failed",
    "econnrefused",
    "econnreset",
    "econnaborted",
    "ehostunreach",
    "enetunreach",
    "eai again",
    "socket hang up",
    "network is unreachable",
    "network is down",
    "host is unreachable",
    "host is down",
    "no route to host",
    "network error",
    "fetch failed",
    "temporary failure in name resolution",
    "could not resolve host",
    "upstream connect error",
    "rate limit",
    "rate limited",
    "rate limits exceeded",
    "ratelimit",
    "ratelimiterror",
    "ratelimited",
    "too many requests",
    "throttled",
    "throttling",
    "throttlingexception",
    "overloaded error",
    "overloadederror",
    "server overloaded",
    "server is overloaded",
    "service overloaded",
    "service is overloaded",
    "model overloaded",
    "model is overloaded",
    "model is currently overloaded",
    "api is overloaded",
    "engine is overloaded",
    "engine is currently overloaded",
    "temporarily unavailable",
    "temporarily overloaded",
    "currently unavailable",
    "service unavailable",
    "bad gateway",
    "internal server error",
    "try again later",
    "try again in #",
    "try again in a",
    "database is locked",
    "could not get lock",
    "reduce your request rate",
};

constexpr std::size_t kOnlyTimes = 13;  // of them in front
static_assert(kTransient[kOnlyTimes] == "etimedout");

constexpr std::string_view kPersistent[] = {
    "permission denied",
    "operation not permitted",
    "access denied",
    "access is denied",
    "to the resource is denied",
    "eacces",
    "eperm",
    "enoent",
    "enotdir",
    "eisdir",
    "eexist",
    "enotempty",
    "unauthorized",
    "unauthenticated",
    "forbidden",
    "authentication failed",
    "authentication required",
    "authentication error",
    "not authenticated",
    "not logged in",
    "invalid api key",
    "invalid key",
    "invalid token",
    "invalid credential",
    "invalid credentials",
    "invalid password",
    "invalid signature",
    "invalid grant",
    "invalid x api key",
    "incorrect api key",
    "incorrect password",
    "wrong password",
    "wrong credentials",
    "missing api key",
    "missing token",
    "missing credentials",
    "expired token",
    "token expired",
    "token has expired",
    "revoked token",
    "bad credentials",
    "bad password",
    "credentials are invalid",
    "credentials expired",
    "credentials have expired",
    "insufficient quota",
    "insufficient permission",
    "insufficient permissions",
    "insufficient scope",
    "insufficient scopes",
    "insufficient privileges",
    "insufficient balance",
    "insufficient funds",
    "not found",
    "notfound",
    "does not exist",
    "doesn't exist",
    "do not exist",
    "no such file",
    "no such directory",
    "no such module",
    "no such package",
    "no such table",
    "no such column",
    "no such command",
    "no such option",
    "no such method",
    "no such tool",
    "no such image",
    "no such container",
    "no such remote",
    "no such ref",
    "cannot find",
    "can't find",
    "could not find",
    "couldn't find",
    "unable to find",
    "cannot open",
    "can't open",
    "could not open",
    "unable to open",
    "cannot locate",
    "unable to locate",
    "cannot resolve module",
    "cannot import",
    "unknown tool",
    "unknown command",
    "unknown option",
    "unknown argument",
    "unknown flag",
    "unknown function",
    "unknown method",
    "unknown parameter",
    "unknown property",
    "unknown identifier",
    "unrecognized option",
    "unrecognized argument",
    "unrecognized arguments",
    "unrecognized command",
    "invalid argument",
    "invalid arguments",
    "invalid option",
    "invalid parameter",
    "invalid parameters",
    "invalid params",
    "invalid input",
    "invalid path",
    "invalid syntax",
    "invalid json",
    "invalid request",
    "invalid value",
    "invalid type",
    "invalid schema",
    "syntaxerror",
    "syntax error",
    "typeerror",
    "referenceerror",
    "nameerror",
    "keyerror",
    "valueerror",
    "attributeerror",
    "importerror",
    "modulenotfounderror",
    "filenotfounderror",
    "assertionerror",
    "indexerror",
    "bad request",
    "method not allowed",
    "not supported",
    "not implemented",
    "not allowed",
    "not permitted",
    "not a directory",
    "not a git repository",
    "is a directory",
    "already exists",
    "is required",
    "missing required",
    "required parameter",
    "required argument",
    "required property",
    "required field",
    "has not been read",
    "must be read",
    "read it first",
    "merge conflict",
    "validation error",
    "validation failed",
    "compilation failed",
    "compilation error",
    "undefined reference",
    "undefined symbol",
    "undefined variable",
    "undefined function",
    "undefined method",
};

constexpr std::string_view kInfrastructure[] = {
    "no space left on device",
    "disk full",
    "disk is full",
    "disk quota exceeded",
    "enospc",
    "enomem",
    "emfile",
    "enfile",
    "edquot",
    "erofs",
    "out of memory",
    "memoryerror",
    "outofmemoryerror",
    "cannot allocate memory",
    "oom kill",
    "oom killed",
    "oomkilled",
    "too many open files",
    "read only file system",
    "input output error",
    "segmentation fault",
    "bus error",
    "sandbox error",
    "sandbox crashed",
    "sandbox terminated",
    "sandbox was terminated",
    "sandbox is not available",
    "sandbox not available",
    "sandbox unavailable",
    "sandbox failed to start",
    "container is not running",
    "container * is not running",
    "container not running",
    "container has exited",
    "container exited unexpectedly",
    "container died",
    "cannot connect to the docker daemon",
    "mcp server disconnected",
    "mcp server is not connected",
    "mcp server not connected",
    "mcp server crashed",
    "mcp server * is not connected",
    "mcp server * disconnected",
    "mcp server * crashed",
    "mcp server * not connected",
    "tool server crashed",
    "tool server exited",
    "tool runtime crashed",
    "tool host crashed",
};

constexpr std::string_view kUserDenied[] = {
    "user rejected",
    "user denied",
    "user declined",
    "user refused",
    "user cancelled",
    "user canceled",
    "user aborted",
    "user interrupted",
    "user has rejected",
    "user has denied",
    "user has declined",
    "user doesn't want",
    "user does not want",
    "user didn't want",
    "user did not want",
    "user did not approve",
    "user didn't approve",
    "user did not allow",
    "rejected by user",
    "rejected by the user",
    "denied by user",
    "denied by the user",
    "declined by user",
    "declined by the user",
    "refused by the user",
    "cancelled by user",
    "cancelled by the user",
    "canceled by user",
    "canceled by the user",
    "aborted by user",
    "aborted by the user",
    "interrupted by user",
    "interrupted by the user",
    "rejected by human",
    "denied by operator",
    "approval denied",
    "approval was denied",
    "approval rejected",
    "approval was rejected",
    "approval declined",
    "denied by policy",
    "blocked by policy",
    "rejected by policy",
    "denied by the policy",
    "denied by * policy",
    "blocked by * policy",
    "rejected by * policy",
    "denied by your permission settings",
    "denied by permission settings",
    "blocked by your permission settings",
    "denied by administrator",
    "denied by your administrator",
    "blocked by your administrator",
    "permission to use * has been denied",
    "permission to use * was denied",
};

constexpr std::uint16_t kTransientCodes[] = {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529};
constexpr std::uint16_t kPersistentCodes[] = {400, 401, 402, 403, 404, 405, 406, 409, 410, 413, 415, 422, 501};

constexpr ErrorDefaults kDefaults[] = {
    {ErrorClass::user_denied,
     "user-denied",
     "a human or a policy said no; what a human denied is no evidence of anything",
     kUserDenied,
     {}},
    {ErrorClass::infrastructure, "infrastructure", "the machine or the harness is at fault", kInfrastructure, {}},
    {ErrorClass::transient, "transient", "goes away by itself, so the repeat rules wait longer", kTransient,
     kTransientCodes},
    {ErrorClass::persistent, "persistent", "comes back until something is changed", kPersistent, kPersistentCodes},
};

// ---- the index: phrases by their first word -------------------------------------------------------------------

/// What words are made of, in lower case; 0 = parts words.
constexpr auto kWordByte = [] {
    std::array<char, 256> bytes{};
    for (unsigned c = 0; c < 256; ++c) {
        const char l = lower(static_cast<char>(c));
        bytes[c] = (l >= 'a' && l <= 'z') || is_digit(l) || l == '\'' ? l : '\0';
    }
    return bytes;
}();
constexpr char word_byte(char c) { return kWordByte[static_cast<unsigned char>(c)]; }

constexpr std::uint32_t kHashStart = 2166136261u;
constexpr std::uint32_t hash_step(std::uint32_t hash, char c) {
    return (hash ^ static_cast<unsigned char>(c)) * 16777619u;
}

constexpr std::size_t kBuckets = 1024;
constexpr std::size_t bucket_of(std::uint32_t hash) { return (hash ^ (hash >> 15)) % kBuckets; }

struct Phrase {
    std::string_view words;
    std::uint16_t bucket = 0;
    std::uint8_t bits = 0;  // what phrases_in() says of a text with it
};

constexpr std::size_t kPhrases =
    std::size(kTransient) + std::size(kPersistent) + std::size(kInfrastructure) + std::size(kUserDenied);
static_assert(kPhrases < 65'536);

struct Index {
    std::array<Phrase, kPhrases> phrases{};
    std::array<std::uint16_t, kBuckets + 1> begin{};  // where the phrases of a bucket stand
};

constexpr Index kIndex = [] {
    Index index;
    std::size_t n = 0;
    for (std::uint8_t row = 0; row < std::size(kDefaults); ++row) {
        const auto bit = static_cast<std::uint8_t>(1u << row);
        std::size_t only_times = kDefaults[row].error == ErrorClass::transient ? kOnlyTimes : ~std::size_t{0};
        for (const std::string_view words : kDefaults[row].phrases) {
            std::uint32_t hash = kHashStart;
            for (const char c : words.substr(0, words.find(' '))) hash = hash_step(hash, c);
            const std::uint8_t bits = only_times == 0 ? bit | kNamesTrouble : bit;
            only_times -= only_times > 0;
            index.phrases[n++] = {words, static_cast<std::uint16_t>(bucket_of(hash)), bits};
        }
    }
    // Counted, then put in place: a comparison sort of this many is too much for a compiler's patience.
    for (const Phrase& phrase : index.phrases) ++index.begin[phrase.bucket + 1u];
    for (std::size_t b = 0; b < kBuckets; ++b)
        index.begin[b + 1] = static_cast<std::uint16_t>(index.begin[b + 1] + index.begin[b]);
    std::array<Phrase, kPhrases> sorted{};
    std::array<std::uint16_t, kBuckets + 1> next = index.begin;
    for (const Phrase& phrase : index.phrases) sorted[next[phrase.bucket]++] = phrase;
    index.phrases = sorted;
    return index;
}();

/// How phrases begin, by their first two letters: most words of a text are passed over without being hashed.
constexpr std::size_t begin_of(char a, char b) { return static_cast<std::size_t>((a & 31) << 5 | (b & 31)); }
constexpr std::array<bool, 1024> kBegins = [] {
    std::array<bool, 1024> begins{};
    for (const ErrorDefaults& row : kDefaults) {
        for (const std::string_view words : row.phrases) {
            if (words.size() < 2 || word_byte(words[0]) == '\0' || word_byte(words[1]) == '\0') {
                for (std::size_t b = 0; b < 32; ++b) begins[begin_of(words[0], static_cast<char>(b))] = true;
            } else {
                begins[begin_of(words[0], words[1])] = true;
            }
        }
    }
    return begins;
}();

// ---- the search ------------------------------------------------------------------------------------------------

/// Which of the 64 bytes at `at` words are made of, as bits.
std::uint64_t word_bits(const char* at) {
    std::uint64_t bits = 0;
#if AGENT_AUDIT_X86
    const auto within = [](__m128i v, char first, char count) {
        const __m128i above = _mm_sub_epi8(v, _mm_set1_epi8(first));
        return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(static_cast<char>(count - 1))), above);
    };
    for (int part = 0; part < 4; ++part) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16 * part));
        const __m128i letter = within(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 26);
        const __m128i other = _mm_or_si128(within(v, '0', 10), _mm_cmpeq_epi8(v, _mm_set1_epi8('\'')));
        bits |= std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(letter, other)))} << (16 * part);
    }
#else
    for (int i = 0; i < 64; ++i) bits |= std::uint64_t{word_byte(at[i]) != '\0'} << i;
#endif
    return bits;
}

/// Calls `take` with the place where each word begins. An escaped letter belongs to no word.
template <class Take>
void each_word(std::string_view text, Take&& take) {
    std::uint64_t carry = 0;  // the block before ends within a word
    for (std::size_t block = 0; block < text.size(); block += 64) {
        std::array<char, 64> last{};
        const char* at = text.data() + block;
        if (text.size() - block < last.size()) {
            std::memcpy(last.data(), at, text.size() - block);
            at = last.data();
        }
        const std::uint64_t words = word_bits(at);
        std::uint64_t begins = words & ~(words << 1 | carry);
        carry = words >> 63;
        for (; begins != 0; begins &= begins - 1) {
            std::size_t begin = block + static_cast<std::size_t>(std::countr_zero(begins));
            if (begin > 0 && text[begin - 1] == '\\' && inside_escape(text, begin)) {
                if (++begin == text.size() || word_byte(text[begin]) == '\0') continue;
            }
            take(begin);
        }
    }
}

/// A phrase against the text, from the beginning of its first word.
class Comparison {
public:
    Comparison(std::string_view text, std::size_t at) : text_(text), at_(at) {}

    bool matches(std::string_view words) {
        for (const char c : words) {
            if (c == ' ' ? !gap() : c == '*' || c == '#' ? !anything(c == '#') : !same(c)) return false;
        }
        return at_ == text_.size() || word_byte(text_[at_]) == '\0' || words.back() == '*' || words.back() == '#';
    }

private:
    static constexpr std::size_t kWidestGap = 4, kLongestName = 80;

    bool same(char c) {
        if (at_ == text_.size() || lower(text_[at_]) != c) return false;
        ++at_;
        return true;
    }
    bool gap() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && at_ - begin < kWidestGap && word_byte(text_[at_]) == '\0') ++at_;
        return at_ > begin;
    }
    bool anything(bool digit) {
        if (at_ == text_.size() || (digit && !is_digit(text_[at_]))) return false;
        const std::size_t end = std::min(text_.find(' ', at_), text_.size());
        if (end == at_ || end - at_ > kLongestName) return false;
        at_ = end;
        return true;
    }

    std::string_view text_;
    std::size_t at_;
};

}  // namespace

std::span<const ErrorDefaults> error_defaults() { return kDefaults; }

std::uint8_t phrases_in(std::string_view text) {
    std::uint8_t rows = 0;
    each_word(text, [&](std::size_t begin) {
        const char second = begin + 1 < text.size() ? lower(text[begin + 1]) : '\0';
        if (!kBegins[begin_of(lower(text[begin]), second)]) return;
        std::uint32_t hash = kHashStart;
        for (std::size_t i = begin; i < text.size(); ++i) {
            const char c = word_byte(text[i]);
            if (c == '\0') break;
            hash = hash_step(hash, c);
        }
        const std::size_t bucket = bucket_of(hash);
        for (std::size_t p = kIndex.begin[bucket]; p < kIndex.begin[bucket + 1]; ++p) {
            const Phrase& phrase = kIndex.phrases[p];
            if ((rows & phrase.bits) != phrase.bits && Comparison(text, begin).matches(phrase.words))
                rows |= phrase.bits;
        }
    });
    return rows;
}

}  // namespace agent_audit::detectors
