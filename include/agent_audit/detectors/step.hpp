#pragma once

#include <agent_audit/model/error_class.hpp>
#include <agent_audit/model/event.hpp>
#include <agent_audit/model/source.hpp>
#include <agent_audit/model/text.hpp>
#include <agent_audit/model/tokens.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit {

/// What kind of thing a call does. Decided by the tool's name first, then by the shell command.
enum class ToolClass : std::uint8_t { other, read, search, mutate, verify, shell, poll, wait, note };

std::string_view name(ToolClass tool_class);

/// How a command sends work out.
enum class Shipping : std::uint8_t {
    none,
    push,     ///< git push, docker push
    publish,  ///< npm publish
    deploy,   ///< fly deploy, kubectl apply
    release,  ///< gh release create
    request,  ///< gh pr create
    merge,    ///< gh pr merge
};

/// A place in the recording, small enough to keep by the thousand.
struct Place {
    std::uint64_t line = 0;
    std::uint64_t seq = 0;
    std::uint64_t offset = 0;
    std::uint32_t length = 0;
};

/// What a call does to one file, as far as its arguments and its answer tell. All zero: unknown, or no single file.
struct FileTouch {
    std::uint64_t file = 0;          ///< hash of the path, cleaned of ./ and doubled slashes
    std::uint64_t before = 0;        ///< hash of the text that was replaced; 0 = unknown, or a whole write
    std::uint64_t after = 0;         ///< hash of the text put in its place, or of the whole content
    std::uint64_t removed = 0;       ///< hash of the lines that went, without those that before and after share
    std::uint64_t added = 0;         ///< hash of the lines that came
    std::uint64_t above = 0;         ///< hash of the unchanged line above the change; 0 = unknown, or it says nothing
    std::uint64_t below = 0;         ///< hash of the unchanged line below it
    std::uint32_t first_line = 0;    ///< first line read or changed, from 1; 0 = unknown
    std::uint32_t line_count = 0;    ///< lines read; 0 = unknown or to the end
    std::uint32_t before_lines = 0;  ///< lines that went
    std::uint32_t after_lines = 0;   ///< lines that came
    std::uint32_t pieces = 0;        ///< places changed; 0 = not told place by place
    bool whole_file = false;         ///< the call writes (or reads) the file as a whole
};

/// A search of the web or of a collection of documents, beside the searches before it in the segment.
struct QueryLook {
    std::uint16_t words = 0;         ///< distinct words of the query; 0 = the step is no such search
    std::uint8_t known_percent = 0;  ///< of them, those that an earlier query used
    std::uint8_t new_percent = 0;    ///< words of the answer that no earlier answer held
    bool answered = false;
};

/// Short copies of a step's texts for the evidence of a finding that may come; raw bytes, cut.
struct StepText {
    /// Of a tool's name all that the large APIs allow is kept (64 bytes); a longer one ends with the mark.
    static constexpr std::size_t kTool = 64, kArgument = 112, kOutcome = 136;
    static constexpr std::string_view kCutMark = "…";

    /// Not defaulted: a step is made for every call, and half a kilobyte of zeros each time would be felt.
    StepText() {}

    std::array<char, kTool> tool_bytes;
    std::array<char, kArgument> argument_bytes;
    std::array<char, kOutcome> outcome_bytes;
    std::uint8_t tool_size = 0, argument_size = 0, outcome_size = 0;
    TextForm argument_form = TextForm::json_string;
    TextForm outcome_form = TextForm::json_string;

    std::string_view tool() const { return {tool_bytes.data(), tool_size}; }
    RawText argument() const { return {{argument_bytes.data(), argument_size}, argument_form}; }
    RawText outcome() const { return {{outcome_bytes.data(), outcome_size}, outcome_form}; }
};

/// One tool call with its outcome, after pairing, folding of parallel copies and removal of volatile parts.
/// This is all that the loop rules see (loop-detector design: call + outcome is the identity, never the call alone).
struct Step {
    Step() {}

