#pragma once

#include <agent_audit/detectors/engine.hpp>
#include <agent_audit/detectors/policy.hpp>
#include <agent_audit/support/hash.hpp>

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

namespace agent_audit::test {

/// A hand-written session that reads like one. Every event gets its own line, starting at 1.
class Session {
public:
    /// Runs all rules, or only `rule`, with settings such as {"warn", "4"} or {"constraints.max-turns", "4"}.
    explicit Session(std::string_view rule = {}, std::vector<std::pair<std::string, std::string>> set = {},
                     const EngineOptions& options = {}) {
        Settings settings;
        for (auto& [name, value] : set)
            settings.set(name.find('.') == name.npos ? std::string(rule) + "." + name : name, {value, "test"});
        settings = with_policy(options.policy, std::move(settings));
        for (const DetectorSpec& spec : all_detectors()) {
            if (!rule.empty() && spec.id != rule) continue;
            auto factory = spec.bind(settings);
            REQUIRE(factory.has_value());
            bound_.push_back({&spec, *factory});
        }
        engine_ = std::make_unique<SessionEngine>(bound_, options);
    }

    Session& human(std::string_view text) { return emit(Message{Role::user, Origin::human, keep(text), 0}); }
    Session& injected(std::string_view text) { return emit(Message{Role::user, Origin::injected, keep(text), 0}); }
    Session& hook(std::string_view text) { return emit(Message{Role::user, Origin::hook, keep(text), 0}); }
    Session& says(std::string_view text) {
        return respond().emit(Message{Role::assistant, Origin::agent, keep(text), 0});
    }
    /// Of a group, in which every speaker has a name.
    Session& says_as(std::string_view speaker, std::string_view text) {
        return respond().emit(Message{Role::assistant, Origin::agent, keep(text), 0, keep(speaker)});
    }
    Session& thinks(std::string_view text) { return emit(Thinking{keep(text), 0}); }
    Session& compaction() { return emit(Compaction{}); }
    Session& interrupt() { return emit(TurnEnd{TurnStatus::aborted, -1}); }

    /// A call in a response of its own, with its result.
    Session& call(std::string_view tool, std::string_view argument, std::string_view result,
                  ResultStatus status = ResultStatus::ok) {
        return respond().open(tool, argument).answer(result, status);
    }
    Session& fails(std::string_view tool, std::string_view argument, std::string_view error) {
        return call(tool, argument, error, ResultStatus::error);
    }

    /// The same with the arguments as the JSON text `args`; `argument` is the one worth quoting.
    Session& call_json(std::string_view tool, std::string_view argument, std::string_view args, std::string_view result,
                       ResultStatus status = ResultStatus::ok) {
        return respond().open_json(tool, argument, args).answer(result, status);
    }

    /// Every event from here on happens `seconds` after the epoch.
    /// Said first: where the session began.
    Session& in_folder(std::string_view folder) {
        engine_->in_folder(folder);
        return *this;
    }
    Session& at(std::int64_t seconds) {
        time_ms_ = seconds * 1000;
        return *this;
    }

    /// Every event from here on has these EventFlags.
    Session& flagged(std::uint16_t flags) {
        flags_ = flags;
        return *this;
    }

