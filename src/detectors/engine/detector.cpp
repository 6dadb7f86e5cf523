#include <agent_audit/detectors/detector.hpp>

#include "detectors/commands/row_tools.hpp"

#include <algorithm>

namespace agent_audit {

bool Detector::is_of_row(const Finding& finding) const { return row_ == nullptr || detectors::belongs(finding, *row_); }

// The list is full: the last of the least severe goes, or else the new one does.
void Detector::make_room(const DraftFinding& draft) {
    const DraftFinding* out = &draft;
    if (draft.finding.severity > least_) {
        const auto severity = [](const DraftFinding& f) { return f.finding.severity; };
        const auto least = std::ranges::min_element(findings_.rbegin(), findings_.rend(), {}, severity);
        least_ = severity(*least);
        if (least_ < draft.finding.severity) out = &*least;
    }
    beyond_ += is_of_row(out->finding);
    if (out != &draft) findings_.erase(findings_.begin() + (out - findings_.data()));
}

}  // namespace agent_audit
