#include "detectors/engine/act_words.hpp"

#include "support/block64.hpp"
#include "support/json_escape.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLetters = 6;
constexpr std::size_t kShortest = 3;
// Three digits in a word and more are an id, a size or a hash: every one is new and none says anything.
constexpr std::size_t kMostDigits = 2;

constexpr std::uint32_t fold_hash(std::uint64_t packed) {
    packed *= 0x9e3779b97f4a7c15ULL;
    packed ^= packed >> 29;
    packed *= 0xbf58476d1ce4e5b9ULL;
    return static_cast<std::uint32_t>(packed >> 32) | 1;
}

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

constexpr std::size_t bucket_of(std::uint32_t hash) { return hash >> 1 & (kBuckets - 1); }
constexpr std::uint64_t tag_of(std::uint32_t hash) { return hash >> 16 | 1; }

struct CommonWords {
    alignas(64) std::array<std::uint64_t, kBuckets> buckets{};  // tags of 16 bits; 0 = free
    bool fits = true;
};

constexpr CommonWords kCommonSet = [] {
    CommonWords set;
    for (const std::string_view word : kCommon) {
        const std::uint32_t hash = fold_hash(pack(word));
        std::uint64_t& bucket = set.buckets[bucket_of(hash)];
        std::size_t way = 0;
        while (way < kWays && (bucket >> 16 * way & 0xffff) != 0 && (bucket >> 16 * way & 0xffff) != tag_of(hash)) ++way;
        if (way == kWays) {
            set.fits = false;
        } else {
            bucket |= tag_of(hash) << 16 * way;
        }
    }
    return set;
}();
static_assert(kCommonSet.fits, "more buckets are needed");

