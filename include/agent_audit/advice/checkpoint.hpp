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
    std::optional<Quote> summary;  ///< of earlier work, where the recording begins with one; nobody's own words
    bool from_program =
        false;    ///< nobody asked for anything: `first` is what the program around the agent said. Data, no order
    Quote first;  ///< the first request; empty = nobody asked for anything
    std::vector<Quote> between;   ///< requests between the two, cut, the newest first
    std::uint64_t left_out = 0;   ///< further requests between the two that were not kept
    std::optional<Quote> latest;  ///< the last request, where it is another one
    std::optional<Quote> remark;  ///< what was said after it and is no request of its own ("yes, go on")

    friend bool operator==(const Goal&, const Goal&) = default;
};

/// What became of a file.
enum class FileFate : std::uint8_t { edited, deleted, moved };
constexpr std::string_view name(FileFate fate) {
    switch (fate) {
        case FileFate::edited: return "edited";
        case FileFate::deleted: return "deleted";
        case FileFate::moved: return "moved";
    }
    return "edited";
}

/// Changes of one file.
struct Change {
    std::string path;  ///< relative to the working directory where it lies below it
    FileFate fate = FileFate::edited;
    std::string moved_to;  ///< with FileFate::moved
    std::uint64_t edits = 0;
    std::uint64_t first_line = 0, last_line = 0;
    std::uint32_t turn = 0;  ///< of the last edit
    std::string check;      ///< the command that passed after the last edit, or the words of approval; empty = none did
    bool approved = false;  ///< `check` is what a human said
    std::uint64_t check_line = 0;
    std::string check_directory;  ///< as CheckRun.directory

    friend bool operator==(const Change&, const Change&) = default;
};

/// How a check ended, as far as its output tells.
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
    std::string directory;  ///< where it ran, relative to the working directory where it lies below it; empty = there,
                            ///< as far as known

    friend bool operator==(const CheckRun&, const CheckRun&) = default;
};

/// Calls that failed alike.
struct Failure {
    std::string tool;
    std::string call;  ///< its main argument, on one line
    ErrorClass error = ErrorClass::unknown;
    std::uint64_t count = 0;
    std::uint64_t calls = 1;  ///< different calls that failed so
    std::uint64_t first_line = 0, last_line = 0;
    std::uint32_t turn = 0;           ///< of the last one
    std::uint64_t unclear_since = 0;  ///< line of a later check of the same whose end is not clear; 0 = there is none
    std::uint64_t works_since = 0;    ///< line of the first success after the last failure; 0 = it never worked since
    std::string output;               ///< a line of what the tool said. Data of unknown origin: quote it, never obey it
    bool sends = false;  ///< it was to send something out that others see: a push, a pull request, a release

    friend bool operator==(const Failure&, const Failure&) = default;
};

/// A call that brought the same answer again and again, in one stretch in which nothing changed and nobody asked for
/// it.
struct Repetition {
    std::string tool;
    std::string call;
    std::uint64_t count = 0;  ///< calls of the longest such stretch; of equals the last one
    std::uint64_t first_line = 0, last_line = 0;
    std::uint32_t turn = 0;

    friend bool operator==(const Repetition&, const Repetition&) = default;
};

/// What a person answered to a question of the agent, or to what it proposed. Both on one line.
struct Answer {
    std::string question;  ///< the agent's words; empty = not known
    std::string answer;    ///< the person's words
    bool refused = false;  ///< the person turned down what was asked or proposed
    std::uint64_t line = 0;
    std::uint32_t turn = 0;
    bool asks_back = false;  ///< the person asked in return: nothing is decided

    friend bool operator==(const Answer&, const Answer&) = default;
};

/// Something that was finished and that others can see, or that a person took as finished.
enum class DeedKind : std::uint8_t {
    pushed,
    pull_request,
    merged,
    issue,
    released,
    published,
    tagged,
    branch,
    item,
    report
};
inline constexpr std::size_t kDeedKinds = 10;
constexpr std::string_view name(DeedKind kind) {
    switch (kind) {
        case DeedKind::pushed: return "pushed";
        case DeedKind::pull_request: return "pull-request";
        case DeedKind::merged: return "merged";
        case DeedKind::issue: return "issue";
        case DeedKind::released: return "released";
        case DeedKind::published: return "published";
        case DeedKind::tagged: return "tagged";
        case DeedKind::branch: return "branch";
        case DeedKind::item: return "item";
        case DeedKind::report: return "report";
    }
    return "report";
}
/// Something that left the working tree, or that the agent ticked off.
struct Deed {
    DeedKind kind = DeedKind::report;
    std::string words;  ///< the command; with item the agent's list, with report the agent's own words
    std::uint64_t line = 0;
    std::uint32_t turn = 0;
    std::string output;  ///< an address that the tool printed. Data of unknown origin: quote it, never obey it

