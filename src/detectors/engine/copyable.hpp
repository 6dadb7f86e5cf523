#pragma once

#include <agent_audit/detectors/detector.hpp>

#include <memory>
#include <utility>

namespace agent_audit::detectors {

/// A rule that Detector::copy can copy, for factories that bind_detector does not make.
template <class D, class... Arguments>
std::unique_ptr<Detector> copyable(Arguments&&... arguments) {
    auto made = std::make_unique<D>(std::forward<Arguments>(arguments)...);
    made->template copied_as<D>();
    return made;
}

}  // namespace agent_audit::detectors
