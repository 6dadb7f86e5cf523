#pragma once

namespace agent_audit::test {

/// Under the address sanitizer everything takes ten times as long; a tenth of the random rounds finds what it can find.
inline constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__)
    true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    true;
#else
    false;
#endif
#else
    false;
#endif

constexpr int rounds(int usual) { return kSanitized ? (usual + 4) / 5 : usual; }

}  // namespace agent_audit::test
