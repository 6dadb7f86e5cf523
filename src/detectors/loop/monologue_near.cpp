#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/message_rule.hpp"
#include "detectors/loop/hand_round.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/speech/correction.hpp"
#include "detectors/speech/courtesy.hpp"
#include "detectors/words/words.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/monologue-near";

constexpr std::string_view kDoc = R"(## What it finds
The agent says nearly the same thing again and again without calling a tool in between: the same plan in slightly other
words. Two messages are nearly the same when at least four fifths of the words that occur in one of them occur in both.
So are eight messages in a row of agents that thank each other and wish each other a good day, in whatever words. So
is a task that goes round in a group: each member names another one who is to do it, three times each, says mostly what
was said before, and half of them that they cannot, wait, or hand it on.

## Why it matters
Each restatement costs a response and moves nothing. It often means that the agent does not know how to begin, or
believes that announcing a step is taking it.

## Example
```
line 3  assistant  I will now look at the parser, fix the quoting bug and run the tests.
line 4  assistant  Now I will look at the parser, fix the quoting bug and then run the tests.
line 5  assistant  I will look at the parser now, fix the quoting bug, and run all the tests.
```

## What is not flagged
- messages with other words, however many follow each other; a group whose members thank each other once or twice
- messages that come with a tool call
- the same answer to a human who asks again: a human message starts afresh, unless it says no more than to go on
  ("continue"); then two more are wanted
- messages of fewer than five different words: "Done.", "Still running."
- a group whose members hand on what they have done: a new number, or more words that are new than were said before
- what different members of a group say in one form, unless they pass the very words round
- as more than an info, what a member of a group says nearly alike while most times another one has said in between what
  nobody says again, if only another number: an offer after each counter-offer, a text that grows with each remark. A verdict
  that stays as it is ("No: expected 51, got 48") is none of these
- a list that is worked off: four messages or more that leave out words of the one before and add none

## What to do
Ask for the next action instead of a plan, or name the first file and the first command.

## When it is wrong
Status reports in a fixed form that some program asks for. It is only ever a warning; raise `warn`, or
`--ignore loop/monologue-near`.
)";

struct Params {
    int warn = 3;
    int similar = 80;
    int min_words = 5;
    int courtesies = 8;
    int handed_on = 8;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000,
                       "messages that are nearly the same, without a tool call in between, before a warning"},
    Param<Params, int>{"similar", &Params::similar, 1, 100,
                       "percent of the words of two messages that must be common to both"},
    Param<Params, int>{"min-words", &Params::min_words, 1, 1000,
                       "different words a message must have: short ones are alike by accident"},
    Param<Params, int>{"courtesies", &Params::courtesies, 2, 1000,
                       "messages in a row that hold nothing but thanks and good wishes before a warning"},
    Param<Params, int>{"handed-on", &Params::handed_on, 2, 1000,
                       "messages in a row in which agents hand a task to each other before a warning"},
    Param<Params, int>{"within", &Params::within, 0, 10'000'000,
                       "seconds of recorded time within which they must lie; 0 = any time"},
};

class MonologueNear final : public MessageRule {
public:
    explicit MonologueNear(Params params) : params_(params) {}

private:
    static constexpr std::size_t kThreads = 8;
    static constexpr int kMoreToldToGoOn = 2;
    static constexpr std::size_t kMostHeard = 4096;

    // A message of a group, until the next call. It is news until it is said again.
    struct Heard {
        std::uint64_t speaker = 0;
        bool news = true;
    };

    // Messages that are alike, known by the latest of them.
    struct Thread {
        int count = 0;
        std::uint64_t latest_at = 0;
        TextPlace first, last;
        std::string text;  // of the latest message, until its words are needed
        TextForm form = TextForm::plain;
        std::vector<std::uint32_t> words;
        bool has_words = false;
        std::size_t first_size = 0;  // different words of the first message
        bool only_drops = true;      // no message had a word that the one before it had not
        std::uint64_t speaker = 0;
        bool passed_round = false;         // from one speaker to another, in the same words
        bool counts_on = false;            // with another number
        std::vector<std::uint32_t> heard;  // which messages of a group these are
        std::size_t known = 0;             // of them, those that were told to be no news
    };

    // Messages in a row that say thanks and good-bye.
    struct Courtesies {
        int count = 0;
        TextPlace first, last;
        std::vector<std::uint64_t> speakers;
    };

    // Most messages stand alone between two calls: their words are never looked at.
    void on_message(const SaidMessage& said) override {
        ++messages_;
        hear_courtesy(said);
        if (said.speaker != 0) handed_.hear(said, [this](const auto& row) { tell(row); });
        const bool in_group = said.speaker != 0 && heard_.size() < kMostHeard;
        is_heard_ = in_group;
        if (in_group) heard_.push_back({said.speaker});
        if (messages_ > 1) {
            word_set({said.text, said.form}, words_);
            // What a group says in few words ("Louder.") is no loop of its own, but may be news to the others.
            if (!in_group && is_short(words_)) return;
            if (Thread* like = find_like(said)) return join(*like, said);
        }
        Thread& thread = free_thread();
        thread.count = 1;
        thread.latest_at = messages_;
        thread.only_drops = true;
        thread.speaker = said.speaker;
        thread.passed_round = thread.counts_on = false;
        thread.heard.clear();
        thread.known = 0;
        if (in_group) thread.heard.push_back(last_heard());
        thread.first = thread.last = said.place;
        thread.has_words = messages_ > 1;
        if (thread.has_words) {
            thread.words = words_;
        } else {
            thread.text = said.text;
            thread.form = said.form;
        }
    }

