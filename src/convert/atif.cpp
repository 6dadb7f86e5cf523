#include "convert/all.hpp"
#include "convert/call_ids.hpp"
#include "convert/session_converter.hpp"

#include <agent_audit/model/event_words.hpp>
#include <agent_audit/support/json_text.hpp>
#include <agent_audit/support/time.hpp>

#include <fmt/format.h>

#include <deque>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

// ATIF v1.7, one trajectory a session, a step a line; sub-agents in subagent_trajectories.
//
// A result belongs into the step of its call, so a step waits for its results; a step that has waited too long is
// written without them. Results that come later, or whose call was never recorded, stand in a step of their own, with
// the id in `extra`: a source_call_id may name calls of its step only.

namespace agent_audit::convert {
namespace {

constexpr std::size_t kMaxWaiting = 64;            // steps
constexpr std::size_t kMaxBytes = 4u << 20;        // of waiting steps in the main conversation
constexpr std::size_t kMaxLaneBytes = 256u << 10;  // in a sub-agent's, of which there may be many

struct Step {
    std::string_view source;
    std::string time;
    std::string message, reasoning;  // the insides of JSON strings
    std::string calls, results;      // the insides of arrays
    std::unordered_multiset<std::string> unanswered;
    std::string model, extra;  // JSON
    IdHash response = 0;
    Spent spent;
    bool copied = false;

    std::size_t bytes() const { return message.size() + reasoning.size() + calls.size() + results.size(); }
};

struct Lane {
    std::string agent_id, agent_name, model;  // JSON strings
    std::string model_now;                    // where another one than the trajectory names has taken over
    bool begun = false, talking = false;      // the last waiting step is an agent's that goes on
    std::deque<Step> waiting;
    std::size_t waiting_bytes = 0;
    std::uint64_t written = 0;
    Spent unpaid;              // usage that came when no step was there to have it
    std::string unpaid_model;  // who it was paid to, as a JSON string
    Spent paid;
    CallIds ids;
};

std::string metrics_json(const Spent& spent) {
    const TokenCounts t = spent.tokens();
    std::string out = fmt::format(R"({{"prompt_tokens":{},"completion_tokens":{},"cached_tokens":{})", t.prompt(),
                                  t.output, t.cache_read);
    if (spent.cost_microusd > 0)
        out += fmt::format(R"(,"cost_usd":{:.6f})", static_cast<double>(spent.cost_microusd) / 1e6);
    std::string extra;
    if (t.cache_write > 0) extra += fmt::format(R"(,"cache_write_tokens":{})", t.cache_write);
    if (t.cache_write_1h > 0) extra += fmt::format(R"(,"ephemeral_1h_input_tokens":{})", t.cache_write_1h);
    if (t.reasoning > 0) extra += fmt::format(R"(,"reasoning_tokens":{})", t.reasoning);
    if (!extra.empty()) out += ",\"extra\":{" + extra.substr(1) + "}";
    return out += '}';
}

class Atif final : public SessionConverter<Lane> {
public:
    Atif(const ConverterOptions& options, const ConverterOutput& out) : SessionConverter(options, out, "steps") {}

private:
    void take(Lane& lane, const Event& event) override {
        std::visit([&](const auto& body) { take(lane, event.head, body); }, event.body);
    }

    // ---- trajectories -----------------------------------------------------------------------------------------

    void begin_session(const SessionStart& start) override {
        session_id_ = quoted(start.session_id);
        parent_id_ = start.parent_session_id.empty() ? "" : quoted(start.parent_session_id);
        version_ = start.product_version.empty() ? "" : quoted(start.product_version);
        Lane& main = lanes_[0];
        if (!start.label.empty()) main.agent_id = quoted(start.label);
        if (!start.model.empty()) main.model = quoted(start.model);
    }

    void write_session() override {
        std::uint64_t others = 0;
        for (auto& [number, lane] : lanes_) {
            number_ = number;
            settle(lane);
            others += number != 0 && lane.begun ? 1 : 0;
        }
        if (others > 0 || (lanes_.contains(0) && lanes_[0].begun)) write_end(others);
        session_id_ = parent_id_ = version_ = {};
    }

