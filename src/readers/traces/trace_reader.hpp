#pragma once

#include "readers/json/document_reader.hpp"
#include "readers/json/format_util.hpp"

#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace agent_audit::readers {

/// A piece of a message of a request, copied out of the record that had it.
struct TracePart {
    enum class Kind : std::uint8_t { text, reasoning, call, result, media };
    Kind kind = Kind::text;
    std::string id, name;
    std::string text;  ///< what was said, thought or returned; the arguments of a call
    TextForm form = TextForm::json_string;
    bool failed = false;
    bool untold = false;  ///< a call without arguments, a result or a prompt without text: many tracers keep those out
};

struct TraceMessage {
    Role role = Role::user;
    std::vector<TracePart> parts;
    std::string speaker{};  ///< the role, where it is none that all know

    TracePart& add(TracePart::Kind kind) {
        parts.emplace_back().kind = kind;
        return parts.back();
    }
};

/// Tells messages apart by who says what, whichever requests send them.
std::uint64_t key_of(const TraceMessage& message);

/// What a tracer wrote of one thing that was done, in the words that all of them share.
struct TraceSpan {
    enum class Kind : std::uint8_t { other, request, tool, agent };
    Kind kind = Kind::other;
    std::string trace, id, parent;  ///< trace and conversation are shown as the session's id
    std::string conversation;       ///< traces of one conversation are one session
    std::string name;               ///< of the tool or the agent
    std::string model, response_id, call_id, service, version;
    std::string error_code, error;
    std::uint64_t scope = 0;                ///< which library recorded it, as a hash; 0: unknown
    TracePart args, result;                 ///< of a tool: text and form
    std::int64_t begin_ns = 0, end_ns = 0;  ///< 0: unknown
    bool failed = false, has_args = false, has_result = false;
    bool open = false;       ///< nobody says whether it ended well
    bool completes = false;  ///< what began elsewhere stands where this does
    bool sums = false;       ///< a request only where none stands inside it: it sums them up
    bool by_name =
        false;            ///< a tool only where an answer of its trace calls one of its name: its tracer knows no kinds
    bool placed = false;  ///< without an id of the provider's, trace and id name a request in all that tells of it
    bool piece = false;   ///< what a log told: its messages continue those before, its times are no span's
    TokenCounts tokens;
    std::uint64_t cost_microusd = 0;
    std::vector<TraceMessage> input;  ///< what the model was sent
    TraceMessage output{Role::assistant, {}};
};

/// Base of readers of traces. Spans are written when they end, so children come before their parents and several traces
/// are interleaved: they are held and told in the order in which they began, one session after the other, when the
/// input ends. Every request repeats the conversation so far, so a message is kept once and told once.
///
/// What is held is bounded: beyond kMostHeld bytes or kMostSpans spans the session that was silent longest is told at
/// once. A span of it that comes later begins the session again.
class TraceReader : public DocumentReader {
public:
    static constexpr std::size_t kMostHeld = 64u << 20;
    static constexpr std::size_t kMostSpans = 50'000;

    void finish(EventSink& sink) override;

protected:
    using DocumentReader::DocumentReader;

