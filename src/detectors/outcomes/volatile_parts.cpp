#include "detectors/outcomes/volatile_parts.hpp"

#include "support/ascii.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace agent_audit::detectors {
namespace {

struct Unit {
    std::string_view name;
    bool after_blank;  ///< "12 ms"; a lone letter after a blank is rarely a unit
};

// Longest first, so that the first match is the whole unit.
constexpr std::array kUnits{
    Unit{"seconds", true}, Unit{"minutes", true}, Unit{"second", true},    Unit{"minute", true}, Unit{"months", true},
    Unit{"hours", true},   Unit{"weeks", true},   Unit{"month", true},     Unit{"years", true},  Unit{"hour", true},
    Unit{"days", true},    Unit{"mins", true},    Unit{"msec", true},      Unit{"nsec", true},   Unit{"secs", true},
    Unit{"usec", true},    Unit{"week", true},    Unit{"year", true},      Unit{"day", true},    Unit{"hrs", true},
    Unit{"min", true},     Unit{"sec", true},     Unit{"\xc2\xb5s", true}, Unit{"hr", true},     Unit{"ms", true},
    Unit{"ns", true},      Unit{"us", true},      Unit{"d", false},        Unit{"h", false},     Unit{"m", false},
    Unit{"s", false},
};

constexpr std::array<std::string_view, 6> kCountedWords{"attempt", "retry", "ppid", "pgid", "pid", "try"};
constexpr std::array<std::string_view, 2> kTempParents{"/var", "/private"};
constexpr int kMaxPieces = 4;  // of "1d 2h 3m 4s": bounds the work per start

/// The grammar of volatile parts: what, if anything, begins at a given place. `done` is where the last part ended;
/// nothing before it is looked at, and a part may begin right there.
class Grammar {
public:
    Grammar(std::string_view text, std::size_t done) : t_(text), done_(done) {}

    /// End of the part that begins at `i`, or 0.
    std::size_t part_at(std::size_t i) const {
        const char c = at(i);
        if (c == '\x1b' || c == '\\') return ansi(i);
        if (const std::size_t end = temp_name(i)) return end;
        if (const std::size_t end = marked_id(i)) return end;
        if (is_digit(c)) return number_at(i);
        if (is_hex(c)) return uuid(i);
        if (c == 'j') return just_now(i);
        return 0;
    }

    /// Where the run of digits that ends with `last` begins.
    std::size_t digits_begin(std::size_t last) const {
        std::size_t i = last;
        while (i > done_ && is_digit(t_[i - 1])) --i;
        // The first digits may be the tail of an escape: \u00e912:34.
        for (std::size_t end = i + 4; end > i; --end) {
            if (end <= last && unicode_escape_ends_at(end)) return end;
        }
        return i;
    }

    /// Where the decimal number whose fraction begins at `i` begins; `i` itself when it is no fraction.
    std::size_t number_begin(std::size_t i) const {
        return i >= done_ + 2 && t_[i - 1] == '.' && is_digit(t_[i - 2]) ? digits_begin(i - 2) : i;
    }

private:
    /// What begins with the digit at `i`. What may follow the digits decides what it may be.
    std::size_t number_at(std::size_t i) const {
        const std::size_t next = skip_digits(i);
        std::size_t end = 0;
        switch (at(next)) {
            case '-':
                if ((end = date(i)) == 0) end = uuid(i);
                break;
            case '/':
                if ((end = date(i)) == 0) end = attempts(i);
                break;
            case ':': end = clock(i); break;
            case 'x': return address(i);
            case '.':
            case ' ':
            case '\xc2': end = duration(i); break;
            default:
                if (is_letter(at(next))) return (end = uuid(i)) != 0 ? end : duration(i);
                break;
        }
        return end != 0 ? end : counted(i);
    }

    char at(std::size_t i) const { return i < t_.size() ? t_[i] : '\0'; }
    std::string_view from(std::size_t i) const { return i < t_.size() ? t_.substr(i) : std::string_view{}; }

    bool unicode_escape_ends_at(std::size_t i) const {
        return i >= done_ + 6 && t_[i - 6] == '\\' && t_[i - 5] == 'u' && is_hex(t_[i - 4]) && is_hex(t_[i - 3]) &&
               is_hex(t_[i - 2]) && is_hex(t_[i - 1]);
    }