    void write_end(std::uint64_t others) {
        number_ = 0;
        Lane& main = lanes_[0];
        if (!main.begun) out_.write(opening(main));
        out_.write("\n]");
        out_.write(totals(main));
        if (others > 0) out_.write(",\"subagent_trajectories\":[");
        bool first = true;
        for (auto& [number, lane] : lanes_) {
            if (number == 0 || !lane.begun) continue;
            out_.write(std::exchange(first, false) ? "\n" : ",\n");
            spool_.write(number, out_);
            out_.write("\n]");
            out_.write(totals(lane));
            out_.write("}");
        }
        out_.write(others > 0 ? "\n]}\n" : "}\n");
    }

    std::string opening(const Lane& lane) {
        const bool main = number_ == 0;
        std::string out = R"({"schema_version":"ATIF-v1.7",)";
        if (session_id_.size() > 2) out += "\"session_id\":" + session_id_ + ",";
        if (!main)
            out += "\"trajectory_id\":" +
                   (lane.agent_id.size() > 2 ? lane.agent_id : fmt::format("\"lane-{}\"", number_)) + ",";
        out +=
            "\"agent\":{\"name\":" + (lane.agent_name.empty() ? quoted({format_, TextForm::plain}) : lane.agent_name);
        out += ",\"version\":" + (version_.empty() ? "\"unknown\"" : version_);
        const std::string& model = lane.model.empty() ? lanes_[0].model : lane.model;
        if (!model.empty()) out += ",\"model_name\":" + model;
        std::string extra;
        if (main && !parent_id_.empty()) extra += ",\"parent_session_id\":" + parent_id_;
        if (main && !lane.agent_id.empty()) extra += ",\"label\":" + lane.agent_id;
        if (!extra.empty()) out += ",\"extra\":{" + extra.substr(1) + "}";
        return out += "},\"steps\":[";
    }

    static std::string totals(const Lane& lane) {
        std::string out = fmt::format(R"(,"final_metrics":{{"total_steps":{})", lane.written);
        if (lane.paid.any()) {
            const TokenCounts t = lane.paid.tokens();
            out += fmt::format(R"(,"total_prompt_tokens":{},"total_completion_tokens":{},"total_cached_tokens":{})",
                               t.prompt(), t.output, t.cache_read);
            if (lane.paid.cost_microusd > 0)
                out += fmt::format(R"(,"total_cost_usd":{:.6f})", static_cast<double>(lane.paid.cost_microusd) / 1e6);
        }
        return out += '}';
    }

    // ---- steps ------------------------------------------------------------------------------------------------

    void take(Lane& lane, const EventHeader& head, const Message& b) {
        if (b.role == Role::assistant) {
            append_line(speaking(lane, head).message, b.text);
        } else {
            // What neither a human nor another agent said came from the program around them.
            const bool said = b.origin == Origin::human || b.origin == Origin::agent || b.origin == Origin::queued;
            Step& step = begin(lane, head, said && b.role == Role::user ? "user" : "system");
            if (b.text.empty() && b.media_count > 0)
                step.message = "[image]";
            else
                append_line(step.message, b.text);
        }
        release(lane);
    }

    void take(Lane& lane, const EventHeader& head, const Thinking& b) {
        if (!b.text.empty()) append_line(speaking(lane, head).reasoning, b.text);
    }

    void take(Lane& lane, const EventHeader& head, const ToolCall& b) {
        Step& step = speaking(lane, head);
        const std::string id = lane.ids.open(texts_.decoded(b.call_id));
        step.calls += step.calls.empty() ? "{\"tool_call_id\":" : ",{\"tool_call_id\":";
        texts_.append_string(step.calls, id);
        step.calls += ",\"function_name\":";
        texts_.append_string(step.calls, b.name);
        std::string args = texts_.arguments(b);
        if (args.starts_with('{')) args = on_one_line(args);
        step.calls += ",\"arguments\":";
        if (args.starts_with('{') && is_json_on_one_line(args)) {
            step.calls += args;
        } else {  // a tool whose input is text
            step.calls += "{\"input\":";
            texts_.append_string(step.calls, args);
            step.calls += '}';
        }
        step.calls += '}';
        step.unanswered.insert(id);
        lane.waiting_bytes += args.size();
        release(lane);
    }

