#pragma once

#include "readers/copilot/copilot_line.hpp"

#include <agent_audit/model/event.hpp>
#include <agent_audit/support/hash.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace agent_audit::readers {

/// What a run of the program has spent on a model; 0 for messages that name none.
struct CopilotSpent {
    IdHash model = 0;
    TokenCounts tokens;
};
using CopilotSpending = std::vector<CopilotSpent>;

/// What the events of a session tell of its usage: each response counts once, however many records tell of it, and a
/// shutdown adds what the responses had not told.
///
/// A message tells its output tokens only, if any, and since 1.0.102 none. The record of its usage (assistant.usage,
/// which is rarely kept; since 1.0.102 session.usage_record, before each message) and that of the model's call tell all
/// of the same response, and the shutdown of all responses, what was told before included: since the program was
/// started in older versions, of the whole session in newer ones. What the messages told in between says which.
class CopilotUsage {
public:
    /// Another session than the one before.
    void begin_session(IdHash session);
    /// The run has told no totals: it was cut off. The next one begins.
    void lose_run();
    /// The model has answered in this run.
    void answered() { said_ = true; }

    /// What a message, the record of its usage or that of the model's call tells of a response of this lane.
    std::optional<Usage> told(const CopilotLine& line, std::uint32_t lane);
    /// The requests that a summary took, all in one sum: they have no records of their own.
    std::optional<Usage> of_summary(const CopilotLine& line);
    /// What the run cost beyond what its messages told: more of their requests, where a message of the model is known.
    /// The next run begins.
    std::vector<Usage> rest(const CopilotLine& shutdown);

private:
    // A response of the model, as far as it has told its usage.
    struct Response {
        std::uint64_t key = 0;
        IdHash call = 0, model = 0;
        TokenCounts tokens;
        std::uint32_t lane = 0;
        bool message = false, both = false;  // a message told it first; the record of its usage as well
        bool of_call = false;                // the record of the model's call told it first
        std::uint64_t number = 0;            // of its usage in the session, where it has one
    };

    Response* same_response(const CopilotLine& line, std::uint32_t lane, const TokenCounts& tokens);
    Response& response_before(std::size_t back) { return responses_[(next_ - back) % responses_.size()]; }
    static bool other_record(const CopilotLine& line, const Response& r);
    std::uint64_t response_key(const CopilotLine& line);
    void begin_run();
    bool go_on(const CopilotSpending& totals) const;
    void take_off_told(CopilotSpending& totals, const CopilotSpending& before) const;
    std::vector<Usage> tell(const CopilotLine& shutdown, CopilotSpending& totals);
    Response* last_of(IdHash model);

    IdHash session_ = 0;
    bool said_ = false;                    // the model has answered in this run
    CopilotSpending told_, lost_;          // by the messages of this run; of runs before it that told no totals
    CopilotSpending compacted_;            // by summaries of this run
    CopilotSpending totals_;               // as the last shutdown had them
    std::array<Response, 4> responses_{};  // the last ones; who adds up remembers eight
    std::size_t next_ = 0;
    std::uint64_t unnamed_ = 0;  // responses that told usage where one word stands in place of all ids, or none
};

}  // namespace agent_audit::readers
