#pragma once

#include "report/escape/utf8.hpp"

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <algorithm>
#include <cstdint>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

// Strict readers of our output formats, written from their specifications and not from our renderers. Each throws
// std::runtime_error for what the format does not allow, and gives back what stood there.
namespace agent_audit::test {

/// A finding as some format tells it.
struct Seen {
    std::string rule, path, severity;
    std::uint64_t line = 0;
    friend auto operator<=>(const Seen&, const Seen&) = default;
};

inline void require(bool holds, const std::string& why) {
    if (!holds) throw std::runtime_error(why);
}

inline std::vector<std::string> lines_of(std::string_view text, std::string_view end = "\n") {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t at = text.find(end);
        require(at != text.npos, "the last line has no end");
        lines.emplace_back(text.substr(0, at));
        text.remove_prefix(at + end.size());
    }
    return lines;
}

// ---- XML -------------------------------------------------------------------------------------------------------

inline void load_xml(pugi::xml_document& document, std::string_view text) {
    const auto result = document.load_buffer(text.data(), text.size(), pugi::parse_full, pugi::encoding_utf8);
    require(bool(result), std::string("not XML: ") + result.description());
}

/// Names of elements and attributes, nested as they are; any node that is neither element nor text is an error.
inline std::string xml_shape(const pugi::xml_node& node) {
    std::string out = std::string("<") + node.name();
    for (const auto& attribute : node.attributes()) out += std::string(" ") + attribute.name();
    for (const auto& child : node.children()) {
        switch (child.type()) {
            case pugi::node_element: out += xml_shape(child); break;
            case pugi::node_pcdata: out += '.'; break;
            case pugi::node_declaration: break;
            default: throw std::runtime_error("a node that nobody wrote");
        }
    }
    return out + ">";
}

// ---- TAP 14 ----------------------------------------------------------------------------------------------------

struct TapPoint {
    bool ok = false;
    bool skipped = false;
    std::string description;
    std::vector<std::string> yaml;
};

// By hand and not by std::regex, which recurses for every character of a line.

