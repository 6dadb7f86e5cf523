#include "simulator/pi/files.hpp"

#include "simulator/js_text.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace agent_audit::simulator::pi {
namespace {

void add(std::vector<std::string>& files, const std::string& path) {
    if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
}

/// mcp__server__read and functions__read are read.
std::string plain_tool_name(std::string_view name) {
    std::string lower = js_lower(name);
    const std::size_t mark = lower.find("__", lower.starts_with("mcp__") ? 5 : 0);
    return mark == lower.npos ? lower : lower.substr(mark + 2);
}

const std::string* path_of(const JsValue& args, Release release) {
    static constexpr std::array<std::string_view, 3> kNames{"path", "file_path", "filePath"};
    for (const std::string_view name : kNames) {
        if (const auto* path = args[name].string()) return path;
        if (release != Release::openclaw_2026_9) return nullptr;
    }
    return nullptr;
}

void note_call(const Block& call, FileOps& ops, Release release) {
    const std::optional<JsValue> args = JsValue::parse(call.text.copy());
    if (!args) return;
    const std::string* path = path_of(*args, release);
    if (!path || path->empty()) return;
    const std::string name = release == Release::openclaw_2026_9 ? plain_tool_name(call.name) : call.name;
    if (name == "read") add(ops.read, *path);
    if (name == "write") add(ops.written, *path);
    if (name == "edit") add(ops.edited, *path);
}

/// A patch says in its result what it changed.
void note_patch(const JsValue& result, FileOps& ops) {
    const JsValue& summary = result["details"]["summary"];
    for (const auto& [field, files] : {std::pair{"added", &ops.written}, {"modified", &ops.edited}}) {
        if (!summary[field].array()) continue;
        for (const JsValue& path : *summary[field].array()) {
            if (path.string()) add(*files, *path.string());
        }
    }
}

/// JavaScript sorts by UTF-16 units: a code point beyond U+FFFF comes before U+E000 and what follows it.
bool utf16_less(const std::string& a, const std::string& b) {
    const auto [x, y] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    if (x == a.end() || y == b.end()) return x == a.end() && y != b.end();
    const auto left = static_cast<unsigned char>(*x), right = static_cast<unsigned char>(*y);
    const bool left_high = left >= 0xF0, right_high = right >= 0xF0;
    if (left_high != right_high && left >= 0xEE && right >= 0xEE) return left_high;
    return left < right;
}

}  // namespace

void note_files(const Msg& message, FileOps& ops, Release release) {
    if (message.role == Role::tool_result && release == Release::openclaw_2026_9 && message.json) {
        if (plain_tool_name(message.tool_name) != "apply_patch") return;
        note_patch(*message.json, ops);
        if (message.shape != ContentShape::blocks) return;
        for (const Block& block : message.blocks) {
            if (block.json) note_patch(*block.json, ops);
        }
    }
    if (message.role != Role::assistant || message.shape != ContentShape::blocks) return;
    for (const Block& block : message.blocks) {
        if (block.pi_call && block.args == ArgsState::present) note_call(block, ops, release);
    }
}

void carry_files(const Entry& compaction, FileOps& ops) {
    for (const std::string& path : compaction.read_files) add(ops.read, path);
    for (const std::string& path : compaction.modified_files) add(ops.edited, path);
}

FileLists file_lists(const FileOps& ops) {
    FileLists out;
    for (const std::string& path : ops.edited) add(out.modified, path);
    for (const std::string& path : ops.written) add(out.modified, path);
    for (const std::string& path : ops.read) {
        if (std::find(out.modified.begin(), out.modified.end(), path) == out.modified.end()) out.read.push_back(path);
    }
    std::sort(out.read.begin(), out.read.end(), utf16_less);
    std::sort(out.modified.begin(), out.modified.end(), utf16_less);
    return out;
}

}  // namespace agent_audit::simulator::pi
