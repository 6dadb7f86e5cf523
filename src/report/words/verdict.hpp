#pragma once

#include <agent_audit/model/report.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::report {

/// What a run comes to, in words that every human format shares.
struct Verdict {
    enum class Kind { nothing_audited, nothing_checked, clean, informed, suspicious, failed, stuck };
    Kind kind = Kind::clean;
    std::string
        sentence;  ///< "stuck: 1 error in 1 session (17 steps, 289 k tokens, $0.16)"; nothing of a transcript in it

    bool bad() const { return kind == Kind::failed || kind == Kind::stuck; }
};

Verdict verdict(const Report& report);

/// Inputs and operands that could not be audited.
std::size_t input_problems(const Report& report);

/// Worst first; within a severity by input, line and rule, as the report has them.
std::vector<const Finding*> worst_first(const Report& report);

/// The same, at most so many of a rule: those that a page shows. What it does not show it counts.
struct ShownFindings {
    std::vector<const Finding*> list;
    std::size_t rest = 0;
};
ShownFindings shown_findings(const Report& report, std::uint64_t most_of_a_rule);

/// Findings of each severity, the least severe first, whether they are listed or not.
std::array<std::uint64_t, 3> counted_findings(const Report& report);

/// Findings of a session that were counted and are not listed.
std::uint64_t not_shown(const SessionReport& session);

/// The parts that are not empty, with `separator` between them.
std::string join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace agent_audit::report
