#include "detectors/words/act_words.hpp"

#include "detectors/words/act_words_levels.hpp"
#include "support/json_escape.hpp"
#include "support/wide_block64.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLetters = 6;
constexpr std::size_t kShortest = 3;
// Three digits in a word and more are an id, a size or a hash: every one is new and none says anything.
constexpr std::size_t kMostDigits = 2;

constexpr std::uint64_t kFirstFactor = 0x9e3779b97f4a7c15, kSecondFactor = 0xbf58476d1ce4e5b9;
constexpr unsigned kFoldShift = 29;
constexpr std::uint64_t kOdd = 0x0001000100000000;

// A packed word as a number of which the upper half is its hash. Both that and the upper quarter are odd, so that zero
// can mean none.
constexpr std::uint64_t fold(std::uint64_t packed) {
    packed *= kFirstFactor;
    packed ^= packed >> kFoldShift;
    packed *= kSecondFactor;
    return packed | kOdd;
}
constexpr std::uint32_t hash_of(std::uint64_t folded) { return static_cast<std::uint32_t>(folded >> 32); }
constexpr std::uint32_t fold_hash(std::uint64_t packed) { return hash_of(fold(packed)); }

constexpr std::uint64_t pack(std::string_view word) {
    std::uint64_t packed = 0;
    for (const char c : word.substr(0, kLetters)) packed = packed << 8 | static_cast<unsigned char>(c);
    return packed;
}

// What any task says, whatever it is about: grammar, and the verbs and nouns of working with files, pages and shells.
// This is the compiled prior of the lexical tier: a word on the list weighs nothing, all others weigh the same.
constexpr std::string_view kCommon[] = {
    "the",        "and",          "for",         "with",      "from",        "are",       "was",
    "were",       "this",         "that",        "these",     "those",       "then",      "than",
    "into",       "about",        "over",        "under",     "you",         "your",      "our",
    "they",       "their",        "his",         "her",       "him",         "its",       "can",
    "could",      "would",        "should",      "will",      "shall",       "may",       "might",
    "must",       "not",          "yes",         "does",      "did",         "done",      "has",
    "have",       "had",          "having",      "how",       "what",        "which",     "who",
    "whom",       "when",         "where",       "why",       "all",         "any",       "each",
    "some",       "more",         "most",        "other",     "such",        "only",      "own",
    "same",       "too",          "very",        "just",      "also",        "again",     "please",
    "but",        "because",      "while",       "there",     "here",        "out",       "through",
    "until",      "via",          "without",     "within",    "after",       "before",    "between",
    "during",     "both",         "either",      "let",       "lets",        "like",      "well",
    "way",        "one",          "two",         "three",     "four",        "five",      "six",
    "seven",      "eight",        "nine",        "ten",       "first",       "second",    "third",
    "last",       "next",         "new",         "now",       "still",       "already",   "once",
    "per",        "every",        "another",     "search",    "find",        "found",     "look",
    "lookup",     "provide",      "list",        "note",      "navigate",    "click",     "clicked",
    "typed",      "type",         "visit",       "open",      "opened",      "scroll",    "scrolled",
    "page",       "pages",        "website",     "web",       "site",        "link",      "links",
    "result",     "results",      "information", "info",      "detail",      "details",   "specific",
    "relevant",   "section",      "content",     "contents",  "article",     "articles",  "official",
    "return",     "check",        "verify",      "confirm",   "identify",    "locate",    "ensure",
    "use",        "used",         "using",       "access",    "continue",    "proceed",   "step",
    "steps",      "try",          "trying",      "need",      "needed",      "needs",     "make",
    "making",     "get",          "getting",     "give",      "given",       "show",      "see",
    "data",       "table",        "name",        "names",     "number",      "numbers",   "date",
    "time",       "source",       "sources",     "online",    "url",         "browser",   "bar",
    "address",    "back",         "button",      "down",      "screenshot",  "summary",   "following",
    "follow",     "include",      "included",    "including", "available",   "based",     "related",
    "focus",      "request",      "answer",      "question",  "task",        "current",   "currently",
    "direct",     "directly",     "retry",       "complete",  "completed",   "full",      "exact",
    "read",       "reading",      "download",    "reference", "mentioned",   "extract",   "gather",
    "collect",    "review",       "perform",     "different", "characters",  "term",      "terms",
    "key",        "previous",     "report",      "reports",   "able",        "unable",    "correct",
    "additional", "further",      "appropriate", "necessary", "potential",   "possible",  "possibly",
    "particular", "item",         "items",       "work",      "working",     "works",     "going",
    "file",       "files",        "line",        "lines",     "code",        "change",    "changes",
    "changed",    "update",       "updated",     "add",       "added",       "adding",    "remove",
    "removed",    "run",          "running",     "ran",       "test",        "tests",     "command",
    "output",     "error",        "errors",      "fix",       "fixed",       "issue",     "problem",
    "function",   "class",        "method",      "value",     "values",      "set",       "string",
    "true",       "false",        "null",        "none",      "main",        "src",       "lib",
    "usr",        "bin",          "home",        "tmp",       "users",       "user",      "cat",
    "head",       "tail",         "grep",        "sed",       "echo",        "print",     "path",
    "dir",        "directory",    "folder",      "git",       "description", "help",      "want",
    "good",       "great",        "sure",        "okay",      "now",         "implement", "implementation",
    "create",     "created",      "write",       "written",   "edit",        "https",     "http",
    "www",        "com",          "org",         "html",      "json",        "txt",       "let",
    "start",      "started",      "finish",      "progress",  "understand",  "examine",   "explore",
    "think",      "since",        "however",     "looks",     "seems",       "correctly", "properly",
    "actually",   "everything",   "something",   "anything",  "nothing",     "many",      "much",
    "few",        "long",         "keep",        "take",      "put",         "left",      "right",
    "top",        "bottom",       "end",         "part",      "place",       "thing",     "things",
    "case",       "cases",        "begin",       "patch",     "plan",        "goal",      "final",
    "finally",    "successfully", "success",     "failed",    "fail",        "fails",     "failing",
    "input",      "node",         "showing",     "position",
};