    /// The character before `i`: a blank where the text, the last part or an escape ends.
    char before(std::size_t i) const {
        if (i <= done_) return ' ';
        const char c = t_[i - 1];
        if (!is_word(c)) return c;
        const bool escaped =
            i >= done_ + 2 && t_[i - 2] == '\\' && std::string_view("bfnrt").find(c) != std::string_view::npos;
        return escaped || unicode_escape_ends_at(i) ? ' ' : c;
    }

    bool ends_before(std::size_t i, std::string_view word) const {
        return i >= done_ + word.size() && t_.substr(i - word.size(), word.size()) == word;
    }
    bool ends_before_any_case(std::size_t i, std::string_view word) const {
        if (i < done_ + word.size()) return false;
        for (std::size_t k = 0; k < word.size(); ++k) {
            if ((t_[i - word.size() + k] | 0x20) != word[k]) return false;
        }
        return true;
    }

    /// Two digits at `i` as a number up to `max`.
    bool two_digits(std::size_t i, int max) const {
        return is_digit(at(i)) && is_digit(at(i + 1)) && (t_[i] - '0') * 10 + (t_[i + 1] - '0') <= max;
    }
    std::size_t skip_digits(std::size_t i) const {
        while (is_digit(at(i))) ++i;
        return i;
    }

    // ---- colours

    std::size_t ansi(std::size_t i) const {
        static constexpr std::array<std::string_view, 8> kEscapes{"\x1b[",  "\\u001b[", "\\u001B[", "\\x1b[",
                                                                  "\\x1B[", "\\033[",   "\\e[",     "\\u009b"};
        for (const std::string_view escape : kEscapes) {
            if (!from(i).starts_with(escape)) continue;
            std::size_t end = i + escape.size();
            const std::size_t limit = end + 32;
            while (end < limit && at(end) >= ' ' && at(end) <= '?') ++end;
            return at(end) >= '@' && at(end) <= '~' ? end + 1 : 0;
        }
        return 0;
    }

    // ---- times

    /// A time zone at `i`, or `i`.
    std::size_t zone(std::size_t i) const {
        if (at(i) == 'Z') return i + 1;
        const std::size_t sign = at(i) == ' ' ? i + 1 : i;
        if ((at(sign) != '+' && at(sign) != '-') || !two_digits(sign + 1, 23)) return i;
        const std::size_t minutes = at(sign + 3) == ':' ? sign + 4 : sign + 3;
        return two_digits(minutes, 59) ? minutes + 2 : i;
    }
    std::size_t half_day(std::size_t i) const {
        const std::size_t k = at(i) == ' ' ? i + 1 : i;
        return ((at(k) | 0x20) == 'a' || (at(k) | 0x20) == 'p') && (at(k + 1) | 0x20) == 'm' ? k + 2 : i;
    }

    struct Clock {
        std::size_t end = 0;  ///< 0: no clock time
        bool seconds = false;
    };

    /// Hours and minutes, perhaps seconds, a fraction and a zone. No look to the left.
    Clock read_clock(std::size_t i) const {
        const std::size_t colon = skip_digits(i);
        const std::size_t width = colon - i;
        if (width < 1 || width > 2 || at(colon) != ':' || !two_digits(colon + 1, 59)) return {};
        std::size_t end = colon + 3;
        const bool seconds = at(end) == ':' && two_digits(end + 1, 60);
        if (!seconds && width == 2 && !two_digits(i, 23)) return {};
        if (seconds) {
            end += 3;
            if ((at(end) == '.' || at(end) == ',') && is_digit(at(end + 1))) end = skip_digits(end + 1);
        }
        for (const std::size_t with_more : {zone(end), half_day(end)}) {
            if (with_more != end && !is_word(at(with_more))) return {with_more, seconds};
        }
        const bool goes_on = is_word(at(end)) || (at(end) == ':' && is_digit(at(end + 1)));
        return goes_on ? Clock{} : Clock{end, seconds};
    }

    std::size_t date(std::size_t i) const {
        const char separator = at(i + 4);
        if (separator != '-' && separator != '/') return 0;
        const bool shaped = two_digits(i, 99) && two_digits(i + 2, 99) && two_digits(i + 5, 12) &&
                            at(i + 7) == separator && two_digits(i + 8, 31) && !is_digit(at(i + 10));
        if (!shaped || is_digit(before(i)) || unicode_escape_ends_at(i + 4)) return 0;
        // Folders named by the day are places, not times.
        if (separator == '/' && (before(i) == '/' || at(i + 10) == '/')) return 0;
        if (at(i + 10) == 'T' || at(i + 10) == ' ') {
            if (const Clock clock = read_clock(i + 11); clock.end != 0) return go_reading(clock.end);
        }
        const std::size_t named = at(i + 10) == 'T' ? file_clock(i + 11) : 0;
        return named != 0 ? named : i + 10;
    }

