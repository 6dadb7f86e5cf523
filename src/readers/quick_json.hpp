#pragma once

#include "support/byte_scan.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

// A second, lazier way through a JSON record than simdjson's On-Demand, with the same manner of use. simdjson indexes
// every brace and quote of a record before its first field is seen; an audit looks at few of them and passes over long
// strings, so here nothing is looked at before it is reached. It may only be used on records whose bytes are known to be
// valid UTF-8 without control characters, and its word counts only when it got through a whole record: whatever it
// stumbles over is read again by simdjson, which then decides what the record is.

namespace agent_audit::readers::quick {

/// Where we are in the record, and whether all of it made sense so far. The loops below keep the place in a register and
/// come back here once a field: a place that is stored and loaded for every byte is what they would spend their time on.
class Walk {
public:
    Walk(std::string_view text, const ByteScans& scans)
        : at_(text.data()), end_(text.data() + text.size()), scans_(&scans) {}

    bool broken() const { return broken_; }
    /// Ends the walk.
    void fail() { broken_ = true; }

    const char* at() const { return at_; }
    const char* end() const { return end_; }
    const ByteScans& scans() const { return *scans_; }
    void go_to(const char* at) { at_ = at; }
    /// True when nothing but blanks is left, and nothing went wrong.
    bool finished() const { return !broken_ && depth_ == 0 && at_ <= end_ && past_blanks(at_) == end_; }

    /// How many containers are being iterated: one that was left half read would put its parent off the track.
    int depth() const { return depth_; }
    int enter() { return ++depth_; }
    void leave() { --depth_; }

    const char* past_blanks(const char* from) const {
        if (static_cast<unsigned char>(*from) > ' ') [[likely]] return from;
        return past_more_blanks(from);
    }
    [[gnu::noinline]] const char* past_more_blanks(const char* from) const {
        while (from < end_ && (*from == ' ' || *from == '\t' || *from == '\n' || *from == '\r')) ++from;
        return from;
    }
    /// The place behind the string that opens at `quote`; nullptr when it is not closed.
    const char* past_string(const char* quote) const {
        const char* const close = short_string_end(quote + 1, end_, *scans_);
        return close >= end_ ? nullptr : close + 1;
    }
    /// The value of the field whose key opens at `quote`, blanks before it passed over; nullptr when there is none.
    [[gnu::noinline]] const char* past_odd_key(const char* quote) const {
        const char* at = past_string(quote);
        if (!at) return nullptr;
        at = past_blanks(at);
        return *at == ':' ? past_blanks(at + 1) : nullptr;
    }
    /// The same for a number or a word.
    const char* past_scalar(const char* from) const {
        while (from < end_ && in_scalar(*from)) ++from;
        return from;
    }
    static bool in_scalar(char c) {
        return c != ',' && c != '}' && c != ']' && c != '"' && c != ':' && c != '{' && c != '[' && static_cast<unsigned char>(c) > ' ';
    }
    /// The same for any value.
    const char* past_value(const char* from) const {
        if (*from == '"') return past_string(from);
        if (*from != '{' && *from != '[') return past_scalar(from);
        const char* const close = scans_->container_end(from + 1, end_);
        return close >= end_ ? nullptr : close + 1;
    }
    /// The value at `from` as written; it counts as read. Empty when it has no end.
    std::string_view read_value(const char* from) { return read_to(from, past_value(from)); }

private:
    std::string_view read_to(const char* from, const char* to) {
        if (!to) {
            broken_ = true;
            return {};
        }
        at_ = to;
        return {from, static_cast<std::size_t>(to - from)};
    }

    const char* at_;
    const char* end_;
    const ByteScans* scans_;
    int depth_ = 0;
    bool broken_ = false;
};

/// What may have failed: get() says so, as simdjson's results do.
template <class T>
struct Result {
    T value;
    bool failed;

    bool get(T& out) && {
        out = value;
        return failed;
    }
    bool get(T& out) & {
        out = value;
        return failed;
    }
};

class object;
class array;

class value {
public:
    value() = default;
    value(Walk* walk, const char* at, const char* end = nullptr) : walk_(walk), at_(at), end_(end) {}

