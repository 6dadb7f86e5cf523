#pragma once

#include "detectors/outcomes/error_class.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace agent_audit::detectors {

/// Classes of failing texts that were looked at lately: the same errors come again and again.
class ErrorClassMemory {
public:
    ErrorClass of(RawText text, const ErrorClassifier& classifier) {
        const std::uint64_t hash = ErrorClassifier::hash(text) | 1;
        Known& known = known_[(hash >> 1) % kKept];
        if (known.hash != hash) known = {hash, classifier.classify(text)};
        return known.error;
    }

private:
    static constexpr std::size_t kKept = 64;
    struct Known {
        std::uint64_t hash = 0;  // 0: none yet
        ErrorClass error = ErrorClass::none;
    };
    std::array<Known, kKept> known_{};
};

}  // namespace agent_audit::detectors
