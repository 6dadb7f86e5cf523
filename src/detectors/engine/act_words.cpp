#include "detectors/engine/act_words.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLetters = 6;
constexpr std::size_t kShortest = 3;

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
    "input",      "node",
};

constexpr std::size_t kSlots = 2048;  // a power of two, some four times the words

constexpr auto kCommonSet = [] {
    std::array<std::uint32_t, kSlots> slots{};
    for (const std::string_view word : kCommon) {
        const std::uint32_t hash = fold_hash(pack(word));
        std::size_t at = hash % kSlots;
        while (slots[at] != 0 && slots[at] != hash) at = (at + 1) % kSlots;
        slots[at] = hash;
    }
    return slots;
}();

bool is_common(std::uint32_t hash) {
    for (std::size_t at = hash % kSlots; kCommonSet[at] != 0; at = (at + 1) % kSlots) {
        if (kCommonSet[at] == hash) return true;
    }
    return false;
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

int hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Takes a text apart in one pass; a word is packed into a number as it is read.
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
        // Three digits in a word and more are an id, a size or a hash: every one is new and none says anything.
        if (letters_ >= kShortest && digits_ < 3) {
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
                const int digit = hex(text_[at_ + i]);
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
        for (std::size_t i = 1; i < size; ++i) code = code << 6 | (static_cast<unsigned char>(text_[at_ + i]) & 0x3fU);
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

}  // namespace

void add_words(RawText text, std::size_t limit, ActWords& words) {
    Splitter(text.bytes.substr(0, limit), text.form != TextForm::plain, words).run();
}

std::uint32_t act_word(std::string_view word) { return fold_hash(pack(word)); }

}  // namespace agent_audit::detectors
