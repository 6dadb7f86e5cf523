#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/lane_track.hpp"
#include "detectors/engine/message_track.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/speech/courtesy.hpp"
#include "detectors/speech/objection.hpp"
#include "detectors/words/phrases.hpp"
#include "detectors/words/words.hpp"
#include "support/ascii.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/repeated-reply";

constexpr std::string_view kDoc = R"(## What it finds
The agent gives a person the same reply again, though each time the person says that it is wrong, or tells what was asked
for: the same code with another apology, the same question for a number that stands three lines above. So are replies that
the agent did not understand, in whatever words, and a paragraph that is said again to the letter whatever the person says;
and so are thanks and good-byes that both sides repeat and the work that is announced again and again ("I'll convert the files now", "one moment please") with no call behind it.
Two replies are the same where at least four fifths of their words are common to both, or where both are short and ask for
the same in other words. Either no tool is called in between, or the same one is, whatever it is asked, and has the same
answer; then the words need not be as near.

## Why it matters
The person does the agent's work and is not heard. What was said is in the context and is not used; saying it once more
will not help, and often the replies got into the context so often that the model copies them.

## Example
```
line 3  assistant  Could you please provide your order number?
line 4  user       It is #W991
line 5  assistant  I need your order number to continue, could you share it?
line 6  user       I said #W991
line 7  assistant  To help you, please tell me the order number.
```

## What is not flagged
- replies with a tool call before them: something was tried. The same tool with the same answer is no try, unless it changed
  something
- questions that each name another thing, and are answered with no
- the same long reply to a person who asks the same again
- a page or a program that is sent again with something new in it each time, and a short text that has each time what the
  person missed in it, and not what they did not want
- the same reply to different people's questions, or to guesses in a game: nobody objects, and nobody tells anything twice
- replies of fewer than five different words
- a person who only says to go on ("continue"): see `loop/monologue`
- as more than an info, an agent that declines ("I can't help with that"): it may have to, however often it is asked

## What to do
Start afresh, with what the person told in the first message, or give the model the failing case itself.

## When it is wrong
A person who objects to what is right. Raise `warn` and `fail`, or `--ignore loop/repeated-reply`.
)";

struct Params {
    int warn = 4;
    int fail = 6;
    int similar = 80;
    int min_words = 5;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 3, 1000,
                       "replies that are the same, with a person in between, before a warning"},
    Param<Params, int>{"fail", &Params::fail, 3, 10'000, "the same before an error"},
    Param<Params, int>{"similar", &Params::similar, 1, 100,
                       "percent of the words of two replies that must be common to both"},
    Param<Params, int>{"min-words", &Params::min_words, 1, 1000,
                       "different words a reply must have: short ones are alike by accident"},
    Param<Params, int>{"within", &Params::within, 0, 10'000'000,
                       "seconds of recorded time within which they must lie; 0 = any time"},
};

using WordSet = std::vector<std::uint32_t>;

// Sorted, each once.
void settle(WordSet& set) {
    std::ranges::sort(set);
    set.erase(std::unique(set.begin(), set.end()), set.end());
}

bool has_digit(std::string_view word) { return std::ranges::any_of(word, is_digit); }

