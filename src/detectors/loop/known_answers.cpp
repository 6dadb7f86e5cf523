#include "detectors/all.hpp"
#include "detectors/commands/idle_command.hpp"
#include "detectors/engine/deeds.hpp"
#include "detectors/engine/episodes.hpp"
#include "detectors/engine/error_identity.hpp"
#include "detectors/loop/known_walls.hpp"
#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/in_vain.hpp"
#include "detectors/outcomes/made_names.hpp"
#include "detectors/outcomes/other_thing.hpp"
#include "detectors/outcomes/outcome.hpp"
#include "detectors/outcomes/outcome_words.hpp"
#include "detectors/outcomes/screen.hpp"
#include "detectors/words/phrases.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/ascii.hpp"

#include <agent_audit/model/tool_name.hpp>
#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/snake_case.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/known-answers";

constexpr std::string_view kDoc = R"(## What it finds
A stretch in which no call brought an answer that its tool had not given before: the same refusals in turn, the same
failing check for one patch after another, pages read again between them. The arguments may differ and several tools may
take part. A refusal that is told as a success (`Booking declined`, `{"deliverable": false}`) is the same one whatever
number it is filed under and, in a game, whichever move was refused, and so is "rmse: NaN" of one fit after the other. An
agent that is asked the same in other words and tells in other words that it found nothing has given one answer: five such
are a warning; so are as many that only promise ("I'll get back to you"). So is a page that is read with one question
after the other and says each time that it does not have it, and so are five commands that print something whatever they
find (`pwd`, `date`), of a shell that is said to have printed nothing.

New answers in between do not help where commands run into the same few failures again and again ("Cannot connect to the
Docker daemon" of `docker ps`, `docker compose up`, `sudo docker info`), one tool that mends brings back what the other one
finds (`prettier --write`, `eslint --fix`), each try is taken back (`git rebase --abort`), or one file that did not change
is shown once more (`cat build.log`, `less build.log`). Failures that speak of the machine or a key and not of the work are
enough when they came four times again: no such program, a daemon that does not run, `{"message": "Invalid API key"}`.

## Why it matters
Each call looks like a try, and none of them teaches anything. Rules that look for one repeated call see neighbours that
differ; what repeats here is the other side of the conversation.

## Example
```
submit_patch `v7`   → refused: line 22 was not changed
submit_patch `v8`   → 1 test fails: testEmpty
read `parser.py`    → 40 lines, read before
submit_patch `v9`   → refused: line 22 was not changed
submit_patch `v10`  → 1 test fails: testEmpty
…
```

## What is not flagged
- any answer in between that is new: the count starts again. Not where the same three failures of commands or fewer come
  again and again among other steps, and there is no more that is new than what was known
- that a solver has no solution with other numbers ("UNSAT", "infeasible")
- many known answers of which none makes up half
- one command for one thing after the other, each run once, also with a silent one behind each (`git cherry-pick --skip`);
  of checks fewer than an error takes
- one answer from place after place (a ping of each host), and that one thing after another is not there, is a warning at most
- a change of a file: what was known is open again
- one value of an option after the other (`-march=haswell`, `-march=znver3`), and what is asked behind each: it neither
  counts nor ends it
- checks that pass, and commands that ask of one thing after another: `cargo test -p` with each crate, or a few in turn of
  each host as long as none fails. Failures there are a warning at most; a silent exit code 1 (`test -f`, `which`), or one
  with the count 0 (`grep -c`), is an answer like any other
- looks at other places that find the same there (the last author of each file), or that the thing is not there: a walk
  through them
- answers that say only that a call was carried out, in words that were said before, and "nothing found" for other words: they
  neither count nor end it
- several calls of one response: they count once
- a look at where one is (`pwd`, `git status`): it neither counts nor ends it
- an answer of a call that had another one the last time: dice, the next sample
- the same way gone again between new deeds (pick up a block, go to the bin)
- another agent that is asked of one thing after the other, and finds nothing of any: each is named in its question and in
  its answer
- one new guess after the other that is only told that it is wrong (a quiz, a riddle): it neither counts nor ends it
- the next batch of a command that works on so many at most
- a price that is bargained for, where each refusal names another one
- polls, pauses, unknown outcomes, transient errors, rejections
- as more than an info, one thing after the other of a list that was read before, or that a person gave, each asked for
  once in the list's order: an answer to each, or that it is not there, is what such a walk brings. Not where names were
  made up, the list was gone through already, or all of them fail of what has nothing to do with the thing
- as more than an info, one thing after the other where a person asked for that ("check each of these links"), or to see it
  refused or fail ("expect 401"; of tests alone "write the tests first"), unless what is wrong lies with the tools, the
  network or the rights

## What to do
Put the known answers side by side and say what they have in common before the next call.

## When it is wrong
An agent that goes over known ground on purpose, to check it. Raise `warn` and `fail`, or `--ignore loop/known-answers`.
)";

