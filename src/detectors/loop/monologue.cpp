#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/message_rule.hpp"
#include "detectors/engine/words.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/monologue";

constexpr std::string_view kDoc = R"(## What it finds
The agent sends the same message again and again without calling a tool in between: it talks to itself. The messages
are equal to the letter.

## Why it matters
A message that changed nothing the first time changes nothing the third time. Harnesses that answer each message with a
reminder ("please continue", "you have not finished") can keep such a pair alive for hours.

## Example
```
line 12  assistant  The build is fixed. Let me know if you need anything else.
line 13  hook       Not all tasks are done. Continue.
line 14  assistant  The build is fixed. Let me know if you need anything else.
line 15  hook       Not all tasks are done. Continue.
line 16  assistant  The build is fixed. Let me know if you need anything else.
```

## What is not flagged
- messages that differ (see `loop/monologue-near`): any number of them in a row may be an answer
- a message that comes with a tool call: what repeats is then the call, and other rules look at its outcome
- the same answer to a human who asks again: a human message starts afresh
- the parts in which one response was streamed, and records written twice
- a closing "Done." said twice, and answers of one or two words ("HEARTBEAT_OK") however often

System reminders, hook messages and other text that no human wrote do not start afresh.

## What to do
Find out what the agent waits for. If a hook or a harness keeps asking, tell it what is missing or let it stop; else
reset the context to the suggested line.

## When it is wrong
Agents that are told to confirm each notification with a fixed phrase. Raise `warn` and `fail`, or
`--ignore loop/monologue`.
)";

struct Params {
    int warn = 3;
    int fail = 3;
    int min_words = 3;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000,
                       "equal messages in a row, without a tool call in between, before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    Param<Params, int>{"min-words", &Params::min_words, 1, 1000,
                       "words a message must have: agents are made to answer a heartbeat or a notice with one or two"},
    Param<Params, int>{"within", &Params::within, 0, 10'000'000,
                       "seconds of recorded time within which they must lie; 0 = any time"},
};

class Monologue final : public MessageRule {
public:
    explicit Monologue(Params params) : MessageRule(0), params_(params) {}

private:
    void on_message(const SaidMessage& said) override {
        const bool again = count_ > 0 && said.hash == hash_ && within(first_, said.place, params_.within);
        if (!again) {
            on_fresh_start();
            first_ = said.place;
            hash_ = said.hash;
        }
        last_ = said.place;
        ++count_;
    }

    void on_fresh_start() override {
        if (count_ >= params_.warn && is_long_enough()) tell();
        count_ = 0;
    }

    bool is_long_enough() const {
        Words words(first_.text());
        Word word;
        int count = 0;
        while (count < params_.min_words && words.next(word)) ++count;
        return count >= params_.min_words;
    }

    void tell() {
        DraftFinding draft = draft_of_texts(loop_monologue(), first_, last_, true);
        Finding& f = draft.finding;
        const bool failing = count_ >= params_.fail;
        f.severity = failing ? Severity::error : Severity::warning;
        f.period = 1;
        f.repeats = static_cast<std::uint64_t>(count_);
        f.round = {"says \"" + first_.words() + "\""};
        f.pattern_key = mix_hash(hash_, 1);
        f.message = fmt::format("the agent sent the same message {} times without calling a tool ({})", count_,
                                lines_words(f.first_line, f.last_line));
        f.action = "find out what the agent waits for, and tell it or end the session";
        f.because = {{"equal_messages_in_a_row", std::to_string(count_)},
                     {"threshold", std::to_string(failing ? params_.fail : params_.warn)},
                     {"tool_calls_in_between", "0"}};
        report(std::move(draft));
    }

    Params params_;
    TextPlace first_, last_;
    std::uint64_t hash_ = 0;
    int count_ = 0;
};

}  // namespace

DetectorSpec loop_monologue() {
    return {kId,
            "AA115",
            "the same message again and again, without a tool call",
            Severity::error,
            0.95,
            Stage::stable,
            Scope::lane,
            kTexts,
            Signals{},
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<Monologue>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
