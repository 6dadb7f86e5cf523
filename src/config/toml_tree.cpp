#include "config/toml_tree.hpp"

#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

// Header-only whatever the package is built for: its library throws, and we do not want to catch.
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#undef TOML_SHARED_LIB
#define TOML_SHARED_LIB 0
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace agent_audit {
namespace {

constexpr unsigned kMaxDots = 16, kMaxBrackets = 32;

// 0 for a table made of dotted keys: it has no place of its own.
std::uint32_t line_of(const toml::node& node) { return node.source().begin.line; }

Error at(std::string_view source, std::uint32_t line, std::string_view what) {
    return Error{fmt::format("{}:{}: {}", source, line, what)};
}

// The end of the text that begins with a quote at `from`: behind its closing quote, or the end of the document.
std::size_t end_of_string(std::string_view text, std::size_t from) {
    const char quote = text[from];
    const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
    const bool block = text.substr(from, 3) == triple;
    for (std::size_t i = from + (block ? 3 : 1); i < text.size(); ++i) {
        if (quote == '"' && text[i] == '\\') {
            ++i;
        } else if (block ? text.substr(i, 3) == triple : text[i] == quote) {
            return i + (block ? 3 : 1);
        } else if (!block && text[i] == '\n') {
            return i;  // broken, as the parser will say
        }
    }
    return text.size();
}

// Each dot of a key is a table in a table, for which the parser has no limit: its destructors would end the stack.
// Returns the line on which it gets too deep, 0 when it nowhere does.
std::uint32_t line_of_too_deep(std::string_view text) {
    std::uint32_t line = 1;
    unsigned dots = 0, brackets = 0;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '"' || c == '\'') {
            const std::size_t end = end_of_string(text, i);
            line += static_cast<std::uint32_t>(std::ranges::count(text.substr(i, end - i), '\n'));
            i = end;
            continue;
        }
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
            continue;
        }
        if (c == '.' && ++dots > kMaxDots) return line;
        if ((c == '{' || c == '[') && ++brackets > kMaxBrackets) return line;
        if ((c == '}' || c == ']') && brackets > 0) --brackets;
        if (c == '\n') ++line;
        if (c == '\n' || c == '=' || c == ',' || c == '{' || c == '[') dots = 0;
        ++i;
    }
    return 0;
}

TomlTable copy(const toml::table& table);

TomlValue copy(const toml::node& node, std::uint32_t line) {
    TomlValue out;
    out.line = line_of(node) > 0 ? line_of(node) : line;
    if (const auto* flag = node.as_boolean()) out.data = flag->get();
    if (const auto* whole = node.as_integer()) out.data = whole->get();
    if (const auto* real = node.as_floating_point()) out.data = real->get();
    if (const auto* text = node.as_string()) out.data = text->get();
    if (const auto* date = node.as_date()) out.data = TomlDate{date->get().year, date->get().month, date->get().day};
    if (const auto* table = node.as_table()) out.data = copy(*table);
    if (const auto* list = node.as_array()) {
        TomlArray items;
        for (const toml::node& item : *list) items.push_back(copy(item, out.line));
        out.data = std::move(items);
    }
    return out;
}

TomlTable copy(const toml::table& table) {
    struct Placed {
        toml::source_position at;
        TomlEntry entry;
    };
    std::vector<Placed> placed;
    for (const auto& [key, node] : table) {
        const std::uint32_t line = key.source().begin.line;
        placed.push_back({key.source().begin, {std::string(key.str()), line, copy(node, line)}});
    }
    // Tables of the parser are sorted by key.
    std::ranges::stable_sort(placed, [](const Placed& a, const Placed& b) { return a.at < b.at; });
    TomlTable out;
    for (Placed& one : placed) out.entries.push_back(std::move(one.entry));
    return out;
}

std::optional<TomlDate> date_in(std::string_view text) {
    TomlDate out;
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto part = [&](std::size_t from, std::size_t size, auto& into) {
        const char* end = text.data() + from + size;
        const auto [ptr, ec] = std::from_chars(text.data() + from, end, into);
        return ec == std::errc{} && ptr == end;
    };
    if (!part(0, 4, out.year) || !part(5, 2, out.month) || !part(8, 2, out.day)) return std::nullopt;
    return out;
}

// NaN for what is none.
double number_in(const TomlValue& value) {
    if (const auto* real = std::get_if<double>(&value.data)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*whole);
    return std::nan("");
}

