#include <agent_audit/pipeline/hook_guard.hpp>

#include "detectors/commands/tool_names.hpp"
#include "pipeline/settings/silence.hpp"

#include <agent_audit/pipeline/audit.hpp>
#include <agent_audit/pipeline/stream.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace agent_audit {
namespace {

using policy::Action;
using policy::Decision;

// " (lines 3-7)", " (line 3)": places in the hook's own log, which the model has never seen.
std::string without_places(std::string text) {
    constexpr std::string_view kBegin = " (line";
    for (std::size_t at = 0; (at = text.find(kBegin, at)) != text.npos;) {
        const std::size_t end = text.find(')', at);
        if (end == text.npos) break;
        const std::string_view inside = std::string_view(text).substr(at + kBegin.size(), end - at - kBegin.size());
        if (inside.find_first_not_of("s 0123456789-,") == inside.npos)
            text.erase(at, end - at + 1);
        else
            at = end;
    }
    return text;
}

// An action that leaves the model no more tries of what it does; the others are words, or help.
bool is_final(Action action) {
    switch (action) {
        case Action::explore:
        case Action::rollback:
        case Action::reset_context:
        case Action::ask_human:
        case Action::stop: return true;
        default: return false;
    }
}

// Failures in a row say that a service is down. Of the tools that agents run commands and change files with they say no
// more than that different things failed, as they do in runs that are well; who wants these refused names them.
bool breaks_tool_of_all_work(const Decision& d, const policy::RunPolicy& policy) {
    if (d.trigger != policy::Trigger::breaker) return false;
    const auto own = policy.tools.find(d.tool);
    if (own != policy.tools.end() && own->second.breaker_failures) return false;
    const detectors::ToolNameClass known = detectors::classify_tool(d.tool);
    return known.runs_shell || known.by_action || known.tool_class != ToolClass::other;
}

std::string_view next_step(Action action) {
    switch (action) {
        case Action::explore:
        case Action::rollback:
        case Action::reset_context:
            return "Take another way: go back to what was last known to work, and do not make these calls again.";
        case Action::ask_human:
        case Action::stop: return "Stop here: tell the user what was tried, what is in the way, and ask how to go on.";
        default: return "Do something else, or tell the user what is in the way.";
    }
}

std::string words_for(const Decision& d) {
    std::string text = fmt::format("[agent-audit {}] {}.", d.rule.empty() ? std::string(name(d.trigger)) : d.rule,
                                   without_places(d.reason));
    if (!d.advice.empty()) text.append(" ").append(d.advice).append(".");
    if (d.action == Action::back_off && d.delay_ms > 0)
        return text + fmt::format(" Wait {:.0f} s before you try it again.", static_cast<double>(d.delay_ms) / 1000);
    if (d.action == Action::substitute_tool) return text + fmt::format(" Use {} instead of {}.", d.substitute, d.tool);
    if (d.advice.empty() || is_final(d.action)) text.append(" ").append(next_step(d.action));
    return text;
}

// Which calls of a lane wait for their answer. One that was answered never (a person said no) must not keep the
// response open: agents begin the calls they make at once together, so a call behind an answer begins new ones.
class OpenCalls {
public:
    void begin(IdHash call) {
        if (std::exchange(answered_, false)) open_.clear();
        if (open_.size() < kMost) open_.insert(call);
    }
    // True: none is left.
    bool end(IdHash call) {
        answered_ = true;
        open_.erase(call);
        return open_.empty();
    }

private:
    static constexpr std::size_t kMost = 256;
    std::set<IdHash> open_;
    bool answered_ = false;
};

// What the policy wants no more of, until a person speaks.
class Bars {
public:
    void clear() {
        bars_.clear();
        calls_.clear();
    }
    void see(std::uint64_t line, std::uint64_t digest) {
        calls_.push_back({line, digest});
        if (calls_.size() > kMost) calls_.pop_front();
    }
    void add(const Decision& d, std::int64_t breaker_ms) {
        if (d.action == Action::open_breaker) {
            bars_.push_back({d, {}, d.time_ms == kNoTime ? kNoTime : d.time_ms + breaker_ms});
        } else if (is_final(d.action) && (d.first_line != 0 || ends_run(d))) {  // else of no calls in particular
            Bar bar{d, {}, kNoTime};
            for (const Call& call : calls_) {
                if (d.first_line != 0 && call.line >= d.first_line && call.line <= d.line)
                    bar.digests.insert(call.digest);
            }
            bars_.push_back(std::move(bar));
        }
        if (bars_.size() > kMost) bars_.erase(bars_.begin());
    }
    // The newest that holds for the call.
    const Decision* against(const std::string& tool, const CallDigest& digest, std::int64_t now_ms) const {
        for (auto bar = bars_.rbegin(); bar != bars_.rend(); ++bar) {
            const Decision& d = bar->decision;
            const bool held = d.action == Action::open_breaker
                                  ? tool == d.tool && (now_ms == kNoTime || now_ms < bar->until_ms)
                                  : bar->digests.empty() || (!digest.opaque && bar->digests.contains(digest.canonical));
            if (held) return &d;
        }
        return nullptr;
    }

private:
    static constexpr std::size_t kMost = 256;
    struct Call {
        std::uint64_t line, digest;
    };
    struct Bar {
        Decision decision;
        std::set<std::uint64_t> digests;  // empty: all calls
        std::int64_t until_ms;
    };
    std::vector<Bar> bars_;
    std::deque<Call> calls_;
};

class Guard final : public InputSink {
public:
    Guard(const HookGuardPlan& plan, Silences silences) : plan_(plan), silences_(std::move(silences)) {}