// Buckets of four that are compared at once: whether a word is common is as good as random, and no branch should ask.
// Of the hash a bucket keeps half: 4 kB stay in the nearest cache between two texts, and one in 50,000 other words is
// taken for a common one.
constexpr std::size_t kBuckets = 512;
constexpr std::size_t kWays = 4;

constexpr std::size_t bucket_of(std::uint64_t folded) { return folded >> 33 & (kBuckets - 1); }
constexpr std::uint64_t tag_of(std::uint64_t folded) { return folded >> 48; }

struct CommonWords {
    alignas(64) std::array<std::uint64_t, kBuckets> buckets{};  // tags of 16 bits; 0 = free
    bool fits = true;
};

constexpr CommonWords kCommonSet = [] {
    CommonWords set;
    for (const std::string_view word : kCommon) {
        const std::uint64_t hash = fold(pack(word));
        std::uint64_t& bucket = set.buckets[bucket_of(hash)];
        std::size_t way = 0;
        while (way < kWays && (bucket >> 16 * way & 0xffff) != 0 && (bucket >> 16 * way & 0xffff) != tag_of(hash))
            ++way;
        if (way == kWays) {
            set.fits = false;
        } else {
            bucket |= tag_of(hash) << 16 * way;
        }
    }
    return set;
}();
static_assert(kCommonSet.fits, "more buckets are needed");

bool is_common(std::uint64_t folded) {
    const std::uint64_t tags = kCommonSet.buckets[bucket_of(folded)];
#if AGENT_AUDIT_X86
    // All four at once. The upper halves are zero, and so equal: what else is equal is a tag.
    const __m128i tag = _mm_shufflelo_epi16(_mm_cvtsi64_si128(static_cast<std::int64_t>(folded)), 0xff);
    return _mm_movemask_epi8(_mm_cmpeq_epi16(tag, _mm_cvtsi64_si128(static_cast<std::int64_t>(tags)))) > 0xff00;
#else
    constexpr std::uint64_t kOnes = 0x0001000100010001, kHighs = 0x8000800080008000;
    // Tags that are equal become zero; the least of those that are zero is found without fail (Mycroft).
    const std::uint64_t others = tags ^ (tag_of(folded) * kOnes);
    return ((others - kOnes) & ~others & kHighs) != 0;
#endif
}

