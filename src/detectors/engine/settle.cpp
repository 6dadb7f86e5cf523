#include "detectors/engine/episodes.hpp"
#include "detectors/engine/excuses.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::uint64_t kRecoverySteps = 3;  // this many new, successful steps afterwards: the agent got out by itself
constexpr std::uint64_t kCostlySteps = 10;   // a pattern that wasted this many steps is an error even when left

// Tightest description first; rules not named come after these.
constexpr std::array<std::string_view, 26> kTightness{
    "loop/exact-repeat",     "loop/cycle",          "loop/poll-no-progress",
    "loop/edit-oscillation", "loop/stalled-fix",    "loop/edit-region-churn",
    "loop/failed-retry",     "loop/known-answers",  "loop/interleaved-repeat",
    "loop/near-repeat",      "loop/self-appending", "loop/same-error",
    "loop/reworded-search",  "loop/stagnation",     "loop/post-compaction-loop",
    "loop/file-sweep",       "loop/error-streak",   "loop/repeated-state",
    "loop/node-visits",      "loop/revisit-ratio",  "loop/monologue",
    "loop/repeated-reply",   "loop/replanning",     "loop/chanting",
    "loop/monologue-near",   "drift/local-optimum"};

// Of several words for one departure, the one that says most about it.
constexpr std::array<std::string_view, 5> kDriftTightness{"drift/goal-forgotten", "drift/instruction-violated",
                                                          "drift/topic-switch", "drift/scope-expansion",
                                                          "drift/goal-replaced"};

// Of repeats that have nothing in between, or next to nothing.
constexpr std::array kInARow{kTightness[0], kTightness[1], kTightness[2]};

// Who asked for one thing and no more is told first that more was done, whatever that more is about.
bool outgrew_narrow_goal(const Finding& f) {
    constexpr std::string_view kSpread = "drift/scope-expansion", kNarrow = "narrow", kYes = "yes";
    return f.rule == kSpread &&
           std::ranges::any_of(f.because, [&](const auto& fact) { return fact.name == kNarrow && fact.value == kYes; });
}

std::size_t looseness(const Finding& f) {
    constexpr std::string_view kTopic = "drift/topic-switch";
    const bool narrow = outgrew_narrow_goal(f);
    const auto drift = std::ranges::find(kDriftTightness, narrow ? kTopic : std::string_view(f.rule));
    if (drift != kDriftTightness.end())
        return kTightness.size() + 2 + 2 * static_cast<std::size_t>(drift - kDriftTightness.begin()) - (narrow ? 1 : 0);
    const auto at = std::ranges::find(kTightness, f.rule);
    return static_cast<std::size_t>(at - kTightness.begin());
}

// What a finding is about: steps or, where it is about what the agent wrote, event places. Limits are about neither.
enum class About : std::uint8_t { neither, steps, texts, drift };

struct Extent {
    About about = About::neither;
    std::uint64_t first = 0, last = 0;
};

Extent extent(const Finding& f) {
    if (std::ranges::find(kDriftTightness, f.rule) != kDriftTightness.end())
        return {About::drift, f.first_seq, f.last_seq};
    if (f.first_step > 0) return {About::steps, f.first_step, f.last_step};
    if (looseness(f) < kTightness.size()) return {About::texts, f.first_seq, f.last_seq};
    return {};
}

// A finding with what is asked of it again and again.
struct Sized {
    std::size_t looseness = 0;
    Extent extent;
    std::size_t index = 0;  // among the findings
};

// The steps, or places, that both speak of.
std::uint64_t shared(const Extent& a, const Extent& b) {
    const std::uint64_t first = std::max(a.first, b.first), last = std::min(a.last, b.last);
    return first <= last ? last - first + 1 : 0;
}

// Findings that can overlap: those of one lane about one kind of thing.
using Peers = std::vector<Sized>;

// `loose` says nothing new when the tight findings cover most of its steps.
bool covered(const Extent& loose, const Peers& kept) {
    std::uint64_t sum = 0;
    for (const Sized& tight : kept) sum += shared(loose, tight.extent);
    return sum * 2 >= loose.last - loose.first + 1;
}