    void begin_input(const InputHead& input) override {
        ReplayerOptions options;
        options.signals = input.signals;
        options.lived_with = [this](Finding& finding) {
            silences_.see({&finding, 1}, session_, plan_.log);
            return finding.suppressed.has_value();
        };
        replayer_.emplace(plan_.policy, std::move(options));
    }
    void end_input(const IngestStats&) override {}
    bool wants_more() const override { return !past_; }

    void on_event(const Event& event) override {
        past_ = past_ || (plan_.end != 0 && event.head.where.offset >= plan_.end);
        if (past_) return;
        if (event.head.where.line != line_) begin_line(event.head.where.line);
        if (const auto* message = std::get_if<Message>(&event.body); message && message->origin == Origin::human) {
            bars_.clear();
            over_.clear();
            verdict_ = {};
        }
        if (const auto* start = std::get_if<SessionStart>(&event.body)) name_session(*start);
        const auto* call = std::get_if<ToolCall>(&event.body);
        if (call) look_at(*call, event.head);
        decide(replayer_->on_event(event));
        if (call) open_[event.head.lane].begin(stable_hash(call->call_id.bytes));
        const auto* result = std::get_if<ToolResult>(&event.body);
        answered_ = answered_ || result;
        if (result && open_[event.head.lane].end(stable_hash(result->call_id.bytes)))
            decide(replayer_->before_request(event.head.lane));
    }

    HookVerdict verdict() const {
        HookVerdict verdict = verdict_;
        verdict.over = over_;
        return verdict;
    }

private:
    static constexpr std::size_t kLongestName = 1024;

    // What was decided at a call is said behind one: only there does an agent listen.
    void begin_line(std::uint64_t line) {
        line_ = line;
        if (std::exchange(answered_, false) || verdict_.kind == HookVerdict::Kind::refuse) verdict_ = {};
    }

    void name_session(const SessionStart& start) {
        session_.id = decode_json_string(start.session_id.bytes, kLongestName);
        session_.cwd = decode_json_string(start.cwd.bytes, kLongestName);
    }

    void look_at(const ToolCall& call, const EventHeader& head) {
        const std::string tool = decode_json_string(call.name.bytes, kLongestName);
        if (const Decision* d = bars_.against(tool, call.digest, head.time_ms))
            verdict_ = {HookVerdict::Kind::refuse, d->action, d->rule, words_for(*d)};
        bars_.see(head.where.line, call.digest.canonical);
    }

    // The last of several about one record is the strongest.
    void decide(std::span<const Decision> decisions) {
        for (const Decision& d : decisions) {
            if (breaks_tool_of_all_work(d, plan_.policy->policy)) continue;
            bars_.add(d, plan_.policy->policy.breaker.open_ms);
            if (ends_run(d) || d.action == Action::ask_human) over_ = words_for(d);
            if (verdict_.kind != HookVerdict::Kind::refuse)
                verdict_ = {HookVerdict::Kind::advise, d.action, d.rule, words_for(d)};
        }
    }

    const HookGuardPlan& plan_;
    Silences silences_;
    SessionReport session_;
    std::optional<Replayer> replayer_;
    Bars bars_;
    std::map<std::uint32_t, OpenCalls> open_;
    HookVerdict verdict_;
    std::string over_;
    std::uint64_t line_ = 0;
    bool answered_ = false;  // a result stands in this line
    bool past_ = false;      // what other hooks of the session wrote meanwhile is for them to answer
};

}  // namespace

Result<HookVerdict> judge_hook(const HookGuardPlan& plan) {
    AuditPlan silenced;
    silenced.settings = plan.project.settings;
    silenced.suppressions = plan.project.suppressions;
    silenced.today_days = plan.project.today_days;
    Result<Silences> silences = Silences::make(silenced);
    if (!silences) return Error{silences.error().message};
    Guard guard(plan, std::move(*silences));
    StreamPlan stream;
    stream.inputs = {plan.log};
    stream.input_format = "hook-log";
    const auto outcome = stream_events(stream, guard);
    if (!outcome) return Error{outcome.error().message};
    for (const InputReport& input : outcome->inputs) {
        if (input.error) return Error{*input.error};
    }
    if (outcome->read_inputs == 0) return Error{"the log cannot be read"};
    return guard.verdict();
}

}  // namespace agent_audit
