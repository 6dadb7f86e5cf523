#include "readers/all.hpp"

#include <algorithm>
#include <array>

namespace agent_audit {

// The one list, sorted by id. Built on first use, so there is no static-initialisation order to fear.
std::span<const ReaderSpec> all_readers() {
    static const std::array table{
        readers::agent_audit_events(),
        readers::agent_history(),
        readers::amp(),
        readers::anthropic_messages(),
        readers::atif(),
        readers::chat_completions(),
        readers::claude_code(),
        readers::claude_code_stream(),
        readers::codex(),
        readers::codex_exec(),
        readers::codex_legacy(),
        readers::copilot_cli(),
        readers::cursor_agent(),
        readers::factory_droid(),
        readers::gemini_cli(),
        readers::gemini_stream(),
        readers::goose(),
        readers::kimi_cli(),
        readers::kiro(),
        readers::mini_swe_agent(),
        readers::openclaw(),
        readers::openhands(),
        readers::pi(),
        readers::qwen_code(),
        readers::swe_agent(),
    };
    return table;
}

const ReaderSpec* find_reader(std::string_view id) {
    const auto table = all_readers();
    const auto found = std::ranges::lower_bound(table, id, {}, &ReaderSpec::id);
    return found != table.end() && found->id == id ? &*found : nullptr;
}

}  // namespace agent_audit
