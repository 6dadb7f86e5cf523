#pragma once

#include <agent_audit/simulator/observer.hpp>
#include <agent_audit/simulator/regret.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::simulator {

/// What was needed again under one policy. What an answer needed stands in the row of the request after it.
class RegretObserver final : public RequestObserver {
public:
    /// `own_index`: it sees other messages than other policies do.
    explicit RegretObserver(bool own_index = false) : own_index_(own_index) {}

    bool minds_what_stays() const override { return false; }
    void on_message(const SourceMessage& message) override;
    void on_leave(const Leaving& leaving) override;
    void on_return(const SourceMessage& message) override;
    void on_request(const RequestView& request, TurnRow& row) override;
    void on_end(PolicyOutcome& outcome) override;

private:
    std::span<const std::uint64_t> identifiers_of(const Msg& message);
    void shorten(std::uint32_t message, const Leaving& leaving);
    std::span<const CallFacts> calls_of(const SourceMessage& message);
    void result(const SourceMessage& message);
    std::uint32_t summary(const MsgPtr& made);

    bool own_index_;
    RegretTracker tracker_;
    std::vector<std::uint64_t> identifiers_;
    std::string scratch_;
    std::vector<CallFacts> calls_;  // of the answer at hand
    std::vector<std::string> words_;
    std::vector<std::pair<MsgPtr, std::uint32_t>> summaries_;  // in the view
    /// What replaced each message for one request, and will again for the next: the tracker knows it already. Of two
    /// stages, each what it made. Empty until there is any.
    std::vector<std::array<MsgPtr, 2>> replaced_;
};

std::unique_ptr<RequestObserver> make_regret_observer(std::string_view policy);

}  // namespace agent_audit::simulator
