#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/message_rule.hpp"
#include "detectors/words/number_words.hpp"
#include "detectors/words/words.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/monologue";

constexpr std::string_view kDoc = R"(## What it finds
The agent sends the same message again and again without calling a tool in between: it talks to itself. Or the agents of a
group say the same to each other in turn, two to eight messages a round: they thank each other for ever. The messages are
equal to the letter. Nor does one who only reasons come further where the same thought, of a sentence or two, comes four times
in a row with no message and no call behind it.

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
- the same answer to a human who asks again: a human message starts afresh, unless it says no more than to go on
  ("continue"), or answers a question with the number that it was answered with before ("It is 48213."); then two more are
  wanted for an error
- the same words of one member of a group after the other: "I vote guilty."
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
                       "equal messages or rounds in a row, without a tool call in between, before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000,
                       "the same before an error; one more for rounds of several messages"},
    Param<Params, int>{"min-words", &Params::min_words, 1, 1000,
                       "words a message must have: agents are made to answer a heartbeat or a notice with one or two"},
    Param<Params, int>{"within", &Params::within, 0, 10'000'000,
                       "seconds of recorded time within which they must lie; 0 = any time"},
};

// Two agents may say the same to each other in turn, or a group of eight.
constexpr std::size_t kMostInTurn = 8;
constexpr std::size_t kRoundsKept = 3;
// Rounds of several messages need one more for an error, and two more do those of an agent that is told to go on.
constexpr int kMoreInTurn = 1;
constexpr int kMoreToldToGoOn = 2;

class Monologue final : public MessageRule {
public:
    explicit Monologue(Params params) : params_(params) {}

private:
    struct Said {
        std::uint64_t hash = 0;
        TextPlace place;
    };

    void on_message(const SaidMessage& said) override {
        // Seven jurors who vote alike are seven; who repeats himself has the same name.
        const std::uint64_t hash = said.speaker == 0 ? said.hash : mix_hash(said.hash, said.speaker);
        const auto run_of = [&](std::size_t p) { return p <= said_.size() && said_[said_.size() - p].hash == hash; };
        for (std::size_t p = 1; p <= kMostInTurn; ++p) runs_[p - 1] = run_of(p) ? runs_[p - 1] + 1 : 0;
        if (said_.size() == kRoundsKept * kMostInTurn) said_.pop_front();
        said_.push_back({hash, said.place});
        if (period_ > 0 && runs_[period_ - 1] > 0 && within(first_, said.place, params_.within)) {
            last_ = said.place;
            ++count_;
            return;
        }
        close();
        open();
    }

    // The shortest round that came often enough to be told, or so often that its beginning would be forgotten.
    void open() {
        const std::size_t rounds = std::min(static_cast<std::size_t>(params_.warn), kRoundsKept);
        for (std::size_t p = 1; p <= kMostInTurn; ++p) {
            const std::size_t messages = rounds * p;
            if (runs_[p - 1] + p < messages || said_.size() < messages) continue;
            const auto first = said_.end() - static_cast<std::ptrdiff_t>(messages);
            if (!within(first->place, said_.back().place, params_.within)) continue;
            period_ = p;
            count_ = static_cast<int>(messages);
            first_ = first->place;
            last_ = said_.back().place;
            hash_ = first->hash;
            round_.clear();
            for (auto one = first; one != first + static_cast<std::ptrdiff_t>(p); ++one) round_.push_back(one->place);
            return;
        }
    }

    void close() {
        if (period_ > 0 && rounds() >= params_.warn &&
            std::ranges::any_of(round_, [this](const TextPlace& place) { return is_long_enough(place); }))
            tell();
        period_ = 0;
    }

    void on_fresh_start() override {
        close();
        said_.clear();
        runs_.fill(0);
        told_to_go_on_ = false;
    }

    bool outlasts_go_ahead() override { return told_to_go_on_ = true; }
    // The same answer to who asks again is none; the same question to who has told it is.
    bool outlasts_answer(const SaidMessage& said) override {
        constexpr std::string_view kAsks[] = {"?", "\xef\xbc\x9f"};
        const std::string_view text = trimmed_end(said.place.text().bytes);
        const bool asks = std::ranges::any_of(kAsks, [text](std::string_view mark) { return text.ends_with(mark); });
        // "Anything else?" asks for what was not told yet.
        return asks && text.find(" else") == text.npos && outlasts_go_ahead();
    }