struct Params {
    int warn = 6;
    int fail = 10;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000,
                       "responses in a row with nothing but known answers before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    within_param<Params>(),
};

/// The last answers a lane got, and where each stood first. A ring: an answer of long ago is news again.
class Answers {
public:
    /// Ordinal of the step that got this answer first; the step itself when it is new, and then it is remembered.
    std::uint64_t first_of(std::uint64_t answer, std::uint64_t ordinal) {
        if (alike_[slot(answer)] != 0) {
            for (std::size_t i = 0; i < std::min(next_, kKept); ++i) {
                if (answers_[i] == answer) return ordinals_[i];
            }
        }
        const std::size_t at = next_ % kKept;
        if (next_ >= kKept) --alike_[slot(answers_[at])];
        ++alike_[slot(answer)];
        answers_[at] = answer;
        ordinals_[at] = ordinal;
        ++next_;
        return ordinal;
    }
    void clear() {
        if (next_ == 0) return;
        alike_.fill(0);
        next_ = 0;
    }

private:
    static constexpr std::size_t kKept = 64, kSlots = 256;
    static std::size_t slot(std::uint64_t answer) { return answer >> 32 & (kSlots - 1); }

    std::array<std::uint8_t, kSlots> alike_{};  // how many kept ones fall into each slot: none settles most steps
    std::array<std::uint64_t, kKept> answers_;
    std::array<std::uint64_t, kKept> ordinals_;
    std::size_t next_ = 0;
};

class KnownAnswers final : public Detector {
public:
    explicit KnownAnswers(Params params)
        : params_(params), window_(params.warn, params.within), walls_(TimeWindow(params.warn, params.within)) {}

    void on_step(const Step& step, const LaneTrack& lane) override {
        if (step.epoch != epoch_) {
            forget();
            epoch_ = step.epoch;
        }
        if (step.opaque) return;
        if (step.tool_class == ToolClass::poll) return see_wall(step, lane, false);
        in_vain_ = apart_ = refused_ = false;
        const bool page_in_vain = page_says_nothing(step);
        const std::uint64_t answer = step.failed    ? mix_hash(step.tool, step.error_key) | 1
                                     : page_in_vain ? page_answer(step)
                                     : step.tool_class == ToolClass::other && step.command_bytes == 0
                                         ? answer_in_words(step, lane)
                                         : mix_hash(text_of_file(step) ? 0 : step.tool, step.out) | 1;
        in_vain_ = in_vain_ || page_in_vain;
        const std::uint64_t first = answers_.first_of(answer, step.ordinal);
        see_wall(step, lane, first != step.ordinal);
        if (apart_) return;
        if (first != step.ordinal) {
            silent_ = says_nothing_at_all(step);
            if ((in_vain_ || silent_ || refused_ || tells(step, lane)) && !is_way_back(step, lane))
                grow(step, answer, first, lane);
        } else if (responses_ > 0 && !step.failed &&
                   !(is_short_acknowledgement(step) && says_nothing_new(step, lane))) {
            close();
        }
    }

    void on_segment_end(const LaneTrack&) override { end(); }
    void finish(const LaneTrack*) override { end(); }

private:
    // Where an answer stood shortly before, the stretch begins there.
    static constexpr std::uint64_t kNear = 4;
    // A success that says more than this tells what it found.
    static constexpr std::uint32_t kLongestAcknowledgement = 400;
    static constexpr std::size_t kCounted = 8;
    static constexpr std::uint32_t kLongestHead = StepText::kOutcome;  // of what a runner says of a call
    static constexpr std::uint64_t kShapesBack = 24;

