#include "profiles/all.hpp"
#include "profiles/rule.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace agent_audit::profiles {
namespace {

constexpr std::size_t kWindow = 10;  // steps; a step is a model response with its calls and results
constexpr std::ptrdiff_t kMost = 5;

struct Pair {
    std::uint64_t seq;
    std::uint64_t call;
    std::uint64_t output;
};

class Crush final : public PeerRule {
public:
    void on_text(const PeerText&) override { spoke_ = true; }
    void on_reasoning(const PeerText&) override { spoke_ = true; }
    void on_call(const PeerCall& call, const Arguments&) override {
        spoke_ = true;
        if (pairs_.size() < kMostCalls) pairs_.push_back({call.at.seq, call.with_name(call.raw), 0});
    }
    void on_result(const PeerCall& call, const PeerResult& result) override {
        for (Pair& pair : pairs_) {
            if (pair.seq == call.at.seq) pair.output = result.hash;
        }
    }
    void on_response_end(const Spot& last) override {
        if (!spoke_) return;
        steps_.push_back(signature());
        if (steps_.size() > kWindow) steps_.pop_front();
        pairs_.clear();
        spoke_ = false;
        if (steps_.size() == kWindow && repeated()) stop("same step 6 of 10", last);
    }
    void on_user(const Spot&) override {
        steps_.clear();
        pairs_.clear();
        spoke_ = false;
    }

private:
    static constexpr std::size_t kMostCalls = 1024;  // of one response

    // 0 = no calls: such a step takes room in the window and equals nothing.
    std::uint64_t signature() const {
        std::uint64_t hash = 0;
        for (const Pair& pair : pairs_) hash = mix_hash(mix_hash(hash, pair.call), pair.output) | 1;
        return hash;
    }
    bool repeated() const {
        return std::ranges::any_of(steps_,
                                   [&](std::uint64_t s) { return s != 0 && std::ranges::count(steps_, s) > kMost; });
    }

    std::deque<std::uint64_t> steps_;
    std::vector<Pair> pairs_;
    bool spoke_ = false;
};

}  // namespace

ProfileSpec crush() {
    return {
        "crush",
        "crush, August 2026",
        "from the 10th step on: one response with the same calls (arguments as written) and the same outputs more than "
        "5 times in the last 10",
        "",
        "the run ends",
        "nothing",
        []() -> std::unique_ptr<PeerRule> { return std::make_unique<Crush>(); }};
}

}  // namespace agent_audit::profiles
