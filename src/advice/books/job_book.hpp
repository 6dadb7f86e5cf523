#pragma once

#include "advice/calls/background.hpp"
#include "advice/calls/open_call.hpp"

#include <agent_audit/advice/checkpoint.hpp>
#include <agent_audit/model/event.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit::advice {

/// Commands, and sub-agents, that go on in the background, up to their end. Bounded: the oldest make room.
class JobBook {
public:
    static constexpr std::size_t kText = 16u << 10;  ///< bytes of an answer that are worth decoding

    /// One that is over: its call has its result, wherever that was told.
    struct Ended {
        OpenCall call;
        std::string text;  ///< all that it printed, the end of it
        Ending ending;
    };

    bool empty() const { return jobs_.empty(); }

    /// Could this answer be one of a call that goes on? Nearly all results are those of commands that have ended: ask
    /// before anything is decoded.
    static bool may_go_on(const ToolResult& result);
    /// `text` is the answer of a call that goes on under this name.
    void begin(std::string handle, OpenCall call, const std::string& text);

    /// The name of the job that a call with these arguments asks after; empty = none.
    std::string asked(RawText arguments) const;
    /// The answer of a call that asked after a job (OpenCall::job).
    std::optional<Ended> answered(const OpenCall& call, const ToolResult& result, const std::string& text);
    /// A program around the agent says that a command is over; `message` is all that it says.
    std::optional<Ended> noticed(const TaskNotice& notice, const std::string& message);

    /// Those that the agent has not ended itself.
    void tell(Checkpoint& out) const;

private:
    struct Job {
        std::string handle;
        OpenCall call;
        std::string text;      // what it printed so far, the end of it
        bool stopped = false;  // the agent itself ended it
    };

    Ended end(std::vector<Job>::iterator at, const Ending& ending);

    std::vector<Job> jobs_;
};

}  // namespace agent_audit::advice
