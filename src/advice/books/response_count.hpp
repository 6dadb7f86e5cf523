#pragma once

#include <agent_audit/model/event.hpp>

#include <cstdint>

namespace agent_audit::advice {

/// Counts the responses of the model in the main conversation as a scan counts them: parallel calls whose results come
/// between them are of one response where its id says so.
class ResponseCount {
public:
    void see(const Event& event);
    /// A call of the main conversation has its result.
    void result_seen() { results_seen_ = spoke_; }
    /// The event, which see() has not been told of yet, begins another response.
    bool begins(const Event& event) const;
    std::uint64_t count() const { return count_; }

private:
    std::uint64_t count_ = 0;
    IdHash response_ = 0;
    bool spoke_ = false;         // the response has begun
    bool results_seen_ = false;  // since it was last heard
};

}  // namespace agent_audit::advice
