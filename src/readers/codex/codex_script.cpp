#include "readers/codex/codex_script.hpp"

#include "readers/json/json_util.hpp"

#include <algorithm>

namespace agent_audit::readers {
namespace {

constexpr int kDeepest = 16;                // objects in objects; more is no call
constexpr std::size_t kLongest = 1u << 20;  // bytes of a call's arguments

bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// One character of a string, as JSON spells it.
void put(std::string& out, char c) {
    constexpr std::string_view kHex = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: break;
    }
    if (byte >= 0x20) {
        out += c;
        return;
    }
    out += "\\u00";
    out += kHex[byte >> 4];
    out += kHex[byte & 15];
}

class Script {
public:
    explicit Script(std::string_view text) : text_(text) {}

    std::vector<ScriptCall> calls(std::size_t most) {
        std::vector<ScriptCall> out;
        while (out.size() < most && find_call()) {
            ScriptCall call;
            blanks();
            call.tool = name();
            blanks();
            const std::size_t begin = at_;
            if (call.tool.empty() || !take('(')) continue;
            if (argument(call.args)) {
                call.args_size = call.args.size();
                call.args.append(simdjson::SIMDJSON_PADDING, ' ');
                out.push_back(std::move(call));
            } else {
                at_ = begin + 1;  // calls may stand within what was computed
            }
        }
        return out;
    }

private:
    bool ended() const { return at_ >= text_.size(); }
    char here() const { return ended() ? '\0' : text_[at_]; }
    bool starts(std::string_view word) const { return !ended() && text_.substr(at_).starts_with(word); }
    bool take(char c) {
        if (here() != c) return false;
        ++at_;
        return true;
    }

    // ---- the text between calls -------------------------------------------------------------------------

    bool comment() {
        if (starts("//")) {
            at_ = std::min(text_.find('\n', at_), text_.size());
            return true;
        }
        if (!starts("/*")) return false;
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == text_.npos ? text_.size() : end + 2;
        return true;
    }

    void blanks() {
        while (!ended() && (is_blank(here()) || comment()))
            if (is_blank(here())) ++at_;
    }

    void pass_string() {
        const char quote = text_[at_++];
        while (!ended() && here() != quote) at_ += here() == '\\' ? 2 : 1;
        ++at_;
    }

    // Behind "tools.".
    bool find_call() {
        constexpr std::string_view kTools = "tools";
        while (!ended()) {
            const char c = here();
            if (c == '"' || c == '\'' || c == '`') {
                pass_string();
            } else if (c == '/' && comment()) {
                continue;
            } else if (!is_name(c)) {
                ++at_;
            } else if (name() == kTools) {
                blanks();
                if (take('.')) return true;
            }
        }
        return false;
    }

    std::string_view name() {
        const std::size_t begin = at_;
        while (!ended() && is_name(here())) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    // ---- what is written as it is ----------------------------------------------------------------------

    bool argument(std::string& json) {
        blanks();
        if (here() != '{' || !value(json, 0)) return false;
        blanks();
        return here() == ')' || here() == ',';
    }

    bool value(std::string& json, int depth) {
        blanks();
        if (depth > kDeepest || json.size() > kLongest) return false;
        switch (here()) {
            case '{': return object(json, depth);
            case '[': return list(json, depth);
            case '"':
            case '\'':
            case '`': return text(json);
            default: return word(json);
        }
    }

    bool object(std::string& json, int depth) {
        json += '{';
        bool first = true;
        for (take('{'); blanks(), !take('}');) {
            if (!first) json += ',';
            first = false;
            if (here() == '"' || here() == '\'') {
                if (!string(json)) return false;
            } else {
                const std::string_view key = name();
                if (key.empty()) return false;
                json.append("\"").append(key).append("\"");
            }
            blanks();
            if (!take(':')) return false;  // {cmd}: what it holds was computed
            json += ':';
            if (!value(json, depth + 1)) return false;
            blanks();
            if (!take(',') && here() != '}') return false;
        }
        json += '}';
        return true;
    }

    bool list(std::string& json, int depth) {
        json += '[';
        bool first = true;
        for (take('['); blanks(), !take(']');) {
            if (!first) json += ',';
            first = false;
            if (!value(json, depth + 1)) return false;
            blanks();
            if (!take(',') && here() != ']') return false;
        }
        json += ']';
        return true;
    }

    // "a" + 'b' is one text.
    bool text(std::string& json) {
        for (bool joined = false;; joined = true) {
            const std::size_t joint = json.size() - 1;
            if (!string(json)) return false;
            if (joined) json.erase(joint, 2);  // the quotes between them
            blanks();
            if (!take('+')) return true;
            blanks();
            if (here() != '"' && here() != '\'' && here() != '`') return false;
        }
    }

    bool string(std::string& json, bool raw = false) {
        const char quote = text_[at_++];
        json += '"';
        while (!ended() && here() != quote) {
            if (quote == '`' && starts("${")) return false;
            if (here() == '\n' && quote != '`') return false;
            if (here() == '\\' && !raw) {
                if (!escape(json)) return false;
                continue;
            }
            put(json, text_[at_++]);
        }
        json += '"';
        return take(quote);
    }

    bool escape(std::string& json) {
        ++at_;
        if (ended()) return false;
        const char c = text_[at_++];
        switch (c) {
            case 'n': put(json, '\n'); return true;
            case 't': put(json, '\t'); return true;
            case 'r': put(json, '\r'); return true;
            case 'b': put(json, '\b'); return true;
            case 'f': put(json, '\f'); return true;
            case 'v': put(json, '\v'); return true;
            case '0': put(json, '\0'); return true;
            case '\n': return true;  // the line goes on
            case 'x': return code(json, 2);
            case 'u': return here() != '{' && code(json, 4);
            default: put(json, c); return true;
        }
    }

    bool code(std::string& json, std::size_t digits) {
        std::string spelled = digits == 2 ? "\\u00" : "\\u";
        for (std::size_t i = 0; i < digits; ++i) {
            if (hex_digit(here()) < 0) return false;
            spelled += text_[at_++];
        }
        json += spelled;
        return true;
    }

    // A number, true, false, null; String.raw`…`.
    bool word(std::string& json) {
        constexpr std::string_view kRaw = "String.raw";
        if (starts(kRaw)) {
            at_ += kRaw.size();
            return here() == '`' && string(json, true);
        }
        const std::size_t begin = at_;
        if (here() == '-') ++at_;
        while (!ended() && (is_name(here()) || here() == '.')) ++at_;
        std::string word(text_.substr(begin, at_ - begin));
        if (word == "true" || word == "false" || word == "null") {
            json += word;
            return true;
        }
        std::erase(word, '_');  // 120_000
        const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
        const std::string_view digits = std::string_view(word).substr(word.starts_with('-') ? 1 : 0);
        if (digits.empty() || !is_digit(digits[0]) ||
            !std::ranges::all_of(digits, [&](char c) { return is_digit(c) || c == '.'; }) || digits.ends_with('.') ||
            std::ranges::count(digits, '.') > 1 || (digits.size() > 1 && digits[0] == '0' && digits[1] != '.'))
            return false;
        json += word;
        return true;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

std::vector<ScriptCall> calls_of_script(std::string_view javascript, std::size_t most) {
    return Script(javascript).calls(most);
}

}  // namespace agent_audit::readers
