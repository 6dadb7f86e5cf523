#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/model/report.hpp>

#include <cstdint>

namespace agent_audit::detectors {

/// Counts what a provider answered instead of a response, by status, and remembers from where to where.
class ProviderErrorCount {
public:
    void see(const Notice& notice, std::uint64_t line);
    ProviderErrors take();
    void clear() { errors_ = {}; }

private:
    ProviderErrors errors_;
};

}  // namespace agent_audit::detectors
