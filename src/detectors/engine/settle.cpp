#include "detectors/engine/episodes.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace agent_audit::detectors {
namespace {

constexpr std::uint64_t kRecoverySteps = 3;  // this many new, successful steps afterwards: the agent got out by itself
constexpr std::uint64_t kCostlySteps = 10;   // a pattern that wasted this many steps is an error even when left

// Tightest description first; rules not named come after these.
constexpr std::array<std::string_view, 9> kTightness{"loop/exact-repeat", "loop/cycle", "loop/poll-no-progress",
                                                     "loop/self-appending", "loop/same-error", "loop/error-streak",
                                                     "loop/monologue", "loop/chanting", "loop/monologue-near"};

std::size_t looseness(const Finding& f) {
    const auto at = std::ranges::find(kTightness, f.rule);
    return static_cast<std::size_t>(at - kTightness.begin());
}

// What a finding is about: steps or, where it is about what the agent wrote, event places. Limits are about neither.
enum class About : std::uint8_t { neither, steps, texts };

struct Extent {
    About about = About::neither;
    std::uint64_t first = 0, last = 0;
};

Extent extent(const Finding& f) {
    if (f.first_step > 0) return {About::steps, f.first_step, f.last_step};
    if (looseness(f) < kTightness.size()) return {About::texts, f.first_seq, f.last_seq};
    return {};
}

bool overlap(const Finding& a, const Finding& b) {
    const Extent x = extent(a), y = extent(b);
    return a.lane == b.lane && x.about == y.about && x.about != About::neither && x.first <= y.last && y.first <= x.last;
}

// `loose` says nothing new when the tight findings cover most of its steps.
bool covered(const Finding& loose, const std::vector<Finding>& kept) {
    const Extent whole = extent(loose);
    std::uint64_t shared = 0;
    for (const Finding& tight : kept) {
        if (!overlap(loose, tight)) continue;
        const Extent other = extent(tight);
        shared += std::min(whole.last, other.last) - std::max(whole.first, other.first) + 1;
    }
    return shared * 2 >= whole.last - whole.first + 1;
}

}  // namespace

void settle_findings(std::vector<DraftFinding> drafts, const LaneTrack& lane, std::vector<Finding>& out) {
    for (DraftFinding& draft : drafts) {
        Finding& f = draft.finding;
        f.lane = lane.lane();
        f.recovered = lane.good_steps() >= draft.good_steps_at_end + kRecoverySteps;
        f.because.push_back({"recovered", f.recovered ? "yes" : "no"});
        if (f.severity == Severity::error && f.recovered && f.wasted_steps < kCostlySteps) f.severity = Severity::warning;
        // Steps that got somewhere lie between the repeats, and the agent got out: worth knowing, not worth a warning.
        else if (f.severity == Severity::warning && f.recovered && !f.contiguous) f.severity = Severity::info;
        out.push_back(std::move(f));
    }
}

std::vector<Finding> join_overlapping(std::vector<Finding> findings) {
    std::ranges::stable_sort(findings, {}, [](const Finding& f) { return std::tuple(looseness(f), f.lane, extent(f).first); });
    std::vector<Finding> kept;
    for (Finding& f : findings) {
        if (extent(f).about != About::neither && covered(f, kept)) {
            for (Finding& tight : kept) {
                if (overlap(f, tight) && std::ranges::find(tight.also, f.rule) == tight.also.end()) tight.also.push_back(f.rule);
            }
            continue;
        }
        kept.push_back(std::move(f));
    }
    std::ranges::stable_sort(kept, {}, [](const Finding& f) { return std::tuple(f.first_line, f.last_line, f.rule); });
    return kept;
}

}  // namespace agent_audit::detectors
