#pragma once

#include "readers/json/json_util.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::readers {

struct PiBlock {
    std::string_view type, id, name;
    RawText text;
    CallArgs args;
    std::uint64_t opaque_bytes = 0;
    std::uint64_t media_hash = 0;  // of a picture
    bool media_stored = false;     // the picture itself is in the record
    bool cut = false;              // arguments of an aborted call, as far as they had come
};

struct PiToolDetails {
    std::string_view status;
    std::string_view session;  // name of a program that runs in the background
    std::optional<int> exit_code;
};

struct PiSpent {
    TokenCounts tokens;
    double cost_usd = 0;
};

/// What stands in `message`; custom_message entries have their content at the top and share the fields.
struct PiBody {
    std::string_view role, provider, model, stop_reason, response_id, call_id, tool_name, attribution, provenance;
    RawText error, command, output, summary;
    std::vector<PiBlock> blocks;  // reused: grows once
    std::size_t block_count = 0;
    std::size_t dropped_blocks = 0;
    bool has_content = false;
    PiSpent spent;
    PiToolDetails details;
    std::string_view details_json;
    std::optional<int> exit_code;
    std::int64_t time_ms = kNoTime;
    bool is_error = false, cancelled = false, hidden = false;
};

/// Text blocks as one text: nearly always there is only one. Escapes are kept, so joining keeps the form. `joined`
/// holds the text where there are several.
RawText pi_joined_text(const PiBody& body, std::string& joined);

/// Pictures among the blocks.
std::uint32_t pi_media_count(const PiBody& body);
/// ToolResult::media_hash of its pictures.
std::uint64_t pi_media_hash(const PiBody& body);
/// ToolResult::media_stored.
bool pi_media_stored(const PiBody& body);

/// What stands in one line, whatever its kind.
struct PiEntry {
    std::string_view type, id, parent_id, timestamp, cwd, parent_session, branched_from, model, first_kept_id,
        custom_type, target_id;
    std::string_view kind, lane, leaf_id, cause, reason;  // since version 4
    std::int64_t time_ms = kNoTime;                       // where the time is a number
    PiSpent spent;                                        // beside a message, or of an entry without one
    RawText summary, data_error;
    std::uint64_t first_kept_index = 0, tokens_before = 0, tokens_after = 0, system_prompt_bytes = 0;
    bool parent_null = false, has_first_kept_index = false, has_message = false;
    bool evicted_text = false, evicted_args = false;
    PiBody body;

    /// A message of pi's libraries without an entry around it.
    bool bare() const { return type.empty() && kind.empty() && !has_message && !body.role.empty(); }

    /// Makes it the entry that pi would have written.
    void frame() {
        type = "message";
        has_message = true;
        body.model = std::exchange(model, {});
        body.time_ms = time_ms;
    }

    void clear() {
        std::vector<PiBlock> blocks = std::move(body.blocks);
        *this = PiEntry{};
        body.blocks = std::move(blocks);
    }
};

/// Collects the fields of an entry of pi or OpenClaw.
class PiCollector {
public:
    PiCollector(PiEntry& entry, ArgsDigester& args) : entry_(entry), args_(args) {}

    /// False for broken JSON.
    bool collect(json::object object);

private:
    bool collect_field(const char* key, json::value& v);
    bool collect_data(json::value& v);
    void collect_first_kept_index(json::value& v);
    bool collect_result(json::value& v);
    void collect_time(json::value& v);
    void collect_evicted(json::value& v);
    bool collect_details(json::value& v);
    bool collect_message_field(const char* key, json::value& v);
    bool collect_provenance(json::value& v);
    static bool collect_usage(json::value& v, PiSpent& spent);
    bool collect_content(json::value& v);
    bool collect_files(json::value& v);
    void text_block(std::string_view text);
    PiBlock* next_block();
    bool collect_block(json::object object, PiBlock& block);

    PiEntry& entry_;
    ArgsDigester& args_;
};

}  // namespace agent_audit::readers
