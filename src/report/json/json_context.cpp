#include "report/json/json_parts.hpp"

namespace agent_audit::report {

// Only what is known: a lane without a window has no share of it.
void JsonParts::context(const ContextReport& context) {
    if (context.lanes.empty() && context.dearest.empty()) return;
    json_.key("context").begin_object();
    json_.key("lanes").begin_array();
    for (const LaneContext& lane : context.lanes) {
        json_.begin_object();
        lane_context(lane);
        json_.end_object();
    }
    json_.end_array();
    if (!context.dearest.empty()) {
        json_.key("dearest_requests").begin_array();
        for (const DearRequest& request : context.dearest) {
            json_.begin_object();
            json_.number("lane", request.lane);
            json_.known_number("line", request.line);
            json_.number("prompt", request.tokens.prompt());
            json_.number("output", request.tokens.output);
            json_.number("micro_dollars", request.cost.micro_dollars());
            json_.end_object();
        }
        json_.end_array();
    }
    json_.end_object();
}

void JsonParts::lane_context(const LaneContext& lane) {
    json_.number("lane", lane.lane);
    json_.number("requests", lane.requests);
    json_.known_number("window", lane.window);
    json_.number("first", lane.first);
    json_.number("last", lane.last);
    json_.number("peak", lane.peak);
    json_.known_number("peak_line", lane.peak_line);
    json_.number("grown", lane.grown);
    json_.key("parts").begin_object();
    for (std::size_t i = 0; i < kContextParts; ++i)
        json_.known_number(name(static_cast<ContextPart>(i)), lane.parts[i]);
    json_.end_object();
    if (lane.shrank_untold) json_.flag("shrank_untold", true);
    context_users("tools", "tool", lane.tools);
    context_users("files", "file", lane.files);
    json_.known_number("rereads", lane.rereads);
    json_.known_number("reread_tokens", lane.reread_tokens);
    json_.known_number("compactions", lane.compactions);
    json_.known_number("freed", lane.freed);
    json_.number("prompt", lane.prompt);
    json_.number("cache_read", lane.cache_read);
    cache_misses(lane);
    json_.key("course").begin_array();
    for (const std::uint64_t tokens : lane.course) json_.number(tokens);
    json_.end_array();
}

void JsonParts::context_users(std::string_view list, std::string_view field, const std::vector<ContextUser>& users) {
    if (users.empty()) return;
    json_.key(list).begin_array();
    for (const ContextUser& user : users) {
        json_.begin_object();
        json_.text(field, redact_.shown_text(user.name));
        json_.number("tokens", user.tokens);
        json_.number("results", user.results);
        json_.end_object();
    }
    json_.end_array();
}

void JsonParts::cache_misses(const LaneContext& lane) {
    bool any = false;
    for (std::size_t i = 1; i < kCacheMisses; ++i) any |= lane.misses[i] > 0;
    if (!any) return;
    json_.key("cache_misses").begin_array();
    for (std::size_t i = 1; i < kCacheMisses; ++i) {
        if (lane.misses[i] == 0) continue;
        json_.begin_object();
        json_.text("reason", name(static_cast<CacheMiss>(i)));
        json_.number("requests", lane.misses[i]);
        json_.number("tokens", lane.missed_tokens[i]);
        json_.end_object();
    }
    json_.end_array();
}

}  // namespace agent_audit::report
