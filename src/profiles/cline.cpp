#include "profiles/all.hpp"
#include "profiles/rule.hpp"

namespace agent_audit::profiles {
namespace {

constexpr int kNotice = 3;
constexpr int kStop = 5;
constexpr int kMistakes = 6;  // the SDK's; its command line uses 3

class Cline final : public PeerRule {
public:
    void on_call(const PeerCall& call, const Arguments&) override {
        ++calls_;
        const std::uint64_t key = call.with_name(call.sorted);
        streak_ = streak_ > 0 && key == last_ ? streak_ + 1 : 1;
        last_ = key;
        if (streak_ == kNotice) warn("same call 3x", call.at);
        if (streak_ >= kStop) stop("same call 5x", call.at);
    }
    void on_result(const PeerCall&, const PeerResult& result) override { failed_ += result.failed(); }
    // A mistake is a turn whose calls all failed.
    void on_response_end(const Spot& last) override {
        if (calls_ > 0) mistakes_ = failed_ >= calls_ ? mistakes_ + 1 : 0;
        calls_ = failed_ = 0;
        if (mistakes_ >= kMistakes) stop("failed turns 6x", last);
    }
    void on_user(const Spot&) override { streak_ = mistakes_ = 0; }

private:
    std::uint64_t last_ = 0;
    int streak_ = 0;
    int calls_ = 0;
    int failed_ = 0;
    int mistakes_ = 0;
};

}  // namespace

ProfileSpec cline() {
    return {"cline",
            "Cline SDK, August 2026",
            "the same call (keys sorted) 3/5 times in a row, or 6 turns in a row in which every call failed",
            "a notice to the model",
            "the run is aborted",
            "later releases, which let repeated calls pass while their results change",
            []() -> std::unique_ptr<PeerRule> { return std::make_unique<Cline>(); }};
}

}  // namespace agent_audit::profiles
