#pragma once

#include "readers/json/format_util.hpp"
#include "readers/json/json_util.hpp"

#include <agent_audit/model/event.hpp>

#include <optional>
#include <string_view>

namespace agent_audit::readers {

/// A step of a trajectory. All texts are views of the record.
struct AtifStep {
    struct Call {
        std::string_view id, name;
        CallArgs args;
    };

    struct Result {
        std::string_view call_id, status;
        std::string_view late_id;  // of a call of an earlier step
        Content content;
        std::optional<int> exit_code;
        std::optional<bool> failed;
        bool refers = false;  // to the trajectory of a sub-agent
    };

    std::string_view id, timestamp, source, model;
    std::string_view change, boundary;  // what became of the context
    Content message;
    RawText reasoning;
    Reused<Call> calls;
    Reused<Result> results;
    TokenCounts tokens;
    double cost_usd = 0;
    bool copied = false, has_metrics = false;
    std::string_view agent;      // which one, where that is told
    bool sidechain = false;      // of a sub-agent that works between the steps of the agent
    std::optional<bool> failed;  // the step's only call
    std::optional<int> exit_code;

    void clear() { begin_again(*this, &AtifStep::calls, &AtifStep::results); }
};

/// Collects the fields of a step in document order.
class AtifStepFields {
public:
    explicit AtifStepFields(ArgsDigester& args) : args_(args) {}

    AtifStep& step() { return step_; }
    /// False for broken JSON.
    bool collect(const char* key, json::value& v);

private:
    bool collect_call(json::value& v);
    bool collect_result(json::value& v);
    bool collect_extra(json::value& v);
    bool collect_metrics(json::value& v);

    ArgsDigester& args_;
    AtifStep step_;
};

}  // namespace agent_audit::readers
