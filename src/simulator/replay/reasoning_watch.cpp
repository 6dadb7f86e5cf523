#include "simulator/replay/reasoning_watch.hpp"

#include <algorithm>
#include <utility>

namespace agent_audit::simulator {
namespace {

// How far off an expected prompt may be because the tokens of what came are not known exactly.
double noise(double arrived) {
    constexpr double kSlack = 30, kInexact = 0.15;
    return kSlack + kInexact * arrived;
}

}  // namespace

void ReasoningWatch::on_message(const Recorded& message, double tokens) {
    const bool answer = message.message->role == Role::assistant;
    if (answer && std::exchange(expects_answer_, false)) return;  // it is billed as output
    arrived_ += tokens;
    if (message.human && !human_) human_ = message.place;
}

void ReasoningWatch::restart() { reasoning_ = carried_ = newest_ = prefix_ = expected_ = 0; }

// Some providers never read reasoning again: then nothing of it can leave.
void ReasoningWatch::see_carried(double fall) {
    if (newest_ > 2 * noise(arrived_) && fall < newest_ / 2) carried_ += newest_;
}

void ReasoningWatch::decide(double fall) {
    if (carried_ < 2 * noise(arrived_)) return;
    if (fall > 1.5 * reasoning_ + noise(arrived_)) return;  // more has left than that
    leaves_ = fall > carried_ / 2;
}

std::optional<ReasoningWatch::Left> ReasoningWatch::on_request(const RecordedRequest& request) {
    const auto prompt = static_cast<double>(request.prompt), reasoning = static_cast<double>(request.billed.reasoning);
    std::optional<Left> left;
    if (prompt > 0 && expected_ > 0 && !request.restart) {
        const double fall = expected_ + arrived_ - prompt;
        human_ ? decide(fall) : see_carried(fall);
    }
    if (human_ && any_ && leaves_) {
        left = Left{*human_, prefix_};
        any_ = false;
        reasoning_ = carried_ = prefix_ = 0;
    }
    if (reasoning > 0) {
        if (reasoning_ == 0) prefix_ = prompt;
        reasoning_ += reasoning;
        any_ = true;
    }
    newest_ = reasoning;
    expected_ = prompt > 0 ? prompt + static_cast<double>(request.billed.output) : 0;
    arrived_ = 0;
    human_.reset();
    expects_answer_ = true;
    return left;
}

}  // namespace agent_audit::simulator
