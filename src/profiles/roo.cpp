#include "profiles/all.hpp"
#include "profiles/rule.hpp"

namespace agent_audit::profiles {
namespace {

constexpr int kLimit = 3;  // repeats after the first call

class Roo final : public PeerRule {
public:
    void on_call(const PeerCall& call, const Arguments&) override {
        const bool scroll =
            call.name == "browser_action" && (call.action == "scroll_down" || call.action == "scroll_up");
        if (scroll) return;
        const std::uint64_t key = call.with_name(call.shallow);
        repeats_ = known_ && key == last_ ? repeats_ + 1 : 0;
        known_ = true;
        last_ = key;
        if (repeats_ < kLimit) return;
        stop("same call 4x", call.at);
        repeats_ = 0;
        known_ = false;
    }

private:
    std::uint64_t last_ = 0;
    bool known_ = false;
    int repeats_ = 0;
};

}  // namespace

ProfileSpec roo() {
    return {"roo",
            "Roo Code, August 2026 (limit 3)",
            "the 4th identical call in a row (outermost keys sorted); scrolling a browser does not count",
            "",
            "the call is refused and the user is asked",
            "its limit of 3 mistakes in a row, which counts malformed calls that a recording does not mark",
            []() -> std::unique_ptr<PeerRule> { return std::make_unique<Roo>(); }};
}

}  // namespace agent_audit::profiles
