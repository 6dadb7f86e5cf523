#include "support/sanitized.hpp"

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <string_view>

namespace {

// Half of what a start of the program takes under the address sanitizer is the look for leaks at its end, and the tests
// start it more than a thousand times. Those that run each command, each with its flags, are enough to find them.
bool looks_for_leaks(std::string_view argument) {
    constexpr std::array<std::string_view, 3> kEnough{"cli/cli_test", "cli/completions_test", "golden/"};
    for (const std::string_view one : kEnough) {
        if (argument.find(one) != argument.npos) return true;
    }
    return false;
}

}  // namespace

int main(int count, char** arguments) {
    bool leaks = count < 2;
    for (int i = 1; i < count; ++i) leaks = leaks || looks_for_leaks(arguments[i]);
    // The tests' own process has read its options by now: this is for the programs that it starts.
    if (agent_audit::test::is_sanitized() && !leaks) setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
    return doctest::Context(count, arguments).run();
}