// "transient", or "persistent 4, unknown 1" where there were several.
std::string class_words(const ErrorCounts& errors) {
    const auto kinds = std::ranges::count_if(errors, [](std::uint32_t n) { return n > 0; });
    std::string words;
    for (std::size_t i = 0; i < kErrorClassCount; ++i) {
        if (errors[i] == 0) continue;
        if (!words.empty()) words += ", ";
        words += name(static_cast<ErrorClass>(i));
        if (kinds > 1) words += " " + std::to_string(errors[i]);
    }
    return words;
}

Severity balanced(const Finding& f) {
    if (!f.recovered) return f.severity;
    if (f.severity == Severity::error && f.wasted_steps < kCostlySteps) return Severity::warning;
    // Steps that got somewhere lie between the repeats, and the agent got out: worth knowing, not worth a warning.
    const bool in_a_row = f.contiguous || std::ranges::find(kInARow, f.rule) != kInARow.end();
    if (f.severity == Severity::warning && !in_a_row) return Severity::info;
    return f.severity;
}

// What a rule found by its own counts, seen with the policy's patience.
Severity settled(const Finding& f, Policy policy) {
    switch (policy) {
        case Policy::strict: return f.severity;
        case Policy::balanced: return balanced(f);
        case Policy::permissive:
            // However much it cost, an agent that got out needs no help.
            return f.severity == Severity::error && f.recovered ? Severity::warning : balanced(f);
    }
    return f.severity;
}

// Where the same pattern begins again, by the rule that saw it: steps, in order.
class Comebacks {
public:
    explicit Comebacks(const std::vector<DraftFinding>& drafts) {
        for (const DraftFinding& draft : drafts) {
            const Finding& f = draft.finding;
            if (f.first_step > 0) begins_[key(f)].push_back(f.first_step);
        }
        for (auto& [pattern, steps] : begins_) std::ranges::sort(steps);
    }
    /// A few steps on, what was found is there again: whatever lay between was no way out.
    bool soon_after(const Finding& f) const {
        const auto known = begins_.find(key(f));
        if (known == begins_.end()) return false;
        const auto next = std::ranges::upper_bound(known->second, f.last_step);
        return next != known->second.end() && *next <= f.last_step + 1 + kRecoverySteps;
    }

private:
    static std::uint64_t key(const Finding& f) { return mix_hash(stable_hash(f.rule), f.pattern_key); }

    std::map<std::uint64_t, std::vector<std::uint64_t>> begins_;
};

// The rule whose counts made the finding as severe as it is, where that is another one.
constexpr std::string_view kSeverityBy = "severity_by";

// A person wished for what was found: trials until it fails, looks while something runs. How many stretches of them
// there were, with work in between, makes no loop of it.
bool was_wished_for(const Finding& f) {
    constexpr std::string_view kFact = "asked_for", kWishes[] = {"trials", "watching"};
    return std::ranges::any_of(f.because, [&](const Fact& fact) {
        return fact.name == kFact && std::ranges::find(kWishes, fact.value) != std::end(kWishes);
    });
}

bool was_counted_off(const Finding& f) {
    constexpr std::string_view kFact = "times_asked_for";
    return std::ranges::any_of(f.because, [&](const Fact& fact) { return fact.name == kFact; });
}

// The tight findings speak for the loose one. Where it saw a worse thing than they did (pieces of one long loop, each
// of them left after a while), the largest of them says so: words get tighter by joining, the verdict does not get
// milder.
void speak_for(const Finding& loose, const Extent& extent, const Peers& kept, std::vector<Finding>& findings) {
    Finding* largest = nullptr;
    std::uint64_t most = 0;
    for (const Sized& peer : kept) {
        const std::uint64_t both = shared(extent, peer.extent);
        if (both == 0) continue;
        Finding& tight = findings[peer.index];
        if (tight.rule != loose.rule && std::ranges::find(tight.also, loose.rule) == tight.also.end())
            tight.also.push_back(loose.rule);
        if (both <= most) continue;
        largest = &tight;
        most = both;
    }
    if (!largest || loose.severity <= largest->severity || was_wished_for(*largest)) return;
    // "Three times with it and three times without": the rounds are counted off, and what else they look like is they.
    if (most == extent.last - extent.first + 1 && was_counted_off(*largest)) return;
    largest->severity = loose.severity;
    std::erase_if(largest->because, [](const Fact& fact) { return fact.name == kSeverityBy; });
    largest->because.push_back({std::string(kSeverityBy), loose.rule});
}

