#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/support/hash.hpp>

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::test {

/// Events of a session written by hand, each on its own line, from 1. They can be told to anybody, as often as wanted.
class Recording {
public:
    explicit Recording(std::string_view cwd = "/home/dev/app") {
        SessionStart start;
        start.session_id = keep("s-1");
        start.cwd = keep(cwd);
        add(start);
    }

    Recording& human(std::string_view text) {
        ++turn_;
        return add(Message{Role::user, Origin::human, keep(text), 0});
    }
    Recording& injected(std::string_view text) { return add(Message{Role::user, Origin::injected, keep(text), 0}); }
    Recording& says(std::string_view text) {
        ++response_;
        return add(Message{Role::assistant, Origin::agent, keep(text), 0});
    }
    Recording& compaction() { return add(Compaction{}); }
    /// What a compaction left, in a message that completes its record.
    Recording& summary(std::string_view text) {
        add(Message{Role::user, Origin::summary, keep(text), 0});
        events_.back().head.flags |= kPartial;
        return *this;
    }
    Recording& turn_end(TurnStatus status) { return add(TurnEnd{status, -1}); }
    /// What follows is of another conversation: 0 = the main one, others are sub-agents'.
    Recording& lane(std::uint32_t lane) {
        lane_ = lane;
        return *this;
    }
    /// As formats have it that write a session on one line.
    Recording& on_one_line() {
        for (Event& event : events_) event.head.where.line = 1;
        return *this;
    }

    /// A call in a response of its own and its result.
    Recording& call(std::string_view tool, std::string_view primary, std::string_view args, std::string_view result,
                    ResultStatus status = ResultStatus::ok, std::string_view handle = {}) {
        ++response_;
        ToolCall made;
        const std::string id = "call-" + std::to_string(++calls_);
        made.call_id = keep(id);
        made.name = keep(tool);
        made.args = keep(args);
        made.primary = keep(primary);
        made.digest.canonical = mix_hash(stable_hash(tool), stable_hash(args));
        add(made);
        ToolResult answer;
        answer.call_id = keep(id);
        answer.text = keep(result);
        answer.status = status;
        answer.handle = keep(handle);
        return add(answer);
    }
    Recording& shell(std::string_view command, std::string_view output, ResultStatus status = ResultStatus::ok) {
        return call("Bash", command, R"({"command":")" + std::string(command) + R"("})", output, status);
    }
    Recording& edit(std::string_view path, ResultStatus status = ResultStatus::ok) {
        const std::string args = R"({"file_path":")" + std::string(path) + R"(","old_string":"a)" +
                                 std::to_string(calls_) + R"(","new_string":"b"})";
        return call("Edit", path, args, status == ResultStatus::ok ? "done" : "String to replace not found", status);
    }
    Recording& read(std::string_view path) {
        return call("Read", path, R"({"file_path":")" + std::string(path) + R"("})", "text of " + std::string(path));
    }

    std::uint64_t line() const { return events_.size(); }

    template <class Listener>
    void tell(Listener& listener, std::uint64_t up_to = UINT64_MAX) const {
        for (const Event& event : events_) {
            if (event.head.where.line <= up_to) listener.on_event(event);
        }
    }

private:
    RawText keep(std::string_view text) { return {kept_.emplace_back(text), TextForm::plain}; }

    Recording& add(EventBody body) {
        Event event;
        const std::uint64_t line = events_.size() + 1;
        event.head.seq = line;
        event.head.where = {0, 100, line, line * 100};
        event.head.turn = turn_;
        event.head.lane = lane_;
        const bool of_model =
            std::holds_alternative<ToolCall>(body) ||
            (std::holds_alternative<Message>(body) && std::get<Message>(body).role == Role::assistant);
        if (of_model) event.head.response = response_ * 2 + 1;
        event.body = std::move(body);
        events_.push_back(event);
        return *this;
    }

    std::deque<std::string> kept_;
    std::vector<Event> events_;
    std::uint64_t response_ = 0, calls_ = 0;
    std::uint32_t turn_ = 0, lane_ = 0;
};

}  // namespace agent_audit::test
