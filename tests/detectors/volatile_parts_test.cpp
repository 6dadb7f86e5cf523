#include "detectors/outcomes/volatile_parts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

/// What is volatile, said as plainly as possible: at every place, is there one? Slow, no kernels, no suspects.
/// A text is cut behind every part found, so that what is left of a place is what is left of the cut text.
namespace naive {

constexpr std::size_t npos = std::string_view::npos;

bool digit(char c) { return c >= '0' && c <= '9'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool word(char c) { return digit(c) || letter(c) || c == '_'; }
bool hex(char c) { return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
char at(std::string_view s, std::size_t i) { return i < s.size() ? s[i] : '\0'; }
std::size_t digits(std::string_view s, std::size_t i) {
    while (digit(at(s, i))) ++i;
    return i;
}

/// `d` stands for a digit and `h` for a hex digit; every other character for itself.
bool shaped(std::string_view s, std::size_t i, std::string_view shape) {
    if (i > s.size() || s.size() - i < shape.size()) return false;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const char c = s[i + k];
        if (shape[k] == 'd' ? !digit(c) : shape[k] == 'h' ? !hex(c) : c != shape[k]) return false;
    }
    return true;
}
int number(std::string_view s, std::size_t i) { return (s[i] - '0') * 10 + (s[i + 1] - '0'); }
bool says(std::string_view s, std::size_t i, std::string_view words) {
    return i <= s.size() && s.substr(i).starts_with(words);
}

/// The last character of `left`; a blank at the beginning and behind an escape.
char last(std::string_view left) {
    if (left.empty()) return ' ';
    const bool unicode = left.size() >= 6 && shaped(left, left.size() - 6, "\\uhhhh");
    const bool escape =
        left.size() >= 2 && left[left.size() - 2] == '\\' && std::strchr("bfnrt", left.back()) && left.back() != '\0';
    return unicode || escape ? ' ' : left.back();
}

std::size_t ansi(std::string_view s, std::size_t i) {
    for (const std::string_view start :
         {"\x1b[", "\\u001b[", "\\u001B[", "\\x1b[", "\\x1B[", "\\033[", "\\e[", "\\u009b"}) {
        if (!says(s, i, start)) continue;
        std::size_t end = i + start.size(), n = 0;
        for (; n < 32 && at(s, end) >= 0x20 && at(s, end) <= 0x3f; ++n) ++end;
        return at(s, end) >= 0x40 && at(s, end) <= 0x7e ? end + 1 : npos;
    }
    return npos;
}

struct Time {
    std::size_t end = npos;
    bool seconds = false;
};

Time time(std::string_view s, std::size_t i) {
    const bool two = shaped(s, i, "dd:dd");
    if (!two && !shaped(s, i, "d:dd")) return {};
    std::size_t end = i + (two ? 5 : 4);
    if (number(s, end - 2) > 59) return {};
    Time t{npos, shaped(s, end, ":dd") && number(s, end + 1) <= 60};
    if (!t.seconds && two && number(s, i) > 23) return {};
    if (t.seconds) {
        end += 3;
        if (shaped(s, end, ".d") || shaped(s, end, ",d")) end = digits(s, end + 1);
    }
    std::vector<std::size_t> longer;
    if (at(s, end) == 'Z') longer.push_back(end + 1);
    for (const std::string_view zone :
         {"+dd:dd", "-dd:dd", " +dd:dd", " -dd:dd", "+dddd", "-dddd", " +dddd", " -dddd"}) {
        if (!shaped(s, end, zone)) continue;
        const std::size_t z = end + zone.size();
        const std::size_t hours = end + (zone.front() == ' ' ? 2 : 1);
        if (number(s, hours) <= 23 && number(s, z - 2) <= 59) longer.push_back(z);
    }
    for (const std::string_view half : {"am", "AM", "aM", "Am", "pm", "PM", "pM", "Pm"}) {
        if (says(s, end, half)) longer.push_back(end + 2);
        if (says(s, end, " " + std::string(half))) longer.push_back(end + 3);
    }
    for (const std::size_t e : longer) {
        if (!word(at(s, e))) return {e, t.seconds};
    }
    if (!word(at(s, end)) && !shaped(s, end, ":d")) t.end = end;
    return t;
}

std::size_t date(std::string_view s, std::size_t i) {
    const bool slashes = shaped(s, i, "dddd/dd/dd");
    if (!slashes && !shaped(s, i, "dddd-dd-dd")) return npos;
    const char left = last(s.substr(0, i));
    if (digit(left) || digit(at(s, i + 10)) || number(s, i + 5) > 12 || number(s, i + 8) > 31) return npos;
    if (slashes && (left == '/' || at(s, i + 10) == '/')) return npos;
    if (i >= 2 && says(s, i - 2, "\\u")) return npos;
    if (at(s, i + 10) == 'T' || at(s, i + 10) == ' ') {
        if (const Time t = time(s, i + 11); t.end != npos) {
            // Go: 2026-02-03 04:05:06.7 +0100 CET m=+0.043
            std::size_t zone = t.end + 1;
            while (at(s, zone) >= 'A' && at(s, zone) <= 'Z') ++zone;
            const std::size_t letters = zone - t.end - 1;
            const bool named = at(s, t.end) == ' ' && letters >= 2 && letters <= 6 && says(s, zone, " m=+");
            const std::size_t whole = named ? digits(s, zone + 4) : 0;
            return named && shaped(s, whole, ".d") ? digits(s, whole + 1) : t.end;
        }
    }
    // In the name of a log: 2026-02-03T04_05_06_789Z.
    for (const char mark : {'_', '-'}) {
        const std::string clock = std::string("Tdd") + mark + "dd" + mark + "dd";
        if (!shaped(s, i + 10, clock)) continue;
        if (number(s, i + 11) > 23 || number(s, i + 14) > 59 || number(s, i + 17) > 60) continue;
        std::size_t end = i + 19;
        if ((at(s, end) == mark || at(s, end) == '.') && digit(at(s, end + 1))) end = digits(s, end + 1);
        if (at(s, end) == 'Z') ++end;
        if (!letter(at(s, end)) && !digit(at(s, end))) return end;
    }
    return i + 10;
}

std::size_t clock(std::string_view s, std::size_t i) {
    const char left = last(s.substr(0, i));
    if (word(left) || left == ':') return npos;
    const Time t = time(s, i);
    if (t.end == npos || t.seconds) return t.end;
    if (left == '.' || left == '(' || at(s, t.end) == ':') return npos;
    std::size_t rest = t.end;
    while (rest < t.end + 8 && at(s, rest) == ' ') ++rest;
    return says(s, rest, "error") || says(s, rest, "warning") ? npos : t.end;
}

std::size_t uuid(std::string_view s, std::size_t i) {
    const char left = last(s.substr(0, i));
    const bool alone = !digit(left) && !letter(left) && !word(at(s, i + 36));
    return alone && shaped(s, i, "hhhhhhhh-hhhh-dhhh-hhhh-hhhhhhhhhhhh") ? i + 36 : npos;
}

std::size_t address(std::string_view s, std::size_t i) {
    if (!says(s, i, "0x") || word(last(s.substr(0, i)))) return npos;
    std::size_t end = i + 2;
    while (hex(at(s, end))) ++end;
    return end - i >= 8 && end - i <= 18 && !word(at(s, end)) ? end : npos;
}

/// One number with a unit; `lone` when the unit is one letter.
std::size_t amount(std::string_view s, std::size_t i, bool& lone) {
    std::size_t end = digits(s, i);
    if (end == i) return npos;
    const bool fraction = shaped(s, end, ".d");
    if (fraction) end = digits(s, end + 1);
    const bool blank = at(s, end) == ' ';
    end += blank;
    std::size_t longest = 0;
    for (const std::string_view unit :
         {"month", "months", "week",    "weeks", "year",      "years",  "day",     "days", "hour", "hours", "hr",
          "hrs",   "minute", "minutes", "min",   "mins",      "second", "seconds", "sec",  "secs", "msec",  "usec",
          "nsec",  "ms",     "us",      "ns",    "\xc2\xb5s", "d",      "h",       "m",    "s"}) {
        if (says(s, end, unit)) longest = std::max(longest, unit.size());
    }
    lone = longest == 1;
    if (longest == 0 || (lone && blank && !(fraction && s[end] == 's'))) return npos;
    return end + longest;
}

std::size_t duration(std::string_view s, std::size_t i) {
    const char left = last(s.substr(0, i));
    if (word(left) || left == '-' || left == '/' || (left == '.' && i >= 2 && digit(s[i - 2]))) return npos;
    std::size_t good = npos;
    for (int n = 0; n < 4; ++n) {
        bool lone = false;
        const std::size_t end = amount(s, i, lone);
        if (end == npos) break;
        const char next = at(s, end);
        const bool name = lone && (next == '/' || next == '-' || (next == '.' && word(at(s, end + 1))));
        if (!word(next) && !name)
            good = end;
        else if (!digit(next))
            break;
        i = next == ' ' ? end + 1 : end;
    }
    return good != npos && says(s, good, " ago") && !word(at(s, good + 4)) ? good + 4 : good;
}

bool counts(std::string_view left) {
    std::vector<std::string> betweens{" ", ":", "=", " #", " (", ": ", " : ", "': ", "' : "};
    for (const std::string_view quote : {"\"", "\\\"", "\\\\\"", "\\\\\\\""}) {
        for (const std::string_view between : {":", ": ", " : "})
            betweens.push_back(std::string(quote) + std::string(between));
    }
    for (const std::string_view quote : {"\\'", "\\\\'", "\\\\\\'"}) {
        for (const std::string_view between : {": ", " : "})
            betweens.push_back(std::string(quote) + std::string(between));
    }
    for (const std::string_view name : {"pid", "ppid", "pgid", "attempt", "retry", "try"}) {
        for (const std::string& between : betweens) {
            if (!left.ends_with(between) || left.size() < between.size() + name.size()) continue;
            const std::string_view before = left.substr(0, left.size() - between.size() - name.size());
            const std::string_view said = left.substr(before.size(), name.size());
            bool same = true;
            for (std::size_t k = 0; k < name.size(); ++k)
                same = same && (said[k] == name[k] || said[k] == name[k] - 32);
            if (same && !digit(last(before)) && !letter(last(before))) return true;
        }
    }
    return false;
}

/// "[1] 4711" that fills its line. `s` begins where the last part ended, which is no line's beginning: nothing ends so
/// that a job could follow it without a line end between.
bool job(std::string_view left, std::string_view right) {
    if (!left.ends_with("] ")) return false;
    left.remove_suffix(2);
    const std::size_t all = left.size();
    while (!left.empty() && digit(left.back())) left.remove_suffix(1);
    if (left.size() == all || !left.ends_with('[')) return false;
    left.remove_suffix(1);
    const bool begins = left.empty() || left == "\"" || left.back() == '\n' || left.back() == '\r' ||
                        left.ends_with("\\n") || left.ends_with("\\r");
    const bool ends = right.empty() || right == "\"" || right[0] == '\n' || right[0] == '\r' || right[0] == '\0' ||
                      right.starts_with("\\n") || right.starts_with("\\r");
    return begins && ends;
}

std::size_t counted(std::string_view s, std::size_t i) {
    const std::size_t end = digits(s, i);
    if (word(at(s, end)) || at(s, end) == '%' || shaped(s, end, ".d")) return npos;
    return counts(s.substr(0, i)) || job(s.substr(0, i), s.substr(end)) ? end : npos;
}

std::size_t attempts(std::string_view s, std::size_t i) {
    if (last(s.substr(0, i)) != '(') return npos;
    const std::size_t slash = digits(s, i), end = digits(s, slash + 1);
    return at(s, slash) == '/' && end != slash + 1 && says(s, end, ") attempt") ? end : npos;
}

std::size_t name_end(std::string_view s, std::size_t i) {
    const auto end = std::find_if(s.begin() + static_cast<std::ptrdiff_t>(i), s.end(), [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || std::strchr("\"'`:;,()[]{}<>|/\\*?", c) != nullptr;
    });
    return static_cast<std::size_t>(end - s.begin());
}

bool temp_folder(std::string_view left) {
    std::size_t slashes = 0;
    while (slashes < 4 && slashes < left.size() &&
           (left[left.size() - slashes - 1] == '/' || left[left.size() - slashes - 1] == '\\'))
        ++slashes;
    if (slashes == 0) return false;
    const std::string_view folder = left.substr(0, left.size() - slashes);
    if (folder.ends_with("\\Temp") || folder.ends_with("\\TEMP") || folder.ends_with("/Temp")) return true;
    if (slashes > 1 || left.back() != '/') return false;
    if (folder.ends_with("/tmp")) {
        const std::string_view root = folder.substr(0, folder.size() - 4);
        const char c = last(root);
        return root.ends_with("/var") || root.ends_with("/private") || !(word(c) || c == '.' || c == '-' || c == '~');
    }
    if (!folder.ends_with("/T")) return false;
    std::string_view parent = folder.substr(0, folder.size() - 2);
    for (int level = 0; level < 2; ++level) {
        std::size_t n = 0;
        while (n < parent.size() &&
               (word(parent[parent.size() - n - 1]) || std::strchr("+-", parent[parent.size() - n - 1]))) {
            if (parent[parent.size() - n - 1] == '\0') break;
            ++n;
        }
        if (n == 0 || n > 64 || n == parent.size() || parent[parent.size() - n - 1] != '/') return false;
        parent.remove_suffix(n + 1);
    }
    return parent.ends_with("/var/folders");
}

/// Of an odd number of backslashes the last one begins an escape, if what follows makes one.
bool escape(std::string_view s, std::size_t i) {
    std::size_t n = 0;
    while (n < 4 && n < i && s[i - n - 1] == '\\') ++n;
    return n % 2 != 0 && (std::string_view("bfnrtu").find(at(s, i)) != npos || ansi(s, i - 1) != npos);
}

std::size_t temp_name(std::string_view s, std::size_t i) {
    if (escape(s, i)) return npos;
    if (!temp_folder(s.substr(0, i))) return npos;
    const std::size_t end = name_end(s, i);
    if (end == i) return npos;
    return says(s, i, "pytest-of-") && says(s, end, "/pytest-") ? name_end(s, end + 1) : end;
}

std::size_t marked_id(std::string_view s, std::size_t i) {
    if (i < 3 || at(s, i - 1) != '=' || (at(s, i - 2) | 0x20) != 'd' || (at(s, i - 3) | 0x20) != 'i') return npos;
    std::size_t end = i;
    while (hex(at(s, end))) ++end;
    const bool decimal = digits(s, i) == end;
    return end - i < 16 || decimal || word(at(s, end)) ? npos : end;
}

std::size_t part_at(std::string_view s, std::size_t i) {
    if (const std::size_t end = ansi(s, i); end != npos) return end;
    if (const std::size_t end = temp_name(s, i); end != npos) return end;
    if (const std::size_t end = marked_id(s, i); end != npos) return end;
    if (says(s, i, "just now") && !word(last(s.substr(0, i))) && !word(at(s, i + 8))) return i + 8;
    if (const std::size_t end = uuid(s, i); end != npos) return end;
    if (!digit(s[i])) return npos;
    for (const auto rule : {date, clock, address, attempts, duration, counted}) {
        if (const std::size_t end = rule(s, i); end != npos) return end;
    }
    return npos;
}

std::vector<VolatilePart> parts(std::string_view text) {
    std::vector<VolatilePart> found;
    std::size_t done = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::size_t end = part_at(text.substr(done), i - done);
        if (end == npos) continue;
        found.push_back({i, done + end});
        done += end;
        i = done - 1;
    }
    return found;
}

}  // namespace naive

