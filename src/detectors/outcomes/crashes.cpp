#include "detectors/outcomes/crashes.hpp"

#include "support/phrase_set.hpp"

namespace agent_audit::detectors {

bool says_crash(std::string_view said) {
    static constexpr std::string_view kCrashes[] = {
        "segmentation fault",  "core dumped",     "addresssanitizer", "panicked at", "assertion failed",
        "assertion `",         "stack overflow",  "aborted",          "sigsegv",     "sigabrt",
        "unhandled exception", "access violation"};
    static constexpr PhraseSet crashes(kCrashes);
    // A shell says "Aborted" of a program; that a rebase was aborted is none.
    return crashes.any(said,
                       [&](std::size_t at, std::string_view found) { return found != "aborted" || said[at] == 'A'; });
}

}  // namespace agent_audit::detectors
