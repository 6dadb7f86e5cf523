#pragma once

#include <string_view>

namespace agent_audit::detectors {

/// A tool whose name begins so asks, whatever follows: get_key, find_next, list_orders.
inline constexpr std::string_view kAskingVerbs[] = {"check", "count",   "describe", "fetch",  "find", "get",
                                                    "has",   "inspect", "is",       "list",   "load", "lookup",
                                                    "query", "read",    "scan",     "search", "show", "view"};

}  // namespace agent_audit::detectors
