#include "cli/commands/replay_words.hpp"

#include "report/human.hpp"
#include "report/sanitize.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace agent_audit::cli {

std::string amount(const std::optional<Money>& money) {
    return money ? report::money(money->micro_dollars()) : std::string(kUnknownFigure);
}

std::string hit_share(const simulator::PolicyOutcome& policy) {
    if (!policy.cache) return std::string(kUnknownFigure);
    const auto all = static_cast<double>(policy.cache->read + policy.cache->write + policy.cache->input);
    return all > 0 ? report::percent(static_cast<double>(policy.cache->read) / all) : std::string(kUnknownFigure);
}

std::string window_words(const simulator::SessionOutcome& session) {
    const std::string size = report::short_count(static_cast<std::uint64_t>(session.window_tokens));
    using Source = simulator::SessionOutcome::WindowSource;
    switch (session.window_source) {
        case Source::given: return size + " tokens";
        case Source::recorded: return size + " tokens, as recorded";
        case Source::model: return size + " tokens, that of " + report::visible(session.model);
        default: return size + " tokens, assumed";
    }
}

std::string tokens_words(const simulator::SessionOutcome& session) {
    constexpr double kMuch = 0.05;
    if (session.billed_requests == 0) return "estimated: the session has no usage; system prompt and tools are not counted";
    std::string out = fmt::format("learnt from {}, half of the prompts within {:.1f} %; {} of each prompt are not recorded",
                                  report::count_of(session.samples, "request"), 100 * session.median_error,
                                  report::thousands(static_cast<std::uint64_t>(std::llround(std::max(0.0, session.unseen_tokens)))));
    const auto own = std::ranges::find(session.policies, "recorded", &simulator::PolicyOutcome::policy);
    if (own == session.policies.end() || session.recorded_mean <= 0) return out;
    const double off = own->mean_tokens / session.recorded_mean - 1;
    if (std::abs(off) >= kMuch) out += fmt::format("; the row 'recorded' is {} {} what was billed", report::percent(std::abs(off)), off > 0 ? "above" : "below");
    return out;
}

std::string wall_words(std::int64_t ms) {
    if (ms < 0) return std::string(kUnknownFigure);
    const std::int64_t s = ms / 1000;
    if (s < 120) return fmt::format("{} s", s);
    if (s < 7200) return fmt::format("{} min", s / 60);
    if (s < 172'800) return fmt::format("{} h", s / 3600);
    return fmt::format("{} days", s / 86'400);
}

std::string cost_words(std::uint64_t parts, bool priced) {
    return priced ? report::money(Money(parts).micro_dollars()) : std::string(kUnknownFigure);
}

std::string line_words(std::uint64_t line) {
    return line > 0 ? fmt::format("{}", line) : std::string(kUnknownFigure);
}

}  // namespace agent_audit::cli
