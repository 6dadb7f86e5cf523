#include "detectors/outcomes/retry_names.hpp"

#include "detectors/outcomes/build_noise.hpp"
#include "detectors/outcomes/check_lines.hpp"
#include "detectors/outcomes/error_tally.hpp"
#include "detectors/outcomes/outcome_words.hpp"
#include "detectors/outcomes/volatile_parts.hpp"
#include "detectors/words/opaque_ids.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostBytes = 8'192;  // kept of a text, half from each end
constexpr std::string_view kMask = "#";

enum class Byte : std::uint8_t { other, letter, digit };

constexpr auto kBytes = [] {
    std::array<Byte, 256> bytes{};
    for (unsigned c = 0; c < 256; ++c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
        bytes[c] = c >= '0' && c <= '9' ? Byte::digit : letter ? Byte::letter : Byte::other;
    }
    return bytes;
}();

Byte kind(char c) { return kBytes[static_cast<unsigned char>(c)]; }

bool is_digit(char c) { return kind(c) == Byte::digit; }

// "net.cpp" at the end of a text: a dot and at most five letters or digits that begin with a letter.
bool ends_in_file_name(std::string_view text) {
    std::size_t from = text.size();
    while (from > 0 && text.size() - from < 6 && (is_letter(text[from - 1]) || is_digit(text[from - 1]))) --from;
    return from >= 2 && from < text.size() && text[from - 1] == '.' && is_letter(text[from]) &&
           kind(text[from - 2]) != Byte::other;
}

bool ends_with_line(std::string_view text) {
    constexpr std::string_view kLine = "ine ";
    return text.size() > kLine.size() && text.ends_with(kLine) && (text[text.size() - 5] | 0x20) == 'l';
}

// Digits of a gutter: nothing but blanks before them in their line, or the mark of the line that is meant, and a bar
// behind.
bool is_gutter(std::string_view before, std::string_view after) {
    after.remove_prefix(std::min(after.find_first_not_of(' '), after.size()));
    if (!after.starts_with('|')) return false;
    std::size_t last = before.find_last_not_of(' ');
    if (last != before.npos && before[last] == '>') last = before.substr(0, last).find_last_not_of(' ');
    return last == before.npos || before[last] == '\n' || (before[last] == 'n' && last > 0 && before[last - 1] == '\\');
}

// "l.88 \foo", as TeX says it at the beginning of a line.
bool is_line_of_tex(std::string_view before) {
    if (!before.ends_with("l.")) return false;
    before.remove_suffix(2);
    return before.empty() || before.ends_with('\n') || before.ends_with("\\n");
}

// "0.49s", "120 ms": what stands behind the first digits of a duration, or behind its last ones.
bool ends_duration(std::string_view after) {
    if (after.starts_with('.')) {
        after.remove_prefix(1);
        while (!after.empty() && is_digit(after.front())) after.remove_prefix(1);
    }
    if (after.starts_with(' ')) after.remove_prefix(1);
    const auto is_unit = [&](std::string_view unit) {
        return after.starts_with(unit) && (after.size() == unit.size() || !is_letter(after[unit.size()]));
    };
    return is_unit("s") || is_unit("ms") || is_unit("sec") || is_unit("seconds");
}

// Do the digits between these two tell a place? `place_ends`: where the place before them ended.
bool is_place(std::string_view text, std::size_t begin, std::size_t end, std::size_t place_ends) {
    const std::string_view before = text.substr(0, begin), after = text.substr(end);
    if (after.starts_with('%') || ends_duration(after)) return true;
    if (before.empty()) return is_gutter(before, after);
    const char mark = before.back();
    if (mark == ':' || mark == '(' || mark == ',') {
        return place_ends + 1 == begin || (mark != ',' && ends_in_file_name(before.substr(0, begin - 1)));
    }
    return ends_with_line(before) || is_gutter(before, after) || is_line_of_tex(before);
}

// "30.9 MB", "load 0.56": half a test never fails.
bool is_fraction(std::string_view text, std::size_t begin, std::size_t end) {
    const bool whole = end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1]);
    return whole || (begin > 1 && text[begin - 1] == '.' && is_digit(text[begin - 2]));
}

