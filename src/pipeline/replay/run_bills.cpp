#include "pipeline/replay/run_bills.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace agent_audit {

RunBills::Bill& RunBills::of(std::uint32_t lane) {
    const std::size_t at = std::min<std::size_t>(lane, kMaxBills);
    if (bills_.size() <= at) bills_.resize(at + 1);
    return at > 0 && bills_[at].housekeeping ? bills_.front() : bills_[at];
}

void RunBills::take(RunTurn& turn) {
    Bill& due = of(turn.lane);
    turn.tokens = std::exchange(due.tokens, std::exchange(due.next_tokens, 0));
    turn.cost_parts = std::exchange(due.cost_parts, std::exchange(due.next_cost_parts, 0));
    if (turn.calls == 0) {
        turn.first_line = due.first.line;
        turn.last_line = due.last.line;
    }
    due.spoke = due.answered = false;
    due.first = due.last = {};
}

void RunBills::take_rest(RunTurn& last) const {
    for (const Bill& due : bills_) {
        last.tokens += due.tokens + due.next_tokens;
        last.cost_parts += due.cost_parts + due.next_cost_parts;
    }
}

// What belongs to the main conversation without being one of its responses has no place in them.
void RunBills::note_place(Bill& due, const EventHeader& head) const {
    if (head.lane != 0 && &due == &bills_.front()) return;
    const Place here{head.where.line, head.seq};
    if (due.first.line == 0) due.first = here;
    if (here.line >= due.last.line) due.last = here;
}

// What was billed with this event belongs to the response that is open after it: figures of the next response are often
// what shows that the one before is over. Figures without an id come after the results of their response, or before its
// first word; where they were seen before any word, those after results are the next one's.
bool RunBills::add(const Event& event, const TokenLedger& ledger, const std::optional<Money>& cost_now) {
    const bool figures = std::holds_alternative<Usage>(event.body);
    const TokenCounts& now = ledger.session_spent();
    const bool first_figures = figures && !recorded_ && (ledger.newest_request() || now.total() < spent_.total());
    if (first_figures) {
        recorded_ = true;
        spent_ = {};
        for (Bill& due : bills_) due.tokens = 0;
    }
    Bill& due = of(event.head.lane);
    const auto* message = std::get_if<Message>(&event.body);
    if (std::holds_alternative<ToolCall>(event.body) || std::holds_alternative<Thinking>(event.body) ||
        (message && message->role == Role::assistant)) {
        due.spoke = true;
        due.answered = false;
        note_place(due, event.head);
    } else if (std::holds_alternative<ToolResult>(event.body)) {
        due.answered = due.spoke;
        if (due.spoke) note_place(due, event.head);
    }
    const std::uint64_t tokens = minus(now, spent_).total();
    const std::uint64_t parts =
        cost_now ? cost_now->parts() - std::min(cost_now->parts(), cost_ ? cost_->parts() : 0) : 0;
    spent_ = now;
    cost_ = cost_now;
    const bool without_id = figures && event.head.response == 0 && tokens > 0;
    if (without_id && !due.answered) due.before = !due.spoke;
    const bool of_next = without_id && due.answered && due.before;
    (of_next ? due.next_tokens : due.tokens) += tokens;
    (of_next ? due.next_cost_parts : due.cost_parts) += parts;
    return first_figures;
}

}  // namespace agent_audit
