#include "profiles/all.hpp"
#include "profiles/rule.hpp"

#include <array>

namespace agent_audit::profiles {
namespace {

constexpr std::size_t kShortest = 3;
constexpr std::size_t kLongest = 50;  // twice in a history of 100 calls
constexpr std::int64_t kWindowMs = 60'000;

// Names only: what a tool was called with does not count, and that is why this rule stops nearly everybody.
class SequenceHash final : public PeerRule {
public:
    void on_call(const PeerCall& call, const Arguments&) override {
        const std::uint64_t tool = stable_hash(call.name);
        seen(0) = {tool, call.time_ms};
        for (std::size_t length = kShortest; length <= kLongest; ++length) {
            const bool again = count_ >= length && seen(length).tool == tool;
            run_[length] = again ? run_[length] + 1 : 0;
        }
        ++count_;
        for (std::size_t length = kShortest; length <= kLongest; ++length) {
            if (run_[length] >= length && in_time(length)) return stop("names repeat", call.at);
        }
    }

private:
    struct Seen {
        std::uint64_t tool = 0;
        std::int64_t time_ms = kNoTime;
    };

    // `back` calls before the one that comes next.
    Seen& seen(std::size_t back) { return ring_[(count_ + ring_.size() - back) % ring_.size()]; }

    // From the first call of both rounds to the last; without times nothing speaks against it.
    bool in_time(std::size_t length) {
        const std::int64_t last = seen(1).time_ms;
        const std::int64_t first = seen(2 * length).time_ms;
        return first == kNoTime || last == kNoTime || last - first <= kWindowMs;
    }

    std::array<Seen, 2 * kLongest + 1> ring_{};
    std::array<std::size_t, kLongest + 1> run_{};  // calls in a row named as the one `length` before
    std::size_t count_ = 0;
};

}  // namespace

ProfileSpec sequence_hash() {
    return {
        "sequence-hash",
        "a published simple rule",
        "a sequence of at least 3 tool names comes twice in a row within 60 seconds of recorded time (without times: "
        "comes twice in a row)",
        "",
        "the run ends",
        "sequences of more than 50 calls: the rule's history has 100",
        []() -> std::unique_ptr<PeerRule> { return std::make_unique<SequenceHash>(); }};
}

}  // namespace agent_audit::profiles
