#include "simulator/openclaw/pairing.hpp"

#include <agent_audit/simulator/openclaw.hpp>

#include "simulator/js_text.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

namespace agent_audit::simulator::openclaw {
namespace {

constexpr std::array<std::string_view, 6> kIdNames{"toolCallId",  "toolUseId", "tool_call_id",
                                                   "tool_use_id", "callId",    "call_id"};

constexpr std::string_view kSyntheticMark = "openclawSyntheticMissingToolResult";

bool is_synthetic(const Msg& message) {
    if (!message.is_error) return false;
    if (message.json && !message.details_dropped) {
        const auto* mark = (*message.json)["details"][kSyntheticMark].boolean();
        if (mark && *mark) return true;
    }
    if (message.shape != ContentShape::blocks) return false;
    std::string scratch;
    return std::any_of(message.blocks.begin(), message.blocks.end(), [&](const Block& block) {
        return block.kind == BlockKind::text && block.text.units() == kMissingResult.size() &&
               block.text.read(scratch) == kMissingResult;
    });
}

/// A result without an id goes to a lone call, unless their names contradict.
MsgPtr claimed_by_lone_call(const MsgPtr& message, const std::vector<const Block*>& calls) {
    if (!result_id(*message).empty() || calls.size() != 1) return message;
    const std::string_view result = js_trim(message->tool_name), call = js_trim(calls[0]->name);
    if (!result.empty() && !call.empty() && result != call) return message;
    auto out = std::make_shared<Msg>(*message);
    out->call_id = calls[0]->id;
    out->is_error = out->claimed = true;
    return out;
}

/// One call of a frame and the result it was given.
struct Occurrence {
    std::string id;
    std::string name;
    std::string missing_name;  ///< what a result made here is called
    MsgPtr result, source;
    std::size_t source_index = 0;
    bool pending() const { return !result; }
    bool open() const { return !result || is_synthetic(*result); }
};

struct Unclaimed {
    MsgPtr result, source;
    std::size_t index = 0;
    std::string id;
};

/// From one calling assistant to before the next.
struct Frame {
    std::size_t start = 0, end = 0;
    std::vector<Occurrence> calls;
    std::vector<MsgPtr> rest;
    std::vector<Unclaimed> unclaimed;
};

struct Dropped {
    MsgPtr message;
    std::size_t index = 0;
};

class Pairing {
public:
    explicit Pairing(const View& view) : view_(view) {
        for (std::size_t i = 0; i < view.size(); ++i) {
            if (view[i] && view[i]->role == Role::assistant && !calls_of(*view[i]).empty())
                frames_.push_back({i, 0, {}, {}, {}});
        }
        for (std::size_t f = 0; f < frames_.size(); ++f) {
            frames_[f].end = f + 1 < frames_.size() ? frames_[f + 1].start : view.size();
            fill(frames_[f]);
        }
        adopt();
    }

    Repair repair(double now_ms) {
        Repair out;
        std::size_t cursor = 0;
        const auto pass_to = [&](std::size_t end) {
            for (; cursor < end; ++cursor) {
                if (!view_[cursor]) continue;
                if (view_[cursor]->role != Role::tool_result) {
                    out.view.push_back(view_[cursor]);
                    continue;
                }
                ++orphans_;
                dropped_.push_back({view_[cursor], cursor});
            }
        };
        for (Frame& frame : frames_) {
            pass_to(frame.start);
            cursor = frame.end;
            out.view.push_back(view_[frame.start]);
            for (Occurrence& call : frame.calls) {
                if (call.result) {
                    out.view.push_back(call.result);
                } else if (!failed(*view_[frame.start])) {
                    out.view.push_back(missing_result(call.id, call.missing_name, true, now_ms));
                    ++out.added;
                }
            }
            out.view.insert(out.view.end(), frame.rest.begin(), frame.rest.end());
        }
        pass_to(view_.size());
        std::stable_sort(dropped_.begin(), dropped_.end(),
                         [](const Dropped& a, const Dropped& b) { return a.index < b.index; });
        for (Dropped& one : dropped_) out.discarded.push_back(std::move(one.message));
        out.dropped_duplicates = duplicates_;
        out.dropped_orphans = orphans_;
        out.moved = out.view != view_;
        return out;
    }

    std::vector<Answered> answered() const {
        std::vector<Answered> out;
        for (const Frame& frame : frames_) {
            out.push_back({frame.start, {}});
            for (const Occurrence& call : frame.calls) {
                if (call.source) out.back().results.push_back(call.source);
            }
        }
        return out;
    }

private:
    void fill(Frame& frame) {
        const auto calls = calls_of(*view_[frame.start]);
        std::unordered_map<std::string_view, std::deque<std::size_t>> pending, synthetic;
        for (const Block* call : calls) {
            pending[call->id].push_back(frame.calls.size());
            frame.calls.push_back({call->id, call->name, name_for_missing(*call), nullptr, nullptr, 0});
        }
        for (std::size_t i = frame.start + 1; i < frame.end; ++i) {
            if (!view_[i]) continue;
            if (view_[i]->role != Role::tool_result) {
                frame.rest.push_back(view_[i]);
                continue;
            }
            place(frame, i, claimed_by_lone_call(view_[i], calls), pending, synthetic);
        }
    }

    using Queues = std::unordered_map<std::string_view, std::deque<std::size_t>>;

