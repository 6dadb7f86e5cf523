#pragma once

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What a tool finds outside the files it works on.
enum class Finds : std::uint8_t {
    nothing,
    documents,  ///< answers a query with documents: a web search, a retriever
    pages,      ///< acts on a page and answers with what is seen then
};

/// Decided by the tool's name: web_search, WebSearch and mcp__any__web-search are one.
Finds finds_of(std::string_view raw_name);

}  // namespace agent_audit::detectors
