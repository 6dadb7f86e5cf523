#pragma once

#include <agent_audit/report/renderer.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace agent_audit::report {

/// Writes JSON as it goes, handing full pieces to the sink: memory does not grow with the report.
/// The caller keeps objects and arrays balanced; commas, escaping and number forms are settled here.
/// Any bytes are accepted as text: what is not UTF-8 becomes U+FFFD, and what could harm a terminal or a
/// browser (controls, direction changes, U+2028) is written as \u escapes.
class JsonWriter {
public:
    /// `guard_ci` writes "##[" and "##word[" so that a CI runner does not take it for a command.
    explicit JsonWriter(const ByteSink& out, bool guard_ci = false)
        : out_(out), piece_(new char[kPiece]), guard_ci_(guard_ci) {}
    JsonWriter(const JsonWriter&) = delete;
    JsonWriter& operator=(const JsonWriter&) = delete;

    /// The next value stands on its own, after the newline that ended the one before.
    void begin_document() { comma_ = false; }
    void begin_object() { open('{'); }
    void end_object() { close('}'); }
    void begin_array() { open('['); }
    void end_array() { close(']'); }

    /// `name` is one of ours: plain ASCII without quotes.
    JsonWriter& key(std::string_view name);

    void text(std::string_view value);
    void number(std::uint64_t value);
    void number(std::int64_t value) = delete;
    void real(double value);  ///< what JSON cannot say (NaN, infinity) is null
    void flag(bool value);

    void text(std::string_view name, std::string_view value) { key(name).text(value); }
    void number(std::string_view name, std::uint64_t value);
    void real(std::string_view name, double value) { key(name).real(value); }
    void flag(std::string_view name, bool value) { key(name).flag(value); }

    /// Fields whose empty or zero value means "unknown": those are left out.
    void known_text(std::string_view name, std::string_view value) {
        if (!value.empty()) text(name, value);
    }
    void known_number(std::string_view name, std::uint64_t value) {
        if (value != 0) number(name, value);
    }

    /// The next value is one of a list whose first ones another writer writes.
    void go_on() { comma_ = true; }
    /// Values that another writer wrote, as they are.
    void written(std::string_view values) {
        append(values);
        comma_ = true;
    }
    /// A line break between values: JSON does not mind and people can read it.
    void newline() { append('\n'); }

    /// Hands over what is left. False when the sink refused anything.
    bool flush();
    bool failed() const { return failed_; }

private:
    static constexpr std::size_t kPiece = 32u << 10;  // bytes
    static constexpr std::size_t kShort = 256;        // longer texts go their own way

    void open(char bracket);
    void close(char bracket);
    void separate();
    /// Writes the name and its colon to `at`, and a comma where one is due; returns the place behind.
    char* write_key(char* at, std::string_view name);
    /// The place of `size` new bytes, at most kPiece.
    char* room(std::size_t size) {
        if (kPiece - used_ < size) flush();
        char* const at = piece_.get() + used_;
        used_ += size;
        return at;
    }
    void append(char c) { *room(1) = c; }
    void append(std::string_view bytes);
    void hand_over(std::string_view bytes);
    bool short_real(double value);
    void append_escaped(std::string_view value);

    const ByteSink& out_;
    std::unique_ptr<char[]> piece_;
    std::size_t used_ = 0;
    bool guard_ci_ = false;
    bool comma_ = false;
    bool failed_ = false;
};

}  // namespace agent_audit::report
