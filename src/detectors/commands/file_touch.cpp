#include "detectors/commands/file_touch.hpp"

#include "detectors/commands/call_target.hpp"
#include "detectors/commands/shell_touch.hpp"
#include "detectors/commands/text_change.hpp"
#include "detectors/outcomes/outcome.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/find_near.hpp"
#include "support/simd.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#if AGENT_AUDIT_X86
#include <emmintrin.h>
#endif

namespace agent_audit::detectors {
namespace {

constexpr int kMaxDepth = 5;
constexpr int kMaxValues = 256;
constexpr std::int64_t kLargestLine = 100'000'000;

/// What an argument means, by its name.
enum class Role : std::uint8_t {
    none,
    path,
    cell,
    old_text,
    new_text,
    content,
    insert_line,
    first_line,
    line_count,
    last_line,
    range,
    patch,
    dir,
    everywhere,
    append,
};

struct RoleRow {
    std::string_view name;
    Role role;
};

// Names in lower case without _ and -, sorted.
constexpr RoleRow kRoles[] = {
    {"absolutepath", Role::path},
    {"allowmultiple", Role::everywhere},
    {"append", Role::append},
    {"beginline", Role::first_line},
    {"cellid", Role::cell},
    {"cellnumber", Role::cell},
    {"codeedit", Role::new_text},
    {"content", Role::content},
    {"contents", Role::content},
    {"cwd", Role::dir},
    {"diff", Role::patch},
    {"end", Role::last_line},
    {"endline", Role::last_line},
    {"endlinenumber", Role::last_line},
    {"endlineoneindexedinclusive", Role::last_line},
    {"file", Role::path},
    {"filecontent", Role::content},
    {"filecontents", Role::content},
    {"filename", Role::path},
    {"filepath", Role::path},
    {"filetext", Role::content},
    {"find", Role::old_text},
    {"input", Role::patch},
    {"insertline", Role::insert_line},
    {"inserttext", Role::new_text},
    {"limit", Role::line_count},
    {"line", Role::insert_line},
    {"linecount", Role::line_count},
    {"lineend", Role::last_line},
    {"linenumber", Role::insert_line},
    {"lineoffset", Role::first_line},
    {"linerange", Role::range},
    {"lineranges", Role::range},
    {"lines", Role::range},
    {"linestart", Role::first_line},
    {"mode", Role::append},
    {"newcode", Role::new_text},
    {"newcontent", Role::content},
    {"newcontents", Role::content},
    {"newsource", Role::content},
    {"newstr", Role::new_text},
    {"newstring", Role::new_text},
    {"newtext", Role::new_text},
    {"nlines", Role::line_count},
    {"notebookpath", Role::path},
    {"numlines", Role::line_count},
    {"offset", Role::first_line},
    {"oldcode", Role::old_text},
    {"oldcontent", Role::old_text},
    {"oldstr", Role::old_text},
    {"oldstring", Role::old_text},
    {"oldtext", Role::old_text},
    {"original", Role::old_text},
    {"originaltext", Role::old_text},
    {"patch", Role::patch},
    {"patchtext", Role::patch},
    {"path", Role::path},
    {"range", Role::range},
    {"ranges", Role::range},
    {"relativepath", Role::path},
    {"relativeworkspacepath", Role::path},
    {"replace", Role::new_text},
    {"replaceall", Role::everywhere},
    {"replacement", Role::new_text},
    {"replacementcontent", Role::new_text},
    {"search", Role::old_text},
    {"start", Role::first_line},
    {"startline", Role::first_line},
    {"startlinenumber", Role::first_line},
    {"startlineoneindexed", Role::first_line},
    {"targetcontent", Role::old_text},
    {"targetfile", Role::path},
    {"text", Role::content},
    {"unifieddiff", Role::patch},
    {"updated", Role::new_text},
    {"uri", Role::path},
    {"viewrange", Role::range},
    {"workdir", Role::dir},
    {"workingdirectory", Role::dir},
};
static_assert(std::ranges::is_sorted(kRoles, {}, &RoleRow::name));

// Where the names that begin with a letter stand in the table.
constexpr auto kFirstLetter = [] {
    std::array<std::uint8_t, 27> start{};
    std::size_t row = 0;
    for (std::size_t letter = 0; letter <= 26; ++letter) {
        while (row < std::size(kRoles) && static_cast<std::size_t>(kRoles[row].name[0] - 'a') < letter) ++row;
        start[letter] = static_cast<std::uint8_t>(row);
    }
    return start;
}();

Role role_of(std::string_view key) {
    std::array<char, 32> name;
    std::size_t size = 0;
    for (const char c : key) {
        if (c == '_' || c == '-') continue;
        if (size == name.size()) return Role::none;
        name[size++] = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    }
    const std::string_view word(name.data(), size);
    if (size == 0 || word[0] < 'a' || word[0] > 'z') return Role::none;
    const auto letter = static_cast<std::size_t>(word[0] - 'a');
    for (std::size_t row = kFirstLetter[letter]; row < kFirstLetter[letter + 1]; ++row) {
        if (kRoles[row].name.size() == size && kRoles[row].name == word) return kRoles[row].role;
    }
    return Role::none;
}

std::optional<std::int64_t> number_at(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    std::int64_t value = 0;
    std::size_t digits = 0;
    while (digits < text.size() && digits < 10 && text[digits] >= '0' && text[digits] <= '9')
        value = value * 10 + (text[digits++] - '0');
    if (digits == 0) return std::nullopt;
    return negative ? -value : value;
}

// Content that was cut out of the recording equals nothing.
bool is_cut_out(std::string_view text) {
    constexpr std::size_t kLongestNote = 400;
    if (text.empty() || text.size() > kLongestNote) return false;
    const char c = text.front();
    return (c == '[' || c == '<' || c == '(' || c == 'R' || c == 'r') &&
           is_opaque_outcome({text, TextForm::json_string});
}

struct Text {
    std::string_view bytes;
    bool given = false;

