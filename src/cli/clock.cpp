#include "cli/clock.hpp"

#include <agent_audit/support/time.hpp>

#include <chrono>
#include <cstdlib>

namespace agent_audit::cli {

Result<std::int64_t> now_ms() {
    const char* set = std::getenv(kNowVariable);
    if (set && *set != '\0') {
        if (const auto time = parse_time_ms(set)) return *time;
        return Error{std::string(kNowVariable) + " = \"" + set + "\": expected a time such as 2026-02-12T03:04:42Z"};
    }
    using namespace std::chrono;
    return std::int64_t{duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
}

}  // namespace agent_audit::cli