constexpr std::size_t kCount = 3;     // digits of a number that may be a count of failures
constexpr std::size_t kNumbered = 4;  // digits of the number of a thing: shard-0040

constexpr std::string_view kIdWords[] = {"port",    "process", "thread",  "seed",       "id",     "node",
                                         "request", "job",     "session", "connection", "worker", "container"};
constexpr std::string_view kVerbs[] = {"is", "was", "and", "in", "at", "on", "by", "exited", "died", "terminated"};
constexpr std::string_view kUnits[] = {"s",       "ms", "us",  "ns",   "sec",     "secs", "msec", "second",
                                       "seconds", "m",  "min", "mins", "minutes", "h",    "hours"};
constexpr std::string_view kCountWords[] = {
    "remaining", "left",     "pending",    "offset",   "position", "done",    "total",     "completed",
    "processed", "uploaded", "downloaded", "migrated", "imported", "copied",  "received",  "sent",
    "written",   "rows",     "row",        "bytes",    "items",    "records", "record",    "files",
    "count",     "progress", "step",       "chunk",    "page",     "batch",   "iteration", "block"};

bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
    return std::ranges::any_of(words, [&](std::string_view w) {
        return std::ranges::equal(w, word, [](char a, char b) { return a == (is_letter(b) ? b | 0x20 : b); });
    });
}

std::string_view word_ahead(std::string_view text) {
    return text.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(text, is_letter) - text.begin()));
}

// The last word of "rows =", "offset: ", "port ".
std::string_view word_behind(std::string_view text) {
    const std::size_t last = text.find_last_not_of(" =:\"'\\");
    if (last == text.npos || text.size() - last > 4) return {};
    std::size_t from = last + 1;
    while (from > 0 && is_letter(text[from - 1])) --from;
    return text.substr(from, last + 1 - from);
}

// "seed 48213", "Process 48213 has …", "thread 'main' (48213) panicked": which run it was.
bool names_run(std::string_view before, std::string_view after) {
    constexpr std::string_view kNames[] = {"seed", "process"};
    const bool written = (before.ends_with(" pages, ") || before.ends_with(" page, ")) &&
                         after.starts_with(" bytes)");  // paper.pdf (9 pages, 190121 bytes)
    return written || after.starts_with(") panicked") || is_one_of(kNames, word_behind(before));
}

// cart.py:12:3, cart.cs(12,3), "cart.py", line 12. In a table line 12 may be the next one that is wrong.
bool is_place_in_program(std::string_view text, std::size_t begin, std::size_t place_ends) {
    constexpr std::string_view kSources[] = {"py",  "js", "ts",  "mjs",   "cjs",   "jsx",  "tsx", "rb",  "php", "java",
                                             "kt",  "go", "rs",  "c",     "h",     "cc",   "cpp", "hpp", "cs",  "ex",
                                             "exs", "sh", "sql", "swift", "scala", "dart", "lua", "vue", "tf",  "hcl"};
    std::string_view before = text.substr(0, begin);
    if (before.empty()) return false;
    const char mark = before.back();
    if (begin == place_ends + 1 && (mark == ':' || mark == ',')) return true;
    if (ends_with_line(before)) {
        before.remove_suffix(std::string_view("line ").size());
        before = before.substr(0, before.find_last_not_of(" ,:\"\\") + 1);
    } else if (mark == ':' || mark == '(') {
        before.remove_suffix(1);
    } else {
        return false;
    }
    return ends_in_file_name(before) && is_one_of(kSources, before.substr(before.rfind('.') + 1));
}

// "[1]    48213 segmentation fault": a shell tells of a process by its number.
bool is_job(std::string_view before) {
    const std::size_t last = before.find_last_not_of(' ');
    return last != before.npos && last > 0 && before[last] == ']' && is_digit(before[last - 1]);
}

// "1200 rows", "4096/90112", "4096 of 90112", "#1013", "offset=4096": a number that tells how far something came.
bool counts(std::string_view before, std::string_view after) {
    const auto digit_at = [](std::string_view text, std::size_t i) { return i < text.size() && is_digit(text[i]); };
    if (before.ends_with('#')) return true;
    if ((after.starts_with('/') && digit_at(after, 1)) || (after.starts_with(" of ") && digit_at(after, 4)))
        return true;
    if (before.size() > 1 && before.ends_with('/') && is_digit(before[before.size() - 2])) return true;
    const std::string_view said = word_behind(before);
    if (is_one_of(kCountWords, said)) return true;
    if (!after.starts_with(' ') || is_one_of(kIdWords, said) || is_job(before)) return false;
    const std::string_view noun = word_ahead(after.substr(1));
    return !noun.empty() && noun.front() >= 'a' && !is_one_of(kVerbs, noun) && !is_one_of(kUnits, noun);
}