    void set(std::string_view value) { *this = {value, true}; }
};

// What the arguments say, collected while they are read.
class Collector {
public:
    explicit Collector(ToolClass tool_class) : mutates_(tool_class == ToolClass::mutate) {}

    void string(Role role, std::string_view value) {
        switch (role) {
            case Role::path: return path(value);
            case Role::dir: dir_ = file_hash(value); return;
            case Role::cell: cell_ = stable_hash(value) | 1; return;
            case Role::old_text: return pair(old_, value);
            case Role::new_text: return pair(new_, value);
            case Role::content: content_.set(value); return;
            case Role::patch: patch_.set(value); return;
            case Role::append: appends_ = appends_ || value.starts_with('a'); return;
            case Role::range: return range(value);
            default:
                if (const auto n = number_at(value)) integer(role, *n);
        }
    }

    void integer(Role role, std::int64_t value) {
        if (value > kLargestLine || value < -kLargestLine) return;
        switch (role) {
            case Role::insert_line: insert_ = value; return;
            case Role::first_line: first_ = value; return;
            case Role::line_count: count_ = value; return;
            case Role::last_line: last_ = value; return;
            case Role::cell: cell_ = mix_hash(static_cast<std::uint64_t>(value), 1) | 1; return;
            case Role::range: range_number(value); return;
            default: return;
        }
    }

    /// What is neither a string nor holds others.
    void scalar(Role role, std::string_view value) {
        if (const auto n = number_at(value))
            integer(role, *n);
        else
            word(role, value == "true");
    }

    void word(Role role, bool truth) {
        if (role == Role::everywhere) everywhere_ = everywhere_ || truth;
        if (role == Role::append) appends_ = appends_ || truth;
    }

    /// The members of one object are over: its old and new text belong together.
    void end_object() {
        if (!mutates_) return;
        if (old_.given && new_.given)
            change(old_.bytes, new_.bytes);
        else if (old_.given || (new_.given && !insert_))
            unknown_ = true;
        else if (new_.given)
            insertion(new_.bytes);
        old_ = new_ = {};
    }

    FileTouch take() {
        if (several_files_) return {};
        if (!mutates_)
            finish_read();
        else
            finish_change();
        if (touch_.file == 0) return {};
        if (relative_ && dir_ != 0) touch_.file = mix_hash(touch_.file, dir_) | 1;
        if (cell_ != 0) touch_.file = mix_hash(touch_.file, cell_) | 1;
        return touch_;
    }

private:
    void path(std::string_view value) {
        if (!mutates_) value = without_its_lines(value);
        const std::uint64_t file = file_hash(value);
        if (touch_.file != 0 && file != touch_.file) several_files_ = true;
        touch_.file = file;
        relative_ = !value.starts_with('/') && value.find(':') == value.npos;
    }

