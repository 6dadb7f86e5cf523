#include "profiles/all.hpp"
#include "profiles/rule.hpp"

namespace agent_audit::profiles {
namespace {

constexpr int kThreshold = 3;

class Opencode final : public PeerRule {
public:
    void on_text(const PeerText&) override { streak_ = 0; }
    void on_reasoning(const PeerText&) override { streak_ = 0; }
    void on_call(const PeerCall& call, const Arguments&) override {
        const std::uint64_t key = call.with_name(call.own);
        const bool again = streak_ > 0 && key == last_ && call.response == response_;
        streak_ = again ? streak_ + 1 : 1;
        last_ = key;
        response_ = call.response;
        if (streak_ >= kThreshold) warn("doom loop 3x", call.at);
    }

private:
    std::uint64_t last_ = 0;
    std::uint64_t response_ = 0;
    int streak_ = 0;
};

}  // namespace

ProfileSpec opencode() {
    return {"opencode",
            "opencode, August 2026 (doom_loop)",
            "the last 3 parts of one assistant message are the same call (keys in their own order); other messages are "
            "not looked at",
            "the user is asked for permission",
            "",
            "what the user answers",
            []() -> std::unique_ptr<PeerRule> { return std::make_unique<Opencode>(); }};
}

}  // namespace agent_audit::profiles
