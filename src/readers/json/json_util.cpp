#include "readers/json/json_util.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>
#include <agent_audit/support/time.hpp>
#include <agent_audit/support/unescape.hpp>
#include "readers/json/raw_blanks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace agent_audit::readers {
namespace {

// Domain separators, so that the string "1", the number 1 and the array [1] differ.
constexpr std::uint64_t kString = 0x51, kNumber = 0x52, kObject = 0x53, kArray = 0x54, kWord = 0x55, kDeep = 0x56;
constexpr int kMaxDepth = 32;

// Top-level argument fields that say nothing about what is done: free text for the human, ids, clocks, how long an
// answer is waited for and how much of it is shown. Source: the lists published by the loop guards of several agents;
// see docs/explanation/how-it-works.md.
constexpr std::array<std::string_view, 27> kVolatileFields{"__tool_use_purpose",
                                                           "_i",
                                                           "call_id",
                                                           "client_request_id",
                                                           "correlationId",
                                                           "correlation_id",
                                                           "description",
                                                           "explanation",
                                                           "idempotencyKey",
                                                           "idempotency_key",
                                                           "justification",
                                                           "max_output_tokens",
                                                           "nonce",
                                                           "rationale",
                                                           "reason",
                                                           "requestId",
                                                           "request_id",
                                                           "security_risk",
                                                           "thought",
                                                           "timestamp",
                                                           "toolAction",
                                                           "toolSummary",
                                                           "traceId",
                                                           "trace_id",
                                                           "ts",
                                                           "uuid",
                                                           "yield_time_ms"};

/// Tells most words that are none of some names by their first letter and length alone.
class NameFilter {
public:
    constexpr explicit NameFilter(std::span<const std::string_view> names) {
        for (const std::string_view name : names) lengths_[name[0] & 31] |= 1u << (name.size() & 31);
    }
    constexpr bool may_hold(std::string_view word) const {
        return !word.empty() && (lengths_[word[0] & 31] >> (word.size() & 31) & 1) != 0;
    }

private:
    std::array<std::uint32_t, 32> lengths_{};
};
constexpr NameFilter kMayBeVolatile(kVolatileFields);

template <class Names>
bool among(std::string_view key, const Names& names) {
    for (const std::string_view name : names) {
        if (key == name) return true;
    }
    return false;
}

/// Which arguments of one call count.
class FieldChoice {
public:
    FieldChoice(const CallIdentity* identity, std::string_view tool) : identity_(identity) {
        if (!identity || identity->fields_of.empty()) return;
        // The whole name first: one server's tool may be set apart from its namesakes.
        for (const std::string_view name : {tool, bare_tool_name(tool)}) {
            const auto found = identity->fields_of.find(snake_case(name));
            if (found == identity->fields_of.end()) continue;
            only_ = &found->second;
            return;
        }
    }

    bool counts(std::string_view key) const { return only_ ? among(key, *only_) : !is_volatile(key); }
    /// Did the user say which fields of this tool count?
    bool chosen() const { return only_ != nullptr; }
    /// Of one that does not count: not even worth quoting.
    bool hides(std::string_view key) const { return is_volatile(key); }

private:
    bool is_volatile(std::string_view key) const {
        if (identity_) return among(key, identity_->volatile_fields);
        return kMayBeVolatile.may_hold(key) && among(key, kVolatileFields);
    }

