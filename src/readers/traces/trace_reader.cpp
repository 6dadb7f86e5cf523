#include "readers/traces/trace_reader.hpp"
#include "readers/json/ids.hpp"

#include <algorithm>
#include <tuple>

namespace agent_audit::readers {
namespace {

constexpr std::int64_t kTick = 1'000'000;              // of a clock of milliseconds, in nanoseconds
constexpr std::int64_t kLatestMs = 9'000'000'000'000;  // its nanoseconds fit into 64 bits

/// 2024-10-11T20:58:24.544431+00:00 with all its digits: runs of one agent begin within one millisecond.
std::int64_t nanoseconds_of(std::string_view time, std::int64_t ms) {
    std::int64_t fraction = 0, unit = 100'000'000;
    const auto dot = time.find('.');
    for (std::size_t i = dot; dot != time.npos && ++i < time.size() && time[i] >= '0' && time[i] <= '9' && unit > 0;
         unit /= 10)
        fraction += (time[i] - '0') * unit;
    return ms / 1000 * 1'000'000'000 + (dot == time.npos ? ms % 1000 * 1'000'000 : fraction);
}

std::size_t bytes_of(const TraceMessage& message) {
    std::size_t bytes = sizeof message;
    for (const TracePart& p : message.parts) bytes += sizeof p + p.id.size() + p.name.size() + p.text.size();
    return bytes;
}

std::size_t bytes_of(const TraceSpan& s) {
    return sizeof s + s.args.text.size() + s.result.text.size() + s.error.size() + s.conversation.size() +
           s.name.size() + bytes_of(s.output);
}

void take(std::string& into, std::string& from) {
    if (!from.empty()) into = std::move(from);
}

// Whether a record tells more of a span with the same id. What is published may have one word in place of all ids.
bool is_of(const TraceSpan& held, const TraceSpan& more) {
    if (!is_stand_in(more.id)) return true;
    const bool begins = held.begin_ns != 0 && more.begin_ns != 0 && held.begin_ns != more.begin_ns;
    return !begins && (held.name.empty() || more.name.empty() || held.name == more.name);
}

}  // namespace

std::uint64_t key_of(const TraceMessage& message) {
    std::uint64_t h = static_cast<std::uint64_t>(message.role) + 1;
    for (const TracePart& part : message.parts) {
        if (part.kind == TracePart::Kind::reasoning) continue;  // seldom sent back
        h = mix_hash(h, static_cast<std::uint64_t>(part.kind));
        h = mix_hash(h, mix_hash(stable_hash(part.id), stable_hash(part.name)));
        h = mix_hash(h, stable_hash(part.text));
    }
    return h;
}

std::int64_t TraceReader::time_in_ns(json::value& v) {
    const bool text = is_string(v);
    const std::string_view words = text ? raw_string(v) : std::string_view{};
    const std::int64_t at = text ? time_of(words) : unix_time(v);
    if (at == kNoTime || at <= 0 || at > kLatestMs) return 0;
    return text ? nanoseconds_of(words, at) : at * 1'000'000;
}

SourceSpan TraceReader::place_of_part(const char* start) {
    SourceSpan where = place();
    if (!record().counted) return where;
    where.line = ++counted_;
    if (start) {
        where.offset = record().where.offset + offset_of(start);
        where.length = 0;
    }
    return where;
}

// ---- holding --------------------------------------------------------------------------------------------

void TraceReader::hold(TraceSpan&& span) {
    auto found = by_key_.find(span.trace);
    if (found == by_key_.end()) {
        traces_.emplace_back().key = span.trace;
        found = by_key_.emplace(span.trace, std::prev(traces_.end())).first;
        found->second->first_arrival = arrivals_ + 1;
    }
    ++arrivals_;
    traces_.splice(traces_.end(), traces_, found->second);
    Trace& trace = *found->second;
    const std::size_t before = trace.bytes;
    if (trace.conversation.empty() && !span.conversation.empty()) belongs_to(found->second, span.conversation);

    std::vector<TraceMessage> input = std::move(span.input);
    span.input.clear();
    const bool piece = span.piece;
    any_sums_ |= span.sums;
    any_by_name_ |= span.by_name;
    const auto known = span.id.empty() ? trace.by_id.end() : trace.by_id.find(stable_hash(span.id));
    if (known != trace.by_id.end() && is_of(trace.spans[known->second].span, span)) {
        Held& held = trace.spans[known->second];
        merge(held, std::move(span));
        pool_messages(trace, held, std::move(input), piece);
        trace.bytes += bytes_of(held.span) / 2;  // what it brought; an estimate serves
    } else {
        if (!span.id.empty()) trace.by_id.emplace(stable_hash(span.id), trace.spans.size());
        Held& held = trace.spans.emplace_back();
        held.span = std::move(span);
        held.arrival = arrivals_;
        held.where = span_place_;
        pool_messages(trace, held, std::move(input), piece);
        trace.bytes += sizeof held + bytes_of(held.span);
        ++held_spans_;
    }
    held_bytes_ += trace.bytes - before;
    if (held_bytes_ > kMostHeld || held_spans_ > kMostSpans) make_room();
}

void TraceReader::belongs_to(Traces::iterator trace, const std::string& conversation) {
    trace->conversation = conversation;
    by_conversation_[conversation].push_back(trace);
}

void TraceReader::merge(Held& into, TraceSpan&& span) {
    TraceSpan& old = into.span;
    if (old.kind == TraceSpan::Kind::other) old.kind = span.kind;
    for (const auto field :
         {&TraceSpan::parent, &TraceSpan::conversation, &TraceSpan::name, &TraceSpan::model, &TraceSpan::response_id,
          &TraceSpan::call_id, &TraceSpan::service, &TraceSpan::version, &TraceSpan::error_code, &TraceSpan::error})
        take(old.*field, span.*field);
    if (span.has_args) old.args = std::move(span.args);
    if (span.has_result) old.result = std::move(span.result);
    old.has_args |= span.has_args;
    old.has_result |= span.has_result;
    old.failed |= span.failed;
    old.open &= span.open;
    if (span.begin_ns > 0 && (!span.piece || old.begin_ns == 0)) old.begin_ns = span.begin_ns;
    if (span.end_ns > 0 && (!span.piece || old.end_ns < span.end_ns)) old.end_ns = span.end_ns;
    old.piece &= span.piece;
    old.sums |= span.sums;
    old.by_name |= span.by_name;
    old.placed |= span.placed;
    if (span.tokens.total() > 0) old.tokens = span.tokens;
    if (span.cost_microusd > 0) old.cost_microusd = span.cost_microusd;
    if (!span.output.parts.empty()) old.output = std::move(span.output);
    if (span.completes) into.where = span_place_;
}

/// Keeps what is new of the messages, and of the others their keys.
void TraceReader::pool_messages(Trace& trace, Held& held, std::vector<TraceMessage>&& input, bool piece) {
    if (input.empty() || (piece && held.whole_input)) return;
    if (!piece) held.input.clear();
    held.whole_input = !piece;
    for (TraceMessage& message : input) {
        const std::uint64_t key = key_of(message);
        held.input.push_back(key);
        const std::size_t bytes = bytes_of(message);
        if (trace.pool.emplace(key, std::move(message)).second) trace.bytes += bytes;
    }
    trace.bytes += input.size() * sizeof(std::uint64_t);
}

void TraceReader::make_room() {
    while (!traces_.empty() && (held_bytes_ > kMostHeld * 3 / 4 || held_spans_ > kMostSpans * 3 / 4)) {
        if (!tell_session_of(traces_.begin())) continue;
        new_head();
        emit(notice_of(
            NoticeLayer::reader, NoticeLevel::warning, "trace-window",
            plain("more spans than are held at a time: those of this session that come later are told on their own")));
    }
    set_place(record().where);
    new_head();
}

void TraceReader::finish(EventSink& sink) {
    set_sink(sink);
    while (!traces_.empty()) {
        // The session that began first comes first; where no times are recorded, the one that came first.
        const auto begin = [](const Trace& t) {
            std::int64_t first = 0;
            for (const Held& h : t.spans) {
                if (h.span.begin_ns > 0 && (first == 0 || h.span.begin_ns < first)) first = h.span.begin_ns;
            }
            return first;
        };
        std::vector<std::tuple<std::int64_t, std::uint64_t, std::string>> order;
        order.reserve(traces_.size());
        for (const Trace& t : traces_) order.emplace_back(begin(t), t.first_arrival, t.key);
        std::ranges::sort(order);
        for (const auto& [time, arrival, key] : order) {
            const auto found = by_key_.find(key);
            if (found != by_key_.end()) tell_session_of(found->second);
        }
    }
}

// ---- sessions in the order in which they began ---------------------------------------------------------------

// Takes a trace and all others of its conversation out of what is held.
TraceReader::Traces TraceReader::take_session_of(Traces::iterator first) {
    std::vector<Traces::iterator> members{first};
    if (const auto group = by_conversation_.find(first->conversation); group != by_conversation_.end()) {
        members = std::move(group->second);
        by_conversation_.erase(group);
    }
    Traces session;
    for (const Traces::iterator trace : members) {
        by_key_.erase(trace->key);
        held_bytes_ -= trace->bytes;
        held_spans_ -= trace->spans.size();
        session.splice(session.end(), traces_, trace);
    }
    return session;
}

bool TraceReader::tell_session_of(Traces::iterator first) {
    Traces session = take_session_of(first);
    if (any_sums_) std::ranges::for_each(session, settle_sums);
    if (any_by_name_) std::ranges::for_each(session, settle_names);
    std::vector<const Held*> spans;
    std::vector<const Trace*> traces;
    Order order;
    for (const Trace& trace : session) {
        for (const Held& held : trace.spans) order.emplace_back(&held, &trace);
    }
    // A tool tells something when it is done: what it started comes before, the request that hears of it behind. Where
    // no times are recorded, all comes as it came.
    std::ranges::sort(order, {}, [](const auto& o) {
        const TraceSpan& s = o.first->span;
        const bool tool = s.kind == TraceSpan::Kind::tool;
        const std::int64_t at = tool && s.end_ns > 0 ? s.end_ns : s.begin_ns;
        return std::tuple(at, at > 0 && !tool, o.first->arrival);
    });
    put_ends_before_what_heard(order);
    leave_out_second_tracers(order);
    for (const auto& [held, trace] : order) {
        spans.push_back(held);
        traces.push_back(trace);
    }
    return tell(spans, traces);
}

// Some clocks tell when a span began in whole milliseconds and when it ended in finer units: a request then seems to
// begin before the tool was done whose result it sends. It is the one that went on when the tool had ended, and did not
// start it.
void TraceReader::put_ends_before_what_heard(Order& order) {
    using Kind = TraceSpan::Kind;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const TraceSpan& request = order[i].first->span;
        if (request.kind != Kind::request || request.begin_ns <= 0 || request.begin_ns % kTick != 0) continue;
        const std::int64_t end_of_tick = request.begin_ns + kTick;
        for (std::size_t k = i + 1; k < order.size() && k <= i + kNearest; ++k) {
            const TraceSpan& tool = order[k].first->span;
            const bool is_tool = tool.kind == Kind::tool && tool.end_ns > 0;
            if ((is_tool ? tool.end_ns : tool.begin_ns) >= end_of_tick) break;
            if (!is_tool || tool.parent == request.id || request.end_ns <= tool.end_ns) continue;
            const auto at = [&order](std::size_t n) { return order.begin() + static_cast<std::ptrdiff_t>(n); };
            std::rotate(at(i), at(k), at(k + 1));
            ++i;
        }
    }
}

// A framework and the client of the provider below it may be traced by a library each, which know nothing of each
// other: of two requests at the same time with the same bill the one that says more counts.
void TraceReader::leave_out_second_tracers(Order& order) {
    using Kind = TraceSpan::Kind;
    const auto is_twin = [](const TraceSpan& a, const TraceSpan& b) {
        return b.kind == Kind::request && b.scope != 0 && a.scope != b.scope && a.parent == b.parent &&
               a.tokens == b.tokens;
    };
    const auto says = [](const TraceSpan& s) { return std::pair(!s.response_id.empty(), s.output.parts.size()); };
    std::unordered_set<const Held*> gone;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const TraceSpan& one = order[i].first->span;
        if (one.kind != Kind::request || one.scope == 0 || one.tokens.total() == 0) continue;
        for (std::size_t k = i + 1; k < order.size() && k <= i + kNearest && !gone.contains(order[i].first); ++k) {
            const TraceSpan& other = order[k].first->span;
            if (other.begin_ns >= one.end_ns) break;
            if (is_twin(one, other)) gone.insert(order[says(one) < says(other) ? i : k].first);
        }
    }
    std::erase_if(order, [&gone](const auto& entry) { return gone.contains(entry.first); });
}

}  // namespace agent_audit::readers