// Letters, of any script.
std::size_t letters_of(std::string_view word) {
    return static_cast<std::size_t>(
        std::ranges::count_if(word, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Words that may name something: of four letters or more, or with a digit. `marks`: of them, those with a digit.
void naming_words(std::string_view text, WordSet& set, WordSet* marks = nullptr) {
    constexpr std::size_t kLetters = 4, kWithDigit = 2;
    set.clear();
    Words words({text, TextForm::plain});
    for (Word word; words.next(word);) {
        const std::string_view bytes = text.substr(word.begin, word.end - word.begin);
        const bool digit = has_digit(bytes);
        if (letters_of(bytes) < (digit ? kWithDigit : kLetters)) continue;
        set.push_back(word.hash);
        if (digit && marks) marks->push_back(word.hash);
    }
    settle(set);
    if (marks) settle(*marks);
}

WordSet common(const WordSet& a, const WordSet& b) {
    WordSet both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    return both;
}

class RepeatedReply final : public Detector {
public:
    explicit RepeatedReply(Params params) : params_(params) {}

    // Most replies come behind calls, or are the only one: their words are never looked at, nor what the person said.
    void on_segment_end(const LaneTrack& lane) override {
        const bool goes_on = lane.told_to_go_on();
        if (!lane.human_spoke() || (goes_on && !announces_now(lane))) return close();
        if (lane.messages().speaking()) reply(lane.messages().latest(), lane.segment_sum());
        gone_on_ += goes_on;
        const RawText said = goes_on ? RawText{"continue", TextForm::plain} : lane.request();
        human_.assign(said.bytes);
        human_form_ = said.form;
    }
    void finish(const LaneTrack* lane) override {
        if (lane->messages().speaking()) reply(lane->messages().latest(), lane->segment_sum());
        close();
    }

private:
    static constexpr std::size_t kBegin = 4096, kEnd = 2048;  // bytes of a reply that are compared
    static constexpr std::size_t kMostWords = 4096;
    static constexpr std::size_t kLookedBack = 3;  // two wordings may take turns
    static constexpr std::size_t kCourtesy = 160;  // bytes of a reply that may only say good-bye
    static constexpr std::size_t kShort = 25;      // different words of a mere question
    static constexpr std::size_t kAsksOf = 2;      // words that name what is asked for
    static constexpr std::size_t kLong = 20;       // different words that nobody says again by accident
    static constexpr std::size_t kStatement = 10;  // the same of what asks nothing

    struct Reply {
        std::string text;  // decoded
        WordSet words, naming;
        bool lost = false;       // it says that the person was not understood
        bool announces = false;  // that work begins
        bool thanks = false;     // and says nothing else
    };

    static bool announces_now(const LaneTrack& lane) {
        if (!lane.messages().speaking()) return false;
        const SaidMessage& said = lane.messages().latest();
        return announces_work({said.text, said.form});
    }

    // Of a long one how it begins and how it ends.
    static Reply read(RawText text) {
        Reply reply;
        reply.text = decoded(text, SaidMessage::kKept);
        if (reply.text.size() > kBegin + kEnd) reply.text.erase(kBegin, reply.text.size() - kBegin - kEnd);
        word_set({reply.text, TextForm::plain}, reply.words);
        naming_words(reply.text, reply.naming);
        reply.lost = has_not_understood({reply.text, TextForm::plain});
        reply.announces = announces_work({reply.text, TextForm::plain});
        reply.thanks = reply.text.size() <= kCourtesy && is_courtesy({reply.text, TextForm::plain});
        return reply;
    }

    // `work`: all that was called behind what the person said, and what came of it. The same work again is no try.
    void reply(const SaidMessage& said, std::uint64_t work) {
        worked_ = said.calls != calls_;
        const bool tried = worked_ && work != work_;
        calls_ = said.calls;
        work_ = work;
        if (tried || count_ == 0 || !goes_on(said)) begin(said);
        last_ = said.place;
    }

    void begin(const SaidMessage& said) {
        close();
        count_ = 1;
        first_ = said.place;
        first_text_.assign(said.text);
        first_form_ = said.form;
        order_.swap(human_);  // the next message takes its place
        order_form_ = human_form_;
    }

    bool goes_on(const SaidMessage& said) {
        if (count_ == 1) {
            keep(read({first_text_, first_form_}));
            naming_words(decoded({order_, order_form_}, order_.size()), wanted_);
        }
        hear(decoded({human_, human_form_}, human_.size()), asked_ || prompts_);
        Reply now = read({said.text, said.form});
        const bool lost = now.lost && lost_, like = is_like_one(now.words, params_.similar);
        const bool announces = now.announces && announces_;
        const bool thanks = now.thanks && thanks_ && is_courtesy({human_, human_form_});
        if (!within(first_, said.place, params_.within)) return false;
        if (!thanks && (now.words.size() < static_cast<std::size_t>(params_.min_words) ||
                        !(lost || announces || like || tells_the_same(now))))
            return false;
        ++count_;
        work_between_ = work_between_ || worked_;
        const bool news = std::ranges::any_of(now.naming, [this](std::uint32_t word) { return !names(word); });
        const RawText text{now.text, TextForm::plain};
        const bool states =
            !worked_ && !wants_input(text) && (!asks(text) || asks_only_for_more(text)) && !judges(now.text);
        const bool verbatim = now.words.size() >= (states ? kStatement : kLong) && now.text == last_text_;
        // What a timer asks for again, and what is looked up again for it, may well be as it was.
        const bool idle = announces && is_of_first_order(now);
        const bool finds_fault = (objected_ || (denied_ && (worked_ || !(asked_ || prompts_)))) && !heeds(now);
        const bool heard_not = finds_fault || lost || idle || thanks || (told_again_ && !worked_);
        vain_ += heard_not || (verbatim && says_other_);
        announced_ += idle;
        thanked_ += thanks;
        stated_ += !heard_not && verbatim && says_other_ && now.words.size() < kLong;
        // A page that is sent again with what was asked for is another one.
        changed_ += like && !lost && !announces && !thanks && news;
        keep(std::move(now));
        return true;
    }

    // Where the same is looked up and found, the words need not be as near.
    bool tells_the_same(const Reply& now) const {
        constexpr int kOfWords = 3;
        return asks_the_same(now) || (worked_ && is_like_one(now.words, params_.similar / kOfWords));
    }

    // What is announced is what was ordered at first, not what the person wished for since.
    bool is_of_first_order(const Reply& now) const {
        if (common(now.naming, wanted_).empty()) return false;
        return std::ranges::includes(wanted_, common(now.naming, answer_));
    }

    // "Saver fares cannot be changed", "Not quite, guess once more": that stays so, whatever else is said or guessed.
    static bool judges(std::string_view reply) {
        constexpr std::string_view kGuessed[] = {"ot quite",  "uess",  "rong",  "another try",
                                                 "icht ganz", "asi, ", "resque"};
        return says_refusal(reply) || contains_any(reply, kGuessed);
    }

    // "No, on Monday", and now Monday stands there; "no dust", and there is none any more; or all of it in another
    // order. Of short texts that are worked on: of long ones nobody knows what the person meant.
    bool heeds(const Reply& now) const {
        const RawText text{now.text, TextForm::plain};
        if (now.words.size() > kShort || asks(text) || wants_input(text) || now.announces || now.lost) return false;
        const WordSet& before = recent_[(next_ + kLookedBack - 1) % kLookedBack];
        if (now.words == before) return now.text != last_text_;
        const auto takes_up = [&](const WordSet& one, const WordSet& other) {
            return std::ranges::any_of(answer_, [&](std::uint32_t word) {
                return std::ranges::binary_search(one, word) && !std::ranges::binary_search(other, word);
            });
        };
        return takes_up(now.words, before) || takes_up(before, now.words);
    }

    void keep(Reply reply) {
        lost_ = reply.lost;
        announces_ = reply.announces;
        thanks_ = reply.thanks;
        last_text_ = reply.text;
        asked_ = asks({reply.text, TextForm::plain});
        prompts_ = wants_input({reply.text, TextForm::plain});
        asked_of_ = count_ == 1 ? reply.naming : common(asked_of_, reply.naming);
        if (own_.size() < kMostWords) {
            own_.insert(own_.end(), reply.naming.begin(), reply.naming.end());
            add_number(reply.text, own_);
        }
        recent_[next_++ % kLookedBack] = std::move(reply.words);
    }

    bool is_like_one(const WordSet& words, int percent) const {
        return std::ranges::any_of(
            recent_, [&](const WordSet& before) { return !before.empty() && jaccard(before, words) * 100 >= percent; });
    }

    bool asks_the_same(const Reply& now) const {
        return now.words.size() <= kShort && common(asked_of_, now.naming).size() >= kAsksOf;
    }

    // What a person says behind a reply.
    void hear(const std::string& text, bool asked) {
        const RawText said{text, TextForm::plain};
        const bool fine = approves(said);
        objected_ = !fine && objects(said, asked);
        denied_ = !fine && !asks(said) && denies(said);
        says_other_ = !fine && !wishes_again(said) && !heard_before(text);
        told_again_ = asked && affirms(said);  // whoever said yes is asked once more
        WordSet words, marks;
        naming_words(text, words, &marks);
        answer_ = words;
        if (fine || told_again_ || (asks(said) && !asked) || wishes_again(said)) return;
        add_number(text, marks);
        settle(marks);
        const bool news = std::ranges::any_of(words, [this](std::uint32_t word) { return !names(word); });
        words.clear();  // of "no", "ok" and what the agent has named as well
        if (news) word_set(said, words);
        told_again_ = std::ranges::any_of(marks, [this](std::uint32_t mark) { return knows_in_vain(mark); }) ||
                      std::ranges::any_of(told_, [&](const WordSet& before) { return holds(words, before); });
        if (marks_.size() < kMostWords) marks_.insert(marks_.end(), marks.begin(), marks.end());
        told_[next_told_++ % kLookedBack] = std::move(words);
    }

    // "123.456.789-09" is "12345678909".
    static void add_number(std::string_view text, WordSet& marks) {
        constexpr std::string_view kBetween = ". -/";
        constexpr std::size_t kShortest = 5;
        std::string digits;
        const auto take = [&] {
            if (digits.size() >= kShortest) marks.push_back(static_cast<std::uint32_t>(stable_hash(digits)));
            digits.clear();
        };
        for (const char c : text) {
            if (is_digit(c)) {
                digits += c;
            } else if (kBetween.find(c) == kBetween.npos) {
                take();
            }
        }
        take();
    }

    // Whoever asks the same again may get the same again.
    bool heard_before(const std::string& text) {
        constexpr std::size_t kMost = 64;
        const std::uint64_t said = stable_hash(text);
        const bool known = std::ranges::find(heard_, said) != heard_.end();
        if (!known && heard_.size() < kMost) heard_.push_back(said);
        return known;
    }

    // A number that the person told before, and the agent has not named once.
    bool knows_in_vain(std::uint32_t mark) const {
        return std::ranges::find(marks_, mark) != marks_.end() && !names(mark);
    }

    bool names(std::uint32_t word) const { return std::ranges::find(own_, word) != own_.end(); }

    // "I said Anna Smith" holds "Anna Smith"; one guess does not hold another.
    static bool holds(const WordSet& words, const WordSet& before) {
        const bool any = !before.empty() && !words.empty();
        return any && (std::ranges::includes(words, before) || std::ranges::includes(before, words));
    }

    void close() {
        // Another apology or two are no other reply.
        const bool same = 3 * changed_ <= count_ + 2;
        // To whoever only says to go on it is a monologue.
        const bool spoken = 2 * gone_on_ <= count_;
        if (same && spoken && is_unheard()) tell();
        count_ = vain_ = changed_ = announced_ = thanked_ = stated_ = gone_on_ = 0;
        objected_ = denied_ = says_other_ = told_again_ = work_between_ = lost_ = announces_ = thanks_ = false;
        last_text_.clear();
        answer_.clear();
        heard_.clear();
        marks_.clear();
        own_.clear();
        for (WordSet& words : told_) words.clear();
        for (WordSet& words : recent_) words.clear();
    }

    bool is_unheard() const {
        // The first two replies may come before anybody objects: what was told is told a second time behind them.
        constexpr int kMayPass = 1;
        const auto unheard = [this](int vain) {
            return 3 * (vain + kMayPass) >= 2 * (count_ - 1) && vain + kMayPass >= params_.warn - 1;
        };
        // To part takes a few words.
        if (thanked_ > 0) return count_ >= params_.fail && unheard(vain_);
        // One sentence may do for some questions.
        return (count_ >= params_.warn && unheard(vain_ - stated_)) || (count_ > params_.warn && unheard(vain_));
    }

    void tell() {
        DraftFinding draft = draft_of_texts(loop_repeated_reply(), first_, last_, true);
        Finding& f = draft.finding;
        const bool hard = count_ >= params_.fail && thanked_ == 0,
                   declines = declines_to_help({first_text_, first_form_});
        f.severity = declines ? Severity::info : hard ? Severity::error : Severity::warning;
        f.period = 1;
        f.repeats = static_cast<std::uint64_t>(count_);
        f.round = {"says something like \"" + first_.words() + "\""};
        f.pattern_key = mix_hash(stable_hash(kId), stable_hash(first_text_));
        const bool announced = announced_ * 2 > count_;
        f.message = fmt::format(
            "the agent {} {} times{} ({})", announced ? "announced its work" : "gave a person the same reply", count_,
            announced ? ", and did nothing" : ", whatever that person said", lines_words(f.first_line, f.last_line));
        f.action = "start afresh, with what the person told in the first message";
        f.because = {{"similar_replies", std::to_string(count_)},
                     {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                     {"objected_or_told_again", std::to_string(vain_)},
                     {"tool_calls_in_between", work_between_ ? "the same" : "0"}};
        if (announced_ > 0) f.because.push_back({"announced", std::to_string(announced_)});
        if (declines) f.because.push_back({"declines", "yes"});
        report(std::move(draft));
    }

    Params params_;
    std::uint64_t calls_ = 0;
    int count_ = 0;    // replies that are the same
    int vain_ = 0;     // of them, those behind a person who objected or told again what the agent does not know yet
    int changed_ = 0;  // of them, those that name something new
    TextPlace first_, last_;
    WordSet asked_of_;  // words that name something and stand in all of them
    std::array<WordSet, kLookedBack> recent_;
    std::size_t next_ = 0;
    std::string first_text_, human_;  // as recorded, cut; what the person said last
    TextForm first_form_ = TextForm::plain, human_form_ = TextForm::plain;
    std::string last_text_;   // of the latest reply
    bool lost_ = false;       // it says that the person was not understood
    bool announces_ = false;  // that work begins
    bool thanks_ = false;     // and says nothing else
    int announced_ = 0, thanked_ = 0, stated_ = 0, gone_on_ = 0;
    std::string order_;  // what the person said before the first of them, as recorded, cut
    TextForm order_form_ = TextForm::plain;
    WordSet wanted_;  // its words that name something
    bool objected_ = false, denied_ = false, told_again_ = false;
    bool says_other_ = false;  // than all that was said before
    WordSet answer_;           // what the person said last, words that name something
    std::vector<std::uint64_t> heard_;
    bool asked_ = false;                     // the latest reply did
    bool prompts_ = false;                   // the same: "please describe …"
    bool worked_ = false;                    // before the latest reply
    bool work_between_ = false;              // before any of them but the first
    std::uint64_t work_ = 0;                 // for the latest reply
    std::array<WordSet, kLookedBack> told_;  // what the person said last
    std::size_t next_told_ = 0;
    WordSet marks_;  // what the person told that has a digit
    WordSet own_;    // of the agent, in no order
};

}  // namespace

DetectorSpec loop_repeated_reply() {
    return {kId,
            "AA124",
            "the same reply to a person who objects, or has told it",
            Severity::error,
            0.8,
            Stage::stable,
            Scope::lane,
            kTexts,
            Signals{},
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<RepeatedReply>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