    /// How Go goes on behind a time: " CEST m=+0.043", the name of the zone and how long the program has run. `i`
    /// itself where it does not.
    std::size_t go_reading(std::size_t i) const {
        constexpr std::size_t kLongestZone = 6;
        std::size_t end = i + 1;
        while (end <= i + kLongestZone && at(end) >= 'A' && at(end) <= 'Z') ++end;
        if (at(i) != ' ' || end < i + 3 || !from(end).starts_with(" m=+")) return i;
        end = skip_digits(end + 4);
        return at(end) == '.' && is_digit(at(end + 1)) ? skip_digits(end + 1) : i;
    }

    /// The time of a log in its name, where colons may not stand: 2026-03-04T09_12_28_205Z-debug-0.log. 0 = it is none.
    std::size_t file_clock(std::size_t i) const {
        const char mark = at(i + 2);
        const bool shaped = (mark == '_' || mark == '-') && two_digits(i, 23) && two_digits(i + 3, 59) &&
                            at(i + 5) == mark && two_digits(i + 6, 60);
        if (!shaped) return 0;
        std::size_t end = i + 8;
        if ((at(end) == mark || at(end) == '.') && is_digit(at(end + 1))) end = skip_digits(end + 1);
        if (at(end) == 'Z') ++end;
        return is_letter(at(end)) || is_digit(at(end)) ? 0 : end;
    }

    std::size_t clock(std::size_t i) const {
        const char left = before(i);
        if (is_word(left) || left == ':') return 0;
        const Clock clock = read_clock(i);
        if (clock.end == 0 || clock.seconds) return clock.end;
        return left == '.' || left == '(' || line_and_column(clock.end) ? 0 : clock.end;
    }

    /// True when what follows HH:MM says that it was a line and a column: "12:34: …" and "  12:34  error  …".
    bool line_and_column(std::size_t end) const {
        if (at(end) == ':') return true;
        std::size_t i = end;
        while (i < end + 8 && at(i) == ' ') ++i;
        return from(i).starts_with("error") || from(i).starts_with("warning");
    }

    // ---- ids and addresses

    std::size_t uuid(std::size_t i) const {
        if (at(i + 8) != '-' || at(i + 13) != '-' || at(i + 18) != '-' || at(i + 23) != '-') return 0;
        for (std::size_t k = 0; k < 36; ++k) {
            if (k != 8 && k != 13 && k != 18 && k != 23 && !is_hex(at(i + k))) return 0;
        }
        const char left = before(i);
        const bool alone = (left == '_' || !is_word(left)) && !is_word(at(i + 36));
        return alone && is_digit(at(i + 14)) ? i + 36 : 0;  // the version of a UUID is always a digit
    }

    std::size_t address(std::size_t i) const {
        if (at(i) != '0' || at(i + 1) != 'x' || is_word(before(i))) return 0;
        std::size_t end = i + 2;
        while (end < i + 19 && is_hex(at(end))) ++end;
        const std::size_t width = end - i - 2;
        return width >= 6 && width <= 16 && !is_word(at(end)) ? end : 0;  // longer ones are checksums
    }

    // ---- durations

    struct Piece {
        std::size_t end = 0;  ///< 0: no number with a unit
        bool letter = false;  ///< the unit is one letter
    };

    Piece piece(std::size_t i) const {
        std::size_t end = skip_digits(i);
        if (end == i) return {};
        const bool fraction = at(end) == '.' && is_digit(at(end + 1));
        if (fraction) end = skip_digits(end + 1);
        const bool blank = at(end) == ' ';
        if (blank) ++end;
        for (const Unit& unit : kUnits) {
            if (!from(end).starts_with(unit.name)) continue;
            if (blank && !unit.after_blank && !(fraction && unit.name == "s")) return {};
            return {end + unit.name.size(), unit.name.size() == 1};
        }
        return {};
    }

    bool ends_well(const Piece& p) const {
        const char c = at(p.end);
        if (is_word(c)) return false;
        // 3d/model.h, 3d-model and 5s.txt are names.
        return !p.letter || (c != '/' && c != '-' && !(c == '.' && is_word(at(p.end + 1))));
    }

