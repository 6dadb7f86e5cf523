#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/lane_track.hpp"
#include "detectors/engine/message_track.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/speech/courtesy.hpp"
#include "detectors/speech/objection.hpp"
#include "detectors/words/code_spans.hpp"
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
for: the same code with another apology or another line before it, the same question for a number that stands three lines
above, for a yes that was given, or for a choice that was made and is held against the agent twice ("TOGGLE!"). So are
replies that the agent did not understand, in whatever words, and a paragraph that is said again to the letter whatever
the person says; and so are thanks and good-byes that both sides repeat, and work that is announced again and again ("I'll
convert the files now", "one moment please") with no call behind it. Two replies are the same where at least four fifths
of their words are common to both, or where both are short and ask for the same in other words. Either no tool is called
in between, or the same one is, whatever it is asked, and has the same answer; then the words need not be as near.

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
- the same choice again, of somebody who does not mind ("large" of each pizza), and a yes to a question that names another
  thing each time
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

constexpr std::size_t kNamingLetters = 4, kShortLetters = 3;

// Words that may name something: of four letters or more, or with a digit. `marks`: of them, those with a digit.
void naming_words(std::string_view text, WordSet& set, WordSet* marks = nullptr, std::size_t letters = kNamingLetters) {
    constexpr std::size_t kWithDigit = 2;
    set.clear();
    Words words({text, TextForm::plain});
    for (Word word; words.next(word);) {
        const std::string_view bytes = text.substr(word.begin, word.end - word.begin);
        const bool digit = has_digit(bytes);
        if (letters_of(bytes) < (digit ? kWithDigit : letters)) continue;
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

WordSet words_of(std::string_view text) {
    WordSet set;
    word_set({text, TextForm::plain}, set);
    return set;
}

// Long enough to name something, and name nothing.
const WordSet& empty_words() {
    static constexpr std::string_view kEmpty =
        "the and you can now not for but its one hmm huh lol why how who yes nah was are has had did get got see ugh "
        "there this that these those with from have here then than what when your just only also very said "
        "und der die das den dem ich ein ist hab doch noch hier dort dass eine einen einem nicht aber auch schon "
        "los las una uno que con por del est des les une pas sur non pour avec dans cette esta este esto para pero "
        "uma per che sono questo questa";
    static const WordSet words = words_of(kEmpty);
    return words;
}

// That belong to a question for a yes, and say nothing of what for.
const WordSet& words_of_consent() {
    static constexpr std::string_view kConsent =
        "please thank thanks great perfect wonderful excellent sure okay understood alright sorry want would will like "
        "shall should could can that this want before proceed proceeding continue confirm confirming confirmed "
        "confirmation correct right going go ahead again once more just need make sure still first explicit "
        "bitte danke gut prima super möchten möchtest soll sollen darf bestätigen bestätige bestätigung wirklich "
        "gracias perfecto bien quiere quieres desea confirme confirma confirmar confirmación proceder continuar "
        "merci parfait voulez veux souhaitez confirmer confirmez confirmation procéder continuer "
        "obrigado obrigada perfeito deseja quer grazie perfetto vuole vuoi conferma confermare procedere";
    static const WordSet words = words_of(kConsent);
    return words;
}

void drop(WordSet& set, const WordSet& words) {
    std::erase_if(set, [&words](std::uint32_t word) { return std::ranges::binary_search(words, word); });
}

std::string digits_in(std::string_view text) {
    std::string digits;
    std::ranges::copy_if(text, std::back_inserter(digits), is_digit);
    return digits;
}

class RepeatedReply final : public Detector {
public:
    explicit RepeatedReply(Params params) : params_(params) {}

    // Most replies come behind calls, or are the only one: their words are never looked at, nor what the person said.
    void on_segment_end(const LaneTrack& lane) override {
        const bool goes_on = lane.told_to_go_on(), confirms = goes_on && is_to_be_confirmed(lane);
        if (!lane.human_spoke() || (goes_on && !confirms && !announces_now(lane))) return close();
        if (lane.messages().speaking()) reply(lane.messages().latest(), lane.segment_sum());
        count_.gone_on += goes_on && !confirms;
        const RawText said = confirms  ? RawText{"yes", TextForm::plain}
                             : goes_on ? RawText{"continue", TextForm::plain}
                                       : lane.request();
        human_.assign(said.bytes);
        human_form_ = said.form;
        confirmed_ = confirms;
    }
    void finish(const LaneTrack* lane) override {
        if (lane->messages().speaking()) reply(lane->messages().latest(), lane->segment_sum());
        close();
    }

private:
    static constexpr std::size_t kBegin = 4096, kEnd = 2048;  // bytes of a reply that are compared
    static constexpr std::size_t kMostWords = 4096;
    static constexpr std::size_t kLookedBack = 3;   // two wordings may take turns
    static constexpr std::size_t kCourtesy = 160;   // bytes of a reply that may only say good-bye
    static constexpr std::size_t kConfirmed = 480;  // bytes of a question that "yes" may answer
    static constexpr std::size_t kShort = 25;       // different words of a mere question
    static constexpr std::size_t kAsksOf = 2;       // words that name what is asked for
    static constexpr std::size_t kLong = 20;        // different words that nobody says again by accident
    static constexpr std::size_t kStatement = 10;   // the same of what asks nothing

    struct Reply {
        std::string text;  // decoded
        WordSet words, naming;
        std::uint64_t core = 0;  // without "Great question!" and "Does that help?" around it; 0 = that is all
        std::uint64_t code = 0;  // what it says, where a few words lead up to code; 0 = none
        bool lost = false;       // it says that the person was not understood
        bool announces = false;  // that work begins
        bool thanks = false;     // and says nothing else
        bool asks = false;       // a question
        bool prompts = false;    // the same without one: "please describe …"
    };
    struct Count {
        int replies = 0;            // that are the same
        int vain = 0;               // behind a person who objected or told again what the agent does not know yet
        int changed = 0;            // that name something new
        int announced = 0;          // that announce the work of the first order
        int thanked = 0;            // that part, as the person does
        int stated = 0;             // short, to the letter, whatever was said, where nobody objected
        int gone_on = 0;            // to a person who only said to go on
        int reworded = 0;           // that ask in other words what was answered with the same words
        int chosen = 0;             // behind a choice that was made before
        int protests = 0;           // of the person
        bool work_between = false;  // before any of them but the first
    };
    // In what a reply is like those before it.
    struct Likeness {
        bool words = false, code = false;
        bool lost = false, announces = false, thanks = false;
        bool asks = false;      // for the same, in words that are not as near
        bool reworded = false;  // the same in quite other words

        bool any() const { return words || lost || announces || asks || reworded; }
    };
    // What the person said behind the latest reply.
    struct Answer {
        bool objects = false, denies = false, tells_again = false;
        bool says_other = false;     // than all that was said before
        bool chooses_again = false;  // of what the agent offered
        WordSet naming, wished;      // words that name something; without those that only join others
    };

    static bool announces_now(const LaneTrack& lane) {
        if (!lane.messages().speaking()) return false;
        const SaidMessage& said = lane.messages().latest();
        return announces_work({said.text, said.form});
    }

    // "Shall I proceed?" – "Yes, go ahead."
    static bool is_to_be_confirmed(const LaneTrack& lane) {
        if (!lane.messages().speaking()) return false;
        const SaidMessage& said = lane.messages().latest();
        return said.text.size() <= kConfirmed && (asks({said.text, said.form}) || wants_input({said.text, said.form}));
    }

    // Of a long one how it begins and how it ends.
    static Reply read(RawText text) {
        Reply reply;
        reply.text = decoded(text, SaidMessage::kKept);
        if (reply.text.size() > kBegin + kEnd) reply.text.erase(kBegin, reply.text.size() - kBegin - kEnd);
        const RawText said{reply.text, TextForm::plain};
        word_set(said, reply.words);
        naming_words(reply.text, reply.naming);
        reply.core = core_of(reply.text);
        reply.code = code_led_up_to(reply.text, kShort);
        reply.lost = has_not_understood(said);
        reply.announces = announces_work(said);
        reply.thanks = reply.text.size() <= kCourtesy && is_courtesy(said);
        reply.asks = asks(said);
        reply.prompts = wants_input(said);
        return reply;
    }

    // A hash of the text between "I see!" and "Does that help?". The lines of a poem are none of these.
    static std::uint64_t core_of(std::string_view text) {
        constexpr std::string_view kEnds = ".!?", kSorry[] = {"orry",  "polog", "ntschuldig", "erdón",    "isculp",
                                                              "ésolé", "cusi",  "hank",       "confusion"};
        constexpr std::size_t kFew = 6, kShortest = 40;  // words; bytes
        const auto is_short = [](std::string_view sentence) {
            return static_cast<std::size_t>(std::ranges::count(trimmed(sentence), ' ')) < kFew;
        };
        text = trimmed(text);
        if (text.size() < kShortest || text.find('\n') != text.npos) return 0;
        const std::string_view first = text.substr(0, text.find_first_of(kEnds) + 1);  // npos + 1 is 0
        if (is_short(first) && (first.ends_with('!') || contains_any(first, kSorry))) text.remove_prefix(first.size());
        const std::size_t last = text.substr(0, text.size() - 1).find_last_of(kEnds);
        if (text.ends_with('?') && last != text.npos && is_short(text.substr(last + 1)))
            text = text.substr(0, last + 1);
        text = trimmed(text);
        return text.size() < kShortest ? 0 : stable_hash(text);
    }

    const Reply& latest() const { return recent_[(next_ + kLookedBack - 1) % kLookedBack]; }

    // `work`: all that was called behind what the person said, and what came of it. The same work again is no try.
    void reply(const SaidMessage& said, std::uint64_t work) {
        worked_ = said.calls != calls_;
        const bool tried = worked_ && work != work_;
        calls_ = said.calls;
        work_ = work;
        if (tried || count_.replies == 0 || !goes_on(said)) begin(said);
        last_ = said.place;
    }

    void begin(const SaidMessage& said) {
        close();
        count_.replies = 1;
        first_ = said.place;
        first_text_.assign(said.text);
        first_form_ = said.form;
        order_.swap(human_);  // the next message takes its place
        order_form_ = human_form_;
    }

    bool goes_on(const SaidMessage& said) {
        if (count_.replies == 1) {
            keep(read({first_text_, first_form_}), false);
            heard_text_ = decoded({order_, order_form_}, kBegin).append(" ");
            naming_words(heard_text_, wanted_);
        }
        hear(decoded({human_, human_form_}, human_.size()), latest().asks || latest().prompts);
        Reply now = read({said.text, said.form});
        if (!within(first_, said.place, params_.within)) return false;
        const Likeness how = likeness_of(now);
        const bool short_text = now.words.size() < static_cast<std::size_t>(params_.min_words);
        if (!how.thanks && !how.code && (short_text || !how.any())) return false;
        add_up(now, how);
        keep(std::move(now), how.reworded);
        return true;
    }

    Likeness likeness_of(const Reply& now) const {
        Likeness how;
        how.lost = now.lost && latest().lost;
        how.code = shows_the_code_of_one(now);
        how.words = how.code || is_like_one(now.words, params_.similar);
        how.announces = now.announces && latest().announces;
        how.thanks = now.thanks && latest().thanks && is_courtesy({human_, human_form_});
        how.asks = !how.words && (tells_the_same(now) || offers_again(now));
        how.reworded = !how.thanks && !how.any() && asks_in_other_words(now);
        return how;
    }

    void add_up(const Reply& now, const Likeness& how) {
        ++count_.replies;
        count_.reworded += how.reworded;
        count_.work_between = count_.work_between || worked_;
        // What a timer asks for again, and what is looked up again for it, may well be as it was.
        const bool idle = how.announces && is_of_first_order(now);
        const bool told = confirmed_ ? wants_only_a_yes(now) : answer_.tells_again;
        const bool heard_not = finds_fault(now) || how.lost || idle || how.thanks || (told && !worked_);
        const bool verbatim = answer_.says_other && says_to_the_letter(now);
        count_.vain += heard_not || verbatim;
        count_.chosen += answer_.chooses_again && !heard_not && !verbatim && !worked_;
        count_.protests += answer_.objects;
        count_.announced += idle;
        count_.thanked += how.thanks;
        count_.stated += !heard_not && verbatim && now.words.size() < kLong;
        // A page that is sent again with what was asked for is another one.
        const bool only_words = how.words && !how.code && !how.lost && !how.announces && !how.thanks;
        count_.changed += only_words && !says_the_core_of_one(now) && brings_news(now.naming);
    }

    // "No" to a question is an answer.
    bool finds_fault(const Reply& now) const {
        const bool asked = latest().asks || latest().prompts;
        return (answer_.objects || (answer_.denies && (worked_ || !asked))) &&
               (shows_the_code_of_one(now) || !heeds(now));
    }

    bool says_to_the_letter(const Reply& now) const {
        const bool states = !worked_ && !now.prompts &&
                            (!now.asks || asks_only_for_more({now.text, TextForm::plain})) && !judges(now.text);
        return now.words.size() >= (states ? kStatement : kLong) &&
               (now.text == latest().text || says_the_core_of_one(now));
    }

    // Where the same is looked up and found, the words need not be as near.
    bool tells_the_same(const Reply& now) const {
        constexpr int kOfWords = 3;
        return asks_the_same(now) || (worked_ && is_like_one(now.words, params_.similar / kOfWords));
    }

    // "Good point. Use this:", and then the code of before.
    bool shows_the_code_of_one(const Reply& now) const {
        return now.code != 0 && std::ranges::find(recent_, now.code, &Reply::code) != recent_.end();
    }

    bool says_the_core_of_one(const Reply& now) const {
        return now.core != 0 && std::ranges::find(recent_, now.core, &Reply::core) != recent_.end();
    }

    // "A toggle or the system setting?", asked of whoever chose the toggle twice: it is offered once more, and so is
    // what was not chosen.
    bool offers_again(const Reply& now) const {
        if (!answer_.chooses_again || now.words.size() > kShort || common(now.naming, chosen_).empty()) return false;
        return std::ranges::any_of(recent_, [&](const Reply& before) {
            return std::ranges::any_of(common(before.naming, now.naming), [this](std::uint32_t word) {
                return !std::ranges::binary_search(wanted_, word) &&
                       !std::ranges::binary_search(answer_.naming, word) &&
                       !std::ranges::binary_search(empty_words(), word);
            });
        });
    }

    // "Please confirm that you want seat 14C" behind "I can book seat 14C. Shall I proceed?": but for what belongs to
    // such a question nothing is new. "Do you have a cough?" behind "Do you have a fever?" is another question.
    bool wants_only_a_yes(const Reply& now) const {
        WordSet words = now.naming;
        drop(words, words_of_consent());
        return std::ranges::includes(latest().naming, words) && digits_in(now.text) == digits_in(latest().text);
    }

    // "Which day suits you?" behind "What day would you like to come?", where the day was told twice. Some questions do
    // have the same answer: most must be alike.
    bool asks_in_other_words(const Reply& now) const {
        const bool few = 3 * (count_.reworded + 1) <= count_.replies + 1;
        return answer_.tells_again && latest().asks && now.asks && now.words.size() <= kShort && few;
    }

    // What is announced is what was ordered at first, not what the person wished for since.
    bool is_of_first_order(const Reply& now) const {
        if (common(now.naming, wanted_).empty()) return false;
        return std::ranges::includes(wanted_, common(now.naming, answer_.naming));
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
        if (now.words.size() > kShort || now.asks || now.prompts || now.announces || now.lost) return false;
        const WordSet& before = latest().words;
        if (now.words == before) return now.text != latest().text;
        const auto takes_up = [&](const WordSet& one, const WordSet& other) {
            return std::ranges::any_of(answer_.wished, [&](std::uint32_t word) {
                return std::ranges::binary_search(one, word) && !std::ranges::binary_search(other, word);
            });
        };
        return takes_up(now.words, before) || takes_up(before, now.words);
    }

    void keep(Reply reply, bool reworded) {
        if (!reworded) asked_of_ = count_.replies == 1 ? reply.naming : common(asked_of_, reply.naming);
        if (own_.size() < kMostWords) {
            WordSet named;
            naming_words(reply.text, named, nullptr, kShortLetters);
            own_.insert(own_.end(), named.begin(), named.end());
            add_number(reply.text, own_);
        }
        recent_[next_++ % kLookedBack] = std::move(reply);
    }

    bool is_like_one(const WordSet& words, int percent) const {
        return std::ranges::any_of(recent_, [&](const Reply& before) {
            return !before.words.empty() && jaccard(before.words, words) * 100 >= percent;
        });
    }

    bool asks_the_same(const Reply& now) const {
        return now.words.size() <= kShort && common(asked_of_, now.naming).size() >= kAsksOf;
    }

    // What a person says behind a reply.
    void hear(const std::string& text, bool asked) {
        const RawText said{text, TextForm::plain};
        const bool fine = approves(said);
        answer_.objects = !fine && (objects(said, asked) || shouts(text, heard_text_));
        answer_.denies = !fine && !asks(said) && denies(said);
        answer_.says_other = !fine && !wishes_again(said) && !heard_before(text);
        answer_.tells_again = asked && affirms(said);  // whoever said yes is asked once more
        answer_.chooses_again = false;
        if (heard_text_.size() < kBegin) heard_text_.append(text).append(" ");
        WordSet words, marks;
        naming_words(text, words, &marks);
        answer_.naming = answer_.wished = words;
        drop(answer_.wished, empty_words());
        if (fine || answer_.tells_again || (asks(said) && !asked) || wishes_again(said)) return;
        add_number(text, marks);
        settle(marks);
        if (asked) choose();
        const bool news = brings_news(words) || is_short_news(text);
        words.clear();  // of "no", "ok" and what the agent has named as well
        if (news) word_set(said, words);
        answer_.tells_again = std::ranges::any_of(marks, [this](std::uint32_t mark) { return knows_in_vain(mark); }) ||
                              std::ranges::any_of(told_, [&](const WordSet& before) { return holds(words, before); });
        if (marks_.size() < kMostWords) marks_.insert(marks_.end(), marks.begin(), marks.end());
        told_[next_told_++ % kLookedBack] = std::move(words);
    }

    // Of what the latest reply offered.
    void choose() {
        WordSet chosen = common(answer_.wished, latest().naming);
        if (chosen.empty()) return;
        answer_.chooses_again = !common(chosen, chosen_).empty();
        chosen_.swap(chosen);
    }

    bool brings_news(const WordSet& words) const {
        return std::ranges::any_of(words, [this](std::uint32_t word) { return !names(word); });
    }

    // "El pan", to whoever asks for it. A guess that was told to be wrong is none.
    bool is_short_news(std::string_view text) const {
        if (!latest().asks || judges(latest().text)) return false;
        WordSet words;
        naming_words(text, words, nullptr, kShortLetters);
        drop(words, empty_words());
        return brings_news(words);
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
        if (count_.replies == 0) return;
        // Another apology or two are no other reply.
        const bool same = 3 * count_.changed <= count_.replies + 2;
        // To whoever only says to go on it is a monologue.
        const bool spoken = 2 * count_.gone_on <= count_.replies;
        if (same && spoken && is_unheard()) tell();
        count_ = {};
        answer_ = {};
        recent_ = {};
        heard_.clear();
        marks_.clear();
        own_.clear();
        chosen_.clear();
        heard_text_.clear();
        for (WordSet& words : told_) words.clear();
    }

    bool is_unheard() const {
        // The first two replies may come before anybody objects: what was told is told a second time behind them.
        constexpr int kMayPass = 1;
        const auto unheard = [this](int vain) {
            return 3 * (vain + kMayPass) >= 2 * (count_.replies - 1) && vain + kMayPass >= params_.warn - 1;
        };
        // To part takes a few words.
        if (count_.thanked > 0) return count_.replies >= params_.fail && unheard(count_.vain);
        // One sentence may do for some questions.
        // Whoever plays or is asked for an opinion chooses the same as well, but does not mind.
        constexpr int kMinds = 2;
        const int vain = count_.vain + (count_.protests >= kMinds ? count_.chosen : 0);
        return (count_.replies >= params_.warn && unheard(vain - count_.stated)) ||
               (count_.replies > params_.warn && unheard(vain));
    }

    void tell() {
        DraftFinding draft = draft_of_texts(loop_repeated_reply(), first_, last_, true);
        Finding& f = draft.finding;
        const bool hard = count_.replies >= params_.fail && count_.thanked == 0,
                   declines = declines_to_help({first_text_, first_form_});
        f.severity = declines ? Severity::info : hard ? Severity::error : Severity::warning;
        f.period = 1;
        f.repeats = static_cast<std::uint64_t>(count_.replies);
        f.round = {"says something like \"" + first_.words() + "\""};
        f.pattern_key = mix_hash(stable_hash(kId), stable_hash(first_text_));
        const bool announced = count_.announced * 2 > count_.replies;
        f.message = fmt::format("the agent {} {} times{} ({})",
                                announced ? "announced its work" : "gave a person the same reply", count_.replies,
                                announced ? ", and did nothing" : ", whatever that person said",
                                lines_words(f.first_line, f.last_line));
        f.action = "start afresh, with what the person told in the first message";
        f.because = {{"similar_replies", std::to_string(count_.replies)},
                     {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                     {"objected_or_told_again", std::to_string(count_.vain)},
                     {"tool_calls_in_between", count_.work_between ? "the same" : "0"}};
        if (count_.announced > 0) f.because.push_back({"announced", std::to_string(count_.announced)});
        if (declines) f.because.push_back({"declines", "yes"});
        report(std::move(draft));
    }

    Params params_;
    Count count_;
    TextPlace first_, last_;
    std::string first_text_, human_;  // as recorded, cut; what the person said last
    TextForm first_form_ = TextForm::plain, human_form_ = TextForm::plain;
    std::string order_;  // what the person said before the first of them, as recorded, cut
    TextForm order_form_ = TextForm::plain;
    WordSet wanted_;                         // its words that name something
    WordSet asked_of_;                       // words that name something and stand in all replies
    std::array<Reply, kLookedBack> recent_;  // a ring
    std::size_t next_ = 0;
    Answer answer_;
    std::array<WordSet, kLookedBack> told_;  // what the person said last
    std::size_t next_told_ = 0;
    std::vector<std::uint64_t> heard_;  // all that the person said
    WordSet marks_;                     // what the person told that has a digit
    WordSet own_;                       // of the agent, in no order
    WordSet chosen_;                    // of what the agent offered, sorted
    std::string heard_text_;            // what the person said since the first of them, cut
    std::uint64_t calls_ = 0;
    std::uint64_t work_ = 0;  // for the latest reply
    bool worked_ = false;     // before the latest reply
    bool confirmed_ = false;  // all that the person said last is a yes
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
