#include "support/sanitized.hpp"
#include "support/session.hpp"

#include "detectors/engine/period_runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace agent_audit;
using agent_audit::detectors::PeriodRuns;
using agent_audit::test::Session;

namespace {

using Random = std::mt19937;

double chance(Random& random) { return static_cast<double>(random() % 1'000'000) / 1e6; }

struct Made {
    std::string tool, argument, outcome;
    bool failed = false;
};

/// Step `symbol` of an alphabet: reads, searches, checks and commands, some of which fail.
Made step_of(std::uint64_t symbol) {
    static constexpr std::array kTools{"Read", "Grep", "Bash", "Read", "lookup"};
    const std::string tool = kTools[symbol % kTools.size()];
    const std::string word = "w" + std::to_string(symbol * 2654435761U % 100'003) + "q";
    return {tool, tool == "Bash" ? "make " + word : word,
            "answer of " + word + " in so many words that it says something", symbol % 7 == 3};
}

void play(Session& s, const Made& m) {
    s.call(m.tool, m.argument, m.outcome, m.failed ? ResultStatus::error : ResultStatus::ok);
}

/// What was found, without places: the multiset of rule, period and repeats.
std::multiset<std::string> essence(const std::vector<Finding>& findings) {
    std::multiset<std::string> all;
    for (const Finding& f : findings)
        all.insert(f.rule + "/" + std::to_string(f.period) + "/" + std::to_string(f.repeats) + "/" +
                   std::string(name(f.severity)));
    return all;
}

/// A stream of symbols with stretches that repeat: what rules see in bad sessions.
std::vector<std::uint64_t> messy_stream(Random& random, std::size_t size) {
    std::vector<std::uint64_t> symbols;
    while (symbols.size() < size) {
        const std::uint64_t base = random() % 40;
        const std::size_t period = 1 + random() % 5, rounds = 1 + random() % 7;
        for (std::size_t i = 0; i < period * rounds; ++i) symbols.push_back(base + i % period);
        for (std::size_t i = random() % 6; i > 0; --i) symbols.push_back(1000 + random() % 5000);
    }
    return symbols;
}

// The rules that compare (call, outcome). Errors of one tool may be equal whatever the call was: not among them.
constexpr std::array<std::string_view, 5> kOutcomeRules{"loop/exact-repeat", "loop/cycle", "loop/interleaved-repeat",
                                                        "loop/near-repeat", "loop/revisit-ratio"};

struct Verdict {
    bool warned = false;
    bool failed = false;
};

/// Eight rounds of a cycle with random steps inserted with probability `noise` and steps left out with a quarter of it.
Verdict planted(Random& random, std::uint64_t period, double noise) {
    Session s;
    std::uint64_t fresh = 10'000;
    for (int round = 0; round < 8; ++round) {
        for (std::uint64_t i = 0; i < period; ++i) {
            if (chance(random) < noise) play(s, step_of(++fresh * 5));  // reads: they succeed and are all different
            if (chance(random) >= noise / 4) play(s, step_of(i));       // left out now and then
        }
    }
    Verdict verdict;
    for (const Finding& f : s.end()) {
        verdict.warned = verdict.warned || f.severity >= Severity::warning;
        verdict.failed = verdict.failed || f.severity == Severity::error;
    }
    return verdict;
}

struct Rates {
    double warned = 1;
    double failed = 1;
};

/// The worst rates over all periods from 1 to 32.
Rates worst_rates(double noise, int trials) {
    Random random(20'260'504);
    Rates worst;
    for (std::uint64_t period = 1; period <= PeriodRuns::kMaxPeriod; ++period) {
        int warned = 0, failed = 0;
        for (int trial = 0; trial < trials; ++trial) {
            const Verdict v = planted(random, period, noise);
            warned += v.warned;
            failed += v.failed;
        }
        worst.warned = std::min(worst.warned, static_cast<double>(warned) / trials);
        worst.failed = std::min(worst.failed, static_cast<double>(failed) / trials);
    }
    MESSAGE("noise " << noise << ": warned in at least " << worst.warned << ", failed in at least " << worst.failed);
    return worst;
}

}  // namespace

TEST_SUITE("properties of the repetition rules") {
    TEST_CASE("every run of the period engine equals a count by hand, for random streams") {
        Random random(11);
        for (int trial = 0; trial < agent_audit::test::rounds(200); ++trial) {
            PeriodRuns runs;
            std::vector<std::uint64_t> symbols;
            const std::uint64_t alphabet = 1 + random() % 6;
            for (int i = 0; i < 120; ++i) {
                const std::size_t back = 1 + random() % 40;
                const bool copy = symbols.size() >= back && random() % 3 != 0;
                symbols.push_back(copy ? symbols[symbols.size() - back] : mix_hash(random() % alphabet, 1));
                runs.push(symbols.back());
                for (std::uint32_t p = 1; p <= PeriodRuns::kMaxPeriod; ++p) {
                    std::uint32_t run = 0;
                    for (std::size_t k = symbols.size(); k-- > p && symbols[k] == symbols[k - p];) ++run;
                    REQUIRE(runs.run(p) == run);
                }
            }
        }
    }

    TEST_CASE("all outcomes distinct: no rule about outcomes finds anything, however often a call comes back") {
        Random random(2);
        for (int trial = 0; trial < agent_audit::test::rounds(30); ++trial) {
            Session s;
            for (int i = 0; i < 150; ++i) {
                Made m = step_of(random() % (1 + static_cast<std::uint64_t>(trial) % 9));
                m.outcome += " no. " + std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(trial) + "x" +
                             std::to_string(i);
                play(s, m);
            }
            for (const Finding& f : s.end()) {
                CAPTURE(f.message);
                CHECK(std::ranges::find(kOutcomeRules, f.rule) == kOutcomeRules.end());
            }
        }
    }

    TEST_CASE("the order of parallel calls in a response changes nothing") {
        Random random(3);
        for (int trial = 0; trial < agent_audit::test::rounds(30); ++trial) {
            const auto symbols = messy_stream(random, 120);
            std::vector<std::vector<std::uint64_t>> responses;
            for (std::size_t i = 0; i < symbols.size();) {
                const std::size_t n = std::min<std::size_t>(1 + random() % 4, symbols.size() - i);
                responses.emplace_back(symbols.begin() + static_cast<std::ptrdiff_t>(i),
                                       symbols.begin() + static_cast<std::ptrdiff_t>(i + n));
                i += n;
            }
            const auto run = [&](bool shuffle) {
                Session s;
                for (auto response : responses) {
                    if (shuffle) std::ranges::shuffle(response, random);
                    s.respond();
                    for (const auto symbol : response) s.open(step_of(symbol).tool, step_of(symbol).argument);
                    for (const auto symbol : response)
                        s.answer(step_of(symbol).outcome,
                                 step_of(symbol).failed ? ResultStatus::error : ResultStatus::ok);
                }
                return essence(s.end());
            };
            CHECK(run(false) == run(true));
        }
    }

    TEST_CASE("pauses, notes, denials and cancelled calls anywhere change nothing") {
        Random random(4);
        for (int trial = 0; trial < agent_audit::test::rounds(30); ++trial) {
            const auto symbols = messy_stream(random, 120);
            const auto run = [&](bool disturb) {
                Session s;
                int note = 0;
                for (const auto symbol : symbols) {
                    play(s, step_of(symbol));
                    if (!disturb) continue;
                    switch (random() % 6) {
                        case 0: s.call("Bash", "sleep 5", ""); break;
                        case 1: s.call("TodoWrite", "plan " + std::to_string(++note), "noted"); break;
                        case 2: s.call("Bash", "rm -rf /", "the user said no", ResultStatus::denied); break;
                        case 3: s.call("Read", "sibling", "not run", ResultStatus::cancelled); break;
                        default: break;
                    }
                }
                return essence(s.end());
            };
            CHECK(run(false) == run(true));
        }
    }

    TEST_CASE("a planted cycle of four or more rounds is always found with its period or a divisor of it") {
        Random random(6);
        for (std::uint64_t period = 1; period <= PeriodRuns::kMaxPeriod; ++period) {
            for (int rounds = 4; rounds < 8; ++rounds) {
                CAPTURE(period);
                CAPTURE(rounds);
                Session s;
                const auto lead = 10'000 + random() % 100;
                for (std::uint64_t i = 0; i < 10; ++i) play(s, step_of((lead + i) * 5));
                const auto before = s.line();
                for (int r = 0; r < rounds; ++r) {
                    for (std::uint64_t i = 0; i < period; ++i) play(s, step_of(i));
                }
                const auto& found = s.end();
                const auto hit = std::ranges::find_if(
                    found, [&](const Finding& f) { return f.period != 0 && period % f.period == 0; });
                REQUIRE(hit != found.end());
                CHECK(hit->first_line == before + 1);
                CHECK(hit->repeats * hit->period == static_cast<std::uint64_t>(rounds) * period);
            }
        }
    }

    TEST_CASE("one more round never makes a count or a severity smaller") {
        for (std::uint64_t period = 1; period <= 6; ++period) {
            std::uint64_t steps = 0;
            Severity worst = Severity::info;
            for (int rounds = 1; rounds < 14; ++rounds) {
                Session s;
                for (int r = 0; r < rounds; ++r) {
                    for (std::uint64_t i = 0; i < period; ++i) play(s, step_of(i));
                    play(s, step_of(100'000 +
                                    static_cast<std::uint64_t>(r) * 5));  // never the same: the round is not exact
                }
                std::uint64_t now = 0;
                Severity severity = Severity::info;
                for (const Finding& f : s.end()) {
                    now = std::max(now, f.repeats);
                    severity = std::max(severity, f.severity);
                }
                CAPTURE(period);
                CAPTURE(rounds);
                CHECK(now >= steps);
                CHECK(severity >= worst);
                steps = now;
                worst = severity;
            }
            CHECK(worst == Severity::error);
        }
    }

    TEST_CASE("planted cycles of period 1 to 32 are found in noise") {
        // With a step left out now and then a cycle of one step has too few rounds left, once in a while.
        // Of few rounds a single one is a large share: the shares are those of builds without sanitizers.
        const int kTrials = agent_audit::test::rounds(40);
        const double kMost = agent_audit::test::is_sanitized() ? 0.5 : 0.95, kMany = kMost - 0.1;
        for (const double noise : {0.0, 0.05}) CHECK(worst_rates(noise, kTrials).failed == 1);
        for (const double noise : {0.1, 0.25}) CHECK(worst_rates(noise, kTrials).failed >= kMost);
        const Rates loud = worst_rates(0.5, kTrials);
        CHECK(loud.warned == 1);
        CHECK(loud.failed >= kMany);
    }
}