// A tight finding that lies whole within a worse one is a part of that: it is told there.
void take_in(const Sized& loose, Peers& kept, std::vector<Finding>& findings, std::vector<bool>& taken) {
    Finding& whole = findings[loose.index];
    std::erase_if(kept, [&](const Sized& peer) {
        const Finding& part = findings[peer.index];
        const bool within = loose.extent.first <= peer.extent.first && peer.extent.last <= loose.extent.last;
        if (!within || part.severity >= whole.severity || part.rule == whole.rule) return false;
        if (std::ranges::find(whole.also, part.rule) == whole.also.end()) whole.also.push_back(part.rule);
        taken[peer.index] = true;
        return true;
    });
}

// Findings are large, and a list that grows stands in memory twice. Room that is not used yet costs none.
void make_room(std::vector<Finding>& findings, std::size_t wanted) {
    constexpr std::size_t kFew = 64, kMany = 4096;
    if (wanted <= findings.capacity()) return;
    findings.reserve(wanted <= kFew ? wanted : std::max(kMany, 2 * wanted));
}

// Leaves of a list the elements at these places, each named once, in this order, and no second list in between.
void keep_in_order(std::vector<Finding>& list, const std::vector<std::size_t>& places) {
    std::vector<std::size_t> now_at(list.size()), began_at(list.size());
    std::iota(now_at.begin(), now_at.end(), std::size_t{0});
    std::iota(began_at.begin(), began_at.end(), std::size_t{0});
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::size_t from = now_at[places[i]];
        if (from == i) continue;
        std::swap(list[i], list[from]);
        now_at[began_at[i]] = from;
        began_at[from] = began_at[i];
    }
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(places.size()), list.end());
}

}  // namespace

void settle_findings(std::vector<DraftFinding> drafts, const LaneTrack& lane, Policy policy,
                     std::vector<Finding>& out) {
    const Comebacks comebacks(drafts);
    make_room(out, out.size() + drafts.size());
    for (DraftFinding& draft : drafts) {
        Finding& f = draft.finding;
        f.lane = lane.lane();
        // What fills a window is no way of acting that one could find out of.
        if (const About about = extent(f).about; about == About::neither || about == About::drift) {
            out.push_back(std::move(f));
            continue;
        }
        f.recovered = lane.good_steps() >= draft.good_steps_at_end + kRecoverySteps && !comebacks.soon_after(f);
        if (std::string words = class_words(draft.errors); !words.empty())
            f.because.push_back({"error_class", std::move(words)});
        // What failed and never worked again was left, which is no way out. It is no worse for the run than one.
        const bool moved_on = f.recovered && lane.failed_deeds().never_again(draft.awaited, f.last_step);
        f.because.push_back({"recovered", moved_on ? "moved on" : f.recovered ? "yes" : "no"});
        f.severity = settled(f, policy);
        excuse(draft, lane.asked_at(f.first_line, f.last_line), lane.words_at(f.first_line));
        out.push_back(std::move(f));
    }
}

std::vector<Finding> join_overlapping(std::vector<Finding> findings) {
    std::vector<Sized> order;
    order.reserve(findings.size());
    for (const Finding& f : findings) order.push_back({looseness(f), extent(f), order.size()});
    std::ranges::stable_sort(
        order, {}, [&](const Sized& s) { return std::tuple(s.looseness, findings[s.index].lane, s.extent.first); });
    std::map<std::pair<std::uint32_t, About>, Peers> kept;
    std::vector<std::size_t> told;
    std::vector<bool> taken(findings.size());
    for (const Sized& sized : order) {
        const Finding& f = findings[sized.index];
        if (sized.extent.about != About::neither) {
            Peers& peers = kept[{f.lane, sized.extent.about}];
            if (covered(sized.extent, peers)) {
                speak_for(f, sized.extent, peers, findings);
                continue;
            }
            take_in(sized, peers, findings, taken);
            peers.push_back(sized);
        }
        told.push_back(sized.index);
    }
    std::erase_if(told, [&](std::size_t i) { return taken[i]; });
    std::ranges::stable_sort(told, {}, [&](std::size_t i) {
        const Finding& f = findings[i];
        return std::tuple(f.first_line, f.last_line, std::string_view(f.rule));
    });
    keep_in_order(findings, told);
    return findings;
}

}  // namespace agent_audit::detectors
