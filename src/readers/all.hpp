#pragma once

#include <agent_audit/readers/reader.hpp>

namespace agent_audit::readers {

// One line a format; registry.cpp puts them into the table.
ReaderSpec acp();
ReaderSpec agent_audit_events();
ReaderSpec agent_framework();
ReaderSpec agent_history();
ReaderSpec ai_sdk();
ReaderSpec aider();
ReaderSpec amp();
ReaderSpec anthropic_messages();
ReaderSpec atif();
ReaderSpec auggie();
ReaderSpec autogen();
ReaderSpec bedrock_converse();
ReaderSpec browser_use();
ReaderSpec chat_completions();
ReaderSpec claude_code();
ReaderSpec claude_code_stream();
ReaderSpec cline();
ReaderSpec cline_stream();
ReaderSpec cline_ui();
ReaderSpec codex();
ReaderSpec codex_exec();
ReaderSpec codex_legacy();
ReaderSpec continue_dev();
ReaderSpec copilot_chat();
ReaderSpec copilot_cli();
ReaderSpec crush();
ReaderSpec cursor();
ReaderSpec cursor_agent();
ReaderSpec cursor_stream();
ReaderSpec factory_droid();
ReaderSpec factory_droid_stream();
ReaderSpec gemini_api();
ReaderSpec gemini_cli();
ReaderSpec gemini_stream();
ReaderSpec google_adk();
ReaderSpec goose();
ReaderSpec hermes();
ReaderSpec hook_log();
ReaderSpec http_log();
ReaderSpec inspect();
ReaderSpec kimi_cli();
ReaderSpec kimi_code();
ReaderSpec kiro();
ReaderSpec kiro_cli();
ReaderSpec langchain();
ReaderSpec langchain_events();
ReaderSpec langfuse();
ReaderSpec langsmith();
ReaderSpec letta_code_stream();
ReaderSpec llama_index();
ReaderSpec managed_agents();
ReaderSpec mini_swe_agent();
ReaderSpec openai_agents();
ReaderSpec openai_responses();
ReaderSpec openclaw();
ReaderSpec openclaw_trajectory();
ReaderSpec opencode();
ReaderSpec openhands();
ReaderSpec otel();
ReaderSpec pi();
ReaderSpec pydantic_ai();
ReaderSpec qwen_code();
ReaderSpec sharegpt();
ReaderSpec smolagents();
ReaderSpec swe_agent();
ReaderSpec tau_bench();
ReaderSpec trae_agent();
ReaderSpec vercel_ai();
ReaderSpec zed();

}  // namespace agent_audit::readers
