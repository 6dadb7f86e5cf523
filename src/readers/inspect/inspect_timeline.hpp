#pragma once

#include "readers/json/json_util.hpp"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace agent_audit::readers {

/// When a message or a call began and ended.
struct InspectTiming {
    std::int64_t begin_ms = kNoTime, end_ms = kNoTime;
    std::size_t request = 0;  ///< number of the model event, from 1
};

struct InspectRequest {
    TokenCounts tokens;
    double cost_usd = 0;
    std::string_view model;
    std::int64_t time_ms = kNoTime;
    bool has_usage = false, told = false;
};

struct InspectShrink {
    std::size_t after_request = 0;
    std::uint64_t before = 0, after = 0;
    std::int64_t time_ms = kNoTime;
};

/// What the events of a sample say about its messages: when they came and what they cost. Their prompts are passed
/// over.
class InspectTimeline {
public:
    static constexpr std::size_t kMost = 100'000;  ///< events of one sample that are remembered

    void clear();
    /// One event. False for broken JSON.
    bool collect(json::value& event);
    InspectTiming of(std::string_view id) const;

    std::vector<InspectRequest>& requests() { return requests_; }
    const std::vector<InspectShrink>& shrinks() const { return shrinks_; }
    std::int64_t start_ms() const { return start_ms_; }
    std::int64_t end_ms() const { return end_ms_; }

    static bool collect_usage(json::value& v, InspectRequest& request);

private:
    struct Parts {
        std::string_view kind, id, timestamp, completed, message_id;
        InspectRequest request;
        InspectShrink shrink;
    };

    static bool collect_output(json::value& v, Parts& e);
    void note(Parts& e);
    void note(std::string_view id, const InspectTiming& timing);

    std::unordered_map<IdHash, InspectTiming> noted_;  // by id of message and of call
    std::vector<InspectRequest> requests_;
    std::vector<InspectShrink> shrinks_;
    std::int64_t start_ms_ = kNoTime, end_ms_ = kNoTime;
};

}  // namespace agent_audit::readers