    const CallIdentity* identity_;
    const std::vector<std::string>* only_ = nullptr;
};

// The argument worth quoting, best first: of a search what is looked for, and where only if it does not say. Anything
// else: the first string.
constexpr std::array<std::string_view, 19> kPrimaryFields{
    "pattern",  "regex",         "file_path", "path", "filePath", "command", "cmd",
    "filename", "notebook_path", "query",     "url",  "chars",    "script",  "code",
    "prompt",   "input",         "message",   "name", "id"};

constexpr NameFilter kMayBePrimary(kPrimaryFields);

int primary_rank(std::string_view key) {
    if (!kMayBePrimary.may_hold(key)) return static_cast<int>(kPrimaryFields.size());
    for (std::size_t i = 0; i < kPrimaryFields.size(); ++i) {
        if (kPrimaryFields[i] == key) return static_cast<int>(i);
    }
    return static_cast<int>(kPrimaryFields.size());
}

std::uint64_t hash_number(std::string_view t) {
    bool integer = true;
    for (const char c : t) integer = integer && ((c >= '0' && c <= '9') || c == '-');
    if (integer) return stable_hash(t, kNumber);
    // 1, 1.0 and 1e0 are one number: spell whole doubles as integers.
    char* end = nullptr;
    const std::string text(t);
    const double value = std::strtod(text.c_str(), &end);
    if (end != text.c_str() + text.size()) return stable_hash(t, kNumber);
    if (value == std::floor(value) && std::abs(value) < 9e15) {
        const std::string whole = std::to_string(static_cast<long long>(value));
        return stable_hash(whole, kNumber);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return mix_hash(bits, kNumber);
}

bool is_command(std::string_view key) { return key == "command" || key == "cmd"; }

// How long a command may take at most: asked again with more patience it is the same command.
bool is_patience(std::string_view key) { return key.starts_with("timeout"); }

// What a command does, without what can only change how its answer is shown: blanks around it, remarks in front, and at
// its end where its errors go and that its code does not count. What it answered is compared besides, so that a
// difference there still counts.
std::string_view plain_command(std::string_view t) {
    constexpr std::string_view kShown[] = {" 2>&1", " 2>/dev/null", " || true"};
    t = without_blanks_in_front(t);
    while (t.starts_with('#')) {
        const std::size_t end = std::min(t.find("\\n"), t.find('\n'));
        if (end == t.npos) break;
        t = without_blanks_in_front(t.substr(end));
    }
    t = without_blanks_behind(t);
    for (bool more = true; more;) {
        more = false;
        for (const std::string_view tail : kShown) {
            if (!t.ends_with(tail)) continue;
            t = without_blanks_behind(t.substr(0, t.size() - tail.size()));
            more = true;
        }
    }
    return t;
}

template <class Value>
bool digest(Value v, int depth, std::uint64_t& out);

// Fields are added up, so their order does not matter; absent and null fields count the same.
template <class Value>
bool digest_fields(ObjectOf<Value> object, int depth, std::uint64_t& out) {
    std::uint64_t sum = 0;
    for (auto item : object) {
        FieldOf<Value> field;
        if (std::move(item).get(field)) return false;
        Value value = std::move(field).value();
        const std::string_view key = key_before(field.key().raw(), value);
        const char first = value.raw_json_token()[0];
        if (first == 'n') continue;
        std::uint64_t h = 0;
        if (!digest(value, depth + 1, h)) return false;
        sum += mix_hash(stable_hash(key), h);
    }
    out = mix_hash(sum, kObject);
    return true;
}

// What stands between the quotes of a string as recorded.
std::string_view inside_of(std::string_view t) { return t.size() >= 2 ? t.substr(1, t.size() - 2) : t; }

template <class Value>
bool digest_elements(ArrayOf<Value> array, int depth, std::uint64_t& out) {
    std::uint64_t h = kArray;
    for (auto item : array) {
        Value element;
        std::uint64_t e = 0;
        if (std::move(item).get(element) || !digest(element, depth + 1, e)) return false;
        h = mix_hash(h, e);
    }
    out = h;
    return true;
}

// A command and its arguments, one by one; the last may be a whole line for a shell.
template <class Value>
bool digest_words(ArrayOf<Value> array, std::uint64_t& out) {
    std::uint64_t h = kArray;
    for (auto item : array) {
        Value element;
        std::uint64_t e = 0;
        if (std::move(item).get(element)) return false;
        const std::string_view t = token(element);
        if (!t.empty() && t[0] == '"')
            e = stable_hash(plain_command(inside_of(t)), kString);
        else if (!digest(element, 2, e))
            return false;
        h = mix_hash(h, e);
    }
    out = h;
    return true;
}

template <class Value>
bool digest(Value v, int depth, std::uint64_t& out) {
    const std::string_view t = token(v);
    if (t.empty()) return false;
    switch (t[0]) {
        case '"': out = stable_hash(inside_of(t), kString); return true;
        case '{':
        case '[': {
            if (depth >= kMaxDepth) {
                out = stable_hash(raw_value(v), kDeep);
                return true;
            }
            if (t[0] == '{') {
                ObjectOf<Value> object;
                return !v.get_object().get(object) && digest_fields<Value>(object, depth, out);
            }
            ArrayOf<Value> array;
            return !v.get_array().get(array) && digest_elements<Value>(array, depth, out);
        }
        case 't':
        case 'f':
        case 'n': out = stable_hash(t, kWord); return true;
        default: out = hash_number(t); return true;
    }
}

// Top level: volatile fields are left out and the argument to quote is picked.
template <class Value>
bool digest_top(ObjectOf<Value> object, const FieldChoice& fields, FieldNotes& notes, std::uint64_t& out,
                RawText& primary) {
    std::uint64_t sum = 0, patience = 0;
    bool runs = false;
    notes.begin_call();
    int best = static_cast<int>(kPrimaryFields.size()) + 1;
    for (auto item : object) {
        FieldOf<Value> field;
        if (std::move(item).get(field)) return false;
        Value value = std::move(field).value();
        const std::string_view key = key_before(field.key().raw(), value);
        const std::string_view t = token(value);
        if (t.empty()) return false;
        if (t[0] == '{' || t[0] == '[')
            notes.give_up();
        else if (t[0] == '"')
            notes.add(key, inside_of(t), true);
        else
            notes.add(key, t, false);
        const bool counts = fields.counts(key);
        if (t[0] == 'n' || (!counts && fields.hides(key))) continue;
        const int rank = primary_rank(key);
        const bool better = rank < best;
        if (t[0] == '"') {
            const std::string_view inside = inside_of(t);
            if (better) {
                best = rank;
                primary = text_of(inside);
            }
            if (!counts) continue;
            const bool command = is_command(key);
            runs = runs || command;
            sum += mix_hash(stable_hash(key), stable_hash(command ? plain_command(inside) : inside, kString));
            continue;
        }
        if (!counts) continue;
        std::uint64_t h = 0;
        const bool quote = better && rank < static_cast<int>(kPrimaryFields.size());
        if (t[0] == '[' && quote) {  // an argument vector: its raw JSON is worth quoting
            ArrayOf<Value> array;
            std::string_view raw;
            if (value.get_array().get(array) || array.raw_json().get(raw) || array.reset().error() ||
                !(is_command(key) ? digest_words<Value>(array, h) : digest_elements<Value>(array, 1, h))) {
                return false;
            }
            best = rank;
            primary = {raw, TextForm::json_value};
        } else if (!digest(value, 1, h)) {
            return false;
        } else if (quote && t[0] != '{') {
            best = rank;
            primary = {t, TextForm::json_value};
        }
        const std::uint64_t one = mix_hash(stable_hash(key), h);
        if (is_patience(key) && !fields.chosen())
            patience += one;
        else
            sum += one;
    }
    out = mix_hash(runs ? sum : sum + patience, kObject);
    return true;
}

std::uint64_t call_hash(std::string_view tool, std::uint64_t args) { return mix_hash(stable_hash(tool), args); }

}  // namespace
}  // namespace agent_audit::readers