// "chunk_07", "shard-12", "v2": the number of a thing, at its end. A hash that has all its digits there is none.
bool is_numbered(std::string_view word, std::size_t digits) {
    if (digits > kNumbered || !std::ranges::all_of(word.substr(word.size() - digits), is_digit)) return false;
    const auto is_hex = [](char c) { return is_digit(c) || (c | 0x20) - 'a' < 6; };
    return word.size() < 7 ||
           !std::ranges::all_of(word, [&](char c) { return is_digit(c) || (is_letter(c) && is_hex(c)); });
}

// "30MB", "5k": how much, not how long.
bool is_amount(std::string_view word, std::size_t digits) {
    if (!std::ranges::all_of(word.substr(0, digits), is_digit)) return false;
    const std::string_view unit = word.substr(digits);
    return unit.size() <= 3 && std::ranges::all_of(unit, is_letter) && !is_one_of(kUnits, unit);
}

// Does the text from `begin` to `end`, a word with so many digits, stay?
bool is_news(std::string_view text, std::size_t begin, std::size_t end, std::size_t digits, bool check) {
    const std::string_view word = text.substr(begin, end - begin);
    if (digits < word.size()) return is_numbered(word, digits) || (!check && is_amount(word, digits));
    if (digits > kCount) return counts(text.substr(0, begin), text.substr(end));
    return !check || !is_fraction(text, begin, end);
}

struct Unplaced {
    std::string text;
    std::vector<std::uint32_t> lines;  // of its places; a column is none
};

Unplaced take_places(std::string_view text, PlacesOf of) {
    Unplaced out;
    std::string_view line;  // the last that was named
    std::size_t place_ends = text.npos - 1;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_digit(text[end])) ++end;
        if (end == i) {
            out.text += text[i++];
            continue;
        }
        const std::string_view before = text.substr(0, i), after = text.substr(end);
        bool place =
            of == PlacesOf::programs ? is_place_in_program(text, i, place_ends) : is_place(text, i, end, place_ends);
        if (place && place_ends + 1 != i && !after.starts_with('%') && !ends_duration(after)) {
            line = text.substr(i, end - i);
            std::uint32_t number = 0;
            std::from_chars(text.data() + i, text.data() + end, number);
            out.lines.push_back(number);
        }
        // "on main.tf line 12, in …", and below it the line itself: "  12: resource …".
        place = place || (text.substr(i, end - i) == line && before.ends_with(' ') && after.starts_with(": "));
        if (place) place_ends = end;
        const bool hidden = place || names_run(before, after);
        out.text += hidden ? kMask : text.substr(i, end - i);
        i = end;
    }
    return out;
}

bool are_near(const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& now, std::uint64_t moved) {
    constexpr std::uint64_t kSlack = 3;
    return std::ranges::equal(before, now, [moved](std::uint32_t from, std::uint32_t to) {
        return (from > to ? from - to : to - from) <= moved + kSlack;
    });
}

// The same words, and no line further from where it was than edits can have moved it: beyond that it is the next one of
// its kind.
bool stands_still(std::string_view before, std::string_view now, PlacesOf of, std::uint64_t moved) {
    // Most texts that differ do so in a word.
    const auto [x, y] = std::ranges::mismatch(before, now);
    const auto is_number = [](auto at, std::string_view text) { return at != text.end() && is_digit(*at); };
    if ((x != before.end() || y != now.end()) && !is_number(x, before) && !is_number(y, now)) return false;
    const Unplaced a = take_places(before, of), b = take_places(now, of);
    return a.text == b.text && are_near(a.lines, b.lines, moved);
}

