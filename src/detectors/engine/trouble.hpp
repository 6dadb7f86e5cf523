#pragma once

#include <agent_audit/detectors/step.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// How a call of the model came to nothing.
enum class Trouble : std::uint8_t {
    none,
    failed,            ///< it ran, or was to run, and ended in an error
    denied_by_person,  ///< somebody read it and said no; also where nothing tells who did
    denied_by_rule,    ///< a permission rule, a hook, a mode, or that there was nobody to ask
};

/// A rule of the session that is told of each such call, those that are no evidence of a loop included. Kept apart from
/// Detector: hardly any rule asks for it.
class TroubleListener {
public:
    virtual ~TroubleListener() = default;
    /// `at`: where the result stands, or the call where there is none. `tool` is valid during the call only.
    virtual void on_trouble(Trouble trouble, Place at, std::string_view tool) = 0;

protected:
    TroubleListener() = default;
    TroubleListener(const TroubleListener&) = default;
    TroubleListener& operator=(const TroubleListener&) = default;
};

}  // namespace agent_audit::detectors
