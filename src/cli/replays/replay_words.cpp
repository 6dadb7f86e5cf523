#include "cli/replays/replay_words.hpp"

#include "report/escape/sanitize.hpp"
#include "report/words/human.hpp"

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

std::string session_words(std::string_view id, std::string_view label, std::uint64_t first_line,
                          const report::LineWords& lines) {
    const std::string_view name = id.empty() ? label : id;
    return name.empty() ? "session at " + lines.one(first_line) : "session " + report::visible(name);
}

std::string session_words(const simulator::SessionOutcome& session) {
    return session_words(session.session, session.label, session.first_line, report::LineWords(session.counts_records));
}

namespace {

using simulator::PolicyOutcome;
using simulator::SessionOutcome;

constexpr double kMuch = 0.05;  // a share by which figures may be off without a word

std::uint64_t whole(double value) { return static_cast<std::uint64_t>(std::llround(std::max(0.0, value))); }

const PolicyOutcome* recorded_row(const SessionOutcome& session) {
    const auto own = std::ranges::find(session.policies, "recorded", &PolicyOutcome::policy);
    return own == session.policies.end() ? nullptr : &*own;
}

std::string window_words(const SessionOutcome& session) {
    const std::string size = report::short_count(whole(session.window_tokens)) + " tokens";
    using Source = SessionOutcome::WindowSource;
    switch (session.window_source) {
        case Source::given: return size;
        case Source::recorded: return size + ", as recorded";
        case Source::model: return size + ", that of " + report::visible(session.model);
        case Source::usual: return size + ", usual for this version of the agent; not recorded";
        default: return size + ", assumed";
    }
}

std::string recorded_words(const SessionOutcome& session) {
    std::string out = fmt::format("peak {}, mean {}, {}", report::short_count(session.recorded_peak),
                                  report::short_count(whole(session.recorded_mean)),
                                  report::count_of(session.recorded_compactions, "compaction"));
    const std::optional<Money> all = session.bill.cost ? session.bill.cost : session.billed_cost;
    if (all) out += fmt::format(", {} for what was billed", amount(all));
    return out;
}

// Whether all that was billed was billed for requests that are replayed.
bool replays_all(const SessionOutcome& session) {
    const std::optional<Money>&all = session.bill.cost, &here = session.billed_cost;
    if (session.bill.requests != session.billed_requests || all.has_value() != here.has_value()) return false;
    return !all || std::llabs(static_cast<long long>(all->micro_dollars() - here->micro_dollars())) <= 1;
}

// What a scan says of the same recording, where that is more than what the requests here were billed.
std::string bill_words(const SessionOutcome& session) {
    const SessionOutcome::Bill& bill = session.bill;
    if (bill.requests == 0 || replays_all(session)) return {};
    std::string out =
        fmt::format("{}, {} tokens", report::count_of(bill.requests, "request"), report::thousands(bill.tokens));
    if (bill.cost) out += ", " + amount(bill.cost);
    out += " in all, as a scan counts them; ";
    if (session.requests == 0) return out + "none is replayed";
    const std::uint64_t few = session.billed_requests;
    out += fmt::format("{} of the {} replayed {}", few == 0 ? "none" : report::thousands(few),
                       report::thousands(session.requests),
                       few < 2 ? "has figures of its own" : "have figures of their own");
    if (session.billed_cost) out += ", " + amount(session.billed_cost);
    return out;
}

/// More than the whole is said as it is.
std::string off_words(double off) {
    const std::string much = off > 1 ? fmt::format("{:.0f} %", off * 100) : report::percent(std::abs(off));
    return much + (off > 0 ? " above" : " below");
}

std::string tokens_words(const SessionOutcome& session) {
    if (session.billed_requests == 0) {
        return fmt::format(
            "estimated: {}; of system prompt and tools only what is recorded is counted",
            session.bill.requests > 0 ? "no request has its prompt recorded" : "the session has no usage");
    }
    std::string out;
    if (session.samples == 0) {
        out = fmt::format("estimated: the usage of {} teaches nothing about sizes",
                          report::count_of(session.billed_requests, "request"));
    } else if (session.samples == 1) {
        out = "learnt from 1 request";
    } else {
        out = fmt::format("learnt from {}, half of the prompts within {:.1f} % of what the one before let expect",
                          report::count_of(session.samples, "request"), 100 * session.median_error);
    }
    out += fmt::format("; {} of each prompt are not recorded", report::thousands(whole(session.unseen_tokens)));
    const PolicyOutcome* own = recorded_row(session);
    if (own == nullptr || session.recorded_mean <= 0) return out;
    const double off = own->mean_tokens / session.recorded_mean - 1;
    const double peak = static_cast<double>(own->peak_tokens) / static_cast<double>(session.recorded_peak) - 1;
    if (std::abs(off) >= kMuch) {
        out += fmt::format("; the row 'recorded' is {} what was billed", off_words(off));
    } else if (std::abs(peak) >= kMuch) {
        out +=
            fmt::format("; the peak of the row 'recorded' is {} the largest prompt that was billed", off_words(peak));
    }
    return out;
}

std::string price_words(const SessionOutcome& session) {
    if (session.requests == 0) return {};
    if (!session.priced && session.model.empty()) {
        if (session.bill.model.empty()) return "unknown: the recording names no model; --model NAME prices it as one";
        const std::string model = report::visible(session.bill.model);
        return fmt::format("unknown: {} is named for a sum and for no request; --model {} prices each", model, model);
    }
    if (!session.priced) return fmt::format("unknown: no price of {} is known", report::visible(session.model));
    std::string out;
    if (session.unpriced_requests > 0) {
        out = fmt::format("without {} of {}, whose model has no known price",
                          report::thousands(session.unpriced_requests), report::count_of(session.requests, "request"));
    }
    const PolicyOutcome* own = recorded_row(session);
    if (own == nullptr || !own->cost || !session.billed_cost || session.repriced) return out;
    // Requests without usage are in the row, not in the bill.
    const auto unbilled = static_cast<double>(session.requests - std::min(session.requests, session.billed_requests));
    const auto billed = static_cast<double>(session.billed_cost->parts());
    if (billed <= 0 || unbilled > kMuch * static_cast<double>(session.requests)) return out;
    const double off = static_cast<double>(own->cost->parts()) / billed - 1;
    const double summaries = own->summary_cost ? static_cast<double>(own->summary_cost->parts()) / billed : 0;
    if (std::abs(off) < kMuch && summaries < kMuch) return out;
    if (!out.empty()) out += "; ";
    if (std::abs(off) < kMuch)
        return out + fmt::format("the row 'recorded' has {} for summaries, which the recording does not bill",
                                 amount(own->summary_cost));
    return out + fmt::format("the row 'recorded' is {} the {} {}, without summaries", off_words(off),
                             amount(session.billed_cost),
                             replays_all(session) ? "for what was billed" : "that the replayed requests were billed");
}

// What the recording says of the cache is the same under every context.
std::string cache_words(const SessionOutcome& session) {
    constexpr double kLittle = 0.98;
    const auto held =
        std::ranges::find_if(session.policies, [](const PolicyOutcome& p) { return p.cache.has_value(); });
    if (held == session.policies.end() || session.requests < 2) return {};
    const PolicyOutcome::CacheTotals& cache = *held->cache;
    if (cache.assumed) return "the recording shows no reads and no writes: hits are what a cache would have given";
    if (cache.recorded_misses > 0) {
        return fmt::format(
            "at {} the recording read less than times and sizes let expect; every context is taken to have "
            "missed as much there",
            report::count_of(cache.recorded_misses, "request"));
    }
    if (cache.scaled_by.value_or(1) > kLittle) return {};
    return "the recording read a little less each time than times and sizes let expect; so does every context here";
}

std::string reasoning_words(const SessionOutcome& session) {
    if (session.reasoning_left == 0) return {};
    return fmt::format(
        "at {} the provider had left out the reasoning of earlier turns, as its bills tell; it does so under every "
        "context",
        report::count_of(session.reasoning_left, "request"));
}

}  // namespace