bool exists(const TomlDate& date) {
    return std::chrono::year_month_day(std::chrono::year(date.year), std::chrono::month(date.month),
                                       std::chrono::day(date.day))
        .ok();
}

std::string_view line_at(std::string_view text, std::uint32_t line) {
    for (std::uint32_t before = 1; before < line && !text.empty(); ++before)
        text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    return text.substr(0, text.find('\n'));
}

// What is most likely meant: `fail-on = never`, where the parser guesses at a number that is badly written, the name of
// a rule as it is said everywhere else, a regular expression in double quotes, a quote that was forgotten.
std::string_view hint_for(std::string_view text, std::string_view complaint) {
    if (complaint.find("utf-8") != complaint.npos) return "; settings are text in UTF-8";
    if (complaint.find("escape sequence") != complaint.npos) return "; in 'single quotes' a backslash is a backslash";
    if (complaint.find("control characters other than TAB") != complaint.npos) return "; is the closing quote missing?";
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    if (text.starts_with('[') && text.find('/') != text.npos) return "; a name with a / needs quotes: \"group/name\"";
    const std::size_t equals = text.find('=');
    if (equals == text.npos) return {};
    text.remove_prefix(std::min(text.find_first_not_of(" \t", equals + 1), text.size()));
    if (text.starts_with('[')) text.remove_prefix(std::min(text.find_first_not_of(" \t", 1), text.size()));
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !text.empty() && is_letter(text[0]) ? "; texts need quotes: key = \"word\"" : std::string_view();
}

}  // namespace

Result<TomlTable> parse_toml(std::string_view text, std::string_view source) {
    if (const std::uint32_t line = line_of_too_deep(text)) return at(source, line, "nested too deeply");
    const toml::parse_result parsed = toml::parse(text, source);
    if (!parsed) {
        const auto line = static_cast<std::uint32_t>(parsed.error().source().begin.line);
        const std::string_view complaint = parsed.error().description();
        return at(source, line, std::string(complaint).append(hint_for(line_at(text, line), complaint)));
    }
    return copy(parsed.table());
}

const TomlEntry* TomlTable::find(std::string_view key) const {
    const auto found = std::ranges::find(entries, key, &TomlEntry::key);
    return found == entries.end() ? nullptr : &*found;
}

std::string unknown_word(std::string_view what, std::string_view word, std::span<const std::string_view> known) {
    const std::string_view near = nearest(word, known);
    return near.empty() ? fmt::format("unknown {} \"{}\"", what, word)
                        : fmt::format("unknown {} \"{}\"; did you mean \"{}\"?", what, word, near);
}

std::string TomlReader::origin(std::uint32_t line) const { return fmt::format("{}:{}", source_, line); }

void TomlReader::fail(std::uint32_t line, std::string_view what) {
    constexpr std::size_t kMostProblems = 100;
    const auto behind = std::ranges::upper_bound(problems_, line, {}, &Placed::line);
    problems_.insert(behind, {line, at(source_, line, what)});
    if (problems_.size() > kMostProblems) problems_.pop_back();
}

std::optional<Error> TomlReader::problem() const {
    if (problems_.empty()) return std::nullopt;
    return problems_.front().error;
}

std::vector<Error> TomlReader::problems() const {
    std::vector<Error> out;
    for (const Placed& one : problems_) out.push_back(one.error);
    return out;
}

void TomlReader::expected(const TomlEntry& entry, std::string_view what) {
    fail(entry.line, fmt::format("{}: expected {}", entry.key, what));
}

void TomlReader::only(const TomlTable& table, std::string_view what, std::span<const std::string_view> known) {
    constexpr std::size_t kListed = 12;  // of a short list, all are said where none is near
    for (const TomlEntry& entry : table.entries) {
        if (std::ranges::find(known, entry.key) != known.end()) continue;
        std::string message = unknown_word(what, entry.key, known);
        if (nearest(entry.key, known).empty() && known.size() <= kListed)
            message += fmt::format(" (known: {})", fmt::join(known, ", "));
        fail(entry.line, message);
    }
}

std::optional<bool> TomlReader::flag(const TomlTable& table, std::string_view key) {
    const TomlEntry* entry = table.find(key);
    if (!entry) return std::nullopt;
    if (const bool* value = std::get_if<bool>(&entry->value.data)) return *value;
    expected(*entry, "true or false");
    return std::nullopt;
}