enum Kind : std::uint8_t { kOther, kLower, kUpper, kDigit, kHigh, kEscape };

constexpr auto kKinds = [] {
    std::array<Kind, 256> kinds{};
    for (int c = 'a'; c <= 'z'; ++c) kinds[static_cast<std::size_t>(c)] = kLower;
    for (int c = 'A'; c <= 'Z'; ++c) kinds[static_cast<std::size_t>(c)] = kUpper;
    for (int c = '0'; c <= '9'; ++c) kinds[static_cast<std::size_t>(c)] = kDigit;
    for (std::size_t c = 128; c < 256; ++c) kinds[c] = kHigh;
    kinds['\\'] = kEscape;
    return kinds;
}();

// Takes any text apart in one pass, byte by byte; a word is packed into a number as it is read.
class Splitter {
public:
    Splitter(std::string_view text, bool escaped, ActWords& out) : text_(text), escaped_(escaped), out_(out) {}

    void run() {
        while (at_ < text_.size() && !out_.full()) {
            const auto c = static_cast<unsigned char>(text_[at_]);
            switch (kKinds[c]) {
                case kLower: letters(); break;
                case kUpper:
                    // resetPassword is two words, HTTP is one.
                    if (last_lower_) end_word();
                    letter(static_cast<unsigned char>(c | 0x20));
                    last_lower_ = false;
                    break;
                case kDigit:
                    ++digits_;
                    ++at_;
                    last_lower_ = false;
                    break;
                case kHigh: high(); break;
                case kEscape:
                    if (escaped_) {
                        escape();
                    } else {
                        separate(1);
                    }
                    break;
                case kOther: separate(1); break;
            }
        }
        end_word();
    }

private:
    // Most bytes are letters in lower case that follow another one.
    void letters() {
        const char* at = text_.data() + at_;
        const char* const end = text_.data() + text_.size();
        std::uint64_t packed = packed_;
        std::uint32_t count = letters_;
        for (; at != end && kKinds[static_cast<unsigned char>(*at)] == kLower; ++at) {
            if (count++ < kLetters) packed = packed << 8 | static_cast<unsigned char>(*at);
        }
        packed_ = packed;
        letters_ = count;
        at_ = static_cast<std::size_t>(at - text_.data());
        last_lower_ = true;
        before_ = 0;
    }

    void letter(unsigned char c) {
        if (letters_ < kLetters) packed_ = packed_ << 8 | c;
        ++letters_;
        ++at_;
        last_lower_ = true;
        before_ = 0;
    }

    void end_word() {
        if (letters_ >= kShortest && digits_ <= kMostDigits) {
            const std::uint64_t folded = fold(packed_);
            if (!is_common(folded)) out_.add(hash_of(folded));
        }
        packed_ = 0;
        letters_ = digits_ = 0;
        last_lower_ = false;
    }

    void separate(std::size_t bytes) {
        end_word();
        before_ = 0;
        at_ += bytes;
    }

    void escape() {
        if (at_ + 5 < text_.size() && text_[at_ + 1] == 'u') {
            char32_t code = 0;
            for (std::size_t i = 2; i < 6; ++i) {
                const int digit = hex_digit(text_[at_ + i]);
                if (digit < 0) return separate(2);
                code = code << 4 | static_cast<char32_t>(digit);
            }
            return glyph(code, 6);
        }
        separate(2);
    }

