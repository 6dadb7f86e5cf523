#pragma once

#include <agent_audit/simulator/cache.hpp>
#include <agent_audit/simulator/observer.hpp>

#include <cstdint>
#include <memory>
#include <optional>
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
    const CacheRules& rules_of(const ModelInfo* model);
    void take_view(const RequestView& request);
    std::optional<RecordedRead> recorded_shortfall(const RequestMoment& moment, const CacheRules& rules,
                                                   std::uint64_t setting);
    void learn_minimum(const RequestMoment& moment);
    void learn_life(const RequestMoment& moment, const CacheRules& rules);
    CacheUse hold(CacheUse use, const RecordedRead& record, const CacheRules& rules);
    std::optional<CacheEditRow> edit_of(const RequestMoment& moment, const TurnRow& row, CacheMiss miss,
                                        std::uint64_t readable);

    bool recorded_;
    CacheModel model_;
    std::optional<const ModelInfo*> rules_of_;  // whose they are
    CacheRules rules_;
    std::uint64_t setting_ = 0;
    PromptPrefixes prompt_;
    struct Sent {
        std::uint64_t hash = 0;
        double tokens = 0;
        std::uint32_t blocks = 0;
        bool operator==(const Sent&) const = default;
    };
    std::vector<double> ends_;  // of prompt_'s places, before rounding
    std::vector<Sent> sent_;    // what they are of
    std::uint64_t unseen_hash_ = 0;
    std::uint64_t reusable_ = 0, last_setting_ = 0;  // of the recorded request before
    double last_ms_ = 0;
    bool long_life_ = false;
    PolicyOutcome::CacheTotals totals_;
    CacheAgreement agreement_;  // of the recorded history, where that is replayed
    RequestCost cost_;
    bool shows_cache_ = false;            // the recording has read or written something
    std::uint64_t model_read_ = 0;        // before it was held to the record
    bool cut_ = false;                    // the request changed what the one before had sent
    double cut_at_ = 0, cut_from_ = 0;    // tokens that stayed, and how many there were
    std::vector<std::uint64_t> pays_at_;  // by request, those edits that pay off at all
    std::uint64_t requests_ = 0;
};

std::unique_ptr<RequestObserver> make_cache_observer(std::string_view policy);

}  // namespace agent_audit::simulator
