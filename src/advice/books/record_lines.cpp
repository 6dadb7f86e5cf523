#include "advice/books/record_lines.hpp"

#include <agent_audit/support/hash.hpp>

namespace agent_audit::advice {

void RecordLines::add(std::string_view id, std::uint64_t line) {
    if (id.empty()) return;
    const Record record{stable_hash(id), line};
    // All events of a record have its id: the first of them is where it stands.
    if (!records_.empty() && newest(0).id == record.id) return;
    if (records_.size() < kMost) {
        records_.push_back(record);
        return;
    }
    records_[next_] = record;
    next_ = (next_ + 1) % kMost;
}

std::uint64_t RecordLines::line_of(std::string_view id) const {
    const IdHash wanted = stable_hash(id);
    for (std::size_t ago = 0; ago < records_.size(); ++ago) {
        if (newest(ago).id == wanted) return newest(ago).line;
    }
    return 0;
}

}  // namespace agent_audit::advice
