#pragma once

#include "readers/json/json_util.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// What one message of the Agent Client Protocol says, whichever side sent it. Views are into the record, but for
/// `joined`.
struct AcpLine {
    static constexpr std::size_t kMaxOptions = 8;

    std::string_view id;  // as it stands: a number, or a string with its quotes
    std::string_view method;
    bool is_rpc = false;
    std::int64_t time_ms = kNoTime;

    // of requests
    std::string_view session_id, cwd, terminal_id;
    Content prompt;
    std::array<std::string_view, kMaxOptions> refusing{};  // options of a permission that say no
    std::size_t refusing_count = 0;

    // of updates
    std::string_view update, message_id, call_id, name, title, kind, status, state;
    RawText text;        // of a piece, or of what a call gave back
    std::string joined;  // several texts of one list; `text` is a view of it
    std::uint32_t media = 0;
    std::string_view input;  // the arguments as they stand, an object
    RawText input_text;      // or a text
    RawText output;          // what the tool itself gave back
    std::size_t output_rank = static_cast<std::size_t>(-1);
    std::string_view shown_terminal;  // whose output stands for the text
    std::optional<int> exit_code;
    std::uint64_t used = 0, window = 0;
    double cost = -1;
    RawText notice;

    // of answers
    bool has_result = false, has_error = false;
    std::string_view stop_reason, outcome, option;
    RawText error, terminal_output;
    TokenCounts usage;
    std::uint64_t total = 0;
};

/// Reads a message, also one that a capture put into a frame of its own. False: broken JSON.
bool read_acp_line(json::object object, AcpLine& line);

}  // namespace agent_audit::readers
