#pragma once

#include <agent_audit/support/result.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace agent_audit {

struct TomlEntry;
struct TomlValue;

using TomlArray = std::vector<TomlValue>;

/// Entries in the order of the file; keys are unique.
struct TomlTable {
    std::vector<TomlEntry> entries;

    const TomlEntry* find(std::string_view key) const;
};

struct TomlDate {
    int year = 0;
    unsigned month = 0, day = 0;  ///< from 1
};

/// A value and the line it stands on. Times of day are read as monostate: no setting of ours takes one.
struct TomlValue {
    std::variant<std::monostate, bool, std::int64_t, double, std::string, TomlDate, TomlArray, TomlTable> data;
    std::uint32_t line = 0;
};

struct TomlEntry {
    std::string key;
    std::uint32_t line = 0;  ///< of the key
    TomlValue value;
};

/// Reads a whole document. Errors name the source and the line. Keys of more than 17 parts and
/// brackets in more than 32 others are errors: no file of ours is so deep, and depth costs stack.
Result<TomlTable> parse_toml(std::string_view text, std::string_view source);

/// Reads tables strictly: a key nobody knows and a value of the wrong type are problems, with line and, for the key,
/// the nearest one known. Getters return nothing when the key is absent or its value is wrong, so a caller reads all it
/// wants and asks for the problems once.
class TomlReader {
public:
    explicit TomlReader(std::string_view source) : source_(source) {}

    /// "agent-audit.toml:4": what a setting read from there is said to come from.
    std::string origin(std::uint32_t line) const;

    /// Every key of the table must be one of these. `what` is what a key is called there: "key", "key of [budget]".
    void only(const TomlTable& table, std::string_view what, std::span<const std::string_view> known);

    std::optional<bool> flag(const TomlTable& table, std::string_view key);
    std::optional<std::int64_t> whole(const TomlTable& table, std::string_view key, std::int64_t min, std::int64_t max);
    /// Takes whole numbers too.
    std::optional<double> number(const TomlTable& table, std::string_view key, double min, double max);
    /// Any number: whose range is known elsewhere.
    std::optional<double> number(const TomlTable& table, std::string_view key);
    std::optional<std::string> text(const TomlTable& table, std::string_view key, std::string_view what = "a text");
    /// One of these words; the nearest is named otherwise.
    std::optional<std::string> word(const TomlTable& table, std::string_view key,
                                    std::span<const std::string_view> known);
    /// A text, or a list of texts.
    std::optional<std::vector<std::string>> texts(const TomlTable& table, std::string_view key);
    /// 2027-01-31, with or without quotes.
    std::optional<TomlDate> date(const TomlTable& table, std::string_view key);
    /// [key], null when absent.
    const TomlTable* table(const TomlTable& table, std::string_view key);
    /// [[key]]: entries with their lines; empty when absent.
    std::vector<const TomlValue*> tables(const TomlTable& table, std::string_view key);

    void fail(std::uint32_t line, std::string_view what);
    /// The one that stands first in the file.
    std::optional<Error> problem() const;
    /// All of them (at most 100), in the order of the file.
    std::vector<Error> problems() const;

private:
    /// "key: expected <what>".
    void expected(const TomlEntry& entry, std::string_view what);

    std::string source_;
    struct Placed {
        std::uint32_t line = 0;
        Error error;
    };
    std::vector<Placed> problems_;  // by line
};

/// "unknown key "pollicy"; did you mean "policy"?"
std::string unknown_word(std::string_view what, std::string_view word, std::span<const std::string_view> known);

}  // namespace agent_audit
