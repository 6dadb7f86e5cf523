#include "profiles/rule.hpp"

#include <agent_audit/profiles/profile.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

namespace agent_audit {

using namespace profiles;

namespace {

// Limits, as in the engine: real sessions have a few calls open at once and a few dozen sub-agents.
constexpr std::size_t kMaxOpenCalls = 1024;
constexpr std::size_t kMaxLanes = 256;
constexpr std::size_t kMaxHousekeeping = 4096;
constexpr std::size_t kMaxAction = 64;  // bytes of the argument "action"

IdHash id_of(RawText raw) { return raw.empty() ? 0 : (stable_hash(raw.bytes) | 1); }

struct OpenCall {
    IdHash id = 0;
    PeerCall call;
};

struct Lane {
    std::vector<std::unique_ptr<PeerRule>> rules;
    std::deque<OpenCall> open;
    IdHash response_id = 0;
    std::uint64_t response = 0;
    bool spoke = false;
    bool results_seen = false;
    Spot last;
    bool housekeeping = false;
};

bool unheard(const Event& event) { return (event.head.flags & (kCopied | kPartial)) != 0; }

}  // namespace

struct PeerWatch::Impl {
    std::vector<const ProfileSpec*> profiles;
    std::map<std::uint32_t, Lane> lanes;
    simdjson::dom::parser parser;
    std::vector<std::uint32_t> housekeeping;

    template <class Tell>
    static void tell(Lane& lane, const Tell& tell_one) {
        for (const auto& rule : lane.rules) {
            if (!rule->stopped()) tell_one(*rule);  // its session ended there
        }
    }

    // Lanes beyond the limit are not watched: their sessions are hostile or one agent is no longer the subject.
    Lane* lane(std::uint32_t number) {
        if (const auto known = lanes.find(number); known != lanes.end()) return &known->second;
        if (lanes.size() >= kMaxLanes) return nullptr;
        Lane& made = lanes[number];
        made.housekeeping = std::ranges::find(housekeeping, number) != housekeeping.end();
        if (made.housekeeping) return &made;
        for (const ProfileSpec* profile : profiles) made.rules.push_back(profile->make());
        return &made;
    }

    static Spot spot(Lane& lane, const Event& event) {
        return lane.last = {event.head.where.line, event.head.seq, lane.last.step};
    }

    // The same boundaries as the engine draws: another response id, or speech after results where there are no ids.
    static void speak(Lane& lane, const EventHeader& head) {
        const bool other_id = head.response != 0 && lane.response_id != 0 && head.response != lane.response_id;
        if (lane.spoke && (other_id || (head.response == 0 && lane.results_seen))) end_response(lane);
        if (!lane.spoke) {
            lane.spoke = true;
            ++lane.response;
        }
        lane.results_seen = false;
        if (head.response != 0) lane.response_id = head.response;
    }

    static void end_response(Lane& lane) {
        if (!lane.spoke) return;
        lane.spoke = false;
        lane.results_seen = false;
        lane.response_id = 0;
        tell(lane, [&](PeerRule& rule) { rule.on_response_end(lane.last); });
    }

    void on_call(Lane& lane, const Event& event, const ToolCall& call) {
        speak(lane, event.head);
        ++lane.last.step;
        PeerCall seen;
        seen.at = spot(lane, event);
        seen.response = lane.response;
        seen.time_ms = event.head.time_ms;
        seen.name = plain_text(call.name, parser);
        const Arguments arguments(call.args, parser);
        seen.own = arguments.hash(KeyOrder::own);
        seen.sorted = arguments.hash(KeyOrder::sorted);
        seen.shallow = arguments.hash(KeyOrder::shallow);
        seen.raw = arguments.raw_hash();
        seen.action = std::string(arguments.text("action").value_or("").substr(0, kMaxAction));
        tell(lane, [&](PeerRule& rule) { rule.on_call(seen, arguments); });
        if (lane.open.size() >= kMaxOpenCalls) lane.open.pop_front();
        lane.open.push_back({id_of(call.call_id), std::move(seen)});
    }

    void on_result(Lane& lane, const Event& event, const ToolResult& result) {
        if (result.update) return;
        const IdHash id = id_of(result.call_id);
        auto found = lane.open.begin();
        while (found != lane.open.end() && id != 0 && found->id != id) ++found;
        if (found == lane.open.end()) return;
        lane.results_seen = true;
        const std::string text = plain_text(result.text, parser);
        PeerResult seen;
        seen.at = spot(lane, event);
        seen.text = text;
        seen.hash = stable_hash(text);
        seen.status = result.status;
        seen.exit_code = result.exit_code;
        const PeerCall call = std::move(found->call);
        lane.open.erase(found);
        tell(lane, [&](PeerRule& rule) { rule.on_result(call, seen); });
    }

