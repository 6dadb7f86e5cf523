#include "readers/aider/aider_text.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit::readers::aider_text {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ') text.remove_suffix(1);
    while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
    return text;
}

class Lines {
public:
    explicit Lines(std::string_view text) : rest_(text) {}

    bool next(std::string_view& line) {
        if (at_end_) return false;
        const auto end = rest_.find('\n');
        line = rest_.substr(0, end);
        at_end_ = end == rest_.npos;
        if (!at_end_) rest_.remove_prefix(end + 1);
        return true;
    }
    /// The line that comes next, without taking it.
    std::string_view peek() const { return at_end_ ? std::string_view{} : rest_.substr(0, rest_.find('\n')); }
    /// The line behind that one.
    std::string_view peek_second() const {
        const auto end = at_end_ ? rest_.npos : rest_.find('\n');
        if (end == rest_.npos) return {};
        const std::string_view behind = rest_.substr(end + 1);
        return behind.substr(0, behind.find('\n'));
    }

private:
    std::string_view rest_;
    bool at_end_ = false;
};

// Seven signs in a row, give or take two, and a word.
bool is_marker(std::string_view line, char sign, std::string_view word) {
    const auto signs = std::min(line.find_first_not_of(sign), line.size());
    return signs >= 5 && signs <= 9 && trim(line.substr(signs)) == word;
}

bool opens_block(std::string_view line) { return is_marker(line, '<', "SEARCH") || is_marker(line, '<', "ORIGINAL"); }

bool is_fence(std::string_view line) { return line.starts_with("```") || line.starts_with("~~~"); }

// Models put a file's name in bold, in ticks, behind a #, or end it with a colon.
std::string_view file_name(std::string_view line) {
    line = trim(line);
    while (!line.empty() && std::string_view("#*`\" ").find(line.front()) != line.npos) line.remove_prefix(1);
    while (!line.empty() && std::string_view("*`:\" ").find(line.back()) != line.npos) line.remove_suffix(1);
    const bool name = !line.empty() && line.size() < 300 && line.find_first_of(" \t<>|?") == line.npos &&
                      line.find_first_of("./\\") != line.npos;
    return name ? line : std::string_view{};
}

void append_line(std::string& text, std::string_view line) {
    text += line;
    text += '\n';
}

class Finder {
public:
    explicit Finder(std::string_view answer) : lines_(answer) {}

    std::vector<Edit> find() {
        std::string_view line;
        while (found_.size() < kMaxEdits && lines_.next(line)) {
            if (opens_block(line))
                block();
            else if (line.starts_with("*** Begin Patch"))
                patch();
            else if (is_fence(line) && std::exchange(around_block_, false))
                name_ = {};
            else if (is_fence(line))
                fence(line);
            else if (const auto name = file_name(line); !name.empty())
                name_ = name;
            else if (!trim(line).empty())
                name_ = {};
        }
        return std::move(found_);
    }

private:
    void block() {
        Edit edit;
        edit.path = name_.empty() ? std::string(last_name_) : std::string(name_);
        bool second = false;
        for (std::string_view line; lines_.next(line);) {
            if (is_marker(line, '>', "REPLACE") || is_marker(line, '>', "UPDATED")) {
                if (!edit.path.empty() && second) {
                    last_name_ = name_.empty() ? last_name_ : name_;
                    found_.push_back(std::move(edit));
                }
                return;
            }
            if (!second && is_marker(line, '=', ""))
                second = true;
            else
                append_line(second ? edit.after : edit.before, line);
        }
    }

    // "*** Update File: a.py" and the lines up to the next such headline, file by file.
    void patch() {
        Edit edit;
        edit.kind = Edit::Kind::patch;
        const auto keep = [&] {
            if (!edit.path.empty() && found_.size() < kMaxEdits)
                found_.push_back(std::exchange(edit, {Edit::Kind::patch, {}, {}, {}, false}));
        };
        for (std::string_view line; lines_.next(line);) {
            const auto colon = line.starts_with("*** ") ? line.find(" File: ") : line.npos;
            const bool ends = line.starts_with("*** End Patch");
            if (ends || colon != line.npos) keep();
            if (ends) return;
            if (colon != line.npos)
                edit.path = trim(line.substr(colon + std::string_view(" File: ").size()));
            else
                append_line(edit.after, line);
        }
    }

