#include "detectors/outcomes/crashes.hpp"

#include "detectors/words/phrases.hpp"

namespace agent_audit::detectors {

bool says_crash(std::string_view said) {
    constexpr std::string_view kCrashes[] = {
        "egmentation fault", "core dumped", "AddressSanitizer",   "panicked at",
        "ssertion failed",   "ssertion `",  "tack overflow",      "Aborted",
        "SIGSEGV",           "SIGABRT",     "nhandled exception", "access violation"};
    return contains_any(said, kCrashes);
}

}  // namespace agent_audit::detectors