// The same, but for ids that were drawn for the run: of a layer of an image, of a goroutine.
bool stands_still_but_ids(std::string_view before, std::string_view now, std::uint64_t moved) {
    const std::size_t apart = before.size() > now.size() ? before.size() - now.size() : now.size() - before.size();
    constexpr std::size_t kMostApart = 64;  // bytes
    if (apart > kMostApart) return false;
    const Unplaced a = take_places(settled(before), PlacesOf::all), b = take_places(settled(now), PlacesOf::all);
    return are_near(a.lines, b.lines, moved) && same_but_ids(a.text, b.text);
}

constexpr std::string_view kIdNames[] = {
    "request id",     "requestid",     "request_id",     "request-id", "host id", "hostid", "trace id",
    "traceid",        "trace_id",      "endpoint ",      "(req",       "req_id",  "reqid",  "error id",
    "correlation id", "correlationid", "correlation_id", "\"trace",    "ray id"};
constexpr PhraseSet kIdNameSet(kIdNames);
constexpr std::size_t kContainerId = 64;  // hex digits

bool is_hex(std::string_view word) {
    return std::ranges::all_of(word,
                               [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); });
}

// "request id: 7F3A…", and "endpoint api-1 (4c1f…)" of a container: drawn for this run.
bool is_drawn(std::string_view text, std::size_t begin, std::size_t end) {
    constexpr std::size_t kLongestName = 17, kShortestId = 8;
    const std::string_view word = text.substr(begin, end - begin);
    if (word.size() == kContainerId && is_hex(word))
        return begin > 0 && text[begin - 1] == '(' && text.substr(end).starts_with(')');
    if (word.size() < kShortestId || word.find_first_of("0123456789") == word.npos) return false;
    const std::size_t last = text.substr(0, begin).find_last_not_of(" :=\"'\\");
    if (last == text.npos || last + 1 == begin || begin - last > 6) return false;
    const std::size_t from = last + 1 - std::min(last + 1, kLongestName);
    return kIdNameSet.in(text.substr(from, last + 1 - from));
}

// A failed call of a service names its request.
std::string without_drawn_ids(std::string_view text) {
    std::string out;
    if (!kIdNameSet.in(text)) return out.append(text);
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && kind(text[end]) != Byte::other) ++end;
        if (end > i) out.append(is_drawn(text, i, end) ? kMask : text.substr(i, end - i));
        for (i = end; i < text.size() && kind(text[i]) == Byte::other; ++i) out += text[i];
    }
    return out;
}

enum class Quote : std::uint8_t { none, line, mark };

// "   12 |     let sacks = 3;" is how compilers quote a program, and "      |     ^^^^^ borrowed here" how they point
// into it. Rows of a table look like the one and not like the other.
Quote quote_of_compiler(std::string_view line) {
    std::size_t at = std::min(line.find_first_not_of(' '), line.size());
    const bool numbered = at < line.size() && is_digit(line[at]);
    while (at < line.size() && is_digit(line[at])) ++at;
    at = std::min(line.find_first_not_of(' ', at), line.size());
    if (at == 0 || at == line.size() || line[at] != '|') return Quote::none;
    const std::size_t text = line.find_first_not_of(' ', at + 1);
    const bool points =
        !numbered && (text == line.npos || std::string_view("^~-_").find(line[text]) != std::string_view::npos);
    return points ? Quote::mark : Quote::line;
}

