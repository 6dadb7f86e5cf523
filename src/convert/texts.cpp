#include "convert/texts.hpp"

#include <agent_audit/support/json_text.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <cstddef>

namespace agent_audit::convert {
namespace {

bool opens_json(std::string_view text) { return text.starts_with('{') || text.starts_with('['); }

// Where the string that opens at `at` ends: behind its closing quote.
std::size_t string_end(std::string_view json, std::size_t at) {
    for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
    return std::min(at + 1, json.size());
}

}  // namespace

std::string on_one_line(std::string_view json) {
    std::string out(json);
    for (std::size_t at = out.find_first_of("\"\n\r"); at < out.size(); at = out.find_first_of("\"\n\r", at)) {
        if (out[at] == '"')
            at = string_end(out, at);
        else
            out[at++] = ' ';
    }
    const auto first = out.find_first_not_of(" \t");
    if (first == out.npos) return {};
    return out.substr(first, out.find_last_not_of(" \t") - first + 1);
}

std::string repaired_utf8(std::string_view bytes) {
    if (is_utf8(bytes)) return std::string(bytes);
    std::string out;
    for (std::size_t at = 0; at < bytes.size();) {
        std::size_t length = 1;
        while (length <= 4 && at + length <= bytes.size() && !is_utf8(bytes.substr(at, length))) ++length;
        if (length <= 4 && at + length <= bytes.size()) {
            out += bytes.substr(at, length);
            at += length;
        } else {
            out += "\xEF\xBF\xBD";
            ++at;
        }
    }
    return out;
}

std::string Texts::without_secrets(std::string text) const {
    if (!redact_) return text;
    return opens_json(text) && is_json_on_one_line(text) ? json_without_secrets(text) : redact_(text);
}

// Strings are looked at decoded, because an escape before a secret hides its beginning; then the whole, because a
// name in front of a value can make that a secret.
std::string Texts::json_without_secrets(std::string_view json) const {
    std::string out;
    std::size_t copied = 0;
    for (std::size_t at = json.find('"'); at < json.size(); at = json.find('"', at)) {
        const std::size_t end = string_end(json, at);
        const std::string before = decode_json_string(json.substr(at + 1, end - at - 2));
        const std::string after = redact_(before);
        if (before != after) {
            out.append(json, copied, at + 1 - copied);
            append_json_escaped(out, after);
            copied = end - 1;
        }
        at = end;
    }
    out.append(json, copied);
    return redact_(out);
}

RawText Texts::redacted(RawText text, std::string& storage) const {
    if (text.empty()) return text;
    const bool escaped = text.form == TextForm::json_string;
    const std::string before = escaped                             ? decode_json_string(text.bytes)
                               : text.form == TextForm::json_value ? on_one_line(text.bytes)
                                                                   : std::string(text.bytes);
    storage = without_secrets(before);
    if (storage == before) return text;
    if (text.form == TextForm::json_value && is_json_on_one_line(storage)) return {storage, TextForm::json_value};
    return {storage, TextForm::plain};
}

std::string Texts::decoded(RawText text) const {
    std::string plain = text.form == TextForm::json_string  ? decode_json_string(text.bytes)
                        : text.form == TextForm::json_value ? on_one_line(text.bytes)
                                                            : std::string(text.bytes);
    return repaired_utf8(without_secrets(std::move(plain)));
}

std::string Texts::arguments(const ToolCall& call) const {
    if (!call.args.empty()) return decoded(call.args);
    if (call.primary.empty()) return "{}";
    std::string out = "{\"input\":";
    append_string(out, call.primary);
    return out += '}';
}

void Texts::append_string(std::string& out, RawText text) const {
    out += '"';
    if (text.form == TextForm::json_string && !redact_ && is_json_string(text.bytes))
        out += text.bytes;
    else
        append_json_escaped(out, decoded(text));
    out += '"';
}

}  // namespace agent_audit::convert
