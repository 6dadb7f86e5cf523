#include "profiles/all.hpp"
#include "profiles/openhands_steps.hpp"

#include <deque>

namespace agent_audit::profiles {
namespace {

constexpr std::size_t kSame = 4;
constexpr std::size_t kErrors = 3;
constexpr std::size_t kMessages = 3;
constexpr std::size_t kAlternation = 6;
constexpr int kCondensations = 10;

struct Answer {
    std::uint64_t key = 0;
    bool error = false;
};

struct Said {
    std::uint64_t message = 0;
    std::uint64_t answers_before = 0;
};

class OpenHandsV0 final : public PeerRule {
public:
    void on_text(const PeerText& text) override { speech_.hear(text); }
    void on_call(const PeerCall& call, const Arguments&) override {
        act(mix_hash(call.with_name(call.sorted), speech_.take_thought()));
    }
    // Of a command only the command and its exit code count, not what it printed.
    void on_result(const PeerCall& call, const PeerResult& result) override {
        condensations_ = 0;
        ++answers_seen_;
        if (is_shell_tool(call.name)) {
            const auto code = static_cast<std::uint64_t>(result.exit_code.value_or(result.failed() ? 1 : 0));
            keep(answers_, Answer{mix_hash(call.with_name(call.sorted), code), false});
        } else {
            keep(answers_, Answer{mix_hash(call.with_name(result.hash), result.failed() ? 1 : 0), result.failed()});
        }
    }
    void on_response_end(const Spot& last) override {
        if (const std::uint64_t message = speech_.take_message(); message != 0) {
            act(message);  // a message is an action too
            said_.push_back({message, answers_seen_});
            if (said_.size() > kMessages) said_.pop_front();
        }
        check(last);
    }
    // In headless mode what the user says is filtered out of the history: on_user has nothing to do.
    void on_compaction(const Spot& at) override {
        const int in_a_row = condensations_ + 1;
        act(mix_hash(0xc0, ++unique_));
        condensations_ = in_a_row;
        if (in_a_row >= kCondensations) stop("condensations 10x", at);
    }

private:
    template <class T>
    static void keep(std::deque<T>& ring, T value) {
        ring.push_front(value);
        if (ring.size() > kAlternation) ring.pop_back();
    }
    void act(std::uint64_t key) {
        condensations_ = 0;
        keep(actions_, key);
    }

    bool same_actions(std::size_t count) const {
        if (actions_.size() < count) return false;
        for (std::size_t i = 1; i < count; ++i) {
            if (actions_[i] != actions_[0]) return false;
        }
        return true;
    }
    bool same_answers(std::size_t count) const {
        if (answers_.size() < count) return false;
        for (std::size_t i = 1; i < count; ++i) {
            if (answers_[i].key != answers_[0].key) return false;
        }
        return true;
    }
    bool errors(std::size_t count) const {
        if (answers_.size() < count) return false;
        for (std::size_t i = 0; i < count; ++i) {
            if (!answers_[i].error) return false;
        }
        return true;
    }
    bool monologue() const {
        return said_.size() == kMessages && said_[0].message == said_[1].message &&
               said_[1].message == said_[2].message && said_[0].answers_before == said_[2].answers_before;
    }
    bool alternates() const {
        if (actions_.size() < kAlternation || answers_.size() < kAlternation) return false;
        for (std::size_t i = 2; i < kAlternation; ++i) {
            if (actions_[i] != actions_[i - 2] || answers_[i].key != answers_[i - 2].key) return false;
        }
        return true;
    }

    void check(const Spot& at) {
        if (same_actions(kSame) && same_answers(kSame)) return stop("same step 4x", at);
        if (same_actions(kErrors) && errors(kErrors)) return stop("errors 3x", at);
        if (monologue()) return stop("same message 3x", at);
        if (alternates()) return stop("ABABAB", at);
    }

    std::deque<std::uint64_t> actions_;  // latest first
    std::deque<Answer> answers_;
    std::deque<Said> said_;  // latest last
    std::uint64_t answers_seen_ = 0;
    std::uint64_t unique_ = 0;
    int condensations_ = 0;
    OpenHandsSpeech speech_;
};

}  // namespace

ProfileSpec openhands_v0() {
    return {"openhands-v0",
            "OpenHands controller before 1.0 (V0), headless",
            "over the whole history, the user's words left out: 4 equal actions (thought included) with 4 equal "
            "observations, the same action with 3 errors, 3 equal messages with no observation between, ABABAB, or 10 "
            "condensations in a row; of a shell command only command and exit code are compared",
            "",
            "the agent goes into its error state",
            "notebook syntax errors and empty answers; an error is a failed call of any tool but the shell",
            []() -> std::unique_ptr<PeerRule> { return std::make_unique<OpenHandsV0>(); }};
}

}  // namespace agent_audit::profiles
