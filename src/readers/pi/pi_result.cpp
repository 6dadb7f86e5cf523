#include "readers/pi/pi_result.hpp"

#include "readers/json/format_util.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 7> kShellTools{"bash", "exec",     "process",   "shell",
                                                      "sh",   "terminal", "powershell"};

std::string_view past_blanks(std::string_view text) {
    for (;;) {
        if (text.starts_with(' '))
            text.remove_prefix(1);
        else if (text.starts_with("\\n") || text.starts_with("\\t") || text.starts_with("\\r"))
            text.remove_prefix(2);
        else
            return text;
    }
}

// The value of "status" when a result is a JSON object that begins with it. The text is still escaped.
std::string_view json_status(std::string_view text) {
    constexpr std::string_view key = "\\\"status\\\"";
    constexpr std::string_view quote = "\\\"";
    text = past_blanks(text);
    if (!text.starts_with('{')) return {};
    text = past_blanks(text.substr(1));
    if (!text.starts_with(key)) return {};
    text = past_blanks(text.substr(key.size()));
    if (!text.starts_with(':')) return {};
    text = past_blanks(text.substr(1));
    if (!text.starts_with(quote)) return {};
    text.remove_prefix(quote.size());
    return text.substr(0, std::min(text.find('\\'), std::size_t{40}));
}

std::optional<ResultStatus> status_word(std::string_view word) {
    if (word == "error" || word == "failed" || word == "forbidden" || word == "timeout") return ResultStatus::error;
    if (word == "cancelled" || word == "canceled" || word == "aborted" || word == "killed")
        return ResultStatus::cancelled;
    if (word == "running") return ResultStatus::running;
    return std::nullopt;
}

}  // namespace

bool is_pi_shell(std::string_view tool) { return is_one_of(tool, kShellTools); }

std::optional<int> pi_exit_code(std::string_view answer) {
    constexpr std::string_view kCommand = "Command exited with code ", kProcess = "Process exited with code ";
    const std::optional<int> code = number_after(answer, kCommand);
    return code ? code : number_after(answer, kProcess);
}

ResultStatus pi_status(const PiBody& m, const ToolResult& result) {
    const std::string_view tail = last_bytes(result.text.bytes, 20);
    if (m.is_error) {
        return tail.ends_with("Command aborted") || tail.ends_with("Operation aborted") ? ResultStatus::cancelled
                                                                                        : ResultStatus::error;
    }
    if (const auto word = status_word(m.details.status)) return *word;
    if (result.exit_code && *result.exit_code != 0) return ResultStatus::error;
    const std::string_view word = json_status(result.text.bytes);
    return word == "error" || word == "forbidden" ? ResultStatus::error : ResultStatus::ok;
}

std::optional<ToolCall> pi_call_left_out(const ToolResult& result) {
    const std::string_view told = result.text.bytes;
    if (result.name.empty() || !told.starts_with("Tool ") || !told.ends_with(" not found")) return std::nullopt;
    ToolCall call;
    call.call_id = result.call_id;
    call.name = result.name;
    call.digest = ArgsDigester::digest_none(result.name.bytes).digest;
    call.digest.opaque = true;
    return call;
}

void PiKilled::judge(const PiToolDetails& details, ToolResult& result) {
    constexpr std::string_view kAsked = "Termination requested for session ";
    std::string_view text = result.text.bytes;
    if (text.starts_with(kAsked)) {
        result.status = ResultStatus::ok;
        text.remove_prefix(kAsked.size());
        while (text.ends_with('.') || text.ends_with("\\n")) text.remove_suffix(text.ends_with('.') ? 1 : 2);
        killed_.add(id_hash(text));
    } else if (result.status == ResultStatus::error && killed_.has(id_hash(details.session)) &&
               last_bytes(text, 60).find("exited with signal ") != text.npos) {
        result.status = ResultStatus::cancelled;
    }
}

}  // namespace agent_audit::readers
