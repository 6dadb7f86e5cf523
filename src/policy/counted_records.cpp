#include "policy/counted_records.hpp"

#include "model/record_words.hpp"
#include "policy/supervisor_words.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::policy {
namespace {

// "- line 4: bash `npm test` -> error at line 12": only what stands before the colon is ours.
std::string list_with_records(std::string_view list) {
    std::string out;
    while (!list.empty()) {
        const std::size_t end = std::min(list.find('\n'), list.size() - 1) + 1;
        const std::size_t place = std::min(list.find(':'), end);
        out.append(with_records(list.substr(0, place))).append(list.substr(place, end - place));
        list.remove_prefix(end);
    }
    return out;
}

// Goal, calls and reason follow each other. Only the goal may have lines that look like the others, so they are looked
// for from the end.
std::string reflection_with_records(std::string_view message) {
    const std::size_t why = message.rfind(kWhyNow);
    if (why == message.npos) return std::string(message);
    const std::size_t recent = message.substr(0, why).rfind(kRecentCalls);
    const std::size_t list = recent == message.npos ? why : recent + kRecentCalls.size();
    return std::string(message.substr(0, list)) + list_with_records(message.substr(list, why - list)) +
           with_records(message.substr(why));
}

}  // namespace

void call_lines_records(Decision& decision) {
    decision.reason = with_records(decision.reason);
    decision.advice = with_records(decision.advice);
    decision.message =
        decision.action == Action::reflect ? reflection_with_records(decision.message) : with_records(decision.message);
    for (Alternative& other : decision.alternatives) other.why_not = with_records(other.why_not);
}

}  // namespace agent_audit::policy
