#include "profiles/all.hpp"
#include "profiles/openhands_steps.hpp"

#include <algorithm>
#include <deque>
#include <vector>

namespace agent_audit::profiles {
namespace {

constexpr std::size_t kEvents = 20;  // looked back over
constexpr std::size_t kSame = 4;
constexpr std::size_t kErrorsNudge = 3;
constexpr std::size_t kErrorsStuck = 4;
constexpr std::size_t kMessages = 3;
constexpr std::size_t kAlternation = 6;

enum class Kind : std::uint8_t { user, message, action, observation, error, rejection, condensation };

struct Event20 {
    Kind kind;
    std::uint64_t key;

    friend bool operator==(const Event20&, const Event20&) = default;
};

class OpenHands final : public PeerRule {
public:
    void on_text(const PeerText& text) override { speech_.hear(text); }
    void on_call(const PeerCall& call, const Arguments&) override {
        add(Kind::action, mix_hash(call.with_name(call.sorted), speech_.take_thought()));
    }
    // A command that fails is an observation like any other; an error is a tool that could not do its work at all.
    void on_result(const PeerCall& call, const PeerResult& result) override {
        const bool denied = result.status == ResultStatus::denied || result.status == ResultStatus::cancelled;
        const bool error = result.failed() && !is_shell_tool(call.name);
        const std::uint64_t code = static_cast<std::uint64_t>(result.exit_code.value_or(0));
        add(denied  ? Kind::rejection
            : error ? Kind::error
                    : Kind::observation,
            mix_hash(call.with_name(result.hash), code));
    }
    void on_response_end(const Spot& last) override {
        if (const std::uint64_t message = speech_.take_message(); message != 0) add(Kind::message, message);
        check(last);
    }
    void on_user(const Spot&) override { add(Kind::user, 0); }
    void on_compaction(const Spot&) override { add(Kind::condensation, 0); }

private:
    void add(Kind kind, std::uint64_t key) {
        events_.push_back({kind, key});
        if (events_.size() > kEvents) events_.pop_front();
    }

    // The latest `count` events of these kinds since the user spoke, latest first; fewer when there are not as many.
    template <class Wanted>
    std::vector<Event20> latest(std::size_t count, Wanted wanted) const {
        std::vector<Event20> out;
        for (auto e = events_.rbegin(); e != events_.rend() && e->kind != Kind::user && out.size() < count; ++e) {
            if (wanted(e->kind)) out.push_back(*e);
        }
        return out;
    }

    static bool is_action(Kind k) { return k == Kind::action; }
    static bool is_answer(Kind k) { return k == Kind::observation || k == Kind::error || k == Kind::rejection; }

    static bool all_same(const std::vector<Event20>& events, std::size_t count) {
        return events.size() >= count &&
               std::all_of(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count),
                           [&](const Event20& e) { return e == events.front(); });
    }
    static bool all_errors(const std::vector<Event20>& events, std::size_t count) {
        return events.size() >= count &&
               std::all_of(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(count),
                           [](const Event20& e) { return e.kind == Kind::error; });
    }
    static bool alternate(const std::vector<Event20>& events) {
        if (events.size() < kAlternation) return false;
        for (std::size_t i = 2; i < kAlternation; ++i) {
            if (events[i] != events[i - 2]) return false;
        }
        return true;
    }

    bool monologue() const {
        std::size_t messages = 0;
        for (auto e = events_.rbegin(); e != events_.rend(); ++e) {
            if (e->kind == Kind::condensation) continue;
            if (e->kind != Kind::message) break;
            ++messages;
        }
        return messages >= kMessages;
    }

    void check(const Spot& at) {
        const auto actions = latest(kSame, is_action);
        const auto answers = latest(kSame, is_answer);
        if (all_same(actions, kSame) && all_same(answers, kSame)) return stop("same step 4x", at);
        if (all_same(actions, kErrorsStuck) && all_errors(answers, kErrorsStuck)) return stop("errors 4x", at);
        if (all_same(actions, kErrorsNudge) && all_errors(answers, kErrorsNudge)) warn("errors 3x", at);
        if (monologue()) return stop("monologue 3x", at);
        const auto heard = [](Kind k) { return k == Kind::observation || k == Kind::error; };
        if (alternate(latest(kAlternation, is_action)) && alternate(latest(kAlternation, heard)))
            return stop("ABABAB", at);
    }

    std::deque<Event20> events_;
    OpenHandsSpeech speech_;
};

}  // namespace

ProfileSpec openhands() {
    return {
        "openhands",
        "OpenHands Agent SDK, August 2026",
        "in the last 20 events since the user spoke: 4 equal actions (thought included) with 4 equal observations, the "
        "same action with tool errors 3/4 times, 3 messages in a row without an action, or ABABAB of actions and "
        "observations",
        "a nudge is written into the conversation",
        "the conversation is STUCK and the run ends",
        "the limit of 500 iterations; an error is a failed call of any tool but the shell",
        []() -> std::unique_ptr<PeerRule> { return std::make_unique<OpenHands>(); }};
}

}  // namespace agent_audit::profiles
