#pragma once

#include <agent_audit/simulator/compaction.hpp>
#include <agent_audit/simulator/methods.hpp>

/// What each method answers; one file an agent. methods.cpp asks the one a policy names.
namespace agent_audit::simulator {

using Planned = std::optional<CompactionPlan>;

#define AGENT_AUDIT_METHOD(type)                                                 \
    double tokens_of(const type& method, const Msg& message);                    \
    bool due(const type& method, const ContextSize& size, double window_tokens); \
    Planned plan(const type& method, const View& view, const ContextSize& size, double window_tokens)

namespace claude_code {
AGENT_AUDIT_METHOD(Compaction);
}
namespace codex {
AGENT_AUDIT_METHOD(Compaction);
}
namespace opencode {
AGENT_AUDIT_METHOD(Compaction);
}
namespace cline {
AGENT_AUDIT_METHOD(Compaction);
}
namespace roo {
AGENT_AUDIT_METHOD(Compaction);
}
namespace openhands {
AGENT_AUDIT_METHOD(Condenser);
}
namespace kimi {
AGENT_AUDIT_METHOD(Compaction);
}
namespace langchain {
AGENT_AUDIT_METHOD(Compaction);
}
namespace letta {
AGENT_AUDIT_METHOD(Compaction);
}
namespace provider {
AGENT_AUDIT_METHOD(Compaction);
AGENT_AUDIT_METHOD(Truncation);
}  // namespace provider

#undef AGENT_AUDIT_METHOD

/// A plan that gives up [from, to) for a summary.
inline CompactionPlan gives_up(std::size_t from, std::size_t to, double max_summary) {
    CompactionPlan out;
    out.from = from;
    out.to = to;
    out.max_summary_tokens = max_summary;
    return out;
}

/// A user message of these words.
MsgPtr spoken_by_user(std::string words);

}  // namespace agent_audit::simulator
