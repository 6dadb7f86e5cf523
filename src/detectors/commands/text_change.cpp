#include "detectors/commands/text_change.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace agent_audit::detectors {
namespace {

// Longer texts are compared as wholes only: what is small about them is of no interest, and they cost time.
constexpr std::size_t kLongestCompared = 32u << 10;
constexpr std::size_t kLongestPatch = 64u << 10;
constexpr std::uint32_t kManyLines = 10'000;
constexpr std::size_t kTellingBytes = 6;  // a brace or "end" beside a change says nothing about where it is

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Hash of a line that tells where a change is; 0 for one that could be anywhere.
std::uint64_t anchor(std::string_view line) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    while (line.starts_with("\\t")) line.remove_prefix(2);
    return line.size() < kTellingBytes ? 0 : stable_hash(line);
}

std::uint64_t also(std::uint64_t so_far, std::uint64_t hash, std::uint32_t pieces) {
    return pieces == 0 ? hash : mix_hash(so_far, hash);
}

// What is left of two texts when the lines they share at both ends are taken away.
struct Core {
    std::string_view removed, added, above, below;
};

std::uint64_t eight_bytes(const char* at) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

std::size_t shared_prefix(std::string_view a, std::string_view b) {
    const std::size_t most = std::min(a.size(), b.size());
    std::size_t n = 0;
    while (n + 8 <= most && eight_bytes(a.data() + n) == eight_bytes(b.data() + n)) n += 8;
    while (n < most && a[n] == b[n]) ++n;
    return n;
}

std::size_t shared_suffix(std::string_view a, std::string_view b, std::size_t from) {
    const std::size_t most = std::min(a.size(), b.size()) - from;
    const char* const a_end = a.data() + a.size();
    const char* const b_end = b.data() + b.size();
    std::size_t n = 0;
    while (n + 8 <= most && eight_bytes(a_end - n - 8) == eight_bytes(b_end - n - 8)) n += 8;
    while (n < most && a_end[-1 - static_cast<std::ptrdiff_t>(n)] == b_end[-1 - static_cast<std::ptrdiff_t>(n)]) ++n;
    return n;
}

bool ends_line(std::string_view text, std::size_t at, Spelling spelling) {
    return at == text.size() || is_line_end(text, at, spelling);
}

std::string_view without_first_end(std::string_view text, Spelling spelling) {
    if (is_line_end(text, 0, spelling)) text.remove_prefix(line_end_size(spelling));
    return text;
}

Core core_of(std::string_view before, std::string_view after, Spelling spelling) {
    // Up to here both are equal, line by line; 0 when not even the first lines are.
    std::size_t top = shared_prefix(before, after);
    if (top > 0 && !(ends_line(before, top, spelling) && ends_line(after, top, spelling))) {
        const std::size_t end = line_end_before(before, top, spelling);
        top = end == before.npos ? 0 : end;
    }
    // From here on, at a line end in both.
    std::size_t tail = shared_suffix(before, after, top);
    while (tail > 0) {
        std::size_t at = before.size() - tail;
        if (spelling == Spelling::escaped && inside_escape(before, at)) ++at;
        const std::size_t end = line_end(before, at, spelling);
        tail = end == before.npos ? 0 : before.size() - end;
        if (tail == 0 || is_line_end(after, after.size() - tail, spelling)) break;
        tail -= line_end_size(spelling);
    }
    Core core;
    core.removed = before.substr(top, before.size() - tail - top);
    core.added = after.substr(top, after.size() - tail - top);
    if (top > 0) {
        core.removed = without_first_end(core.removed, spelling);
        core.added = without_first_end(core.added, spelling);
        const std::size_t end = line_end_before(before, top, spelling);
        const std::size_t begin = end == before.npos ? 0 : end + line_end_size(spelling);
        core.above = before.substr(begin, top - begin);
    }
    if (tail > 0) {
        std::string_view rest = before.substr(before.size() - tail);
        rest = without_first_end(rest, spelling);
        core.below = rest.substr(0, line_end(rest, 0, spelling));
    }
    return core;
}