    /// Keeps a span of the current record until its session is told. A second one of the same id completes the first.
    void hold(TraceSpan&& span);
    /// The place of what is held next.
    void span_place(const SourceSpan& place) { span_place_ = place; }
    /// The place of a span that stands in the current record with others, and begins at `start` where that is known.
    /// Spans are counted; within a line of a log that line is the place. Call it once for each.
    SourceSpan place_of_part(const char* start);
    /// Nanoseconds of a time in text, with all its digits, or of a number of Unix time; 0 for anything else. Consumes
    /// `v`.
    std::int64_t time_in_ns(json::value& v);

private:
    struct Held {
        TraceSpan span;                    // without its input
        std::vector<std::uint64_t> input;  // messages, as keys of the pool
        std::uint64_t arrival = 0;
        SourceSpan where;
        bool whole_input = false;  // from a span, and no log's
    };
    struct Trace {
        std::string key, conversation;
        std::vector<Held> spans;
        std::unordered_map<std::uint64_t, std::size_t> by_id;
        std::unordered_map<std::uint64_t, TraceMessage> pool;
        std::size_t bytes = 0;
        std::uint64_t first_arrival = 0;
    };
    using Traces = std::list<Trace>;
    struct OpenCall {
        std::string id;
        std::uint64_t name = 0;
    };
    // A tool is done, and what it returned is not in its span: the next request may have it.
    struct Untold {
        const Held* held = nullptr;
        TracePart result;
        ResultStatus status = ResultStatus::unknown;
        std::int64_t duration_ms = -1;
    };
    struct Lane {
        std::vector<std::uint64_t> previous;  // messages of the request before
        std::unordered_set<std::uint64_t> known;
        std::vector<OpenCall> open;
        std::vector<Untold> untold;
        bool asked = false;  // a request was told
        std::uint32_t turn = 0;
    };
    struct Place {
        std::uint32_t lane = 0, parent_lane = 0;
        const TraceSpan* agent = nullptr;
        bool inside_request = false;  // what another layer of the same program recorded once more
    };

    void merge(Held& into, TraceSpan&& span);
    void pool_messages(Trace& trace, Held& held, std::vector<TraceMessage>&& input, bool piece);
    static void settle_sums(Trace& trace);
    static void settle_names(Trace& trace);
    void make_room();
    void belongs_to(Traces::iterator trace, const std::string& conversation);
    Traces take_session_of(Traces::iterator first);
    bool tell_session_of(Traces::iterator first);
    using Order = std::vector<std::pair<const Held*, const Trace*>>;
    static void put_ends_before_what_heard(Order& order);
    static void leave_out_second_tracers(Order& order);
    bool tell(const std::vector<const Held*>& spans, const std::vector<const Trace*>& traces);
    std::string id_of_unnamed(const TracePart& call, const Held& request);
    void open_session(const std::vector<const Held*>& spans, const Trace& trace);
    Place place_of(const Held& held, const Trace& trace, int depth = 0);
    bool is_delegation(const Held& tool, const Held& inside) const;
    Lane& open_lane(const Place& place, const Held& held);

    void tell_request(const Held& held, const Trace& trace, Lane& lane);
    void tell_input(const Held& held, const Trace& trace, Lane& lane);
    void tell_message(const TraceMessage& message, std::uint64_t key, Lane& lane);
    void tell_output(const Held& held, Lane& lane);
    void tell_usage(const TraceSpan& span);
    void tell_tool(const Held& held, Lane& lane);
    void tell_call(const TracePart& part, Lane& lane);
    void tell_result(const TracePart& part, Lane& lane, ResultStatus status, std::int64_t duration_ms);
    void tell_heard(const TracePart& part, Lane& lane);
    void tell_untold(Lane& lane);
    CallArgs digest(const TracePart& part);
    void head_of(const Held& held, const Lane& lane, std::int64_t time_ns);

    static constexpr std::size_t kNearest = 32;  // spans among which one that belongs to another is looked for

    Traces traces_;  // the one that was silent longest first
    std::unordered_map<std::string, Traces::iterator> by_key_;
    std::unordered_map<std::string, std::vector<Traces::iterator>> by_conversation_;
    std::size_t held_bytes_ = 0, held_spans_ = 0;
    std::uint64_t arrivals_ = 0, counted_ = 0;
    bool any_sums_ = false, any_by_name_ = false;
    SourceSpan span_place_;
    std::unordered_set<std::uint64_t> told_messages_;  // of all sessions: what a later one repeats is copied

    // The session being told.
    std::map<std::uint32_t, Lane> lanes_;
    LaneTable lane_table_;
    std::uint32_t lane_ = 0;
    std::unordered_set<std::uint64_t> called_, answered_;  // ids of calls
    std::unordered_set<std::uint64_t> span_calls_;         // of those, the ones that a span told before any message did
    std::unordered_map<std::uint64_t, std::deque<const Held*>> tools_;  // by name, which no answer has named yet
    json::parser own_parser_;
    std::string padded_;
};

}  // namespace agent_audit::readers
