#include "profiles/all.hpp"
#include "profiles/rule.hpp"

namespace agent_audit::profiles {
namespace {

constexpr int kErrors = 5;

class ErrorAccumulation final : public PeerRule {
public:
    void on_result(const PeerCall&, const PeerResult& result) override {
        errors_ = result.failed() ? errors_ + 1 : 0;
        if (errors_ >= kErrors) stop("errors 5x", result.at);
    }

private:
    int errors_ = 0;
};

}  // namespace

ProfileSpec error_accumulation() {
    return {"error-accumulation",
            "a published simple rule",
            "5 failed results in a row, whatever failed",
            "",
            "the run ends",
            "nothing",
            []() -> std::unique_ptr<PeerRule> { return std::make_unique<ErrorAccumulation>(); }};
}

}  // namespace agent_audit::profiles
