#include "detectors/outcomes/json_failure.hpp"

#include "detectors/outcomes/answers.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kWindow = 600;

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// Reads the members of the object at the front of a text, as far as they are strings, numbers and words.
class Members {
public:
    explicit Members(std::string_view text) : t_(text) {}

    bool open() { return take('{'); }

    /// False where the object ends or is none.
    bool next() {
        if (!first_ && !take(',')) return false;
        first_ = false;
        if (!take('"')) return false;
        key_ = string();
        if (!take(':')) return false;
        skip_blank();
        value_ = word();
        return true;
    }

    std::string_view key() const { return key_; }
    /// A string without its quotes, a number or a word; of an object or a list that holds something the bracket.
    std::string_view value() const { return value_; }
    bool is_string() const { return quoted_; }
    bool is_nested() const { return !quoted_ && (value_ == "{" || value_ == "["); }

private:
    void skip_blank() {
        while (at_ < t_.size() && is_blank(t_[at_])) ++at_;
    }
    bool take(char c) {
        skip_blank();
        if (at_ == t_.size() || t_[at_] != c) return false;
        ++at_;
        return true;
    }
    // Up to the closing quote, which may lie behind the window.
    std::string_view string() {
        const std::size_t begin = at_;
        while (at_ < t_.size() && t_[at_] != '"') at_ += t_[at_] == '\\' ? 2 : 1;
        at_ = std::min(at_, t_.size());
        const std::string_view all = t_.substr(begin, at_ - begin);
        if (at_ < t_.size()) ++at_;
        return all;
    }
    std::string_view word() {
        quoted_ = take('"');
        if (quoted_) return string();
        const std::size_t begin = at_;
        if (at_ < t_.size() && (t_[at_] == '{' || t_[at_] == '[')) {
            const char close = t_[at_++] == '{' ? '}' : ']';
            return take(close) ? std::string_view{} : t_.substr(begin, 1);
        }
        while (at_ < t_.size() && t_[at_] != ',' && t_[at_] != '}' && !is_blank(t_[at_])) ++at_;
        return t_.substr(begin, at_ - begin);
    }

    std::string_view t_;
    std::size_t at_ = 0;
    std::string_view key_, value_;
    bool first_ = true, quoted_ = false;
};

bool is_any(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

/// "error": what went wrong. Nothing, 0 and "none" say that nothing did.
bool says_what(const Members& m) {
    if (m.is_nested()) return m.value() == "{";
    if (m.is_string())
        return !is_any(m.value(), {"", "none", "None", "null", "0", "false", "no error", "No error"}) &&
               !says_missing(
                   {m.value(), TextForm::plain});  // an answer about that thing: which of these customers are gone?
    return m.value() == "true";
}

bool tells_failure(const Members& m) {
    if (is_any(m.key(), {"error", "error_message", "errorMessage"})) return says_what(m);
    if (is_any(m.key(), {"success", "ok", "succeeded"})) return !m.is_string() && m.value() == "false";
    if (is_any(m.key(), {"isError", "is_error"})) return !m.is_string() && m.value() == "true";
    if (is_any(m.key(), {"status", "object"})) return m.is_string() && is_any(m.value(), {"error", "ERROR", "Error"});
    return false;
}

/// "statusCode": 422, as services answer, beside a message.
bool is_refusing_code(const Members& m) {
    const bool code =
        !m.is_string() && is_any(m.key(), {"status", "statusCode", "status_code", "code", "http_status", "cod"});
    return code && m.value().size() == 3 && (m.value()[0] == '4' || m.value()[0] == '5');
}
bool is_message(const Members& m) {
    return m.is_string() && is_any(m.key(), {"message", "detail", "title", "reason"}) && !m.value().empty();
}

/// The text itself, as far as the window goes; empty when it cannot be an object.
std::string head_of(RawText text) {
    constexpr std::string_view kBlock = "\"text\":";
    std::string_view t = text.bytes.substr(0, kWindow);
    if (text.form == TextForm::plain) return std::string(t);
    if (text.form == TextForm::json_value) {
        if (t.starts_with('{') && t.substr(0, 40).find("\"type\"") == t.npos) return std::string(t);
        std::size_t at = 0;
        if (!t.starts_with('"')) {
            const std::size_t block = t.substr(0, 80).find(kBlock);
            if (block == t.npos) return {};
            at = t.find('"', block + kBlock.size());
            if (at == t.npos) return {};
        }
        t.remove_prefix(at + 1);
    }
    return decode_json_string(t, kWindow);
}

// Most answers are told by their first byte.
bool may_be_object(RawText text) {
    constexpr std::string_view kBlank = " \n\r\t";
    std::size_t at = 0;
    while (at < text.size() && kBlank.find(text.bytes[at]) != kBlank.npos) ++at;
    if (at == text.size()) return false;
    const char c = text.bytes[at];
    return c == '{' || c == '\\' || (text.form == TextForm::json_value && (c == '"' || c == '['));
}

}  // namespace

bool reports_failure(RawText text) {
    if (!may_be_object(text)) return false;
    const std::string head = head_of(text);
    Members members(head);
    if (!members.open()) return false;
    bool refused = false, explained = false;
    while (members.next()) {
        if (tells_failure(members)) return true;
        refused = refused || is_refusing_code(members);
        explained = explained || (is_message(members) && !says_missing({members.value(), TextForm::plain}));
        if (refused && explained) return true;
        if (members.is_nested()) return false;
    }
    return false;
}

bool reports_busy(RawText text) {
    if (!may_be_object(text)) return false;
    const std::string head = head_of(text);
    Members members(head);
    if (!members.open()) return false;
    while (members.next()) {
        if (is_refusing_code(members) && (members.value()[0] == '5' || members.value() == "429")) return true;
        if (members.is_nested()) return false;
    }
    return false;
}

}  // namespace agent_audit::detectors
