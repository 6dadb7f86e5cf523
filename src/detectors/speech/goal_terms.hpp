#pragma once

#include <agent_audit/detectors/step.hpp>
#include <agent_audit/model/session_goal.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// What is kept of a sentence: cut between words, with a mark that there was more.
std::string shortened(std::string_view text);

/// The limits that a text states for the work it asks for: "in at most 10 turns", "no more than 5 tool calls", "you
/// have 20 minutes", 最多10轮. Only sentences that speak of the work itself: "retry at most 5 times" is a feature.
/// Plain text.
std::vector<StatedLimit> limits_in(std::string_view text, std::uint64_t line);

/// What a text names as the proof that the work is done: passing tests, a build that is green, a clean linter.
std::vector<StatedMeasure> measures_in(std::string_view text, std::uint64_t line);

/// The terms of a goal, and how a lane keeps them. A limit holds from the message that states it to the next human
/// message: whoever speaks then allows what follows.
class GoalTerms {
public:
    void clear();
    /// What a human wrote, as far as the goal model reads it.
    void hear(std::string_view text, std::uint64_t line);
    /// Before hear() of the next human message, and at the end: what was counted is settled.
    void close();

    bool counts() const { return !open_.empty(); }
    void turn(const Place& at) { use(StatedLimit::What::turns, 1, at); }
    void call(const Place& at) { use(StatedLimit::What::tool_calls, 1, at); }
    void time(std::int64_t ms, const Place& at);

    /// Limits that were passed since the last human message.
    struct Passed {
        StatedLimit limit;
        Place at;
    };
    const std::vector<Passed>& passed() const { return passed_; }

    /// All limits that were stated, with what was used, and the measures.
    void tell(SessionGoal& goal) const;

private:
    static constexpr std::size_t kMostSaid = 4'096;  // bytes of what was said that are kept for the measures

    void use(StatedLimit::What what, std::uint64_t amount, const Place& at);

    std::vector<StatedLimit> open_, closed_;
    std::vector<Passed> passed_;
    std::int64_t began_ms_ = -1;
    std::string said_;
    std::vector<std::pair<std::size_t, std::uint64_t>> said_at_;  // where in it a message begins, and its record
    bool only_greeted_ = false;
};

}  // namespace agent_audit::detectors