/// Takes `prefix` off the front of `text`; false when it does not stand there.
inline bool skip(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

inline std::string_view take_while(std::string_view& text, std::string_view of) {
    const std::string_view taken = text.substr(0, std::min(text.find_first_not_of(of), text.size()));
    text.remove_prefix(taken.size());
    return taken;
}

inline constexpr std::string_view kDigits = "0123456789";
inline constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";

/// A line of our YAML: blanks, a dash, a key of ours, and a value that is a JSON string, a number or a word.
inline bool is_our_yaml(std::string_view line) {
    if (take_while(line, " ").empty()) return false;
    skip(line, "- ");
    if (line.starts_with('"')) return nlohmann::json::accept(line);
    const std::string_view rest = line;
    take_while(line, kLetters);
    if (skip(line, ":")) {
        if (line.empty()) return true;
        if (!skip(line, " ")) return false;
        if (line.starts_with('"')) return nlohmann::json::accept(line);
    } else {
        line = rest;
    }
    return line.find_first_not_of(std::string(kDigits) + "." + std::string(kLetters) + "-+") == line.npos;
}

/// "ok 3 - a \# b # SKIP why"
inline TapPoint read_tap_point(std::string_view line, std::size_t number) {
    const std::string whole(line);
    TapPoint point;
    point.ok = skip(line, "ok ");
    require(point.ok || skip(line, "not ok "), "not a test point: " + whole);
    require(take_while(line, kDigits) == std::to_string(number), "numbers do not follow each other: " + whole);
    require(skip(line, " - "), "no description: " + whole);
    while (!line.empty() && line[0] != '#') {
        const std::size_t n = line[0] == '\\' ? 2 : 1;
        require(n == 1 || (line.size() > 1 && (line[1] == '#' || line[1] == '\\')), "an odd escape: " + whole);
        point.description += line.substr(n - 1, 1);
        line.remove_prefix(n);
    }
    if (line.empty()) return point;
    point.skipped = skip(line, "# SKIP ");
    require(point.skipped && line.find('#') == line.npos && point.description.ends_with(' '), "a directive: " + whole);
    point.description.pop_back();
    return point;
}

inline std::vector<TapPoint> read_tap(std::string_view text) {
    const std::vector<std::string> lines = lines_of(text);
    require(lines.size() >= 2 && lines[0] == "TAP version 14", "no version line");
    std::string_view plan = lines[1];
    require(skip(plan, "1.."), "no plan: " + lines[1]);
    const std::string planned(take_while(plan, kDigits));
    require(!planned.empty() && (plan.empty() || plan.starts_with(" # SKIP ")), "no plan: " + lines[1]);
    std::vector<TapPoint> points;
    bool inside = false;
    for (std::size_t i = 2; i < lines.size(); ++i) {
        const std::string& line = lines[i];
        if (inside && line == "  ...") {
            inside = false;
        } else if (inside) {
            require(is_our_yaml(line), "not a line of our YAML: " + line);
            points.back().yaml.push_back(line);
        } else if (line == "  ---") {
            require(!points.empty() && points.back().yaml.empty(), "YAML without a test");
            inside = true;
        } else {
            points.push_back(read_tap_point(line, points.size() + 1));
        }
    }
    require(!inside, "YAML without an end");
    require(std::to_string(points.size()) == planned, "not as many tests as planned");
    return points;
}

// ---- CSV, RFC 4180 ---------------------------------------------------------------------------------------------

inline std::vector<std::vector<std::string>> read_csv(std::string_view text) {
    std::vector<std::vector<std::string>> rows;
    std::size_t at = 0;
    while (at < text.size()) {
        std::vector<std::string> row;
        for (bool more = true; more;) {
            std::string cell;
            if (at < text.size() && text[at] == '"') {
                for (++at;; ++at) {
                    require(at < text.size(), "a quote without an end");
                    if (text[at] != '"') {
                        cell += text[at];
                    } else if (text.substr(at).starts_with("\"\"")) {
                        cell += text[at++];
                    } else {
                        ++at;
                        break;
                    }
                }
            } else {
                while (at < text.size() && text[at] != ',' && text[at] != '\r') {
                    require(text[at] != '"' && text[at] != '\n', "a bare quote or line end in a cell");
                    cell += text[at++];
                }
            }
            row.push_back(std::move(cell));
            more = at < text.size() && text[at] == ',';
            if (more) ++at;
        }
        require(text.substr(at).starts_with("\r\n"), "a row that ends without CRLF");
        at += 2;
        require(rows.empty() || rows[0].size() == row.size(), "rows of different lengths");
        rows.push_back(std::move(row));
    }
    require(!rows.empty(), "no header");
    return rows;
}

// ---- GitHub workflow commands ----------------------------------------------------------------------------------

struct Annotation {
    std::string command;
    std::vector<std::pair<std::string, std::string>> properties;
    std::string message;

    std::string property(std::string_view name) const {
        for (const auto& [key, value] : properties) {
            if (key == name) return value;
        }
        return {};
    }
};

inline std::string percent_decoded(std::string_view text, bool property) {
    static const std::vector<std::pair<std::string, char>> codes{
        {"%25", '%'}, {"%0D", '\r'}, {"%0A", '\n'}, {"%3A", ':'}, {"%2C", ','}};
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%') {
            const auto code = std::ranges::find(codes, std::string(text.substr(i, 3)), [](auto& c) { return c.first; });
            require(code != codes.end(), "a % that is no escape");
            out += code->second;
            i += 2;
            continue;
        }
        require(!property || (text[i] != ':' && text[i] != ','), "a bare : or , in a property");
        out += text[i];
    }
    return out;
}

/// As the runner reads its log: the first "::" ends the properties.
inline std::vector<Annotation> read_github(std::string_view text) {
    std::vector<Annotation> out;
    for (const std::string& line : lines_of(text)) {
        require(line.find("##[") == line.npos, "an old command inside of: " + line);
        require(line.find('\r') == line.npos, "a carriage return");
        require(line.starts_with("::"), "a line that is no command: " + line);
        const std::size_t end = line.find("::", 2);
        require(end != line.npos, "a command without an end: " + line);
        const std::string head = line.substr(2, end - 2);
        Annotation found;
        found.command = head.substr(0, head.find(' '));
        require(std::set<std::string>{"error", "warning", "notice"}.contains(found.command), "command " + head);
        std::istringstream properties(head.substr(std::min(head.size(), found.command.size() + 1)));
        for (std::string one; std::getline(properties, one, ',');) {
            const std::size_t equals = one.find('=');
            require(equals != one.npos, "a property without a value: " + one);
            found.properties.emplace_back(one.substr(0, equals), percent_decoded(one.substr(equals + 1), true));
        }
        found.message = percent_decoded(std::string_view(line).substr(end + 2), false);
        out.push_back(std::move(found));
    }
    return out;
}

// ---- compact ---------------------------------------------------------------------------------------------------