    std::size_t duration(std::size_t i) const {
        const char left = before(i);
        if (is_word(left) || left == '-' || left == '/') return 0;
        if (left == '.' && i >= done_ + 2 && is_digit(t_[i - 2])) return 0;
        std::size_t good = 0;
        Piece p = piece(i);
        for (int n = 0; n < kMaxPieces && p.end != 0; ++n) {
            if (ends_well(p))
                good = p.end;
            else if (!is_digit(at(p.end)))
                break;
            p = piece(at(p.end) == ' ' ? p.end + 1 : p.end);
        }
        return good != 0 && from(good).starts_with(" ago") && !is_word(at(good + 4)) ? good + 4 : good;
    }

    std::size_t just_now(std::size_t i) const {
        static constexpr std::string_view kWords = "just now";
        return from(i).starts_with(kWords) && !is_word(at(i + kWords.size())) && !is_word(before(i)) ? i + kWords.size()
                                                                                                     : 0;
    }

    /// The id of a request or a trace as logs write it: id=, then 16 or more hex digits with a letter among them.
    std::size_t marked_id(std::size_t i) const {
        if (before(i) != '=' || !ends_before_any_case(i - 1, "id")) return 0;
        std::size_t end = i;
        bool letter = false;
        for (; is_hex(at(end)); ++end) letter = letter || is_letter(at(end));
        return letter && end - i >= 16 && !is_word(at(end)) ? end : 0;
    }

    // ---- numbers of processes and attempts

    /// Steps back over what stands between a word and its number; 0 when it is something else.
    std::size_t word_end(std::size_t i) const {
        const auto left = [&](std::size_t k) { return k > done_ ? t_[k - 1] : '\0'; };
        const auto quote = [&](std::size_t k) {
            --k;
            for (int n = 0; n < 3 && left(k) == '\\'; ++n) --k;
            return k;
        };
        switch (left(i)) {
            case '#':
            case '(': return left(i - 1) == ' ' ? i - 2 : 0;
            case ':': return left(i - 1) == '"' ? quote(i - 1) : i - 1;
            case '=': return i - 1;
            case ' ': break;
            default: return 0;
        }
        std::size_t k = i - 1;
        if (left(k) != ':') return k;
        --k;
        if (left(k) == ' ') --k;
        return left(k) == '"' || left(k) == '\'' ? quote(k) : k;
    }

    std::size_t counted(std::size_t i) const {
        const std::size_t end = skip_digits(i);
        const char next = at(end);
        if (is_word(next) || next == '%' || (next == '.' && is_digit(at(end + 1)))) return 0;
        if (started_job(i, end)) return end;
        const std::size_t word = word_end(i);
        for (const std::string_view name : kCountedWords) {
            if (!ends_before_any_case(word, name)) continue;
            const char left = before(word - name.size());
            if (!is_digit(left) && !is_letter(left)) return end;
        }
        return 0;
    }

    /// "[1] 4711" alone on its line: a shell says which process it sent to the background.
    bool started_job(std::size_t i, std::size_t end) const {
        if (i < done_ + 4 || t_[i - 1] != ' ' || t_[i - 2] != ']' || !ends_line(end)) return false;
        std::size_t k = i - 2;
        while (k > done_ && is_digit(t_[k - 1])) --k;
        return k > done_ && k < i - 2 && t_[k - 1] == '[' && begins_line(k - 1);
    }
    bool begins_line(std::size_t i) const {
        const std::string_view left = t_.substr(done_, i - done_);
        return left.empty() || left == "\"" || left.ends_with('\n') || left.ends_with('\r') || left.ends_with("\\n") ||
               left.ends_with("\\r");
    }
    bool ends_line(std::size_t i) const {
        const char c = at(i);
        return c == '\0' || c == '\n' || c == '\r' || (c == '"' && i + 1 == t_.size()) ||
               (c == '\\' && (at(i + 1) == 'n' || at(i + 1) == 'r'));
    }

    std::size_t attempts(std::size_t i) const {
        if (before(i) != '(') return 0;
        const std::size_t slash = skip_digits(i);
        const std::size_t end = skip_digits(slash + 1);
        return at(slash) == '/' && end > slash + 1 && from(end).starts_with(") attempt") ? end : 0;
    }

    // ---- temporary files

    static bool ends_name(char c) {
        return static_cast<unsigned char>(c) <= ' ' ||
               std::string_view("\"'`:;,()[]{}<>|/\\*?").find(c) != std::string_view::npos;
    }
    std::size_t name_end(std::size_t i) const {
        while (i < t_.size() && !ends_name(t_[i])) ++i;
        return i;
    }