    void high() {
        const auto lead = static_cast<unsigned char>(text_[at_]);
        const std::size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
        if (size == 1 || at_ + size > text_.size()) return separate(1);
        char32_t code = lead & (0xffU >> (size + 1));
        for (std::size_t i = 1; i < size; ++i) {
            const auto byte = static_cast<unsigned char>(text_[at_ + i]);
            if ((byte & 0xc0) != 0x80) return separate(1);
            code = code << 6 | (byte & 0x3fU);
        }
        glyph(code, size);
    }

    void glyph(char32_t code, std::size_t bytes) {
        if (code >= 0xc0 && code <= 0x24f) {  // Latin letters with marks belong to the word they stand in
            if (letters_ < kLetters) packed_ = packed_ << 8 | (code & 0xff);
            ++letters_;
            at_ += bytes;
            return;
        }
        end_word();
        at_ += bytes;
        if (code < 0x4e00 || code > 0x9fff) {
            before_ = 0;
            return;
        }
        if (before_ != 0) out_.add(fold_hash(std::uint64_t{before_} << 32 | code));
        before_ = code;
    }

    std::string_view text_;
    bool escaped_;
    ActWords& out_;
    std::size_t at_ = 0;
    std::uint64_t packed_ = 0;
    std::uint32_t letters_ = 0, digits_ = 0;
    char32_t before_ = 0;  // the Chinese character before this place; 0 = none
    bool last_lower_ = false;
};

constexpr std::size_t kBlock = Block64::kSize;
// What FastSplitter reads at most.
constexpr std::size_t kFastBytes = 5 * kBlock;
// Words of three letters and more, so many at most, and what a wide store writes behind them.
constexpr std::size_t kFastWords = kFastBytes / kShortest + 1 + 16;

// A packed word is handed on with its bytes turned round: so it is one shift away from how it stands in a text, and
// whoever hashes several at once turns them at once.
constexpr std::uint64_t turned(std::uint64_t packed) { return __builtin_bswap64(packed); }

// A word of letters, packed and turned. `last`: place of its last letter, of at most six. Eight bytes can be read
// there.
std::uint64_t turned_at(const char* word, unsigned last) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, word, sizeof bytes);
    if constexpr (std::endian::native == std::endian::big) bytes = __builtin_bswap64(bytes);
    return (bytes | 0x2020202020202020ULL) << (56 - 8 * last);
}

// A word with digits in it, packed; 0 = no word.
std::uint64_t packed_mixed(std::string_view word) {
    std::uint64_t packed = 0;
    std::size_t letters = 0, digits = 0;
    for (const char letter : word) {
        const auto c = static_cast<unsigned char>(letter);
        if (kKinds[c] == kDigit) {
            ++digits;
        } else if (++letters <= kLetters) {
            packed = packed << 8 | (c | 0x20U);
        }
    }
    return letters >= kShortest && digits <= kMostDigits ? packed : 0;
}

// Keeps what no escape takes. False when one stands for a character by its number. `skip`: the first byte of the
// block is escaped (in), that behind the block is (out).
bool unescape(std::string_view block, std::uint64_t escapes, std::uint64_t& kept, bool& skip) {
    std::uint64_t escaped = skip ? 1 : 0;
    if (skip && block[0] == 'u') return false;
    skip = false;
    for (std::uint64_t left = escapes; left != 0; left &= left - 1) {
        const auto place = static_cast<unsigned>(std::countr_zero(left));
        if ((escaped >> place & 1) != 0) continue;  // an escaped escape
        if (place + 1 == block.size()) {
            skip = true;
            break;
        }
        if (block[place + 1] == 'u') return false;
        escaped |= std::uint64_t{2} << place;
    }
    kept = ~escaped;
    return true;
}

// The hashes of packed words that are not common. Those that are not kept are written over by the next one.
class TellingWords {
public:
    void add(std::uint64_t turned_word) {
        const std::uint64_t folded = fold(turned(turned_word));
        hashes_[kept_] = hash_of(folded);
        kept_ += is_common(folded) ? 0u : 1u;
    }
    std::span<const std::uint32_t> all() const { return {hashes_.data(), kept_}; }

private:
    std::array<std::uint32_t, kFastWords> hashes_;
    std::size_t kept_ = 0;
};

