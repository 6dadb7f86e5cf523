#include "report/words/provider_error_words.hpp"

#include "report/words/human.hpp"
#include "report/words/line_words.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace agent_audit::report {

std::string provider_error_words(const SessionReport& session) {
    constexpr std::size_t kNamed = 4;
    const ProviderErrors& errors = session.provider_errors;
    const LineWords lines(session);
    std::string text = count_of(session.counts.provider_errors, "error");
    if (errors.first_line > 0 && errors.first_line == errors.last_line) text += " at " + lines.one(errors.first_line);
    if (errors.first_line < errors.last_line)
        text += fmt::format(", {}s {} to {}", lines.noun(), errors.first_line, errors.last_line);
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
    if (named < session.counts.provider_errors)
        kinds.push_back(thousands(session.counts.provider_errors - named) + " others");
    return text + ": " + join(kinds, ", ");
}

std::vector<std::size_t> with_provider_errors(const Report& report) {
    if (report.counts.provider_errors == 0) return {};
    std::vector<std::pair<std::uint64_t, std::size_t>> found;
    for (std::size_t i = 0; i < report.sessions.size(); ++i) {
        const std::uint64_t errors = report.sessions[i].counts.provider_errors;
        if (errors > 0) found.emplace_back(errors, i);
    }
    std::ranges::stable_sort(found, std::greater<>{}, [](const auto& entry) { return entry.first; });
    std::vector<std::size_t> sessions;
    for (const auto& [errors, i] : found) sessions.push_back(i);
    return sessions;
}

}  // namespace agent_audit::report
