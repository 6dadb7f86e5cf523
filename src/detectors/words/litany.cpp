#include "detectors/words/litany.hpp"

#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongest = 1u << 20;

struct Sentence {
    std::size_t begin = 0, end = 0;
    std::size_t words = 0;
    std::uint64_t key = 0;  // 0 = says nothing that counts
    bool line = false;      // begins one
    bool speaks = false;    // of who says it
};

bool is_letter(char c) {
    const auto lower = static_cast<unsigned char>(c | 0x20);
    return (lower >= 'a' && lower <= 'z') || (c & 0x80) != 0;
}

// "I will", "Let me", "we": the words that stand in it, as they are spelt at the begin of a sentence or within.
bool names_speaker(std::string_view said) {
    constexpr std::string_view kSpeakers[] = {"I", "me", "my", "My", "we", "We", "us", "our", "Our"};
    for (std::size_t at = 0; at < said.size();) {
        std::size_t end = at;
        while (end < said.size() && is_letter(said[end]) && (said[end] & 0x80) == 0) ++end;
        if (std::ranges::find(kSpeakers, said.substr(at, end - at)) != std::end(kSpeakers)) return true;
        at = end + 1;
    }
    return false;
}

// Length of the end of a line at `at`, as it is or as JSON spells it.
std::size_t line_end(std::string_view text, std::size_t at) {
    if (text[at] == '\n') return 1;
    return text.substr(at).starts_with("\\n") ? 2 : 0;
}

bool ends_sentence(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c != '.' && c != '!' && c != '?') return false;
    return at + 1 == text.size() || text[at + 1] == ' ' || line_end(text, at + 1) > 0;
}

// Takes sentences from a text, one after the other.
class Sentences {
public:
    explicit Sentences(RawText text) : text_(text.bytes) {}

    bool next(Sentence& out) {
        while (at_ < text_.size() && (text_[at_] == ' ' || line_end(text_, at_) > 0)) at_ += step();
        if (at_ >= text_.size()) return false;
        const bool begins_line = line_;
        line_ = false;
        std::size_t end = at_;
        while (end < text_.size() && line_end(text_, end) == 0 && !ends_sentence(text_, end)) ++end;
        const bool whole_line = end >= text_.size() || line_end(text_, end) > 0;
        out = read(text_.substr(at_, end - at_));
        out.begin = at_;
        out.end = end + (whole_line ? 0 : 1);
        out.line = begins_line;
        const std::string_view said = text_.substr(at_, end - at_);
        const bool fence = begins_line && (said.starts_with("```") || said.starts_with("~~~"));
        fenced_ = fenced_ != fence;
        if (fenced_ || fence || said.starts_with("|") || said.find("\":") != said.npos) out.key = 0;
        at_ = out.end;
        return true;
    }

private:
    std::size_t step() {
        const std::size_t n = line_end(text_, at_);
        line_ = line_ || n > 0;
        return std::max<std::size_t>(n, 1);
    }