    void take(Lane& lane, const EventHeader& head, const ToolResult& b) {
        const std::string id = lane.ids.answer(texts_.decoded(b.call_id));
        Step* step = waiting_for(lane, id);
        const bool late = !step;
        if (late) step = &begin(lane, head, "agent");
        lane.talking = false;
        std::string& out = step->results;
        out += out.empty() ? "{" : ",{";
        if (!late) {
            out += "\"source_call_id\":";
            texts_.append_string(out, id);
            out += ',';
        }
        out += "\"content\":";
        const std::size_t before = out.size();
        if (b.text.empty() && b.media_count > 0)
            out += "\"[image]\"";
        else
            texts_.append_string(out, b.text);
        lane.waiting_bytes += out.size() - before;
        out += result_extra(b, !late ? "" : id.empty() ? "unknown" : id) + "}";
        release(lane);
    }

    std::string result_extra(const ToolResult& b, const std::string& late_id) {
        std::string extra;
        if (!late_id.empty()) {
            extra += ",\"source_call_id\":";
            texts_.append_string(extra, late_id);
        }
        if (b.status != ResultStatus::unknown) {
            extra += ",\"status\":\"";
            extra += word(b.status);
            extra += '"';
        }
        if (b.exit_code) extra += fmt::format(",\"exit_code\":{}", *b.exit_code);
        return extra.empty() ? extra : ",\"extra\":{" + extra.substr(1) + "}";
    }

    void take(Lane& lane, const EventHeader& head, const Usage& b) {
        const Spent spent = spending_.take(b, (head.flags & kCopied) != 0);
        if (!spent.any()) return;
        const bool here = !lane.waiting.empty() && lane.waiting.back().source == "agent" &&
                          (head.response == 0 || lane.waiting.back().response == head.response);
        (here ? lane.waiting.back().spent : lane.unpaid) += spent;
        if (!b.model.empty()) (here ? lane.waiting.back().model : lane.unpaid_model) = quoted(b.model);
    }

    void take(Lane& lane, const EventHeader& head, const Compaction& b) {
        if (b.phase != CompactionPhase::end || b.summary.empty()) return;
        Step& step = begin(lane, head, "system");
        append_line(step.message, b.summary);
        step.extra = fmt::format(R"({{"compaction":"{}"}})", word(b.kind));
        release(lane);
    }

    void take(Lane& lane, const EventHeader&, const LaneOpen& b) {
        if (!b.agent_id.empty()) lane.agent_id = quoted(b.agent_id);
        if (!b.agent_type.empty()) lane.agent_name = quoted(b.agent_type);
    }

    void take(Lane& lane, const EventHeader&, const ContextChange& b) {
        if (b.model.empty()) return;
        if (lane.model.empty() && !lane.begun) lane.model = quoted(b.model);
        lane.model_now = quoted(b.model);
    }

    template <class Body>
    void take(Lane&, const EventHeader&, const Body&) {}

    Step& begin(Lane& lane, const EventHeader& head, std::string_view source) {
        Step& step = lane.waiting.emplace_back();
        step.source = source;
        step.response = head.response;
        step.copied = (head.flags & kCopied) != 0;
        constexpr std::int64_t kYear10000 = 253'402'300'800'000;  // beyond, a time has no RFC 3339 form
        if (head.time_ms >= 0 && head.time_ms < kYear10000) step.time = format_time_ms(head.time_ms);
        if (source == "agent") {
            step.spent += std::exchange(lane.unpaid, {});
            step.model = std::exchange(lane.unpaid_model, {});
            if (step.model.empty() && lane.model_now != lane.model) step.model = lane.model_now;
        }
        lane.talking = source == "agent";
        return step;
    }