    // A thought with a call or a message behind it is how work goes; and one may be recorded twice.
    void on_thought(const AgentText& text, const LaneTrack& lane) override {
        const bool again = text.hash == thought_ && text.calls == calls_;
        if (again && text.message == thought_of_) return;
        thought_of_ = text.message;
        if (!again) {
            end_thoughts();
            thought_ = text.hash;
            calls_ = text.calls;
            thoughts_ = 1;
            thought_at_ = text.at;
            return;
        }
        if (++thoughts_ == 2) {  // the words are those of the first; most thoughts come once
            first_thought_.take(text, lane);
            first_thought_.at = thought_at_;
        }
        last_thought_.take(text, lane);
    }

    void end_thoughts() override {
        constexpr int kThought = 12;  // words; "Thinking about the mill" is the title of one
        if (thoughts_ > params_.warn && has_words(first_thought_, std::max(kThought, params_.min_words)) &&
            within(first_thought_, last_thought_, params_.within))
            tell_thoughts();
        thoughts_ = 0;
        thought_ = 0;
    }

    void tell_thoughts() {
        DraftFinding draft = draft_of_texts(loop_monologue(), first_thought_, last_thought_, true);
        Finding& f = draft.finding;
        const bool failing = thoughts_ > params_.fail + kMoreToldToGoOn;
        f.severity = failing ? Severity::error : Severity::warning;
        f.period = 1;
        f.repeats = static_cast<std::uint64_t>(thoughts_);
        f.round = {"thinks \"" + first_thought_.words() + "\""};
        f.pattern_key = mix_hash(thought_, 2);
        f.message = fmt::format("the agent thought the same {} times without saying or doing anything ({})", thoughts_,
                                lines_words(f.first_line, f.last_line));
        f.action = "go back to before the first of them, with other sampling settings or another model";
        f.because = {{"equal_thoughts_in_a_row", std::to_string(thoughts_)},
                     {"threshold", std::to_string(failing ? params_.fail + kMoreToldToGoOn + 1 : params_.warn + 1)},
                     {"tool_calls_in_between", "0"}};
        report(std::move(draft));
    }

    int rounds() const { return count_ / static_cast<int>(period_); }

    bool is_long_enough(const TextPlace& place) const { return has_words(place, params_.min_words); }

    static bool has_words(const TextPlace& place, int least) {
        Words words(place.text());
        Word word;
        int count = 0;
        while (count < least && words.next(word)) ++count;
        return count >= least;
    }

    void tell() {
        DraftFinding draft = draft_of_texts(loop_monologue(), first_, last_, true);
        Finding& f = draft.finding;
        const int fail = params_.fail + (period_ > 1 ? kMoreInTurn : 0) + (told_to_go_on_ ? kMoreToldToGoOn : 0);
        const bool failing = rounds() >= fail;
        f.severity = failing ? Severity::error : Severity::warning;
        f.period = static_cast<std::uint32_t>(period_);
        f.repeats = static_cast<std::uint64_t>(rounds());
        f.round.clear();
        for (const TextPlace& place : round_) f.round.push_back("says \"" + place.words() + "\"");
        f.pattern_key = mix_hash(hash_, 1);
        const std::string what = period_ == 1 ? "the agent sent the same message"
                                              : fmt::format("the same {} messages came in turn", period_);
        f.message = fmt::format("{} {} times without calling a tool ({})", what, rounds(),
                                lines_words(f.first_line, f.last_line));
        f.action = "find out what the agent waits for, and tell it or end the session";
        f.because = {{"equal_messages_in_a_row", std::to_string(rounds())},
                     {"threshold", std::to_string(failing ? fail : params_.warn)},
                     {"tool_calls_in_between", "0"}};
        report(std::move(draft));
    }

    Params params_;
    std::deque<Said> said_;
    std::array<std::size_t, kMostInTurn> runs_{};  // messages in a row that equal the one so many places back
    std::size_t period_ = 0;                       // of the stretch that is going on; 0 = none
    std::vector<TextPlace> round_;
    TextPlace first_, last_;
    std::uint64_t hash_ = 0;
    int count_ = 0;
    bool told_to_go_on_ = false;  // in between, by a human
    int thoughts_ = 0;            // in a row, equal to the letter
    std::uint64_t thought_ = 0, thought_of_ = 0, calls_ = 0;
    Place thought_at_;
    TextPlace first_thought_, last_thought_;
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