    // A text is the same whoever shows it: Read, `cat`, `grep -A9`.
    static bool text_of_file(const Step& step) {
        constexpr std::uint32_t kShortest = 48;  // bytes
        const bool shows =
            step.tool_class == ToolClass::read || (step.tool_class == ToolClass::search && step.command_bytes > 0);
        return shows && step.outcome_bytes >= kShortest;
    }

    void see_wall(const Step& step, const LaneTrack& lane, bool known) {
        walls_.see(step, lane, known, [this](const auto& row) { close(row); });
    }

    static bool is_short_acknowledgement(const Step& step) {
        return step.outcome_bytes <= kLongestAcknowledgement && is_acknowledgement(step);
    }

    // "Order 17 updated" behind "Order 16 updated": said before but for what the call itself named. A new number is
    // news.
    static bool says_nothing_new(const Step& step, const LaneTrack& lane) {
        const std::string_view words = step.text.outcome().bytes, asked = step.text.argument().bytes;
        const std::uint64_t shape = shape_hash(step.text.outcome());
        bool known = false;
        const bool makes = makes_something(step);
        for (std::uint64_t back = 1; !known && back <= kShapesBack && back < step.ordinal; ++back) {
            const Step* before = lane.step(step.ordinal - back);
            known =
                before && before->tool == step.tool && !before->failed && shape_hash(before->text.outcome()) == shape;
            // "Draft 3f2a91cc received" behind "Draft 71d0e4b8 received".
            if (makes && before && before->tool == step.tool && !before->failed &&
                same_but_made_names(before->text.outcome().bytes, words))
                return true;
        }
        for (std::size_t at = 0; known && at < words.size();) {
            std::size_t end = at;
            bool number = false;
            for (; end < words.size() && is_word(words[end]); ++end)
                number = number || (words[end] >= '0' && words[end] <= '9');
            if (number && asked.find(words.substr(at, end - at)) == asked.npos) return false;
            at = end + 1;
        }
        return known;
    }

    // A model that was fitted, a policy that was trained, and nothing came of it: "loss nan".
    static bool comes_to_nothing(const Step& step) {
        const bool runs = step.tool_class == ToolClass::other || step.tool_class == ToolClass::shell;
        return runs && !step.failed && step.outcome_bytes <= kLongestAcknowledgement &&
               says_nothing_came(step.text.outcome().bytes);
    }

    // "Sensor 14 is not calibrated" of sensor 14. The "00" of 18:00 and of 10:00 names nothing.
    static bool names_what_was_asked(const Step& step) {
        const auto is_of_number = [](char c) { return (c >= '0' && c <= '9') || c == '.'; };
        const auto any_number = [&](std::string_view text, auto&& wanted) {
            for (std::size_t at = 0; at < text.size();) {
                const std::size_t begin = at;
                while (at < text.size() && is_of_number(text[at])) ++at;
                const bool in_word = begin > 0 && is_letter(text[begin - 1]);
                if (at > begin && text[begin] != '.' && !in_word && wanted(text.substr(begin, at - begin))) return true;
                at = std::max(at, begin + 1);
            }
            return false;
        };
        return any_number(step.text.outcome().bytes, [&](std::string_view told) {
            return told.find_first_not_of("0.") != told.npos &&
                   any_number(step.text.argument().bytes, [&](std::string_view asked) { return asked == told; });
        });
    }

    // "(no output)", "Process exited with code 0 … Output:", and nothing behind it.
    static bool says_no_output(std::string_view said) {
        constexpr std::string_view kNone[] = {"no output", "No output", "without output", "No Output"};
        constexpr std::string_view kOutput = "Output:", kAny = "utput";
        if (said.find(kAny) == said.npos) return false;
        said = without_line_ends(said);
        return contains_any(said, kNone) || said.ends_with(kOutput);
    }

