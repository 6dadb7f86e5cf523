#pragma once

#include "detectors/engine/lane_track.hpp"
#include "policy/breaker.hpp"
#include "policy/ladder.hpp"
#include "policy/run_clock.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/model/context.hpp>
#include <agent_audit/model/event.hpp>
#include <agent_audit/model/peer.hpp>
#include <agent_audit/policy/decision.hpp>
#include <agent_audit/policy/policy.hpp>
#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::policy {

/// A call that is about to run.
struct CallSeen {
    std::uint32_t lane = 0;
    std::uint64_t tool = 0;  ///< hash of its name
    std::string_view name;   ///< as recorded
    std::uint64_t call = 0;  ///< hash of tool and arguments
    std::uint64_t line = 0, seq = 0;
    std::int64_t time_ms = kNoTime;
};

/// How a tool's breaker fared.
struct BreakerTotals {
    std::string tool;
    std::uint64_t opened = 0, refused = 0;
    BreakerState state = BreakerState::closed;
};

/// The intervention engine: is told what happens in a run and decides, by its policy, what to do about it. Memory is
/// bounded whatever the run: limits in supervisor.cpp. It never looks ahead, and what was decided stays decided.
/// supervisor.cpp is told what happens, supervisor_turns.cpp looks at a response that is over, and
/// supervisor_pattern.cpp climbs the ladder.
class Supervisor {
public:
    explicit Supervisor(const RunPolicy& policy);

    // What happens, in the order of the recording.
    void at(std::uint64_t line, std::int64_t time_ms);  ///< an event was read
    void said(std::uint64_t characters) {
        characters_ += characters;
        since_reset_ += characters;
    }
    void on_human(std::uint32_t lane);
    void keep_goal(std::string goal);  ///< of the main conversation, instead of the one before
    void on_call(const CallSeen& call);
    void on_answer(std::uint32_t lane, std::int64_t time_ms, const ToolResult& result);
    void on_step(const Step& step, std::uint32_t lane);
    /// Before on_response: what the response did, in texts and calls, and how many words of the goal that has.
    void on_words(std::uint32_t lane, std::uint32_t actions, std::uint32_t goal_words);
    /// A response is over, and these patterns are open. `end` is its last record, whether it made calls or only spoke.
    void on_response(std::uint64_t response, Place end, std::span<const Finding> open, const LaneTrack& track);
    void on_request(std::uint32_t lane, const RequestFigures& figures);
    void on_compaction(std::uint32_t lane);
    void on_peer(const PeerReaction& reaction, std::string_view profile, bool stopped);
    void spent(const TokenCounts& tokens, const std::optional<Money>& cost) {
        spent_ = tokens;
        cost_ = cost;
    }

