#include "detectors/commands/call_target.hpp"

#include "detectors/words/phrases.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostCall = 4096;
constexpr std::size_t kMostPatchFiles = 16;

constexpr std::string_view kPatch = "*** Begin Patch",
                           kUpdated = "*** Update File: ", kAdded = "*** Add File: ", kRemoved = "*** Delete File: ";

// Is what a call is about the name of a file, and nothing else?
bool is_file_name(std::string_view text, bool runs_shell, ToolClass tool_class) {
    if (runs_shell || (tool_class != ToolClass::mutate && tool_class != ToolClass::read)) return false;
    return !text.empty() && text.size() < 512 && text.front() != '{' && text.find('\n') == text.npos &&
           text.find("*** ") == text.npos;
}

// The name behind a mark of a patch. In a script the lines of a patch are often parted by "\n", of which the second
// sign is a letter.
std::string_view patched_file(std::string_view text, std::string_view mark, std::size_t at) {
    constexpr std::string_view kNextLines[] = {"\\n@@", "\\n+", "\\n-", "\\n***", "\\n "};
    const std::size_t begin = at + mark.size();
    std::string_view name = text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
    if (name.find('\\') == name.npos) return name;
    for (const std::string_view next : kNextLines) name = name.substr(0, name.find(next));
    return name;
}

}  // namespace

std::string_view without_lines(std::string_view path) {
    // 10, 10-20, 10-, 10+5, 1-5,9-12
    const auto is_range = [](std::string_view text) {
        return text == "raw" || (!text.empty() && text[0] >= '0' && text[0] <= '9' &&
                                 text.find_first_not_of("0123456789-+,") == text.npos);
    };
    for (;;) {
        const std::size_t colon = path.rfind(':');
        if (colon == path.npos || colon < 2 || !is_range(path.substr(colon + 1))) return path;
        // The name of a file by its ending: "host:80" is none.
        const std::string_view rest = path.substr(0, colon);
        const std::string_view name = rest.substr(rest.find_last_of("/\\") + 1);  // npos + 1 = 0
        if (name.find('.') == name.npos) return path;
        path = rest;
    }
}

std::string file_of(bool runs_shell, ToolClass tool_class, RawText primary, RawText args) {
    std::string text = decoded(primary.empty() ? args : primary, kMostCall);
    if (is_file_name(text, runs_shell, tool_class)) return text;
    if (text.find(kPatch) == text.npos) return {};
    for (const std::string_view mark : {kUpdated, kAdded, kRemoved}) {
        const std::size_t at = text.find(mark);
        if (at != text.npos) return std::string(patched_file(text, mark, at));
    }
    return {};
}

CallTarget target_of(RawText tool, bool runs_shell, ToolClass tool_class, RawText primary, RawText args) {
    CallTarget call;
    call.tool = snake_case(bare_tool_name(tool.bytes));
    call.full_tool = tool.bytes;
    call.tool_class = tool_class;
    const std::string text = decoded(primary.empty() ? args : primary, kMostCall);
    if (runs_shell) call.command = text;
    if (is_file_name(text, runs_shell, tool_class))
        call.paths.emplace_back(tool_class == ToolClass::read ? without_lines(text) : std::string_view(text));
    call.creates = call.tool.starts_with("write") || call.tool.starts_with("create") ||
                   args.bytes.substr(0, kMostCall).find("\"create\"") != std::string_view::npos;
    if (text.find(kPatch) == text.npos) return call;
    call.creates = text.find(kUpdated) == text.npos && text.find(kRemoved) == text.npos;
    for (const std::string_view mark : {kUpdated, kAdded, kRemoved}) {
        for (std::size_t at = text.find(mark); at != text.npos && call.paths.size() < kMostPatchFiles;
             at = text.find(mark, at + 1)) {
            call.paths.emplace_back(patched_file(text, mark, at));
            if (mark == kRemoved) call.removed.push_back(call.paths.back());
            if (mark == kAdded) call.added.push_back(call.paths.back());
        }
    }
    call.tool_class = ToolClass::mutate;
    return call;
}

}  // namespace agent_audit::detectors
