#include "detectors/engine/note_row.hpp"

#include <algorithm>
#include <string_view>

namespace agent_audit::detectors {
namespace {

// But for blanks, which JSON may be written with; as far as both are kept.
bool same_words(std::string_view a, std::string_view b) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\\'; };
    const bool cut = a.size() >= StepText::kArgument || b.size() >= StepText::kArgument;
    std::size_t i = 0, j = 0;
    for (;; ++i, ++j) {
        while (i < a.size() && is_blank(a[i])) i += a[i] == '\\' && i + 1 < a.size() && a[i + 1] == 'n' ? 2 : 1;
        while (j < b.size() && is_blank(b[j])) j += b[j] == '\\' && j + 1 < b.size() && b[j + 1] == 'n' ? 2 : 1;
        if (i >= a.size() || j >= b.size()) return cut || (i >= a.size() && j >= b.size());
        if (a[i] != b[j]) return false;
    }
}

}  // namespace

std::span<const PendingStep> NoteRow::counting_with(const PendingStep& note) {
    constexpr std::ptrdiff_t kOften = 3;
    const std::ptrdiff_t known = std::ranges::count_if(notes_, [&](const PendingStep& p) {
        // Free text is no part of a call elsewhere; of a thought it is all there is.
        const bool equal = p.step.call == note.step.call && p.step.out == note.step.out && !note.step.opaque;
        return equal &&
               (note.plans || note.thinks || same_words(p.step.text.argument().bytes, note.step.text.argument().bytes));
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