bool is_common(std::uint32_t hash) {
    constexpr std::uint64_t kOnes = 0x0001000100010001, kHighs = 0x8000800080008000;
    // Tags that are equal become zero; the least of those that are zero is found without fail (Mycroft).
    const std::uint64_t others = kCommonSet.buckets[bucket_of(hash)] ^ (tag_of(hash) * kOnes);
    return ((others - kOnes) & ~others & kHighs) != 0;
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
            const std::uint32_t hash = fold_hash(packed_);
            if (!is_common(hash)) out_.add(hash);
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

// Which of 64 bytes belong to a kind of character, as bits.
struct Kinds {
    std::uint64_t lower = 0, upper = 0, digit = 0, escape = 0;
    bool slow = false;  // a letter with marks or a Chinese character may stand here
};

Kinds kinds_of(const Block64& bytes) {
    Kinds kinds;
    kinds.lower = bytes.between('a', 'z');
    kinds.upper = bytes.between('A', 'Z');
    kinds.digit = bytes.between('0', '9');
    kinds.escape = bytes.equal('\\');
    kinds.slow = (bytes.between('\xc3', '\xc9') | bytes.between('\xe4', '\xe9')) != 0;
    return kinds;
}

// The same as Splitter for texts of plain letters, 64 bytes at a time: where words begin and end is found for all of
// them at once. Most texts are such; the others are left to the Splitter.
class FastSplitter {
public:
    static constexpr std::size_t kMostBytes = 5 * kBlock;

    FastSplitter(std::string_view text, bool escaped) : text_(text), escaped_(escaped) {}

    /// False when the text has more than plain letters in it; nothing was added then.
    bool run(ActWords& out) {
        if (text_.size() > kMostBytes || !look()) return false;
        take(out);
        return true;
    }

private:
    bool look() {
        std::uint64_t lower_before = 0, token_before = 0;
        blocks_ = (text_.size() + kBlock - 1) / kBlock;
        bool skip = false;  // the byte before was an escape
        for (std::size_t b = 0; b < blocks_; ++b) {
            const std::string_view block = text_.substr(b * kBlock, kBlock);
            Kinds kinds = kinds_of(Block64::of(block.data(), block.size()));
            if (kinds.slow) return false;
            if (escaped_ && (kinds.escape != 0 || skip) && !unescape(block, kinds, skip)) return false;
            digits_[b] = kinds.digit;
            any_digit_ = any_digit_ || kinds.digit != 0;
            const std::uint64_t tokens = kinds.lower | kinds.upper | kinds.digit;
            // resetPassword is two words, HTTP is one.
            const std::uint64_t humps = kinds.upper & (kinds.lower << 1 | lower_before);
            begins_[b] = (tokens & ~(tokens << 1 | token_before)) | humps;
            ends_[b] = ~tokens | humps;
            lower_before = kinds.lower >> (kBlock - 1);
            token_before = tokens >> (kBlock - 1);
        }
        ends_[blocks_] = ~std::uint64_t{0};
        return true;
    }

    // Takes out what escapes stand for. False when one stands for a character by its number.
    static bool unescape(std::string_view block, Kinds& kinds, bool& skip) {
        std::uint64_t escaped = skip ? 1 : 0;
        if (skip && block[0] == 'u') return false;
        skip = false;
        for (std::uint64_t left = kinds.escape; left != 0; left &= left - 1) {
            const auto place = static_cast<unsigned>(std::countr_zero(left));
            if ((escaped >> place & 1) != 0) continue;  // an escaped escape
            if (place + 1 == block.size()) {
                skip = true;
                break;
            }
            if (block[place + 1] == 'u') return false;
            escaped |= std::uint64_t{2} << place;
        }
        kinds.lower &= ~escaped;
        kinds.upper &= ~escaped;
        kinds.digit &= ~escaped;
        return true;
    }

    void take(ActWords& out) const {
        // Words of three letters and more, so many at most; those that are not kept are written over by the next one.
        std::array<std::uint32_t, kMostBytes / kShortest + 1> hashes;
        std::size_t count = 0;
        for (std::size_t b = 0; b < blocks_; ++b) {
            // Words of one or two letters are the most frequent ones, and are not even looked at.
            const std::uint64_t next = ends_[b + 1];
            const std::uint64_t brief = (ends_[b] >> 1 | next << 63) | (ends_[b] >> 2 | next << 62);
            for (std::uint64_t begins = begins_[b] & ~brief; begins != 0; begins &= begins - 1) {
                const std::size_t begin = b * kBlock + static_cast<std::size_t>(std::countr_zero(begins));
                hashes[count] = hash_of(begin, end_of(begin));
                count += hashes[count] != 0 && !is_common(hashes[count]) ? 1u : 0u;
            }
        }
        for (std::size_t i = 0; i < count; ++i) out.add(hashes[i]);
    }

    std::size_t end_of(std::size_t begin) const {
        std::size_t b = (begin + 1) / kBlock;
        std::uint64_t ends = ends_[b] & (~std::uint64_t{0} << ((begin + 1) % kBlock));
        while (ends == 0) ends = ends_[++b];
        return b * kBlock + static_cast<std::size_t>(std::countr_zero(ends));
    }

    bool has_digit(std::size_t begin, std::size_t end) const {
        for (std::size_t b = begin / kBlock; b * kBlock < end; ++b) {
            std::uint64_t digits = digits_[b];
            if (b == begin / kBlock) digits &= ~std::uint64_t{0} << (begin % kBlock);
            if (digits != 0 && b * kBlock + static_cast<std::size_t>(std::countr_zero(digits)) < end) return true;
        }
        return false;
    }

    // 0 = no word.
    std::uint32_t hash_of(std::size_t begin, std::size_t end) const {
        if (any_digit_ && has_digit(begin, end)) return hash_of_mixed(begin, end);
        return fold_hash(packed_at(begin, std::min(end - begin, kLetters)));
    }

    std::uint64_t packed_at(std::size_t begin, std::size_t letters) const {
        if constexpr (std::endian::native == std::endian::little) {
            if (begin + 8 <= text_.size()) {
                std::uint64_t bytes = 0;
                std::memcpy(&bytes, text_.data() + begin, 8);
                return __builtin_bswap64(bytes | 0x2020202020202020ULL) >> (8 * (8 - letters));
            }
        }
        std::uint64_t packed = 0;
        for (std::size_t i = begin; i < begin + letters; ++i)
            packed = packed << 8 | (static_cast<unsigned char>(text_[i]) | 0x20U);
        return packed;
    }

    std::uint32_t hash_of_mixed(std::size_t begin, std::size_t end) const {
        std::uint64_t packed = 0;
        std::size_t letters = 0, digits = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const auto c = static_cast<unsigned char>(text_[i]);
            if (kKinds[c] == kDigit) {
                ++digits;
            } else if (++letters <= kLetters) {
                packed = packed << 8 | (c | 0x20U);
            }
        }
        return letters >= kShortest && digits <= kMostDigits ? fold_hash(packed) : 0;
    }

    std::string_view text_;
    bool escaped_;
    std::size_t blocks_ = 0;
    bool any_digit_ = false;
    // Behind the last block everything ends.
    std::array<std::uint64_t, kMostBytes / kBlock + 1> begins_, ends_, digits_;
};

}  // namespace

void add_words(RawText text, std::size_t limit, ActWords& words) {
    const std::string_view bytes = text.bytes.substr(0, limit);
    const bool escaped = text.form != TextForm::plain;
    if (words.full() || FastSplitter(bytes, escaped).run(words)) return;
    Splitter(bytes, escaped, words).run();
}

std::uint32_t act_word(std::string_view word) { return fold_hash(pack(word)); }

}  // namespace agent_audit::detectors
