#include "detectors/all.hpp"
#include "detectors/engine/drift_draft.hpp"
#include "support/phrase_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "drift/abandoned-plan";

constexpr std::string_view kDoc = R"(## What it finds
Open items of a plan or to-do list that vanish from its next version without having been done, or that are still open,
with nothing done about them, or left out of a last version that has nothing open, when the agent says that all is finished.

## Why it matters
A plan is the goal in the agent's own words. What is dropped from it silently is not done, and nobody notices.

## Example
```
plan    ☐ add the column  ☐ migrate old rows  ☐ update the docs
plan    ☑ add the column  ☐ tune the cache          ← found: two items are gone
```

## What is not flagged
- items that were reworded, merged or cancelled by name
- a new plan after a human message, and one that is refined before any work
- items of which the agent says that they are not needed
- items that later come back, or that were worked on without being ticked off

## What to do
Ask for the dropped items. If they are not wanted any more, that should be said.

## When it is wrong
Plans may change for good reasons. Raise `warn`, or `--ignore drift/abandoned-plan`.
)";

struct Params {
    int warn = 2;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 1, 64, "open items that vanish at once before a warning"},
};

class AbandonedPlan final : public DriftDetector {
public:
    explicit AbandonedPlan(Params params) : DriftDetector(DriftActs::planned), params_(params) {}

    void on_act(const DriftAct& act, const DriftView&) override {
        if (plan_.empty() || (act.step && act.step->tool_class == ToolClass::note)) return;  // a plan works on nothing
        if (!act.step && !calls_off(act.text.bytes)) return;
        // A plan that is written twice in a row is one version of it.
        if (written_) seen_.reset();
        written_ = false;
        for (const std::uint32_t word : act.words->all()) {
            seen_.set((word >> 1) % kBits);
            turn_.set((word >> 1) % kBits);
        }
        calls_ += act.step != nullptr;
        worked_ = worked_ || act.step;
    }

    void on_plan(const PlanUpdate& plan, const DriftView&) override {
        std::vector<PlanItem> gone;
        for (const PlanItem& item : plan_) {
            if (is_open(item) && !continued(item, plan.items) && !worked_on(item, seen_)) gone.push_back(item);
        }
        std::erase_if(dropped_, [&](const PlanItem& item) { return continued(item, plan.items); });
        // A new plan with nothing open in it and the old one's items gone is a plan that was put away after its end.
        // Where it keeps what was done of the old one, the others may have been left out.
        const bool something_new = std::ranges::any_of(plan.items, is_open);
        if (gone.size() >= static_cast<std::size_t>(params_.warn) && something_new && worked_ && dropped_.empty()) {
            dropped_ = std::move(gone);
            what_.reset();
            what_.add_place(
                plan.at, "plan",
                fmt::format("{} item{}, of those before {} {} gone", plan.items.size(),
                            plan.items.size() == 1 ? "" : "s", dropped_.size(), dropped_.size() == 1 ? "is" : "are"));
        }
        std::erase_if(left_out_, [&](const PlanItem& item) { return something_new || continued(item, plan.items); });
        const bool of_the_old = std::ranges::any_of(plan.items, [&](const PlanItem& item) {
            return std::ranges::find(plan_, item.id, &PlanItem::id) != plan_.end();
        });
        if (!something_new && of_the_old && worked_ && !gone.empty()) {
            left_out_ = std::move(gone);
            left_out_at_ = plan.at;
        }
        plan_ = plan.items;
        at_ = plan.at;
        written_ = true;
    }

    void on_human(const HumanTurn&, const DriftView& view) override {
        judge(view);
        plan_.clear();
        dropped_.clear();
        left_out_.clear();
        what_.reset();
        seen_.reset();
        turn_.reset();
        calls_ = 0;
        worked_ = false;
    }
    void on_end(const DriftView& view) override { judge(view); }

private:
    static constexpr std::size_t kBits = 4096;
    static constexpr std::uint64_t kFewest = 2;  // calls of a turn in which something could be left undone

    // "There are no old rows, so no migration is needed": the items it names are no longer wanted.
    static bool calls_off(std::string_view text) {
        static constexpr std::string_view kOff[] = {"needed",        "no need", "nothing to ", "already", "unnecessary",
                                                    "not necessary", "skip",    "not wanted",  "obsolete"};
        static constexpr PhraseSet phrases(kOff);
        return phrases.in(text);
    }

