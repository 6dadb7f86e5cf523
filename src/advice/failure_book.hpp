#pragma once

#include "advice/call_facts.hpp"

#include <agent_audit/advice/checkpoint.hpp>
#include <agent_audit/model/error_class.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace agent_audit::advice {

/// What failed, and what of it worked later. A failure is open until the same thing works: the same call in other words,
/// the same check or a wider one, an edit of the same file, the same push. Bounded: what says least makes room.
class FailureBook {
public:
    struct Place {
        std::uint64_t first_line = 0;  ///< of the call
        std::uint64_t line = 0;
        std::uint32_t turn = 0;
        std::uint64_t response = 0;    ///< number of the response
    };

    /// `output` is the line of the answer that says what went wrong.
    void failed(const CallFacts& facts, ErrorClass error, std::string output, const Place& at);
    void worked(const CallFacts& facts, const Place& at);
    void check_ended(const CheckRun& run);

    /// Into failures, mended and failing, as of a place.
    void tell(Checkpoint& out) const;

private:
    struct Known {
        Failure failure;
        std::uint64_t target = 0;  // hash of tool and target; checks: 0
        std::string check;         // the words of a check; empty = it is none
        std::vector<std::string> files;
        std::vector<std::uint64_t> parts;
        std::uint64_t response = 0;
        int weight = 0;            // how much a fresh session would be misled without it
    };
    static void mend(Known& known, std::uint64_t line);
    static int weight_of(const CallFacts& facts, ErrorClass error);

    std::vector<Known> known_;
    std::vector<CheckRun> failing_;
};

}  // namespace agent_audit::advice