    // `pwd`, and its agent is told that it printed nothing: this shell carries nothing out. Where no word stands at
    // all, the output may have been cut out of the recording.
    [[gnu::noinline]] static bool says_nothing_at_all(const Step& step) {
        if (step.command_bytes == 0 || step.failed || step.outcome_bytes == 0 || step.outcome_bytes > kLongestHead)
            return false;
        return says_no_output(step.text.outcome().bytes) && always_prints(step.text.argument());
    }

    // Where each call is one move of a game: which of them was refused is no part of why.
    static bool is_move(const Step& step) {
        constexpr std::string_view kMoves[] = {"act",  "action",    "attack",    "make_move",   "move",       "play",
                                               "step", "play_move", "take_turn", "game_action", "take_action"};
        return std::ranges::find(kMoves, snake_case(bare_tool_name(step.text.tool()))) != std::end(kMoves);
    }

    // A refusal is the same one whatever it says of this call: which request it was, how far the arm came.
    std::uint64_t said(const Step& step) const {
        const RawText answer = step.text.outcome();
        if (refused_ && is_move(step)) return refusal_identity(step, answer);
        if (!refused_ && !comes_to_nothing(step)) return step.out;
        const std::string unnamed = without_made_names(answer.bytes);
        return error_key({unnamed, answer.form});
    }

    // "Not enough, I want 9,400" of 8,100, and "I want 9,300" of 8,400: they come to terms.
    static bool bargains(const Step& step, const LaneTrack& lane) {
        constexpr std::string_view kDigits = "0123456789";
        constexpr std::string_view kTerms[] = {"not enough", "too low",   "too high", "too little",   "too much",
                                               "i want ",    "i'd take ", "counter",  "my price is ", "would take "};
        const Step* before = lane.step(step.ordinal - 1);
        if (!before || before->tool != step.tool || before->call == step.call || before->out == step.out) return false;
        const std::string now = lowered(step.text.outcome().bytes);
        return contains_any(now, kTerms) && now.find_first_of(kDigits) != now.npos &&
               same_but_numbers(now, lowered(before->text.outcome().bytes));
    }

    // By words, or by a field and for what was asked in nearly the same words before.
    static bool is_refused(const Step& step, const LaneTrack& lane) {
        constexpr double kAlike = 0.5;
        if (turns_down(step)) return true;
        const Step* before = lane.step(step.ordinal - 1);
        if (!before || before->tool != step.tool || !denies_by_field(step)) return false;
        return shared_words(step, *before) >= kAlike || share_number(step, *before);
    }

    // "Mill Street 17", "MILL ST. 17".
    static bool share_number(const Step& a, const Step& b) {
        constexpr std::string_view kDigits = "0123456789";
        const std::string_view one = a.text.argument().bytes, other = b.text.argument().bytes;
        for (std::size_t at = one.find_first_of(kDigits); at != one.npos; at = one.find_first_of(kDigits, at)) {
            const std::size_t end = std::min(one.find_first_not_of(kDigits, at), one.size());
            if (holds_number(other, one.substr(at, end - at))) return true;
            at = end;
        }
        return false;
    }
    static bool holds_number(std::string_view text, std::string_view number) {
        const auto digit_at = [text](std::size_t at) { return at < text.size() && is_digit(text[at]); };
        for (std::size_t at = text.find(number); at != text.npos; at = text.find(number, at + 1)) {
            if ((at == 0 || !digit_at(at - 1)) && !digit_at(at + number.size())) return true;
        }
        return false;
    }

    // Of a tool of unknown kind that calls it a success.
    [[gnu::noinline]] std::uint64_t answer_in_words(const Step& step, const LaneTrack& lane) {
        refused_ = is_refused(step, lane);
        const std::uint64_t own = mix_hash(step.tool, said(step)) | 1;
        // The same words are the same answer, whatever number is in them.
        const std::uint64_t words = mix_hash(step.tool, step.out) | 1;
        const bool known = answers_.first_of(words, step.ordinal) != step.ordinal;
        in_vain_ = says_in_vain(step);
        apart_ = !known && !in_vain_ && refused_ && (names_what_was_asked(step) || bargains(step, lane));
        if (!in_vain_) return own;
        // Another agent that is asked the same in other words, and has found nothing in other words either.
        const bool again = std::ranges::any_of(vain_at_, [&](std::uint64_t at) {
            const Step* before = at == 0 ? nullptr : lane.step(at);
            return before && in_vain_again(*before, step);
        });
        if (!again) {
            vain_answer_ = own;
            in_vain_ = !promises(step);
        }
        std::shift_right(vain_at_.begin(), vain_at_.end(), 1);
        vain_at_[0] = step.ordinal;
        return vain_answer_;
    }