    static bool is_open(const PlanItem& item) {
        return item.state == PlanItem::State::open || item.state == PlanItem::State::active;
    }

    static bool same(const PlanItem& a, const PlanItem& b) {
        if (a.id == b.id) return true;
        std::size_t common = 0;
        for (const std::uint32_t word : a.words.all()) common += b.words.has(word);
        // Reworded or merged: a third of its words stand in another item.
        return a.words.empty() || common * 3 >= a.words.size();
    }
    // An item that stood in the plan before as it does now is its own: it takes up no other.
    bool continued(const PlanItem& item, const std::vector<PlanItem>& plan) const {
        return std::ranges::any_of(plan, [&](const PlanItem& other) {
            return item.id == other.id ||
                   (std::ranges::find(plan_, other.id, &PlanItem::id) == plan_.end() && same(item, other));
        });
    }

    // Done without being ticked off: half of its words stand in calls.
    static bool worked_on(const PlanItem& item, const std::bitset<kBits>& calls) {
        std::size_t met = 0;
        for (const std::uint32_t word : item.words.all()) met += calls.test((word >> 1) % kBits);
        return item.words.empty() || met * 2 >= item.words.size();
    }

    void judge(const DriftView& view) {
        if (what_.open() && dropped_.size() >= static_cast<std::size_t>(params_.warn)) {
            found(dropped_, "vanished from the plan without being done", 0.7);
            return;
        }
        if (plan_.empty() || calls_ < kFewest || !view.text_is_last) return;
        const Claim claim = claim_in(view.last_text());
        if (!claim.done || claim.hedged) return;
        std::erase_if(left_out_, [&](const PlanItem& item) { return worked_on(item, turn_); });
        if (left_out_.size() >= static_cast<std::size_t>(params_.warn)) {
            what_.reset();
            what_.add_place(view.last_text_at, "claim", one_line(view.last_text()));
            at_ = left_out_at_;
            found(left_out_, "were left out of its last version while the end is announced", 0.6);
            return;
        }
        std::vector<PlanItem> left;
        for (const PlanItem& item : plan_) {
            if (item.state == PlanItem::State::open && !worked_on(item, turn_)) left.push_back(item);
        }
        if (left.size() < static_cast<std::size_t>(params_.warn)) return;
        what_.reset();
        what_.add_place(view.last_text_at, "claim", one_line(view.last_text()));
        found(left, "are open and untouched while the end is announced", 0.6);
    }

    void found(const std::vector<PlanItem>& items, std::string_view words, double confidence) {
        DraftFinding draft = what_.draft(drift_abandoned_plan(), Severity::warning, confidence);
        Finding& f = draft.finding;
        for (std::size_t i = 0; i < std::min<std::size_t>(items.size(), 4); ++i)
            f.evidence.push_back({at_.line, at_.seq, "item", one_line(items[i].text)});
        f.message = fmt::format("{} items of the plan {} (line {})", items.size(), words, f.first_line);
        f.action = "ask for the dropped items, or have it said that they are not wanted";
        f.pattern_key = 1;
        f.because = {{"items", std::to_string(items.size())}};
        report(std::move(draft));
    }

    Params params_;
    std::vector<PlanItem> plan_, dropped_;
    std::vector<PlanItem> left_out_;  // of a plan that has nothing open any more
    Place left_out_at_;
    Departure what_;
    Place at_;
    std::bitset<kBits> seen_;  // words of the calls since the plan was last written
    std::bitset<kBits> turn_;  // the same since the person spoke last
    bool written_ = false;     // the plan was, and nothing was done since
    bool worked_ = false;      // some call since there is a plan: before that it is only refined
    std::uint64_t calls_ = 0;  // since the person spoke last
};

}  // namespace

DetectorSpec drift_abandoned_plan() {
    return {kId,
            "AA306",
            "items of the plan are dropped without being done",
            Severity::warning,
            0.65,
            Stage::stable,
            Scope::lane,
            kDrift,
            signals(Signal::tool_calls),
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<AbandonedPlan>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
