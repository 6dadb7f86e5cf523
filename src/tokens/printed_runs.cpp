#include "tokens/printed_runs.hpp"

#include <algorithm>
#include <tuple>

namespace agent_audit {

void PrintedRuns::add(std::size_t session, const SessionUsage& usage) {
    if (usage.printed) {
        printed_.push_back({session, usage.session_key, false, usage.running_total});
    } else if (usage.session_key != 0 && !usage.requests.empty()) {
        stored_.push_back(usage.session_key);
    }
}

PrintedRuns::Printed* PrintedRuns::find(std::size_t session) {
    const auto at = std::ranges::lower_bound(printed_, session, {}, &Printed::session);
    return at != printed_.end() && at->session == session ? &*at : nullptr;
}

bool PrintedRuns::has(std::size_t session) const {
    return std::ranges::binary_search(printed_, session, {}, &Printed::session);
}

void PrintedRuns::stands_in_both(std::size_t session, const RequestRecord& printed, const RequestRecord& stored,
                                 const std::string& model) {
    if (Printed* run = find(session)) run->shares = true;
    Both& both = both_[{session, model}];
    both.printed += printed.counts();
    both.stored += stored.counts();
    both.lane = printed.lane;
}

// Each run begins with what those before it took. A copy of what was printed adds nothing.
void PrintedRuns::take_runs_apart(std::vector<const Printed*> runs, std::vector<Change>& changes) const {
    const auto order = [](const Printed* run) {
        return std::tuple(run->key, run->running_total.total(), run->session);
    };
    std::ranges::sort(runs, {}, order);
    for (std::size_t i = 1; i < runs.size(); ++i) {
        const Printed &before = *runs[i - 1], &run = *runs[i];
        if (before.key != run.key) continue;
        const bool same = before.running_total == run.running_total;
        changes.push_back({run.session, same, before.running_total, {}, {}, 0});
    }
}

std::vector<PrintedRuns::Change> PrintedRuns::settle() {
    std::vector<Change> changes;
    if (printed_.empty()) return changes;
    std::ranges::sort(stored_);
    std::vector<const Printed*> runs;
    for (const Printed& run : printed_) {
        const bool stored = run.key != 0 && std::ranges::binary_search(stored_, run.key);
        if (stored || run.shares) ++copies_;
        if (stored && !run.shares)
            changes.push_back({run.session, true, {}, {}, {}, 0});
        else if (!stored && run.key != 0 && run.running_total.total() > 0)
            runs.push_back(&run);
    }
    take_runs_apart(std::move(runs), changes);
    for (const auto& [of, both] : both_) {
        const TokenCounts more = minus(both.printed, both.stored);
        if (more.total() > 0) changes.push_back({of.first, false, {}, more, of.second, both.lane});
    }
    std::ranges::stable_sort(changes, {}, &Change::session);
    return changes;
}

}  // namespace agent_audit
