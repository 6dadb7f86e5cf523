#pragma once

#include <cstddef>
#include <vector>

namespace agent_audit::test {

/// Is the library that is tested watched by a sanitizer? Everything takes ten times as long then, and memory says
/// little. A question to the program, not to the compiler: the same objects of test cases serve both
/// (AGENT_AUDIT_TESTS_FROM).
bool is_sanitized();

/// A fifth of the random rounds finds there what it can find.
inline int rounds(int usual) { return is_sanitized() ? (usual + 4) / 5 : usual; }

/// So does every fifth of many things that all go the same way; without sanitizers each is looked at.
inline bool looked_at(std::size_t number) { return !is_sanitized() || number % 5 == 0; }

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