/// path:12:1: severity: message [rule]; the first ":12:1: " ends the path.
inline std::vector<Seen> read_compact(std::string_view text) {
    std::vector<Seen> out;
    for (const std::string& line : lines_of(text)) {
        Seen seen;
        for (std::size_t colon = line.find(':'); colon != line.npos && seen.rule.empty();
             colon = line.find(':', colon + 1)) {
            std::string_view rest = std::string_view(line).substr(colon + 1);
            const std::string_view number = take_while(rest, kDigits);
            if (number.empty() || !skip(rest, ":1: ")) continue;
            const std::size_t open = rest.rfind(" [");
            require(open != rest.npos && rest.ends_with(']'), "no rule: " + line);
            seen = {std::string(rest.substr(open + 2, rest.size() - open - 3)), line.substr(0, colon),
                    std::string(rest.substr(0, rest.find(':'))), std::stoull(std::string(number))};
        }
        require(seen.severity == "error" || seen.severity == "warning" || seen.severity == "info",
                "not a message: " + line);
        out.push_back(std::move(seen));
    }
    return out;
}

// ---- Markdown --------------------------------------------------------------------------------------------------

/// The kinds of the lines, one letter each: h heading, t table row, - list item, c code, f fence, p prose, blank.
/// Outside of code there must be no HTML, link, image, reference or address that is not escaped.
inline std::string markdown_shape(std::string_view text) {
    std::string shape;
    std::string fence;
    for (const std::string& line : lines_of(text)) {
        if (!fence.empty()) {
            const bool closes = line.find_first_not_of('`') == line.npos && line.size() >= fence.size();
            shape += closes ? 'f' : 'c';
            if (closes) fence.clear();
            continue;
        }
        if (line.starts_with("```")) {
            fence = line.substr(0, line.find_first_not_of('`'));
            shape += 'f';
            continue;
        }
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '\\') {
                ++i;
                continue;
            }
            if (line[i] == '`') {  // a code span: on to the run of the same length
                const std::size_t end = std::min(line.find_first_not_of('`', i), line.size());
                const std::string run(end - i, '`');
                std::size_t close = end;
                while ((close = line.find(run, close)) != line.npos) {
                    const std::size_t after = std::min(line.find_first_not_of('`', close), line.size());
                    if (after - close == run.size()) break;
                    close = after;
                }
                require(close != line.npos, "a code span without an end: " + line);
                i = close + run.size() - 1;
                continue;
            }
            require(line[i] != '<' && line[i] != '>' && line[i] != '[' && line[i] != ']', "markup in: " + line);
            const std::string_view rest = std::string_view(line).substr(i);
            require(!rest.starts_with("://") && !rest.starts_with("www."), "an address in: " + line);
            require(line[i] != '@' || rest.starts_with("@\u200B"), "a mention in: " + line);
        }
        if (line.empty())
            shape += ' ';
        else if (line[0] == '#')
            shape += 'h';
        else if (line[0] == '|')
            shape += std::to_string(std::count(line.begin(), line.end(), '|') - [&] {
                std::size_t escaped = 0;
                for (std::size_t i = 0; i + 1 < line.size(); ++i) {
                    if (line[i] == '\\') escaped += line[++i] == '|';
                }
                return static_cast<std::ptrdiff_t>(escaped);
            }());
        else
            shape += line.starts_with("- ") ? '-' : 'p';
    }
    require(fence.empty(), "a fence without an end");
    return shape;
}

// ---- all of them -----------------------------------------------------------------------------------------------

/// What no output may hold: broken UTF-8, controls but line ends and tabs, whatever moves, reorders or hides text.
inline void require_harmless(std::string_view text) {
    for (std::size_t pos = 0; pos < text.size();) {
        if (text[pos] >= 0x20 && text[pos] < 0x7F) {  // nearly all of it, and pages are long
            ++pos;
            continue;
        }
        const report::CodePoint next = report::decode_at(text, pos);
        const char32_t c = next.value;
        require(next.valid, "broken UTF-8 at byte " + std::to_string(pos));
        const bool control = (c < 0x20 && c != '\n' && c != '\r' && c != '\t') || (c >= 0x7F && c < 0xA0);
        const bool reorders = c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
                              (c >= 0x2066 && c <= 0x2069) || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
        const bool hidden = c >= 0xE0000 && c <= 0xE007F;
        require(!control && !reorders && !hidden, "a treacherous character at byte " + std::to_string(pos));
        pos += next.length;
    }
}

/// As a CI runner reads a log: white space is trimmed, then "::" starts a command; "##[" does anywhere.
inline void require_no_ci_commands(std::string_view text) {
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        require(line.find("##[") == line.npos, "an old command: " + std::string(line));
        line.remove_prefix(std::min(line.find_first_not_of(" \t\r\v\f"), line.size()));
        require(!line.starts_with("::"), "a command: " + std::string(line));
    }
}

}  // namespace agent_audit::test
