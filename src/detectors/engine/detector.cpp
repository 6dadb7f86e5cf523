#include <agent_audit/detectors/detector.hpp>

#include "detectors/engine/row_tools.hpp"

namespace agent_audit {

bool Detector::is_of_row(const Finding& finding) const { return row_ == nullptr || detectors::belongs(finding, *row_); }

}  // namespace agent_audit