    std::size_t temp_name(std::size_t i) const {
        std::size_t folder = i;
        while (folder > done_ && folder + 4 > i && (t_[folder - 1] == '/' || t_[folder - 1] == '\\')) --folder;
        if (folder == i || starts_escape(folder, i) ||
            !(unix_temp(folder, i) || windows_temp(folder) || mac_temp(folder, i)))
            return 0;
        const std::size_t end = name_end(i);
        if (end == i) return 0;
        // pytest numbers its runs one level further down.
        if (from(i).starts_with("pytest-of-") && from(end).starts_with("/pytest-")) return name_end(end + 1);
        return end;
    }
    /// A backslash without a partner before a letter is rather an escape than a folder's end: "in C:/Temp\\n3 failed".
    bool starts_escape(std::size_t folder, std::size_t i) const {
        std::size_t k = i;
        while (k > folder && t_[k - 1] == '\\') --k;
        if ((i - k) % 2 == 0) return false;
        return std::string_view("bfnrtu").find(at(i)) != std::string_view::npos || ansi(i - 1) != 0;
    }
    bool unix_temp(std::size_t folder, std::size_t i) const {
        if (folder + 1 != i || !ends_before(i, "/tmp/")) return false;
        const std::size_t root = i - 5;
        const char left = before(root);
        if (!is_word(left) && left != '.' && left != '-' && left != '~') return true;
        return std::ranges::any_of(kTempParents, [&](std::string_view parent) { return ends_before(root, parent); });
    }
    bool windows_temp(std::size_t folder) const {
        return ends_before(folder, "\\Temp") || ends_before(folder, "\\TEMP") || ends_before(folder, "/Temp");
    }
    /// …/var/folders/xx/name/T/
    bool mac_temp(std::size_t folder, std::size_t i) const {
        if (folder + 1 != i || !ends_before(i, "/T/")) return false;
        std::size_t k = i - 3;
        for (int level = 0; level < 2; ++level) {
            const std::size_t end = k;
            while (k > done_ && end - k < 64 && (is_word(t_[k - 1]) || t_[k - 1] == '+' || t_[k - 1] == '-')) --k;
            if (k == end || k == done_ || t_[k - 1] != '/') return false;
            --k;
        }
        return ends_before(k, "/var/folders");
    }

    std::string_view t_;
    std::size_t done_;
};

}  // namespace

// From the rule that noticed them follows where the part around the three bytes would have to begin.
bool VolatileParts::check(const Suspect& suspect, VolatilePart& part) {
    const std::size_t last = chunk_ + suspect.last, first = last - 2;
    const Grammar grammar(text_, done_);
    const auto found = [&](std::size_t begin) {
        const std::size_t end = begin < done_ ? 0 : grammar.part_at(begin);
        if (end == 0) return false;
        part = {begin, end};
        done_ = end;
        return true;
    };
    if (last < done_) return false;
    for (std::uint32_t rules = suspect.rules; rules != 0; rules &= rules - 1) {
        switch (part_begin(static_cast<unsigned>(__builtin_ctz(rules)))) {
            case PartBegin::uuid:
                if (first >= 12 && found(first - 12)) return true;
                break;
            case PartBegin::date:
                if (first >= 3 && found(first - 3)) return true;
                break;
            case PartBegin::digits:
                if (first >= done_ && found(grammar.digits_begin(first))) return true;
                break;
            case PartBegin::number: {
                const std::size_t end = text_[first] == ' ' ? first - 1 : first;
                if (end < done_ || end > first || !is_digit(text_[end])) break;
                const std::size_t digits = grammar.digits_begin(end), begin = grammar.number_begin(digits);
                if ((begin != digits && found(begin)) || found(digits)) return true;
                break;
            }
            case PartBegin::counted:
                if (found(last)) return true;
                break;
            case PartBegin::name: {
                std::size_t begin = last;
                while (begin < text_.size() && begin < last + 4 && (text_[begin] == '/' || text_[begin] == '\\'))
                    ++begin;
                if (found(begin)) return true;
                break;
            }
            case PartBegin::first:
                if (found(first)) return true;
                break;
        }
    }
    return false;
}

std::vector<VolatilePart> volatile_parts(std::string_view text, SimdLevel level) {
    std::vector<VolatilePart> parts;
    VolatileParts walk(text, level);
    for (VolatilePart part; walk.next(part);) parts.push_back(part);
    return parts;
}

}  // namespace agent_audit::detectors
