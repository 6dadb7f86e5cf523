#pragma once

#include "report/words/line_words.hpp"

#include <agent_audit/model/money.hpp>
#include <agent_audit/policy/decision.hpp>
#include <agent_audit/simulator/outcome.hpp>
#include <agent_audit/simulator/replay.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Figures of replays in the words that text and page share.
namespace agent_audit::cli {

inline constexpr std::string_view kUnknownFigure = "-";

/// "$0.42"; "$0" for nothing spent; a dash where no price is known.
std::string amount(const std::optional<Money>& money);
/// Share of all prompts that was read from the cache.
std::string hit_share(const simulator::PolicyOutcome& policy);
/// "session 4f2c", "session task 3 trial 0", "session at line 12".
std::string session_words(std::string_view id, std::string_view label, std::uint64_t first_line,
                          const report::LineWords& lines);
std::string session_words(const simulator::SessionOutcome& session);
/// What the figures of a session rest on, as label and text: its window, what was billed, what the sizes of prompts are
/// told from, what is left out, prices and cache. Also how far the recorded agent's own context, replayed, is off its
/// bills, where that is much: all rows of a table are off alike.
std::vector<std::pair<std::string_view, std::string>> session_facts(const simulator::SessionOutcome& session);
/// "45 s", "12 min", "3 h", "4 days"; a dash below 0.
std::string wall_words(std::int64_t ms);
/// Parts of Money in dollars; a dash where no price is known.
std::string cost_words(std::uint64_t parts, bool priced);
/// A line number; a dash for 0.
std::string line_words(std::uint64_t line);
/// "; 0.6 s to wait", "; refused for 30.0 s", to stand behind a decision's reason; empty where it names no time.
std::string delay_words(const policy::Decision& decision);

}  // namespace agent_audit::cli