    /// A new model response begins.
    Session& respond() {
        ++response_;
        return *this;
    }
    /// A call in the current response; answered by the next answer() in order, or by its id.
    Session& open(std::string_view tool, std::string_view argument) { return open_json(tool, argument, argument); }
    Session& open_json(std::string_view tool, std::string_view argument, std::string_view args) {
        ToolCall call;
        const std::string id = "call-" + std::to_string(++calls_);
        call.call_id = keep(id);
        call.name = keep(tool);
        call.args = keep(args);
        call.primary = keep(argument);
        call.digest.canonical = mix_hash(stable_hash(tool), stable_hash(args));
        waiting_.push_back(id);
        return emit(call);
    }
    Session& answer(std::string_view text, ResultStatus status = ResultStatus::ok) {
        REQUIRE(!waiting_.empty());
        const std::string id = waiting_.front();
        waiting_.pop_front();
        return answer_id(id, text, status);
    }
    /// The next one goes on in the background, under this name.
    Session& goes_on(std::string_view name) {
        REQUIRE(!waiting_.empty());
        ToolResult result;
        result.call_id = keep(waiting_.front());
        waiting_.pop_front();
        result.status = ResultStatus::running;
        result.handle = keep(name);
        return emit(result);
    }
    /// The next one has a picture beside its words; `stored`: in the record itself.
    Session& shows(std::uint64_t picture, std::string_view text, bool stored = false) {
        REQUIRE(!waiting_.empty());
        ToolResult result;
        result.call_id = keep(waiting_.front());
        waiting_.pop_front();
        result.text = keep(text);
        result.status = ResultStatus::ok;
        result.media_count = 1;
        result.media_hash = picture;
        result.media_stored = stored;
        return emit(result);
    }
    /// The next one ended with this exit code.
    Session& exits(int code, std::string_view text) {
        REQUIRE(!waiting_.empty());
        ToolResult result;
        result.call_id = keep(waiting_.front());
        waiting_.pop_front();
        result.text = keep(text);
        result.exit_code = code;
        result.status = code == 0 ? ResultStatus::ok : ResultStatus::error;
        return emit(result);
    }
    Session& answer_id(std::string_view id, std::string_view text, ResultStatus status = ResultStatus::ok) {
        ToolResult result;
        result.call_id = keep(id);
        result.text = keep(text);
        result.status = status;
        return emit(result);
    }
    Session& unanswered() {
        waiting_.pop_front();
        return *this;
    }

    /// Tokens billed for the current response.
    Session& usage(std::uint64_t prompt, std::uint64_t output) {
        spent_.input += prompt;
        spent_.output += output;
        return emit(Usage{});
    }

    /// The current response was billed with these figures.
    Session& request(const RequestFigures& figures) {
        emit(Usage{});
        engine_->on_request(last_, figures);
        return *this;
    }

    Session& in_lane(std::uint32_t lane) {
        lane_ = lane;
        return *this;
    }

    std::uint64_t line() const { return line_; }

    const std::vector<Finding>& end() {
        outcome_ = engine_->finish();
        return outcome_.findings;
    }
    const SessionCounts& counts() const { return outcome_.counts; }
    const std::vector<UnlistedFindings>& unlisted() const { return outcome_.unlisted; }
    const std::vector<LaneContext>& contexts() const { return outcome_.contexts; }
    const ProviderErrors& provider_errors() const { return outcome_.provider_errors; }
    const std::vector<ToolStats>& tools() const { return outcome_.tools; }
    const ActivityCourse& activity() const { return outcome_.activity; }
    const DriftSeries& drift() const { return outcome_.drift; }

    Session& emit(EventBody body) {
        Event event;
        event.head.seq = ++line_;
        event.head.where = {0, 100, line_, line_ * 100};
        event.head.lane = lane_;
        event.head.time_ms = time_ms_;
        event.head.flags = flags_;
        const bool of_model =
            std::holds_alternative<ToolCall>(body) || std::holds_alternative<Usage>(body) ||
            std::holds_alternative<Thinking>(body) ||
            (std::holds_alternative<Message>(body) && std::get<Message>(body).role == Role::assistant);
        if (of_model) event.head.response = response_ * 2 + 1;
        event.body = std::move(body);
        last_ = event.head;
        engine_->on_event(event, spent_, spent_);
        return *this;
    }

private:
    RawText keep(std::string_view text) { return {kept_.emplace_back(text), TextForm::plain}; }

    std::vector<BoundDetector> bound_;
    std::unique_ptr<SessionEngine> engine_;
    std::deque<std::string> kept_;
    std::deque<std::string> waiting_;
    TokenCounts spent_;
    EventHeader last_;
    SessionOutcome outcome_;
    std::uint64_t line_ = 0;
    std::uint64_t response_ = 0;
    std::uint64_t calls_ = 0;
    std::uint32_t lane_ = 0;
    std::uint16_t flags_ = 0;
    std::int64_t time_ms_ = kNoTime;
};

}  // namespace agent_audit::test
