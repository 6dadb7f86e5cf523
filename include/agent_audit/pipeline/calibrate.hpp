#pragma once

#include <agent_audit/support/result.hpp>
#include <agent_audit/tokens/calibration.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit {

/// What one session's billed prompts say about its texts, and how well that predicts.
struct CalibratedSession {
    std::string id;
    std::string format;
    std::size_t requests = 0, trained = 0;
    FeatureVector weights{};
    double unseen = 0;  ///< tokens of every prompt that the recording does not show
    std::size_t samples = 0, rejected = 0, restarts = 0;
    double median_error = 0;  ///< of the next prompt, while learning

    /// A request after those learnt from. The estimates that learn nothing (run: the weights before
    /// learning) know the unseen part from the first request.
    struct Held {
        std::uint64_t line = 0, prompt = 0;
        double calibrated = 0, run = 0, chars4 = 0;
    };
    std::vector<Held> held;
};

/// Learns from the first `share` of the requests of each session of an input and predicts the rest. After a compaction
/// (or where a prompt shrinks as after one) the first request only says how much is unseen now; it is not predicted.
Result<std::vector<CalibratedSession>> calibrate(const std::string& input, double share = 0.8);

}  // namespace agent_audit
