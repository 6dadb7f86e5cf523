#pragma once

#include <agent_audit/convert/converter.hpp>
#include <agent_audit/model/event.hpp>
#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace agent_audit::convert {

/// Turns recorded texts into JSON, with the secrets taken out where that was asked for.
class Texts {
public:
    explicit Texts(std::function<std::string(std::string_view)> redact) : redact_(std::move(redact)) {}

    bool redacts() const { return static_cast<bool>(redact_); }

    /// The text without secrets; views point into `storage` or are those of `text`. Only for a Texts that redacts.
    RawText redacted(RawText text, std::string& storage) const;
    /// UTF-8, decoded and without secrets. Of a JSON value: its JSON.
    std::string decoded(RawText text) const;
    /// What a call was given: JSON, or the text that was its input. Of a call told in words, which has only a subject,
    /// that is the input: without it all such calls would be alike.
    std::string arguments(const ToolCall& call) const;
    /// Appends the text as a JSON string with its quotes. Broken bytes become U+FFFD.
    void append_string(std::string& out, RawText text) const;
    void append_string(std::string& out, std::string_view plain) const { append_string(out, {plain, TextForm::plain}); }

private:
    std::string without_secrets(std::string text) const;
    std::string json_without_secrets(std::string_view json) const;

    std::function<std::string(std::string_view)> redact_;
};

/// JSON that stands on several lines, in one. A line break inside a string, where JSON has none, stays.
std::string on_one_line(std::string_view json);

/// `bytes` with everything that is not UTF-8 replaced by U+FFFD.
std::string repaired_utf8(std::string_view bytes);

/// Where the bytes go; remembers that the other end is gone.
class Sink {
public:
    explicit Sink(const ConverterOutput& out) : out_(out) {}

    void write(std::string_view bytes) { failed_ = failed_ || !out_(bytes); }
    bool failed() const { return failed_; }

private:
    ConverterOutput out_;
    bool failed_ = false;
};

/// Builds one line of JSON. `name`s are ours: plain ASCII without quotes.
class JsonLine {
public:
    std::string& begin() {
        text_.assign("{");
        comma_ = false;
        return text_;
    }
    JsonLine& key(std::string_view name) {
        if (comma_) text_ += ',';
        comma_ = true;
        text_ += '"';
        text_ += name;
        text_ += "\":";
        return *this;
    }
    void raw(std::string_view value) { text_ += value; }
    void raw(std::string_view name, std::string_view value) { key(name).raw(value); }
    void word(std::string_view name, std::string_view value) {
        key(name).raw("\"");
        text_ += value;
        text_ += '"';
    }
    void number(std::string_view name, std::uint64_t value) { key(name).raw(std::to_string(value)); }
    void integer(std::string_view name, std::int64_t value) { key(name).raw(std::to_string(value)); }
    void flag(std::string_view name) { key(name).raw("true"); }
    /// The line with its end.
    std::string_view end(std::string_view closing = "}\n") {
        text_ += closing;
        return text_;
    }
    std::string& text() { return text_; }

private:
    std::string text_;
    bool comma_ = false;
};

}  // namespace agent_audit::convert
