#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// Which tests a person let fail ("test_export is red on main as well, ignore it"), and whether others failed since.
class KnownRed {
public:
    KnownRed() = default;
    /// `request`: what the person said. `epoch`: how often something had been changed by then.
    KnownRed(RawText request, std::uint32_t epoch);

    /// A check failed in this record, and printed this.
    void see(std::uint64_t line, RawText printed, std::uint32_t epoch);
    /// Was a test red in one of these records that nobody let fail? Without a name those are meant that were red before
    /// anything was changed. False where that is not known.
    bool others_between(std::uint64_t first, std::uint64_t last) const;

private:
    bool is_named(std::string_view test) const;

    std::vector<std::string> names_;          // letters and digits alone
    std::vector<std::uint64_t> before_;       // tests that were red before anything was changed
    std::vector<std::uint64_t> other_lines_;  // where others were
    std::uint32_t epoch_ = 0;
    bool of_file_ = false;    // a name is that of a file
    bool confirmed_ = false;  // what a name is taken for is one of a test
};

/// The names of single tests that a check prints as failed, as they stand there: FAILED tests/a.py::test_b,
/// --- FAIL: TestB, ● mill › grinds, not ok 3 - grinds, test mill::grinds ... FAILED.
std::vector<std::string_view> failed_tests(RawText printed);

}  // namespace agent_audit::detectors