std::string show(std::string_view text, const std::vector<VolatilePart>& parts) {
    std::string out;
    std::size_t done = 0;
    for (const VolatilePart& p : parts) {
        out.append(text.substr(done, p.begin - done))
            .append("\u00ab")
            .append(text.substr(p.begin, p.end - p.begin))
            .append("\u00bb");
        done = p.end;
    }
    return out.append(text.substr(done));
}

std::string shown(std::string_view text) { return show(text, volatile_parts(text)); }

/// Returns whether all levels agree with the naive answer; complains about the first that does not.
bool agrees(std::string_view text, const std::vector<VolatilePart>& expected) {
    for (const SimdLevel level : simd_levels()) {
        const auto parts = volatile_parts(text, level);
        if (parts == expected) continue;
        FAIL_CHECK("level " << static_cast<int>(level) << "\n found    " << show(text, parts) << "\n expected "
                            << show(text, expected));
        return false;
    }
    return true;
}

const std::vector<std::string_view>& fragments() {
    static const std::vector<std::string_view> all{"12:34",
                                                   "1:02",
                                                   "23:59:60",
                                                   "09:15:00.123",
                                                   "12:34:56,789",
                                                   "12:34:56Z",
                                                   "12:34:56+02:00",
                                                   "12:34 -0500",
                                                   "9:05 PM",
                                                   "99:59:59",
                                                   "25:00",
                                                   "12:60",
                                                   "2026-02-03",
                                                   "2026/02/03",
                                                   "2026-13-01",
                                                   "2026-02-03T04:05:06.789Z",
                                                   "2026-02-03T04_05_06_789Z",
                                                   "2026-02-03 04:05:06 +0100 CET m=+0.043",
                                                   "2026-02-03 04:05",
                                                   "1970/01/01/",
                                                   "/2026/02/03",
                                                   "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
                                                   "12345678-1234-1234-1234-123456789012",
                                                   "0000003d-1111-4abc-8def-00000000000a",
                                                   "ABCDEF01-2345-6789-ABCD-EF0123456789",
                                                   "deadbeef-dead-dead-dead-deadbeefdead",
                                                   "0x7ffd1234",
                                                   "0xdeadbeef12345678",
                                                   "0x12345",
                                                   "0x123456789abcdef01",
                                                   "0X7ffd1234",
                                                   "12ms",
                                                   "3 ms",
                                                   "3.5s",
                                                   "1.5 s",
                                                   "2m30s",
                                                   "1h 2m 3s",
                                                   "1d 2h 3m 4s 5ms",
                                                   "5 minutes ago",
                                                   "1 minute",
                                                   "7sec",
                                                   "7 secs",
                                                   "8seconds",
                                                   "8 second",
                                                   "4min",
                                                   "4 mins",
                                                   "3h",
                                                   "3 hrs",
                                                   "3hr",
                                                   "2hours",
                                                   "2 hour",
                                                   "6d",
                                                   "6days",
                                                   "6 day",
                                                   "5weeks",
                                                   "5 weeks",
                                                   "1week",
                                                   "1 week",
                                                   "2months",
                                                   "2 months",
                                                   "1 month",
                                                   "9years",
                                                   "9 years",
                                                   "1year",
                                                   "3us",
                                                   "3 usec",
                                                   "4ns",
                                                   "4nsec",
                                                   "5msec",
                                                   "7\xc2\xb5s",
                                                   "7 \xc2\xb5s",
                                                   "3 s",
                                                   "3 h",
                                                   "just now",
                                                   "justnow",
                                                   "just nowhere",
                                                   "3d/model",
                                                   "5s.txt",
                                                   "3d-x",
                                                   "pid 12",
                                                   "PID: 77",
                                                   "ppid=3",
                                                   "PGID: 12",
                                                   "[1] 4711",
                                                   "[12] 4711\n",
                                                   "\n[1] 8",
                                                   "[1] 8 done",
                                                   "a[1] 8",
                                                   "\"pid\":12",
                                                   "\"pid\": 12",
                                                   "\\\"pid\\\":12",
                                                   "\\\\\\\"pid\\\\\\\" : 12",
                                                   "'pid': 4",
                                                   "pid\"=3",
                                                   "'pid':4",
                                                   "pid=",
                                                   "attempt 3",
                                                   "Attempt #4",
                                                   "attempt (5",
                                                   "retry:2",
                                                   "retry 2 of 5",
                                                   "try 1",
                                                   "entry 3",
                                                   "worker_pid=8",
                                                   "pid 3%",
                                                   "pid 1.2",
                                                   "id=",
                                                   "request_id=4bf92f3577b34da6",
                                                   "ID=e7a1",
                                                   "4bf92f3577b34da6",
                                                   "fffffffffffffff",
                                                   "(2/5) attempts",
                                                   "(12/15) attempt",
                                                   "(2/5)",
                                                   "2/5",
                                                   "/tmp/",
                                                   "/tmp/x",
                                                   "/tmp/tmp.aB3/f.txt",
                                                   "/var/tmp/q",
                                                   "./tmp/x",
                                                   "/tmp//x",
                                                   "/private/tmp/y",
                                                   "/home/me/tmp/z",
                                                   "/var/folders/ab/cd/T/x",
                                                   "/var/folders/a+b/c_d/T/",
                                                   "/T/x",
                                                   "C:\\Temp\\x",
                                                   "C:\\\\Temp\\\\x",
                                                   "D:/Temp/x",
                                                   "\\TEMP\\y.tmp",
                                                   "\\\\\\\\Temp\\\\\\\\q",
                                                   "/tmp/pytest-of-me/pytest-12/a",
                                                   "\x1b[0m",
                                                   "\x1b[1;31m",
                                                   "\x1b[",
                                                   "\\u001b[32m",
                                                   "\\u001B[K",
                                                   "\\x1b[0m",
                                                   "\\x1B[2J",
                                                   "\\033[0m",
                                                   "\\e[0m",
                                                   "\\u009b1m",
                                                   "hello",
                                                   "error",
                                                   "warning",
                                                   "3 failed",
                                                   "17 passed",
                                                   "foo.py:12:",
                                                   "a.c:12:34:",
                                                   "12:34: x",
                                                   "12:34  error",
                                                   "1.2.3",
                                                   "v1.2.3s",
                                                   "50%",
                                                   "3/10",
                                                   "\\n",
                                                   "\\t",
                                                   "\\\\n",
                                                   "\\u00e9",
                                                   "\\u0031",
                                                   "\\\"",
                                                   "\n",
                                                   "\t",
                                                   " ",
                                                   "  ",
                                                   ".",
                                                   "-",
                                                   "_",
                                                   "/",
                                                   ":",
                                                   "(",
                                                   ")",
                                                   "[",
                                                   "]",
                                                   "\"",
                                                   "0",
                                                   "7",
                                                   "a",
                                                   "d",
                                                   "s",
                                                   "m",
                                                   "T",
                                                   "Z",
                                                   "x",
                                                   "#",
                                                   "%",
                                                   "\\",
                                                   "\xc3\xa9",
                                                   ",",
                                                   "=",
                                                   "attempt",
                                                   "1",
                                                   "2026",
                                                   "+01:00",
                                                   "am",
                                                   "ago",
                                                   " ago",
                                                   "0x",
                                                   "tmp",
                                                   "Temp",
                                                   "\xc2",
                                                   "\xb5"};
    return all;
}

