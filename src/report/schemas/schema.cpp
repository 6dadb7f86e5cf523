#include "report/schemas/baseline_schemas.hpp"
#include "report/schemas/checkpoint_schemas.hpp"
#include "report/schemas/events_schema.hpp"
#include "report/schemas/listing_schemas.hpp"
#include "report/schemas/replay_schemas.hpp"
#include "report/schemas/result_schemas.hpp"

#include <agent_audit/report/schema.hpp>

#include <algorithm>
#include <iterator>

namespace agent_audit {
namespace {

constexpr SchemaSpec kSchemas[] = {
    {"result", "what --format json writes", report::result_schema},
    {"ndjson", "one line of what --format ndjson writes", report::ndjson_schema},
    {"discover", "what discover --format json writes", report::discover_schema},
    {"discover-ndjson", "one line of what discover --format ndjson writes", report::discover_line_schema},
    {"events", "one line of what convert --to events writes", report::events_schema},
    {"formats", "what formats --format json writes", report::formats_schema},
    {"doctor", "what doctor --format json writes", report::doctor_schema},
    {"watch", "one line of what watch --format ndjson writes", report::watch_line_schema},
    {"diff", "what diff --format json writes", report::diff_schema},
    {"baseline", "the file that baseline create writes", report::baseline_schema},
    {"replay", "what replay --format json writes", report::replay_schema},
    {"replay-turns", "one line of what replay --turns writes", report::replay_turns_schema},
    {"policy-replay", "what replay --policy --format json writes", report::policy_replay_schema},
    {"policy-replay-ndjson", "one line of what replay --policy --format ndjson writes",
     report::policy_replay_line_schema},
    {"checkpoint", "what checkpoint write stores, one file each", report::checkpoint_schema},
    {"checkpoints", "what checkpoint list --format json writes", report::checkpoints_schema},
};

}  // namespace

std::span<const SchemaSpec> all_schemas() { return kSchemas; }

const SchemaSpec* find_schema(std::string_view name) {
    const auto* found = std::ranges::find(kSchemas, name, &SchemaSpec::name);
    return found == std::end(kSchemas) ? nullptr : found;
}

}  // namespace agent_audit