    // One page that is read with one question after the other says in other words each time that it has no answer.
    static std::uint64_t page_answer(const Step& step) {
        return mix_hash(step.tool, stable_hash(step.text.argument().bytes)) | 1;
    }

    // How often the answer that came most often came.
    int most() const { return *std::ranges::max_element(counts_); }

    void count(std::uint64_t answer) {
        for (std::size_t i = 0; i < kCounted; ++i) {
            if (counted_[i] != answer && counts_[i] != 0) continue;
            counted_[i] = answer;
            ++counts_[i];
            return;
        }
    }

    // True when an equal answer is worth something: a refusal, a known page, the verdict of a check.
    static bool tells(const Step& step, const LaneTrack& lane) {
        return tells_by_itself(step, lane) && !follows_another_setting(step, lane);
    }
    static bool tells_by_itself(const Step& step, const LaneTrack& lane) {
        if (is_screen_act(step)) return false;
        if (step.failed && step.error == ErrorClass::transient) return false;
        // With other numbers it is another question.
        if (!step.revisit && word_of_no(step) == WordOfNo::verdict) return false;
        if (step.revisit) return !is_look_round(step) && !is_dealt_anew(step, lane) && !is_next_batch(step);
        // Of a guess that was not made before that it is wrong is news.
        if (step.tool_class == ToolClass::other && says_wrong_guess(step.text.outcome())) return false;
        if (is_passed_check(step) || is_answer_of_another(step, lane)) return false;
        if (step.failed) return true;
        // A look at another place that finds the same there is a finding about that place.
        if (step.tool_class == ToolClass::read || step.tool_class == ToolClass::search) return false;
        if (comes_to_nothing(step)) return true;
        return !is_short_acknowledgement(step) && !is_no_result(step.text.outcome()) &&
               !says_missing(step.text.outcome());
    }

    [[gnu::noinline]] static bool is_next_batch(const Step& step) {
        return !step.failed && filled_batch(step.text.argument().bytes, step.text.outcome().bytes);
    }

    // The last time the same call had another answer: dice, cards, the next sample.
    static bool is_dealt_anew(const Step& step, const LaneTrack& lane) {
        if (step.failed) return false;
        for (std::uint64_t back = 1; back <= kShapesBack && back < step.ordinal; ++back) {
            const Step* before = lane.step(step.ordinal - back);
            if (!before) return false;
            if (before->call == step.call) return before->out != step.out;
        }
        return false;
    }

