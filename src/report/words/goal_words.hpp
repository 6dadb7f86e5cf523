#pragma once

#include <agent_audit/model/report.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::report {

bool has_sub_agents(const SessionReport& session);
/// "7 responses", of the main conversation where there are others: sub-agents have no goal and no course of their own.
std::string responses_of(const SessionReport& session, std::uint64_t n);
/// `n` of what the limit counts: "3 tool calls".
std::string limit_amount(const StatedLimit& limit, std::uint64_t n);

/// A goal's text as one line: line breaks and tabs are spaces.
std::string goal_line(std::string text);

/// The rules of a goal, a line each: "forbid-path src/api (line 3)". What one sentence says of many commands or files
/// is one line with the first of them. `words` say a target as it may be shown, `place` where it was said.
template <class Words, class Place>
std::vector<std::string> rule_lines(const SessionGoal& goal, Words& words, Place&& place);

/// How many rules, from the first on, one sentence says of one kind.
std::size_t said_together(std::span<const StatedRule> rules);

template <class Words, class Place>
std::vector<std::string> rule_lines(const SessionGoal& goal, Words& words, Place&& place) {
    constexpr std::size_t kNamed = 3;
    std::vector<std::string> out;
    for (std::span<const StatedRule> left(goal.rules); !left.empty();) {
        const auto together = left.first(said_together(left));
        left = left.subspan(together.size());
        const bool many = together.size() > kNamed + 1;
        std::string line(name(together[0].kind));
        for (const StatedRule& rule : together.first(many ? kNamed : together.size())) {
            line += fmt::format("{} {}", &rule == together.data() ? "" : ",", words.word(rule.target, rule.sentence));
        }
        if (many) line += fmt::format(" and {} more", together.size() - kNamed);
        out.push_back(fmt::format("{} ({})", line, place(together[0].line)));
    }
    return out;
}

}  // namespace agent_audit::report
