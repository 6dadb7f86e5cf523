#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace agent_audit::report {

/// What is wrong with an input: "a.jsonl: empty", but "cannot open 'a.jsonl': permission denied", as of every other
/// file. "-" is standard input.
std::string input_problem(std::string_view name, std::string_view why);

/// That none of these inputs holds a session; `skipped` are files in folders that were looked into besides.
std::string no_session_words(std::span<const std::string> inputs, std::uint64_t skipped);

}  // namespace agent_audit::report
