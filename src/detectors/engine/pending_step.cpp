#include "detectors/engine/pending_step.hpp"

#include <algorithm>
#include <cstddef>

namespace agent_audit::detectors {
namespace {

bool is_copy(const Step& step, const Step& of) {
    return of.call == step.call && of.out == step.out && !of.opaque && !step.opaque;
}

void add_copy(Step& to, const Step& copy) {
    ++to.copies;
    if (copy.result_at.line > to.result_at.line) to.result_at = copy.result_at;
    if (copy.call_at.line < to.call_at.line) to.call_at = copy.call_at;
}

}  // namespace

void fold_copies(std::vector<PendingStep>& group) {
    std::ranges::stable_sort(group, {}, [](const PendingStep& p) { return p.step.call; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < group.size(); ++i) {
        if (kept > 0 && is_copy(group[i].step, group[kept - 1].step)) {
            add_copy(group[kept - 1].step, group[i].step);
            continue;
        }
        if (kept != i) group[kept] = group[i];
        ++kept;
    }
    group.resize(kept);
}

}  // namespace agent_audit::detectors
