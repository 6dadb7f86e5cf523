#pragma once

#include <agent_audit/advice/reset_advisor.hpp>
#include <agent_audit/model/event.hpp>
#include <agent_audit/tokens/ledger.hpp>

#include <span>
#include <vector>

namespace agent_audit {

/// Feeds the reset advisor what it does not hear through the engine, and asks it at the end. One object serves one
/// session after the other.
class ResetWatch {
public:
    /// The advisor's ear among the rules of a run; this object must outlive what is made.
    BoundDetector listener() { return advisor_.listener(); }

    /// After the ledger has heard the event.
    void on_event(const Event& event, const TokenLedger& ledger);

    /// The session is over: after the engine is finished and before the ledger is. `models` may be null.
    std::vector<ResetSuggestion> finish(std::span<const Finding> findings, const TokenLedger& ledger,
                                        const ModelTable* models);

private:
    advice::ResetAdvisor advisor_;
};

}  // namespace agent_audit
