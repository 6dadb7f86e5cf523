#pragma once

#include "readers/json/quick_json.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/readers/reader.hpp>
#include <agent_audit/support/hash.hpp>

#include <simdjson.h>

#include <array>
#include <cstring>
#include <deque>
#include <span>
#include <string>
#include <string_view>

namespace agent_audit::readers {

namespace json = simdjson::ondemand;

/// True when the raw key of a field (as simdjson hands it over, still followed by its quote) is `literal`.
template <std::size_t N>
inline bool key_is(const char* raw_key, const char (&literal)[N]) {
    return std::memcmp(raw_key, literal, N - 1) == 0 && raw_key[N - 1] == '"';
}

/// The raw key of a field as a view. simdjson has seen its closing quote, so the search ends.
inline std::string_view key_text(const char* raw_key) {
    const char* end = raw_key;
    while (*end != '"') end += *end == '\\' ? 2 : 1;
    return {raw_key, static_cast<std::size_t>(end - raw_key)};
}

/// True when a document was read to its last token (simdjson 3.0 has no at_end()).
inline bool at_end(json::document& doc) { return doc.current_location().error() == simdjson::OUT_OF_BOUNDS; }

inline std::string_view trim_blank(std::string_view t) {
    while (!t.empty() && static_cast<unsigned char>(t.back()) <= ' ') t.remove_suffix(1);
    return t;
}

/// The raw token of a scalar: a string with its quotes, a number, true, false, null. Does not consume `v`
/// and needs no end: fields that are only looked at this way are skipped by the next step of the iteration.
///
/// In a document that ends before its brackets do, simdjson 3.0 computes a length below zero for what stands at the
/// end; such a token is empty. (Real ones are below 2 GiB: positions have 32 bits.)
inline std::string_view token(json::value& v) {
    const std::string_view t = v.raw_json_token();
    return t.size() < (std::size_t{1} << 31) ? trim_blank(t) : std::string_view{};
}

/// The same on the quick way; of an object or array only its bracket.
inline std::string_view token(quick::value& v) {
    const char first = *v.at();
    return first == '{' || first == '[' ? v.raw_json_token() : v.read();
}

/// key_text() of a field with this value, whose place mostly tells where the key ends.
inline std::string_view key_before(const char* raw_key, json::value&) { return key_text(raw_key); }
inline std::string_view key_before(const char* raw_key, quick::value& v) {
    const char* const end = v.at() - 2;
    return end[0] == '"' && end[1] == ':' ? std::string_view(raw_key, static_cast<std::size_t>(end - raw_key))
                                          : key_text(raw_key);
}

// What follows is for both ways of reading: Value is json::value or quick::value.

template <class Value>
struct Way;
template <>
struct Way<json::value> {
    using Object = json::object;
    using Array = json::array;
    using Field = json::field;
};
template <>
struct Way<quick::value> {
    using Object = quick::object;
    using Array = quick::array;
    using Field = quick::field;
};
template <class Value>
using ObjectOf = typename Way<Value>::Object;
template <class Value>
using ArrayOf = typename Way<Value>::Array;
template <class Value>
using FieldOf = typename Way<Value>::Field;

template <class Value>
bool is_string(Value& v) {
    return v.raw_json_token()[0] == '"';
}
template <class Value>
bool is_object(Value& v) {
    return v.raw_json_token()[0] == '{';
}
template <class Value>
bool is_array(Value& v) {
    return v.raw_json_token()[0] == '[';
}
template <class Value>
bool is_true(Value& v) {
    return v.raw_json_token()[0] == 't';
}

/// The inside of a string value, escapes intact; empty for every other type.
inline std::string_view raw_string(json::value& v) {
    const std::string_view t = token(v);
    return t.size() >= 2 && t[0] == '"' ? t.substr(1, t.size() - 2) : std::string_view{};
}
inline std::string_view raw_string(quick::value& v) { return v.read_string(); }

/// A non-negative integer; anything else (missing, null, negative, too large) is 0. Fractions are cut.
std::uint64_t as_uint(json::value& v);
std::uint64_t as_uint(quick::value& v);
std::int64_t as_int(json::value& v, std::int64_t otherwise);
std::int64_t as_int(quick::value& v, std::int64_t otherwise);
double as_double(json::value& v, double otherwise);
double as_double(quick::value& v, double otherwise);

/// The raw JSON of any value; consumes it.
std::string_view raw_value(json::value& v);
std::string_view raw_value(quick::value& v);

inline RawText text_of(std::string_view raw) { return {raw, TextForm::json_string}; }
inline RawText plain(std::string_view text) { return {text, TextForm::plain}; }

/// Hash of a producer's id; 0 for an empty one.
inline IdHash id_hash(std::string_view raw) { return raw.empty() ? 0 : (stable_hash(raw) | 1); }

/// Text of a content value as most formats write it: a string, or an array of blocks of which the text blocks
/// count. One text block gives its own text; several give the raw array (it hashes and prints just as well), or the
/// longest of them where pictures stand among them, which are no text.
struct Content {
    RawText text;
    std::uint32_t media = 0;  ///< image, audio and document blocks
    bool seen = false;
    std::uint64_t media_hash = 0;  ///< ToolResult::media_hash, and of texts beside pictures that `text` leaves out
    bool media_stored = false;     ///< ToolResult::media_stored
};
/// `hash` with one more picture, a sound or a file, known by what stands in the record; empty: nothing does.
inline std::uint64_t with_media(std::uint64_t hash, std::string_view raw) {
    return raw.empty() ? hash : mix_hash(hash, stable_hash(raw));
}
/// Whether that can be the picture itself: a name, an address and "[omitted]" are shorter.
inline bool is_media(std::string_view raw) {
    constexpr std::size_t kShortest = 256, kScheme = 64;  // bytes
    return raw.size() >= kShortest && raw.substr(0, kScheme).find("://") == raw.npos;
}
/// Whether the field of a block holds what is in a picture, a sound or a file, or says where that is.
bool holds_media(const char* raw_key);
/// Consumes `v`.
Content read_content(json::value v);
Content read_content(quick::value v);

/// What identifies a call and the argument worth quoting.
struct CallArgs {
    CallDigest digest;
    RawText raw;
    RawText primary;
    std::span<const CallField> fields;  ///< ToolCall::fields
};

/// Room for the arguments of the calls of one record. One that does not fit, or holds others, takes those of its call
/// out again.
class FieldNotes {
public:
    void clear() { count_ = 0; }
    void begin_call() {
        begin_ = count_;
        complete_ = true;
    }
    void add(std::string_view name, std::string_view value, bool is_string) {
        if (!complete_) return;
        if (count_ == notes_.size()) return give_up();
        notes_[count_++] = {name, value, is_string};
    }
    void give_up() {
        complete_ = false;
        count_ = begin_;
    }
    std::span<const CallField> of_call() const {
        return complete_ ? std::span(notes_).subspan(begin_, count_ - begin_) : std::span<const CallField>{};
    }

private:
    std::array<CallField, 64> notes_;
    std::size_t begin_ = 0, count_ = 0;
    bool complete_ = true;
};

/// A parser of this thread, large enough for a record of `size` bytes. A parser owns scratch memory that grows with the
/// longest record met, and making one for each file costs a third of the speed on many small files; so a thread keeps
/// one for records and one for what is nested in them. Its state means nothing between two records.
json::parser& record_parser(std::size_t size);
json::parser& nested_parser(std::size_t size);

/// Digests call arguments. Key order, number spelling (1, 1.0), null against absent, and volatile top-level
/// fields (description, request_id, timestamp, …) do not change the digest.
/// Views into argument strings stay valid until clear(), which a reader calls at the start of each record.
class ArgsDigester {
public:
    void clear() {
        if (!decoded_.empty()) decoded_.clear();  // clearing an empty deque is not free, and most records have no calls
        notes_.clear();
    }
    void use(const CallIdentity& identity) { identity_ = &identity; }

    /// Arguments as a JSON value inside the record. Consumes `v`.
    CallArgs digest_value(std::string_view tool, json::value v);
    CallArgs digest_value(std::string_view tool, quick::value v);
    /// The same for an object that was read before and reset().
    CallArgs digest_object(std::string_view tool, json::object object);
    /// Arguments as the inside of a JSON string that (usually) holds JSON text: "{\"path\":…}".
    CallArgs digest_string(std::string_view tool, std::string_view raw_json_string);
    /// Arguments that are plain text in a JSON string (a patch, a script).
    CallArgs digest_text(std::string_view tool, RawText text);
    /// A call recorded without arguments.
    static CallArgs digest_none(std::string_view tool);

private:
    template <class Value>
    CallArgs digest_any(std::string_view tool, Value v);

    const CallIdentity* identity_ = nullptr;  // null = the defaults
    std::deque<std::string> decoded_;         // deque: growing keeps earlier views valid
    FieldNotes notes_;
};

/// Milliseconds from a raw RFC 3339 string, kNoTime when empty or odd.
std::int64_t time_ms(std::string_view raw);

}  // namespace agent_audit::readers
