#include "cli/hooks/plugin_files.hpp"

#include "cli/hooks/plugin_texts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace agent_audit::cli {
namespace {

constexpr std::string_view kMark = "// agent-audit as a plugin of ";
constexpr std::string_view kCommand = "const COMMAND = ";

}  // namespace

std::string plugin_file_text(const HookClient& client, const PluginFile& file, const std::vector<std::string>& words) {
    if (!file.asks) return std::string(file.text());
    std::string text = fmt::format("{}{}. agent-audit init writes this file, and takes it out again with --remove.\n",
                                   kMark, client.title);
    text.append(plugin_texts::ask_js()).append("\n").append(file.text());
    const std::size_t begin = text.find(kCommand) + kCommand.size();
    const std::string command = nlohmann::json(words).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    return text.replace(begin, text.find(";\n", begin) - begin, command);
}

bool is_plugin_of_ours(std::string_view text) {
    return text.starts_with(kMark) || (text.starts_with("{") && text.find("agent-audit") != text.npos);
}

}  // namespace agent_audit::cli