    void on_message(Lane& lane, const Event& event, const Message& message) {
        if (message.role == Role::user && (message.origin == Origin::human || message.origin == Origin::queued)) {
            end_response(lane);
            const Spot at = spot(lane, event);
            tell(lane, [&](PeerRule& rule) { rule.on_user(at); });
            return;
        }
        if (message.role != Role::assistant || message.text.empty() || (event.head.flags & kSynthetic) != 0) return;
        speak(lane, event.head);
        const std::string text = plain_text(message.text, parser);
        const PeerText seen{spot(lane, event), text};
        tell(lane, [&](PeerRule& rule) { rule.on_text(seen); });
    }

    void on_thinking(Lane& lane, const Event& event, const Thinking& thinking) {
        speak(lane, event.head);
        if (thinking.text.empty()) return;
        const std::string text = plain_text(thinking.text, parser);
        const PeerText seen{spot(lane, event), text};
        tell(lane, [&](PeerRule& rule) { rule.on_reasoning(seen); });
    }

    void on_compaction(Lane& lane, const Event& event, const Compaction& compaction) {
        if (compaction.phase != CompactionPhase::end) return;
        end_response(lane);
        const Spot at = spot(lane, event);
        tell(lane, [&](PeerRule& rule) { rule.on_compaction(at); });
    }
};

PeerWatch::PeerWatch(std::span<const ProfileSpec* const> profiles) : impl_(std::make_unique<Impl>()) {
    impl_->profiles.assign(profiles.begin(), profiles.end());
}
PeerWatch::~PeerWatch() = default;
PeerWatch::PeerWatch(PeerWatch&&) noexcept = default;
PeerWatch& PeerWatch::operator=(PeerWatch&&) noexcept = default;

void PeerWatch::on_event(const Event& event) {
    if (unheard(event)) return;
    if (const auto* open = std::get_if<LaneOpen>(&event.body)) {
        const bool own_business = open->purpose == LanePurpose::compaction || open->purpose == LanePurpose::suggestion;
        if (own_business && impl_->housekeeping.size() < kMaxHousekeeping)
            impl_->housekeeping.push_back(event.head.lane);
        return;
    }
    const auto* call = std::get_if<ToolCall>(&event.body);
    const auto* result = std::get_if<ToolResult>(&event.body);
    const auto* message = std::get_if<Message>(&event.body);
    const auto* thinking = std::get_if<Thinking>(&event.body);
    const auto* compaction = std::get_if<Compaction>(&event.body);
    if (!call && !result && !message && !thinking && !compaction) return;
    Lane* lane = impl_->lane(event.head.lane);
    if (!lane || lane->housekeeping) return;
    if (call && call->caller == Caller::model) impl_->on_call(*lane, event, *call);
    if (result) impl_->on_result(*lane, event, *result);
    if (message) impl_->on_message(*lane, event, *message);
    if (thinking) impl_->on_thinking(*lane, event, *thinking);
    if (compaction) impl_->on_compaction(*lane, event, *compaction);
}

PeerWatch::Reactions PeerWatch::reactions(std::uint32_t lane, std::size_t profile) const {
    const auto known = impl_->lanes.find(lane);
    if (known == impl_->lanes.end() || profile >= known->second.rules.size()) return {};
    const PeerRule& rule = *known->second.rules[profile];
    return {rule.warned() ? &*rule.warned() : nullptr, rule.stopped() ? &*rule.stopped() : nullptr};
}

namespace {

void keep_earliest(std::optional<PeerReaction>& best, const std::optional<PeerReaction>& other, std::uint32_t lane) {
    if (!other || (best && best->seq <= other->seq)) return;
    best = other;
    best->lane = lane;
}

}  // namespace

std::vector<PeerOutcome> PeerWatch::finish() {
    std::vector<PeerOutcome> out;
    for (const ProfileSpec* profile : impl_->profiles) out.emplace_back().profile = profile->name;
    for (auto& [number, lane] : impl_->lanes) {
        Impl::end_response(lane);
        for (std::size_t i = 0; i < lane.rules.size(); ++i) {
            keep_earliest(out[i].warned, lane.rules[i]->warned(), number);
            keep_earliest(out[i].stopped, lane.rules[i]->stopped(), number);
        }
    }
    impl_->lanes.clear();
    impl_->housekeeping.clear();
    return out;
}

}  // namespace agent_audit
