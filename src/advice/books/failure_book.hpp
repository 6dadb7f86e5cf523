#pragma once

#include "advice/calls/call_facts.hpp"

#include <agent_audit/advice/checkpoint.hpp>
#include <agent_audit/model/error_class.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::advice {

/// What failed, and what of it worked later. A failure is open until the same thing works: the same call in other
/// words, the same check or a wider one, an edit of the same file, the same push. Bounded: what says least makes room.
class FailureBook {
public:
    struct Place {
        std::uint64_t first_line = 0;  ///< of the call
        std::uint64_t line = 0;
        std::uint32_t turn = 0;
        std::uint64_t response = 0;  ///< number of the response
    };

    /// `output` is the line of the answer that says what went wrong.
    /// `second` as in check_ended.
    void failed(const CallFacts& facts, ErrorClass error, std::string output, const Place& at,
                std::string_view second = {});
    /// `in_doubt`: of a command of several parts, of which one may have failed although the last one worked.
    void worked(const CallFacts& facts, const Place& at, bool in_doubt = false);
    /// Nothing has failed yet.
    bool empty() const { return known_.empty(); }
    /// `second` is what a task runner said to run (second_name): another name of the same check; empty = it has none.
    void check_ended(const CheckRun& run, std::string_view second = {});

    /// The changes that checks have judged are gone: whether these still fail is not known, only that they did.
    void taken_back() { failing_.clear(); }

    /// Into failures, mended and failing, as of a place.
    void tell(Checkpoint& out) const;

private:
    struct Known {
        Failure failure;
        std::uint64_t target = 0;  // hash of tool and target; checks: 0
        bool refused = false;      // by a person or a policy: that is told apart from what failed
        std::string check;         // the words of a check; empty = it is none
        std::string second;        // its other name
        std::string directory;     // where it ran
        std::uint64_t sends = 0;   // hash of what it sends out; 0 = nothing
        std::vector<std::string> files;
        std::vector<std::uint64_t> parts;  // that have not worked since
        std::uint64_t whole = 0;
        std::uint64_t response = 0;
        bool edit = false;
        bool conflict = false;   // it stopped for somebody to resolve it
        bool outranked = false;  // a check as wide or wider passed since
        int weight = 0;          // how much a fresh session would be misled without it
    };
    static void mend(Known& known, std::uint64_t line);
    static int weight_of(const CallFacts& facts, ErrorClass error);

    std::vector<Known> known_;
    struct Failing {
        CheckRun run;
        std::string second;
    };
    std::vector<Failing> failing_;
};

}  // namespace agent_audit::advice