    // "Continue" asks for the next thing, not for the same one again; two more are wanted then.
    bool outlasts_go_ahead() override { return told_to_go_on_ = true; }

    void on_fresh_start() override {
        if (messages_ == 0) return;
        messages_ = 0;
        end_courtesies();
        handed_.start_afresh([this](const auto& row) { tell(row); });
        for (Thread& thread : threads_) close(thread);
        heard_.clear();
        told_to_go_on_ = false;
    }

    bool is_short(const std::vector<std::uint32_t>& words) const {
        return words.size() < static_cast<std::size_t>(params_.min_words);
    }

    std::uint32_t last_heard() const { return static_cast<std::uint32_t>(heard_.size() - 1); }

    Thread* find_like(const SaidMessage& said) {
        for (Thread& thread : threads_) {
            if (thread.count == 0 || !within(thread.first, said.place, params_.within)) continue;
            if (!thread.has_words) {
                word_set({thread.text, thread.form}, thread.words);
                thread.has_words = true;
            }
            if (said.speaker == 0 && is_short(thread.words)) continue;
            // What several say in one form ("Blockers: none.") is one form; who thanks in the same words joins in.
            const bool alike = thread.speaker == said.speaker ? jaccard(thread.words, words_) * 100 >= params_.similar
                                                              : !is_short(words_) && thread.words == words_;
            if (alike) return &thread;
        }
        return nullptr;
    }

    // "That is too little. I would take 293 euros." says something new, whatever its words.
    static bool has_new_number(const SaidMessage& said, const std::vector<std::uint32_t>& before) {
        Words words({said.text, said.form});
        for (Word word; words.next(word);) {
            const bool number = !word.speaks && is_digit(said.text[word.begin]);
            if (number && !std::ranges::binary_search(before, word.hash)) return true;
        }
        return false;
    }

    void join(Thread& thread, const SaidMessage& said) {
        if (said.speaker != 0) join_in_group(thread, said);
        ++thread.count;
        thread.latest_at = messages_;
        thread.last = said.place;
        if (thread.count == 2) thread.first_size = thread.words.size();
        thread.only_drops = thread.only_drops && std::ranges::includes(thread.words, words_);
        thread.words.swap(words_);
    }

    void join_in_group(Thread& thread, const SaidMessage& said) {
        const bool counts_on = has_new_number(said, thread.words);
        thread.counts_on = thread.counts_on || counts_on;
        thread.passed_round = thread.passed_round || thread.speaker != said.speaker;
        if (is_heard_) thread.heard.push_back(last_heard());
        if (counts_on) return;
        for (; thread.known < thread.heard.size(); ++thread.known) heard_[thread.heard[thread.known]].news = false;
    }

    // How often somebody said it again, and how often somebody else had said in between what nobody said again.
    struct Returns {
        std::size_t all = 0, answered = 0;
    };
    Returns returns_of(const Thread& thread) const {
        Returns returns;
        for (std::size_t i = 1; i < thread.heard.size(); ++i) {
            const auto own = [&](std::uint32_t at) { return heard_[at].speaker == heard_[thread.heard[i]].speaker; };
            const auto now = std::make_reverse_iterator(thread.heard.begin() + static_cast<std::ptrdiff_t>(i));
            const auto before = std::find_if(now, thread.heard.rend(), own);
            if (before == thread.heard.rend()) continue;
            ++returns.all;
            for (std::uint32_t at = *before; at < thread.heard[i]; ++at) {
                if (!heard_[at].news || own(at)) continue;
                ++returns.answered;
                break;
            }
        }
        return returns;
    }

    static std::size_t numbers_in(std::string_view said) {
        std::size_t numbers = 0;
        for (std::size_t i = 0; i < said.size(); ++i)
            numbers += is_digit(said[i]) && (i == 0 || !is_digit(said[i - 1]));
        return numbers;
    }

    // "No: expected 51, got 48": who says so each time has seen nothing new. "The price for 500 posters?" is no
    // verdict.
    static bool is_verdict(const Thread& thread) {
        const std::string said = thread.first.words();
        const bool figures = numbers_in(said) > 1;
        return !thread.counts_on && (figures || says_refusal(said) || correction_in(said, false) != Correction::none);
    }

    void hear_courtesy(const SaidMessage& said) {
        if (!is_courtesy({said.text, said.form})) return end_courtesies();
        if (courtesies_.count++ == 0) courtesies_.first = said.place;
        courtesies_.last = said.place;
        if (std::ranges::find(courtesies_.speakers, said.speaker) == courtesies_.speakers.end())
            courtesies_.speakers.push_back(said.speaker);
    }