    /// Only its first byte means anything.
    std::string_view raw_json_token() const { return {at_, 1}; }
    const char* at() const { return at_; }
    Walk& walk() const { return *walk_; }
    /// All of it as written; it counts as read.
    std::string_view read() const {
        if (!end_) return walk_->read_value(at_);
        walk_->go_to(end_);
        return {at_, static_cast<std::size_t>(end_ - at_)};
    }
    /// The inside of a string, escapes intact; it counts as read. Empty for every other type.
    std::string_view read_string() const {
        if (*at_ != '"') return {};
        if (end_) [[likely]] {
            walk_->go_to(end_);
            return {at_ + 1, static_cast<std::size_t>(end_ - at_) - 2};
        }
        const std::string_view whole = walk_->read_value(at_);
        return whole.empty() ? whole : whole.substr(1, whole.size() - 2);
    }
    Result<object> get_object();
    Result<array> get_array();

private:
    Walk* walk_ = nullptr;
    const char* at_ = nullptr;
    const char* end_ = nullptr;  // where one look told it already
};

class raw_key {
public:
    explicit raw_key(const char* at) : at_(at) {}
    const char* raw() const { return at_; }

private:
    const char* at_;
};

class field {
public:
    field() = default;
    field(const char* key, quick::value value) : key_(key), value_(value) {}

    raw_key key() const { return raw_key(key_); }
    quick::value value() const { return value_; }

private:
    const char* key_ = nullptr;
    quick::value value_;
};

/// Goes from element to element of a container; the element before is passed over if nobody read it.
template <class Element>
class Steps {
public:
    struct End {};

    Steps(Walk* walk, const char* open, char close) : walk_(walk), close_(close), depth_(walk->enter()) {
        const char* const at = walk_->past_blanks(open + 1);
        if (*at == close_)
            end(at + 1);
        else
            step(at);
    }

    bool operator!=(End) const { return !over_; }
    Result<Element> operator*() const { return {element_, walk_->broken()}; }
    [[gnu::always_inline]] void operator++() {
        if (walk_->broken()) {
            over_ = true;  // it was told
            return;
        }
        if (walk_->depth() != depth_) return walk_->fail();
        const char* at = walk_->at();
        if (at == value_) at = value_end_ ? value_end_ : walk_->past_value(at);
        if (!at) return walk_->fail();
        at = walk_->past_blanks(at);
        if (*at == ',') return step(walk_->past_blanks(at + 1));
        if (*at != close_) return walk_->fail();
        end(at + 1);
    }

private:
    void end(const char* at) {
        over_ = true;
        walk_->leave();
        walk_->go_to(at);
    }
    /// To the element that begins at `at`.
    void step(const char* at);
    /// Is there a value?
    bool begins_value(const char* at) const {
        return at < walk_->end() && *at != ',' && *at != ':' && *at != ']' && *at != '}';
    }

    Walk* walk_;
    char close_;
    bool over_ = false;
    int depth_;
    const char* value_ = nullptr;
    const char* value_end_ = nullptr;  // where one look told it already
    Element element_{};
};

template <>
inline void Steps<value>::step(const char* at) {
    if (!begins_value(at)) return walk_->fail();
    walk_->go_to(at);
    value_ = at;
    element_ = value(walk_, at);
}

template <>
[[gnu::always_inline]] inline void Steps<field>::step(const char* key) {
    if (key >= walk_->end() || *key != '"') [[unlikely]] return walk_->fail();
    const ValuePlace place = walk_->scans().field(key + 1);
    const char* at = place.begin;
    if (!at) [[unlikely]] at = walk_->past_odd_key(key);
    if (!at || !begins_value(at)) [[unlikely]] return walk_->fail();
    walk_->go_to(at);
    value_ = at;
    value_end_ = place.end && place.end <= walk_->end() ? place.end : nullptr;  // what it saw may lie behind the record
    element_ = field(key + 1, value(walk_, at, value_end_));
}

/// An object or an array; `open` is its bracket. Iterating it reads it.
template <class Element, char kClose>
class container {
public:
    container() = default;
    container(Walk* walk, const char* open) : walk_(walk), open_(open) {}

    Steps<Element> begin() { return Steps<Element>(walk_, open_, kClose); }
    typename Steps<Element>::End end() const { return {}; }

    /// Reads it again from its beginning; false = no error, as with simdjson.
    struct Reset {
        bool error() const { return false; }
    };
    Reset reset() {
        walk_->go_to(open_);
        return {};
    }
    /// All of it as written; passes over it.
    Result<std::string_view> raw_json() {
        const std::string_view whole = walk_->read_value(open_);
        return {whole, whole.empty()};
    }
    /// All of it as written, after it was iterated to its end.
    std::string_view raw_as_read() const { return {open_, static_cast<std::size_t>(walk_->at() - open_)}; }

private:
    Walk* walk_ = nullptr;
    const char* open_ = nullptr;
};

class object : public container<field, '}'> {
    using container::container;
};
class array : public container<value, ']'> {
    using container::container;
};

inline Result<object> value::get_object() { return {object(walk_, at_), *at_ != '{'}; }
inline Result<array> value::get_array() { return {array(walk_, at_), *at_ != '['}; }

}  // namespace agent_audit::readers::quick
