#include "detectors/engine/note_row.hpp"

#include <algorithm>

namespace agent_audit::detectors {

std::span<const PendingStep> NoteRow::counting_with(const PendingStep& note) {
    constexpr std::ptrdiff_t kOften = 3;
    const std::ptrdiff_t known = std::ranges::count_if(notes_, [&](const PendingStep& p) {
        return p.step.call == note.step.call && p.step.out == note.step.out && !note.step.opaque;
    });
    if (counted_ && known > 0) return {&note, 1};
    if (counted_ || notes_.size() == kMost) clear();
    notes_.push_back(note);
    if (known + 1 < kOften) return {};
    counted_ = true;
    return notes_;
}

void NoteRow::clear() {
    notes_.clear();
    counted_ = false;
}

}  // namespace agent_audit::detectors
