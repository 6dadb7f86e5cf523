#pragma once

#include "advice/books/plan_book.hpp"

#include <agent_audit/advice/checkpoint.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// What left the working tree, and what the agent ticked off or said to be done. Bounded: small steps make room before
/// what others see.
class DeedBook {
public:
    /// A deed in the words of one that is known takes its place.
    void note(Deed deed);
    /// The agent's reports from this line on were taken back. What was done stays done.
    void take_back_reports(std::uint64_t from);
    /// A branch that is gone is nothing done.
    void drop_branch(std::string_view name);
    /// Where commits were last sent to where others may have them; 0 = they were not.
    std::uint64_t last_sent_line() const;

    /// Into deeds, the last one first, as of the turn that `out` tells already.
    void tell(Checkpoint& out, const PlanBook& plan) const;

private:
    std::vector<Deed> deeds_;
};

/// The address that a command printed, of a pull request, an issue, a release: the last one. Empty: there is none.
std::string address_in(std::string_view output);

}  // namespace agent_audit::advice