std::vector<std::pair<std::string_view, std::string>> session_facts(const simulator::SessionOutcome& session) {
    std::vector<std::pair<std::string_view, std::string>> facts{{"window", window_words(session)}};
    const auto add = [&facts](std::string_view label, std::string words) {
        if (!words.empty()) facts.emplace_back(label, std::move(words));
    };
    if (session.billed_requests > 0) add("recorded", recorded_words(session));
    add("billed", bill_words(session));
    add("tokens", tokens_words(session));
    add("reasoning", reasoning_words(session));
    if (session.other_lanes > 0) add("left out", "sub-agents, which have contexts of their own");
    add("cost", price_words(session));
    add("cache", cache_words(session));
    return facts;
}

std::string wall_words(std::int64_t ms) { return ms < 0 ? std::string(kUnknownFigure) : report::duration_words(ms); }

std::string cost_words(std::uint64_t parts, bool priced) {
    return priced ? report::money(Money(parts).micro_dollars()) : std::string(kUnknownFigure);
}

std::string line_words(std::uint64_t line) { return line > 0 ? fmt::format("{}", line) : std::string(kUnknownFigure); }

std::string delay_words(const policy::Decision& decision) {
    if (decision.delay_ms <= 0) return {};
    const double seconds = static_cast<double>(decision.delay_ms) / 1000;
    return decision.action == policy::Action::open_breaker ? fmt::format("; refused for {:.1f} s", seconds)
                                                           : fmt::format("; {:.1f} s to wait", seconds);
}

}  // namespace agent_audit::cli
