#include <agent_audit/readers/reader.hpp>

#include <algorithm>

namespace agent_audit {

void RecordReader::omit(std::uint64_t line, std::string_view what) {
    if (omitted_.size() >= kMostOmissions || std::ranges::find(omitted_, what) != omitted_.end()) return;
    omitted_.emplace_back(what);
    omissions_.push_back({line, omitted_.back()});
}

}  // namespace agent_audit
