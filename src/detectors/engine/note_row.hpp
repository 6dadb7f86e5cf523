#pragma once

#include "detectors/engine/pending_step.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace agent_audit::detectors {

/// Notes an agent makes with nothing in between. They belong to no round, but an agent that makes the same ones over
/// and over is stuck in them: from the third time on that one comes, all of the row count as steps. Bounded: a longer
/// row begins anew.
class NoteRow {
public:
    static constexpr std::size_t kMost = 32;

    /// Those that count as steps now that this note was made: most often none. Valid until the next call.
    std::span<const PendingStep> counting_with(const PendingStep& note);

    void clear();

private:
    std::vector<PendingStep> notes_;
    bool counted_ = false;  // one came for the third time
};

}  // namespace agent_audit::detectors