// What a traceback or a compiler says without the lines of the program that it quotes, which an edit has made others.
// Empty where nothing is quoted, or the error says no more than its kind: of one assertion after the other that fails
// each is another.
std::string without_quoted_lines(RawText text) {
    constexpr std::string_view kBegin = "Traceback (most recent call last)", kQuote = "    ";
    const bool trace = text.bytes.find(kBegin) != text.bytes.npos;
    RawLines lines(text.bytes, text.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    std::string out;
    std::string_view last;
    bool points = trace, behind_place = false;
    for (std::string_view line; lines.next(line);) {
        const bool place = line.find("File ") != line.npos && line.find(", line ") != line.npos;
        const Quote quote = quote_of_compiler(line);
        points = points || quote == Quote::mark;
        behind_place = place || (behind_place && line.starts_with(kQuote));
        if (quote != Quote::none || (trace && behind_place && !place)) continue;
        out.append(line) += '\n';
        if (!line.empty()) last = line;
    }
    return !points || last.find(": ") == last.npos ? std::string() : out;
}

// Whole words that an edit has put there: once, for what it only shows around stands in the old text too.
bool is_put_in(std::string_view words, std::string_view edit) {
    constexpr std::ptrdiff_t kFewest = 3;  // letters: a figure is what came of it
    const auto in_word = [](char c) { return kind(c) != Byte::other; };
    const std::size_t at = edit.find(words);
    if (std::ranges::count_if(words, is_letter) < kFewest || at == edit.npos || edit.find(words, at + 1) != edit.npos)
        return false;
    // The letter of an escape belongs to no word.
    const bool begins = at == 0 || !in_word(words.front()) || !in_word(edit[at - 1]) || inside_escape(edit, at - 1);
    const std::size_t end = at + words.size();
    return begins && (end == edit.size() || !in_word(words.back()) || !in_word(edit[end]));
}

// The same lines, but for words that the edit before put into a file.
bool differs_in_edit(RawText before, RawText now, std::string_view edit) {
    constexpr std::size_t kLongest = 240;  // bytes of a line that quotes a program
    const Spelling spelling = now.form == TextForm::plain ? Spelling::plain : Spelling::escaped;
    RawLines then_lines(before.bytes, spelling), now_lines(now.bytes, spelling);
    const auto in_word = [](char c) { return kind(c) != Byte::other; };
    bool any = false;
    for (std::string_view a, b;;) {
        const bool more = then_lines.next(a);
        if (now_lines.next(b) != more) return false;
        if (!more) return any;
        if (a == b) continue;
        if (b.size() > kLongest) return false;
        std::size_t front = static_cast<std::size_t>(std::ranges::mismatch(a, b).in2 - b.begin()), end = b.size();
        for (std::size_t of_a = a.size(); end > front && of_a > front && a[of_a - 1] == b[end - 1]; --of_a) --end;
        while (front > 0 && in_word(b[front - 1])) --front;
        while (end < b.size() && in_word(b[end])) ++end;
        if (!is_put_in(b.substr(front, end - front), edit)) return false;
        any = true;
    }
}

// What is left of a long text of a failed build that fetched much when the lines go that only tell how far it came, as
// it was spelt: else what is kept of its ends would be mostly these.
std::string shortened(RawText text) {
    constexpr std::size_t kFront = 512;  // bytes in which such a build shows
    if (text.bytes.substr(0, kFront).find("Download") == text.bytes.npos) return {};
    std::string said = without_progress(text).text;
    if (text.form == TextForm::plain) return said;
    std::string out;
    for (const char c : said) {
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out;
}

}  // namespace

std::string without_request_ids(std::string_view text) {
    return kIdNameSet.in(text) ? without_drawn_ids(text) : std::string();
}

std::string settled(std::string_view text) {
    std::string out;
    std::size_t from = 0;
    VolatileParts parts(text);
    for (VolatilePart part; parts.next(part); from = part.end)
        out.append(text.substr(from, part.begin - from)).append(kMask);
    return out.append(text.substr(from));
}

std::string masked(std::string_view raw, bool check) {
    const std::string text = settled(raw);  // the rest is looked at word by word
    std::string out;
    std::size_t place_ends = text.npos - 1;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i, digits = 0;
        for (; end < text.size() && kind(text[end]) != Byte::other; ++end) digits += is_digit(text[end]);
        bool hidden = digits > 0 && !is_news(text, i, end, digits, check);
        if (check && digits > 0 && !hidden && digits == end - i && is_place(text, i, end, place_ends)) {
            hidden = true;
            place_ends = end;
        }
        out += hidden ? kMask : std::string_view(text).substr(i, end - i);
        for (i = end; i < text.size() && kind(text[i]) == Byte::other; ++i) out += text[i];
    }
    return out;
}

std::string unplaced(std::string_view text, PlacesOf of, std::vector<std::uint32_t>* lines) {
    Unplaced out = take_places(text, of);
    if (lines) *lines = std::move(out.lines);
    return std::move(out.text);
}

RetryNames::Names RetryNames::name_at(std::uint64_t place, const Names& given) {
    const auto known = std::ranges::find(unread_, place, &Unread::place);
    if (known != unread_.end()) return known->names;
    unread_[next_unread_++ % unread_.size()] = {place, given};
    return given;
}