void put_core(FileTouch& touch, const Core& core, Spelling spelling) {
    const std::uint32_t n = touch.pieces;
    touch.removed = also(touch.removed, core.removed.empty() ? 0 : stable_hash(core.removed), n);
    touch.added = also(touch.added, core.added.empty() ? 0 : stable_hash(core.added), n);
    touch.above = n == 0 ? anchor(core.above) : 0;
    touch.below = n == 0 ? anchor(core.below) : 0;
    touch.before_lines += count_lines(core.removed, spelling);
    touch.after_lines += count_lines(core.added, spelling);
}

std::string_view after_prefix(std::string_view line, std::string_view prefix) {
    return line.starts_with(prefix) ? line.substr(prefix.size()) : std::string_view{};
}

std::string_view trim_blanks(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}

// Reads a patch line by line.
class PatchReader {
public:
    PatchReader(FileTouch& touch, std::string_view text, Spelling spelling)
        : touch_(touch), text_(text), spelling_(spelling), lines_(text, spelling) {}

    void run() {
        std::string_view line;
        while (!stop_ && lines_.next(line)) take(line);
        if (several_files_) touch_ = {};
    }

private:
    void take(std::string_view line) {
        if (search_) return take_search(line);
        switch (line.empty() ? ' ' : line.front()) {
            case '*':
                if (line.starts_with("*** ")) return take_envelope(line);
                break;
            case '@':
                if (line.starts_with("@@")) return take_hunk(line);
                break;
            case '+':
                if (!in_body_ && line.starts_with("+++ ")) return take_file(header_path(line.substr(4)), false);
                break;
            case '-':
                if (line.starts_with("------- SEARCH")) return begin_search();
                if (line.starts_with("--- a/") || line.starts_with("--- /")) return end_body();
                break;
            case '<':
                if (line.starts_with("<<<<<<<")) return begin_search();
                break;
            case 'd':
                if (line.starts_with("diff --git")) return end_body();
                break;
            default: break;
        }
        if (in_body_) take_body(line);
    }

    void begin_search() {
        search_ = true;
        old_begin_ = lines_.position();
    }

    void end_body() { in_body_ = false; }

    // *** Update File: x, *** Add File: x, *** Delete File: x, *** Begin/End Patch, *** Move to: x
    void take_envelope(std::string_view line) {
        if (line.starts_with("*** End Patch")) {
            stop_ = true;
        } else if (const auto path = after_prefix(line, "*** Update File: "); !path.empty()) {
            take_file(path, false);
            in_body_ = true;
        } else if (const auto added = after_prefix(line, "*** Add File: "); !added.empty()) {
            take_file(added, true);
            in_body_ = true;
        } else if (const auto gone = after_prefix(line, "*** Delete File: "); !gone.empty()) {
            take_file(gone, true);
            touch_.after = stable_hash({});
        }
    }

    static std::string_view header_path(std::string_view path) {
        path = path.substr(0, std::min(path.find('\t'), path.find("\\t")));
        if (path.starts_with("b/")) path.remove_prefix(2);
        return path;
    }

    void take_file(std::string_view path, bool whole) {
        const std::uint64_t file = file_hash(trim_blanks(path));
        if (files_ > 0 && file != touch_.file) several_files_ = true;
        if (++files_ == 1 || touch_.file == 0) touch_.file = file;
        touch_.whole_file = whole;
        in_body_ = false;
    }

    void take_hunk(std::string_view line) {
        if (touch_.pieces == 0) touch_.first_line = hunk_line(line);
        ++touch_.pieces;
        in_body_ = true;
    }

    void take_body(std::string_view line) {
        if (touch_.pieces == 0) touch_.pieces = 1;
        const char kind = line.empty() ? ' ' : line.front();
        const std::string_view rest = line.empty() ? line : line.substr(1);
        if (kind != '+' && kind != '-' && kind != ' ') return;
        const std::uint64_t h = stable_hash(rest);
        if (kind != '+') touch_.before = mix_hash(touch_.before, h);
        if (kind != '-') touch_.after = mix_hash(touch_.after, h);
        if (kind == '-') {
            touch_.removed = mix_hash(touch_.removed, h);
            ++touch_.before_lines;
        } else if (kind == '+') {
            touch_.added = mix_hash(touch_.added, h);
            ++touch_.after_lines;
        } else {
            take_context(rest);
            return;
        }
        changed_ = true;
        touch_.below = 0;
    }

    void take_context(std::string_view line) {
        if (changed_) {
            if (touch_.below == 0 && touch_.pieces == 1) touch_.below = anchor(line);
            return;
        }
        touch_.above = anchor(line);
        if (touch_.first_line > 0) ++touch_.first_line;
    }

