#include "support/sanitized.hpp"

namespace agent_audit::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
bool is_sanitized() { return true; }
#elif defined(__has_feature)
bool is_sanitized() { return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer); }
#else
bool is_sanitized() { return false; }
#endif

}  // namespace agent_audit::test