std::optional<std::int64_t> TomlReader::whole(const TomlTable& table, std::string_view key, std::int64_t min,
                                              std::int64_t max) {
    const TomlEntry* entry = table.find(key);
    if (!entry) return std::nullopt;
    const auto* value = std::get_if<std::int64_t>(&entry->value.data);
    if (value && *value >= min && *value <= max) return *value;
    expected(*entry, fmt::format("a whole number from {} to {}", min, max));
    return std::nullopt;
}

std::optional<double> TomlReader::number(const TomlTable& table, std::string_view key) {
    const TomlEntry* entry = table.find(key);
    if (!entry) return std::nullopt;
    const double value = number_in(entry->value);
    if (std::isfinite(value)) return value;
    expected(*entry, "a number");
    return std::nullopt;
}

std::optional<double> TomlReader::number(const TomlTable& table, std::string_view key, double min, double max) {
    const TomlEntry* entry = table.find(key);
    if (!entry) return std::nullopt;
    const double value = number_in(entry->value);
    if (value >= min && value <= max) return value;
    expected(*entry, fmt::format("a number from {} to {}", min, max));
    return std::nullopt;
}

std::optional<std::string> TomlReader::text(const TomlTable& table, std::string_view key, std::string_view what) {
    const TomlEntry* entry = table.find(key);
    if (!entry) return std::nullopt;
    if (const auto* value = std::get_if<std::string>(&entry->value.data)) return *value;
    expected(*entry, what);
    return std::nullopt;
}

std::optional<std::string> TomlReader::word(const TomlTable& table, std::string_view key,
                                            std::span<const std::string_view> known) {
    const TomlEntry* entry = table.find(key);
    if (!entry) return std::nullopt;
    const auto* value = std::get_if<std::string>(&entry->value.data);
    if (value && std::ranges::find(known, *value) != known.end()) return *value;
    std::string what = fmt::format("one of {}", fmt::join(known, ", "));
    if (value) {
        if (const std::string_view near = nearest(*value, known); !near.empty())
            what += fmt::format("; did you mean {}?", near);
    }
    expected(*entry, what);
    return std::nullopt;
}

std::optional<std::vector<std::string>> TomlReader::texts(const TomlTable& table, std::string_view key) {
    const TomlEntry* entry = table.find(key);
    if (!entry) return std::nullopt;
    if (const auto* value = std::get_if<std::string>(&entry->value.data)) return std::vector{*value};
    std::vector<std::string> out;
    if (const auto* list = std::get_if<TomlArray>(&entry->value.data)) {
        for (const TomlValue& item : *list) {
            if (const auto* one = std::get_if<std::string>(&item.data)) out.push_back(*one);
        }
        if (out.size() == list->size()) return out;
    }
    expected(*entry, "a text or a list of texts");
    return std::nullopt;
}

std::optional<TomlDate> TomlReader::date(const TomlTable& table, std::string_view key) {
    const TomlEntry* entry = table.find(key);
    if (!entry) return std::nullopt;
    std::optional<TomlDate> value;
    if (const auto* date = std::get_if<TomlDate>(&entry->value.data)) value = *date;
    if (const auto* text = std::get_if<std::string>(&entry->value.data)) value = date_in(*text);
    if (value && exists(*value)) return value;
    expected(*entry, "a date such as 2027-01-31");
    return std::nullopt;
}

const TomlTable* TomlReader::table(const TomlTable& table, std::string_view key) {
    const TomlEntry* entry = table.find(key);
    if (!entry) return nullptr;
    if (const auto* inner = std::get_if<TomlTable>(&entry->value.data)) return inner;
    expected(*entry, fmt::format("a table: [{}]", key));
    return nullptr;
}

std::vector<const TomlValue*> TomlReader::tables(const TomlTable& table, std::string_view key) {
    const TomlEntry* entry = table.find(key);
    if (!entry) return {};
    std::vector<const TomlValue*> out;
    const auto* list = std::get_if<TomlArray>(&entry->value.data);
    if (list) {
        for (const TomlValue& item : *list) {
            if (std::holds_alternative<TomlTable>(item.data)) out.push_back(&item);
        }
    }
    if (!list || out.size() != list->size()) {
        expected(*entry, fmt::format("a list of tables: [[{}]]", key));
        return {};
    }
    return out;
}

}  // namespace agent_audit
