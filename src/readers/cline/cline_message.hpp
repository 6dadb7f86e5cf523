#pragma once

#include "readers/messages/blocks.hpp"

#include <string_view>
#include <utility>

namespace agent_audit::readers {

/// What stands in one message of Cline or Roo Code, or in an entry of their panel.
struct ClineMessage {
    std::string_view role, id, type, model;
    std::string_view shown, shown_text;  ///< of an entry of the panel
    RawText summary, reasoning;
    ContentBlocks blocks;
    ContentBlocks activities;  ///< calls that the provider ran while it answered
    TokenCounts tokens;
    std::uint64_t tokens_before = 0, opaque_bytes = 0;
    double cost = 0;
    std::int64_t time_ms = kNoTime;
    bool has_content = false, is_summary = false, is_truncation = false, input_holds_cache = false;
    bool program = false;   ///< of the program, though in the place of the user
    bool steering = false;  ///< no prompt of its own
    bool failed = false;    ///< says why there is no answer, in the place of the model

    void clear() {
        ContentBlocks kept_blocks = std::move(blocks), kept_activities = std::move(activities);
        *this = ClineMessage{};
        blocks = std::move(kept_blocks);
        activities = std::move(kept_activities);
        blocks.clear();
        activities.clear();
    }
};

/// Collects the fields of a message.
class ClineMessageCollector {
public:
    ClineMessageCollector(ClineMessage& message, ArgsDigester& args) : parts_(message), args_(args) {}

    /// False for broken JSON.
    bool collect(json::object object);

private:
    bool collect_field(const char* key, json::value& v);
    bool collect_model(json::value& v);
    bool collect_metrics(json::value& v);
    bool collect_metadata(json::value& v);
    void collect_shown_as(std::string_view role);
    bool collect_activity(json::value& v);
    void collect_kind(std::string_view kind);

    ClineMessage& parts_;
    ArgsDigester& args_;
};

}  // namespace agent_audit::readers
