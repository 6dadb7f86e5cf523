#pragma once

#include <agent_audit/readers/reader.hpp>

namespace agent_audit::readers {

// One line a format; registry.cpp puts them into the table.
ReaderSpec agent_history();
ReaderSpec anthropic_messages();
ReaderSpec chat_completions();
ReaderSpec claude_code();
ReaderSpec claude_code_stream();
ReaderSpec codex();
ReaderSpec codex_exec();
ReaderSpec codex_legacy();
ReaderSpec openclaw();
ReaderSpec pi();

}  // namespace agent_audit::readers