    std::uint64_t ordinal = 0;    ///< position among the steps of the lane, from 1
    std::uint64_t response = 0;   ///< ordinal of the model response in the lane, from 1
    std::uint64_t call_id = 0;    ///< hash of the producer's call id; 0 = none
    std::uint64_t tool = 0;       ///< hash of the tool's name
    std::uint64_t call = 0;       ///< hash of tool + canonical arguments
    std::uint64_t out = 0;        ///< hash of the outcome without its volatile parts
    std::uint64_t error_key = 0;  ///< what the error says, volatile parts and digits masked; 0 = did not fail
    std::uint64_t background =
        0;  ///< hash of the name under which a command goes on that this call started or asks after; 0 = none
    std::uint64_t state =
        0;  ///< hash of where the lane is: directory, what its edits left in the files, last two outcomes
    std::uint32_t epoch = 0;  ///< mutation epoch: successful new mutations so far in the segment
    std::uint32_t revision =
        0;  ///< revisions of the repository that were gone to so far: each counts once, and opens an epoch
    std::uint32_t copies = 1;    ///< equal calls with equal outcomes in the same response
    std::uint32_t call_run = 0;  ///< the same call this many times in a row (whatever the outcome)
    ToolClass tool_class = ToolClass::other;
    ToolClass work_class =
        ToolClass::other;  ///< the same, but of what goes on when it is answered the class of its call; that is a poll
    ErrorClass error = ErrorClass::none;  ///< of a failed step
    std::uint32_t outcome_bytes = 0;      ///< length of the outcome as recorded; the copy in `text` is cut
    std::uint64_t reread_line = 0;  ///< the same large outcome stands in the window already, since this line; 0 = no
    bool failed = false;
    bool opaque = false;   ///< outcome or arguments unknown: equal to nothing
    bool revisit = false;  ///< this (call, outcome) was already obtained in the same epoch
    bool exited = false;   ///< the answer tells an exit code
    bool unechoed =
        false;  ///< keys for a terminal whose screen, which is the answer, does not show that they were typed
    bool visits =
        false;  ///< a command that goes to another revision of the repository, perhaps to check something there
    bool next_page = false;  ///< asks for another page of the list that the call of its tool before it asked for
    bool made_anew = false;  ///< makes something, as the step before, and tells nothing new but what that is called
    Shipping ships = Shipping::none;  ///< what the last command of the line that sends work out does, in the main
                                      ///< conversation
    bool ships_at_end = false;        ///< no other command that may fail stands behind that one
    bool pictured = false;            ///< what came back shows a picture that is in the record
    Place call_at;
    Place result_at;                ///< equals call_at when no result was recorded
    TokenCounts spent_before;       ///< tokens billed in the lane before this step's response
    TokenCounts spent;              ///< the same, up to and including this step's response
    std::uint32_t compactions = 0;  ///< compactions in the lane before this step
    std::uint64_t good_steps =
        0;  ///< steps in the lane so far, this one included, that are neither revisits nor failures
    std::int64_t time_ms = kNoTime;   ///< recorded time of the call, ms since 1970; may be missing or go backwards
    QueryLook query;                  ///< filled for searches of the web and of document collections
    FileTouch touch;                  ///< filled for mutations, and for reads of a part of a file
    std::uint32_t command_bytes = 0;  ///< size of a shell command as recorded; 0 = no shell command
    std::uint32_t grown_from = 0;     ///< size of the shell command before, if this one is that with more appended
    std::uint8_t known_words = 0;     ///< percent of the appended words that occur in it already
    std::uint32_t notices = 0;        ///< nudges, hook messages, interrupts in the lane before this step
    StepText text;

    /// First and last record of the step.
    std::uint64_t first_line() const { return call_at.line; }
    std::uint64_t last_line() const { return result_at.line > call_at.line ? result_at.line : call_at.line; }
};

}  // namespace agent_audit
