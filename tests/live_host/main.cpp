// A host program that supervises an agent while it runs: it makes events of what happens, gives them to a Replayer, and
// acts on the decisions. The agent here is a puppet that makes the same call until somebody tells it to stop.

#include <agent_audit/pipeline/policy_replay.hpp>
#include <agent_audit/support/hash.hpp>

#include <cstdio>
#include <string>

using namespace agent_audit;

namespace {

class Host {
public:
    explicit Host(std::shared_ptr<const BoundPolicy> policy) : guard_(std::move(policy)) {}

    // One response with one call; false when the supervisor ended the run.
    bool turn(const std::string& tool, const std::string& argument, const std::string& result) {
        const std::string id = "call-" + std::to_string(++response_);
        ToolCall call;
        call.call_id = {id, TextForm::plain};
        call.name = {tool, TextForm::plain};
        call.args = call.primary = {argument, TextForm::plain};
        call.digest.canonical = mix_hash(stable_hash(tool), stable_hash(argument));
        if (!act(tell(call))) return false;
        ToolResult answer;
        answer.call_id = {id, TextForm::plain};
        answer.text = {result, TextForm::plain};
        answer.status = ResultStatus::ok;
        return act(tell(answer)) && act(guard_.before_request());
    }
    int turns() const { return static_cast<int>(response_); }
    int told() const { return told_; }

private:
    std::span<const policy::Decision> tell(EventBody body) {
        Event event;
        event.head.seq = event.head.where.line = ++line_;
        if (std::holds_alternative<ToolCall>(body)) event.head.response = response_;
        event.body = std::move(body);
        return guard_.on_event(event);
    }
    bool act(std::span<const policy::Decision> decisions) {
        for (const policy::Decision& d : decisions) {
            ++told_;
            std::printf("after line %llu: %s: %s\n", static_cast<unsigned long long>(d.line),
                        std::string(policy::name(d.action)).c_str(), d.reason.c_str());
            if (d.action == policy::Action::stop) return false;
        }
        return true;
    }

    Replayer guard_;
    std::uint64_t line_ = 0, response_ = 0;
    int told_ = 0;
};

}  // namespace

int main() {
    const PolicyChoice choice = choose_policy("strict");
    if (!choice.bound) return 1;
    Host busy(choice.bound);
    for (int i = 0; i < 20; ++i) {
        if (!busy.turn("Read", "file" + std::to_string(i), "text " + std::to_string(i))) return 1;
    }
    if (busy.told() != 0) return 1;  // work is left alone
    Host stuck(choice.bound);
    while (stuck.turns() < 100 && stuck.turn("Bash", "make test", "2 tests failed")) {
    }
    std::printf("the run ended after %d turns\n", stuck.turns());
    return stuck.turns() < 10 ? 0 : 1;
}
