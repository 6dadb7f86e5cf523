#include <agent_audit/support/hash.hpp>
#include <agent_audit/tokens/calibration.hpp>
#include <agent_audit/tokens/estimate.hpp>

#include <algorithm>

namespace agent_audit {
namespace {

constexpr std::size_t kMaxLanes = 1000;
constexpr std::uint16_t kNotSent = kPartial | kHidden | kStale;

}  // namespace

RequestFeatures::Lane& RequestFeatures::lane(std::uint32_t id) {
    const auto at = std::ranges::find(lanes_, id, &Lane::id);
    if (at != lanes_.end()) return *at;
    if (lanes_.size() == kMaxLanes) return lanes_.back();
    Lane& fresh = lanes_.emplace_back();
    fresh.id = id;
    return fresh;
}

void RequestFeatures::close(Lane& lane) {
    if (lane.open.prompt > 0) lane.requests.push_back(lane.open);
    lane.open.prompt = 0;
}

// The model begins to answer: everything before was its prompt.
void RequestFeatures::begin_response(Lane& lane, const Event& event) {
    const bool same = lane.response != 0 ? event.head.response == lane.response : lane.answering;
    const bool unknown = event.head.response == 0 && lane.answering;
    lane.answering = true;
    if (same || unknown) return;
    close(lane);
    lane.response = event.head.response;
    lane.open = {vector_of(lane.sent), static_cast<double>(lane.sent.chars), 0, event.head.where.line, lane.restart};
    lane.restart = false;
    ++lane.unbilled;
}

void RequestFeatures::on_usage(Lane& lane, const Event& event, const Usage& usage) {
    std::uint64_t prompt = usage.tokens.prompt();
    if (usage.mode == UsageMode::cumulative) {
        const bool reset = usage.tokens.total() < cumulative_.total();
        prompt = reset ? prompt : minus(usage.tokens, cumulative_).prompt();
        cumulative_ = usage.tokens;
        // Several responses in one difference: no single prompt can be told, unless the size of the context is.
        if (prompt > 0 && usage.context_tokens) {
            prompt = *usage.context_tokens;
        } else if (lane.unbilled > 1) {
            prompt = 0;
        }
    } else if (usage.scope != UsageScope::request) {
        return;
    }
    const bool of_open =
        lane.unbilled > 0 || lane.answering || (lane.response != 0 && event.head.response == lane.response);
    if ((event.head.flags & (kCopied | kStale)) != 0) prompt = 0;
    if (prompt > 0 && !of_open) begin_response(lane, event);
    lane.unbilled = 0;
    if (prompt == 0) return;
    if (!usage.model.empty()) {
        const std::uint64_t model = stable_hash(usage.model.bytes);
        lane.open.restart = lane.open.restart || (lane.model != 0 && lane.model != model);
        lane.model = model;
    }
    lane.open.prompt = std::max(lane.open.prompt, prompt);
}

void RequestFeatures::on_event(const Event& event) {
    if (const auto* compaction = std::get_if<Compaction>(&event.body)) {
        Lane& l = lane(event.head.lane);
        if (compaction->phase != CompactionPhase::end) return;
        l.restart = true;
        l.sent.add(compaction->summary);
        return;
    }
    if (std::holds_alternative<Rewind>(event.body)) {
        lane(event.head.lane).restart = true;
        return;
    }
    if (const auto* usage = std::get_if<Usage>(&event.body)) return on_usage(lane(event.head.lane), event, *usage);
    if ((event.head.flags & kNotSent) != 0) return;
    if (const auto* message = std::get_if<Message>(&event.body)) {
        Lane& l = lane(event.head.lane);
        if (message->role == Role::assistant) {
            begin_response(l, event);
        } else {
            l.answering = false;
        }
        l.sent.add(message->text);
        l.sent.count(Feature::messages);
        l.sent.count(Feature::images, message->media_count);
    } else if (const auto* thinking = std::get_if<Thinking>(&event.body)) {
        Lane& l = lane(event.head.lane);
        begin_response(l, event);
        l.sent.count(Feature::reasoning, estimate_tokens(thinking->text) + thinking->opaque_bytes / 4);
    } else if (const auto* call = std::get_if<ToolCall>(&event.body)) {
        Lane& l = lane(event.head.lane);
        if (call->caller == Caller::model) begin_response(l, event);
        l.sent.add(call->args);
        l.sent.count(Feature::calls);
    } else if (const auto* result = std::get_if<ToolResult>(&event.body)) {
        Lane& l = lane(event.head.lane);
        l.answering = false;
        l.sent.add(result->text);
        l.sent.count(Feature::images, result->media_count);
    }
}

std::vector<RequestFeatures::Request> RequestFeatures::finish() {
    std::vector<Request> longest;
    for (Lane& l : lanes_) {
        close(l);
        if (l.requests.size() > longest.size()) longest = std::move(l.requests);
    }
    *this = RequestFeatures{};
    return longest;
}

}  // namespace agent_audit