namespace agent_audit {

std::span<const std::string_view> default_volatile_fields() { return readers::kVolatileFields; }

}  // namespace agent_audit

namespace agent_audit::readers {
namespace {

// Grown in large steps, so that ever longer lines do not mean ever new memory; a giant is let go after its record.
json::parser& fit(json::parser& parser, std::size_t size) {
    constexpr std::size_t kUsual = 256u << 10, kGiant = 4u << 20;
    if (parser.capacity() > kGiant && size <= kGiant) parser = json::parser{};
    if (parser.capacity() < size || parser.capacity() == 0) {
        const std::size_t room = std::max({size, kUsual, size <= kGiant ? 2 * parser.capacity() : 0});
        if (parser.allocate(room) != simdjson::SUCCESS)
            parser = json::parser{};  // the iterate() that follows will say so
    }
    return parser;
}

}  // namespace

json::parser& record_parser(std::size_t size) {
    thread_local json::parser parser;
    return fit(parser, size);
}

json::parser& nested_parser(std::size_t size) {
    thread_local json::parser parser;
    return fit(parser, size);
}

namespace {

// A number, also one that its writer put in quotes, as exporters do whose own language has no integers this long.
template <class Value>
std::string_view number_token(Value& v) {
    const std::string_view t = token(v);
    return t.size() > 2 && t[0] == '"' ? t.substr(1, t.size() - 2) : t;
}

// Numbers that are no plain integer of at most 18 digits.
template <class Value>
std::uint64_t odd_uint(Value& v) {
    const std::string_view t = number_token(v);
    std::uint64_t value = 0;
    std::size_t i = 0;
    for (; i < t.size() && t[i] >= '0' && t[i] <= '9'; ++i) {
        const std::uint64_t digit = static_cast<std::uint64_t>(t[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) return 0;
        value = value * 10 + digit;
    }
    if (i == t.size() || i == 0) return i == 0 ? 0 : value;
    const double d = as_double(v, 0);
    return d > 0 && d < 1.8e19 ? static_cast<std::uint64_t>(d) : 0;
}

// Usage blocks are full of small integers; what follows the digits of one is a structural character or a blank, and in
// the padding after a torn document nothing is a digit for ever.
template <class Value>
std::uint64_t any_uint(Value& v) {
    const char* p = v.raw_json_token().data();
    std::uint64_t value = 0;
    int digits = 0;
    for (; digits < 19 && *p >= '0' && *p <= '9'; ++p, ++digits)
        value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    const bool ends = *p == ',' || *p == '}' || *p == ']' || *p == ' ' || *p == '\n' || *p == '\r' || *p == '\t';
    return digits > 0 && digits < 19 && ends ? value : odd_uint(v);
}

template <class Value>
double any_double(Value& v, double otherwise) {
    const std::string text(number_token(v));
    if (text.empty() || (text[0] != '-' && (text[0] < '0' || text[0] > '9'))) return otherwise;
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size() && std::isfinite(value) ? value : otherwise;
}

}  // namespace

std::uint64_t as_uint(json::value& v) { return any_uint(v); }
std::uint64_t as_uint(quick::value& v) { return any_uint(v); }
double as_double(json::value& v, double otherwise) { return any_double(v, otherwise); }
double as_double(quick::value& v, double otherwise) { return any_double(v, otherwise); }

namespace {

template <class Value>
std::int64_t any_int(Value& v, std::int64_t otherwise) {
    const std::string_view t = number_token(v);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(t.data(), t.data() + t.size(), value);
    if (error == std::errc{} && end == t.data() + t.size()) return value;
    const double d = as_double(v, static_cast<double>(otherwise));
    return d > -9e18 && d < 9e18 ? static_cast<std::int64_t>(d) : otherwise;
}

}  // namespace

std::int64_t as_int(json::value& v, std::int64_t otherwise) { return any_int(v, otherwise); }
std::int64_t as_int(quick::value& v, std::int64_t otherwise) { return any_int(v, otherwise); }

std::string_view raw_value(quick::value& v) { return v.walk().read_value(v.at()); }

std::string_view raw_value(json::value& v) {
    std::string_view raw;
    if (is_object(v)) {
        json::object object;
        if (v.get_object().get(object) || object.raw_json().get(raw)) return {};
        return raw;
    }
    if (is_array(v)) {
        json::array array;
        if (v.get_array().get(array) || array.raw_json().get(raw)) return {};
        return raw;
    }
    return token(v);
}

namespace {

// What Claude Code adds to a picture, with a new path each time.
bool tells_of_picture(std::string_view text) { return text.starts_with("[Image: source:"); }

template <class Value>
Content any_content(Value v) {
    Content content;
    content.seen = true;
    const char first = v.raw_json_token()[0];
    if (first == '"') {
        content.text = text_of(raw_string(v));
        return content;
    }
    if (first == '{') {
        content.text = {raw_value(v), TextForm::json_value};
        return content;
    }
    ArrayOf<Value> array;
    if (first != '[' || v.get_array().get(array)) return content;
    std::string_view raw;
    if (array.raw_json().get(raw)) return content;
    const std::string_view whole = raw;
    if (array.reset().error()) return content;
    std::size_t texts = 0;
    std::string_view first_text, longest;
    std::uint64_t others = 0;
    const auto add = [&](std::string_view text) {
        content.text = text_of(text);
        const bool of_picture = tells_of_picture(text);
        if (text.size() > longest.size() && !of_picture) longest = text;
        if (++texts == 1)
            first_text = text;
        else if (!of_picture)
            others = mix_hash(others, stable_hash(text));
    };
    for (auto item : array) {
        Value element;
        if (std::move(item).get(element)) return content;
        if (is_string(element)) {
            add(raw_string(element));
            continue;
        }
        ObjectOf<Value> block;
        if (!is_object(element) || element.get_object().get(block)) continue;
        std::string_view type, text, media;
        bool has_text = false;
        for (auto part : block) {
            FieldOf<Value> field;
            if (std::move(part).get(field)) return content;
            const char* key = field.key().raw();
            Value value = std::move(field).value();
            if (key_is(key, "type")) {
                type = raw_string(value);
            } else if (key_is(key, "text") && is_string(value)) {
                text = raw_string(value);
                has_text = true;
            } else if (holds_media(key)) {
                media = raw_value(value);
            }
        }
        if (has_text) {
            add(text);
        } else if (type.find("image") != type.npos || type.find("audio") != type.npos || type == "document" ||
                   type == "file" || type == "input_file") {
            content.media_stored = is_media(media) && (content.media == 0 || content.media_stored);
            ++content.media;
            content.media_hash = with_media(content.media_hash, media);
        }
    }
    if (content.media > 0 && texts > 0) {
        content.text = text_of(longest);
        if (others != 0) content.media_hash = mix_hash(content.media_hash, mix_hash(stable_hash(first_text), others));
    } else if (texts > 1) {
        content.text = {whole, TextForm::json_value};
    }
    return content;
}

}  // namespace

bool holds_media(const char* raw_key) {
    constexpr std::string_view kKeys[] = {"source", "data", "image_url", "file", "file_data", "input_audio"};
    return std::ranges::any_of(kKeys, [raw_key](std::string_view key) { return key_text(raw_key) == key; });
}

Content read_content(json::value v) { return any_content(v); }
Content read_content(quick::value v) { return any_content(v); }

template <class Value>
CallArgs ArgsDigester::digest_any(std::string_view tool, Value v) {
    CallArgs args;
    if (is_string(v)) return digest_string(tool, raw_string(v));
    if (!is_object(v)) {
        args.raw = {raw_value(v), TextForm::json_value};
        args.primary = args.raw;
        args.digest.canonical = call_hash(tool, stable_hash(args.raw.bytes, kWord));
        return args;
    }
    ObjectOf<Value> object;
    if (v.get_object().get(object)) {
        args.digest.opaque = true;
        return args;
    }
    if constexpr (std::is_same_v<Value, quick::value>) {
        std::uint64_t h = 0;
        if (!digest_top<Value>(object, FieldChoice(identity_, tool), notes_, h, args.primary)) v.walk().fail();
        args.raw = {object.raw_as_read(), TextForm::json_value};
        args.fields = notes_.of_call();
        args.digest.canonical = call_hash(tool, h);
        return args;
    } else {
        return digest_object(tool, object);
    }
}

CallArgs ArgsDigester::digest_value(std::string_view tool, json::value v) { return digest_any(tool, v); }
CallArgs ArgsDigester::digest_value(std::string_view tool, quick::value v) { return digest_any(tool, v); }

CallArgs ArgsDigester::digest_object(std::string_view tool, json::object object) {
    CallArgs args;
    std::string_view raw;
    std::uint64_t h = 0;
    if (object.raw_json().get(raw) || object.reset().error() ||
        !digest_top<json::value>(object, FieldChoice(identity_, tool), notes_, h, args.primary)) {
        args.digest.opaque = true;
        return args;
    }
    args.raw = {raw, TextForm::json_value};
    args.fields = notes_.of_call();
    args.digest.canonical = call_hash(tool, h);
    return args;
}

CallArgs ArgsDigester::digest_string(std::string_view tool, std::string_view raw) {
    std::size_t start = 0;
    while (start < raw.size() && (raw[start] == ' ' || raw[start] == '\n')) ++start;
    if (start == raw.size()) return digest_none(tool);
    if (raw[start] != '{') return digest_text(tool, text_of(raw));

    // Decoded into memory that outlives the record's own bytes, because the views handed out point there.
    std::string& decoded = decoded_.emplace_back(decode_json_string(raw));
    const std::size_t size = decoded.size();
    decoded.resize(size + simdjson::SIMDJSON_PADDING);
    json::document doc;
    json::object object;
    CallArgs args;
    args.raw = plain({decoded.data(), size});
    std::uint64_t h = 0;
    if (nested_parser(size).iterate(decoded.data(), size, decoded.size()).get(doc) || doc.get_object().get(object) ||
        !digest_top<json::value>(object, FieldChoice(identity_, tool), notes_, h, args.primary) || !at_end(doc)) {
        args.digest.canonical = call_hash(tool, stable_hash(raw, kString));
        args.primary = args.raw;
        return args;
    }
    args.fields = notes_.of_call();
    args.digest.canonical = call_hash(tool, h);
    return args;
}

CallArgs ArgsDigester::digest_text(std::string_view tool, RawText text) {
    CallArgs args;
    args.raw = text;
    args.primary = text;
    args.digest.canonical = call_hash(tool, stable_hash(text.bytes, kString));
    return args;
}

CallArgs ArgsDigester::digest_none(std::string_view tool) {
    CallArgs args;
    args.digest.canonical = call_hash(tool, mix_hash(0, kObject));  // the digest of {}
    return args;
}

std::int64_t time_ms(std::string_view raw) {
    if (raw.empty()) return kNoTime;
    return parse_time_ms(raw).value_or(kNoTime);
}

}  // namespace agent_audit::readers