    void fence(std::string_view opening) {
        const std::string_view next = lines_.peek();
        around_block_ = opens_block(next) || next.starts_with("*** Begin Patch") ||
                        (opens_block(lines_.peek_second()) && !file_name(next).empty());  // the name inside the fence
        if (around_block_) return;
        const std::string_view language = trim(opening.substr(3));
        const std::string_view mark =
            opening.substr(0, std::min(opening.find_first_not_of(opening[0]), opening.size()));
        Edit edit;
        edit.kind = language == "diff" ? Edit::Kind::patch : Edit::Kind::whole;
        edit.path = edit.kind == Edit::Kind::patch ? std::string() : std::string(name_);
        name_ = {};
        for (std::string_view line; lines_.next(line);) {
            if (line.starts_with(mark) && trim(line.substr(mark.size())).empty()) {
                if (!edit.path.empty()) found_.push_back(std::move(edit));
                return;
            }
            if (edit.kind == Edit::Kind::patch && line.starts_with("+++ ")) {
                std::string_view name = trim(line.substr(4));
                if (name.starts_with("b/")) name.remove_prefix(2);
                edit.path = name;
            }
            append_line(edit.after, line);
        }
    }

    Lines lines_;
    std::vector<Edit> found_;
    std::string_view name_, last_name_;
    bool around_block_ = false;  // a fence around SEARCH/REPLACE blocks is open
};

void append_string(std::string& out, std::string_view text) {
    constexpr std::string_view kHex = "0123456789abcdef";
    out += '"';
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (byte < 0x20) {
            out += "\\u00";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += c;
        }
    }
    out += '"';
}

void append_field(std::string& out, std::string_view key, std::string_view text) {
    out += out.size() > 1 ? "," : "";
    append_string(out, key);
    out += ':';
    append_string(out, text);
}

// "7.2k", "980", "1.1M"
std::optional<std::uint64_t> amount(std::string_view text) {
    double value = 0, place = 0;
    std::size_t i = 0;
    for (; i < text.size() && i < 16 && ((text[i] >= '0' && text[i] <= '9') || text[i] == '.' || text[i] == ','); ++i) {
        if (text[i] == ',') continue;
        if (text[i] == '.') {
            place = 1;
            continue;
        }
        value = value * 10 + (text[i] - '0');
        place *= 10;
    }
    if (i == 0) return std::nullopt;
    if (place > 1) value /= place;
    if (i < text.size() && (text[i] == 'k' || text[i] == 'K')) value *= 1e3;
    if (i < text.size() && text[i] == 'M') value *= 1e6;
    return value < 1e15 ? static_cast<std::uint64_t>(value + 0.5) : 0;
}

}  // namespace

std::vector<Edit> edits_in(std::string_view answer) {
    if (answer.find("```") == answer.npos && answer.find("~~~") == answer.npos && answer.find("<<<<<") == answer.npos &&
        answer.find("*** Begin Patch") == answer.npos)
        return {};
    return Finder(answer).find();
}

bool same_file(std::string_view named, std::string_view path) {
    if (named == path) return true;
    if (named.size() < path.size()) std::swap(named, path);
    if (path.empty() || !named.ends_with(path)) return false;
    const char before = named[named.size() - path.size() - 1];
    return before == '/' || before == '\\';
}

std::string arguments_of(const Edit& edit) {
    std::string out = "{";
    append_field(out, "path", edit.path);
    if (edit.kind == Edit::Kind::replace) {
        append_field(out, "old_string", edit.before);
        append_field(out, "new_string", edit.after);
    } else {
        append_field(out, edit.kind == Edit::Kind::whole ? "content" : "patch", edit.after);
    }
    return out + '}';
}

std::optional<Spent> spent_in(std::string_view line) {
    constexpr std::string_view kStart = "Tokens: ", kCost = "Cost: $";
    if (!line.starts_with(kStart)) return std::nullopt;
    Spent spent;
    bool any = false;
    std::string_view rest = line.substr(kStart.size());
    const auto cost = rest.find(kCost);
    const std::string_view money = cost == rest.npos ? std::string_view{} : rest.substr(cost + kCost.size());
    rest = rest.substr(0, cost);
    while (!rest.empty()) {
        const auto comma = rest.find(", ");
        const std::string_view part = rest.substr(0, comma);
        const auto value = amount(part);
        const auto says = [part](std::string_view word) { return part.find(word) != part.npos; };
        if (value) {
            any = true;
            if (says(" sent")) spent.sent = *value;
            if (says(" received")) spent.received = *value;
            if (says(" cache write")) spent.cache_write = *value;
            if (says(" cache hit")) spent.cache_hit = *value;
        }
        rest = comma == rest.npos ? std::string_view{} : rest.substr(comma + 2);
    }
    double usd = 0, place = 0;
    for (const char c : money.substr(0, 16)) {
        if (c == '.' && place == 0) {
            place = 1;
        } else if (c >= '0' && c <= '9') {
            usd = usd * 10 + (c - '0');
            place *= 10;
        } else {
            break;
        }
    }
    spent.usd = place > 1 ? usd / place : usd;
    return any ? std::optional(spent) : std::nullopt;
}

}  // namespace agent_audit::readers::aider_text
