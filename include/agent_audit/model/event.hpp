#pragma once

#include <agent_audit/model/source.hpp>
#include <agent_audit/model/text.hpp>
#include <agent_audit/model/tokens.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace agent_audit {

/// One normalised event stream for all formats. Readers emit in file order, in one pass, with bounded
/// state; everything after them sees only this. All views are valid only during the callback.

inline constexpr std::int64_t kNoTime = std::numeric_limits<std::int64_t>::min();

enum EventFlags : std::uint16_t {
    kCopied = 1,     ///< history carried over from another file, or from before a fork
    kPartial = 2,    ///< a streaming fragment; a later event completes it
    kSynthetic = 4,  ///< written by the tool, by neither the model nor a human
    kHidden = 8,     ///< recorded but not sent to the model
    kStale = 16,     ///< belongs to something rolled back, where that is already known
};

/// A producer's id, hashed. 0 means: the producer gave none.
using IdHash = std::uint64_t;

/// Where an event stands: in its input, in time and in the conversation.
struct EventHeader {
    std::uint64_t seq = 0;  ///< position in the stream, strictly increasing within an input
    SourceSpan where;
    std::int64_t time_ms = kNoTime;  ///< ms since 1970 UTC; may be missing, may go backwards
    std::string_view record_id;      ///< the producer's id of the record, raw
    IdHash response = 0;             ///< id of the model response this belongs to; groups text, calls and usage
    std::uint32_t lane = 0;          ///< 0 = the main conversation; each sub-agent has its own (see LaneOpen)
    std::uint32_t turn = 0;          ///< counts human turns within the lane, from 1; 0 before the first
    std::uint16_t flags = 0;         ///< EventFlags
};

/// A logical session begins. `resumed` marks a later visit to the same session in the same file.
struct SessionStart {
    RawText session_id;
    RawText parent_session_id;  ///< the session this is a sub-agent of
    RawText forked_from;        ///< the session this copied its beginning from
    RawText product_version;
    RawText cwd;
    RawText model;
    RawText label;  ///< what else tells sessions of one file apart (agent id, task id)
    bool resumed = false;
    bool sub_agent = false;     ///< the whole file is a sub-agent's
    bool housekeeping = false;  ///< summariser or prompt-suggestion agents: kept out of loop statistics
};

/// Something about the conversation's setting changed; empty fields did not.
struct ContextChange {
    RawText model;
    RawText cwd;
    std::uint64_t window_tokens = 0;        ///< 0: unknown
    std::uint64_t system_prompt_bytes = 0;  ///< bytes of system prompt and tool definitions newly in force
};

/// What a sub-agent was opened for. guardian: it judges whether a call may run.
enum class LanePurpose : std::uint8_t { task, compaction, suggestion, guardian, fork, unknown };

/// A sub-agent begins: from here on the lane of the header is its own.
struct LaneOpen {
    std::uint32_t parent_lane = 0;
    LanePurpose purpose = LanePurpose::unknown;
    RawText agent_id;
    RawText agent_type;
};
/// The sub-agent of the lane is done.
struct LaneClose {};

/// How a turn ended. aborted: a human or the harness broke it off; failed: an error did.
enum class TurnStatus : std::uint8_t { completed, aborted, failed, unknown };

/// A human turn begins, where the format marks it.
struct TurnStart {};
/// A turn is over, where the format marks it.
struct TurnEnd {
    TurnStatus status = TurnStatus::unknown;
    std::int64_t duration_ms = -1;  ///< -1: unknown
};

/// Under which role a message was sent; who wrote it is its Origin.
enum class Role : std::uint8_t { system, user, assistant };
/// Who really wrote a message: most "user" records are not a human.
enum class Origin : std::uint8_t { human, agent, injected, queued, hook, summary };

/// Words that were said: prompt, answer, instruction, summary.
struct Message {
    Role role = Role::user;
    Origin origin = Origin::injected;
    RawText text;
    std::uint32_t media_count = 0;
    RawText speaker{};  ///< name of the agent or graph node that speaks, where the log names one
};

/// Reasoning of the model, as words or as their size.
struct Thinking {
    RawText text;
    std::uint64_t opaque_bytes = 0;  ///< encrypted reasoning: still sent back to the model
};

/// Who made a call. code: another call did, as a script of the model.
enum class Caller : std::uint8_t { model, user, code };

/// What identifies a call, computed once by the reader while the arguments are at hand.
struct CallDigest {
    std::uint64_t canonical = 0;  ///< tool + arguments: key order, number spelling and volatile fields do not count
    bool opaque = false;          ///< arguments missing, broken or redacted: equal to nothing
};

/// One argument of a call, as recorded: the inside of a string with its escapes, or a number or word.
struct CallField {
    std::string_view name;
    std::string_view value;
    bool is_string = false;
};

/// The model, or somebody in its place, calls a tool.
struct ToolCall {
    RawText call_id;
    RawText name;
    RawText args;
    RawText primary;  ///< the argument a reader would quote: the command, path, pattern, query, …
    CallDigest digest;
    Caller caller = Caller::model;
    bool script = false;  ///< its input is a program, not a command: what that does are calls of Caller::code
    /// All of `args`, where the reader has met them one by one and none holds others; empty: they have to be read
    /// again.
    std::span<const CallField> fields{};
};