    // "a.ts:10-20", "a.ts:10+5", "a.ts:10-", "a.ts:10": the lines may stand behind the name of the file.
    std::string_view without_its_lines(std::string_view value) {
        const std::string_view name = without_lines(value);
        const std::string_view lines = value.substr(std::min(name.size() + 1, value.size()));
        const auto first = number_at(lines);
        if (!first) return name;
        const std::size_t digits = std::min(lines.find_first_not_of("0123456789"), lines.size());
        const std::string_view rest = lines.substr(digits);
        if (rest.empty() || (rest.size() > 1 && rest[0] == '-')) {
            range(lines);
            return name;
        }
        first_ = *first;
        if (rest[0] == '+') count_ = number_at(rest.substr(1));
        return name;
    }

    // A second old text without an object around it begins the next pair.
    void pair(Text& text, std::string_view value) {
        if (text.given) end_object();
        text.set(value);
    }

    void change(std::string_view before, std::string_view after) {
        if (is_cut_out(before) || is_cut_out(after)) {
            unknown_ = true;
            return;
        }
        add_change(touch_, before, after, Spelling::escaped);
    }

    void insertion(std::string_view text) { change({}, text); }

    // "10-20", "L10-L20", "10,20", "10"
    void range(std::string_view value) {
        std::array<std::int64_t, 2> ends{};
        std::size_t n = 0;
        for (std::size_t i = 0; i < value.size() && i < 64; ++i) {
            if (value[i] < '0' || value[i] > '9') continue;
            if (n == ends.size()) {
                range_numbers_ = 3;
                return;
            }
            const std::size_t end = std::min(value.find_first_not_of("0123456789", i), value.size());
            ends[n++] = number_at(value.substr(i, end - i)).value_or(0);
            i = end;
        }
        for (std::size_t i = 0; i < n; ++i) range_number(ends[i]);
        if (n == 1) range_number(ends[0]);
    }

    void range_number(std::int64_t value) {
        if (value > kLargestLine) return;
        if (++range_numbers_ == 1) first_ = value;
        if (range_numbers_ == 2) last_ = value;
    }

    void finish_read() {
        touch_.whole_file = !first_ && !count_ && !last_ && range_numbers_ == 0;
        if (touch_.whole_file || range_numbers_ > 2) return;
        const std::int64_t first = first_.value_or(1);
        if (first < 0) return;  // counted from the end
        touch_.first_line = static_cast<std::uint32_t>(std::max<std::int64_t>(first, 1));
        if (last_ && *last_ >= first)
            touch_.line_count = static_cast<std::uint32_t>(*last_ - std::max<std::int64_t>(first, 1) + 1);
        else if (count_ && *count_ > 0)
            touch_.line_count = static_cast<std::uint32_t>(*count_);
    }

    void finish_change() {
        if (patch_.given && touch_.pieces == 0 && !is_cut_out(patch_.bytes))
            add_patch(touch_, patch_.bytes, Spelling::escaped);
        if (touch_.pieces == 0 && !unknown_ && content_.given && !is_cut_out(content_.bytes)) finish_content();
        if (unknown_) touch_.before = touch_.after = touch_.removed = touch_.added = 0;
        if (everywhere_ && touch_.pieces > 0) ++touch_.pieces;
        if (touch_.first_line != 0 || touch_.pieces > 1) return;
        const std::int64_t at = insert_ ? *insert_ + 1 : first_.value_or(0);
        if (at > 0) touch_.first_line = static_cast<std::uint32_t>(at);
    }

    void finish_content() {
        if (insert_ || appends_) return insertion(content_.bytes);
        touch_.after = stable_hash(content_.bytes);
        touch_.whole_file = !first_ && !last_;
    }

    FileTouch touch_;
    Text old_, new_, content_, patch_;
    std::uint64_t dir_ = 0, cell_ = 0;
    std::optional<std::int64_t> insert_, first_, count_, last_;
    int range_numbers_ = 0;
    bool mutates_ = false, relative_ = false, several_files_ = false, everywhere_ = false, appends_ = false;
    bool unknown_ = false;
};

// Walks the raw bytes of a JSON object and hands strings and numbers to the collector under the name they stand under.
// It trusts nothing: what is not JSON ends the walk.
class Walker {
public:
    Walker(std::string_view bytes, Collector& to) : s_(bytes), to_(to) {}

    void run() {
        blanks();
        if (i_ < s_.size() && s_[i_] == '{') object(0);
    }

private:
    void blanks() {
        while (i_ < s_.size() && (s_[i_] == ' ' || s_[i_] == '\n' || s_[i_] == '\t' || s_[i_] == '\r')) ++i_;
    }

