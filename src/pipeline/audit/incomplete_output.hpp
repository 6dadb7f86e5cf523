#pragma once

#include <agent_audit/model/report.hpp>
#include <agent_audit/tokens/ledger.hpp>

#include <cstdint>
#include <vector>

namespace agent_audit {

/// Is the output that a session recorded less than what it shows the model to have written? Some clients record what a
/// response had when it began: a few tokens for pages of text. False without recorded requests.
bool output_incomplete(const SessionUsage& usage);

/// Counts the sessions of which that is so, for one note.
class IncompleteOutputs {
public:
    void see(const SessionUsage& usage);
    void add(const IncompleteOutputs& other);
    void tell(std::vector<Note>& notes) const;

private:
    std::uint64_t sessions_ = 0, output_tokens_ = 0, written_bytes_ = 0;
};

}  // namespace agent_audit
