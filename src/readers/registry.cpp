#include "readers/all.hpp"

#include <algorithm>
#include <array>

namespace agent_audit {

// The one list, sorted by id. Built on first use, so there is no static-initialisation order to fear.
std::span<const ReaderSpec> all_readers() {
    static const std::array table{
        readers::acp(),
        readers::agent_audit_events(),
        readers::agent_framework(),
        readers::agent_history(),
        readers::ai_sdk(),
        readers::aider(),
        readers::amp(),
        readers::anthropic_messages(),
        readers::atif(),
        readers::auggie(),
        readers::autogen(),
        readers::bedrock_converse(),
        readers::braintrust(),
        readers::browser_use(),
        readers::chat_completions(),
        readers::chatgpt(),
        readers::claude_ai(),
        readers::claude_code(),
        readers::claude_code_stream(),
        readers::cline(),
        readers::cline_stream(),
        readers::cline_ui(),
        readers::codebuddy(),
        readers::codex(),
        readers::codex_exec(),
        readers::codex_legacy(),
        readers::continue_dev(),
        readers::copilot_chat(),
        readers::copilot_cli(),
        readers::crush(),
        readers::cursor(),
        readers::cursor_agent(),
        readers::cursor_stream(),
        readers::factory_droid(),
        readers::factory_droid_stream(),
        readers::gemini_api(),
        readers::gemini_cli(),
        readers::gemini_stream(),
        readers::google_adk(),
        readers::goose(),
        readers::hermes(),
        readers::hook_log(),
        readers::http_log(),
        readers::inspect(),
        readers::kimi_cli(),
        readers::kimi_code(),
        readers::kiro(),
        readers::kiro_cli(),
        readers::langchain(),
        readers::langchain_events(),
        readers::langfuse(),
        readers::langsmith(),
        readers::letta_code_stream(),
        readers::llama_index(),
        readers::managed_agents(),
        readers::mastra(),
        readers::mini_swe_agent(),
        readers::openai_agents(),
        readers::openai_realtime(),
        readers::openai_responses(),
        readers::openclaw(),
        readers::openclaw_trajectory(),
        readers::opencode(),
        readers::openhands(),
        readers::otel(),
        readers::pi(),
        readers::pydantic_ai(),
        readers::qwen_code(),
        readers::sharegpt(),
        readers::smolagents(),
        readers::swe_agent(),
        readers::tau_bench(),
        readers::trae_agent(),
        readers::vercel_ai(),
        readers::weave(),
        readers::zed(),
    };
    return table;
}

const ReaderSpec* find_reader(std::string_view id) {
    const auto table = all_readers();
    const auto found = std::ranges::lower_bound(table, id, {}, &ReaderSpec::id);
    return found != table.end() && found->id == id ? &*found : nullptr;
}

}  // namespace agent_audit
