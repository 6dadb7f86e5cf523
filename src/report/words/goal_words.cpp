#include "report/words/goal_words.hpp"

#include "report/words/human.hpp"

#include <algorithm>

namespace agent_audit::report {

std::size_t said_together(std::span<const StatedRule> rules) {
    const auto other = [&](const StatedRule& rule) {
        return rule.kind != rules[0].kind || rule.line != rules[0].line || rule.sentence != rules[0].sentence;
    };
    return static_cast<std::size_t>(std::ranges::find_if(rules, other) - rules.begin());
}

std::string goal_line(std::string text) {
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    return text;
}

bool has_sub_agents(const SessionReport& session) { return session.counts.lanes > 1; }

std::string responses_of(const SessionReport& session, std::uint64_t n) {
    return count_of(n, "response") + (has_sub_agents(session) ? " of the main conversation" : "");
}

std::string limit_amount(const StatedLimit& limit, std::uint64_t n) {
    switch (limit.what) {
        case StatedLimit::What::turns: return count_of(n, "turn");
        case StatedLimit::What::tool_calls: return count_of(n, "tool call");
        case StatedLimit::What::seconds: return count_of(n, "second");
    }
    return {};
}

}  // namespace agent_audit::report