    friend bool operator==(const Deed&, const Deed&) = default;
};

/// A turn of the agent that did not come to its end.
struct BrokenOff {
    std::uint64_t line = 0;
    std::uint32_t turn = 0;
    bool failed = false;  ///< by an error; otherwise it was interrupted

    friend bool operator==(const BrokenOff&, const BrokenOff&) = default;
};

/// A file that was read, and that no call is known to have changed since.
struct FileRead {
    std::string path;
    std::uint64_t reads = 0;
    std::uint64_t line = 0;  ///< of the last one
    std::uint32_t turn = 0;
    std::uint64_t unsure_since =
        0;  ///< line of the first later call that may have changed it unsaid: a script, git pull, a sub-agent; 0 = none

    friend bool operator==(const FileRead&, const FileRead&) = default;
};

/// Why a checkpoint was taken. risk: a command that cannot be undone was about to run.
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

/// What a session has come to at one place: enough to go on from in a fresh one. A value; bounded, whatever the
/// session. Lists are in the order of importance, the first entries matter most.
struct Checkpoint {
    CheckpointReason reason = CheckpointReason::asked;
    std::string risk;     ///< the command that was about to run (CheckpointReason::risk)
    std::string session;  ///< the producer's id, or what else it calls the session; empty = unknown
    std::string model;
    std::string cwd;
    std::uint64_t line = 0;  ///< last record that is part of it
    std::uint32_t turn = 0;
    std::uint64_t responses = 0;  ///< of the model in the main conversation
    std::uint64_t compactions = 0;
    std::int64_t time_ms = kNoTime;
    std::uint64_t open_calls = 0;  ///< whose results were still to come

    Goal goal;
    std::vector<Quote> constraints;
    std::vector<Change> verified;  ///< edits followed by a passing check, the last one first
    std::vector<Change> unverified;
    std::vector<Quote> commits;  ///< what the agent committed, the last one first
    std::vector<Deed> deeds;     ///< pushes, pull requests, finished items of the list, …, the last one first
    std::optional<CheckRun> last_check;
    std::vector<CheckRun> failing;  ///< checks that failed when they ran last, the last one first
    std::vector<Quote>
        running;  ///< commands and sub-agents that went on in the background, as far as it tells; the last one first
    std::vector<Answer> answers;    ///< the last one first
    std::vector<Quote> decisions;   ///< the agent's own words, not checked, the last one first
    std::vector<Failure> failures;  ///< that did not work later; those that matter most first
    std::vector<Failure>
        mended;  ///< checks, pushes, what was refused and what failed often, that worked later; the last one first
    std::vector<Quote> reported;          ///< errors that the person pasted in the last turns, the last one first
    std::vector<Repetition> repetitions;  ///< the most frequent first
    std::vector<Change> modified;         ///< every changed, deleted or moved file, the last one first
    std::vector<FileRead> read;           ///< the last one first
    std::vector<Quote> plan;              ///< open items of the agent's list, the one in work first
    std::uint64_t plan_active = 0;        ///< how many of them are in work
    std::optional<Quote> next_step;  ///< what the agent said it would do, in what it said last since the person spoke
    std::optional<Quote> question;   ///< what the agent asked in what it said last, and nobody has answered
    std::optional<Quote>
        report;  ///< what the agent said to be done, in what it said last since. Its words, not checked
    std::optional<Quote>
        unsolved;  ///< what the agent said to be open, failing or blocked, in what it said last since. Its words
    std::uint64_t answered_line =
        0;  ///< where the agent answered the last message of the person in words; 0 = it has not
    std::uint64_t ended_line =
        0;  ///< where it ended its work on that without words: it submitted, or its turn was completed
    std::optional<BrokenOff> broken_off;  ///< its turn on that was interrupted or failed, and nothing came behind it

    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
};

}  // namespace agent_audit::advice
