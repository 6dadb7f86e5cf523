#include "readers/json/ids.hpp"
#include "readers/traces/trace_reader.hpp"

#include <algorithm>
#include <utility>

// The second half of TraceReader: a session whose spans stand in order becomes events.

namespace agent_audit::readers {
namespace {

constexpr std::size_t kMostRemembered = 200'000;  // hashes of messages and ids; beyond it all are forgotten
constexpr std::size_t kMostOpen = 256;            // calls of a lane without a result
constexpr int kDeepest = 64;                      // spans within spans

void remember(std::unordered_set<std::uint64_t>& set, std::uint64_t key) {
    if (set.size() >= kMostRemembered) set.clear();
    set.insert(key);
}

RawText text_of_part(const TracePart& part) { return {part.text, part.form}; }

std::int64_t ms(std::int64_t ns) { return ns > 0 ? ns / 1'000'000 : kNoTime; }

/// What somebody says, with no result beside it.
bool begins_turn(const TraceMessage& message) {
    return message.role == Role::user &&
           std::ranges::none_of(message.parts, [](const TracePart& p) { return p.kind == TracePart::Kind::result; });
}

}  // namespace

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
