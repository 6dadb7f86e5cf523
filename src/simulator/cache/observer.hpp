#pragma once

#include <agent_audit/simulator/cache.hpp>
#include <agent_audit/simulator/observer.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace agent_audit::simulator {

/// The policy under which the recorded history is replayed.
inline constexpr std::string_view kRecordedPolicy = "recorded";

/// What the provider's cache does to the prompts of one policy, and what they cost.
class CacheObserver final : public RequestObserver {
public:
    explicit CacheObserver(std::string_view policy) : recorded_(policy == kRecordedPolicy) {}

    void on_request(const RequestView& request, TurnRow& row) override;
    void on_end(PolicyOutcome& outcome) override;

private:
    void take_view(const RequestView& request);
    void learn_life(const RequestMoment& moment, const CacheRules& rules);

    bool recorded_;
    CacheModel model_;
    PromptPrefixes prompt_;
    std::vector<double> ends_;  // of prompt_'s places, before rounding
    std::uint64_t unseen_hash_ = 0, reusable_ = 0;
    double last_ms_ = 0;
    bool long_life_ = false;
    PolicyOutcome::CacheTotals totals_;
    CacheAgreement agreement_;
    RequestCost cost_;
    std::uint64_t requests_ = 0;
};

std::unique_ptr<RequestObserver> make_cache_observer(std::string_view policy);

}  // namespace agent_audit::simulator
