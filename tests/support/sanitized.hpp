#pragma once

#include <cstddef>
#include <vector>

namespace agent_audit::test {

/// Under the sanitizers everything takes ten times as long, and memory says little.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
inline constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

/// A fifth of the random rounds finds there what it can find.
constexpr int rounds(int usual) { return kSanitized ? (usual + 4) / 5 : usual; }

/// So does every fifth of many things that all go the same way; without sanitizers each is looked at.
constexpr bool looked_at(std::size_t number) { return !kSanitized || number % 5 == 0; }

/// Those of `all` that are looked at, in their order.
template <class T>
std::vector<T> some_of(const std::vector<T>& all) {
    std::vector<T> some;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (looked_at(i)) some.push_back(all[i]);
    }
    return some;
}

}  // namespace agent_audit::test