std::string random_text(std::mt19937& random, std::size_t size) {
    const auto& all = fragments();
    std::string text;
    while (text.size() < size) {
        text += all[random() % all.size()];
        if (random() % 2 == 0) text += ' ';
    }
    text.resize(size);  // cut anywhere: a part may end the text, or half of it
    return text;
}

}  // namespace

TEST_SUITE("volatile parts") {
    TEST_CASE("what differs between two runs of the same thing is volatile") {
        CHECK(shown("at 2026-02-03T04:05:06.789Z ok") == "at «2026-02-03T04:05:06.789Z» ok");
        CHECK(shown("logs/2026-02-03T04_05_06_789Z-debug-0.log") == "logs/«2026-02-03T04_05_06_789Z»-debug-0.log");
        CHECK(shown("at 2026-02-03 04:05:06.7 +0100 CET m=+0.043 ok") ==
              "at «2026-02-03 04:05:06.7 +0100 CET m=+0.043» ok");
        CHECK(shown("2026-02-03 04:05:06 CET m=+x") == "«2026-02-03 04:05:06» CET m=+x");
        CHECK(shown("run-2026-02-03T04-05-06.json") == "run-«2026-02-03T04-05-06».json");
        CHECK(shown("2026-02-03T24_05_06Z 2026-02-03T04_05-06") == "«2026-02-03»T24_05_06Z «2026-02-03»T04_05-06");
        CHECK(shown("2026/02/03 04:05 ok") == "«2026/02/03 04:05» ok");
        CHECK(shown("[09:15:00,123] go") == "[«09:15:00,123»] go");
        CHECK(shown("since 9:05 PM") == "since «9:05 PM»");
        CHECK(shown("id 3f2504e0-4f89-41d3-9a0c-0305e82c3301.") == "id «3f2504e0-4f89-41d3-9a0c-0305e82c3301».");
        CHECK(shown("<obj at 0x7f3a2c001d>") == "<obj at «0x7f3a2c001d»>");
        CHECK(shown("3 passed in 2.31s") == "3 passed in «2.31s»");
        CHECK(shown("took 1h 2m 3.5s") == "took «1h 2m 3.5s»");
        CHECK(shown("5 minutes ago, just now") == "«5 minutes ago», «just now»");
        CHECK(shown("pid 4711, \"pid\": 12, Attempt #3") == "pid «4711», \"pid\": «12», Attempt #«3»");
        CHECK(shown("Process Group PGID: 28137") == "Process Group PGID: «28137»");
        CHECK(shown("[1] 4711\\nstarted") == "[1] «4711»\\nstarted");
        CHECK(shown("[id=95d9b32f47cac51a] trace_id=ce0cc733c1a921ab0011") ==
              "[id=«95d9b32f47cac51a»] trace_id=«ce0cc733c1a921ab0011»");
        CHECK(shown("(2/5) attempts") == "(«2/5») attempts");
        CHECK(shown("/tmp/tmpab12/out.txt") == "/tmp/«tmpab12»/out.txt");
        CHECK(shown("/var/folders/zz/k9_4/T/job-1 x") == "/var/folders/zz/k9_4/T/«job-1» x");
        CHECK(shown("C:\\\\Users\\\\me\\\\Temp\\\\a1.log") == "C:\\\\Users\\\\me\\\\Temp\\\\«a1.log»");
        CHECK(shown("\x1b[31mred\\u001b[0m \\x1b[1m\\033[0m\\e[K") ==
              "«\x1b[31m»red«\\u001b[0m» «\\x1b[1m»«\\033[0m»«\\e[K»");
    }

    TEST_CASE("what says something about the work stays") {
        for (const std::string_view text : {"3 failed, 12 passed",
                                            "foo.py:12: in f",
                                            "foo.py:12:34: note",
                                            "12:34: error",
                                            "  12:34  warning  x",
                                            "version 1.2.3",
                                            "v1.2.3s",
                                            "87%",
                                            "pid 3%",
                                            "3/10 done",
                                            "2.5 MB",
                                            "12K",
                                            "commit 3f2504e04f8941d3",
                                            "sha256:0x1234",
                                            "0x123456789abcdef01",
                                            "3d/model.h",
                                            "5s.txt",
                                            "(3:45)",
                                            "./tmp/x",
                                            "/home/me/tmp/x",
                                            "/2026/02/03/x",
                                            "entry 3",
                                            "retries: 3",
                                            "25:00",
                                            "3 s",
                                            "0X7FFD1234AB",
                                            "id=1234567890123456",
                                            "id=95d9b32f47cac51",
                                            "id=95d9b32f47cac51ag",
                                            "\"id\":\"95d9b32f47cac51a\""}) {
            CHECK(shown(text) == text);
        }
    }

    TEST_CASE("every unit is a duration, in singular and plural, with a blank and without") {
        for (const std::string_view unit :
             {"month", "months", "week", "weeks",  "year",    "years", "day",  "days",   "hour",
              "hours", "hr",     "hrs",  "minute", "minutes", "min",   "mins", "second", "seconds",
              "sec",   "secs",   "msec", "usec",   "nsec",    "ms",    "us",   "ns",     "\xc2\xb5s"}) {
            for (const std::string_view between : {"", " "}) {
                const std::string amount = "12" + std::string(between) + std::string(unit);
                CHECK(shown(amount) == "«" + amount + "»");
                CHECK(shown("in " + amount + ", ok") == "in «" + amount + "», ok");
            }
        }
        for (const std::string_view unit : {"d", "h", "m", "s"})
            CHECK(shown("x 3" + std::string(unit)) == "x «3" + std::string(unit) + "»");
    }

    TEST_CASE("an escape in JSON text ends a word") {
        CHECK(shown("done\\n12:34 x") == "done\\n«12:34» x");
        CHECK(shown("\\u00e912:34 x") == "\\u00e9«12:34» x");
        CHECK(shown("in C:/Temp\\n3 failed") == "in C:/Temp\\n3 failed");
        CHECK(shown("in C:\\\\Temp\\\\\\n3 failed") == "in C:\\\\Temp\\\\\\n3 failed");
        CHECK(shown("C:/Temp\\x1b[0m") == "C:/Temp«\\x1b[0m»");
        CHECK(shown("\\n/tmp/q1\\n") == "\\n/tmp/«q1»\\n");
    }

    TEST_CASE("every level finds what a plain reading finds, in random texts of every short length") {
        std::mt19937 random(7);
        for (std::size_t round = 0; round < 20; ++round) {
            for (std::size_t size = 0; size <= 300; ++size) {
                const std::string text = random_text(random, size);
                if (!agrees(text, naive::parts(text))) return;
            }
        }
    }

    TEST_CASE("where a text lies in memory does not matter") {
        std::mt19937 random(8);
        for (std::size_t round = 0; round < 20; ++round) {
            const std::string text = random_text(random, 50 + random() % 250);
            const auto expected = naive::parts(text);
            for (std::size_t shift = 0; shift <= 70; ++shift) {
                std::vector<char> memory(shift + text.size());  // its end is the end of the text
                std::memcpy(memory.data() + shift, text.data(), text.size());
                if (!agrees({memory.data() + shift, text.size()}, expected)) return;
            }
        }
    }

    TEST_CASE("a part is found wherever it lies, across blocks and chunks too") {
        for (const std::string_view part : fragments()) {
            for (const std::size_t border : {std::size_t{64}, kScanChunk, 2 * kScanChunk}) {
                for (std::size_t back = 0; back <= part.size() + 2; ++back) {
                    const std::string before(border - back, '.');
                    for (const std::string_view after : {"", " x"}) {
                        const std::string text = before + std::string(part) + std::string(after);
                        // The naive reading of so long a text would be slow, and dots say nothing: a few of them do.
                        const std::size_t cut = before.size() < 10 ? 0 : before.size() - 10;
                        auto expected = naive::parts(std::string_view(text).substr(cut));
                        for (VolatilePart& p : expected) p = {p.begin + cut, p.end + cut};
                        if (!agrees(text, expected)) return;
                    }
                }
            }
        }
    }

    TEST_CASE("random texts around the chunk border agree") {
        std::mt19937 random(9);
        for (std::size_t round = 0; round < 40; ++round) {
            const std::string text = random_text(random, kScanChunk - 40 + random() % 400);
            if (!agrees(text, naive::parts(text))) return;
        }
    }
}
