#pragma once

#include <string_view>

namespace agent_audit::readers {

/// What OpenClaw's gateway hands to the model as the words of a user: its own notices, an envelope, and what the person
/// wrote. All texts with their JSON escapes.
///
///   System: [2026-05-05 19:26:46 GMT+5:30] Node connected        (notices that waited for the next message)
///
///   Sender (untrusted metadata):
///   ```json
///   {"label": "control-ui"}
///   ```
///
///   [Tue 2026-05-05 19:26 GMT+5:30] what is the issue?
///
/// A context of the program's own may stand in front as well, between a line that begins and one that ends it.
struct GatewayPrompt {
    std::string_view notices;  ///< empty: none
    std::string_view text;     ///< without notices and envelope; all of it where there is neither
};
GatewayPrompt split_gateway_prompt(std::string_view prompt);

/// True when the text behind the envelope is a wake-up, a notice or an answer of another session: nobody's own words.
bool gateway_wrote(std::string_view text);

/// True when it is a wake-up by a timer: a heartbeat, or a job of cron.
bool timer_wrote(std::string_view text);

}  // namespace agent_audit::readers
