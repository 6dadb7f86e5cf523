#pragma once

#include <agent_audit/readers/reader.hpp>

namespace agent_audit::readers {

// One line a format; registry.cpp puts them into the table.
ReaderSpec agent_audit_events();
ReaderSpec agent_history();
ReaderSpec amp();
ReaderSpec anthropic_messages();
ReaderSpec atif();
ReaderSpec chat_completions();
ReaderSpec claude_code();
ReaderSpec claude_code_stream();
ReaderSpec codex();
ReaderSpec codex_exec();
ReaderSpec codex_legacy();
ReaderSpec copilot_cli();
ReaderSpec cursor_agent();
ReaderSpec factory_droid();
ReaderSpec gemini_cli();
ReaderSpec gemini_stream();
ReaderSpec goose();
ReaderSpec kimi_cli();
ReaderSpec kiro();
ReaderSpec mini_swe_agent();
ReaderSpec openclaw();
ReaderSpec openhands();
ReaderSpec pi();
ReaderSpec qwen_code();
ReaderSpec swe_agent();

}  // namespace agent_audit::readers
