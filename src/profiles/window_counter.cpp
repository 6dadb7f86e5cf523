#include "profiles/all.hpp"
#include "profiles/rule.hpp"

#include <algorithm>
#include <deque>

namespace agent_audit::profiles {
namespace {

constexpr std::size_t kWindow = 10;
constexpr std::ptrdiff_t kSame = 3;

class WindowCounter final : public PeerRule {
public:
    void on_call(const PeerCall& call, const Arguments&) override {
        const std::uint64_t key = call.with_name(call.sorted);
        actions_.push_back(key);
        if (actions_.size() > kWindow) actions_.pop_front();
        if (std::ranges::count(actions_, key) >= kSame) stop("same action 3 of 10", call.at);
    }

private:
    std::deque<std::uint64_t> actions_;
};

}  // namespace

ProfileSpec window_counter() {
    return {"window-counter",
            "a published simple rule",
            "the same action (tool and arguments) 3 times in the last 10",
            "",
            "the run ends",
            "nothing",
            []() -> std::unique_ptr<PeerRule> { return std::make_unique<WindowCounter>(); }};
}

}  // namespace agent_audit::profiles
