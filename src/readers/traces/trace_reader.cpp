#include "readers/traces/trace_reader.hpp"
#include "readers/json/ids.hpp"

#include <algorithm>
#include <tuple>

namespace agent_audit::readers {
namespace {

constexpr std::size_t kMostRemembered = 200'000;       // hashes of messages and ids; beyond it all are forgotten
constexpr std::size_t kMostOpen = 256;                 // calls of a lane without a result
constexpr std::int64_t kTick = 1'000'000;              // of a clock of milliseconds, in nanoseconds
constexpr std::size_t kNearest = 32;                   // spans among which another tracer's is looked for
constexpr int kDeepest = 64;                           // spans within spans
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

void remember(std::unordered_set<std::uint64_t>& set, std::uint64_t key) {
    if (set.size() >= kMostRemembered) set.clear();
    set.insert(key);
}

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

std::size_t bytes_of(const TraceMessage& message) {
    std::size_t bytes = sizeof message;
    for (const TracePart& p : message.parts) bytes += sizeof p + p.id.size() + p.name.size() + p.text.size();
    return bytes;
}

std::size_t bytes_of(const TraceSpan& s) {
    return sizeof s + s.args.text.size() + s.result.text.size() + s.error.size() + s.conversation.size() +
           s.name.size() + bytes_of(s.output);
}

RawText text_of_part(const TracePart& part) { return {part.text, part.form}; }

std::int64_t ms(std::int64_t ns) { return ns > 0 ? ns / 1'000'000 : kNoTime; }

/// What somebody says, with no result beside it.
bool begins_turn(const TraceMessage& message) {
    return message.role == Role::user &&
           std::ranges::none_of(message.parts, [](const TracePart& p) { return p.kind == TracePart::Kind::result; });
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

// ---- telling --------------------------------------------------------------------------------------------

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

bool TraceReader::tell(const std::vector<const Held*>& spans, const std::vector<const Trace*>& traces) {
    using Kind = TraceSpan::Kind;
    const auto speaks = [](const Held* h) { return h->span.kind == Kind::request || h->span.kind == Kind::tool; };
    if (std::ranges::none_of(spans, speaks)) return false;
    lanes_.clear();
    lane_table_.clear();
    called_.clear();
    answered_.clear();
    span_calls_.clear();
    tools_.clear();
    for (const Held* held : spans) {
        const TraceSpan& s = held->span;
        if (s.kind == Kind::tool && !s.call_id.empty()) tools_[stable_hash(s.name)].push_back(held);
    }
    args_.clear();
    open_session(spans, *traces.front());
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const Held& held = *spans[i];
        if (!speaks(&held)) continue;
        const Place place = place_of(held, *traces[i]);
        if (place.inside_request && held.span.kind == Kind::request) continue;
        args_.clear();
        Lane& lane = open_lane(place, held);
        if (held.span.kind == Kind::request)
            tell_request(held, *traces[i], lane);
        else
            tell_tool(held, lane);
    }
    for (auto& [number, lane] : lanes_) {
        lane_ = number;
        tell_untold(lane);
    }
    return true;
}

void TraceReader::open_session(const std::vector<const Held*>& spans, const Trace& trace) {
    SessionStart start;
    std::string_view agent, service;
    for (const Held* held : spans) {
        const TraceSpan& s = held->span;
        if (start.model.empty() && s.kind == TraceSpan::Kind::request) start.model = text_of(s.model);
        if (start.product_version.empty()) start.product_version = text_of(s.version);
        if (agent.empty() && s.kind == TraceSpan::Kind::agent) agent = s.name;
        if (service.empty()) service = s.service;
    }
    const std::string_view id = trace.conversation.empty() ? trace.key : trace.conversation;
    start.session_id = text_of(id);
    // Sessions of one file mostly have the same agent.
    std::string label(!agent.empty() ? agent : service);
    if (!label.empty() && !id.empty()) label.append(" ").append(id.substr(0, 8));
    start.label = text_of(label);
    set_place(spans.front()->where);
    new_head().time_ms = ms(spans.front()->span.begin_ns);
    emit(start);
}

// A tool that asks a model is an agent, whether its framework calls it so or not; so are the tools that it uses then.
bool TraceReader::is_delegation(const Held& tool, const Held& inside) const {
    if (tool.span.kind != TraceSpan::Kind::tool || tool.span.id.empty()) return false;
    return inside.span.kind == TraceSpan::Kind::request || lane_table_.known(id_hash(tool.span.id)) != 0;
}

// The nearest agent around a span; one that another agent started has a lane of its own.
TraceReader::Place TraceReader::place_of(const Held& held, const Trace& trace, int depth) {
    Place place;
    const Held* at = &held;
    const TraceSpan* outer = nullptr;
    for (; depth < kDeepest && !at->span.parent.empty(); ++depth) {
        if (at->span.parent == at->span.id) break;  // one word stands in place of all ids
        const auto found = trace.by_id.find(stable_hash(at->span.parent));
        if (found == trace.by_id.end()) break;
        at = &trace.spans[found->second];
        if (at == &held) break;
        if (at->span.kind == TraceSpan::Kind::request && !place.agent) place.inside_request = true;
        if (is_delegation(*at, held) && !place.agent) {
            place.inside_request = false;
            place.agent = &at->span;
            place.lane = lane_table_.find(id_hash(at->span.id)).lane;
            // Spans may lie within each other by mistake: what is around them all ends at the same depth.
            place.parent_lane = place_of(*at, trace, depth + 1).lane;
            return place;
        }
        if (at->span.kind != TraceSpan::Kind::agent) continue;
        if (place.agent) {
            outer = &at->span;
            break;
        }
        place.agent = &at->span;
    }
    if (!outer) {
        place.agent = nullptr;
        return place;
    }
    place.lane = lane_table_.find(id_hash(place.agent->id)).lane;
    place.parent_lane = lane_table_.known(id_hash(outer->id));
    return place;
}

TraceReader::Lane& TraceReader::open_lane(const Place& place, const Held& held) {
    lane_ = place.lane;
    const auto [found, opened] = lanes_.try_emplace(place.lane);
    if (opened && place.lane != 0) {
        head_of(held, found->second, held.span.begin_ns);
        LaneOpen open;
        open.parent_lane = place.parent_lane;
        open.purpose = LanePurpose::task;
        if (place.agent) {
            open.agent_id = text_of(place.agent->id);
            open.agent_type = text_of(place.agent->name);
        }
        emit(open);
    }
    return found->second;
}

void TraceReader::head_of(const Held& held, const Lane& lane, std::int64_t time_ns) {
    set_place(held.where);
    EventHeader& h = new_head(lane_, lane.turn);
    h.time_ms = ms(time_ns);
    h.record_id = held.span.id;
}

void TraceReader::tell_request(const Held& held, const Trace& trace, Lane& lane) {
    head_of(held, lane, held.span.begin_ns);
    tell_input(held, trace, lane);
    tell_untold(lane);
    head_of(held, lane, held.span.end_ns > 0 ? held.span.end_ns : held.span.begin_ns);
    tell_output(held, lane);
    lane.asked = true;
}

// Only what the request before did not have is new. Where the history was rewritten, only what was never heard is.
void TraceReader::tell_input(const Held& held, const Trace& trace, Lane& lane) {
    if (held.input.empty()) return;
    const auto mismatch = std::ranges::mismatch(lane.previous, held.input);
    const bool continues = mismatch.in1 == lane.previous.end();
    for (auto at = mismatch.in2; at != held.input.end(); ++at) {
        if (!continues && lane.known.contains(*at)) continue;
        const auto message = trace.pool.find(*at);
        if (message == trace.pool.end()) continue;
        if (begins_turn(message->second) && !lane.untold.empty()) {
            tell_untold(lane);
            head_of(held, lane, held.span.begin_ns);
        }
        // What the model said was told when it said it.
        if (message->second.role != Role::assistant || !lane.asked) tell_message(message->second, *at, lane);
    }
    for (const std::uint64_t key : held.input) remember(lane.known, key);
    lane.previous = held.input;
}

void TraceReader::tell_message(const TraceMessage& message, std::uint64_t key, Lane& lane) {
    using Kind = TracePart::Kind;
    const bool copied = told_messages_.contains(key) && !lane.asked && message.role != Role::system;
    remember(told_messages_, key);
    RawText text;
    std::string joined;
    std::uint32_t texts = 0, media = 0;
    bool unheard = false;
    for (const TracePart& part : message.parts) {
        media += part.kind == Kind::media;
        unheard |= part.kind == Kind::text && part.untold;
        if (part.kind != Kind::text || part.text.empty()) continue;
        if (++texts == 1) text = text_of_part(part);
        if (texts > 1) {
            if (texts == 2) joined.assign(text.bytes);
            joined += "\\n";
            joined += part.text;
            text = text_of(joined);
        }
    }
    if (copied) head().flags |= kCopied;
    if (message.role == Role::user && (!text.empty() || media > 0 || unheard)) {
        const bool human = lane_ == 0;
        if (human) {
            head().turn = ++lane.turn;
            emit(TurnStart{});
        }
        emit(Message{Role::user, human ? Origin::human : Origin::agent, text, media});
    } else if (message.role == Role::assistant) {
        head().response = mix_hash(key, 1) | 1;
        if (!text.empty()) emit(Message{Role::assistant, Origin::agent, text, media});
        for (const TracePart& part : message.parts) {
            const bool told = !part.id.empty() && span_calls_.contains(stable_hash(part.id));
            if (part.kind == Kind::call && !told) tell_call(part, lane);
        }
        head().response = 0;
    } else if (message.role == Role::system && !text.empty()) {
        emit(Message{Role::system, Origin::injected, text, media});
    }
    for (const TracePart& part : message.parts) {
        if (part.kind == Kind::result) tell_heard(part, lane);
    }
    head().flags = 0;
}

void TraceReader::tell_output(const Held& held, Lane& lane) {
    using Kind = TracePart::Kind;
    const TraceSpan& span = held.span;
    const std::string& name = !span.response_id.empty() ? span.response_id : span.id;
    head().response = is_stand_in(name) ? held.arrival << 1 | 1 : id_hash(name);
    for (const TracePart& part : span.output.parts) {
        if (part.kind == Kind::reasoning && !part.text.empty()) emit(Thinking{text_of_part(part), 0});
        if (part.kind == Kind::text && !part.text.empty())
            emit(Message{Role::assistant, Origin::agent, text_of_part(part), 0});
    }
    for (const TracePart& part : span.output.parts) {
        if (part.kind != Kind::call) continue;
        const std::string id = part.id.empty() ? id_of_unnamed(part, held) : std::string{};
        if (id.empty()) {
            tell_call(part, lane);
            continue;
        }
        TracePart named = part;
        named.id = id;
        tell_call(named, lane);
    }
    if (!span.output.parts.empty()) {
        const std::uint64_t key = key_of(span.output);
        remember(lane.known, key);
        remember(told_messages_, key);
    }
    tell_usage(span);
    if (span.failed) {
        const std::string_view code = span.error_code.empty() ? "request-failed" : std::string_view(span.error_code);
        emit(notice_of(NoticeLayer::provider, NoticeLevel::error, code, text_of(span.error)));
    }
}

void TraceReader::tell_usage(const TraceSpan& span) {
    if (span.tokens.total() == 0 && span.cost_microusd == 0) return;
    Usage usage;
    usage.tokens = span.tokens;
    usage.model = text_of(span.model);
    if (span.cost_microusd > 0) usage.cost_microusd = span.cost_microusd;
    // Providers' ids are long and unique; two tracers of one program tell of the same response.
    if (is_unique_id(span.response_id))
        usage.message_key = id_hash(span.response_id);
    else if (span.placed && !span.id.empty())
        usage.message_key = id_hash(span.trace + '/' + span.id);
    emit(usage);
}

void TraceReader::tell_call(const TracePart& part, Lane& lane) {
    if (part.name.empty()) return;
    CallArgs args = digest(part);
    args.digest.opaque |= part.untold;
    emit(call_of(part.id, part.name, args));
    remember(called_, stable_hash(part.id));
    answered_.erase(stable_hash(part.id));  // scripted agents use one id again and again
    if (lane.open.size() < kMostOpen) lane.open.push_back({part.id, stable_hash(part.name)});
}

// Google's ADK gives a call its id when the model has answered, and some tracers leave it out: the span of the tool has
// it, and the same arguments.
std::string TraceReader::id_of_unnamed(const TracePart& call, const Held& request) {
    const auto named = tools_.find(stable_hash(call.name));
    if (named == tools_.end()) return {};
    const std::uint64_t args = digest(call).digest.canonical;
    // Requests are told in the order in which they began: what began before this one is nobody's any more.
    auto& tools = named->second;
    while (!tools.empty() && tools.front()->span.begin_ns < request.span.begin_ns) tools.pop_front();
    const auto near = tools.begin() + static_cast<std::ptrdiff_t>(std::min(tools.size(), kNearest));
    const auto find = [&](auto&& fits) {
        const auto tool = std::find_if(tools.begin(), near, [&](const Held* held) {
            return held->span.begin_ns >= request.span.begin_ns && fits(held->span.args);
        });
        return tool == near ? tools.end() : tool;
    };
    auto tool = find([&](const TracePart& given) { return digest(given).digest.canonical == args; });
    // Some write down the only argument without its name: little stands around it.
    constexpr std::size_t kMostAround = 200;  // bytes
    if (tool == tools.end())
        tool = find([&](const TracePart& given) {
            const std::size_t around = call.text.size() - std::min(call.text.size(), given.text.size());
            return !given.text.empty() && around <= kMostAround && call.text.find(given.text) != call.text.npos;
        });
    if (tool == tools.end()) tool = find([](const TracePart&) { return true; });
    if (tool == tools.end()) return {};
    const std::string id = (*tool)->span.call_id;
    tools.erase(tool);
    return id;
}

void TraceReader::tell_result(const TracePart& part, Lane& lane, ResultStatus status, std::int64_t duration_ms) {
    if (part.id.empty() ? lane.open.empty() : answered_.contains(stable_hash(part.id))) return;
    ToolResult result;
    result.opaque = part.untold;
    result.call_id = text_of(part.id);
    result.name = text_of(part.name);
    result.text = text_of_part(part);
    result.status = status;
    result.duration_ms = duration_ms;
    emit(result);
    if (part.id.empty()) {
        lane.open.erase(lane.open.begin());
        return;
    }
    remember(answered_, stable_hash(part.id));
    std::erase_if(lane.open, [&part](const OpenCall& call) { return call.id == part.id; });
}

// What a request has of a result whose tool's span told how it ended, and nothing else.
void TraceReader::tell_heard(const TracePart& part, Lane& lane) {
    const auto known = std::ranges::find_if(
        lane.untold, [&part](const Untold& u) { return !part.id.empty() && u.result.id == part.id; });
    if (known == lane.untold.end())
        return tell_result(part, lane, part.failed ? ResultStatus::error : ResultStatus::unknown, -1);
    const Untold untold = std::move(*known);
    lane.untold.erase(known);
    tell_result(part, lane, part.failed ? ResultStatus::error : untold.status, untold.duration_ms);
}

// What no request had.
void TraceReader::tell_untold(Lane& lane) {
    for (const Untold& untold : std::exchange(lane.untold, {})) {
        head_of(*untold.held, lane, untold.held->span.end_ns);
        tell_result(untold.result, lane, untold.status, untold.duration_ms);
    }
}

// A tool span is a call and its result. Mostly the model's answer had the call already; tracers that give no id mean
// the first open call of that name.
void TraceReader::tell_tool(const Held& held, Lane& lane) {
    const TraceSpan& span = held.span;
    std::string id = span.call_id;
    if (id.empty()) {
        // Some know the class of the tool alone.
        const auto open = span.name.empty() ? lane.open.begin()
                                            : std::ranges::find(lane.open, stable_hash(span.name), &OpenCall::name);
        id = open != lane.open.end() ? open->id : span.id;
    }
    // Google's ADK gives a call its id when the model has answered, so that the answer has it without.
    const bool unnamed = (id.empty() || !called_.contains(stable_hash(id))) &&
                         std::ranges::any_of(lane.open, [&span](const OpenCall& call) {
                             return call.id.empty() && call.name == stable_hash(span.name);
                         });
    if (unnamed) id.clear();
    if (std::ranges::any_of(lane.untold, [&id](const Untold& u) { return u.result.id == id; })) tell_untold(lane);
    if (!id.empty() && answered_.contains(stable_hash(id))) {
        // Constant ids of scripted agents: a new call, unless the messages told of this one before.
        if (!span.call_id.empty() && called_.contains(stable_hash(id))) return;
        id = span.id;
    }
    const bool answer_had_it = unnamed || (!id.empty() && called_.contains(stable_hash(id)));
    if (!answer_had_it) {
        if (span.name.empty()) return;
        head_of(held, lane, span.begin_ns);
        TracePart call = span.args;
        call.id = id;
        call.name = span.name;
        call.untold = !span.has_args;
        tell_call(call, lane);
        remember(span_calls_, stable_hash(id));
    }
    head_of(held, lane, span.end_ns > 0 ? span.end_ns : span.begin_ns);
    TracePart result = span.result;
    result.id = id;
    result.name = span.name;
    if (result.text.empty() && !span.error.empty()) {
        result.text = span.error;
        result.form = TextForm::json_string;
    }
    result.untold = !span.has_result && result.text.empty();
    const bool timed = span.begin_ns > 0 && span.end_ns >= span.begin_ns;
    const ResultStatus status = span.failed ? ResultStatus::error
                                : span.open ? ResultStatus::unknown
                                            : ResultStatus::ok;
    const std::int64_t duration_ms = timed ? (span.end_ns - span.begin_ns) / 1'000'000 : -1;
    if (result.untold && answer_had_it && lane.untold.size() < kMostOpen)
        lane.untold.push_back({&held, std::move(result), status, duration_ms});
    else
        tell_result(result, lane, status, duration_ms);
}

CallArgs TraceReader::digest(const TracePart& part) {
    if (part.text.empty()) return {};
    if (part.form != TextForm::json_value) return args_.digest_string({}, part.text);
    padded_.assign(part.text);
    padded_.resize(part.text.size() + simdjson::SIMDJSON_PADDING);
    json::document doc;
    json::value value;
    if (own_parser_.iterate(padded_.data(), part.text.size(), padded_.size()).get(doc) || doc.get_value().get(value))
        return args_.digest_text({}, text_of(part.text));
    return args_.digest_value({}, value);
}

}  // namespace agent_audit::readers