#if AGENT_AUDIT_X86
AGENT_AUDIT_WIDE_BEGIN
namespace wide {

// The same, eight at a time.
class TellingWords {
public:
    void add(std::uint64_t turned_word) { turned_[count_++] = turned_word; }

    std::span<const std::uint32_t> all() {
        const __m512i turns =
            _mm512_set4_epi64(0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607);
        const __m512i tag_bytes = _mm512_set4_epi32(0x09080908, 0x09080908, 0x01000100, 0x01000100);
        _mm512_storeu_si512(turned_.data() + count_, _mm512_setzero_si512());  // read, and not taken
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count_; i += 8) {
            __m512i words = _mm512_shuffle_epi8(_mm512_loadu_si512(turned_.data() + i), turns);
            words = _mm512_mullo_epi64(words, _mm512_set1_epi64(static_cast<std::int64_t>(kFirstFactor)));
            words = _mm512_xor_si512(words, _mm512_srli_epi64(words, kFoldShift));
            words = _mm512_mullo_epi64(words, _mm512_set1_epi64(static_cast<std::int64_t>(kSecondFactor)));
            const __m512i hash =
                _mm512_or_si512(_mm512_srli_epi64(words, 32), _mm512_set1_epi64(static_cast<std::int64_t>(kOdd >> 32)));
            const __m512i bucket = _mm512_and_si512(_mm512_srli_epi64(hash, 1), _mm512_set1_epi64(kBuckets - 1));
            const __m512i tags = _mm512_i64gather_epi64(bucket, kCommonSet.buckets.data(), 8);
            const __m512i tag = _mm512_srli_epi64(hash, 16);
            const __mmask32 same = _mm512_cmpeq_epi16_mask(tags, _mm512_shuffle_epi8(tag, tag_bytes));
            const __mmask8 common = _mm512_test_epi64_mask(_mm512_movm_epi16(same), _mm512_movm_epi16(same));
            const auto kept_here = static_cast<__mmask8>(~common & low_bits(count_ - i));
            const __m512i narrow = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(hash));
            _mm512_storeu_si512(hashes_.data() + kept, _mm512_maskz_compress_epi32(kept_here, narrow));
            kept += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(kept_here)));
        }
        return {hashes_.data(), kept};
    }

private:
    std::array<std::uint64_t, kFastWords> turned_;
    std::array<std::uint32_t, kFastWords> hashes_;
    std::size_t count_ = 0;
};

}  // namespace wide
AGENT_AUDIT_WIDE_END
#endif

#define AGENT_AUDIT_KERNEL "detectors/words/words_kernel.inc"
#include "support/each_width.inc"

}  // namespace

namespace {

// The Splitter reads no more than it must: from the word where the others gave up to the first blank behind a few more.
void take_words(std::size_t (*split)(std::string_view, bool, ActWords&), std::string_view bytes, bool escaped,
                ActWords& words) {
    constexpr std::size_t kFew = 24;  // bytes
    while (!words.full()) {
        bytes.remove_prefix(split(bytes, escaped, words));
        if (bytes.empty()) return;
        const std::string_view slow = bytes.substr(0, bytes.size() > kFew ? bytes.find(' ', kFew) : bytes.npos);
        Splitter(slow, escaped, words).run();
        bytes.remove_prefix(slow.size());
        if (bytes.empty()) return;
    }
}

}  // namespace

void add_words_at(SimdLevel level, RawText text, std::size_t limit, ActWords& words) {
    const std::string_view bytes = text.bytes.substr(0, limit);
    const bool escaped = text.form != TextForm::plain;
    take_words(at_level(level, portable::split, avx2::split, wide::split), bytes, escaped, words);
}

void add_words(RawText text, std::size_t limit, ActWords& words) {
    static const SimdLevel level = best_simd();
    add_words_at(level, text, limit, words);
}

std::uint32_t act_word(std::string_view word) { return fold_hash(pack(word)); }

}  // namespace agent_audit::detectors