    void place(Frame& frame, std::size_t index, const MsgPtr& result, Queues& pending, Queues& synthetic) {
        const std::string id = result_id(*result);
        const auto waiting = pending.find(id);
        if (waiting == pending.end()) {
            frame.unclaimed.push_back({result, view_[index], index, id});
            return;
        }
        if (!waiting->second.empty()) {
            const std::size_t at = waiting->second.front();
            waiting->second.pop_front();
            give(frame.calls[at], result, index);
            if (is_synthetic(*frame.calls[at].result)) synthetic[waiting->first].push_back(at);
            return;
        }
        ++duplicates_;
        auto& replaceable = synthetic[waiting->first];
        if (is_synthetic(*result) || replaceable.empty()) {
            dropped_.push_back({view_[index], index});
            return;
        }
        Occurrence& call = frame.calls[replaceable.front()];
        replaceable.pop_front();
        dropped_.push_back({call.source, call.source_index});
        give(call, result, index);
    }

    void give(Occurrence& call, const MsgPtr& result, std::size_t index) {
        call.result = with_tool_name(result, call.name);
        call.source = view_[index];
        call.source_index = index;
    }

    /// A result that came frames too late goes back to its call, when exactly one still waits for it.
    void adopt() {
        std::unordered_map<std::string_view, std::vector<Occurrence*>> unresolved;
        for (Frame& frame : frames_) {
            for (Occurrence& call : frame.calls) {
                if (call.open()) unresolved[call.id].push_back(&call);
            }
            for (const Unclaimed& late : frame.unclaimed) {
                Occurrence* only = lone_candidate(unresolved, late);
                if (!only) {
                    ++orphans_;
                    dropped_.push_back({late.source, late.index});
                    continue;
                }
                if (only->result) {
                    ++duplicates_;
                    dropped_.push_back({only->source, only->source_index});
                }
                give(*only, late.result, late.index);
            }
        }
    }

    static Occurrence* lone_candidate(std::unordered_map<std::string_view, std::vector<Occurrence*>>& unresolved,
                                      const Unclaimed& late) {
        const auto found = unresolved.find(late.id);
        if (late.id.empty() || found == unresolved.end()) return nullptr;
        // What has its real result by now waits no longer; forgetting it here keeps long sessions linear.
        std::erase_if(found->second, [](const Occurrence* call) { return !call->open(); });
        Occurrence* only = nullptr;
        const bool real = !is_synthetic(*late.result);
        for (Occurrence* call : found->second) {
            if (!call->pending() && !real) continue;
            if (only) return nullptr;
            only = call;
        }
        return only;
    }

    const View& view_;
    std::vector<Frame> frames_;
    std::vector<Dropped> dropped_;
    std::size_t duplicates_ = 0, orphans_ = 0;
};

}  // namespace

std::vector<const Block*> calls_of(const Msg& message) {
    std::vector<const Block*> calls;
    if (message.shape != ContentShape::blocks) return calls;
    for (const Block& block : message.blocks) {
        if (block.kind == BlockKind::tool_call && !block.id.empty()) calls.push_back(&block);
    }
    return calls;
}

std::string result_id(const Msg& message) {
    if (message.json && !message.claimed) {
        for (const std::string_view name : kIdNames) {
            const auto* id = (*message.json)[name].string();
            if (!id) continue;
            if (const std::string_view trimmed = js_trim(*id); !trimmed.empty()) return std::string(trimmed);
        }
        return {};
    }
    return std::string(js_trim(message.call_id));
}

std::string result_id_2026_3(const Msg& message) {
    if (!message.json || message.claimed) return message.call_id;
    for (const std::string_view name : {kIdNames[0], kIdNames[1]}) {
        const auto* id = (*message.json)[name].string();
        if (id && !id->empty()) return *id;
    }
    return {};
}

MsgPtr with_tool_name(const MsgPtr& message, std::string_view call_name) {
    std::string_view name = js_trim(message->tool_name);
    if (!name.empty() && name == message->tool_name) return message;
    if (name.empty()) name = js_trim(call_name);
    if (name.empty()) {
        if (!message->tool_name_recorded) return message;
        name = "unknown";
    }
    auto out = std::make_shared<Msg>(*message);
    out->tool_name = name;
    out->tool_name_recorded = out->name_edited = true;
    return out;
}

std::string name_for_missing(const Block& call) {
    const bool named = !call.name.empty() || (call.json && (*call.json)["name"].string());
    return named ? call.name : "unknown";
}

MsgPtr missing_result(std::string_view id, std::string_view name, bool marked, double now_ms) {
    JsValue json =
        JsValue::object({{"role", "toolResult"},
                         {"toolCallId", id},
                         {"toolName", name},
                         {"content", JsValue::Array{JsValue::object({{"type", "text"}, {"text", kMissingResult}})}}});
    if (marked) json.set("details", JsValue::object({{kSyntheticMark, true}, {"reason", "missing_tool_result"}}));
    json.set("isError", true);
    json.set("timestamp", now_ms);
    return message_of(std::make_shared<const JsValue>(std::move(json)));
}

bool failed(const Msg& message) { return message.stop == StopReason::error || message.stop == StopReason::aborted; }

std::vector<Answered> answered_calls(const View& view) { return Pairing(view).answered(); }

Repair repair_pairs(const View& view, double now_ms) { return Pairing(view).repair(now_ms); }

}  // namespace agent_audit::simulator::openclaw
