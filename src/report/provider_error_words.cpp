#include "report/provider_error_words.hpp"

#include "report/human.hpp"
#include "report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::report {

std::string provider_error_words(const SessionReport& session) {
    constexpr std::size_t kNamed = 4;
    const ProviderErrors& errors = session.provider_errors;
    std::string text = count_of(session.counts.provider_errors, "error");
    if (errors.first_line > 0 && errors.first_line == errors.last_line) text += fmt::format(" at line {}", errors.first_line);
    if (errors.first_line < errors.last_line) text += fmt::format(", lines {} to {}", errors.first_line, errors.last_line);
    std::vector<std::string> kinds;
    std::uint64_t named = 0;
    for (const ProviderErrors::Kind& kind : errors.kinds) {
        if (kind.code.empty()) continue;
        if (kinds.size() == kNamed) break;
        const bool all = kind.count == session.counts.provider_errors;
        kinds.push_back(kind.count == 1 ? kind.code
                        : all           ? "all " + kind.code
                                        : fmt::format("{} ({} times)", kind.code, thousands(kind.count)));
        named += kind.count;
    }
    if (kinds.empty()) return text;
    if (named < session.counts.provider_errors) kinds.push_back(thousands(session.counts.provider_errors - named) + " others");
    return text + ": " + join(kinds, ", ");
}

std::vector<const SessionReport*> with_provider_errors(const Report& report) {
    std::vector<const SessionReport*> sessions;
    for (const SessionReport& session : report.sessions) {
        if (session.counts.provider_errors > 0) sessions.push_back(&session);
    }
    std::ranges::stable_sort(sessions, [](auto* a, auto* b) { return a->counts.provider_errors > b->counts.provider_errors; });
    return sessions;
}

}  // namespace agent_audit::report
