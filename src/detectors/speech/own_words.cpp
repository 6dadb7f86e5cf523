#include "detectors/speech/own_words.hpp"

#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

// Behind these and a colon, what is numbered is to be chosen from.
constexpr std::string_view kOptions[] = {
    "possibilities",       "options",    "alternatives", "possible solutions", "possible fixes",
    "possible approaches", "approaches", "ideas",        "可能的方案",         "几种方案"};

// What programs print begins with these.
constexpr std::string_view kPrinted[] = {
    "error: ",  "Error: ",  "ERROR: ", "fatal: ", "remote: ", "hint: ", "npm ERR!", "npm error",
    "npm WARN", "npm warn", "[ERROR]", "[error]", "[WARN",    "E   ",   "panic: "};

// "[12:03:11] WARN …", "2026-11-27T12:03:11Z …", "12:03:11.400 …": a line of a log.
bool begins_with_time(std::string_view line) {
    constexpr std::string_view kTime = "dd:dd:dd", kDate = "dddd-dd-dd";
    const auto begins = [&](std::string_view form) {
        return line.size() > form.size() && std::ranges::equal(line.substr(0, form.size()), form, [](char c, char f) {
                   return f == 'd' ? c >= '0' && c <= '9' : c == f;
               });
    };
    while (line.starts_with('[') || line.starts_with('(')) line.remove_prefix(1);
    if (begins(kDate)) {
        line.remove_prefix(kDate.size());
        if (line.starts_with('T') || line.starts_with(' ')) line.remove_prefix(1);
    }
    return begins(kTime);
}

// "@max: please don't change utils.ts": somebody else's comment.
bool is_comment_of_other(std::string_view line) {
    for (const std::string_view mark : {"- ", "* "}) {
        if (line.starts_with(mark)) line.remove_prefix(mark.size());
    }
    if (!line.starts_with('@')) return false;
    const std::size_t end = line.find_first_of(" :");
    return end != line.npos && line[end] == ':';
}

// "Add to AGENTS.md: …", "write CONTRIBUTING.md with these rules: …": what stands behind the colon is to be written.
// Its place; npos = there is none.
std::size_t content_at(std::string_view line) {
    constexpr std::string_view kWrites[] = {"add ",          "write ",      "put ",           "append ",
                                            "include ",      "create ",     "insert ",        "please add ",
                                            "please write ", "please put ", "please append ", "please create ",
                                            "now add ",      "now write "},
                               kDocuments[] = {".md", ".mdc", ".txt", ".rst", ".adoc", ".cursorrules"};
    const std::string lower = lowered(line);
    if (!starts_with_any(lower, kWrites)) return line.npos;
    std::size_t colon = lower.find(": ");
    if (colon == lower.npos && lower.ends_with(':')) colon = lower.size() - 1;
    if (colon == lower.npos) return line.npos;
    const std::vector<std::string> named = paths_in(line.substr(0, colon), 4);
    const bool document = std::ranges::any_of(named, [&](const std::string& path) {
        return std::ranges::any_of(kDocuments, [&](std::string_view ending) { return path.ends_with(ending); });
    });
    return document ? colon + 1 : line.npos;
}

bool is_numbered(std::string_view line);

// "1. a", "2) b"
bool is_numbered(std::string_view line) {
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    return digits > 0 && digits < 3 && (line.substr(digits).starts_with(". ") || line.substr(digits).starts_with(") "));
}

}  // namespace

std::string unfenced(std::string_view text) {
    std::string out;
    bool fenced = false;
    bool content = false;  // what is listed is to be written somewhere
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::string_view inner = trimmed(line);
        if (inner.starts_with("```") || inner.starts_with("~~~")) {
            fenced = !fenced;
            continue;
        }
        if (fenced || inner.starts_with('>') || inner.starts_with('|') || starts_with_any(inner, kPrinted) ||
            begins_with_time(inner) || is_comment_of_other(inner))
            continue;
        const bool item =
            inner.starts_with("- ") || inner.starts_with("* ") || inner.starts_with("• ") || is_numbered(inner);
        if (content && (item || inner.empty())) continue;
        // What is to be written ends with its sentence, or is the list below.
        const std::size_t written = content_at(inner);
        content = written == inner.size();
        std::string kept(inner.substr(0, written));
        if (written < inner.size()) kept.append(inner.substr(std::min(inner.find(". ", written), inner.size())));
        const std::string_view told = written == inner.npos ? line : std::string_view(kept);
        // What is set in bold says the same without.
        for (std::size_t at = 0; at < told.size();) {
            const std::size_t bold = std::min(told.find("**", at), told.size());
            out.append(told.substr(at, bold - at));
            at = bold == told.size() ? bold : bold + 2;
        }
        out.push_back('\n');
    }
    return out;
}

std::string without_options(std::string_view text) {
    static constexpr PhraseSet options(kOptions);
    std::string out;
    bool weighed = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        const std::string_view inner = trimmed(line);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (weighed && (inner.empty() || is_numbered(inner) || line.starts_with("  ") || line.starts_with('\t')))
            continue;
        weighed = inner.ends_with(':') && options.in(inner);
        const std::size_t colon = line.find(": 1");
        if (colon != line.npos && is_numbered(line.substr(colon + 2)) && options.in(line.substr(0, colon)))
            line = line.substr(0, colon);
        out.append(line).push_back('\n');
    }
    return out;
}

std::string unquoted(std::string text, bool (*tells)(std::string_view)) {
    struct Marks {
        std::string_view open, close;
    };
    constexpr Marks kMarks[] = {{"\"", "\""}, {"“", "”"}, {"‘", "’"}, {"「", "」"},
                                {"『", "』"}, {"«", "»"}, {"'", "'"}};
    constexpr std::size_t kLongestQuote = 600;
    const auto letter = [](char c) { return is_alnum(c); };
    for (const Marks& marks : kMarks) {
        const bool apostrophe = marks.close == "'" || marks.close == "’";
        for (std::size_t open = text.find(marks.open); open != text.npos; open = text.find(marks.open, open)) {
            const std::size_t from = open + marks.open.size();
            const bool opens = marks.open != "'" || open == 0 ||
                               std::string_view(" \n\t(:").find(text[open - 1]) != std::string_view::npos;
            std::size_t close = opens ? text.find(marks.close, from) : text.npos;
            // The apostrophe in "don't" closes nothing.
            while (apostrophe && close != text.npos && close + marks.close.size() < text.size() &&
                   letter(text[close + marks.close.size()]))
                close = text.find(marks.close, close + marks.close.size());
            const std::string_view inner =
                close == text.npos ? std::string_view{} : std::string_view(text).substr(from, close - from);
            if (close == text.npos || inner.size() > kLongestQuote || inner.find("\n\n") != inner.npos) {
                open = from;
            } else if (tells(inner)) {
                text.replace(open, close + marks.close.size() - open, "…");
                open += std::string_view("…").size();
            } else {
                open = close + marks.close.size();
            }
        }
    }
    return text;
}

}  // namespace agent_audit::detectors