    // A word and a number, or two words, at least.
    static Sentence read(std::string_view said) {
        Sentence out;
        out.speaks = names_speaker(said);
        std::uint64_t hash = 0xcbf29ce484222325ULL;
        std::size_t letters = 0;
        bool in_word = false;
        for (const char c : said) {
            const bool word = is_letter(c) || (c >= '0' && c <= '9') || c == '\'';
            out.words += word && !in_word;
            letters += is_letter(c);
            in_word = word;
            if (c != ' ') hash = (hash ^ static_cast<unsigned char>(lower(c))) * 0x100000001b3ULL;
        }
        if (out.words >= 2 && letters * 2 >= said.size()) out.key = hash | 1;
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool line_ = true;  // at the begin of one
    bool fenced_ = false;
};

// Does one of the last sentences stand a few times shortly before itself? For texts that end otherwise this is all that
// is done: every text comes through here.
bool may_be(std::string_view text) {
    constexpr std::size_t kProbe = 10, kEnd = 24, kBack = 600, kOften = 2;
    constexpr std::size_t kFour = 240;  // bytes in which that many short sentences end
    if (text.size() < kShortestLitany) return false;
    std::string_view tail = text.substr(text.size() - kFour, kFour - kEnd);
    std::size_t at = 0;
    for (int stops = 0; stops < 4; ++stops) {
        const void* const stop = ::memrchr(tail.data(), '.', tail.size());
        if (!stop) return false;
        if (at == 0) at = static_cast<std::size_t>(static_cast<const char*>(stop) - text.data()) + 1;
        tail = tail.substr(0, static_cast<std::size_t>(static_cast<const char*>(stop) - tail.data()));
    }
    while (at < text.size() && (text[at] == ' ' || line_end(text, at) > 0))
        at += std::max<std::size_t>(line_end(text, at), 1);
    if (at + kProbe > text.size()) return false;
    std::string_view rest = text.substr(at - std::min(at, kBack), std::min(at, kBack));
    for (std::size_t times = 0; times < kOften; ++times) {
        const void* const found = ::memmem(rest.data(), rest.size(), text.data() + at, kProbe);
        if (!found) return false;
        rest.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(found) - rest.data()) + kProbe);
    }
    return true;
}

std::vector<Sentence> sentences_of(RawText text, std::size_t often) {
    std::vector<Sentence> all;
    std::unordered_map<std::uint64_t, std::size_t> times;
    Sentences read({text.bytes.substr(0, kLongest), text.form});
    for (Sentence one; read.next(one); all.push_back(one)) {
        if (one.key != 0) ++times[one.key];
    }
    for (Sentence& one : all) {
        if (one.key != 0 && times[one.key] < often) one.key = 0;
    }
    return all;
}

// Verdict after verdict, a line or two sentences each, are data in the order that the things have which they are about.
// Who is stuck speaks of himself.
bool is_list(std::span<const Sentence> said) {
    const auto lines = static_cast<std::size_t>(std::ranges::count_if(said, &Sentence::line));
    return 2 * lines >= said.size() && std::ranges::none_of(said, &Sentence::speaks);
}

std::optional<Chant> judge(const Sentence* first, const Sentence* end, const LitanyLimits& limits) {
    const auto count = static_cast<std::size_t>(end - first);
    if (count < limits.warn) return std::nullopt;
    if (is_list({first, count})) return std::nullopt;
    Chant chant;
    std::vector<std::uint64_t> kinds;
    for (const Sentence* one = first; one != end; ++one) {
        chant.words += one->words;
        if (std::ranges::find(kinds, one->key) != kinds.end()) continue;
        kinds.push_back(one->key);
        if (kinds.size() > limits.most) return std::nullopt;
        chant.unit_words += one->words;
        chant.unit_key += mix_hash(one->key, 0x6c6974616e79);
    }
    if (chant.words < std::max(limits.words, limits.each * count)) return std::nullopt;
    chant.sentences = kinds.size();
    chant.rounds = count / kinds.size();
    chant.begin = chant.unit_begin = first->begin;
    chant.unit_end = first[kinds.size() - 1].end;
    chant.end = end[-1].end;
    chant.failing = count >= limits.fail;
    return chant;
}

}  // namespace

std::optional<Chant> find_litany(RawText text, const LitanyLimits& limits) {
    if (!may_be(text.bytes)) return std::nullopt;
    const std::vector<Sentence> all = sentences_of(text, limits.often);
    std::optional<Chant> found;
    const Sentence* const end = all.data() + all.size();
    for (const Sentence* first = all.data(); first < end;) {
        const Sentence* last = std::find_if(first, end, [](const Sentence& one) { return one.key == 0; });
        const std::optional<Chant> chant = judge(first, last, limits);
        if (chant && (!found || chant->words > found->words)) found = chant;
        first = last == end ? end : last + 1;
    }
    return found;
}

}  // namespace agent_audit::detectors
