#include <agent_audit/simulator/recorded_cache.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/tokens/estimate.hpp>

#include <algorithm>
#include <utility>

namespace agent_audit::simulator {
namespace {

constexpr std::uint16_t kNotSent = kPartial | kHidden | kStale;
constexpr std::size_t kMaxRemembered = 1u << 20;  // records and results of a lane that edits can name
constexpr std::uint64_t kClearedTokens = 10;      // of a result whose place a short note took

template <class Visit>
void for_each_id(std::string_view json_array, Visit visit) {
    for (std::size_t from = json_array.find('"'); from != std::string_view::npos;) {
        const std::size_t to = json_array.find('"', from + 1);
        if (to == std::string_view::npos) return;
        visit(json_array.substr(from + 1, to - from - 1));
        from = json_array.find('"', to + 1);
    }
}

}  // namespace

RecordedCache::RecordedCache(const ModelTable& models, Listener listener)
    : models_(&models), listener_(std::move(listener)) {}

RecordedCache::Lane& RecordedCache::lane(std::uint32_t id) {
    if (const auto at = lanes_.find(id); at != lanes_.end()) return at->second;
    return lanes_[lanes_.size() < kMaxLanes ? id : UINT32_MAX];
}

void RecordedCache::add(Lane& lane, const Event& event, std::uint64_t hash, std::uint64_t estimate) {
    // Content is told apart by when it came: in one recording nothing is sent twice in the same place.
    lane.pending.push_back({mix_hash(++lane.serial, hash), estimate});
    const std::size_t place = std::max<std::size_t>(lane.prompt.size(), 1) + lane.sent.size() + lane.pending.size();
    if (!event.head.record_id.empty() && lane.place_of_record.size() < kMaxRemembered) {
        lane.place_of_record[stable_hash(event.head.record_id)] = place;
    }
    if (const auto* result = std::get_if<ToolResult>(&event.body);
        result && !result->call_id.empty() && lane.place_of_result.size() < kMaxRemembered) {
        lane.place_of_result[stable_hash(result->call_id.bytes)] = place;
    }
}

void RecordedCache::begin_response(Lane& lane, const Event& event) {
    const bool same = lane.response != 0 ? event.head.response == lane.response : lane.answering;
    const bool unknown = event.head.response == 0 && lane.answering;
    lane.answering = true;
    if (same || unknown) return;
    close(lane);
    lane.response = event.head.response;
    lane.open = true;
    lane.request = {};
    lane.request.line = event.head.where.line;
    lane.request.lane = event.head.lane;
    lane.request.turn = event.head.turn;
    lane.request.time_ms = lane.input_ms != kNoTime ? lane.input_ms : event.head.time_ms;
    lane.sent.insert(lane.sent.end(), lane.pending.begin(), lane.pending.end());
    lane.pending.clear();
    ++lane.unbilled;
}

void RecordedCache::on_usage(Lane& lane, const Event& event, const Usage& usage) {
    TokenCounts tokens = usage.tokens;
    if (usage.mode == UsageMode::cumulative) {
        const bool reset = tokens.total() < cumulative_.total();
        if (!reset) tokens = minus(tokens, cumulative_);
        cumulative_ = usage.tokens;
        if (lane.unbilled > 1) tokens = {};  // of several requests together
    } else if (usage.scope != UsageScope::request) {
        return;
    }
    if ((event.head.flags & (kCopied | kStale)) != 0) tokens = {};
    const bool of_open =
        lane.unbilled > 0 || lane.answering || (lane.response != 0 && event.head.response == lane.response);
    if (tokens.prompt() > 0 && !of_open) begin_response(lane, event);
    lane.unbilled = 0;
    if (tokens.prompt() == 0) return;
    if (!usage.model.empty()) {
        lane.setting = stable_hash(usage.model.bytes);
        const ModelInfo* model = models_->find(usage.model.bytes);
        lane.rules = cache_rules(model != nullptr ? *model : ModelInfo{});
    }
    if (tokens.total() >= lane.request.billed.total()) lane.request.billed = tokens;
    if (event.head.time_ms != kNoTime) lane.answered_ms = event.head.time_ms;
}

void RecordedCache::on_compaction(Lane& lane, const Compaction& compaction) {
    if (compaction.phase != CompactionPhase::end) return;
    close(lane);
    if (compaction.kind != CompactionKind::clear_tool_results) {
        lane.prompt.cut(1);
        forget_places(lane);
        if (!compaction.summary.empty()) {
            lane.pending.push_back({mix_hash(++lane.serial, 0), estimate_tokens(compaction.summary)});
        }
        return;
    }
    // What follows the first result that was cleared is another prefix from now on.
    std::size_t first = lane.prompt.size();
    for_each_id(compaction.ids.bytes, [&](std::string_view id) {
        const auto at = lane.place_of_result.find(stable_hash(id));
        if (at != lane.place_of_result.end() && at->second > 0) first = std::min(first, at->second - 1);
    });
    if (first >= lane.prompt.size()) return;
    const std::uint64_t rest = lane.prompt.tokens() - lane.prompt.tokens(first);
    lane.prompt.cut(first);
    lane.place_of_record.clear();
    lane.place_of_result.clear();
    lane.pending.insert(lane.pending.begin(), Piece{mix_hash(++lane.serial, 0), std::max(rest, kClearedTokens)});
}

void RecordedCache::on_rewind(Lane& lane, const Rewind& rewind) {
    if (rewind.target != RewindTarget::to_record && rewind.target != RewindTarget::before_record) return;
    close(lane);
    const auto at = lane.place_of_record.find(stable_hash(rewind.record_id));
    if (at == lane.place_of_record.end() || at->second == 0) return;
    const std::size_t place = at->second - (rewind.target == RewindTarget::before_record ? 1 : 0);
    if (place >= std::max<std::size_t>(lane.prompt.size(), 1)) {
        const std::size_t kept = place - std::max<std::size_t>(lane.prompt.size(), 1);
        if (lane.sent.empty() && kept < lane.pending.size()) lane.pending.resize(kept);
        return;
    }
    lane.prompt.cut(place);
    lane.sent.clear();
    lane.pending.clear();
}

void RecordedCache::forget_places(Lane& lane) {
    lane.sent.clear();
    lane.pending.clear();
    lane.place_of_record.clear();
    lane.place_of_result.clear();
}

// The recorded prompt says how many tokens came; estimates only say where among the pieces they stand.
void RecordedCache::place_pieces(Lane& lane, std::uint64_t prompt) {
    if (!lane.started) {
        std::uint64_t estimate = 0;
        for (const Piece& piece : lane.sent) estimate += piece.estimate;
        lane.prompt.push(1, prompt > estimate ? prompt - estimate : 0);  // system prompt and tools: what is left
        lane.started = true;
    }
    if (lane.prompt.tokens() > prompt) {
        // The prompt shrank for a reason that is not in the recording: all but its fixed part is taken for changed.
        lane.prompt.cut(1);
        lane.place_of_record.clear();
        lane.place_of_result.clear();
        if (lane.prompt.tokens() > prompt) {
            lane.prompt.cut(0);
            lane.prompt.push(++lane.serial, prompt);
        }
        lane.sent.insert(lane.sent.begin(), Piece{mix_hash(++lane.serial, 0), prompt - lane.prompt.tokens()});
    }
    std::uint64_t left = prompt - lane.prompt.tokens(), estimate = 0;
    for (const Piece& piece : lane.sent) estimate += piece.estimate;
    for (std::size_t i = 0; i < lane.sent.size(); ++i) {
        const Piece& piece = lane.sent[i];
        const double share = estimate > 0 ? static_cast<double>(piece.estimate) / static_cast<double>(estimate) : 0;
        const auto tokens = i + 1 == lane.sent.size()
                                ? left
                                : std::min(left, static_cast<std::uint64_t>(share * static_cast<double>(left)));
        lane.prompt.push(piece.hash, tokens);
        left -= tokens;
        estimate -= piece.estimate;
    }
    if (left > 0) lane.prompt.push(++lane.serial, left);
    lane.sent.clear();
}

void RecordedCache::judge(Lane& lane) {
    RecordedCacheUse& r = lane.request;
    summary_.all.add(r.billed.prompt(), r.billed.cache_read, r.simulated.read);
    if (r.first) summary_.first.add(r.billed.prompt(), r.billed.cache_read, r.simulated.read);
    const std::uint64_t slack = std::max<std::uint64_t>(lane.rules.min_tokens, 1);
    r.missed = r.reusable >= slack && r.billed.cache_read + slack <= r.reusable;
    if (r.missed) {
        r.reason = r.simulated.miss == CacheMiss::none ? CacheMiss::unknown : r.simulated.miss;
        summary_.misses[static_cast<std::size_t>(r.reason)] += 1;
        summary_.missed_tokens[static_cast<std::size_t>(r.reason)] += r.reusable - r.billed.cache_read;
    }
    // Nearly all of it read after a pause that an entry of the shorter life does not outlast.
    const double pause_s = r.time_ms == kNoTime || lane.last_answered_ms == kNoTime
                               ? 0
                               : static_cast<double>(r.time_ms - lane.last_answered_ms) / 1000;
    if (!r.missed && r.simulated.miss == CacheMiss::ttl && pause_s > 2.0 * lane.rules.ttl_s &&
        lane.rules.long_ttl_s > 0) {
        summary_.long_life = lane.long_life = true;
    }
    if (listener_) listener_(r);
}

void RecordedCache::close(Lane& lane) {
    if (!lane.open) return;
    lane.open = false;
    RecordedCacheUse& r = lane.request;
    const std::uint64_t prompt = r.billed.prompt();
    if (prompt == 0) return;  // its pieces go with the next request
    r.first = !lane.started;
    r.reusable = std::min(lane.last_prompt, prompt);
    place_pieces(lane, prompt);
    CacheMoment moment;
    moment.setting = lane.setting;
    moment.fixed_places = 1;
    if (r.billed.cache_write_1h > r.billed.cache_write / 2 && lane.rules.long_ttl_s > 0) {
        summary_.long_life = lane.long_life = true;  // the record says how long
    }
    moment.long_life = lane.long_life;
    if (r.time_ms != kNoTime) moment.now_ms = static_cast<double>(r.time_ms);
    if (lane.answered_ms != kNoTime) moment.answered_ms = static_cast<double>(lane.answered_ms);
    r.simulated = lane.model.request(lane.rules, lane.prompt, moment);
    judge(lane);
    lane.last_prompt = prompt;
    lane.last_answered_ms = lane.answered_ms;
    lane.answered_ms = kNoTime;
}

void RecordedCache::on_event(const Event& event) {
    if (const auto* compaction = std::get_if<Compaction>(&event.body))
        return on_compaction(lane(event.head.lane), *compaction);
    if (const auto* rewind = std::get_if<Rewind>(&event.body)) return on_rewind(lane(event.head.lane), *rewind);
    if (const auto* usage = std::get_if<Usage>(&event.body)) return on_usage(lane(event.head.lane), event, *usage);
    if ((event.head.flags & kNotSent) != 0 &&
        !(std::holds_alternative<Message>(event.body) && std::get<Message>(event.body).origin == Origin::summary)) {
        return;
    }
    const auto input = [&](Lane& l) {
        l.answering = false;
        if (event.head.time_ms != kNoTime) l.input_ms = event.head.time_ms;
    };
    if (const auto* message = std::get_if<Message>(&event.body)) {
        Lane& l = lane(event.head.lane);
        message->role == Role::assistant ? begin_response(l, event) : input(l);
        add(l, event, 1, estimate_tokens(message->text) + 1500ULL * message->media_count + 4);
    } else if (const auto* thinking = std::get_if<Thinking>(&event.body)) {
        Lane& l = lane(event.head.lane);
        begin_response(l, event);
        add(l, event, 2, estimate_tokens(thinking->text) + thinking->opaque_bytes / 4);
    } else if (const auto* call = std::get_if<ToolCall>(&event.body)) {
        Lane& l = lane(event.head.lane);
        call->caller == Caller::model ? begin_response(l, event) : input(l);
        add(l, event, 3, estimate_tokens(call->args) + 20);
    } else if (const auto* result = std::get_if<ToolResult>(&event.body)) {
        Lane& l = lane(event.head.lane);
        input(l);
        add(l, event, 4, estimate_tokens(result->text) + 1500ULL * result->media_count);
    }
}

RecordedCache::Summary RecordedCache::finish() {
    for (auto& [id, lane] : lanes_) close(lane);
    lanes_.clear();
    cumulative_ = {};
    return std::exchange(summary_, {});
}

}  // namespace agent_audit::simulator
