#pragma once

#include <agent_audit/model/context.hpp>
#include <agent_audit/tokens/ledger.hpp>
#include <agent_audit/tokens/prices.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace agent_audit {

/// Notices the requests of a session as the ledger begins them, and what their models say of them: window, price, life
/// of the cache. One object serves one session after the other.
class RequestWatch {
public:
    /// Without `models` windows and prices are those of the recording, or unknown.
    explicit RequestWatch(const ModelTable* models) : models_(models) {}

    /// Every event before it is asked about.
    void hear(const Event& event) {
        // Not every recording has the prompt of a turn.
        constexpr std::uint32_t kTold = bit_of<ToolResult> | bit_of<TurnStart>,
                                kSays = bit_of<ToolCall> | bit_of<Thinking>,
                                kOthers = bit_of<Message> | bit_of<Compaction>;
        const std::uint32_t kind = std::uint32_t{1} << event.body.index();
        if ((kind & (kTold | kSays)) != 0) {
            speaks((kind & kSays) != 0);
        } else if ((kind & kOthers) == 0) {
            return;
        } else if (const auto* message = std::get_if<Message>(&event.body)) {
            speaks(message->role == Role::assistant);
        } else {
            on_compaction(std::get<Compaction>(event.body));
        }
    }
    /// After the ledger has heard the event: what is known of the request that begins with it, or null when it begins
    /// none. Copied history begins none: it was billed where it first stood. Neither does a running total that several
    /// responses lie behind: it is that of a run, and no prompt had that size. Valid until the next call.
    const RequestFigures* on_usage(const Event& event, const Usage& usage, const TokenLedger& ledger);
    /// Price of all requests so far, the newest at the counts that are known now; nothing while no price is known.
    std::optional<Money> session_cost(const TokenLedger& ledger);
    /// `recorded`: else the window is one that is usual for the agent.
    void on_change(const ContextChange& change, bool recorded) {
        if (change.window_tokens == 0) return;
        window_ = change.window_tokens;
        window_recorded_ = recorded;
    }

    /// The session is over, while the ledger still has it. A window that was told after the last request of a
    /// conversation, in the last line of a stream, takes the place of the one that was supposed.
    void see_late_window(std::vector<LaneContext>& lanes, const TokenLedger& ledger) const;
    /// The session is over, while the ledger still has it: its dearest requests.
    std::vector<DearRequest> finish(const TokenLedger& ledger);
    /// Of the session that was finished last: requests whose price, and whose share of the window, is not known.
    std::uint64_t unpriced() const { return finished_.unpriced; }
    std::uint64_t windowless() const { return finished_.windowless; }

private:
    template <class Body>
    static constexpr std::uint32_t bit_of = std::uint32_t{1} << EventBody(std::in_place_type<Body>).index();

    // The model says something, or is told something.
    void speaks(bool model_says) {
        responses_ += static_cast<std::uint32_t>(model_says && asked_);
        asked_ = !model_says;
    }

    struct Known {
        const ModelInfo* info = nullptr;
        CacheRules cache;
        TokenPrices
            flat;  // what the parts cost, where that does not depend on the length of the prompt; none is missing
        bool is_flat = false;

        std::optional<Money> price(const RequestRecord& r) const;
        std::uint64_t resend_price(const RequestRecord& r) const;
    };
    struct Begun {                              // a request whose counts may still grow
        const RequestRecord* record = nullptr;  // of the ledger
        std::uint64_t line = 0;
        std::uint64_t sum = 0;       // tokens when it was seen first,
        std::optional<Money> price;  // and what they cost
        bool of_run = false;         // no single request
    };

    const Known& known(std::uint32_t model, const TokenLedger& ledger) {
        return model < of_session_.size() && of_session_[model] ? *of_session_[model] : learn(model, ledger);
    }
    const Known& learn(std::uint32_t model, const TokenLedger& ledger);
    static void learn(Known& known);
    void on_compaction(const Compaction& compaction);
    std::uint64_t recorded_window(const Known& model, const Usage& usage, const TokenLedger& ledger);
    std::uint64_t window_of(const Known& model);
    std::optional<Money> price_of_begun(const TokenLedger& ledger);
    void settle(const TokenLedger& ledger);

    const ModelTable* models_;
    std::unordered_map<std::string, Known> by_name_;
    std::vector<const Known*> of_session_;  // by the ledger's number of the model
    RequestFigures figures_;
    std::vector<DearRequest> dearest_;
    Begun begun_;
    bool open_ = false;
    bool priced_ = false;
    Money cost_;  // of the settled requests
    struct Unknown {
        std::uint64_t unpriced = 0, windowless = 0;
    };
    Unknown unknown_, finished_;
    const RequestRecord* seen_ = nullptr;
    std::uint64_t window_ = 0;           // as a setting told it, or a compaction; 0 = by the model
    bool window_recorded_ = false;       // else it is only likely
    const ModelInfo* newest_ = nullptr;  // of the newest request
    const Known* main_ = nullptr;        // of the main conversation's, since a window was recorded
    std::uint32_t responses_ = 0;        // that began since usage was told last
    bool asked_ = true;                  // the model was told something since it said anything: a response begins next
};

}  // namespace agent_audit
