#include "pipeline/watches/reset_watch.hpp"

namespace agent_audit {

void ResetWatch::on_event(const Event& event, const TokenLedger& ledger) {
    if (event.head.lane != 0) return;
    if (const auto* message = std::get_if<Message>(&event.body)) {
        const bool human = message->origin == Origin::human || message->origin == Origin::queued;
        if (human && message->role == Role::user) advisor_.on_turn(event.head.where.line, event.head.turn);
    } else if (std::holds_alternative<ToolCall>(event.body) && !advisor_.has_requests()) {
        advisor_.on_texts(event.head.where.line, ledger.lane_spent(0).total());
    }
}

std::vector<ResetSuggestion> ResetWatch::finish(std::span<const Finding> findings, const TokenLedger& ledger,
                                                const ModelTable* models) {
    advice::ResetCosts costs;
    if (const RequestRecord* newest = ledger.newest_request()) {
        costs.source = TokensSource::reported;
        costs.cached = ledger.session_spent().cache_read > 0;
        const ModelInfo* model = models ? models->find(ledger.model(newest->model)) : nullptr;
        if (model) costs.prices = model->prices;
    } else if (ledger.lane_spent(0).total() > 0) {
        costs.source = TokensSource::estimated;
    }
    return advisor_.finish(findings, costs);
}

}  // namespace agent_audit
