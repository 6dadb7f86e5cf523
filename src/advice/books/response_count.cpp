#include "advice/books/response_count.hpp"

#include <variant>

namespace agent_audit::advice {
namespace {

// Some producers put the figures before the text of the response they are about. What a human runs is no word of the
// model.
bool is_of_response(const Event& event) {
    if (event.head.lane != 0 || (event.head.flags & (kPartial | kStale)) != 0) return false;
    const auto* message = std::get_if<Message>(&event.body);
    const auto* call = std::get_if<ToolCall>(&event.body);
    return (message && message->role == Role::assistant) || std::holds_alternative<Thinking>(event.body) ||
           (call && call->caller == Caller::model) ||
           (std::holds_alternative<Usage>(event.body) && event.head.response != 0);
}

bool is_of_human(const Event& event) {
    const auto* message = std::get_if<Message>(&event.body);
    return message && message->role == Role::user &&
           (message->origin == Origin::human || message->origin == Origin::queued) && event.head.lane == 0 &&
           (event.head.flags & kCopied) == 0;
}

}  // namespace

bool ResponseCount::begins(const Event& event) const {
    if (!is_of_response(event)) return false;
    const IdHash id = event.head.response;
    return !spoke_ || (id == 0 ? results_seen_ : response_ != 0 && id != response_);
}

void ResponseCount::see(const Event& event) {
    if (is_of_response(event)) {
        if (begins(event)) {
            ++count_;
            response_ = 0;
        }
        spoke_ = true;
        results_seen_ = false;
        if (event.head.response != 0) response_ = event.head.response;
    } else if (is_of_human(event)) {
        spoke_ = results_seen_ = false;
        response_ = 0;
    }
}

}  // namespace agent_audit::advice
