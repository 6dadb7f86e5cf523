#include "readers/inspect/inspect_timeline.hpp"

#include "readers/json/walk.hpp"

#include <algorithm>

namespace agent_audit::readers {

void InspectTimeline::clear() {
    noted_.clear();
    requests_.clear();
    shrinks_.clear();
    start_ms_ = end_ms_ = kNoTime;
}

bool InspectTimeline::collect(json::value& event) {
    Parts e;
    const bool whole = each_field(event, [&e](const char* key, json::value& v) {
        if (key_is(key, "event"))
            e.kind = raw_string(v);
        else if (key_is(key, "id"))
            e.id = raw_string(v);
        else if (key_is(key, "timestamp"))
            e.timestamp = raw_string(v);
        else if (key_is(key, "completed"))
            e.completed = raw_string(v);
        else if (key_is(key, "model"))
            e.request.model = raw_string(v);
        else if (key_is(key, "output"))
            return collect_output(v, e);
        else if (key_is(key, "tokens_before"))
            e.shrink.before = as_uint(v);
        else if (key_is(key, "tokens_after"))
            e.shrink.after = as_uint(v);
        return true;
    });
    if (whole) note(e);
    return whole;
}

bool InspectTimeline::collect_output(json::value& v, Parts& e) {
    return each_field(v, [&e](const char* key, json::value& w) {
        if (key_is(key, "usage")) return collect_usage(w, e.request);
        if (!key_is(key, "choices")) return true;
        return each_element(w, [&e](json::value& choice) {
            return each_field(choice, [&e](const char* k, json::value& message) {
                if (!key_is(k, "message")) return true;
                return each_field(message, [&e](const char* name, json::value& x) {
                    if (key_is(name, "id") && e.message_id.empty()) e.message_id = raw_string(x);
                    return true;
                });
            });
        });
    });
}

// Whether cached tokens are counted in the input depends on the provider; the total tells.
bool InspectTimeline::collect_usage(json::value& v, InspectRequest& request) {
    request.has_usage |= is_object(v);
    std::uint64_t total = 0;
    TokenCounts& t = request.tokens;
    const bool whole = each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "input_tokens"))
            t.input = as_uint(n);
        else if (key_is(key, "output_tokens"))
            t.output = as_uint(n);
        else if (key_is(key, "input_tokens_cache_read"))
            t.cache_read = as_uint(n);
        else if (key_is(key, "input_tokens_cache_write"))
            t.cache_write = as_uint(n);
        else if (key_is(key, "reasoning_tokens"))
            t.reasoning = as_uint(n);
        else if (key_is(key, "total_tokens"))
            total = as_uint(n);
        else if (key_is(key, "total_cost"))
            request.cost_usd = number_or(n, 0);
        return true;
    });
    const std::uint64_t cached = t.cache_read + t.cache_write;
    if (total > 0 && total == t.input + t.output && cached <= t.input) t.input -= cached;
    return whole;
}

void InspectTimeline::note(Parts& e) {
    constexpr std::size_t kMostShrinks = 1000;
    const std::int64_t begin = time_ms(e.timestamp), end = time_ms(e.completed);
    if (begin != kNoTime && (start_ms_ == kNoTime || begin < start_ms_)) start_ms_ = begin;
    if (const std::int64_t last = end == kNoTime ? begin : end; last != kNoTime) end_ms_ = std::max(end_ms_, last);
    if (e.kind == "model") {
        if (requests_.size() == kMost) return;
        e.request.time_ms = end == kNoTime ? begin : end;
        requests_.push_back(e.request);
        note(e.message_id, {begin, end, requests_.size()});
    } else if (e.kind == "tool") {
        note(e.id, {begin, end, 0});
    } else if (e.kind == "compaction" && shrinks_.size() < kMostShrinks) {
        e.shrink.after_request = requests_.size();
        e.shrink.time_ms = begin;
        shrinks_.push_back(e.shrink);
    }
}

void InspectTimeline::note(std::string_view id, const InspectTiming& timing) {
    if (!id.empty() && noted_.size() < kMost) noted_[id_hash(id)] = timing;
}

InspectTiming InspectTimeline::of(std::string_view id) const {
    const auto found = id.empty() ? noted_.end() : noted_.find(id_hash(id));
    return found == noted_.end() ? InspectTiming{} : found->second;
}

}  // namespace agent_audit::readers