    /// The run was stopped: nothing more will be decided.
    bool ended() const { return ended_; }
    /// The same for one conversation.
    bool ended(std::uint32_t lane) const;
    const std::vector<Decision>& decisions() const { return decisions_; }
    std::uint64_t not_kept() const { return not_kept_; }
    std::uint64_t self_waited() const { return self_waited_; }  ///< retries before which the agent had waited by itself
    std::vector<BreakerTotals> breakers() const;
    std::vector<std::uint64_t> checkpoints() const { return checkpoints_; }
    const std::string& goal() const { return goal_; }

private:
    struct Retry {  // a call that failed and may come again
        std::uint64_t call = 0;
        int failures = 0;
        std::int64_t failed_at = kNoTime;
        std::int64_t asked_ms = 0;  // the last failure asked to wait so long
        bool given_up = false;
    };
    struct AskedWait {  // by the answer of a call of the response that is open
        IdHash call_id = 0;
        std::int64_t ms = 0;
    };
    struct LaneState {
        std::uint32_t lane = 0;
        std::uint64_t last_used = 0;
        Ladder ladder;
        std::uint64_t iterations = 0;
        std::uint64_t good = 0;  // of the track, so far
        std::uint64_t response = 0, step = 0;
        std::uint64_t last_line = 0, last_seq = 0;  // of the response so far
        std::uint64_t verified_line = 0;            // last checkpoint
        std::uint32_t epoch = 0;
        std::int64_t answered_ms = kNoTime;  // as recorded
        std::optional<std::int64_t>
            answered_at;  // by the run's clock: before whatever showed that the response is over
        Step last;
        std::uint32_t steps_in_response = 0, failed_in_response = 0;
        std::uint32_t refused_in_response = 0;  // by a breaker that was open
        std::uint32_t refused_responses = 0;    // in a row, with nothing but such calls
        bool checked = false;                   // a check passed in this response
        std::vector<std::uint64_t> recent;      // calls, for stagnation
        std::vector<Retry> retries;
        std::vector<AskedWait> asked;
        bool over_share = false;  // by the last request, the context is too full
        bool full = false;        // and that was acted upon
        bool stagnant = false;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> said;  // actions and words of the goal, a response each
        bool away = false;                                          // and there were too few of them
        bool ended = false;
    };
    struct ToolState {
        std::uint64_t tool = 0;
        std::string name;
        Breaker breaker;
    };

    /// What the last failure of a call asked to wait, in ms; 0: nothing.
    static std::int64_t asked_ms(const LaneState& l, std::uint64_t call) {
        const auto known = std::ranges::find(l.retries, call, &Retry::call);
        return known == l.retries.end() ? 0 : known->asked_ms;
    }
    LaneState& lane(std::uint32_t number);
    ToolState* tool(std::uint64_t hash, std::string_view name);
    const ToolRules* rules_of(std::string_view tool_name) const;
    int retries_of(std::string_view tool_name) const;

    bool settle_breaker(LaneState& l, const Step& step, bool counts);
    void tell_breaker(LaneState& l, const std::string& name, const std::string& why);
    void note_retry(LaneState& l, const Step& step, bool counts);
    bool judge_pattern(LaneState& l, std::span<const Finding> open, const LaneTrack& track);
    const Finding* worst(std::span<const Finding> open, const LaneState& l, Severity& severity) const;
    std::string why_not(Action action, const LaneState& l, const Finding& finding) const;
    bool judge_limits(LaneState& l);
    bool judge_context(LaneState& l);
    bool judge_stagnation(LaneState& l);
    bool judge_similarity(LaneState& l, const LaneTrack& track);
    bool judge_turns(LaneState& l, const LaneTrack& track);
    void checkpoint(LaneState& l);
    bool out_of_lane(const LaneState& l) const { return ended_ || l.ended; }

    Decision draft(const LaneState& l, Action action, Trigger trigger) const;
    void fill_pattern(Decision& d, const LaneState& l, const Finding& finding, Severity severity) const;
    std::string reflection_prompt(const LaneState& l, const LaneTrack& track, ReflectionLevel level,
                                  std::string_view why) const;
    void reset_in(LaneState& l);
    void decide(LaneState& l, Decision decision);

    const RunPolicy& policy_;
    RunClock clock_;
    std::uint64_t line_ = 0;
    std::uint64_t uses_ = 0;
    std::uint64_t calls_ = 0, responses_ = 0, characters_ = 0, since_reset_ = 0;
    std::array<bool, 7> warned_{}, reached_{};  // in the order of kLimitNames
    TokenCounts spent_;
    std::optional<Money> cost_;
    std::string goal_;
    std::vector<LaneState> lanes_;
    std::vector<std::uint32_t> ended_lanes_;
    std::vector<ToolState> tools_;
    std::vector<Decision> decisions_;
    std::vector<std::uint64_t> checkpoints_;
    std::uint64_t not_kept_ = 0;
    std::uint64_t self_waited_ = 0;
    bool ended_ = false;
};

}  // namespace agent_audit::policy