/// How a call ended, as the recording says it.
enum class ResultStatus : std::uint8_t {
    unknown,  ///< the format has no error field: the text decides
    ok,
    error,      ///< the tool failed
    denied,     ///< a human or a policy said no
    cancelled,  ///< not run, or cut off, because of something else
    running,    ///< still going; the rest comes through another call
};

/// Who said no to a call. rule: a permission rule, a hook or a mode, or that there was nobody to ask.
enum class Refuser : std::uint8_t { unknown, person, rule };

/// What a call returned.
struct ToolResult {
    RawText call_id;  ///< empty: answers the oldest open call of the lane
    RawText name;     ///< tool name where the result repeats it
    RawText text;
    ResultStatus status = ResultStatus::unknown;
    std::optional<int> exit_code;
    std::uint32_t media_count = 0;
    bool opaque = false;  ///< elided, redacted or image content: equal to nothing
    bool update = false;  ///< refines a result given before
    /// What `media_hash` is of is in the record as a whole, and no name or placeholder: equal hashes are equal
    /// pictures.
    bool media_stored = false;
    Refuser refused_by = Refuser::unknown;  ///< with ResultStatus::denied, where a field tells it; else the text does
    std::int64_t duration_ms = -1;
    RawText
        handle{};  ///< with ResultStatus::running: the name under which later calls ask, where it is not in the text
    RawText details{};  ///< JSON that the agent keeps beside the text and the model is not shown (pi, OpenClaw)
    /// Tells the pictures and files of a result from those of another. 0: there are none, or they are not in the
    /// record.
    std::uint64_t media_hash = 0;
};

/// What a bill is for.
enum class UsageScope : std::uint8_t { request, session };
/// add: per request, written once. replace: per request, repeated on several records, the best one counts.
/// cumulative: running totals of the session; consumers take differences.
enum class UsageMode : std::uint8_t { add, replace, cumulative };

/// Tokens and money as the provider or the harness billed them.
struct Usage {
    UsageScope scope = UsageScope::request;
    UsageMode mode = UsageMode::add;
    TokenCounts tokens;
    RawText model;                  ///< empty: the lane's current model
    std::uint64_t message_key = 0;  ///< identity of the response across files; 0 = never merged
    std::uint64_t request_key = 0;  ///< second half of the identity (Claude Code's requestId)
    bool sidechain = false;         ///< a sub-agent's copy gives way to the main one
    bool rest = false;  ///< with what the other requests of its model are short of: only their outputs were told
    std::optional<std::uint64_t> cost_microusd;   ///< money as recorded
    std::optional<std::uint64_t> context_tokens;  ///< how full the window was, when the format says so directly
    std::uint64_t window_tokens = 0;              ///< 0: unknown
};

/// begin and failed change nothing; end says what the context is from then on.
enum class CompactionPhase : std::uint8_t { begin, end, failed };
/// summary: old messages gave way to one; clear_tool_results: only outputs went; truncate: the oldest messages went;
/// reset: all did.
enum class CompactionKind : std::uint8_t { summary, clear_tool_results, truncate, reset };
/// Why it was made. overflow: a request had been refused for its length.
enum class CompactionTrigger : std::uint8_t { automatic, manual, overflow, unknown };
/// What stayed of the context before. replacement: nothing, the recording has the new context instead.
enum class Keep : std::uint8_t { unknown, none, from_record, from_index, ids, replacement };

/// The context was made shorter.
struct Compaction {
    CompactionPhase phase = CompactionPhase::end;
    CompactionKind kind = CompactionKind::summary;
    CompactionTrigger trigger = CompactionTrigger::unknown;
    std::optional<std::uint64_t> tokens_before;
    std::optional<std::uint64_t> tokens_after;
    RawText summary;
    Keep keep = Keep::unknown;
    RawText keep_from;             ///< with Keep::from_record
    std::uint64_t keep_index = 0;  ///< with Keep::from_index
    RawText ids;                   ///< kept ids (Keep::ids) or cleared call ids, as the recorded JSON array
};

/// Back to where: behind a record, before it, by `count` turns or events, to the beginning.
enum class RewindTarget : std::uint8_t { to_record, before_record, last_turns, last_events, all };

/// What came before was taken back: it is no longer part of the conversation.
struct Rewind {
    RewindTarget target = RewindTarget::all;
    std::string_view record_id;
    std::uint64_t count = 0;
};

/// Who had something to say.
enum class NoticeLayer : std::uint8_t { provider, harness, hook, reader };
enum class NoticeLevel : std::uint8_t { info, warning, error };

/// Something went wrong around the conversation: a refused request, a retry, a hook.
struct Notice {
    NoticeLevel level = NoticeLevel::info;
    NoticeLayer layer = NoticeLayer::reader;
    RawText code;
    RawText text;
    int attempt = 0;
    std::int64_t retry_in_ms = -1;
};

using EventBody = std::variant<SessionStart, ContextChange, LaneOpen, LaneClose, TurnStart, TurnEnd, Message, Thinking,
                               ToolCall, ToolResult, Usage, Compaction, Rewind, Notice>;

/// One event of the stream.
struct Event {
    EventHeader head;
    EventBody body;
};

/// Whoever listens to the stream.
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void on_event(const Event& event) = 0;
};

}  // namespace agent_audit
