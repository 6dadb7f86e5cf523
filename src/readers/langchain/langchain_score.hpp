#pragma once

#include <agent_audit/readers/reader.hpp>

#include <span>

namespace agent_audit::readers {

/// How much a few records look like messages of LangChain, or what a graph of LangGraph prints of them.
Score langchain_score(std::span<const ProbeRecord> sample, Framing framing);

}  // namespace agent_audit::readers
