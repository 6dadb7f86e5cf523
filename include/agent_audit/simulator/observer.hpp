#pragma once

#include <agent_audit/simulator/identifiers.hpp>
#include <agent_audit/simulator/outcome.hpp>
#include <agent_audit/simulator/policy.hpp>
#include <agent_audit/simulator/regret.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace agent_audit {
struct ModelInfo;
}

/// Where figures plug in that the replay itself does not know. One observer sees one session under one policy. Calls,
/// in this order:
///
///   on_message   a message of the session was appended to the view
///   on_leave     what stood in the view was shortened, dropped or summarised (in any number, before on_request)
///   on_return    what had left for one request, or several, is back (likewise)
///   on_request   the prompt as it is sent; the observer fills its fields of the row
///   on_end       the session is over; the observer fills its fields of the outcome
///
/// What on_message and on_leave hand over is valid only during the call, the words of a Text as long as the Text is.
namespace agent_audit::simulator {

/// One message of the session as it was recorded; the same object under every policy.
struct SourceMessage {
    MsgPtr message;
    std::optional<double> time_ms;
    std::uint64_t hash = 0;        ///< of role, names and words: equal messages have equal hashes
    std::uint32_t place = 0;       ///< in the session, from 0: message->source_index, at hand
    std::uint32_t turn = 0;        ///< human turn, from 1; 0 before the first
    std::uint32_t blocks = 0;      ///< of the message
    std::uint64_t line = 0;        ///< in the recording
    bool human = false;            ///< a user message that a person wrote
    bool may_prohibit = true;      ///< false: its words prohibit nothing, and nobody has to read them for that
    std::vector<CallFacts> calls;  ///< of an answer, in order; of a result that of its call. Without words
    std::vector<std::uint64_t> identifiers;   ///< of its words (identifiers.hpp); only during on_message
    bool identified = false;                  ///< else whoever needs them reads the words
    const IdentifierIndex* before = nullptr;  ///< of the session's messages before this one; null: nobody keeps it
    /// Of an answer: those of its identifiers that are rare in `before`; only during on_message.
    std::span<const IdentifierIndex::Entry> rare;
};

/// A message as it stands in the view.
struct Slot {
    const SourceMessage* source = nullptr;  ///< null: made by the policy (a summary, a result to mend a pair)
    std::uint64_t hash = 0;                 ///< of what is sent
    double tokens = 0;                      ///< billed tokens expected; changes only when weights are renewed
    bool edited = false;                    ///< not as recorded
    std::uint32_t blocks = 1;               ///< of the message
};

/// What is known of a request besides its view.
struct RequestMoment {
    Moment clock;
    const ModelInfo* model = nullptr;  ///< null: unknown, or unknown prices
    double unseen_tokens = 0;          ///< system prompt and tools, which stand before the view
    std::uint64_t unseen_hash = 0;     ///< changes when they are known to have changed
    std::uint64_t recorded_read = 0, recorded_write = 0, recorded_input = 0, output = 0;  ///< as billed; 0: unknown
    std::uint64_t recorded_write_1h =
        0;                        ///< the part of recorded_write that was bought for an hour, where that is recorded
    bool billed = false;          ///< the recording has usage of this request
    bool reasoning_left = false;  ///< the provider leaves out more of the reasoning than before
    std::uint64_t recorded_prefix =
        0;  ///< tokens of the recorded prompt that stand before what it left out; 0: nothing left
};

/// The prompt of one request. `view` and `slots` run in parallel.
struct RequestView {
    const RequestMoment& moment;
    const View& view;
    std::span<const Slot> slots;
    /// Slots before this one are what the request before sent: work on the rest is constant per message over a session.
    std::size_t unchanged = 0;
};

/// Whoever fills in figures of requests: cost, cache, regret.
class RequestObserver {
public:
    virtual ~RequestObserver() = default;
    /// False: its figures are about what leaves. Where nothing ever does it is not told of messages.
    virtual bool minds_what_stays() const { return true; }
    virtual void on_message(const SourceMessage& message) { (void)message; }
    /// `as_sent` stood in the view; now `replacement` does (null: nothing), or `summary` for all that were summarised.
    struct Leaving {
        const SourceMessage* source = nullptr;
        const MsgPtr& as_sent;
        MsgPtr replacement;
        Action action = Action::drop;
        double tokens = 0;
        bool for_now = false;  ///< until on_return, which the next request may bring
    };
    virtual void on_leave(const Leaving& leaving) { (void)leaving; }
    /// What another message took the place of for one request only stands in the view again as it was.
    virtual void on_return(const SourceMessage& message) { (void)message; }
    virtual void on_request(const RequestView& request, TurnRow& row) { (void)request, (void)row; }
    virtual void on_end(PolicyOutcome& outcome) { (void)outcome; }
};

/// Makes the observers of one policy. The row of the table (replay/observers.cpp) is all that a new figure needs.
using ObserverFactory = std::function<std::unique_ptr<RequestObserver>(std::string_view policy)>;
std::span<const ObserverFactory> all_observers();

}  // namespace agent_audit::simulator