void RetryNames::clear() {
    for (Failure& failure : failures_) failure.run.call = 0;
    next_ = 0;
    unread_.fill({});
    next_unread_ = 0;
}

// `masked_now`: of the text, when it was asked for; what is masked once is kept, for the next failure is compared with
// it.
bool RetryNames::says_the_same(Failure& known, const Run& run, RawText now, std::string& masked_now) {
    const RawText before{known.ends, now.form};
    if (differs_in_measure(before.bytes, now.bytes))
        return false;  // "340 ms, must be below 100 ms": the time is the outcome
    const bool undisturbed = run.check ? run.deeds == known.run.deeds : run.ordinal == known.run.ordinal + 1;
    if (undisturbed) {
        if (masked_now.empty()) masked_now = masked(now.bytes, run.check);
        if (known.masked.empty()) known.masked = masked(before.bytes, run.check);
        if (masked_now == known.masked) return true;
        if (run.check && same_in_any_order(before, now, Rerun::undisturbed)) return true;
    }
    const PlacesOf of = run.check ? PlacesOf::all : PlacesOf::programs;
    const std::uint64_t moved = run.moved - known.run.moved;
    const std::string then_said = without_drawn_ids(before.bytes), now_said = without_drawn_ids(now.bytes);
    if (stands_still(then_said, now_said, of, moved)) return true;
    const std::string trace = without_quoted_lines({now_said, now.form});
    if (!trace.empty() && stands_still(without_quoted_lines({then_said, now.form}), trace, PlacesOf::programs, 0))
        return true;
    if (run.check && !run.edit.empty() &&
        differs_in_edit({unplaced(settled(then_said)), now.form}, {unplaced(settled(now_said)), now.form}, run.edit))
        return true;
    if (run.check && stands_still_but_ids(then_said, now_said, moved)) return true;
    if (run.check && counts_alike({then_said, now.form}, {now_said, now.form})) return true;
    if (run.check && same_in_any_order({then_said, now.form}, {now_said, now.form}, Rerun::changed, moved)) return true;
    const BuildWords said = without_progress({now_said, now.form});
    if (said.text.empty() || !(run.check || said.in_image)) return false;
    return stands_still(without_progress({then_said, now.form}).text, said.text, PlacesOf::all, moved);
}

// The one of these that says the same, the latest first; null = none. What mends one error of a check may bring back
// the one before it, further down by what was edited.
RetryNames::Failure* RetryNames::Kinds::find(const Run& run, RawText now, std::string& masked_now) {
    std::sort(begin(), end(), [](const Failure* a, const Failure* b) { return a->run.ordinal > b->run.ordinal; });
    for (std::size_t i = 0; i < (run.check ? count : 1); ++i) {
        if (says_the_same(*of[i], run, now, masked_now)) return of[i];
    }
    return nullptr;
}

RetryNames::Names RetryNames::name(const Run& run, RawText text, const Names& given) {
    std::string short_text;
    if (run.check && text.size() > kMostBytes) {
        short_text = shortened(text);
        if (short_text.empty()) short_text = without_passes(text);
    }
    const std::string_view bytes = short_text.empty() ? text.bytes : std::string_view(short_text);
    const std::string_view head = bytes.substr(0, kMostBytes / 2);
    const std::string_view tail =
        bytes.substr(std::max(head.size(), bytes.size() - std::min(bytes.size(), kMostBytes / 2)));
    Kinds kinds;
    for (Failure& failure : failures_) {
        if (failure.run.call == run.call) kinds.add(failure);
    }
    Names names = given;
    Failure* kept = nullptr;
    std::string now, masked_now;
    if (kinds.count > 0) {
        now.append(head).append(tail);
        kept = kinds.find(run, {now, text.form}, masked_now);
        if (kept) names = kept->names;
    }
    const std::size_t most = run.check ? kKinds : 1;
    if (!kept) kept = kinds.count >= most ? kinds.of[most - 1] : &failures_[next_++ % failures_.size()];
    kept->run = run;
    if (kinds.count > 0)
        kept->ends = std::move(now);
    else
        kept->ends.assign(head).append(tail);
    kept->masked = std::move(masked_now);
    kept->names = names;
    return names;
}

}  // namespace agent_audit::detectors