    // A large group may thank each other, each once or twice.
    void end_courtesies() {
        constexpr std::size_t kEach = 3;
        const auto count = static_cast<std::size_t>(courtesies_.count);
        if (courtesies_.count >= params_.courtesies && count >= kEach * courtesies_.speakers.size()) tell(courtesies_);
        courtesies_.count = 0;
        courtesies_.speakers.clear();
    }

    Thread& free_thread() {
        Thread& oldest = *std::ranges::min_element(
            threads_, {}, [](const Thread& thread) { return thread.count == 0 ? 0 : thread.latest_at; });
        close(oldest);
        return oldest;
    }

    void close(Thread& thread) {
        // Three messages are too few to tell a list from a plan that is put more briefly.
        const bool worked_off = thread.count > 3 && thread.only_drops && thread.words.size() < thread.first_size;
        const int warn = params_.warn + (told_to_go_on_ ? kMoreToldToGoOn : 0);
        if (thread.count >= warn && !worked_off && !is_short(thread.words)) weigh(thread);
        thread.count = 0;
    }

    void weigh(const Thread& thread) {
        const Returns returns = returns_of(thread);
        if (thread.passed_round && returns.all == 0) return;  // jurors who vote alike, each of them once
        tell(thread, 2 * returns.answered > returns.all && !is_verdict(thread));
    }

    void tell(const Thread& thread, bool answered) {
        DraftFinding draft = draft_of_texts(loop_monologue_near(), thread.first, thread.last, true);
        Finding& f = draft.finding;
        f.severity = answered ? Severity::info : Severity::warning;
        f.period = 1;
        f.repeats = static_cast<std::uint64_t>(thread.count);
        f.round = {"says something like \"" + thread.first.words() + "\""};
        for (const std::uint32_t word : thread.words) f.pattern_key = mix_hash(f.pattern_key, word);
        f.message = fmt::format("the agent said nearly the same thing {} times without calling a tool ({})", f.repeats,
                                lines_words(f.first_line, f.last_line));
        f.action = "ask for the next action, not for a plan";
        f.because = {{"similar_messages", std::to_string(thread.count)},
                     {"threshold", std::to_string(params_.warn)},
                     {"common_words_percent_at_least", std::to_string(params_.similar)},
                     {"different_words", std::to_string(thread.words.size())},
                     {"tool_calls_in_between", "0"}};
        if (answered) f.because.push_back({"news_of_others_in_between", "most times"});
        report(std::move(draft));
    }

    void tell(const Courtesies& said) {
        DraftFinding draft = draft_of_texts(loop_monologue_near(), said.first, said.last, true);
        Finding& f = draft.finding;
        f.severity = Severity::warning;
        f.period = 1;
        f.repeats = static_cast<std::uint64_t>(said.count);
        f.round = {"says something like \"" + said.last.words() + "\""};
        f.pattern_key = mix_hash(stable_hash(kId), said.speakers.size());
        f.message = fmt::format("{} messages in a row hold nothing but thanks and good wishes ({})", said.count,
                                lines_words(f.first_line, f.last_line));
        f.action = "end the conversation when its task is done";
        f.because = {{"messages_of_courtesy", std::to_string(said.count)},
                     {"threshold", std::to_string(params_.courtesies)},
                     {"speakers", std::to_string(said.speakers.size())},
                     {"tool_calls_in_between", "0"}};
        report(std::move(draft));
    }

    void tell(const HandRound::Row& row) {
        if (row.messages < params_.handed_on) return;
        DraftFinding draft = draft_of_texts(loop_monologue_near(), row.first, row.last, true);
        Finding& f = draft.finding;
        f.severity = Severity::warning;
        f.period = static_cast<std::uint32_t>(row.speakers.size());
        f.repeats = static_cast<std::uint64_t>(row.messages);
        f.round = {"says something like \"" + row.last.words() + "\""};
        f.pattern_key = mix_hash(stable_hash("handed on"), row.speakers.size());
        f.message = fmt::format("{} messages in a row of {} agents hand the task to each other ({})", row.messages,
                                row.speakers.size(), lines_words(f.first_line, f.last_line));
        f.action = "say which of them can do it, or what all of them lack";
        f.because = {{"messages_that_name_another_agent", std::to_string(row.messages)},
                     {"threshold", std::to_string(params_.handed_on)},
                     {"speakers", std::to_string(row.speakers.size())},
                     {"tool_calls_in_between", "0"}};
        report(std::move(draft));
    }

    Params params_;
    HandRound handed_;
    Courtesies courtesies_;
    std::array<Thread, kThreads> threads_;
    std::uint64_t messages_ = 0;
    std::vector<std::uint32_t> words_;
    std::vector<Heard> heard_;    // of a group
    bool told_to_go_on_ = false;  // in between, by a human
    bool is_heard_ = false;       // the message at hand is the last of them
};

}  // namespace

DetectorSpec loop_monologue_near() {
    return {kId,
            "AA116",
            "nearly the same message again and again, without a tool call",
            Severity::warning,
            0.75,
            Stage::stable,
            Scope::lane,
            kTexts,
            Signals{},
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<MonologueNear>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