    // `grep -c` has counted none, and says so by its exit code as well.
    static bool counts_none(const Step& step) {
        constexpr std::uint32_t kLongest = 96;  // bytes, with what a runner says of the call
        const RawText said = step.text.outcome();
        if (step.outcome_bytes > kLongest) return false;
        RawLines lines(said.bytes, said.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
        for (std::string_view line; lines.next(line);) {
            if (line == "0" || line == "Output: 0") return true;
        }
        return false;
    }

    // A command asked of the next thing what it had asked of the one before, and did not fail; or said no by its exit
    // code. Of each thing a few commands may be asked in turn; then none of them fails.
    static bool is_answer_of_another(const Step& step, const LaneTrack& lane) {
        constexpr std::uint64_t kRound = 4;  // commands
        if (step.command_bytes == 0) return false;
        for (std::uint64_t back = 1; back <= kRound && back < step.ordinal; ++back) {
            const Step* before = lane.step(step.ordinal - back);
            if (!before || before->tool != step.tool) return false;
            if (before->failed && back > 1 && word_of_no(*before) == WordOfNo::none) return false;
            if (elsewhere(step, *before) != Elsewhere::no) return is_answer(step, back == 1);
        }
        return false;
    }

    static bool is_answer(const Step& step, bool alone) {
        if (word_of_no(step) != WordOfNo::none) return step.tool_class != ToolClass::verify;
        if (step.failed)
            return alone && step.tool_class != ToolClass::verify &&
                   (is_no_result(step.text.outcome()) || counts_none(step));
        return !says_refusal(step.text.outcome().bytes);
    }

    // Another place, or another word where the command had another one before too: elsewhere it is put in other words.
    bool goes_on(const Step& step, const Step& before) {
        const Elsewhere place = elsewhere(step, before);
        if (place != Elsewhere::thing) return place != Elsewhere::no;
        const std::optional<std::size_t> word = other_word(step, before);
        if (word_ && word_ != word) return false;
        word_ = word;
        return true;
    }

    // `git cherry-pick --skip` behind one commit that is empty, and behind the next.
    static bool follows_each(const Step& step) {
        return !step.failed && step.command_bytes > 0 && is_no_result(step.text.outcome());
    }

    void grow(const Step& step, std::uint64_t answer, std::uint64_t first, const LaneTrack& lane) {
        const Step* before = lane.step(step.ordinal - 1);
        const bool follows = follows_each(step);
        follow_ups_ += follows;
        if (before && !follows && follows_each(*before)) before = lane.step(step.ordinal - 2);
        const bool other_thing =
            before && !silent_ && !step.revisit && (goes_on(step, *before) || says_missing(step.text.outcome()));
        walked_ += other_thing;
        const bool tries = step.command_bytes > 0 && step.tool_class != ToolClass::search;
        checks_ = checks_ || step.tool_class == ToolClass::verify;
        things_ += tries && other_thing && things_ + 1 == walked_ && of_another_thing(step, *before);
        if (responses_ == 0) {
            const bool near = first + kNear >= step.ordinal && lane.step(first);
            episode_.add_range(lane, near ? first : step.ordinal, step.ordinal);
            episode_.waste_from(step, lane.step(step.ordinal - 1));
        } else {
            episode_.add_range(lane, episode_.last().ordinal + 1, step.ordinal);
        }
        if (responses_ == 0 || step.response != response_) {
            ++responses_;
            vain_ += in_vain_ || silent_;
            count(answer);
            window_.add(step);
        }
        response_ = step.response;
    }

    void end() {
        walls_.end([this](const auto& row) { close(row); });
        forget();
    }

    void forget() {
        close();
        answers_.clear();
        vain_at_.fill(0);
    }

    // A few failures that come again among other steps. What says nothing of the thing, but of the machine, says so
    // sooner; what a row of things met one by one is no wall.
    void close(const KnownWalls::Row& row) {
        constexpr int kFewKinds = 3, kFewest = 4;
        const int blind = params_.warn - params_.warn / 3;
        const bool wall = row.is_blind() ? row.failures >= blind
                                         : row.known() >= params_.warn && (row.failures >= kFewest || row.shown > 0);
        const int known = row.known();
        if (!wall || (row.worked && known < params_.fail) || 2 * row.walked > known || !row.time.met()) return;
        if (std::popcount(row.kinds) > kFewKinds || (row.failures == 0 && 2 * row.fresh > known)) return;
        // Bad input that is tried on a service, with the code read in between.
        if (2 * row.turned_down > row.failures && 2 * row.fresh > known) return;
        if (row.failures == 0 && 3 * row.reworded < row.shown) return;  // the same calls: loop/interleaved-repeat
        const bool hard = known >= params_.fail && 2 * row.fresh <= known && !row.worked;
        const Step& last = row.episode.last();
        report(row.episode.draft(
            loop_known_answers(),
            {.hard = hard,
             .repeats = static_cast<std::uint64_t>(known),
             .pattern = mix_hash(last.tool, last.out),
             .round = {step_words(last)},
             .message = fmt::format("{} of {} steps brought only what was known, and nothing in between helped", known,
                                    row.episode.steps()),
             .action = "say what the known answers have in common before trying again",
             .because = {{"responses_with_known_answers", std::to_string(known)},
                         {"threshold", std::to_string(hard             ? params_.fail
                                                      : row.is_blind() ? blind
                                                                       : params_.warn)},
                         {"failures", std::to_string(row.failures)},
                         {"last_answer", outcome_words(last)}}}));
    }

    void close() {
        if (responses_ == 0) return;
        // Many answers that come again once each are a walk over known ground; one that dominates is the wall. Of a
        // tool of unknown kind it stood there once more than it came again; of a command other steps may have got
        // somewhere.
        const bool in_words = episode_.last().tool_class == ToolClass::other && episode_.last().command_bytes == 0;
        const bool dense = (static_cast<std::uint64_t>(responses_) + in_words) * 2 >= episode_.steps();
        // One thing after the other, each once. So many parts that fail their check alike may have one cause.
        const int things = things_ + (0 < follow_ups_ && follow_ups_ <= things_ + 1 ? follow_ups_ + 1 : 0);
        const bool each =
            static_cast<std::uint64_t>(things) + 1 >= episode_.steps() && !(checks_ && responses_ >= params_.fail);
        // Each of them is the work of another agent, or a shell that is dead.
        const int warn = vain_ == responses_ ? params_.warn - params_.warn / 3 : params_.warn;
        if (responses_ >= warn && dense && !each && most() * 2 >= responses_ && window_.met()) {
            // The same from each of many hosts may be what is wrong with all of them.
            const bool walk = static_cast<std::uint64_t>(walked_) + 1 >= episode_.steps();
            const bool hard = responses_ >= params_.fail && !walk;
            const Step& last = episode_.last();
            report(episode_.draft(loop_known_answers(),
                                  {.hard = hard,
                                   .repeats = static_cast<std::uint64_t>(responses_),
                                   .pattern = mix_hash(last.tool, last.out),
                                   .round = {step_words(last)},
                                   .message = fmt::format("{} responses in a row brought only {}", responses_,
                                                          most() != responses_ ? "answers that were known"
                                                          : last.failed        ? "the same error"
                                                                               : "the same known answer"),
                                   .action = "say what the known answers have in common before trying again",
                                   .because = {{"responses_with_known_answers", std::to_string(responses_)},
                                               {"threshold", std::to_string(hard ? params_.fail : warn)},
                                               {"same_answer", std::to_string(most())},
                                               {"last_answer", outcome_words(last)}}}));
        }
        episode_.reset();
        window_.reset();
        counts_.fill(0);
        responses_ = walked_ = things_ = follow_ups_ = vain_ = 0;
        checks_ = false;
        word_.reset();
    }

    Params params_;
    Episode episode_;
    TimeWindow window_;
    KnownWalls walls_;
    Answers answers_;
    std::array<std::uint64_t, kCounted> counted_{};
    std::array<int, kCounted> counts_{};
    std::array<std::uint64_t, 3> vain_at_{};  // the last steps that found nothing
    std::uint64_t vain_answer_ = 0;           // what the last of them counts as
    bool apart_ = false;                      // it says no of a thing by its number: that counts for nothing
    bool in_vain_ = false;                    // of the step that is looked at
    bool refused_ = false;                    // the same: it was turned down
    bool silent_ = false;                     // the same: it printed nothing, which it cannot
    int vain_ = 0;                            // responses that found nothing, once more, or printed nothing
    std::uint32_t epoch_ = 0;
    std::uint64_t response_ = 0;
    int responses_ = 0;
    std::optional<std::size_t> word_;  // by which commands in a row differ
    int things_ = 0;                   // commands for another thing than the one before
    int follow_ups_ = 0;               // what is done behind each of them
    bool checks_ = false;              // among all
    int walked_ = 0;  // steps that only look at another place than the one before, or for a thing that is not there
};

}  // namespace

DetectorSpec loop_known_answers() {
    return {kId,
            "AA123",
            "call after call with nothing but known answers",
            Severity::error,
            0.7,
            Stage::stable,
            Scope::lane,
            kSteps,
            Signal::tool_calls | Signal::tool_results,
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<KnownAnswers>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
