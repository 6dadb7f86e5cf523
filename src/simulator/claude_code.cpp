#include <agent_audit/simulator/regret.hpp>

#include "simulator/js_text.hpp"
#include "simulator/json_size.hpp"
#include "simulator/method.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace agent_audit::simulator::claude_code {
namespace {

constexpr double kCharsPerToken = 4;

/// As the agents name it whose sessions are replayed.
const std::string* path_of(const JsValue& args) {
    for (const char* name : {"file_path", "path", "filePath", "absolute_path", "target_file"}) {
        if (const auto* path = args[name].string()) return path;
    }
    return nullptr;
}

/// Results by the id of their call.
std::unordered_map<std::string_view, const Msg*> results_of(const View& view) {
    std::unordered_map<std::string_view, const Msg*> out;
    for (const MsgPtr& message : view) {
        if (message && message->role == Role::tool_result) out.try_emplace(message->call_id, message.get());
    }
    return out;
}

/// The files read last, newest first, as far as they fit.
std::vector<MsgPtr> files_read(const Compaction& settings, const View& view) {
    const auto results = results_of(view);
    std::vector<MsgPtr> out;
    std::unordered_set<std::string> seen;
    double left = settings.files_tokens;
    for (std::size_t i = view.size(); i-- > 0;) {
        if (!view[i] || view[i]->role != Role::assistant) continue;
        for (std::size_t b = view[i]->blocks.size(); b-- > 0;) {
            const Block& call = view[i]->blocks[b];
            if (static_cast<double>(seen.size()) >= settings.max_files) return out;
            if (call.kind != BlockKind::tool_call || call_kind(call.name) != CallKind::read) continue;
            const auto args = JsValue::parse(call.text.copy());
            const std::string* path = args ? path_of(*args) : nullptr;
            const auto found = results.find(call.id);
            if (!path || found == results.end() || found->second->is_error || !seen.insert(*path).second) continue;
            const std::string words = joined_text(*found->second, "\n");
            const auto most = whole(settings.file_tokens * kCharsPerToken);
            std::string kept(head_safe(words, most));
            const double tokens = static_cast<double>(quarters_round(measure(kept).units));
            if (tokens > left) continue;
            left -= tokens;
            out.push_back(spoken_by_user(std::move(kept)));
        }
    }
    return out;
}

std::uint64_t rough_chars(const Msg& message) {
    std::uint64_t chars = 0;
    for (const Block& block : message.blocks) {
        chars += block.text.units();
        if (block.kind == BlockKind::tool_call) chars += block.name.size();
    }
    return chars;
}

}  // namespace

Lines lines(const Compaction& settings, double window_tokens, double max_output) {
    Lines out;
    out.effective = window_tokens - (max_output > 0 ? std::min(max_output, settings.output_cap) : settings.output_cap);
    out.compact = out.effective - settings.margin;
    if (settings.percent > 0) {
        out.compact = std::min(out.compact, std::floor(out.effective * settings.percent / 100));
    }
    out.warning = out.effective - settings.warning_margin;
    out.blocking = out.effective - settings.blocking_margin;
    return out;
}

// Its own first, then what the agents whose sessions are replayed call the same. A server's tools (mcp__…) are never
// cleared.
std::vector<std::string> clearable_tools() {
    return {"Read",
            "Bash",
            "Grep",
            "Glob",
            "WebSearch",
            "WebFetch",
            "Edit",
            "Write",
            "read_file",
            "read_many_files",
            "fs_read",
            "view",
            "view_file",
            "open_file",
            "shell",
            "shell_command",
            "local_shell",
            "exec",
            "exec_command",
            "execute_bash",
            "execute_command",
            "run_command",
            "run_shell_command",
            "run_terminal_cmd",
            "run_in_terminal",
            "grep_search",
            "search_files",
            "search_file_content",
            "file_search",
            "find",
            "web_search",
            "google_web_search",
            "web_fetch",
            "edit_file",
            "replace",
            "replace_in_file",
            "str_replace",
            "str_replace_editor",
            "apply_patch",
            "apply_diff",
            "write_file",
            "write_to_file",
            "create_file",
            "fs_write"};
}

// Characters by four, and a third more to be safe.
double tokens_of(const Compaction&, const Msg& message) {
    return std::ceil(static_cast<double>(quarters_round(rough_chars(message))) * 4 / 3);
}

bool due(const Compaction& settings, const ContextSize& size, double window_tokens) {
    const Lines at = lines(settings, window_tokens, size.max_output);
    const bool off = settings.max_failures > 0 && static_cast<double>(size.failures) >= settings.max_failures;
    return size.refused || size.billed >= (off ? at.blocking : at.compact);
}

Planned plan(const Compaction& settings, const View& view, const ContextSize&, double) {
    const std::size_t from = after_system(view);
    if (from == view.size()) return std::nullopt;
    CompactionPlan out = gives_up(from, view.size(), settings.max_summary);
    out.after = files_read(settings, view);
    return out;
}

}  // namespace agent_audit::simulator::claude_code
