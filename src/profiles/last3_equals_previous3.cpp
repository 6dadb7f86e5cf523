#include "profiles/all.hpp"
#include "profiles/rule.hpp"

#include <array>

namespace agent_audit::profiles {
namespace {

constexpr std::size_t kHalf = 3;

class Last3EqualsPrevious3 final : public PeerRule {
public:
    void on_call(const PeerCall& call, const Arguments&) override {
        actions_[count_++ % actions_.size()] = call.with_name(call.sorted);
        if (count_ < actions_.size()) return;
        for (std::size_t i = 0; i < kHalf; ++i) {
            if (actions_[(count_ + i) % actions_.size()] != actions_[(count_ + i + kHalf) % actions_.size()]) return;
        }
        stop("last 3 = 3 before", call.at);
    }

private:
    std::array<std::uint64_t, 2 * kHalf> actions_{};
    std::size_t count_ = 0;
};

}  // namespace

ProfileSpec last3_equals_previous3() {
    return {"last3-equals-previous3",
            "a published simple rule",
            "the last 3 actions (tool and arguments) equal the 3 before them",
            "",
            "the run ends",
            "nothing",
            []() -> std::unique_ptr<PeerRule> { return std::make_unique<Last3EqualsPrevious3>(); }};
}

}  // namespace agent_audit::profiles
