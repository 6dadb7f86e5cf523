#include "simulator/replay/summary_length.hpp"

#include <algorithm>

namespace agent_audit::simulator {
namespace {

constexpr double kShare = 0.08, kLeast = 400, kMost = 4'000;
constexpr double kLeastShare = 0.002, kMostShare = 0.5;

}  // namespace

void SummaryLength::observe(double tokens_in, double tokens_out) {
    if (tokens_in <= 0 || tokens_out <= 0 || tokens_out >= tokens_in) return;
    in_ += tokens_in;
    out_ += tokens_out;
    ++samples_;
}

double SummaryLength::share() const { return samples_ == 0 ? kShare : std::clamp(out_ / in_, kLeastShare, kMostShare); }

double SummaryLength::tokens(double tokens_in, double cap) const {
    const double most = cap > 0 ? cap : kMost;
    return std::clamp(share() * tokens_in, std::min(kLeast, most), most);
}

}  // namespace agent_audit::simulator
