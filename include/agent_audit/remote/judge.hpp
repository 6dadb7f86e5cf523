#pragma once

#include <agent_audit/model/judgement.hpp>
#include <agent_audit/remote/endpoint.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::remote {

/// A finding, and what stands in the recording at its place. Texts are redacted and bounded by whoever fills it.
struct SpinCase {
    struct Step {
        std::string_view role;  ///< a constant
        std::string text;
    };
    std::string rule, message;  ///< what our rules say
    std::string goal;
    std::vector<Step> steps;
    std::uint64_t left_out = 0;  ///< steps in the middle that are not shown
    bool drift = false;          ///< the question is whether the goal was left, not whether the agent spins
};

/// What the judge answers, once it is checked.
struct SpinAnswer {
    bool is_spinning = false;  ///< of a question about drift: the goal was left
    std::string reason;
    std::vector<std::string> suggestions, next_actions;
};
/// Nothing: `content` is not what was asked for, and `problem` says why. Lists keep at most 8 entries, texts 500 bytes.
std::optional<SpinAnswer> read_spin_answer(std::string_view content, std::string& problem);
/// The same of a question about drift: `left_goal` in the place of `is_spinning`, which is understood as well.
std::optional<SpinAnswer> read_drift_answer(std::string_view content, std::string& problem);
/// The JSON schema the answer must follow.
std::string_view spin_schema();
std::string_view drift_schema();

/// Asks a model whether an agent goes in circles, or has left its goal. What the recording says is data to it; what it
/// says is data to us.
class Judge {
public:
    explicit Judge(Endpoint& endpoint) : endpoint_(endpoint) {}
    struct Outcome {
        std::optional<SpinAnswer> answer;
        std::string problem;
        bool cached = false;
    };
    Outcome ask(const SpinCase& spin);

private:
    Endpoint& endpoint_;
};

}  // namespace agent_audit::remote
