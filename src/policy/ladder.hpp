#pragma once

#include <agent_audit/policy/policy.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace agent_audit::policy {

/// A rung that was climbed, or passed by.
struct Climbed {
    Action action = Action::notify;
    std::uint64_t line = 0;
};

/// Where one conversation stands on its policy's ladder. Counts responses; knows nothing of findings.
class Ladder {
public:
    /// The pattern went on in this response.
    void persists(std::uint64_t response) {
        if (response != last_seen_) ++persisted_;
        last_seen_ = response;
        good_ = 0;
    }

    /// New, successful calls without a pattern: the ladder is climbed down one rung for each `calm` of them.
    void calms(std::uint64_t good, int calm) {
        persisted_ = 0;
        good_ += good;
        while (good_ >= static_cast<std::uint64_t>(calm) && level_ > 0) {
            good_ -= static_cast<std::uint64_t>(calm);
            --level_;
            while (!climbed_.empty() && climbed_.size() > level_) climbed_.pop_back();
        }
        if (level_ == 0) good_ = 0;
    }

    /// A human spoke: all is new.
    void clear() { *this = Ladder{}; }

    /// The rung above, when it is time for it: the pattern is bad enough, and it went on long enough since the last
    /// intervention. Nothing: wait. `from` skips rungs that cannot be taken (see pass_over).
    std::optional<std::size_t> next(const RunPolicy& rules, Severity severity, double confidence,
                                    std::uint64_t response, std::size_t from) const {
        if (from >= rules.ladder.size()) return std::nullopt;
        const Rung& rung = rules.rung(rules.ladder[from]);
        if (severity < rung.on || confidence < rung.confidence) return std::nullopt;
        if (acted_ && response < acted_at_ + static_cast<std::uint64_t>(rung.cool_down)) return std::nullopt;
        if (acted_ && level_ > 0 && persisted_ < static_cast<std::uint64_t>(rung.persist)) return std::nullopt;
        return from;
    }

    void climb(std::size_t rung, Action action, std::uint64_t line, std::uint64_t response) {
        level_ = rung + 1;
        climbed_.push_back({action, line});
        acts(response);
    }
    /// An intervention beside the ladder.
    void acts(std::uint64_t response) {
        acted_ = true;
        acted_at_ = response;
        persisted_ = 0;
        good_ = 0;
    }

    std::size_t level() const { return level_; }
    std::uint64_t persisted() const { return persisted_; }
    const std::vector<Climbed>& climbed() const { return climbed_; }
    bool acted() const { return acted_; }
    std::uint64_t acted_at() const { return acted_at_; }

private:
    std::size_t level_ = 0;        // rungs below, taken or passed over
    std::uint64_t persisted_ = 0;  // responses in which the pattern went on since the last intervention
    std::uint64_t good_ = 0;
    std::uint64_t last_seen_ = 0;
    bool acted_ = false;
    std::uint64_t acted_at_ = 0;
    std::vector<Climbed> climbed_;  // never longer than the ladder
};

}  // namespace agent_audit::policy