    // The agent's step this belongs to; another response, and whatever was said or answered between, begins another.
    // Agents that run the calls of one response while it streams record results between them.
    Step& speaking(Lane& lane, const EventHeader& head) {
        if (lane.waiting.empty()) return begin(lane, head, "agent");
        Step& last = lane.waiting.back();
        const bool same = head.response != 0 && last.response == head.response && last.source == "agent";
        if (!lane.talking && !same) return begin(lane, head, "agent");
        const bool other = last.response != 0 && head.response != 0 && last.response != head.response;
        if (other || last.bytes() > limit()) return begin(lane, head, "agent");
        if (head.response != 0) last.response = head.response;
        lane.talking = true;
        return last;
    }

    Step* waiting_for(Lane& lane, const std::string& id) {
        for (auto step = lane.waiting.rbegin(); step != lane.waiting.rend(); ++step) {
            const auto call = step->unanswered.find(id);
            if (call == step->unanswered.end()) continue;
            step->unanswered.erase(call);
            return &*step;
        }
        return nullptr;
    }

    std::size_t limit() const { return number_ == 0 ? kMaxBytes : kMaxLaneBytes; }

    // Writes the steps at the front that are complete, and those that have waited too long.
    void release(Lane& lane) {
        while (lane.waiting.size() > 1 && (lane.waiting.front().unanswered.empty() ||
                                           lane.waiting.size() > kMaxWaiting || lane.waiting_bytes > limit())) {
            write_front(lane);
        }
    }

    // The conversation is over.
    void settle(Lane& lane) {
        while (!lane.waiting.empty()) write_front(lane);
        // Totals that no step has: where steps tell, they are told by one more, and so are requests that are all of a
        // sub-agent.
        if (!lane.unpaid.any()) return;
        if (!lane.paid.any() && (number_ == 0 || lane.begun)) {
            lane.paid += std::exchange(lane.unpaid, {});
            if (lane.begun) return;
        }
        if (!lane.begun && lane.model.empty()) lane.model = lane.unpaid_model;
        begin(lane, {}, "agent");
        write_front(lane);
    }

    void write_front(Lane& lane) {
        const Step step = std::move(lane.waiting.front());
        lane.waiting.pop_front();
        lane.waiting_bytes = lane.waiting.empty() ? 0 : lane.waiting_bytes - std::min(lane.waiting_bytes, step.bytes());
        lane.paid += step.spent;
        std::string out = std::exchange(lane.begun, true) ? ",\n" : opening(lane) + "\n";
        out += fmt::format(R"({{"step_id":{},)", ++lane.written);
        if (!step.time.empty()) out += "\"timestamp\":\"" + step.time + "\",";
        out += fmt::format(R"("source":"{}",)", step.source);
        if (!step.model.empty()) out += "\"model_name\":" + step.model + ",";
        out += "\"message\":\"" + step.message + "\"";
        if (!step.reasoning.empty()) out += ",\"reasoning_content\":\"" + step.reasoning + "\"";
        if (!step.calls.empty()) out += ",\"tool_calls\":[" + step.calls + "]";
        if (!step.results.empty()) out += ",\"observation\":{\"results\":[" + step.results + "]}";
        if (step.spent.any()) out += ",\"metrics\":" + metrics_json(step.spent);
        if (step.copied) out += ",\"is_copied_context\":true";
        if (!step.extra.empty()) out += ",\"extra\":" + step.extra;
        out += '}';
        if (number_ == 0)
            out_.write(out);
        else
            spool_.append(number_, out);
    }

    void append_line(std::string& inside, RawText text) {
        if (!inside.empty()) inside += "\\n";
        const std::string piece = quoted(text);
        inside.append(piece, 1, piece.size() - 2);
        lanes_[number_].waiting_bytes += piece.size();
    }

    std::string quoted(RawText text) {
        std::string out;
        texts_.append_string(out, text);
        return out;
    }

    std::string session_id_, parent_id_, version_;
};

std::unique_ptr<Converter> make(const ConverterOptions& options, const ConverterOutput& out) {
    return std::make_unique<Atif>(options, out);
}

}  // namespace

ConverterSpec atif() { return {"atif", "ATIF v1.7 trajectories, one a session", make}; }

}  // namespace agent_audit::convert
