#pragma once

#include <agent_audit/profiles/profile.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <functional>
#include <string>
#include <string_view>

namespace agent_audit::test {

/// A hand-written session for one emulation profile. Every event has its own line, starting at 1; a call and its answer
/// are two.
class PeerSession {
public:
    explicit PeerSession(std::string_view profile) : spec_(find_profile(profile)), watch_(spec()) {}

    PeerSession& human(std::string_view text = "go on") {
        return emit(Message{Role::user, Origin::human, keep(text), 0});
    }
    PeerSession& says(std::string_view text) {
        return respond().emit(Message{Role::assistant, Origin::agent, keep(text), 0});
    }
    PeerSession& thinks(std::string_view text) { return respond().emit(Thinking{keep(text), 0}); }
    PeerSession& compaction() { return emit(Compaction{}); }

    /// A call in a response of its own, with its answer.
    PeerSession& call(std::string_view tool, std::string_view args, std::string_view result = "ok",
                      ResultStatus status = ResultStatus::ok) {
        return respond().open(tool, args).answer(result, status);
    }
    PeerSession& fails(std::string_view tool, std::string_view args, std::string_view error) {
        return call(tool, args, error, ResultStatus::error);
    }
    /// A shell command that ended with `code`.
    PeerSession& runs(std::string_view command, std::string_view output, int code = 0) {
        respond().open("bash", "{\"command\":\"" + std::string(command) + "\"}");
        return answer(output, code == 0 ? ResultStatus::ok : ResultStatus::error, code);
    }
    /// The same thing again and again.
    PeerSession& times(int n, const std::function<void(PeerSession&, int)>& what) {
        for (int i = 0; i < n; ++i) what(*this, i);
        return *this;
    }

    PeerSession& respond() {
        ++response_;
        return *this;
    }
    /// Speech in the current response.
    PeerSession& adds(std::string_view text) { return emit(Message{Role::assistant, Origin::agent, keep(text), 0}); }
    PeerSession& open(std::string_view tool, std::string_view args) {
        ToolCall call;
        waiting_.push_back("call-" + std::to_string(++calls_));
        call.call_id = keep(waiting_.back());
        call.name = keep(tool);
        call.args = {kept_.emplace_back(args), TextForm::json_value};
        return emit(call);
    }
    PeerSession& answer(std::string_view text, ResultStatus status = ResultStatus::ok, std::optional<int> code = {}) {
        REQUIRE(!waiting_.empty());
        ToolResult result;
        result.call_id = keep(waiting_.front());
        waiting_.pop_front();
        result.text = keep(text);
        result.status = status;
        result.exit_code = code;
        return emit(result);
    }
    PeerSession& in_lane(std::uint32_t lane) {
        lane_ = lane;
        return *this;
    }
    PeerSession& at(std::int64_t seconds) {
        time_ms_ = seconds * 1000;
        return *this;
    }

    PeerOutcome end() {
        auto outcomes = watch_.finish();
        REQUIRE(outcomes.size() == 1);
        return outcomes[0];
    }
    /// Steps of the first warning and of the first stop; 0 = none. Written as the tables of such things are: {5, 6}.
    struct Steps {
        std::uint64_t warned = 0, stopped = 0;
        friend bool operator==(const Steps&, const Steps&) = default;
        friend std::ostream& operator<<(std::ostream& out, const Steps& s) {
            return out << '{' << s.warned << ", " << s.stopped << '}';
        }
    };
    Steps steps() {
        const PeerOutcome outcome = end();
        return {outcome.warned ? outcome.warned->step : 0, outcome.stopped ? outcome.stopped->step : 0};
    }

    PeerSession& emit(EventBody body) {
        Event event;
        event.head.seq = ++line_;
        event.head.where = {0, 100, line_, line_ * 100};
        event.head.lane = lane_;
        event.head.time_ms = time_ms_;
        const bool of_model =
            std::holds_alternative<ToolCall>(body) || std::holds_alternative<Thinking>(body) ||
            (std::holds_alternative<Message>(body) && std::get<Message>(body).role == Role::assistant);
        if (of_model) event.head.response = response_ * 2 + 1;
        event.body = std::move(body);
        watch_.on_event(event);
        return *this;
    }

private:
    std::span<const ProfileSpec* const> spec() const {
        REQUIRE(spec_);
        return {&spec_, 1};
    }
    RawText keep(std::string_view text) { return {kept_.emplace_back(text), TextForm::plain}; }

    const ProfileSpec* spec_;
    PeerWatch watch_;
    std::deque<std::string> kept_;
    std::deque<std::string> waiting_;
    std::uint64_t line_ = 0;
    std::uint64_t response_ = 0;
    std::uint64_t calls_ = 0;
    std::uint32_t lane_ = 0;
    std::int64_t time_ms_ = kNoTime;
};

}  // namespace agent_audit::test
