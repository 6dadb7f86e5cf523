#pragma once

#include "detectors/engine/engine_lane.hpp"
#include "detectors/engine/result_status.hpp"
#include "detectors/engine/tool_memory.hpp"
#include "detectors/engine/trouble.hpp"
#include "detectors/outcomes/error_class_memory.hpp"
#include "model/plain_name.hpp"

#include <agent_audit/detectors/engine.hpp>

#include <cstdint>
#include <vector>

namespace agent_audit::detectors {

/// Makes a step of a call and of what it was answered: what kind of work it is, what its outcome is named, whether and
/// how it failed. What is known about names of tools and about errors lasts for the run: it depends on their text
/// alone.
class StepMaker {
public:
    /// The options are those of the run, with a classifier of errors. `asks_files`: a rule of the run does.
    StepMaker(const EngineOptions& options, bool asks_files) : options_(options), asks_files_(asks_files) {}

    /// `p` is the lane's newest, and nothing is known of it.
    void begin(const Event& event, const ToolCall& call, PendingStep& p, EngineLane& l);
    /// What the call was answered; it may be answered more than once. Failures and denials are counted.
    void answer(const Event& event, const ToolResult& result, PendingStep& p, EngineLane& l, SessionCounts& counts);

    /// Told of what fails and what is denied from now on; it outlives what follows, or deaf() is called before.
    void listen(TroubleListener& listener) { listeners_.push_back(&listener); }
    void deaf() { listeners_.clear(); }

private:
    void tell_failure(const PendingStep& p, const EngineLane& l) const;
    void tell_denial(const PendingStep& p, const ToolResult& result, const EngineLane& l) const;
    void tell(Trouble trouble, const PendingStep& p, const EngineLane& l) const;
    void take(const Event& event, const ToolResult& result, PendingStep& p, EngineLane& l, SessionCounts& counts);
    void classify(const ToolCall& call, const PlainName& name, const ToolMemory::Tool& tool, PendingStep& p,
                  EngineLane& l) const;
    ErrorClass class_of_failure(const Step& step, RawText said);
    void remember_arguments(const ToolCall& call, const ToolMemory::Tool& tool, Step& step, EngineLane& l) const;

    const EngineOptions& options_;
    ToolMemory tools_;
    ErrorClassMemory error_classes_;
    bool asks_files_;
    std::vector<TroubleListener*> listeners_;
};

}  // namespace agent_audit::detectors