    // At a quote: the text up to the next one that is not escaped.
    bool string(std::string_view& out) {
        const std::size_t begin = ++i_;
        for (std::size_t quote = next_quote(begin); quote != s_.npos; quote = next_quote(quote + 1)) {
            if (inside_escape(s_.substr(begin), quote - begin)) continue;
            out = s_.substr(begin, quote - begin);
            i_ = quote + 1;
            return true;
        }
        return false;
    }

    // A quote that may end a string. Written files are full of \" which end nothing; those are passed over 16 bytes at
    // a time. A string's first byte has an object's brace and its own quote before it, so looking two bytes back is
    // safe.
    std::size_t next_quote(std::size_t from) const {
#if AGENT_AUDIT_X86
        const auto load = [this](std::size_t at) {
            return _mm_loadu_si128(reinterpret_cast<const __m128i*>(s_.data() + at));
        };
        const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
        for (; from + 16 <= s_.size(); from += 16) {
            const __m128i escaped =
                _mm_andnot_si128(_mm_cmpeq_epi8(load(from - 2), backslash), _mm_cmpeq_epi8(load(from - 1), backslash));
            const int ends = _mm_movemask_epi8(_mm_andnot_si128(escaped, _mm_cmpeq_epi8(load(from), quote)));
            if (ends != 0) return from + static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(ends)));
        }
#endif
        return s_.find('"', from);
    }

    bool object(int depth) {
        ++i_;
        for (;;) {
            blanks();
            if (i_ >= s_.size()) return false;
            if (s_[i_] == '}') {
                ++i_;
                to_.end_object();
                return true;
            }
            if (s_[i_] == ',') {
                ++i_;
                continue;
            }
            std::string_view key;
            if (s_[i_] != '"' || !string(key)) return false;
            blanks();
            if (i_ >= s_.size() || s_[i_] != ':') return false;
            ++i_;
            if (!value(role_of(key), depth)) return false;
        }
    }

    bool array(Role role, int depth) {
        ++i_;
        for (;;) {
            blanks();
            if (i_ >= s_.size()) return false;
            if (s_[i_] == ']') return ++i_, true;
            if (s_[i_] == ',')
                ++i_;
            else if (!value(role, depth))
                return false;
        }
    }

    bool value(Role role, int depth) {
        blanks();
        if (i_ >= s_.size() || ++values_ > kMaxValues) return false;
        const char c = s_[i_];
        if (c == '"') {
            std::string_view text;
            if (!string(text)) return false;
            to_.string(role, text);
            return true;
        }
        if (c == '{') return depth < kMaxDepth && object(depth + 1);
        if (c == '[') return depth < kMaxDepth && array(role, depth + 1);
        const std::size_t end = std::min(s_.find_first_of(",}] \n\t\r", i_), s_.size());
        if (end == i_) return false;
        const std::string_view word = s_.substr(i_, end - i_);
        i_ = end;
        to_.scalar(role, word);
        return true;
    }

    std::string_view s_;
    Collector& to_;
    std::size_t i_ = 0;
    int values_ = 0;
};

// Arguments that are no object: a patch, or the name of a file.
FileTouch touch_of_text(ToolClass tool_class, RawText args) {
    FileTouch touch;
    if (tool_class == ToolClass::mutate) {
        add_patch(touch, args.bytes, spelling_of(args));
        if (touch.file == 0) touch = {};
        return touch;
    }
    constexpr std::size_t kLongestName = 300;
    if (args.bytes.size() > kLongestName || args.form == TextForm::json_value) return touch;
    const std::string_view name = without_lines(args.bytes);
    touch.file = file_hash(name);
    touch.whole_file = touch.file != 0 && name.size() == args.bytes.size();
    return touch;
}

// ---- answers --------------------------------------------------------------------------------------------

constexpr std::size_t kSnippetBytes = 1024;

// "   12\tfoo", "12→foo", "12|foo", "12: foo": the number; 0 for any other line.
std::uint32_t line_number(std::string_view line) {
    std::size_t i = 0;
    while (i < line.size() && (line[i] == ' ' || line[i] == '>' || line[i] == '*')) ++i;
    const std::size_t digits = i;
    std::uint32_t value = 0;
    while (i < line.size() && i < digits + 7 && line[i] >= '0' && line[i] <= '9')
        value = value * 10 + static_cast<std::uint32_t>(line[i++] - '0');
    if (i == digits) return 0;
    const std::string_view rest = line.substr(i);
    for (const std::string_view mark : {"\t", "\\t", "→", "\\u2192", "|", " |", ": "}) {
        if (rest.starts_with(mark)) return value;
    }
    return rest.empty() ? value : 0;
}