    void take_search(std::string_view line) {
        const bool numbered = line.starts_with(":start_line:");
        if (numbered && touch_.pieces == 0) {
            for (const char c : line.substr(12)) {
                if (c >= '0' && c <= '9' && touch_.first_line < 100'000'000)
                    touch_.first_line = touch_.first_line * 10 + static_cast<std::uint32_t>(c - '0');
            }
        } else if (line == "-------" && !middle_) {
            old_begin_ = lines_.position();
        } else if (line.starts_with("=======") && !middle_) {
            middle_ = true;
            old_ = text_.substr(old_begin_, lines_.begin() - old_begin_);
            new_begin_ = lines_.position();
        } else if (line.starts_with(">>>>>>>") || line.starts_with("+++++++ REPLACE")) {
            if (middle_) add_change(touch_, old_, text_.substr(new_begin_, lines_.begin() - new_begin_), spelling_);
            search_ = middle_ = false;
        }
    }

    FileTouch& touch_;
    std::string_view text_;
    Spelling spelling_;
    RawLines lines_;
    std::string_view old_;
    std::size_t old_begin_ = 0, new_begin_ = 0;
    int files_ = 0;
    bool in_body_ = false, changed_ = false, search_ = false, middle_ = false;
    bool several_files_ = false, stop_ = false;
};

// Nothing in the path could be left out.
bool is_clean(std::string_view path) {
    if (path.starts_with("./")) return false;
    bool clean = true;
    for (std::size_t i = 0; i + 1 < path.size(); ++i)
        clean &= !(path[i] == '/' && (path[i + 1] == '/' || path[i + 1] == '.'));
    return clean;
}

}  // namespace

void add_change(FileTouch& touch, std::string_view before, std::string_view after, Spelling spelling) {
    const std::uint32_t n = touch.pieces;
    touch.before = also(touch.before, stable_hash(before), n);
    touch.after = also(touch.after, stable_hash(after), n);
    if (before.size() + after.size() <= kLongestCompared) {
        put_core(touch, core_of(before, after, spelling), spelling);
    } else {
        touch.before_lines = touch.after_lines = kManyLines;
    }
    ++touch.pieces;
}

std::size_t find_patch(std::string_view text) {
    for (const std::string_view mark : {"*** Begin Patch", "@@ -", "<<<<<<< SEARCH", "------- SEARCH", "@@"}) {
        const std::size_t at = text.find(mark);
        if (at == text.npos) continue;
        if (mark != "@@ -" && mark != "@@") return at;
        return 0;  // the names of the files stand before the first hunk
    }
    return text.npos;
}

bool add_patch(FileTouch& touch, std::string_view text, Spelling spelling) {
    const std::size_t at = find_patch(text.substr(0, kLongestPatch));
    if (at == text.npos) return false;
    const std::string_view patch = text.substr(at);
    const FileTouch fresh = touch;
    PatchReader(touch, patch.substr(0, kLongestPatch), spelling).run();
    if (patch.size() > kLongestPatch && touch.file != 0) {
        // Read in part: which file it is, and that it is a large change.
        const std::uint64_t file = touch.file;
        touch = fresh;
        touch.file = file;
    }
    return true;
}

std::uint32_t hunk_line(std::string_view line) {
    const std::size_t plus = line.find(" +");
    if (!line.starts_with("@@ -") || plus == line.npos) return 0;
    std::uint32_t value = 0;
    for (const char c : line.substr(plus + 2, 9)) {
        if (c < '0' || c > '9') break;
        value = value * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return value;
}

std::uint64_t file_hash(std::string_view path) {
    if (path.empty() || path.find("REDACTED") != path.npos) return 0;
    if (is_clean(path)) return stable_hash(path) | 1;
    std::array<char, 512> clean;
    if (path.size() > clean.size()) return stable_hash(path) | 1;
    std::size_t size = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const bool begins_name = size == 0 || clean[size - 1] == '/';
        if (path[i] == '/' && size > 0 && begins_name) continue;
        if (begins_name && path.substr(i, 2) == "./") {
            ++i;
            continue;
        }
        clean[size++] = path[i];
    }
    return size == 0 ? 0 : stable_hash({clean.data(), size}) | 1;
}

}  // namespace agent_audit::detectors
