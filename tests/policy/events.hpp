#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/support/hash.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::test {

/// Events written by hand, as a host program would make them; every event has its own line, from 1.
class Events {
public:
    Events& human(std::string_view text) { return add(Message{Role::user, Origin::human, keep(text), 0}); }
    Events& says(std::string_view text) {
        ++response_;
        return add(Message{Role::assistant, Origin::agent, keep(text), 0});
    }
    /// A response with one call, and its result.
    Events& call(std::string_view tool, std::string_view argument, std::string_view result,
                 ResultStatus status = ResultStatus::ok) {
        ++response_;
        ToolCall made;
        made.call_id = keep("call-" + std::to_string(response_));
        made.name = keep(tool);
        made.args = made.primary = keep(argument);
        made.digest.canonical = mix_hash(stable_hash(tool), stable_hash(argument));
        const RawText id = made.call_id;
        add(made);
        ToolResult answer;
        answer.call_id = id;
        answer.text = keep(result);
        answer.status = status;
        return add(answer);
    }
    Events& fails(std::string_view tool, std::string_view argument, std::string_view error) {
        return call(tool, argument, error, ResultStatus::error);
    }
    /// What the response that comes next was billed.
    Events& usage(std::uint64_t prompt, std::uint64_t output) {
        Usage made;
        made.tokens.input = prompt;
        made.tokens.output = output;
        made.message_key = ++response_;
        add(made);
        --response_;
        return *this;
    }
    Events& at(std::int64_t seconds) {
        time_ms_ = seconds * 1000;
        return *this;
    }

    /// What comes next is of that conversation; 0 is the main one.
    Events& in_lane(std::uint32_t lane) {
        lane_ = lane;
        return *this;
    }

    const std::vector<Event>& all() const { return events_; }

private:
    RawText keep(std::string_view text) { return {kept_.emplace_back(text), TextForm::plain}; }

    Events& add(EventBody body) {
        Event event;
        event.head.seq = ++line_;
        event.head.where = {0, 100, line_, line_ * 100};
        event.head.time_ms = time_ms_;
        event.head.lane = lane_;
        const bool of_model =
            std::holds_alternative<ToolCall>(body) || std::holds_alternative<Usage>(body) ||
            (std::holds_alternative<Message>(body) && std::get<Message>(body).role == Role::assistant);
        if (of_model) event.head.response = response_ * 2 + 1;
        event.body = std::move(body);
        events_.push_back(std::move(event));
        return *this;
    }

    std::deque<std::string> kept_;  // a deque: views into it stay
    std::vector<Event> events_;
    std::uint64_t line_ = 0;
    std::uint32_t lane_ = 0;
    std::uint64_t response_ = 0;
    std::int64_t time_ms_ = kNoTime;
};

}  // namespace agent_audit::test
