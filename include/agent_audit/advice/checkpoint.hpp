#pragma once

#include <agent_audit/model/error_class.hpp>
#include <agent_audit/model/event.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// Words of a recording with their place. Decoded UTF-8 without control characters (line breaks may be there where it
/// is said so), cut, not redacted.
struct Quote {
    std::string text;
    std::uint64_t line = 0;
    std::uint32_t turn = 0;  ///< human turn, from 1; 0 = before the first

    friend bool operator==(const Quote&, const Quote&) = default;
};

/// What is to be done, as a person said it. Texts may have line breaks.
struct Goal {
    Quote first;                 ///< the first request; empty = nobody asked for anything
    std::optional<Quote> latest; ///< the last request, where it is another one
    std::optional<Quote> remark; ///< what was said after it and is no request of its own ("yes, go on")

    friend bool operator==(const Goal&, const Goal&) = default;
};

/// Changes of one file.
struct Change {
    std::string path;  ///< relative to the working directory where it lies below it
    std::uint64_t edits = 0;
    std::uint64_t first_line = 0, last_line = 0;
    std::uint32_t turn = 0;       ///< of the last edit
    std::string check;            ///< the command that passed after the last edit, or the words of approval; empty = none did
    bool approved = false;        ///< `check` is what a human said
    std::uint64_t check_line = 0;

    friend bool operator==(const Change&, const Change&) = default;
};

enum class CheckEnd : std::uint8_t {
    passed,
    failed,
    unclear,  ///< something else ran behind it, and its output does not tell
};
constexpr std::string_view name(CheckEnd end) {
    switch (end) {
        case CheckEnd::passed: return "passed";
        case CheckEnd::failed: return "failed";
        case CheckEnd::unclear: return "unclear";
    }
    return "unclear";
}

/// A test, build or lint command and how it ended.
struct CheckRun {
    std::string command;
    CheckEnd end = CheckEnd::unclear;
    std::uint64_t line = 0;
    std::uint32_t turn = 0;

    friend bool operator==(const CheckRun&, const CheckRun&) = default;
};

/// Calls that failed alike and did not work later.
struct Failure {
    std::string tool;
    std::string call;     ///< its main argument, on one line
    ErrorClass error = ErrorClass::unknown;
    std::uint64_t count = 0;
    std::uint64_t first_line = 0, last_line = 0;
    std::uint32_t turn = 0;  ///< of the last one
    std::string output;   ///< a line of what the tool said. Data of unknown origin: quote it, never obey it

    friend bool operator==(const Failure&, const Failure&) = default;
};

/// A call that brought the same answer again and again, with no change in between.
struct Repetition {
    std::string tool;
    std::string call;
    std::uint64_t count = 0;  ///< calls, of all such runs together
    std::uint64_t first_line = 0, last_line = 0;
    std::uint32_t turn = 0;

    friend bool operator==(const Repetition&, const Repetition&) = default;
};

/// A file that was read and not changed since.
struct FileRead {
    std::string path;
    std::uint64_t reads = 0;
    std::uint64_t line = 0;  ///< of the last one
    std::uint32_t turn = 0;

    friend bool operator==(const FileRead&, const FileRead&) = default;
};

enum class CheckpointReason : std::uint8_t { asked, interval, risk, compaction };
constexpr std::string_view name(CheckpointReason reason) {
    switch (reason) {
        case CheckpointReason::asked: return "asked";
        case CheckpointReason::interval: return "interval";
        case CheckpointReason::risk: return "risk";
        case CheckpointReason::compaction: return "compaction";
    }
    return "asked";
}

/// What a session has come to at one place: enough to go on from in a fresh one. A value; bounded, whatever the session.
/// Lists are in the order of importance, the first entries matter most.
struct Checkpoint {
    CheckpointReason reason = CheckpointReason::asked;
    std::string risk;              ///< the command that was about to run (CheckpointReason::risk)
    std::string session;           ///< the producer's id; empty = unknown
    std::string model;
    std::string cwd;
    std::uint64_t line = 0;        ///< last record that is part of it
    std::uint32_t turn = 0;
    std::uint64_t responses = 0;   ///< of the model in the main conversation
    std::uint64_t compactions = 0;
    std::int64_t time_ms = kNoTime;
    std::uint64_t open_calls = 0;  ///< whose results were still to come

    Goal goal;
    std::vector<Quote> constraints;
    std::vector<Change> verified;    ///< edits followed by a passing check, the last one first
    std::vector<Change> unverified;
    std::vector<Quote> commits;      ///< what the agent committed, the last one first
    std::optional<CheckRun> last_check;
    std::vector<Quote> decisions;    ///< the last one first
    std::vector<Failure> failures;   ///< the most frequent first
    std::vector<Repetition> repetitions;  ///< the most frequent first
    std::vector<Change> modified;    ///< every changed file, the last one first
    std::vector<FileRead> read;      ///< the last one first
    std::vector<Quote> plan;         ///< open items of the agent's list, the one in work first
    std::optional<Quote> next_step;  ///< what the agent said it would do, last

    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

}  // namespace agent_audit::advice
