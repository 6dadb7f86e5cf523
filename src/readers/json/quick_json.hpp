#pragma once

#include "support/byte_scan.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

// A second, lazier way through a JSON record than simdjson's On-Demand, with the same manner of use. simdjson indexes
// every brace and quote of a record before its first field is seen; an audit looks at few of them and passes over long
// strings, so here nothing is looked at before it is reached. It may only be used on records whose bytes are known to
// be valid UTF-8 without control characters, and its word counts only when it got through a whole record: whatever it
// stumbles over is read again by simdjson, which then decides what the record is.

namespace agent_audit::readers::quick {

/// Where we are in the record, and whether all of it made sense so far. The loops below keep the place in a register
/// and come back here once a field: a place that is stored and loaded for every byte is what they would spend their
/// time on.
class Walk {
public:
    Walk(std::string_view text, const ByteScans& scans)
        : at_(text.data()), end_(text.data() + text.size()), scans_(&scans) {}

    bool broken() const { return depth_ < 0; }
    /// Ends the walk: whoever iterates a container is nowhere near it then.
    void fail() { depth_ = std::numeric_limits<int>::min(); }

    const char* at() const { return at_; }
    const char* end() const { return end_; }
    const ByteScans& scans() const { return *scans_; }
    void go_to(const char* at) { at_ = at; }
    /// True when nothing but blanks is left, and nothing went wrong.
    bool finished() const { return depth_ == 0 && at_ <= end_ && past_blanks(at_) == end_; }

    /// How many containers are being iterated: one that was left half read would put its parent off the track. Below
    /// zero when something went wrong.
    int depth() const { return depth_; }
    int enter() { return ++depth_; }
    void leave() { --depth_; }

    const char* past_blanks(const char* from) const {
        if (static_cast<unsigned char>(*from) > ' ') [[likely]]
            return from;
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
        if (*at != ':') return nullptr;
        at = past_blanks(at + 1);
        return begins_value(*at) ? at : nullptr;
    }
    /// Is there a value? What follows it may be the end of the record.
    static bool begins_value(char c) { return c != ',' && c != ':' && c != ']' && c != '}'; }
    /// The same for a number or a word.
    const char* past_scalar(const char* from) const {
        while (from < end_ && in_scalar(*from)) ++from;
        return from;
    }
    static bool in_scalar(char c) {
        return c != ',' && c != '}' && c != ']' && c != '"' && c != ':' && c != '{' && c != '[' &&
               static_cast<unsigned char>(c) > ' ';
    }
    /// The same for any value.
    [[gnu::always_inline]] const char* past_value(const char* from) const {
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
            fail();
            return {};
        }
        at_ = to;
        return {from, static_cast<std::size_t>(to - from)};
    }

    const char* at_;
    const char* end_;
    const ByteScans* scans_;
    int depth_ = 0;
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
        return {at_, static_cast<std::size_t>(end_ - at_)};
    }
    /// The inside of a string, escapes intact; it counts as read. Empty for every other type.
    [[gnu::always_inline]] std::string_view read_string() const {
        if (*at_ != '"') return {};
        if (end_) [[likely]]
            return {at_ + 1, static_cast<std::size_t>(end_ - at_) - 2};
        const std::string_view whole = walk_->read_value(at_);
        return whole.empty() ? whole : whole.substr(1, whole.size() - 2);
    }
    Result<object> get_object();
    Result<array> get_array();

private:
    Walk* walk_ = nullptr;
    const char* at_ = nullptr;
    const char* end_ = nullptr;  // where one look told it already: then the walk stands there
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

/// Goes from element to element of a container; the element before is passed over if nobody read it. What a record is
/// mostly made of is a comma and the next element behind it, so everything else is looked for when that is not there.
template <class Element>
class Steps {
public:
    struct End {};

    [[gnu::always_inline]] Steps(Walk* walk, const char* open, char close)
        : walk_(walk), close_(close), depth_(walk->enter()) {
        const char* const at = walk_->past_blanks(open + 1);
        if (*at == close_)
            end(at + 1);
        else if (begins(at)) [[likely]]
            step(at);
        else
            fail();
    }

    bool operator!=(End) const { return !over_; }
    Result<Element> operator*() const { return {element_, failed_}; }
    [[gnu::always_inline]] void operator++() {
        if (walk_->depth() != depth_) [[unlikely]]
            return stray();
        const char* at = walk_->at();
        if (at == value_) {
            at = walk_->past_value(at);
            if (!at) [[unlikely]]
                return fail();
        }
        if (!goes_on(at)) {
            at = walk_->past_blanks(at);
            if (*at == close_) return end(at + 1);
            if (*at != ',') [[unlikely]]
                return fail();
            at = walk_->past_blanks(at + 1);
            if (!begins(at)) [[unlikely]]
                return fail();
            --at;
        }
        step(at + 1);
    }

private:
    void fail() {
        failed_ = true;
        walk_->fail();
    }
    /// It was told that the walk is broken, or a container within this one was left half read.
    void stray() {
        over_ = walk_->broken();
        if (!over_) fail();
    }
    void end(const char* at) {
        over_ = true;
        walk_->leave();
        walk_->go_to(at);
    }
    /// Does an element begin at `at`?
    bool begins(const char* at) const;
    /// Does one follow the comma at `at`, without blanks?
    static bool goes_on(const char* at);
    /// To the element that begins at `at`.
    void step(const char* at);

    Walk* walk_;
    char close_;
    bool over_ = false, failed_ = false;
    int depth_;
    const char* value_ = nullptr;  // one that has to be passed over when nobody reads it
    Element element_{};
};

template <>
inline bool Steps<value>::begins(const char* at) const {
    return at < walk_->end() && Walk::begins_value(*at);
}
template <>
inline bool Steps<value>::goes_on(const char*) {
    return false;
}
template <>
inline void Steps<value>::step(const char* at) {
    walk_->go_to(at);
    value_ = at;
    element_ = value(walk_, at);
}

template <>
inline bool Steps<field>::begins(const char* at) const {
    return at < walk_->end() && *at == '"';
}
template <>
inline bool Steps<field>::goes_on(const char* at) {
    return at[0] == ',' && at[1] == '"';
}
template <>
[[gnu::always_inline]] inline void Steps<field>::step(const char* key) {
    const ValuePlace place = walk_->scans().field(key + 1);
    const char* at = place.begin;
    if (!at) [[unlikely]] {
        at = walk_->past_odd_key(key);
        if (!at) return fail();
    }
    // A value of no bytes, or one that goes on behind the record.
    if (at >= walk_->end() || place.end == at || place.end > walk_->end()) [[unlikely]]
        return fail();
    walk_->go_to(place.end ? place.end : at);
    value_ = at;
    element_ = field(key + 1, value(walk_, at, place.end));
}

/// An object or an array; `open` is its bracket. Iterating it reads it.
template <class Element, char kClose>
class container {
public:
    container() = default;
    container(Walk* walk, const char* open) : walk_(walk), open_(open) {}

    [[gnu::always_inline]] Steps<Element> begin() { return Steps<Element>(walk_, open_, kClose); }
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