// The middle of a numbered snippet: the lines around a change are shown alike above and below it.
std::uint32_t snippet_middle(std::string_view text, Spelling spelling) {
    RawLines lines(text, spelling);
    std::string_view line;
    std::uint32_t first = 0, last = 0;
    while (lines.next(line)) {
        const std::uint32_t n = line_number(line);
        if (n == 0 || (last != 0 && n != last + 1)) {
            if (last > first) break;
            first = last = n;
            continue;
        }
        if (first == 0) first = n;
        last = n;
    }
    return last > first ? first + (last - first) / 2 : 0;
}

std::uint32_t first_hunk(std::string_view text, Spelling spelling) {
    if (text.find("@@ -") == text.npos) return 0;
    RawLines lines(text, spelling);
    std::string_view line;
    while (lines.next(line)) {
        if (const std::uint32_t at = hunk_line(line); at != 0) return at;
    }
    return 0;
}

}  // namespace

// Reads matter where they name a part of a file, and most do not. A part is told by a number, a list or text that
// begins with one; anything else is read no further.
bool may_name_a_part(std::string_view args) {
    for (std::size_t at = args.find(':'); at != args.npos; at = args.find(':', at + 1)) {
        std::size_t i = at + 1;
        while (i < args.size() && (args[i] == ' ' || args[i] == '"' || args[i] == '\\')) ++i;
        if (i == args.size()) return false;
        const char c = args[i];
        if ((c >= '0' && c <= '9') || c == '[' || c == '-' || c == 'L' || c == 'l' || c == '{') return true;
    }
    return false;
}

// Of a shell: the programs that show a part.
bool may_page(std::string_view command) {
    constexpr std::size_t kLooked = 512;
    const std::string_view looked = command.substr(0, kLooked);
    const auto names = [&](std::string_view program) {
        std::size_t at = find_pair_near(looked, 0, program[0], program[1]);
        while (at != looked.npos && !command.substr(at).starts_with(program))
            at = find_pair_near(looked, at + 1, program[0], program[1]);
        return at != looked.npos && at + 3 <= looked.size();
    };
    return names("sed") || names("head") || names("tail");
}

FileTouch touch_of(const ToolNameClass& tool, ToolClass tool_class, RawText args, RawText primary,
                   std::span<const CallField> fields) {
    if (tool_class != ToolClass::read && tool_class != ToolClass::mutate) return {};
    if (tool_class == ToolClass::read && !(tool.runs_shell ? may_page(primary.bytes) : may_name_a_part(args.bytes)))
        return {};
    if (tool.runs_shell) {
        const FileTouch touch = tool_class == ToolClass::read ? shell_read(primary) : shell_write(primary);
        return touch.file != 0 ? touch : FileTouch{};
    }
    const std::size_t begin = args.bytes.find_first_not_of(" \t\r\n");
    if (begin == args.bytes.npos) return {};
    if (args.bytes[begin] != '{') return touch_of_text(tool_class, args);
    Collector collector(tool_class);
    if (fields.empty()) {
        Walker(args.bytes, collector).run();
    } else {
        for (const CallField& field : fields) {
            if (field.is_string)
                collector.string(role_of(field.name), field.value);
            else
                collector.scalar(role_of(field.name), field.value);
        }
        collector.end_object();
    }
    return collector.take();
}

void refine_touch(FileTouch& touch, ToolClass tool_class, RawText answer) {
    if (touch.file == 0 || answer.empty()) return;
    const Spelling spelling = spelling_of(answer);
    if (tool_class == ToolClass::read) {
        constexpr std::size_t kLongestCounted = 256u << 10;
        if (touch.first_line > 0 && touch.line_count == 0)
            touch.line_count = count_lines(answer.bytes.substr(0, kLongestCounted), spelling);
        return;
    }
    if (touch.first_line > 0 || touch.whole_file || touch.pieces != 1) return;
    const std::string_view head = answer.bytes.substr(0, kSnippetBytes);
    touch.first_line = first_hunk(head, spelling);
    if (touch.first_line == 0) touch.first_line = snippet_middle(head, spelling);
}

}  // namespace agent_audit::detectors
