#pragma once

#include "report/json/json_writer.hpp"
#include "report/text/layout.hpp"

#include <agent_audit/pipeline/policy_replay.hpp>

#include <memory>
#include <vector>

namespace agent_audit::cli {

using BoundPolicies = std::vector<std::shared_ptr<const BoundPolicy>>;

struct PolicyView {
    Redact redact = Redact::secrets;
    bool timeline = false;
    int verbosity = 0;  ///< -1: only the failed runs, a line each
};

/// What `replay --policy` prints.
void write_policy_text(report::Page& page, const PolicyReplay& replay, const PolicyView& view);
/// Schema policy-replay.
void write_policy_json(report::JsonWriter& json, const PolicyReplay& replay, const BoundPolicies& policies,
                       Redact redact);
/// One line of it: schema policy-replay-ndjson.
void write_policy_ndjson(report::JsonWriter& json, const PolicyReplay& replay, const BoundPolicies& policies,
                         Redact redact);

}  // namespace agent_audit::cli
